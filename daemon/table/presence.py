"""Presence: which tag lies at which place, out of polls that flicker and antennas that overhear.

Radio readers lose a resting tag for a poll or two and hear their neighbour's, so that a poll by
itself proves neither an arrival nor a removal. A tag is *there* at an antenna after `seen` of its
last `window` polls and gone after `misses` misses in a row; of several antennas that have it there,
one holds it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from daemon.table.figures import Antenna, Figures
from daemon.table.layout import Layout, Presence

POLLS_MAX = 32  # how many polls back hits are weighed
LEAD_HITS = 2  # by how many hits one of several antennas must lead to have a tag that arrives
TIED_POLLS = 8  # after so many hits the best one has it all the same
REPORTED = Presence(seen=1, window=1, misses=1)  # `Reports` has weighed them already
_MEMORY = (1 << POLLS_MAX) - 1


@dataclass(slots=True)
class _Trace:
    """One tag at one antenna: a bit for each of the last polls, the youngest lowest."""

    polls: int = 0
    misses: int = 0
    there: bool = False

    @property
    def hits(self) -> int:
        return self.polls.bit_count()

    @property
    def fresh(self) -> bool:
        """Whether the last poll hit."""
        return bool(self.polls & 1)

    def age(self, hit: bool, rule: Presence) -> None:
        self.polls = (self.polls << 1 | hit) & _MEMORY
        self.misses = 0 if hit else self.misses + 1
        if self.misses >= rule.misses:
            self.polls = 0
            self.there = False
        elif (self.polls & ((1 << rule.window) - 1)).bit_count() >= rule.seen:
            self.there = True


class Tags:
    """The enrolled tags of a layout on its antennas, or those that are `known` otherwise.

    `figures` takes what is read and missed, and the noise: `unknown-tag`, `unknown-antenna` (per
    sighting), `ghost` (each time a tag comes up at one antenna while another reads it).
    """

    def __init__(
        self, layout: Layout, figures: Figures, known: Container[str] | None = None
    ) -> None:
        self._known = layout.tags if known is None else known
        self._rules = {
            sensor.name: sensor.presence if sensor.polled else REPORTED for sensor in layout.sensors
        }
        self._places = {
            (sensor.name, antenna): place
            for sensor in layout.sensors
            for antenna, place in sensor.places.items()
        }
        self._traces: dict[str, dict[Antenna, _Trace]] = {}
        self._holders: dict[str, Antenna] = {}
        self._figures = figures

    def place(self, uid: str) -> str | None:
        """Where the tag lies, None where no antenna has it."""
        holder = self._holders.get(uid)
        return None if holder is None else self._places[holder]

    def sensor(self, uid: str) -> str | None:
        """The sensor whose antenna has the tag, None where none has."""
        holder = self._holders.get(uid)
        return None if holder is None else holder[0]

    def undecided(self) -> list[str]:
        """The tags that are there while no antenna has them yet, sorted."""
        return sorted(
            uid
            for uid, traces in self._traces.items()
            if uid not in self._holders and any(trace.there for trace in traces.values())
        )

    def nearest(self, uid: str) -> str | None:
        """Where the tag is read best, None where it is not read."""
        traces = self._traces.get(uid, {})
        best = min(traces, key=lambda key: (-traces[key].hits, key), default=None)
        return None if best is None else self._places[best]

    def contested(self, uid: str) -> bool:
        """Whether more than one antenna reads the tag right now."""
        return sum(trace.fresh for trace in self._traces.get(uid, {}).values()) > 1

    def poll(self, sensor: str, tags: tuple[tuple[int, str], ...]) -> list[str]:
        """Take one whole poll of a sensor; return the tags whose place has changed, sorted."""
        hits = frozenset(tags)
        for antenna, uid in sorted(hits):
            key = (sensor, antenna)
            if uid not in self._known:
                self._figures.note(sensor, "unknown-tag")
            elif key not in self._places:
                self._figures.note(sensor, "unknown-antenna")
            elif key not in self._traces.setdefault(uid, {}):
                self._traces[uid][key] = _Trace()
        return [uid for uid in sorted(self._traces) if self._age(uid, sensor, hits)]

    def lost(self, sensor: str) -> None:
        """The sensor is gone: what it holds it keeps until it is back, or another reads it."""
        for traces in self._traces.values():
            for key, trace in traces.items():
                if key[0] == sensor:
                    trace.polls = trace.misses = 0

    def forget(self, uid: str) -> None:
        """Let the tag be seen as if for the first time."""
        self._traces.pop(uid, None)
        self._holders.pop(uid, None)

    def _age(self, uid: str, sensor: str, hits: frozenset[tuple[int, str]]) -> bool:
        """One poll older; whether the tag's place has changed."""
        traces, holder = self._traces[uid], self._holders.get(uid)
        near = [key for key in traces if key[0] == sensor]
        stirred = holder is None or len(traces) > 1
        rule = self._rules[sensor]
        for key in near:
            trace = traces[key]
            was_there, missed = trace.there, trace.misses
            hit = (key[1], uid) in hits
            trace.age(hit, rule)
            if hit and was_there and key == holder and rule is not REPORTED:
                self._figures.read(key, uid, missed)
            stirred = stirred or trace.there != was_there
            if trace.there and not was_there and _overheard(traces, key):
                self._figures.note(sensor, "ghost")
        if not near or not stirred:
            return False
        self._hold(uid)
        now = self._holders.get(uid)
        if now is not None and now != holder:
            self._figures.came(now, uid)
        for key in near:
            if not traces[key].polls and not traces[key].there:
                del traces[key]
        if not traces:
            del self._traces[uid]
        return self.place(uid) != (None if holder is None else self._places[holder])

    def _hold(self, uid: str) -> None:
        """Choose the antenna that holds the tag: its own, or one that hits half as often again.

        Where several read a tag that none holds, one must lead, for some polls at most. Where its
        own has lost it, another must read it now: what it overheard before is no arrival.
        """
        traces = self._traces[uid]
        there = [key for key, trace in traces.items() if trace.there]
        holder = self._holders.pop(uid, None)
        if holder not in there:
            there = [key for key in there if traces[key].fresh]
        if not there:
            return
        best = min(there, key=lambda key: (-traces[key].hits, key))
        hits = traces[best].hits
        if holder in there:
            self._holders[uid] = best if 2 * hits > 3 * traces[holder].hits else holder
            return
        rival = max((trace.hits for key, trace in traces.items() if key != best), default=0)
        if not rival or hits >= rival + LEAD_HITS or hits >= TIED_POLLS:
            self._holders[uid] = best


def _overheard(traces: dict[Antenna, _Trace], key: Antenna) -> bool:
    """Whether an antenna other than this one has the tag and reads it still."""
    return any(trace.there and trace.fresh for other, trace in traces.items() if other != key)
