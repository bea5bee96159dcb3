"""Every device floorcall can read, one row each."""

from __future__ import annotations

from drivers.driver import Driver

DRIVERS: tuple[Driver, ...] = ()
