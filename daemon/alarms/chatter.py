"""Chatter: the same fault told again and again within a minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from daemon.alarms.alert import Alert
from daemon.alarms.carried import Run

MINUTE_MS = 60_000

Cause = tuple[str, str]  # irregularity, subject


@dataclass(slots=True)
class _Run:
    """The alerts of one cause that came within a minute of each other; `first` stands for them."""

    first: str
    times_ms: deque[int] = field(default_factory=deque)


class Chatter:
    """Counts the alerts of each cause; bounded by the causes there are, and by the rate."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._runs: dict[Cause, _Run] = {}

    def first(self, alert: Alert, at_ms: int) -> str:
        """The alert that this new one repeats as one too many in a minute, or "" for none."""
        cause = cause_of(alert)
        run = self._runs.get(cause)
        if run is None:
            run = self._runs[cause] = _Run(alert.id)
        while run.times_ms and run.times_ms[0] <= at_ms - MINUTE_MS:
            run.times_ms.popleft()
        if not run.times_ms:
            run.first = alert.id
        run.times_ms.append(at_ms)
        if len(run.times_ms) > self._per_minute:
            run.times_ms.popleft()
        is_many = len(run.times_ms) >= self._per_minute
        return run.first if is_many and run.first != alert.id else ""

    def carried(self, now_ms: int) -> tuple[Run, ...]:
        """What a register made anew must know."""
        runs = [
            Run(*cause, run.first, tuple(run.times_ms))
            for cause, run in self._runs.items()
            if run.times_ms and run.times_ms[-1] > now_ms - MINUTE_MS
        ]
        return tuple(runs)

    def go_on(self, runs: tuple[Run, ...]) -> None:
        """Go on from there."""
        for run in runs:
            self._runs[run.irregularity, run.subject] = _Run(run.first, deque(run.times_ms))

    def begin(self, alert: Alert) -> None:
        """From here this one stands for its cause: the first one does so no more."""
        self._runs[cause_of(alert)].first = alert.id


def cause_of(alert: Alert) -> Cause:
    """What makes two alerts repeats of one."""
    return alert.irregularity, alert.subject
