"""A report as a sheet, as paper and in a terminal: whole, in its language, harmless."""

from __future__ import annotations
