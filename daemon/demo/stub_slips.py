"""Mischief with burns and stub, and the TDA's own remedies, that no demo table can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from daemon.demo.board_faults import count_of, reach, wrong
from daemon.demo.board_slips import SWEPT_MS, floor, rare, with_acts
from daemon.demo.deal import BOARD_AFTER, FLOP, RIVER, STREETS, TURN
from daemon.demo.deal_faults import shuffled
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import RAISED, REMEDIED, RIGHT, WITHDRAWN, Outcome
from daemon.demo.premature import (
    NO_CUT,
    NO_SHUFFLE,
    UNSUPERVISED,
    before,
    give_up,
    lay_early,
    nobody_all_in,
    stop,
)
from daemon.table.events import CardsScrambled, CardTurned, StubState
from daemon.table.places import BOARD, BURN, MUCK, SEAT, STUB

TDA = "tda-2024"
REBUILT = "rebuilt"


# -- burns ---------------------------------------------------------------------------------------


def _burn_exposed(dealer: Dealer, _handling: str) -> Outcome | None:
    street = dealer.rng.choice(STREETS[1:])
    if not reach(dealer, street):
        return None
    dealer.wait(900, 2500)
    dealer.move(dealer.stub[0], BURN, "up")
    dealer.street(street, burn=False)
    dealer.play_on(street)
    return Outcome({"burn-exposed": RAISED})


def _burn_lost(dealer: Dealer, _handling: str) -> Outcome | None:
    street = with_acts(dealer, FLOP, TURN)
    if street is None:
        return None
    dealer.street(street)
    dealer.wait(1500, 4000)
    dealer.move(dealer.at(BURN)[-1], MUCK)
    dealer.wait(SWEPT_MS)
    floor(dealer)
    dealer.play_on(street)
    return Outcome({"burn-lost-in-muck": REMEDIED})


def _burn_in_hand(dealer: Dealer, _handling: str) -> Outcome | None:
    """A burn is found with a hand, which is dead (SM-17)."""
    street = with_acts(dealer, FLOP, TURN)
    if street is None:
        return None
    dealer.street(street)
    first = dealer.deal.acts[street][0]
    others = [seat for seat in dealer.live if seat not in dealer.broke | {first.seat}]
    if not others or first.word == "fold":
        return None
    seat = dealer.rng.choice(others)
    dealer.wait(1500, 4000)
    dealer.move(dealer.at(BURN)[-1], SEAT[seat])
    dealer.acts(street, 1)
    floor(dealer)
    dealer.muck(seat)
    dealer.live.remove(seat)
    give_up(dealer)
    return Outcome({"burn-in-hand": REMEDIED})


# -- the stub ------------------------------------------------------------------------------------


def _stub_let_go(
    state: Literal["dropped", "down"], name: str
) -> Callable[[Dealer, str], Outcome | None]:
    def commit(dealer: Dealer, _handling: str) -> Outcome | None:
        street = dealer.rng.choice(STREETS[1:])
        if not reach(dealer, street):
            return None
        dealer.wait(500, 2000)
        dealer.say(StubState(at_ms=dealer.now_ms, state=state))
        dealer.wait(1000, 4000)
        dealer.say(StubState(at_ms=dealer.now_ms, state="held"))
        dealer.street(street)
        dealer.play_on(street)
        return Outcome({name: RAISED})

    return commit


def _disordered(dealer: Dealer, handling: str) -> Outcome | None:
    """The stub's order is lost; it can be rebuilt, or is scrambled, shuffled and cut (SM-15)."""
    street = dealer.rng.choice(STREETS[1:])
    if not reach(dealer, street):
        return None
    dealer.wait(500, 2000)
    dealer.say(StubState(at_ms=dealer.now_ms, state="disordered"))
    dealer.wait(2000, 5000)
    if handling == REBUILT:
        dealer.say(StubState(at_ms=dealer.now_ms, state="rebuilt"))
    else:
        dealer.say(CardsScrambled(at_ms=dealer.now_ms, place=STUB))
        shuffled(dealer, handling)
    dealer.street(street)
    dealer.play_on(street)
    return wrong("stub-disordered", RIGHT if handling == REBUILT else handling)


def _mixed(dealer: Dealer, handling: str) -> Outcome | None:
    """Burns or discards join the stub; all that mixed is scrambled, shuffled and cut (SM-15)."""
    street = dealer.rng.choice((TURN, RIVER))
    if not reach(dealer, street):
        return None
    dealer.back_to_stub(dealer.at(MUCK)[-2:] or dealer.at(BURN)[-1:])
    dealer.wait(1000, 3000)
    dealer.say(CardsScrambled(at_ms=dealer.now_ms, place=STUB))
    shuffled(dealer, handling)
    dealer.street(street)
    dealer.play_on(street)
    return wrong("stub-mixed-with-muck", handling)


