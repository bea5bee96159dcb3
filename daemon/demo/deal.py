"""A hand as it was played: seats, the deck's order, every act, and who showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PREFLOP, FLOP, TURN, RIVER = STREETS = ("preflop", "flop", "turn", "river")
BOARD_AFTER: Mapping[str, int] = {PREFLOP: 0, FLOP: 3, TURN: 4, RIVER: 5}
Word = Literal["fold", "check", "call", "bet", "raise"]


@dataclass(frozen=True, slots=True)
class Act:
    """One act in turn; `amount` is the seat's total on the street, None for fold and check."""

    seat: int
    word: Word
    amount: int | None = None
    all_in: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """A seat tables its hand when `board` cards lie."""

    seat: int
    board: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """One lawful hand: `deck` is 52 cards in the order in which they leave the stub.

    The deck holds the burns: with N seats the flop's burn is card 2N (counted from 0), the flop the
    next three, the turn's burn card 2N + 4, and so on. `board` is how many board cards lie at the
    end. `all_in` are the seats whose last chip went into a blind or an ante.
    """

    hand: str
    seats: tuple[int, ...]
    button: int
    deal_order: tuple[int, ...]
    deck: tuple[str, ...]
    acts: Mapping[str, tuple[Act, ...]]
    board: int
    blinds: Mapping[int, int]
    small_blind: int | None
    big_blind: int | None
    antes: Mapping[int, int]
    straddles: Mapping[int, int]
    all_in: tuple[int, ...] = ()
    shows: tuple[Show, ...] = ()
    mucks: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    folds_shown: tuple[int, ...] = ()
    tournament: bool = False

    def hole(self, seat: int) -> tuple[str, str]:
        """The two cards pitched to the seat."""
        turn = self.deal_order.index(seat)
        return self.deck[turn], self.deck[turn + len(self.deal_order)]

    def board_cards(self) -> tuple[str, ...]:
        """The board at the end of the hand, in order."""
        first = 2 * len(self.deal_order) + 1
        spots = (first, first + 1, first + 2, first + 4, first + 6)
        return tuple(self.deck[spot] for spot in spots[: self.board])

    def folded(self) -> frozenset[int]:
        """The seats that fold somewhere in the hand."""
        return frozenset(a.seat for acts in self.acts.values() for a in acts if a.word == "fold")

    def survivors(self) -> tuple[int, ...]:
        """The seats that never fold, in the order of the deal."""
        folded = self.folded()
        return tuple(seat for seat in self.deal_order if seat not in folded)


def stacked(
    deal_order: tuple[int, ...],
    hole: Mapping[int, tuple[str, str]],
    streets: Mapping[str, tuple[str, ...]],
    rest: list[str],
) -> tuple[str, ...]:
    """The deck's order that gives these hands and this board; all else comes off `rest`."""
    deck = [hole[seat][turn] for turn in (0, 1) for seat in deal_order]
    spare = iter(rest)
    for street in (FLOP, TURN, RIVER):
        wanted = streets.get(street, ())
        if wanted:
            deck.append(next(spare))
            deck.extend(wanted)
    deck.extend(spare)
    return tuple(deck)
