"""What an alert is called, and when it happened by the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache


def alert_id(hand: tuple[str, str, str], deal: int, what: tuple[str, str], n: int) -> str:
    """`<table>:<journal>:<hand>:<deal>:<irregularity>:<subject>`, with `:2`, `:3` for a repeat.

    `hand` is (table, journal, hand), `what` is (irregularity, subject).
    """
    name = ":".join((*hand, str(deal), *what))
    return name if n == 1 else f"{name}:{n}"


def wall_clock(opened: str | None, at_ms: int) -> str | None:
    """The time of day `at_ms` after `opened` (ISO 8601), in UTC to the ms; None if unknown."""
    start = parsed(opened)
    if start is None:
        return None
    moment = (start + timedelta(milliseconds=at_ms)).replace(tzinfo=None)
    return moment.isoformat(timespec="milliseconds") + "Z"


def journal_name(opened: str) -> str:
    """The opening time as an alert's id has it: `20261129T201331Z`."""
    start = parsed(opened)
    return start.strftime("%Y%m%dT%H%M%SZ") if start else "journal"


@lru_cache(maxsize=16)
def parsed(opened: str | None) -> datetime | None:
    """The moment in UTC, or None where the text is no time."""
    if opened is None:
        return None
    try:
        moment = datetime.fromisoformat(opened)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
