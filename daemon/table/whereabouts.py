"""Whereabouts: where each card last was, by its tag."""

from __future__ import annotations

from daemon.table.places import STUB


class Whereabouts:
    """The last place of every tag: the stub, until the card was seen to go elsewhere.

    `swept`: the last hand's cards are being brought in, from a hand's end or the collecting on
    until a card is drawn, leaves the shuffled stub, or a seat acts.
    """

    def __init__(self) -> None:
        self.swept = True
        self.in_hand = False
        self._shuffled = False
        self._last: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._moved: dict[str, None] = {}

    def of(self, uid: str) -> str:
        return self._last.get(uid, STUB)

    def outside(self) -> list[str]:
        """The tags that are not in the stub, sorted."""
        return sorted(uid for uid, place in self._last.items() if place != STUB)

    def move(self, uid: str, place: str) -> None:
        if self._shuffled and self.of(uid) == STUB:
            self.swept = False
        self._last[uid] = place
        self._moved[uid] = None

    @property
    def washed(self) -> bool:
        """Whether what disappears went into the shuffle for the next hand: readers are slow."""
        return self.swept and self._shuffled

    def shuffle(self) -> None:
        self._shuffled = True

    def begin_hand(self) -> None:
        """Every card is in the stub but those that were moved since the last hand ended."""
        self._gather({uid: self._last[uid] for uid in self._moved})
        self.in_hand = True

    def end_hand(self) -> None:
        self._moved.clear()
        self.in_hand = False
        self._sweep()

    def collect(self) -> None:
        """Every card is back in the stub."""
        self._gather({})
        self._sweep()

    def undo_gathering(self) -> None:
        """The last `begin_hand` or `collect` never was; what moved since then has moved."""
        self._last = self._before | self._last

    def _gather(self, left: dict[str, str]) -> None:
        self._before = self._last
        self._last = left
        self._moved.clear()

    def _sweep(self) -> None:
        self.swept = True
        self._shuffled = False
