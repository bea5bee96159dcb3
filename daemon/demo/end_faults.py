"""Mischief at the ends of a hand: the pot, the showdown, streets skipped or rabbits hunted."""

from __future__ import annotations

from daemon.demo.deal import BOARD_AFTER, PREFLOP, RIVER, STREETS, Deal
from daemon.demo.dealing import Dealer
from daemon.demo.hand_faults import floor, reach
from daemon.demo.outcome import IGNORED, RAISED, REMEDIED, RIGHT, Mischief, Outcome
from daemon.table.events import HandTabled, MisdealDeclared, PotPushed
from daemon.table.places import BOARD, MUCK, SEAT

UNSUPERVISED = "remedy-unsupervised"
_TDA = "tda-2024"


def _last_street(deal: Deal) -> str:
    """The last street on which anybody acted."""
    return [street for street in STREETS if deal.acts.get(street)][-1]


def _ends_by_fold(deal: Deal) -> bool:
    street = _last_street(deal) if deal.acts[PREFLOP] else ""
    return bool(street) and len(deal.survivors()) == 1 and deal.acts[street][-1].word == "fold"


def _run_out_after(deal: Deal) -> str:
    """The street after which the rest was run out with players all-in; "" where there is none."""
    spent = {a.seat for acts in deal.acts.values() for a in acts if a.all_in} | {*deal.all_in}
    survivors = deal.survivors()
    able = [seat for seat in survivors if seat not in spent]
    if len(survivors) < 2 or len(able) > 1 or deal.board < BOARD_AFTER[RIVER]:
        return ""
    street = _last_street(deal) if deal.acts[PREFLOP] else ""
    return street if street and street != RIVER else ""


def _pushed_early(dealer: Dealer, handling: str) -> Outcome | None:
    """The pot goes to the last bettor; a soft call was missed, the hand lies there still."""
    if not _ends_by_fold(dealer.deal):
        return None
    street = _last_street(dealer.deal)
    reach(dealer, (street, len(dealer.deal.acts[street]) - 1))
    loser = dealer.deal.acts[street][-1].seat
    winner = next(seat for seat in dealer.live if seat != loser)
    dealer.wait(1000, 3000)
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=(winner,)))
    if handling == RIGHT:
        floor(dealer)
    dealer.muck(loser)
    dealer.live.remove(loser)
    dealer.end()
    return Outcome({"pot-pushed-early": REMEDIED if handling == RIGHT else RAISED})


def _street_skipped(dealer: Dealer, handling: str) -> Outcome | None:
    """The all-in hands are shown and the pot is pushed with streets owed."""
    street = _run_out_after(dealer.deal)
    if not street or street == PREFLOP:
        return None
    name = "street-skipped"
    reach(dealer, (street, len(dealer.deal.acts[street])))
    if set(dealer.live) <= set(dealer.deal.winners):  # a pot split among all is an agreement
        return None
    for seat in dealer.live:
        if seat not in dealer.tabled:
            dealer.table(seat)
    dealer.wait(1000, 3000)
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=dealer.deal.winners))
    if handling == IGNORED:
        dealer.end()
        return Outcome({name: RAISED})
    if handling == RIGHT:
        floor(dealer)
    for following in STREETS[STREETS.index(street) + 1 :]:
        dealer.street(following)
    dealer.end()
    if handling == RIGHT:
        return Outcome({name: REMEDIED})
    return Outcome({name: RAISED, UNSUPERVISED: RAISED})


def _rabbit(dealer: Dealer, _handling: str) -> Outcome | None:
    """The hand is over, and somebody sees the next card."""
    deal = dealer.deal
    if not _ends_by_fold(deal) or deal.board >= BOARD_AFTER[RIVER]:
        return None
    street = _last_street(deal)
    reach(dealer, (street, len(deal.acts[street])))
    following = STREETS[STREETS.index(street) + 1]
    dealer.burn()
    dealer.board(BOARD_AFTER[following] - len(dealer.at(BOARD)))
    dealer.wait(1000, 3000)
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=deal.winners))
    dealer.end()
    return Outcome({"street-after-hand-over": RAISED})


def _to_showdown(dealer: Dealer) -> bool:
    """Plays to the showdown; False where hands were shown before, or one is left."""
    deal = dealer.deal
    early = any(show.board < BOARD_AFTER[RIVER] for show in deal.shows)
    spent = any(a.all_in for acts in deal.acts.values() for a in acts) or deal.all_in
    if deal.board < BOARD_AFTER[RIVER] or len(deal.survivors()) < 2 or early or spent:
        return False
    dealer.advance(RIVER)
    dealer.acts(RIVER)
    return True


