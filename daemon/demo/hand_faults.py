"""Mischief with hands: killed, fouled, fetched back, dropped, of a wrong count, skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, STREETS, Act, Deal
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import ANY, CORRECTED, IGNORED, RAISED, REMEDIED, RIGHT, Mischief, Outcome
from daemon.table.events import Acted, FloorCalled
from daemon.table.places import MUCK, OFF, SEAT

Moment = tuple[str, int]  # the street, and the index of an act on it
_BEHIND = 3


def floor(dealer: Dealer) -> None:
    """The floor is called."""
    dealer.wait(2000, 6000)
    dealer.say(FloorCalled(at_ms=dealer.now_ms))


def reach(dealer: Dealer, moment: Moment) -> None:
    """Plays the hand as it should be until that act is due."""
    street, at = moment
    dealer.altered = True
    if street == PREFLOP:
        dealer.open()
        dealer.pitch_all()
    else:
        dealer.advance(street)
    dealer.acts(street, at)


def _pick(dealer: Dealer, fits: Callable[[Deal, Moment], bool]) -> Moment | None:
    moments = [moment for moment in _moments(dealer.deal) if fits(dealer.deal, moment)]
    return dealer.rng.choice(moments) if moments else None


def _moments(deal: Deal) -> Iterator[Moment]:
    for street in STREETS:
        yield from ((street, at) for at in range(len(deal.acts.get(street, ()))))


def _act(deal: Deal, moment: Moment) -> Act:
    return deal.acts[moment[0]][moment[1]]


def _next_of(deal: Deal, moment: Moment) -> Act | None:
    """The same seat's next act after this one."""
    moments = list(_moments(deal))
    later = (_act(deal, m) for m in moments[moments.index(moment) + 1 :])
    seat = _act(deal, moment).seat
    return next((act for act in later if act.seat == seat), None)


def _left(deal: Deal, moment: Moment) -> int:
    """How many hands are live after this act."""
    moments = list(_moments(deal))
    done = moments[: moments.index(moment) + 1]
    return len(deal.deal_order) - sum(_act(deal, m).word == "fold" for m in done)


def _is_fold_with_more(deal: Deal, moment: Moment) -> bool:
    street, at = moment
    more = at + 1 < len(deal.acts[street]) and deal.acts[street][at + 1].word != "fold"
    return more and _act(deal, moment).word == "fold" and _left(deal, moment) > 1


def _folds_to(dealer: Dealer, moment: Moment) -> tuple[int, list[str]]:
    """That fold, seen as an act; the cards lie before the seat still."""
    reach(dealer, moment)
    seat = _act(dealer.deal, moment).seat
    dealer.wait(700, 3000)
    dealer.say(Acted(at_ms=dealer.now_ms, seat=seat, action="fold"))
    dealer.live.remove(seat)
    dealer.played[moment[0]] += 1
    return seat, dealer.at(SEAT[seat])


def _fouled(dealer: Dealer, handling: str) -> Outcome | None:
    """A folded card stops at a live hand; within a breath it is no more than passage."""
    moment = _pick(dealer, _is_fold_with_more)
    if moment is None:
        return None
    street = moment[0]
    _, (slides, other) = _folds_to(dealer, moment)
    dealer.wait(100, 400)
    dealer.move(slides, SEAT[dealer.rng.choice(dealer.live)])
    dealer.wait(100, 400)
    dealer.move(other, MUCK)
    if handling == CORRECTED:
        dealer.wait(100, 400)
        dealer.move(slides, MUCK)
        dealer.play_on(street)
        return Outcome({})
    dealer.acts(street, dealer.played[street] + 1)
    over = dealer.over()
    if not over:
        if handling == RIGHT:
            floor(dealer)
        dealer.wait(500, 1500)
        dealer.move(slides, MUCK)
    dealer.play_on(street)
    state = REMEDIED if handling == RIGHT else ANY
    return None if over else Outcome({"hand-fouled-by-contact": state})


def _retrieved(dealer: Dealer, handling: str) -> Outcome | None:
    """A player fetches his fold back out of the muck; where nobody says a word he keeps it."""
    moment = _pick(dealer, _is_fold_with_more)
    if moment is None:
        return None
    seat, cards = _folds_to(dealer, moment)
    for card in cards:
        dealer.wait(100, 400)
        dealer.move(card, MUCK)
    for card in cards:
        dealer.wait(500, 1500)
        dealer.move(card, SEAT[seat])
    if handling == RIGHT:
        floor(dealer)
        for card in cards:
            dealer.wait(500, 1500)
            dealer.move(card, MUCK)
    dealer.play_on(moment[0])
    return Outcome({"hand-retrieved-from-muck": REMEDIED if handling == RIGHT else ANY})


