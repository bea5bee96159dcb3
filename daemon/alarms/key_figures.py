"""The daemon's own measure of its alarms: how often they disturb people, and how they are met.

What counts is what the floor is called for. All figures are over the last `WINDOW_MS`, a shift,
and kept as times, of which there is room for `TIMES_MAX` of a kind: more than that no people meet.
"""

from __future__ import annotations

from collections import Counter, deque
from statistics import median
from typing import Generic, TypeVar

from daemon.alarms.chatter import Cause
from daemon.payloads import AlarmFigures, Commonest
from daemon.rules.parameters import Parameters

WINDOW_MS = 8 * 3_600_000
TEN_MINUTES_MS = 600_000
TIMES_MAX = 2_000


Item = TypeVar("Item")


class _Past(Generic[Item]):
    """What happened in the window, oldest first."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, Item]] = deque(maxlen=TIMES_MAX)

    def add(self, at_ms: int, item: Item) -> None:
        while self._kept and self._kept[0][0] <= at_ms - WINDOW_MS:
            self._kept.popleft()
        self._kept.append((at_ms, item))

    def since(self, at_ms: int) -> list[Item]:
        """What came after that time."""
        return [item for came_ms, item in self._kept if came_ms > at_ms]

    def has(self, count: int, since_ms: int) -> bool:
        """Whether so many came after that time."""
        kept = self._kept
        return count <= 0 or (len(kept) >= count and kept[-count][0] > since_ms)


class KeyFigures:
    """The figures of one table: told what happens, when it happens."""

    def __init__(self, house: Parameters) -> None:
        self._house = house
        self._raised = _Past[str]()
        self._hands = _Past[None]()
        self._repeats = _Past[Cause]()
        self._withdrawn = _Past[None]()
        self._escalated = _Past[None]()
        self._answered = _Past[int]()
        self._flood_ms: int | None = None

    # --- what happens ---

    def raised(self, at_ms: int, irregularity: str) -> None:
        """The floor is called."""
        self._settle(at_ms)
        self._raised.add(at_ms, irregularity)
        many = self._house.flood_start_in_10_min + 1
        if self._flood_ms is None and self._raised.has(many, at_ms - TEN_MINUTES_MS):
            self._flood_ms = at_ms

    def hand_over(self, at_ms: int) -> None:
        """A hand has ended."""
        self._hands.add(at_ms, None)

    def repeated(self, at_ms: int, cause: Cause) -> None:
        """An alert was one too many in a minute, and collapsed."""
        self._repeats.add(at_ms, cause)

    def withdrawn(self, at_ms: int) -> None:
        """The floor was called for nothing: the facts turned out otherwise."""
        self._withdrawn.add(at_ms, None)

    def escalated(self, at_ms: int) -> None:
        """Nobody looked, and an alert was raised again for the first time."""
        self._escalated.add(at_ms, None)

    def acknowledged(self, at_ms: int, took_ms: int) -> None:
        """Somebody acknowledged an alert, so long after it had been raised."""
        self._answered.add(at_ms, took_ms)

    # --- what comes of it ---

    def payload(self, now_ms: int, standing: int, stale: int) -> AlarmFigures:
        """What is published under `figures`; how many alerts stand now, and of these too long."""
        self._settle(now_ms)
        begin_ms = now_ms - WINDOW_MS
        raised, answered = self._raised.since(begin_ms), self._answered.since(begin_ms)
        hands = len(self._hands.since(begin_ms))
        chatter = self._repeats.since(begin_ms)
        window_ms = min(now_ms, WINDOW_MS)
        return {
            "v": 1,
            "window_ms": window_ms,
            "hands": hands,
            "alerts": len(raised),
            "per_10_min": _share(len(raised) * TEN_MINUTES_MS, max(window_ms, TEN_MINUTES_MS)),
            "per_100_hands": _share(len(raised) * 100, hands),
            "commonest": _commonest(raised),
            "chattering": len(set(chatter)),
            "repeats": len(chatter),
            "standing": standing,
            "stale": stale,
            "acknowledged": {
                "count": len(answered),
                "median_ms": round(median(answered)) if answered else None,
                "worst_ms": max(answered, default=None),
            },
            "withdrawn": _share(len(self._withdrawn.since(begin_ms)), len(raised)),
            "escalated": len(self._escalated.since(begin_ms)),
            "flood": self._flood_ms is not None,
            "flood_ms": self._flood_ms,
        }

    def troubles(self, now_ms: int) -> tuple[str, ...]:
        """What is worth a warning, in words."""
        self._settle(now_ms)
        found = []
        if self._flood_ms is not None:
            found.append(f"alerts: flood, more than {self._house.flood_start_in_10_min} in 10 min")
        bearable = self._house.budget_in_10_min * WINDOW_MS / TEN_MINUTES_MS
        if bearable and self._raised.has(int(bearable) + 1, now_ms - WINDOW_MS):
            found.append(f"alerts: over budget, more than {bearable:g} in 8 h")
        return tuple(found)

    def _settle(self, now_ms: int) -> None:
        """A flood ends when few alerts came in ten minutes."""
        many = self._house.flood_end_in_10_min
        if not self._raised.has(many, now_ms - TEN_MINUTES_MS):
            self._flood_ms = None


def _share(part: int, whole: int) -> float | None:
    """To three places, as every machine rounds it; None of nothing."""
    return round(part / whole, 3) if whole else None


def _commonest(raised: list[str]) -> Commonest | None:
    """The irregularity told most often, the first of the alphabet among equals."""
    if not raised:
        return None
    counts = Counter(raised)
    name = min(counts, key=lambda each: (-counts[each], each))
    return {"irregularity": name, "share": _share(counts[name], len(raised))}
