"""Mischief of the initial deal: cards off the table, shown, replaced, too few, skipped, passed."""

from __future__ import annotations

from dataclasses import replace as renamed

from msgspec.structs import replace

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP
from daemon.demo.deal_faults import MISDEAL, TAKES_SINGLE_OVER, as_the_burn, expose, misdeal
from daemon.demo.dealing import Dealer
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
    CardExposed,
    CardMoved,
    CardsCollected,
    Claimed,
    HandEnded,
    HandStarted,
)
from daemon.table.places import OFF, SEAT, STUB

OWN, SINGLE = "player-exposed-own-card", "deal-single-card-exposed"


def _begin(dealer: Dealer, draws: int) -> None:
    """Opens a hand in which nobody shows, and pitches so many cards."""
    dealer.altered = True
    dealer.open()
    for draw in range(draws):
        dealer.pitch(dealer.seat_due(draw))


def _pitches(dealer: Dealer) -> int:
    return 2 * len(dealer.deal.deal_order)


def _second_exposed(dealer: Dealer, handling: str) -> Outcome | None:
    _begin(dealer, 1)
    expose(dealer, dealer.seat_due(1))
    name = "deal-second-card-exposed"
    return misdeal(dealer, handling, name, lambda: dealer.pitch_all(2))


def _off_table(dealer: Dealer, handling: str) -> Outcome | None:
    """A card is dealt off the table: replaced after the deal, and the burn of the flop (SM-1)."""
    draw = dealer.rng.randrange(1, _pitches(dealer))
    seat = dealer.seat_due(draw)
    _begin(dealer, draw)
    dealer.wait(220, 500)
    card = dealer.stub[0]
    dealer.move(card, OFF, by="dealer")
    dealer.pitch_all(draw + 1)
    dealer.pitch(seat)
    return as_the_burn(dealer, handling, card, "deal-card-off-table")


def _flashed(dealer: Dealer, handling: str) -> Outcome | None:
    """A player says that a card of his was seen; it plays."""
    draws = dealer.rng.randrange(1, _pitches(dealer))
    _begin(dealer, draws)
    dealer.wait(100, 500)
    seat = dealer.seat_due(draws - 1)
    if handling == RIGHT:
        dealer.say(Claimed(at_ms=dealer.now_ms, seat=seat, what="exposed"))
    else:
        dealer.say(CardExposed(at_ms=dealer.now_ms, place=SEAT[seat], by="dealer", sure=False))
    dealer.pitch_all(draws)
    dealer.play_on(PREFLOP)
    return Outcome({"deal-card-flashed": RAISED})


def _show(dealer: Dealer) -> tuple[int, str]:
    """Some cards are pitched, and a player shows the last of them."""
    draws = dealer.rng.randrange(1, _pitches(dealer))
    _begin(dealer, draws)
    seat = dealer.seat_due(draws - 1)
    card = dealer.at(SEAT[seat])[-1]
    dealer.wait(100, 500)
    dealer.say(CardExposed(at_ms=dealer.now_ms, place=SEAT[seat], card=card, by="player"))
    dealer.pitch_all(draws)
    return seat, card


def _shown(dealer: Dealer, _handling: str) -> Outcome | None:
    _show(dealer)
    dealer.play_on(PREFLOP)
    return Outcome({OWN: RAISED})


def _undue(dealer: Dealer, handling: str) -> Outcome | None:
    """The dealer gives a further card for one that its player showed."""
    seat, _ = _show(dealer)
    card = dealer.pitch(seat)
    if handling == CORRECTED:
        dealer.altered = True
        dealer.wait(600, 2500)
        dealer.move(card, STUB)
        dealer.play_on(PREFLOP)
        return Outcome({OWN: RAISED, "deal-replacement-undue": ANY}, self_corrected=True)
    dealer.wait(5500, 9000)
    own = {OWN.replace("-", "_"): RAISED}
    return misdeal(dealer, handling, "deal-replacement-undue", lambda: None, **own)