# -- as the TDA has it ---------------------------------------------------------------------------


def _scrambled(dealer: Dealer, cards: list[str]) -> str:
    """All face down and mixed; the floor takes one of them for the burn."""
    for card in cards:
        dealer.wait(100, 400)
        place = dealer.where[card]
        dealer.say(CardTurned(at_ms=dealer.now_ms, card=card, face="down", place=place))
    dealer.wait(1000, 3000)
    dealer.say(CardsScrambled(at_ms=dealer.now_ms, place=BOARD))
    dealer.wait(1000, 3000)
    burn = dealer.rng.choice(cards)
    dealer.move(burn, BURN, by="floor")
    return burn


def _four_scrambled(dealer: Dealer, handling: str) -> Outcome | None:
    """Four cards on the flop: one of them is the next burn (SM-6)."""
    acted = dealer.deal.acts.get(FLOP) and nobody_all_in(dealer.deal)
    if not acted or not reach(dealer, FLOP):
        return None
    dealer.burn()
    laid = dealer.board(4)
    if handling != UNSUPERVISED:
        floor(dealer)
    burn = _scrambled(dealer, laid)
    for card in laid:
        if card != burn:
            dealer.turn_up(card)
    dealer.acts(FLOP)
    if not dealer.over() and dealer.deal.board >= BOARD_AFTER[TURN]:
        dealer.street(TURN, burn=False)
        dealer.play_on(TURN)
    else:
        stop(dealer)
    return wrong("flop-overcount", handling)


def _three_scrambled(dealer: Dealer, _handling: str) -> Outcome | None:
    """A flop without a burn: one of it is the burn, and the top card joins it (SM-7)."""
    if not nobody_all_in(dealer.deal) or not reach(dealer, FLOP):
        return None
    laid = dealer.board(3)
    burn = _scrambled(dealer, laid)
    laid += dealer.board(1, "down")
    for card in laid:
        if card != burn:
            dealer.turn_up(card)
    dealer.play_on(FLOP)
    return Outcome({"flop-no-burn": REMEDIED})


def _back_and_redealt(street: str) -> Callable[[Dealer, str], Outcome | None]:
    """A premature street goes back, the stub is shuffled before or after the round (RP-5)."""

    def commit(dealer: Dealer, handling: str) -> Outcome | None:
        if not nobody_all_in(dealer.deal) or dealer.deal.board < BOARD_AFTER[street]:
            return None
        laid = lay_early(dealer, street, burn=True)
        if laid is None:
            return None
        dealer.back_to_stub(laid)
        first = dealer.rng.random() < 0.5
        if first and handling != NO_SHUFFLE:
            dealer.shuffle()
        dealer.acts(before(street))
        if dealer.over():
            stop(dealer)
            return _early(street, RIGHT) if handling == RIGHT else None
        if not first and handling != NO_SHUFFLE:
            dealer.shuffle()
        dealer.board(count_of(street))
        dealer.play_on(street)
        return _early(street, handling)

    return commit


def _early(street: str, handling: str) -> Outcome:
    return Outcome({**wrong(f"{street}-premature", handling).found, "burn-premature": WITHDRAWN})


STUB_SLIPS = {
    "burn-exposed": rare(_burn_exposed),
    "burn-lost-in-muck": rare(_burn_lost),
    "burn-in-hand": rare(_burn_in_hand),
    "stub-dropped": rare(_stub_let_go("dropped", "stub-dropped")),
    "stub-set-down-early": rare(_stub_let_go("down", "stub-set-down-early")),
    "stub-disordered": rare(_disordered, RIGHT, REBUILT, NO_SHUFFLE, NO_CUT),
    "stub-mixed-with-muck": rare(_mixed, RIGHT, NO_SHUFFLE, NO_CUT),
    "flop-overcount tda": rare(_four_scrambled, RIGHT, UNSUPERVISED, rulebook=TDA),
    "flop-no-burn tda": rare(_three_scrambled, rulebook=TDA),
    "flop-premature tda": rare(_back_and_redealt(FLOP), RIGHT, NO_SHUFFLE, rulebook=TDA),
    "turn-premature tda": rare(_back_and_redealt(TURN), RIGHT, NO_SHUFFLE, rulebook=TDA),
    "river-premature tda": rare(_back_and_redealt(RIVER), RIGHT, NO_SHUFFLE, rulebook=TDA),
}
