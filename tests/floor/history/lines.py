"""Lines of alerts as a table would have told them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from daemon.floor.history.rows import milliseconds
from daemon.floor.views import Transition

OPENED = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
OPENED_MS = milliseconds(OPENED)
EVER = 2**52


def line(alert: str = "a1", revision: int = 1, *, at_s: float = 0.0, **more: Any) -> Transition:
    """A line of an alert that became wrong `at_s` seconds after `OPENED`, and was told at once.

    `said` is what its payload says beside; `acknowledged_s` counts from `OPENED` too.
    """
    said = {"at_ms": int(at_s * 1000), "known_ms": int(at_s * 1000), **more.pop("said", {})}
    acknowledged_s = more.pop("acknowledged_s", None)
    told_s = more.pop("told_s", at_s)
    row: dict[str, Any] = {
        "site": "roma",
        "table": "poker-1",
        "audience": "floor",
        "irregularity": "turn-premature",
        "severity": "critical",
        "state": "raised",
        "hand": "12",
        "street": "flop",
        "at": OPENED + timedelta(seconds=at_s),
        "told": OPENED + timedelta(seconds=told_s),
        "late": False,
        "acknowledged_by": None,
        "acknowledged_at": None,
        "verdict": None,
        "level": 1,
        "dealer": None,
        **more,
    }
    if acknowledged_s is not None:
        row["acknowledged_at"] = OPENED + timedelta(seconds=acknowledged_s)
        row["acknowledged_by"] = row["acknowledged_by"] or "anna"
    row.setdefault("payload", json.dumps(said).encode())
    return Transition(alert=alert, revision=revision, **row)
