"""Mischief with board, burns and stub that is rare at a table, and that no demo table can tell."""

from __future__ import annotations

from collections.abc import Callable

from daemon.demo.board_faults import count_of, reach, wrong
from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, RIVER, STREETS, TURN
from daemon.demo.deal_faults import shuffled
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import CORRECTED, RAISED, REMEDIED, RIGHT, WITHDRAWN, Mischief, Outcome
from daemon.demo.premature import (
    NO_CUT,
    NO_SHUFFLE,
    UNSUPERVISED,
    give_up,
    lay_early,
    reshuffle,
    stop,
)
from daemon.table.events import (
    Acted,
    CardBoxed,
    CardExposed,
    FloorCalled,
)
from daemon.table.places import ASIDE, BOARD, MUCK, STUB

SWEPT_MS = 11_000  # longer than a sweep is waited for (sweep_s: 10)
_LATE_MS = 6000  # too late for a fault to count as put right at once


def floor(dealer: Dealer) -> None:
    """The floor is called."""
    dealer.wait(2000, 6000)
    dealer.say(FloorCalled(at_ms=dealer.now_ms))


def with_acts(dealer: Dealer, *streets: str) -> str | None:
    """A street of these that is acted on, reached so that it is due; None where there is none."""
    known = [street for street in streets if dealer.deal.acts.get(street)]
    street = dealer.rng.choice(known) if known else None
    return street if street and reach(dealer, street) else None


def rare(
    commit: Callable[[Dealer, str], Outcome | None], *handlings: str, rulebook: str | None = None
) -> Mischief:
    """A mischief that no demo table can tell."""
    handlings = handlings or (RIGHT,)
    if rulebook is None:
        return Mischief(commit, handlings, at_demo=False)
    return Mischief(commit, handlings, at_demo=False, rulebook=rulebook)


def _partial(dealer: Dealer, _handling: str) -> Outcome | None:
    """One or two flop cards while the first round is open (SM-4)."""
    acts = len(dealer.deal.acts.get(PREFLOP, ()))
    if not acts:
        return None
    dealer.altered = True
    dealer.advance(PREFLOP)
    dealer.acts(PREFLOP, dealer.rng.randrange(acts))
    dealer.burn()
    laid = dealer.board(dealer.rng.choice((1, 2)))
    dealer.back_to_stub(laid)
    dealer.acts(PREFLOP)
    if dealer.over():
        stop(dealer)
    else:
        dealer.table_due()
        reshuffle(dealer, RIGHT, FLOP, burn=False)
        dealer.play_on(FLOP)
    gone = {"flop-premature": WITHDRAWN, "burn-premature": WITHDRAWN}
    return Outcome({"flop-premature-partial": REMEDIED, **gone})


def _five(dealer: Dealer, handling: str) -> Outcome | None:
    """Five cards on the flop."""
    if with_acts(dealer, FLOP) is None:
        return None
    dealer.burn()
    laid = dealer.board(5)
    if handling != UNSUPERVISED:
        floor(dealer)
    dealer.back_to_stub(laid)
    reshuffle(dealer, RIGHT, FLOP, burn=False)
    dealer.play_on(FLOP)
    outcome = wrong("flop-overcount-5plus", handling)
    return Outcome({**outcome.found, "flop-overcount": WITHDRAWN})


def _undercount(dealer: Dealer, _handling: str) -> Outcome | None:
    """The betting opens on two flop cards."""
    if with_acts(dealer, FLOP) is None:
        return None
    dealer.burn()
    dealer.board(2)
    dealer.acts(FLOP, 1)
    floor(dealer)
    if not dealer.over():
        dealer.board(1)
    dealer.play_on(FLOP)
    return Outcome({"flop-undercount": REMEDIED})


def _overcount(street: str) -> Callable[[Dealer, str], Outcome | None]:
    """Two cards in the place of one; the floor takes one of them off."""

    def commit(dealer: Dealer, _handling: str) -> Outcome | None:
        if with_acts(dealer, street) is None:
            return None
        dealer.burn()
        laid = dealer.board(2)
        floor(dealer)
        dealer.wait(1000, 3000)
        dealer.move(laid[-1], MUCK, by="floor")
        dealer.play_on(street)
        return Outcome({f"{street}-overcount": REMEDIED})

    return commit