def _partial_muck(dealer: Dealer, handling: str) -> Outcome | None:
    """The winner shows one card and throws the other away."""
    if not _to_showdown(dealer):
        return None
    winner = dealer.deal.winners[0]
    shown, thrown = dealer.at(SEAT[winner])
    dealer.wait(500, 2000)
    dealer.say(HandTabled(at_ms=dealer.now_ms, seat=winner, cards=(shown,)))
    dealer.wait(500, 2000)
    dealer.move(thrown, MUCK)
    for seat in [seat for seat in dealer.live if seat != winner]:
        dealer.muck(seat)
    dealer.wait(1000, 3000)
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=(winner,)))
    if handling == RIGHT:
        floor(dealer)
    dealer.end()
    return Outcome({"showdown-partial-muck": REMEDIED if handling == RIGHT else RAISED})


def _winner_killed(dealer: Dealer, _handling: str) -> Outcome | None:
    """All hands are read, and the pot goes to a beaten one."""
    if not _to_showdown(dealer):
        return None
    best = dealer.best(tuple(dealer.live))
    beaten = [seat for seat in dealer.live if seat not in best]
    if not beaten:
        return None
    for seat in dealer.live:
        dealer.wait(500, 2500)
        cards = tuple(dealer.at(SEAT[seat]))
        dealer.say(HandTabled(at_ms=dealer.now_ms, seat=seat, cards=cards))
    dealer.wait(1000, 3000)
    dealer.say(PotPushed(at_ms=dealer.now_ms, seats=(dealer.rng.choice(beaten),)))
    dealer.tabled = list(dealer.live)
    dealer.end()
    return Outcome({"showdown-winner-killed": RAISED})


def _face_down(dealer: Dealer, handling: str) -> Outcome | None:
    """All betting is done, a player all-in, and one hand stays face down."""
    street = _run_out_after(dealer.deal)
    if not street:
        return None
    reach(dealer, (street, len(dealer.deal.acts[street])))
    hidden, *others = dealer.rng.sample(dealer.live, len(dealer.live))
    for seat in others:
        if seat not in dealer.tabled:
            dealer.table(seat)
    following = STREETS[STREETS.index(street) + 1]
    dealer.burn()
    dealer.board(BOARD_AFTER[following] - len(dealer.at(BOARD)))
    if handling == RIGHT:
        floor(dealer)
    dealer.table(hidden)
    dealer.play_on(following)
    name = "showdown-allin-not-tabled"
    return Outcome({name: REMEDIED if handling == RIGHT else RAISED})


def _unfounded(dealer: Dealer, _handling: str) -> Outcome | None:
    """A misdeal for no reason that any sensor saw."""
    dealer.altered = True
    dealer.open()
    dealer.pitch_all()
    if dealer.rng.random() < 0.5:
        dealer.wait(1000, 5000)
        dealer.say(MisdealDeclared(at_ms=dealer.now_ms))
    dealer.collect()
    dealer.shuffle()
    dealer.cut()
    dealer.restart()
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return Outcome({"misdeal-unfounded": RAISED})


def _acted_early(dealer: Dealer, _handling: str) -> Outcome | None:
    """Under the gun acts while the button waits for its last card."""
    first = dealer.deal.acts[PREFLOP][:1]
    last = 2 * len(dealer.deal.deal_order) - 1
    if not first or first[0].word == "fold" or first[0].seat == dealer.seat_due(last):
        return None
    dealer.open()
    for draw in range(last):
        dealer.pitch(dealer.seat_due(draw))
    dealer.acts(PREFLOP, 1)
    dealer.pitch_all(last)
    dealer.play_on(PREFLOP)
    return Outcome({"action-before-deal-complete": RAISED})


_SEEN = (RIGHT, IGNORED)
END_FAULTS = {
    "pot-pushed-early": Mischief(_pushed_early, _SEEN, at_demo=False),
    "street-skipped": Mischief(_street_skipped, (*_SEEN, UNSUPERVISED), at_demo=False),
    "street-after-hand-over": Mischief(_rabbit, (IGNORED,), at_demo=False),
    "showdown-partial-muck": Mischief(_partial_muck, _SEEN, at_demo=False),
    "showdown-winner-killed": Mischief(_winner_killed, (IGNORED,), at_demo=False),
    "showdown-allin-not-tabled": Mischief(_face_down, _SEEN, at_demo=False, rulebook=_TDA),
    "misdeal-unfounded": Mischief(_unfounded, (IGNORED,), at_demo=False, rulebook=_TDA),
    "action-before-deal-complete": Mischief(_acted_early, (IGNORED,), at_demo=False),
}
