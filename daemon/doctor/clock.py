"""The machine's clock: is it set by another one, and can the year be right."""

from __future__ import annotations

import ctypes
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.doctor.findings import NOTE, OK, WARNING, WRONG, Finding

TIMESYNC = Path("/run/systemd/timesync/synchronized")
YEAR_FIRST, YEAR_LAST = 2025, 2099  # no floorcall ran before
STA_UNSYNC = 0x0040  # adjtimex(2)
TIME_ERROR = 5
AHEAD = timedelta(days=1)


class _Timex(ctypes.Structure):
    """The head of the kernel's `struct timex` (adjtimex(2)), and room for what follows."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 512),
    )


def clock(journals: Path, now: datetime | None = None) -> list[Finding]:
    """What is to be said of the clock; journals named in the future show that it was ahead."""
    now = now or datetime.now(UTC)
    shown = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if not YEAR_FIRST <= now.year <= YEAR_LAST:
        return [Finding(WRONG, "clock", "clock-year", facts={"now": shown})]
    found = [_synchronised(shown)]
    limit = f"{now + AHEAD:%Y%m%dT%H%M%SZ}"
    try:
        ahead = sorted(path.name for path in journals.glob("*.journal") if path.name > limit)
    except OSError:
        ahead = []
    if ahead:
        facts = {"journal": ahead[-1], "folder": journals}
        found.append(Finding(WARNING, "clock", "clock-journal-ahead", facts=facts))
    return found


def _synchronised(shown: str) -> Finding:
    state = _kernel_says()
    if state is True or TIMESYNC.exists():
        return Finding(OK, "clock", "clock-ok", facts={"now": shown})
    what = "clock-unknown" if state is None else "clock-unsynchronised"
    return Finding(NOTE if state is None else WARNING, "clock", what, facts={"now": shown})


def _kernel_says() -> bool | None:
    """Whether something keeps the clock right, None where the kernel cannot be asked."""
    try:
        ask = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return None
    timex = _Timex()
    state = ask(ctypes.byref(timex))
    if state < 0:
        return None
    return bool(state != TIME_ERROR and not timex.status & STA_UNSYNC)
