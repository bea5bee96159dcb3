"""Cards by name: rank and suit (`Td`), or `?n` for a physical card whose identity nobody knows."""

from __future__ import annotations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARDS = frozenset(DECK)


def is_known(card: str) -> bool:
    """Whether the name tells rank and suit."""
    return card in CARDS
