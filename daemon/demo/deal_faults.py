"""Mischief of the initial deal: exposed cards, wrong seats, cards too many, and the misdeal."""

from __future__ import annotations

from collections.abc import Callable

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, TURN
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import (
    ANY,
    CORRECTED,
    IGNORED,
    RAISED,
    REMEDIED,
    RIGHT,
    WITHDRAWN,
    Mischief,
    Outcome,
)
from daemon.table.events import CardExposed, MisdealDeclared
from daemon.table.places import ASIDE, BURN, SEAT, STUB

SECOND_BURN = "flop-multiple-burns"
NO_SHUFFLE, NO_CUT, TOO_LATE = "remedy-no-shuffle", "remedy-no-cut", "remedy-misdeal-too-late"
MISDEAL = (RIGHT, IGNORED, NO_SHUFFLE, NO_CUT, TOO_LATE)
TAKES_SINGLE_OVER = {"deal_single_card_exposed": WITHDRAWN}
_ACTS_OF_TOO_LATE = 3  # two acts shut the window (rules.md 2.0); one more for good measure

Rest = Callable[[], None]


def misdeal(dealer: Dealer, handling: str, name: str, rest: Rest, **others: str) -> Outcome | None:
    """From a fault that calls for a misdeal to the end of the hand; `rest` deals what is owed."""
    dealer.altered = True
    found = {name: RAISED, **{other.replace("_", "-"): state for other, state in others.items()}}
    if handling == IGNORED:
        rest()
        dealer.play_on(PREFLOP)
        shut = len(dealer.deal.acts[PREFLOP]) > 2 or dealer.deal.board  # two acts, and a third
        return Outcome(found if shut else found | {name: ANY})
    if handling == TOO_LATE:
        if len(dealer.deal.acts[PREFLOP]) <= _ACTS_OF_TOO_LATE:
            return None
        rest()
        dealer.acts(PREFLOP, _ACTS_OF_TOO_LATE)
    elif dealer.rng.random() < 0.5:
        rest()
    if dealer.rng.random() < 0.7:
        dealer.wait(1000, 5000)
        dealer.say(MisdealDeclared(at_ms=dealer.now_ms))
    dealer.collect()
    shuffled(dealer, handling)
    dealer.restart()
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome(found | ({name: REMEDIED} if handling == RIGHT else {handling: RAISED}))


def shuffled(dealer: Dealer, handling: str = RIGHT) -> None:
    """The stub is shuffled and cut, or not, as `handling` says."""
    if handling != NO_SHUFFLE:
        dealer.shuffle()
    if handling not in (NO_SHUFFLE, NO_CUT):
        dealer.cut()


def expose(dealer: Dealer, seat: int) -> str:
    """Pitches a card whose face is seen by the dealer's fault."""
    seen = dealer.rng.choice(("pitched", "key", "camera"))
    card = dealer.pitch(seat, "up" if seen == "pitched" else "down")
    if seen != "pitched":
        dealer.wait(100, 200)
        dealer.say(
            CardExposed(
                at_ms=dealer.now_ms,
                place=SEAT[seat],
                card=card if seen == "camera" else None,
                by="dealer",
            )
        )
    return card


def _begin(dealer: Dealer, draws: int) -> None:
    dealer.open()
    for draw in range(draws):
        dealer.pitch(dealer.seat_due(draw))


def _first_exposed(dealer: Dealer, handling: str) -> Outcome | None:
    _begin(dealer, 0)
    expose(dealer, dealer.seat_due(0))
    return misdeal(dealer, handling, "deal-first-card-exposed", lambda: dealer.pitch_all(1))


def _several_exposed(dealer: Dealer, handling: str) -> Outcome | None:
    last = 2 * len(dealer.deal.deal_order) - 1
    first, second = sorted(dealer.rng.sample(range(1, last + 1), 2))
    _begin(dealer, first)
    expose(dealer, dealer.seat_due(first))
    for draw in range(first + 1, second):
        dealer.pitch(dealer.seat_due(draw))
    expose(dealer, dealer.seat_due(second))
    name, rest = "deal-multiple-cards-exposed", lambda: dealer.pitch_all(second + 1)
    return misdeal(dealer, handling, name, rest, **TAKES_SINGLE_OVER)


def _single_exposed(dealer: Dealer, handling: str) -> Outcome | None:
    """SM-1: the seat gets the first card after the deal, the exposed one is the burn."""
    draw = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order))
    seat = dealer.seat_due(draw)
    _begin(dealer, draw)
    card = expose(dealer, seat)
    moment = dealer.rng.choice(("at once", "before replacing", "after replacing"))
    spot = dealer.rng.choice((BURN, ASIDE, STUB) if moment == "after replacing" else (BURN, ASIDE))
    if moment == "at once":
        _lay(dealer, card, spot)
    dealer.pitch_all(draw + 1)
    if moment == "before replacing":
        _lay(dealer, card, spot)
    dealer.pitch(seat)
    if moment == "after replacing":
        _lay(dealer, card, spot)
    return as_the_burn(dealer, handling, card, "deal-single-card-exposed")


def _lay(dealer: Dealer, card: str, spot: str) -> None:
    dealer.wait(300, 900)
    dealer.move(card, spot)


