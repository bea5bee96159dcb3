"""A journal gone through again: the alerts that were published come out, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from daemon.alarms.alert import Alert, line
from daemon.signals import Signal
from daemon.transcript import Carried, Entry, Remark, signals


class Line(Protocol):
    """The pure line: a signal in, the alerts that are news because of it out."""

    def step(self, signal: Signal) -> list[Alert]:
        """Take the next signal."""
        ...


class LostPlace(ValueError):  # noqa: N818 - it is what is wrong with the journal
    """A run began where the journal has nothing to begin from."""


class Replay:
    """Takes a journal's entries in order. `make_line` makes a line of what one before it carried.

    Where a run of the program built its line from the last `&` line, this does so too: what the old
    line was told up to there counts no more than it did then.
    """

    def __init__(self, make_line: Callable[[bytes], Line]) -> None:
        self._make_line = make_line
        self._line: Line | None = None
        self._carried: Carried | None = None
        self._since: list[Entry] = []
        self._told: set[bytes] = set()

    def take(self, entry: Entry) -> list[Alert]:
        """The alerts that are news because of this entry; raises LostPlace."""
        if self._line is None:
            self._line = self._make_line(entry.words if isinstance(entry, Carried) else b"")
        if isinstance(entry, Carried):
            self._carried, self._since = entry, []
            self._told.clear()
        alerts = []
        if isinstance(entry, Remark) and entry.since is not None:
            alerts = self._built_anew(entry.since)
        for signal in signals([entry]):
            alerts += self._line.step(signal)
        if self._carried is not None:
            self._since.append(entry)
            self._told.update(line(alert) for alert in alerts)
        return alerts

    def _built_anew(self, since_ms: int) -> list[Alert]:
        """What a line built from the last `&` line has to say that was not said since."""
        if self._carried is None or self._carried.at_ms != since_ms:
            raise LostPlace(f"a run goes on from {since_ms} ms, where nothing is to go on from")
        self._line = self._make_line(self._carried.words)
        return unsaid(self._line, self._since, self._told)


def unsaid(made: Line, entries: list[Entry], said: set[bytes]) -> list[Alert]:
    """Take a line made anew through these entries; the alerts that nobody was told of."""
    alerts = [alert for signal in signals(entries) for alert in made.step(signal)]
    return [alert for alert in alerts if line(alert) not in said]
