"""Mischief with shuffle, cut, count and shoe that only a strict house, or a further sensor, tells.

The shipped books leave faces in the shuffle, the bottom of the stub and the size of a cut alone; a
house of that name minds them (tests/houses).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from daemon.demo.deal import PREFLOP
from daemon.demo.deal_faults import NO_CUT
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import CORRECTED, IGNORED, RAISED, REMEDIED, RIGHT, Mischief, Outcome
from daemon.table.cards import DECK
from daemon.table.events import (
    CardDrawn,
    CardExposed,
    CardMoved,
    DealingEvent,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    HandEnded,
    HandStarted,
)
from daemon.table.places import STUB

STRICT = "strict"
BY_DEALER = "by the dealer"  # whose counts concern people only when two hands running are wrong
NEVER_DRAWN = "never drawn"  # a card comes of which the shoe has not told
_LEAST_CUT = 10  # cut_min_cards (N.J.A.C. 13:69F-14.5)


def _play(dealer: Dealer, pitched: int = 0) -> None:
    """The hand as it was, from so many pitches on."""
    dealer.altered = True
    dealer.pitch_all(pitched)
    dealer.play_on(PREFLOP)


def _last_cut(dealer: Dealer, cut: Callable[[DeckCut], DeckCut]) -> None:
    """What is known of the cut that was made before the deal."""
    cuts = [at for at, event in enumerate(dealer.events) if isinstance(event, DeckCut)]
    event = dealer.events[cuts[-1]]
    assert isinstance(event, DeckCut)
    dealer.events[cuts[-1]] = cut(event)


def _short_cut(dealer: Dealer, handling: str) -> Outcome | None:
    """A packet of too few cards is cut; cut again before the first card it is nothing."""
    dealer.open()
    few = dealer.rng.randrange(1, _LEAST_CUT)
    _last_cut(dealer, lambda event: replace(event, cut_cards=few))
    if handling == CORRECTED:
        dealer.cut()
        _last_cut(dealer, lambda event: replace(event, cut_cards=_LEAST_CUT + few))
    _play(dealer)
    return Outcome({} if handling == CORRECTED else {"cut-short": RAISED})


def _bottom_seen(dealer: Dealer, handling: str) -> Outcome | None:
    """The bottom of the stub shows, or the cut card is gone: the rest is cut in mid-deal."""
    dealer.open()
    pitched = 0
    if dealer.rng.random() < 0.5:
        _last_cut(dealer, lambda event: replace(event, cut_card=False))
    else:
        pitched = dealer.rng.randrange(2 * len(dealer.deal.deal_order) - 1)
        for draw in range(pitched):
            dealer.pitch(dealer.seat_due(draw))
        dealer.wait(100, 200)
        seen = dealer.stub[-1]
        where = CardExposed(at_ms=dealer.now_ms, place=STUB, card=seen, by="dealer", spot="bottom")
        dealer.say(where)
    if handling == CORRECTED:
        dealer.cut()
    elif handling == RIGHT:
        dealer.pitch(dealer.seat_due(pitched))
        dealer.cut()
        pitched += 1
    _play(dealer, pitched)
    name = "deck-cut-card-exposed"
    if handling == CORRECTED:
        return Outcome({})
    return Outcome({name: REMEDIED} if handling == RIGHT else {name: RAISED, NO_CUT: RAISED})


def _face_in_shuffle(dealer: Dealer, handling: str) -> Outcome | None:
    """A face is seen while the deck is shuffled; washed and shuffled again it is nothing."""
    dealer.open()
    seen = dealer.rng.choice(dealer.stub)
    dealer.say(CardExposed(at_ms=dealer.now_ms, place=STUB, card=seen, by="dealer"))
    if handling == CORRECTED:
        dealer.shuffle()
        dealer.cut()
    _play(dealer)
    return Outcome({} if handling == CORRECTED else {"shuffle-card-exposed": RAISED})


def _miscounted(dealer: Dealer, handling: str) -> Outcome | None:
    """A card too many is counted: the shuffler's word at once, the dealer's the second time."""
    many = len(DECK) + dealer.rng.randint(1, 3)
    if handling == IGNORED:
        dealer.say(DeckCounted(at_ms=dealer.now_ms, count=many, by="shuffler"))
    if handling == BY_DEALER:
        deal = dealer.deal
        before = HandStarted(at_ms=0, hand="before", button=deal.button, seats=deal.seats)
        for event in (before, DeckCounted(at_ms=0, count=many, by="dealer"), HandEnded(at_ms=0)):
            dealer.say(replace(event, at_ms=dealer.now_ms))
    if handling != IGNORED:
        dealer.say(DeckCounted(at_ms=dealer.now_ms, count=many, by="dealer"))
    dealer.open()
    _play(dealer)
    return Outcome({} if handling == CORRECTED else {"count-mismatch-at-end": RAISED})


# -- the shoe ------------------------------------------------------------------------------------


def _out_of_order(dealer: Dealer, handling: str) -> Outcome | None:
    """The shoe tells each card with its number, and one of them is missing."""
    dealer.open()
    _play(dealer)
    draws = [at for at, event in enumerate(dealer.events) if _is_draw(event)]
    broken = dealer.rng.choice(draws[1:-1])
    if handling == CORRECTED:  # the message is asked for again
        dealer.events[:] = _told_by_shoe(dealer.events, again=broken)
        return Outcome({})
    if handling == NEVER_DRAWN:
        dealer.events[:] = _told_by_shoe(dealer.events, silent=broken)
    else:
        dealer.events[:] = _told_by_shoe(dealer.events, skipped=broken)
    return Outcome({"card-order-broken": RAISED})


def _is_draw(event: DealingEvent) -> bool:
    return isinstance(event, CardMoved) and event.source == STUB


def _told_by_shoe(
    events: list[DealingEvent], *, again: int = -1, silent: int = -1, skipped: int = -1
) -> list[DealingEvent]:
    """Before each card its number, counted from the shuffle on.

    At these places the shoe says it twice, says nothing, or has let a card go that nobody saw.
    """
    told: list[DealingEvent] = []
    n = 0
    for at, event in enumerate(events):
        if isinstance(event, DeckShuffled):
            n = 0
        if isinstance(event, CardMoved) and _is_draw(event) and at != silent:
            n += 2 if at == skipped else 1
            said = CardDrawn(at_ms=event.at_ms, card=event.card, n=n)
            told += [said, said] if at == again else [said]
        told.append(event)
    return told


_COUNTER, _SHOE = frozenset({"count"}), frozenset({"order"})


def _strict(commit: Callable[[Dealer, str], Outcome | None], *handlings: str) -> Mischief:
    """A mischief that nobody minds once it is put right before the first card."""
    return Mischief(commit, handlings, (CORRECTED,), at_demo=False, rulebook=STRICT)


DECK_SLIPS = {
    "cut-short": _strict(_short_cut, IGNORED),
    "deck-cut-card-exposed": _strict(_bottom_seen, RIGHT, NO_CUT),
    "shuffle-card-exposed": _strict(_face_in_shuffle, IGNORED),
    "count-mismatch-at-end": Mischief(
        _miscounted, (IGNORED, BY_DEALER), (CORRECTED,), at_demo=False, senses=_COUNTER
    ),
    "card-order-broken": Mischief(
        _out_of_order, (IGNORED, NEVER_DRAWN), (CORRECTED,), at_demo=False, senses=_SHOE
    ),
}