def _killed(dealer: Dealer, handling: str) -> Outcome | None:
    """The dealer mucks a hand that had acted and would have folded later."""

    def fits(deal: Deal, moment: Moment) -> bool:
        street, at = moment
        act, later = _act(deal, moment), _next_of(deal, moment)
        more = at + 1 < len(deal.acts[street])
        goes = later is not None and later.word == "fold"
        return act.word != "fold" and not act.all_in and more and goes and _left(deal, moment) > 2

    moment = _pick(dealer, fits)
    if moment is None:
        return None
    street, at = moment
    reach(dealer, (street, at + 1))
    seat = _act(dealer.deal, moment).seat
    dealer.wait(200, 600)
    for card in dealer.at(SEAT[seat]):
        dealer.move(card, MUCK, by="dealer")
    dealer.live.remove(seat)
    dealer.altered = True
    if handling == RIGHT:
        floor(dealer)
    dealer.play_on(street)
    return Outcome({"hand-killed-by-dealer": REMEDIED if handling == RIGHT else ANY})


def _dropped(dealer: Dealer, _handling: str) -> Outcome | None:
    """A player's card falls off the table and comes back: it plays."""
    if dealer.deal.board < BOARD_AFTER[FLOP]:
        return None
    dealer.advance(FLOP)
    seat = dealer.rng.choice(dealer.live)
    card = dealer.rng.choice(dealer.at(SEAT[seat]))
    dealer.wait(300, 900)
    dealer.move(card, OFF, by="player")
    dealer.wait(1500, 4000)
    dealer.move(card, SEAT[seat])
    dealer.play_on(FLOP)
    return Outcome({"hand-card-dropped": RAISED})


def _wrong_count(dealer: Dealer, handling: str) -> Outcome | None:
    """A third card is found with a hand after the flop; it folds, or is folded for it (SM-17)."""

    def fits(deal: Deal, moment: Moment) -> bool:
        early = moment[0] == PREFLOP or len(deal.acts[PREFLOP]) < 2
        return not early and _is_fold_with_more(deal, moment)

    moment = _pick(dealer, fits)
    if moment is None:
        return None
    dealer.altered = True
    reach(dealer, moment)
    seat = _act(dealer.deal, moment).seat
    dealer.pitch(seat)
    if handling == RIGHT:
        floor(dealer)
        dealer.wait(1000, 3000)
        dealer.muck(seat)
        dealer.live.remove(seat)
        dealer.played[moment[0]] += 1
    dealer.play_on(moment[0])
    return Outcome({"hand-wrong-count-after-window": REMEDIED if handling == RIGHT else ANY})


def _skipped(dealer: Dealer, handling: str) -> Outcome | None:
    """Three call behind a seat that faces a bet and was passed over."""

    def fits(deal: Deal, moment: Moment) -> bool:
        street, at = moment
        behind = deal.acts[street][at + 1 : at + 1 + _BEHIND]
        passive = all(act.word in ("call", "fold") for act in behind)
        passed = _act(deal, moment)
        others = {act.seat for act in behind}
        late = passed.word in ("call", "fold") and not passed.all_in
        return late and passive and passed.seat not in others and len(others) == _BEHIND

    moment = _pick(dealer, fits)
    if moment is None:
        return None
    street, at = moment
    acts = list(dealer.deal.acts[street])
    acts.insert(at + _BEHIND, acts.pop(at))
    dealer.deal = replace(dealer.deal, acts={**dealer.deal.acts, street: tuple(acts)})
    dealer.tells_folds = True
    reach(dealer, (street, at + _BEHIND))
    if handling == RIGHT:
        floor(dealer)
    dealer.play_on(street)
    return Outcome({"player-skipped": REMEDIED if handling == RIGHT else ANY})


_SEEN = (RIGHT, IGNORED)
HAND_FAULTS = {
    "hand-fouled-by-contact": Mischief(_fouled, _SEEN, (CORRECTED,), at_demo=False),
    "hand-retrieved-from-muck": Mischief(_retrieved, _SEEN, at_demo=False),
    "hand-killed-by-dealer": Mischief(_killed, _SEEN, at_demo=False),
    "hand-card-dropped": Mischief(_dropped, (IGNORED,), at_demo=False),
    "hand-wrong-count-after-window": Mischief(_wrong_count, _SEEN, at_demo=False),
    "player-skipped": Mischief(_skipped, _SEEN, at_demo=False),
}
