"""The whole line in one function: signals in, alerts out."""

from __future__ import annotations

from daemon.alarms.judgement import Judgement

__all__ = ["Judgement"]
