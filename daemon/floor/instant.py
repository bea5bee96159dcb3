"""The time, told to whoever needs it: by the clock on the wall, and by one that is never set."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment: `at` in UTC for people, `s` monotonic seconds for ages and deadlines."""

    at: datetime
    s: float


def now() -> Instant:
    """This moment."""
    return Instant(datetime.now(UTC), time.monotonic())


def iso(at: datetime) -> str:
    """As it is told to a browser: UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(said: str) -> datetime | None:
    """The moment that a table means by this, None where it is none."""
    try:
        at = datetime.fromisoformat(said)
        return at.astimezone(UTC) if at.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