def _replaced_early(dealer: Dealer, handling: str) -> Outcome | None:
    """The exposed card is replaced in mid-deal."""
    draw = dealer.rng.randrange(1, _pitches(dealer) - 1)
    seat = dealer.seat_due(draw)
    if seat == dealer.seat_due(draw + 1):
        return None
    _begin(dealer, draw)
    expose(dealer, seat)
    dealer.pitch(seat)
    dealer.wait(5500, 9000)
    return misdeal(
        dealer,
        handling,
        "deal-replacement-wrong",
        lambda: dealer.pitch_all(draw + 1),
        deal_single_card_exposed=ANY,
    )


def _replacement_exposed(dealer: Dealer, handling: str) -> Outcome | None:
    draw = dealer.rng.randrange(1, _pitches(dealer))
    seat = dealer.seat_due(draw)
    _begin(dealer, draw)
    expose(dealer, seat)
    dealer.pitch_all(draw + 1)
    expose(dealer, seat)
    name = "deal-replacement-exposed"
    return misdeal(dealer, handling, name, lambda: None, **TAKES_SINGLE_OVER)


def _kept(dealer: Dealer, _handling: str) -> Outcome | None:
    """The flop is burned for and laid with the exposed card still at its seat."""
    if dealer.deal.board < BOARD_AFTER[FLOP]:
        return None
    dealer.altered = True
    draw = dealer.rng.randrange(1, _pitches(dealer))
    seat = dealer.seat_due(draw)
    _begin(dealer, draw)
    expose(dealer, seat)
    dealer.pitch_all(draw + 1)
    dealer.pitch(seat)
    dealer.acts(PREFLOP)
    if dealer.over() or seat not in dealer.live:
        return None
    dealer.street(FLOP)
    dealer.play_on(FLOP)
    return Outcome({SINGLE: ANY, "deal-exposed-card-kept": ANY})


def _skipped(dealer: Dealer, handling: str) -> Outcome | None:
    """A seat is passed over in both rounds."""
    order = dealer.deal.deal_order
    if len(order) < 4 or not dealer.deal.acts[PREFLOP]:
        return None
    seat = dealer.rng.choice(order[1:-1])
    dealer.open()
    for draw in range(_pitches(dealer)):
        if dealer.seat_due(draw) != seat:
            dealer.pitch(dealer.seat_due(draw))
    dealer.wait(500, 1500)
    dealer.say(Claimed(at_ms=dealer.now_ms, seat=seat, what="undealt"))
    return misdeal(dealer, handling, "deal-entitled-seat-skipped", lambda: None)


def _too_few(dealer: Dealer, _handling: str) -> Outcome | None:
    """The dealer stops two cards short; who has too few says so and gets his card."""
    if len(dealer.deal.deal_order) < 3:
        return None
    return _stopped_short(dealer, 2, "deal-too-few-cards")


def _short_button(dealer: Dealer, _handling: str) -> Outcome | None:
    """The button has one card and gets the top card (SM-16)."""
    return _stopped_short(dealer, 1, "deal-too-few-button")


def _stopped_short(dealer: Dealer, missing: int, name: str) -> Outcome:
    """The last cards of the deal are pitched only when the first seat without says so."""
    pitched = _pitches(dealer) - missing
    _begin(dealer, pitched)
    dealer.wait(600, 2500)
    seat = dealer.seat_due(pitched)
    dealer.say(Claimed(at_ms=dealer.now_ms, seat=seat, what="short"))
    dealer.pitch_all(pitched)
    dealer.play_on(PREFLOP)
    return Outcome({name: REMEDIED})


def _packet(dealer: Dealer, handling: str) -> Outcome | None:
    """Two cards go to one seat at once."""
    draw = dealer.rng.randrange(1, _pitches(dealer) - 1)
    _begin(dealer, draw)
    seat = dealer.seat_due(draw)
    for _ in (1, 2):
        dealer.pitch(seat)
        event = dealer.events[-1]
        assert isinstance(event, CardMoved)
        dealer.events[-1] = replace(event, packet=1)
    if handling == CORRECTED:
        dealer.altered = True
        dealer.wait(600, 2500)
        dealer.move(dealer.at(SEAT[seat])[-1], STUB)
        dealer.pitch_all(draw + 1)
        dealer.play_on(PREFLOP)
        return Outcome({"deal-packet": ANY}, self_corrected=True)
    dealer.wait(5500, 9000)
    return misdeal(dealer, handling, "deal-packet", lambda: dealer.pitch_all(draw + 1))