def _run_out(dealer: Dealer, handling: str) -> Outcome | None:
    """Turn and river are run out while a seat could still act (SM-18)."""
    laid = lay_early(dealer, TURN, burn=True)
    if laid is None:
        return None
    dealer.burn()
    laid += dealer.board(1)
    if handling != UNSUPERVISED:
        floor(dealer)
    dealer.back_to_stub(laid[::-1])
    dealer.acts(FLOP)
    if dealer.over() or dealer.deal.board < BOARD_AFTER[RIVER]:
        if handling == UNSUPERVISED:
            return None
        give_up(dealer)
    else:
        dealer.table_due()
        shuffled(dealer)
        dealer.board(1)
        dealer.acts(TURN)
        if not dealer.over():
            dealer.table_due()
            dealer.board(1)
        dealer.play_on(RIVER)
    gone = {"turn-premature": WITHDRAWN, "burn-premature": WITHDRAWN}
    return Outcome({**wrong("streets-premature-multiple", handling).found, **gone})


def _acted_on(dealer: Dealer, _handling: str) -> Outcome | None:
    """A seat that owes nothing bets at the premature turn."""
    laid = lay_early(dealer, TURN, burn=True)
    played = dealer.deal.acts[FLOP][: dealer.played[FLOP]] if laid else ()
    if not played or played[-1].word == "fold" or played[-1].all_in:
        return None
    seat = played[-1].seat
    dealer.wait(1500, 5000)
    dealer.say(Acted(at_ms=dealer.now_ms, seat=seat, action="check"))
    floor(dealer)
    give_up(dealer)
    gone = {"turn-premature": WITHDRAWN, "burn-premature": WITHDRAWN}
    return Outcome({"premature-acted-on": REMEDIED, **gone})


def _boxed(dealer: Dealer, handling: str) -> Outcome | None:
    """The next board card lies face up in the stub (SM-13)."""
    street = dealer.rng.choice(STREETS[1:])
    if not reach(dealer, street):
        return None
    dealer.burn()
    dealer.wait(400, 900)
    dealer.say(CardBoxed(at_ms=dealer.now_ms, card=dealer.stub[0]))
    dealer.wait(_LATE_MS if handling == RIGHT else 800)
    dealer.move(dealer.stub[0], ASIDE, "up")
    dealer.board(count_of(street))
    dealer.play_on(street)
    if handling == CORRECTED:
        return Outcome({"board-card-boxed": "any"}, self_corrected=True)
    return Outcome({"board-card-boxed": REMEDIED})


def _flashed(dealer: Dealer, handling: str) -> Outcome | None:
    """The top of the stub is seen while the round is open."""
    street = dealer.rng.choice(STREETS[:3])
    acts = len(dealer.deal.acts.get(street, ()))
    if not acts:
        return None
    dealer.altered = True
    dealer.advance(street)
    dealer.acts(street, dealer.rng.randrange(acts))
    dealer.wait(500, 1500)
    seen = dealer.stub[0]
    dealer.say(CardExposed(at_ms=dealer.now_ms, place=STUB, card=seen, by="dealer", spot="top"))
    dealer.acts(street)
    if dealer.over():
        stop(dealer)
        return Outcome({"board-card-flashed": REMEDIED}) if handling == RIGHT else None
    dealer.table_due()
    shuffled(dealer, handling)
    dealer.play_on(street)
    return wrong("board-card-flashed", handling)


def _from_muck(dealer: Dealer, _handling: str) -> Outcome | None:
    """A folded card is laid where the turn or the river is due."""
    street = with_acts(dealer, TURN, RIVER)
    if street is None or not dealer.at(MUCK) or dealer.deal.acts[street][0].word == "fold":
        return None
    dealer.burn()
    dealer.wait(500, 1500)
    dealer.move(dealer.at(MUCK)[-1], BOARD, "up")
    dealer.acts(street, 1)
    floor(dealer)
    dealer.play_on(street)
    return Outcome({"board-from-muck": RAISED})


def _destroyed(dealer: Dealer, _handling: str) -> Outcome | None:
    """The board is swept into the muck with hands live."""
    street = with_acts(dealer, FLOP, TURN)
    if street is None:
        return None
    dealer.street(street)
    dealer.wait(1500, 4000)
    for card in dealer.at(BOARD):
        dealer.wait(50, 200)
        dealer.move(card, MUCK)
    dealer.wait(SWEPT_MS)
    floor(dealer)
    give_up(dealer)
    return Outcome({"board-destroyed": REMEDIED})


BOARD_SLIPS = {
    "flop-premature-partial": rare(_partial),
    "flop-overcount-5plus": rare(_five, RIGHT, UNSUPERVISED),
    "flop-undercount": rare(_undercount),
    "turn-overcount": rare(_overcount(TURN)),
    "river-overcount": rare(_overcount(RIVER)),
    "streets-premature-multiple": rare(_run_out, RIGHT, UNSUPERVISED),
    "premature-acted-on": rare(_acted_on),
    "board-card-boxed": rare(_boxed, RIGHT, CORRECTED),
    "board-card-flashed": rare(_flashed, RIGHT, NO_SHUFFLE, NO_CUT),
    "board-from-muck": rare(_from_muck),
    "board-destroyed": rare(_destroyed),
}
