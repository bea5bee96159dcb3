"""The value of five to seven cards: the greater tuple is the stronger hand."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.table.cards import RANKS, SUITS

_VALUE = {r + s: (at, SUITS.index(s)) for at, r in enumerate(RANKS) for s in SUITS}


def strength(cards: Iterable[str]) -> tuple[int, ...]:
    """The strength of the best five of these known cards."""
    count = [0] * 13
    suits = [0] * 4
    for card in cards:
        rank, suit = _VALUE[card]
        count[rank] += 1
        suits[suit] |= 1 << rank
    flush = next((mask for mask in suits if mask.bit_count() >= 5), 0)
    if flush and _straight(flush):
        return (8, _straight(flush))
    groups = sorted(((n, rank) for rank, n in enumerate(count) if n), reverse=True)
    ranks = [rank for _, rank in groups]
    if groups[0][0] == 4:
        return (7, ranks[0], max(ranks[1:]))
    if groups[0][0] == 3 and len(groups) > 1 and groups[1][0] >= 2:
        return (6, ranks[0], ranks[1])
    if flush:
        return (5, *[rank for rank in range(12, -1, -1) if flush >> rank & 1][:5])
    return _without_flush(count, groups, ranks)


def _without_flush(
    count: list[int], groups: list[tuple[int, int]], ranks: list[int]
) -> tuple[int, ...]:
    top = _straight(sum(1 << rank for rank, n in enumerate(count) if n))
    if top:
        return (4, top)
    if groups[0][0] == 3:
        return (3, *ranks[:3])
    if groups[0][0] == 2 and groups[1][0] == 2:
        return (2, ranks[0], ranks[1], max(ranks[2:]))
    return (1, *ranks[:4]) if groups[0][0] == 2 else (0, *ranks[:5])


def _straight(mask: int) -> int:
    """The top rank plus one of a straight in these ranks, 0 if none; the ace also counts low."""
    mask = mask << 1 | mask >> 12 & 1
    return next((top for top in range(13, 3, -1) if mask >> (top - 4) & 31 == 31), 0)
