"""Mischief with cards that do not belong: of another deck, jokers, boxed, marked, missing."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP
from daemon.demo.deal_faults import MISDEAL, NO_CUT, NO_SHUFFLE, misdeal
from daemon.demo.dealing import Dealer
from daemon.demo.deck_faults import UNSUPERVISED, new_deck
from daemon.demo.outcome import (
    ANY,
    CORRECTED,
    IGNORED,
    RAISED,
    REMEDIED,
    RIGHT,
    Mischief,
    Outcome,
)
from daemon.table.events import (
    CardBoxed,
    CardOdd,
    DeckChanged,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    FloorCalled,
)
from daemon.table.places import ASIDE, BURN

FOULED = (RIGHT, IGNORED, UNSUPERVISED, NO_SHUFFLE, NO_CUT)
COVERED = "covered"  # others have their next card already

Kind = Literal["joker", "back", "marked", "other-deck"]


def _odd(dealer: Dealer, card: str, kind: Kind) -> None:
    dealer.wait(200, 600)
    dealer.say(CardOdd(at_ms=dealer.now_ms, card=card, kind=kind, place=dealer.where.get(card)))


def _fouled(dealer: Dealer, handling: str, name: str, kind: Kind) -> Outcome | None:
    """A card of another deck is dealt to a seat, or burned: the deck is fouled (SM-14)."""
    dealer.altered = True
    burned = handling == IGNORED
    if burned:
        if dealer.deal.board < BOARD_AFTER[FLOP]:
            return None
        dealer.advance(PREFLOP)
        dealer.acts(PREFLOP)
        dealer.table_due()
        dealer.burn()
        _odd(dealer, dealer.at(BURN)[0], kind)
        dealer.board(3)
        dealer.play_on(FLOP)
        return Outcome({name: ANY})
    draws = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order))
    card = _dealt(dealer, draws)
    _odd(dealer, card, kind)
    new_deck(dealer, handling)
    wrong = {} if handling == RIGHT else {handling: RAISED}
    return Outcome({name: REMEDIED if handling == RIGHT else RAISED, **wrong})


def _dealt(dealer: Dealer, draws: int) -> str:
    """Opens the hand and pitches so many cards; returns the last."""
    dealer.altered = True
    dealer.open()
    card = ""
    for draw in range(draws):
        card = dealer.pitch(dealer.seat_due(draw))
    return card


def _foreign_back(dealer: Dealer, handling: str) -> Outcome | None:
    return _fouled(dealer, handling, "deck-foreign-back", "back")


def _mixed(dealer: Dealer, handling: str) -> Outcome | None:
    return _fouled(dealer, handling, "deck-mixed", "other-deck")


def _scrapped(dealer: Dealer, card: str, seat: int, following: int, *, covered: bool) -> None:
    """The card goes aside, and the next one, or the one after the deal, takes its place (SM-13).

    `following` is the draw that comes after the card's own.
    """
    dealer.altered = True
    if covered:
        dealer.pitch(dealer.seat_due(following))
    dealer.wait(600, 2500)
    dealer.move(card, ASIDE, "up")
    if not covered:
        dealer.pitch(seat)
    dealer.pitch_all(following + covered)
    if covered:
        dealer.pitch(seat)
    dealer.play_on(PREFLOP)


def _joker(dealer: Dealer, handling: str) -> Outcome | None:
    covered = handling == COVERED
    draws = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order) - covered)
    card = _dealt(dealer, draws)
    _odd(dealer, card, "joker")
    _scrapped(dealer, card, dealer.seat_due(draws - 1), draws, covered=covered)
    return Outcome({"deck-joker": REMEDIED})


def _boxed(dealer: Dealer, handling: str) -> Outcome | None:
    """A card lies face up in the stub; it is pitched all the same, or goes aside at once."""
    draws = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order) - 1)
    _dealt(dealer, draws)
    dealer.wait(200, 400)
    card, seat = dealer.stub[0], dealer.seat_due(draws)
    dealer.say(CardBoxed(at_ms=dealer.now_ms, card=card))
    if handling != CORRECTED:
        dealer.pitch(seat, "up")
    if handling == RIGHT:
        dealer.wait(5500, 9000)
    _scrapped(dealer, card, seat, draws + 1, covered=handling == COVERED)
    return Outcome({"deal-boxed-card": REMEDIED}, self_corrected=handling == CORRECTED)


def _boxed_twice(dealer: Dealer, handling: str) -> Outcome | None:
    draws = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order) - 1)
    _dealt(dealer, draws)
    for card in dealer.stub[:2]:
        dealer.wait(200, 400)
        dealer.say(CardBoxed(at_ms=dealer.now_ms, card=card))
    return misdeal(dealer, handling, "deal-boxed-cards-multiple", lambda: dealer.pitch_all(draws))


def _boxed_at_cut(dealer: Dealer, handling: str) -> Outcome | None:
    dealer.altered = True
    dealer.open()
    dealer.say(CardBoxed(at_ms=dealer.now_ms, card=dealer.stub[-1]))
    if handling == CORRECTED:
        dealer.shuffle()
        dealer.cut()
    else:
        dealer.altered = True
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({} if handling == CORRECTED else {"boxed-card-at-cut": RAISED})


def _marked(dealer: Dealer, handling: str) -> Outcome | None:
    draws = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order))
    card = _dealt(dealer, draws)
    _odd(dealer, card, "marked")
    if handling == RIGHT:
        dealer.wait(500, 1500)
        dealer.say(FloorCalled(at_ms=dealer.now_ms))
    dealer.pitch_all(draws)
    dealer.play_on(PREFLOP)
    return Outcome({"deck-marked-card": REMEDIED if handling == RIGHT else ANY})


def _missing(dealer: Dealer, handling: str) -> Outcome | None:
    """The shuffler counts 51 before the hand."""
    dealer.say(DeckCounted(at_ms=dealer.now_ms, count=51, of="deck", by="shuffler"))
    dealer.altered = True
    dealer.open()
    if handling == RIGHT:
        dealer.say(FloorCalled(at_ms=dealer.now_ms))
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({"deck-missing-card": REMEDIED if handling == RIGHT else ANY})


def _incomplete(dealer: Dealer, handling: str) -> Outcome | None:
    dealer.altered = True
    dealer.open()
    at = next(i for i, event in enumerate(dealer.events) if isinstance(event, DeckShuffled))
    dealer.events[at] = replace(dealer.events[at], complete=False)
    if handling == CORRECTED:
        dealer.shuffle()
        dealer.say(DeckCut(at_ms=dealer.now_ms))
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({} if handling == CORRECTED else {"shuffle-incomplete": RAISED})


def _changed(dealer: Dealer, _handling: str) -> Outcome | None:
    """A player asks for another deck before the hand."""
    dealer.say(DeckChanged(at_ms=dealer.now_ms, deck="second", reason="request"))
    dealer.altered = True
    dealer.open()
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({"deck-change-untimely": RAISED})


ODD_CARDS = {
    "deck-foreign-back": Mischief(_foreign_back, FOULED, at_demo=False),
    "deck-mixed": Mischief(_mixed, FOULED, at_demo=False),
    "deck-joker": Mischief(_joker, (RIGHT, COVERED), at_demo=False),
    "deck-marked-card": Mischief(_marked, (RIGHT, IGNORED), at_demo=False),
    "deck-missing-card": Mischief(_missing, (RIGHT, IGNORED), at_demo=False),
    "shuffle-incomplete": Mischief(_incomplete, (IGNORED,), (CORRECTED,), at_demo=False),
    "boxed-card-at-cut": Mischief(_boxed_at_cut, (IGNORED,), (CORRECTED,), at_demo=False),
    "deck-change-untimely": Mischief(_changed, (IGNORED,), at_demo=False, rulebook="tda-2024"),
    "deal-boxed-card": Mischief(_boxed, (RIGHT, CORRECTED, COVERED), at_demo=False),
    "deal-boxed-cards-multiple": Mischief(_boxed_twice, MISDEAL, at_demo=False),
}
