"""An endless evening at one table: random lawful hands, players coming and going."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from daemon.demo.betting import Chips, bet_hand
from daemon.demo.deal import BOARD_AFTER, PREFLOP, RIVER, STREETS, Act, Deal, Show
from daemon.demo.dealing import lawful
from daemon.demo.opening import clockwise
from daemon.demo.ranking import Strength, strength
from daemon.table.cards import DECK
from daemon.table.events import DealingEvent

_BLINDS = (5, 10)  # chips
_STACKS = (60, 200, 400, 1000, 1000, 1500, 3000)  # chips; some short enough to be all-in at once
_ALL_TABLED = 0.5  # how often a run-out is played with the hands face up at a cash table


def evening(rng: random.Random, seat_count: int = 9) -> Iterator[Deal]:
    """Lawful hands without end, for 2 to `seat_count` players, from the seed alone."""
    seats = sorted(rng.sample(range(1, seat_count + 1), rng.randint(2, seat_count)))
    button = rng.choice(seats)
    tournament = rng.random() < 0.3
    for number in count(1):
        yield random_deal(rng, str(number), tuple(seats), button, tournament=tournament)
        seats = _come_and_go(seats, seat_count, rng)
        button = clockwise(tuple(seats), button)[0]


def lawful_evening(rng: random.Random, seat_count: int = 9) -> Iterator[list[DealingEvent]]:
    """The events of an evening, hand by hand, their times never falling."""
    at_ms = 0
    for deal in evening(rng, seat_count):
        events = lawful(deal, rng, at_ms)
        yield events
        at_ms = events[-1].at_ms + rng.randint(1000, 4000)


def random_deal(
    rng: random.Random, hand: str, seats: tuple[int, ...], button: int, *, tournament: bool = False
) -> Deal:
    """One lawful hand for these seats."""
    order = clockwise(seats, button)
    chips = Chips({seat: rng.choice(_STACKS) * rng.randint(5, 10) // 10 for seat in seats})
    chips.live = list(order)
    antes = {seat: chips.pay(seat, 1) for seat in order if tournament}
    small, big, straddle = _posters(order, tournament, rng)
    due = {small: _BLINDS[0], big: _BLINDS[1], straddle: 2 * _BLINDS[1]}
    posted = {seat: chips.pay(seat, blind) for seat, blind in due.items() if seat is not None}
    broke = tuple(seat for seat in sorted(seats) if not chips.behind[seat])
    opener = clockwise(seats, straddle or big)[0]
    acts = bet_hand(chips, order, posted, opener, rng)
    deck = list(DECK)
    rng.shuffle(deck)
    played = Deal(
        hand=hand,
        seats=tuple(sorted(seats)),
        button=button,
        deal_order=order,
        deck=tuple(deck),
        acts=acts,
        board=_board(acts, len(chips.live)),
        blinds={seat: put for seat, put in posted.items() if seat != straddle},
        small_blind=small,
        big_blind=big,
        antes=antes,
        straddles={straddle: posted[straddle]} if straddle else {},
        all_in=broke,
        tournament=tournament,
    )
    return _finished(played, chips, rng)


def _come_and_go(seats: list[int], seat_count: int, rng: random.Random) -> list[int]:
    free = sorted(set(range(1, seat_count + 1)) - set(seats))
    if free and rng.random() < 0.08:
        return sorted([*seats, rng.choice(free)])
    if len(seats) > 2 and rng.random() < 0.06:
        gone = rng.choice(seats)
        return [seat for seat in seats if seat != gone]
    return seats


def _posters(
    order: tuple[int, ...], tournament: bool, rng: random.Random
) -> tuple[int | None, int, int | None]:
    """Small blind, big blind and straddle; a tournament's small blind may be missing."""
    if len(order) == 2:
        return order[1], order[0], None
    if tournament and rng.random() < 0.05:
        return None, order[0], None
    straddled = not tournament and len(order) > 3 and rng.random() < 0.04
    return order[0], order[1], order[2] if straddled else None


def _board(acts: Mapping[str, tuple[Act, ...]], left: int) -> int:
    """How many board cards lie at the end: all of them, or those of the last street acted on."""
    if left > 1:
        return BOARD_AFTER[RIVER]
    return max((BOARD_AFTER[street] for street in STREETS if acts[street]), default=0)


def _finished(deal: Deal, chips: Chips, rng: random.Random) -> Deal:
    """The deal with its showdown: who tables, who mucks, who wins."""
    values = _values(deal, tuple(chips.live))
    winners = _winners(chips, values)
    if len(chips.live) == 1:
        shows = (Show(chips.live[0], deal.board),) if rng.random() < 0.02 else ()
        return replace(deal, winners=winners, shows=shows)
    lying = _closed_at(deal)
    spent = set(deal.all_in) | {a.seat for s in STREETS for a in deal.acts[s] if a.all_in}
    if lying < BOARD_AFTER[RIVER] and (deal.tournament or rng.random() < _ALL_TABLED):
        face_up = tuple(Show(seat, lying) for seat in chips.live)
        return replace(deal, winners=winners, shows=face_up)
    beaten = [
        seat
        for seat in chips.live
        if seat not in winners and seat not in spent and _outdone(deal, values, winners)
    ]
    mucks = tuple(seat for seat in beaten if rng.random() < 0.6)
    tabled = tuple(Show(seat, deal.board) for seat in chips.live if seat not in mucks)
    return replace(deal, winners=winners, shows=tabled, mucks=mucks)


def _values(deal: Deal, live: tuple[int, ...]) -> dict[int, Strength]:
    board = deal.board_cards()
    if len(live) == 1:
        return {live[0]: ()}
    return {seat: strength([*deal.hole(seat), *board]) for seat in live}


def _outdone(deal: Deal, values: Mapping[int, Strength], winners: tuple[int, ...]) -> bool:
    """Whether a winner's hand beats the board, so that a loser may muck without a word."""
    return max(values[seat] for seat in winners) > strength(deal.board_cards())


def _closed_at(deal: Deal) -> int:
    """How many board cards lay when the betting ended."""
    acted = [street for street in STREETS if deal.acts[street]]
    return BOARD_AFTER[acted[-1]] if acted else BOARD_AFTER[PREFLOP]


def _winners(chips: Chips, values: Mapping[int, Strength]) -> tuple[int, ...]:
    """The seats that win the main pot or a side pot, chips nobody met not counted."""
    won: set[int] = set()
    below = 0
    for level in sorted({chips.paid[seat] for seat in chips.live}):
        payers = [seat for seat, paid in chips.paid.items() if paid > below]
        entitled = [seat for seat in chips.live if chips.paid[seat] >= level]
        if len(payers) > 1 or len(chips.live) == 1:
            best = max(values[seat] for seat in entitled)
            won |= {seat for seat in entitled if values[seat] == best}
        below = level
    return tuple(seat for seat in chips.live if seat in won)
