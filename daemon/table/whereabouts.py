"""Whereabouts: where each card last was, by its tag."""

from __future__ import annotations

from daemon.table.places import STUB


class Whereabouts:
    """The last place of every tag: the stub, until the card was seen to go elsewhere.

    `swept` says that the last hand's cards are being brought in: from a hand's end or beginning, or
    from the collecting, until cards are drawn or a seat acts.
    """

    def __init__(self) -> None:
        self.swept = True
        self._last: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._moved: dict[str, None] = {}
        self._in_hand = False

    def of(self, uid: str) -> str:
        return self._last.get(uid, STUB)

    def outside(self) -> list[str]:
        """The tags that are not in the stub, sorted."""
        return sorted(uid for uid, place in self._last.items() if place != STUB)

    def move(self, uid: str, place: str) -> None:
        self._last[uid] = place
        self._moved[uid] = None

    def begin_hand(self) -> None:
        """Every card is in the stub but those that were moved since the last hand ended."""
        if self._in_hand:
            self._moved.clear()
        self._gather({uid: self._last[uid] for uid in self._moved})
        self._in_hand = True

    def end_hand(self) -> None:
        self._moved.clear()
        self._in_hand = False
        self.swept = True

    def collect(self) -> None:
        """Every card is back in the stub."""
        self._gather({})

    def undo_gathering(self) -> None:
        """The last `begin_hand` or `collect` never was; what moved since then has moved."""
        self._last = self._before | self._last

    def _gather(self, left: dict[str, str]) -> None:
        self._before = self._last
        self._last = left
        self._moved.clear()
        self.swept = True
