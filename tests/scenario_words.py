"""Words of the table language: what a hand is started with, and the keys."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.table import events as dealing


class ScenarioError(Exception):
    """A line of a scenario makes no sense; says file, line and why."""


@dataclass(frozen=True, slots=True)
class Step:
    line: int
    verb: str
    words: tuple[str, ...]


def _amount(word: str) -> tuple[str, int]:
    """`4=2`: seat 4 puts up 2."""
    seat, amount = word.split("=")
    return seat, int(amount)


WITH = {
    "blinds": lambda words: dict(_amount(word) for word in words),
    "straddles": lambda words: dict(_amount(word) for word in words),
    "antes": lambda words: dict(_amount(word) for word in words),
    "dead_seats": lambda words: tuple(map(int, words)),
    "all_in": lambda words: tuple(map(int, words)),
    "deal_order": lambda words: tuple(map(int, words)),
    "big_blind": lambda words: int(words[0]) if words[0] != "none" else None,
    "small_blind": lambda words: int(words[0]) if words[0] != "none" else None,
    "game": lambda words: words[0],
    "deck": lambda words: words[0],
    "level": lambda words: words[0],
    "clock_level": lambda words: words[0],
    "in_break": lambda words: words != ["no"],
    "hand_for_hand": lambda words: words != ["no"],
}
KEYS = {
    "shuffle": dealing.DeckShuffled,
    "cut": dealing.DeckCut,
    "misdeal": dealing.MisdealDeclared,
    "floor": dealing.FloorCalled,
    "refund": dealing.BetsReturned,
    "close": dealing.BettingClosed,
    "premature": dealing.PrematureCalled,
}
