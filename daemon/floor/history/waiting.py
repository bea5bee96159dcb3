"""What is not written yet, in its order: so much at most, and whoever says most loses first.

A database that is away for long must not cost the memory that all else needs; and a table that says
very much meanwhile takes the place of its own lines, not of another's or of what people did.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator

from daemon.floor.history.statements import Deed, Line, Work

BYTES_MAX = 64 << 20
LIGHT = 512  # bytes, about, of whatever brings no payload

Whose = tuple[str, str]
PEOPLE: Whose = ("", "")


class Waiting:
    """Work that waits; at most `most` things and `bytes_max` of them."""

    def __init__(self, most: int, bytes_max: int = BYTES_MAX) -> None:
        self._most = most
        self._bytes_max = bytes_max
        self._number = 0
        self._work: OrderedDict[int, Work] = OrderedDict()
        self._by_whom: dict[Whose, deque[int]] = {}
        self._weights: dict[Whose, int] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._work)

    def __iter__(self) -> Iterator[Work]:
        """All of it, the oldest first."""
        return iter(self._work.values())

    def put(self, work: Work, *, besides: int = 0) -> int:
        """One thing more; how many are lost by it. `besides` are under way, and count as well."""
        self._number += 1
        whose, weight = whose_is(work), weight_of(work)
        self._work[self._number] = work
        self._by_whom.setdefault(whose, deque()).append(self._number)
        self._weights[whose] = self._weights.get(whose, 0) + weight
        self._bytes += weight
        lost = 0
        while self._work and (len(self) + besides > self._most or self._bytes > self._bytes_max):
            heaviest = max(self._weights, key=self._weights.__getitem__)
            self._take(self._by_whom[heaviest][0])
            lost += 1
        return lost

    def take(self, most: int) -> list[Work]:
        """The oldest ones, which wait no more."""
        oldest = [number for number, _ in zip(self._work, range(most), strict=False)]
        return [self._take(number) for number in oldest]

    def _take(self, number: int) -> Work:
        work = self._work.pop(number)
        whose, weight = whose_is(work), weight_of(work)
        self._by_whom[whose].popleft()  # the oldest of all is its owner's oldest
        self._weights[whose] -= weight
        self._bytes -= weight
        if not self._by_whom[whose]:
            del self._by_whom[whose], self._weights[whose]
        return work


def whose_is(work: Work) -> Whose:
    """The site and table that a thing is about; people's deeds are together."""
    match work:
        case Deed():
            return PEOPLE
        case Line(transition):
            return transition.site, transition.table
        case _:
            return work.site, work.table


def weight_of(work: Work) -> int:
    """The bytes that it takes, about."""
    return LIGHT + (len(work.transition.payload) if isinstance(work, Line) else 0)
