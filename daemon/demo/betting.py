"""Plausible betting of players who never look at their cards, all of it lawful."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from daemon.demo.deal import PREFLOP, STREETS, Act

_RAISES_MAX = 4  # on one street; the rest call or fold
_FREE_FOLD = 0.003  # folding with nothing to call happens in 24 of 35,893 real hands


@dataclass(slots=True)
class Chips:
    """What the seats have behind and have put in, and who is left; changed as the hand goes on.

    `behind` seat → chips left, `paid` seat → chips put in during the hand, antes included.
    """

    behind: dict[int, int]
    paid: dict[int, int] = field(default_factory=dict)
    live: list[int] = field(default_factory=list)

    def pay(self, seat: int, chips: int) -> int:
        """Puts in what the seat has of these chips; the amount put in."""
        put = min(chips, self.behind[seat])
        self.behind[seat] -= put
        self.paid[seat] = self.paid.get(seat, 0) + put
        return put

    def able(self) -> list[int]:
        """The seats left in the hand with chips behind."""
        return [seat for seat in self.live if self.behind[seat]]


def bet_hand(
    chips: Chips, order: tuple[int, ...], posted: Mapping[int, int], opener: int, rng: random.Random
) -> dict[str, tuple[Act, ...]]:
    """The acts of every street; `posted` are the blinds, `opener` the seat that acts first."""
    acts: dict[str, tuple[Act, ...]] = dict.fromkeys(STREETS, ())
    bet = max(posted.values())
    for street in STREETS:
        turn = order.index(opener) if street == PREFLOP else 0
        put = dict(posted) if street == PREFLOP else {}
        betting = _Round(chips, order[turn:] + order[:turn], put, bet, rng)
        acts[street] = tuple(betting.play(street == PREFLOP))
        if len(chips.live) == 1:
            break
    return acts


class _Round:
    """One betting round."""

    def __init__(
        self,
        chips: Chips,
        order: tuple[int, ...],
        put: dict[int, int],
        blind: int,
        rng: random.Random,
    ) -> None:
        self._chips, self._order, self._put = chips, order, put
        self._blind, self._rng = blind, rng
        self._raises = 0

    def play(self, preflop: bool) -> list[Act]:
        bet = self._blind if preflop else 0
        acts: list[Act] = []
        owing = [seat for seat in self._order if seat in self._chips.able()]
        while owing and len(self._chips.live) > 1:
            seat = owing.pop(0)
            facing = bet - self._put.get(seat, 0)
            if facing <= 0 and len(self._chips.able()) == 1:
                break
            act = self._act(seat, bet, facing, preflop)
            acts.append(act)
            if act.word == "fold":
                self._chips.live.remove(seat)
            if act.amount is not None and act.amount > bet:
                bet = act.amount
                owing = self._others(seat)
        return acts

    def _others(self, seat: int) -> list[int]:
        turn = self._order.index(seat)
        ring = self._order[turn + 1 :] + self._order[:turn]
        return [other for other in ring if other in self._chips.able()]

    def _act(self, seat: int, bet: int, facing: int, preflop: bool) -> Act:
        chance = self._rng.random()
        richer = [other for other in self._others(seat) if other in self._chips.live]
        may_raise = self._raises < _RAISES_MAX and richer and self._chips.behind[seat] > facing
        if facing <= 0:
            if chance < _FREE_FOLD:
                return Act(seat, "fold")
            if chance < 0.62 or not may_raise:
                return Act(seat, "check")
            return self._raise(seat, bet)
        if chance < (0.55 if preflop else 0.4):
            return Act(seat, "fold")
        if chance > 0.86 and may_raise:
            return self._raise(seat, bet)
        return self._pay(seat, "call", facing)

    def _raise(self, seat: int, bet: int) -> Act:
        self._raises += 1
        times = self._rng.choice((2, 2, 3, 3, 4, 1000 if self._rng.random() < 0.3 else 3))
        total = bet * times or self._blind * self._rng.choice((1, 2, 3, 5, 500))
        return self._pay(seat, "raise" if bet else "bet", total - self._put.get(seat, 0))

    def _pay(self, seat: int, word: str, chips: int) -> Act:
        put = self._chips.pay(seat, chips)
        self._put[seat] = self._put.get(seat, 0) + put
        total, broke = self._put[seat], not self._chips.behind[seat]
        if word == "call":
            return Act(seat, "call", total, broke)
        return Act(seat, "raise" if word == "raise" else "bet", total, broke)
