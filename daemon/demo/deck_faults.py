"""Mischief with the deck and at the showdown: no cut, a double, an undeclared board."""

from __future__ import annotations

from dataclasses import replace

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, RIVER
from daemon.demo.deal_faults import MISDEAL, NO_CUT, NO_SHUFFLE, misdeal, shuffled
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import ANY, IGNORED, RAISED, REMEDIED, RIGHT, Mischief, Outcome
from daemon.table.cards import DECK
from daemon.table.events import (
    BetsReturned,
    BoardDeclared,
    CardMoved,
    DeckChanged,
    FloorCalled,
    PotPushed,
)
from daemon.table.places import BURN, SEAT, STUB

UNSUPERVISED = "remedy-unsupervised"
DECLARED = "declared"
_ROYAL = ("Ts", "Js", "Qs", "Ks", "As")  # the board that nobody beats


def _cut_skipped(dealer: Dealer, handling: str) -> Outcome | None:
    dealer.open(cut=False)
    draws = dealer.rng.randint(1, len(dealer.deal.deal_order))
    for draw in range(draws):
        dealer.pitch(dealer.seat_due(draw))
    return misdeal(dealer, handling, "cut-skipped", lambda: dealer.pitch_all(draws))


def _duplicate(dealer: Dealer, handling: str) -> Outcome | None:
    """A second card of one rank and suit comes off the stub (SM-14)."""
    dealer.altered = True
    if handling == IGNORED or (handling == RIGHT and dealer.rng.random() < 0.5):
        if dealer.deal.board < BOARD_AFTER[FLOP]:
            return None
        dealer.advance(PREFLOP)
        dealer.acts(PREFLOP)
        _twin(dealer, dealer.deal.survivors()[0], BURN)
    else:
        dealer.open()
        draw = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order) - 1)
        for earlier in range(draw):
            dealer.pitch(dealer.seat_due(earlier))
        other = dealer.seat_due(dealer.rng.randrange(draw))
        seat = dealer.seat_due(draw)
        _twin(dealer, other, SEAT[seat])
    if handling == IGNORED:
        dealer.board(3)
        dealer.play_on(FLOP)
        return Outcome({"deck-duplicate-card": ANY})  # void, where all but one fold
    new_deck(dealer, handling)
    state = REMEDIED if handling == RIGHT else RAISED
    wrong = {} if handling == RIGHT else {handling: RAISED}
    return Outcome({"deck-duplicate-card": state, **wrong})


def _twin(dealer: Dealer, of_seat: int, to: str) -> None:
    """The top card turns out to be one that a seat holds already."""
    dealer.wait(900, 2000)
    twin = dealer.at(SEAT[of_seat])[0]
    dealer.stub.pop(0)
    dealer.say(CardMoved(at_ms=dealer.now_ms, card=twin, source=STUB, to=to, face="down"))


def new_deck(dealer: Dealer, handling: str) -> None:
    """The floor, everybody's chips back, another deck, and the hand dealt with it (SM-14)."""
    dealer.wait(1000, 3000)
    if handling != UNSUPERVISED:
        dealer.say(FloorCalled(at_ms=dealer.now_ms))
    dealer.wait(5000, 20_000)
    dealer.say(BetsReturned(at_ms=dealer.now_ms, seats=dealer.deal.seats))
    dealer.wait(5000, 20_000)
    dealer.where.clear()
    dealer.stub = list(DECK)
    dealer.rng.shuffle(dealer.stub)
    dealer.say(DeckChanged(at_ms=dealer.now_ms, deck="second", reason="fault"))
    shuffled(dealer, handling)
    dealer.restart()
    dealer.post_again()
    dealer.pitch_all()
    dealer.play_on(PREFLOP)


def _board_undeclared(dealer: Dealer, handling: str) -> Outcome | None:
    """With a board that nobody beats a seat mucks, undeclared, and gets no share."""
    deal = dealer.deal
    spent = {act.seat for acts in deal.acts.values() for act in acts if act.all_in}
    early = {show.seat for show in deal.shows if show.board < BOARD_AFTER[RIVER]}
    careless = [seat for seat in deal.survivors() if seat not in spent | early | {*deal.all_in}]
    if deal.board < BOARD_AFTER[RIVER] or len(deal.survivors()) == 1 or not careless:
        return None
    _lay_royal(dealer)
    dealer.advance(RIVER)
    dealer.acts(RIVER)
    mucker = dealer.rng.choice(careless)
    others = tuple(seat for seat in dealer.live if seat != mucker)
    for seat in others:
        if seat not in dealer.tabled:
            dealer.table(seat)
    dealer.wait(800, 2500)
    if handling == DECLARED:
        dealer.say(BoardDeclared(at_ms=dealer.now_ms, seat=mucker))
        dealer.wait(500, 1500)
    dealer.muck(mucker)
    dealer.wait(1000, 3000)
    shares = tuple(dealer.live) if handling == DECLARED else others
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=shares))
    dealer.end()
    return Outcome({} if handling == DECLARED else {"showdown-board-undeclared": RAISED})


def _lay_royal(dealer: Dealer) -> None:
    """Trades names in the deck so that the board is one that nobody beats."""
    deck = list(dealer.deal.deck)
    spots = [deck.index(card) for card in dealer.deal.board_cards()]
    for here, wanted in zip(spots, _ROYAL, strict=True):
        there = deck.index(wanted)
        deck[here], deck[there] = deck[there], deck[here]
    dealer.deal = replace(dealer.deal, deck=tuple(deck))
    dealer.stub = list(deck)
    dealer.altered = True


DECK_FAULTS = {
    "cut-skipped": Mischief(_cut_skipped, MISDEAL),
    "deck-duplicate-card": Mischief(_duplicate, (RIGHT, IGNORED, UNSUPERVISED, NO_SHUFFLE, NO_CUT)),
    "showdown-board-undeclared": Mischief(_board_undeclared, (IGNORED,), (DECLARED,)),
}
