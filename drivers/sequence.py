"""The numbers of a line device's events: duplicates dropped, gaps waited for, restarts seen.

Every event has a number, SEQ, 0 to 65535 and round again, and a time T in ms since the device's
power-up, 32 bits and round again; sent again, an event is the same to the byte. A heartbeat has the
last event's number. After a gap the later events are held back until the missing ones have come, or
until it is plain that they will not: two heartbeats later, or when `HELD_MAX` events wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from drivers.readings import Beat, EventsLost, Missing, Reading, Started

SEQ_MODULUS = 1 << 16
T_MODULUS = 1 << 32
RING_EVENTS = 256  # a device can send again its last 256 events, no more
HELD_MAX = 64
BEATS_MAX = 2
DISORDER_MS_MAX = 1000  # a device's tasks may stamp a little out of order; a restart falls further
YOUNG_MS_MAX = 10_000  # heartbeats come each second: what began so lately began while we listened


def steps(first: int, last: int) -> int:
    """How many numbers on from `first` to `last`; negative where `last` lies behind."""
    ahead = (last - first) % SEQ_MODULUS
    return ahead if ahead < SEQ_MODULUS // 2 else ahead - SEQ_MODULUS


def _fell_back(t_ms: int, from_ms: int) -> bool:
    return DISORDER_MS_MAX < (from_ms - t_ms) % T_MODULUS < T_MODULUS // 2


@dataclass(slots=True)
class _Gap:
    """Numbers `first` to `last` did not come in order; `beats` heartbeats have come since."""

    first: int
    last: int
    beats: int = 0


class _Said(Struct, frozen=True):
    """What an event says that waits for its turn."""

    t_ms: int
    readings: tuple[Reading, ...]


class _Span(Struct, frozen=True):
    """The times at which an event may have been stamped."""

    first_ms: int
    last_ms: int

    def holds(self, t_ms: int) -> bool:
        """Whether the time lies in it, across the wrap."""
        return (t_ms - self.first_ms) % T_MODULUS <= (self.last_ms - self.first_ms) % T_MODULUS


class Sequence:
    """Puts events into the order of their numbers; every method returns what can be told now."""

    def __init__(self) -> None:
        """Begin in mid-sequence: the first number heard is taken as it is."""
        self._heard = False
        self._boot = ""
        self._begin(due=0, told_ms=0, top_ms=0)

    def _begin(self, *, due: int, told_ms: int, top_ms: int) -> None:
        self._due = due  # the lowest number not yet told
        self._top = (due - 1) % SEQ_MODULUS  # the highest number known to exist
        self._told_ms = told_ms
        self._top_ms = top_ms
        self._held: dict[int, _Said] = {}
        self._gaps: list[_Gap] = []
        self._past: dict[int, _Span] = {}  # the last numbers told or given up

    def event(self, seq: int, t_ms: int, readings: tuple[Reading, ...]) -> list[Reading]:
        """Take an event: return it and what it set free, or what is missing before it."""
        told: list[Reading] = []
        if not self._heard:
            self._begin(due=seq, told_ms=t_ms, top_ms=t_ms)
        elif seq == self._due and self._is_whole and not _fell_back(t_ms, self._top_ms):
            self._top, self._top_ms = seq, t_ms
            self._tell(t_ms)
            return list(readings)
        elif self._is_of_a_new_run(seq, t_ms):
            told += [*self._restart(t_ms), Started("")]
        self._heard = True
        return told + self._take(seq, t_ms, readings)

    def beat(self, last: int, t_ms: int, beat: Beat) -> list[Reading]:
        """Take a heartbeat: a number beyond the last event's tells of a lost tail."""
        told: list[Reading] = []
        if not self._heard:
            self._begin(due=(last + 1) % SEQ_MODULUS, told_ms=t_ms, top_ms=t_ms)
            self._remember(last, _Span(0, t_ms))
        elif _fell_back(t_ms, self._top_ms) or steps(self._due, last) < -RING_EVENTS:
            told += [*self._restart(t_ms), Started("")]
        self._heard = True
        told += self._age()
        if steps(self._top, last) > 0:
            told += self._miss(last, t_ms)
        self._top_ms = t_ms
        return [*told, beat]

    def hello(self, seq: int, t_ms: int, started: Started) -> list[Reading]:
        """Take the device's introduction, after its power-up or because it was asked."""
        told: list[Reading] = []
        if not self._heard:
            self._begin(due=seq, told_ms=t_ms, top_ms=t_ms)
        elif not self._boot:
            told += self._restart(t_ms) if _fell_back(t_ms, self._told_ms) else []
        elif started.boot != self._boot:
            told += self._restart(t_ms)
        elif steps(self._due, seq) < 0 and self._is_known(seq, t_ms):
            return []
        self._heard = True
        self._boot = started.boot
        return [*told, started, *self._take(seq, t_ms, ())]

    def _restart(self, t_ms: int) -> list[Reading]:
        told = list(self._give_up(self._top))
        self._boot = ""
        self._begin(due=0, told_ms=0, top_ms=t_ms)
        return told

    def _is_of_a_new_run(self, seq: int, t_ms: int) -> bool:
        if steps(self._due, seq) < 0:
            return not self._is_known(seq, t_ms)
        if steps(self._top, seq) > 0:
            return _fell_back(t_ms, self._top_ms)
        return not self._missing_span().holds(t_ms)

    @property
    def _is_whole(self) -> bool:
        """Whether nothing is missing of what is known to exist: as it nearly always is."""
        return not (self._held or self._gaps)

    def _is_known(self, seq: int, t_ms: int) -> bool:
        return seq in self._past and self._past[seq].holds(t_ms)

    def _missing_span(self) -> _Span:
        return _Span(self._told_ms - DISORDER_MS_MAX, self._top_ms + DISORDER_MS_MAX)

    def _take(self, seq: int, t_ms: int, readings: tuple[Reading, ...]) -> list[Reading]:
        if steps(self._due, seq) < 0 or seq in self._held:
            return []
        told: list[Reading] = []
        ahead = steps(self._top, seq)
        if ahead > 1:
            told += self._miss((seq - 1) % SEQ_MODULUS, t_ms)
        if ahead > 0:
            self._top, self._top_ms = seq, t_ms
        self._held[seq] = _Said(t_ms, readings)
        told += self._release()
        while len(self._held) > HELD_MAX:
            told += self._give_up(self._gaps[0].last)
        return told

    def _miss(self, last: int, t_ms: int) -> list[Reading]:
        """Numbers up to `last` are missing: ask for them, unless the device cannot have them."""
        gap = _Gap((self._top + 1) % SEQ_MODULUS, last)
        is_run_unknown = not self._past and t_ms > YOUNG_MS_MAX
        is_too_long = steps(self._top, last) > RING_EVENTS
        self._top = last
        if is_run_unknown or is_too_long:
            return list(self._give_up(last))
        self._gaps.append(gap)
        return [Missing(gap.first, gap.last)]

    def _age(self) -> list[Reading]:
        """A heartbeat has come: tell once more what is missing, then give it up."""
        told: list[Reading] = []
        for gap in tuple(self._gaps):
            gap.beats += 1
            if gap.beats >= BEATS_MAX:
                told += self._give_up(gap.last)
            else:
                first = gap.first if steps(self._due, gap.first) > 0 else self._due
                told.append(Missing(first, gap.last))
        return told

    def _give_up(self, last: int) -> Iterator[Reading]:
        """Tell what is held up to `last` and beyond, and between it what is lost."""
        lost_first = self._due
        while steps(self._due, last) >= 0:
            if self._due in self._held:
                yield from self._release()
                lost_first = self._due
                continue
            self._remember(self._due, self._missing_span())
            self._due = (self._due + 1) % SEQ_MODULUS
            if steps(self._due, last) < 0 or self._due in self._held:
                yield EventsLost(lost_first, (self._due - 1) % SEQ_MODULUS)
        yield from self._release()

    def _release(self) -> list[Reading]:
        told: list[Reading] = []
        while self._due in self._held:
            said = self._held.pop(self._due)
            told += said.readings
            self._tell(said.t_ms)
        self._gaps = [gap for gap in self._gaps if steps(self._due, gap.last) >= 0]
        return told

    def _tell(self, t_ms: int) -> None:
        """The event that is due is told."""
        self._remember(self._due, _Span(t_ms, t_ms))
        self._told_ms = t_ms
        self._due = (self._due + 1) % SEQ_MODULUS

    def _remember(self, seq: int, span: _Span) -> None:
        self._past.pop(seq, None)
        self._past[seq] = span
        if len(self._past) > RING_EVENTS:
            del self._past[next(iter(self._past))]