def _passed(dealer: Dealer, _handling: str) -> Outcome | None:
    """A hole card goes from one live hand to another and is still there at the next act."""
    if len(dealer.deal.acts[PREFLOP]) < 2 or len(dealer.deal.deal_order) < 3:
        return None
    _begin(dealer, _pitches(dealer))
    acting = [act.seat for act in dealer.deal.acts[PREFLOP]]
    if dealer.deal.acts[PREFLOP][0].word == "fold":
        return None
    others = [seat for seat in dealer.deal.deal_order if seat != acting[0]]
    giver, taker = dealer.rng.sample(others, 2)
    card = dealer.at(SEAT[giver])[0]
    dealer.wait(300, 900)
    dealer.move(card, SEAT[taker], by="player")
    dealer.acts(PREFLOP, 1)
    dealer.wait(100, 200)
    dealer.move(card, SEAT[giver], by="player")
    dealer.play_on(PREFLOP)
    return Outcome({"card-passed": RAISED})


def _untimely(dealer: Dealer, _handling: str) -> Outcome | None:
    dealer.open()
    for at, event in enumerate(dealer.events):
        if isinstance(event, HandStarted):
            dealer.events[at] = replace(event, in_break=True)
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({"hand-dealt-untimely": RAISED})


def _leftover(dealer: Dealer, _handling: str) -> Outcome | None:
    """A card of the hand before still lies at a seat when the deal starts."""
    card, seat = dealer.stub.pop(), dealer.rng.choice(dealer.deal.seats)
    dealer.say(CardsCollected(at_ms=dealer.now_ms, left={card: SEAT[seat]}))
    _begin(dealer, 0)
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({"leftover-card": RAISED})


def _button_stays(dealer: Dealer, handling: str) -> Outcome | None:
    """The button lies where it lay in the hand before."""
    deal = dealer.deal
    if len(deal.seats) < 3 or deal.button not in deal.seats:
        return None
    dealer.say(HandStarted(at_ms=dealer.now_ms, hand="1", button=deal.button, seats=deal.seats))
    dealer.say(HandEnded(at_ms=dealer.now_ms))
    dealer.deal = renamed(deal, hand="2")
    _begin(dealer, 1)
    return misdeal(dealer, handling, "deal-button-misplaced", lambda: dealer.pitch_all(1))


DEAL_SLIPS = {
    "leftover-card": Mischief(_leftover, (IGNORED,), at_demo=False),
    "deal-button-misplaced": Mischief(_button_stays, MISDEAL, at_demo=False),
    "deal-second-card-exposed": Mischief(
        _second_exposed, MISDEAL, at_demo=False, rulebook="robert"
    ),
    "deal-card-off-table": Mischief(_off_table, (RIGHT, "flop-multiple-burns"), at_demo=False),
    "deal-card-flashed": Mischief(_flashed, (RIGHT, IGNORED), at_demo=False),
    OWN: Mischief(_shown, (IGNORED,), at_demo=False),
    "deal-replacement-undue": Mischief(_undue, (*MISDEAL, CORRECTED), at_demo=False),
    "deal-replacement-wrong": Mischief(_replaced_early, MISDEAL, at_demo=False),
    "deal-replacement-exposed": Mischief(_replacement_exposed, MISDEAL, at_demo=False),
    "deal-exposed-card-kept": Mischief(_kept, (IGNORED,), at_demo=False),
    "deal-entitled-seat-skipped": Mischief(_skipped, MISDEAL[:-1], at_demo=False),
    "deal-too-few-cards": Mischief(_too_few, (RIGHT,), at_demo=False),
    "deal-too-few-button": Mischief(_short_button, (RIGHT,), at_demo=False),
    "deal-packet": Mischief(_packet, (*MISDEAL, CORRECTED), at_demo=False),
    "card-passed": Mischief(_passed, (IGNORED,), at_demo=False),
    "hand-dealt-untimely": Mischief(_untimely, (IGNORED,), at_demo=False),
}