def as_the_burn(dealer: Dealer, handling: str, card: str, name: str) -> Outcome | None:
    """The card is the one burn of the flop (SM-1, SM-3); `second burn` burns another."""
    dealer.altered = True
    reaches_turn = dealer.deal.board >= BOARD_AFTER[TURN] and dealer.deal.acts[FLOP]
    if handling == SECOND_BURN and not reaches_turn:
        return None
    dealer.acts(PREFLOP)
    if not dealer.over():
        dealer.table_due()
        if card not in dealer.at(BURN):
            dealer.wait(500, 1500)
            dealer.move(card, BURN)
        if handling == SECOND_BURN:
            again = dealer.burn()
            dealer.board(3)
            dealer.acts(FLOP)
            dealer.burn_again(again, TURN)
            return Outcome({name: ANY, SECOND_BURN: REMEDIED})
        dealer.board(3)
        dealer.play_on(FLOP)
        return Outcome({name: REMEDIED}, self_corrected=handling == CORRECTED)
    dealer.showdown()
    dealer.end()
    return Outcome({name: REMEDIED}, self_corrected=handling == CORRECTED)


def _extra_last(dealer: Dealer, handling: str, seat: int, name: str) -> Outcome | None:
    """SM-3: one card too many, the last off the deck, comes back as the burn."""
    dealer.open()
    dealer.pitch_all()
    card = dealer.pitch(seat)
    dealer.wait(800, 2500) if handling == CORRECTED else dealer.wait(5500, 9000)
    _lay(dealer, card, dealer.rng.choice((BURN, ASIDE, STUB)))
    return as_the_burn(dealer, handling, card, name)


def _extra_first(dealer: Dealer, handling: str) -> Outcome | None:
    first = dealer.seat_due(0)
    return _extra_last(dealer, handling, first, "deal-extra-card-first-player")


def _extra_other(dealer: Dealer, handling: str) -> Outcome | None:
    name, order = "deal-extra-card-other", dealer.deal.deal_order
    if handling in (CORRECTED, SECOND_BURN) or (handling == RIGHT and dealer.rng.random() < 0.5):
        return _extra_last(dealer, handling, dealer.rng.choice(order[1:]), name)
    draw = dealer.rng.randrange(len(order), 2 * len(order) - 1)
    _begin(dealer, draw + 1)
    dealer.pitch(dealer.seat_due(draw))
    return misdeal(dealer, handling, name, lambda: dealer.pitch_all(draw + 1))


def _several_extra(dealer: Dealer, handling: str) -> Outcome | None:
    dealer.open()
    dealer.pitch_all()
    for turn in (0, dealer.rng.randrange(len(dealer.deal.deal_order))):
        dealer.pitch(dealer.seat_due(turn))
    return misdeal(dealer, handling, "deal-multiple-extra-cards", lambda: None)


def _wrong_first_seat(dealer: Dealer, handling: str) -> Outcome | None:
    _begin(dealer, 0)
    dealer.pitch(dealer.seat_due(1))

    def rest() -> None:
        for draw in range(2, 2 * len(dealer.deal.deal_order) + 1):
            dealer.pitch(dealer.seat_due(draw))

    return misdeal(dealer, handling, "deal-wrong-first-seat", rest)


def _out_of_sequence(dealer: Dealer, handling: str) -> Outcome | None:
    draw = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order) - 1)
    due, other = dealer.seat_due(draw), dealer.seat_due(draw + 1)
    _begin(dealer, draw)
    card = dealer.pitch(other)
    if handling == CORRECTED:
        dealer.altered = True
        dealer.wait(600, 2500)
        dealer.move(card, SEAT[due])
        dealer.pitch_all(draw + 1)
        dealer.play_on(PREFLOP)
        return Outcome({"deal-out-of-sequence": ANY}, self_corrected=True)

    def rest() -> None:
        dealer.pitch(due)
        dealer.pitch_all(draw + 2)

    return misdeal(dealer, handling, "deal-out-of-sequence", rest)


def _unentitled(dealer: Dealer, handling: str) -> Outcome | None:
    empty = sorted(set(range(1, 11)) - set(dealer.deal.seats))
    if not empty:
        return None
    draw = dealer.rng.randrange(1, 2 * len(dealer.deal.deal_order))
    _begin(dealer, draw)
    dealer.pitch(dealer.rng.choice(empty))
    return misdeal(dealer, handling, "deal-unentitled-seat", lambda: dealer.pitch_all(draw))


DEAL_FAULTS = {
    "deal-first-card-exposed": Mischief(_first_exposed, MISDEAL),
    "deal-single-card-exposed": Mischief(_single_exposed, (RIGHT, SECOND_BURN)),
    "deal-multiple-cards-exposed": Mischief(_several_exposed, MISDEAL),
    "deal-wrong-first-seat": Mischief(_wrong_first_seat, MISDEAL),
    "deal-out-of-sequence": Mischief(_out_of_sequence, (*MISDEAL, CORRECTED)),
    "deal-unentitled-seat": Mischief(_unentitled, MISDEAL),
    "deal-extra-card-first-player": Mischief(_extra_first, (RIGHT, CORRECTED, SECOND_BURN)),
    "deal-extra-card-other": Mischief(_extra_other, (*MISDEAL, CORRECTED, SECOND_BURN)),
    "deal-multiple-extra-cards": Mischief(_several_extra, MISDEAL),
}
