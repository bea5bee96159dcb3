"""Which of several tabled hands is best: the value of five to seven cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from daemon.table.cards import RANKS

_VALUE = {rank: value for value, rank in enumerate(RANKS, start=2)}
_ACE, _FIVE = 14, 5
Strength = tuple[int, ...]


def strength(cards: Iterable[str]) -> Strength:
    """The value of the best five of these cards: greater is better, equal is a split."""
    held = tuple(cards)
    suits = Counter(card[1] for card in held)
    suit, many = suits.most_common(1)[0]
    flush = sorted((_VALUE[c[0]] for c in held if c[1] == suit), reverse=True) if many >= 5 else []
    if flush and (top := _straight(flush)):
        return (8, top)
    counts = Counter(_VALUE[card[0]] for card in held)
    ranks = sorted(counts, key=lambda value: (counts[value], value), reverse=True)
    shape = [counts[value] for value in ranks]
    ordered = sorted(counts, reverse=True)
    if shape[0] == 4:
        return (7, ranks[0], next(value for value in ordered if value != ranks[0]))
    if shape[0] == 3 and len(shape) > 1 and shape[1] >= 2:
        return (6, ranks[0], ranks[1])
    if flush:
        return (5, *flush[:5])
    if top := _straight(ordered):
        return (4, top)
    return _by_pairs(ranks, shape, ordered)


def _by_pairs(ranks: list[int], shape: list[int], ordered: list[int]) -> Strength:
    if shape[0] == 3:
        return (3, ranks[0], *_kickers(ordered, ranks[:1], 2))
    if shape[:2] == [2, 2]:
        return (2, ranks[0], ranks[1], *_kickers(ordered, ranks[:2], 1))
    if shape[0] == 2:
        return (1, ranks[0], *_kickers(ordered, ranks[:1], 3))
    return (0, *ordered[:5])


def _kickers(ordered: list[int], used: list[int], many: int) -> list[int]:
    return [value for value in ordered if value not in used][:many]


def _straight(values: Iterable[int]) -> int:
    """The top of the best straight among the values, 0 for none."""
    have = set(values)
    if _ACE in have:
        have.add(1)
    for top in range(_ACE, _FIVE - 1, -1):
        if all(value in have for value in range(top - 4, top + 1)):
            return top
    return 0
