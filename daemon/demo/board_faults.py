"""Mischief with burns and board: burns too few, too many, too early, and the overfull flop."""

from __future__ import annotations

from daemon.demo.deal import BOARD_AFTER, FLOP, RIVER, STREETS, TURN
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import (
    ANY,
    CORRECTED,
    IGNORED,
    RAISED,
    REMEDIED,
    RIGHT,
    STOOD,
    Mischief,
    Outcome,
)
from daemon.demo.premature import (
    BURN_MISSING,
    FORBIDDEN_BURN,
    IN_THE_SHUFFLE,
    NO_CUT,
    NO_OPTION,
    NO_SHUFFLE,
    before,
    reshuffle,
)
from daemon.table.places import STUB


def reach(dealer: Dealer, street: str) -> bool:
    """Plays as it should be until the street is due; False where the hand ends before."""
    if dealer.deal.board < BOARD_AFTER[street]:
        return False
    dealer.altered = True
    dealer.advance(before(street))
    dealer.acts(before(street))
    dealer.table_due()
    return True


def count_of(street: str) -> int:
    """How many cards the street has."""
    return 3 if street == FLOP else 1


def _after(street: str) -> str:
    return STREETS[STREETS.index(street) + 1]


def _goes_on(dealer: Dealer, street: str) -> bool:
    """Whether the next street is dealt."""
    return dealer.deal.board >= BOARD_AFTER[_after(street)]


def wrong(name: str, handling: str) -> Outcome:
    """Remedied, played on, or with a fault of that name in the remedy."""
    if handling == RIGHT:
        return Outcome({name: REMEDIED})
    return Outcome({name: RAISED} if handling == IGNORED else {name: RAISED, handling: RAISED})


def _back_on_top(dealer: Dealer, cards: list[str]) -> None:
    """Cards go back on the stub in the order in which they came off it."""
    for card in reversed(cards):
        dealer.wait(200, 500)
        dealer.move(card, STUB)


def _overcount(dealer: Dealer, handling: str) -> Outcome | None:
    """Four cards on the flop (rules.md 1.2)."""
    name = "flop-overcount"
    if not dealer.deal.acts.get(FLOP) or not reach(dealer, FLOP):
        return None
    dealer.burn()
    if handling == CORRECTED:
        laid = dealer.board(4, "down")
        dealer.wait(500, 1500)
        dealer.move(laid[-1], STUB)
        for card in laid[:3]:
            dealer.turn_up(card)
        dealer.play_on(FLOP)
        return Outcome({name: ANY}, self_corrected=True)
    laid = dealer.board(4)
    if handling == NO_OPTION:
        dealer.play_on(FLOP)
        return Outcome({name: RAISED, NO_OPTION: RAISED})
    dealer.wait(1500, 5000)
    dealer.back_to_stub(laid)
    if not reshuffle(dealer, handling, FLOP, burn=False):
        return None
    dealer.play_on(FLOP)
    return wrong(name, handling)


def _burn_premature(dealer: Dealer, _handling: str) -> Outcome | None:
    """A burn while the round is open is kept as that street's burn."""
    streets = [s for s in STREETS[:3] if dealer.deal.acts.get(s)]
    street = dealer.rng.choice(streets)
    dealer.altered = True
    dealer.advance(street)
    dealer.acts(street, dealer.rng.randrange(len(dealer.deal.acts[street])))
    dealer.burn()
    dealer.acts(street)
    outcome = Outcome({"burn-premature": RAISED})
    if dealer.over():
        dealer.showdown()
        dealer.end()
        return outcome
    dealer.street(_after(street), burn=False)
    dealer.play_on(_after(street))
    return outcome


def _no_burn(street: str, dealer: Dealer, handling: str) -> Outcome | None:
    """A street without its burn (SM-7 the flop, SM-12 turn and river)."""
    name, acted = f"{street}-no-burn", bool(dealer.deal.acts.get(street))
    if handling in (IGNORED, BURN_MISSING, STOOD) and not acted:
        return None
    if handling == BURN_MISSING and not _goes_on(dealer, street):
        return None
    if not reach(dealer, street):
        return None
    if handling == CORRECTED:
        return _no_burn_corrected(dealer, street)
    laid = dealer.board(count_of(street))
    if handling == STOOD or (handling == IGNORED and street == RIVER):
        return _no_burn_stood(dealer, street)
    if handling == BURN_MISSING:
        dealer.play_on(street)
        return wrong(name, handling)
    dealer.wait(1500, 4000)
    if street == FLOP:
        dealer.back_to_stub(laid)
        if not reshuffle(dealer, handling, FLOP, burn=True):
            return None
    else:
        _back_on_top(dealer, laid)
        dealer.burn()
        dealer.board(1)
    dealer.play_on(street)
    return wrong(name, handling)


def _no_burn_corrected(dealer: Dealer, street: str) -> Outcome:
    laid = dealer.board(count_of(street), "down", within_ms=100)
    dealer.wait(300, 800)
    _back_on_top(dealer, laid)
    dealer.burn(300, 700)
    dealer.board(count_of(street), within_ms=100)
    dealer.play_on(street)
    return Outcome({f"{street}-no-burn": ANY}, self_corrected=True)


def _no_burn_stood(dealer: Dealer, street: str) -> Outcome:
    """After action the board stands and two burns precede the next street (river: nothing)."""
    dealer.acts(street)
    if street == RIVER:
        return _river_stood(dealer, f"{street}-no-burn")
    if not dealer.over():
        dealer.table_due()
        dealer.burn()
        dealer.street(_after(street))
        dealer.acts(_after(street))
    dealer.play_on(street if dealer.over() else _after(street))
    return Outcome({f"{street}-no-burn": REMEDIED})


def _river_stood(dealer: Dealer, name: str) -> Outcome:
    """Nothing follows a river acted on; a first act that leaves one hand voids the remedy."""
    at_once = dealer.over() and len(dealer.deal.acts[RIVER]) == 1
    dealer.play_on(RIVER)
    return Outcome({name: REMEDIED if at_once else RAISED})


def _two_burns(street: str, dealer: Dealer, handling: str) -> Outcome | None:
    """Two burns before a street (SM-12)."""
    name, acted = f"{street}-multiple-burns", bool(dealer.deal.acts.get(street))
    if (handling == STOOD and not acted) or (
        handling == NO_OPTION and not _goes_on(dealer, street)
    ):
        return None
    if not reach(dealer, street):
        return None
    dealer.burn()
    again = dealer.burn(600, 1500)
    if handling == CORRECTED:
        dealer.wait(500, 2500)
        dealer.move(again, STUB)
        dealer.board(count_of(street))
        dealer.play_on(street)
        return Outcome({name: ANY}, self_corrected=True)
    laid = dealer.board(count_of(street))
    if handling == NO_OPTION:
        dealer.play_on(street)
        return wrong(name, handling)
    if handling == RIGHT:
        dealer.wait(1000, 3000)
        _back_on_top(dealer, [again, *laid])
        dealer.board(count_of(street))
        dealer.play_on(street)
        return Outcome({name: REMEDIED})
    dealer.acts(street)
    if street == RIVER:
        return _river_stood(dealer, name)
    if not dealer.over():
        dealer.burn_again(again, _after(street))
    else:
        dealer.play_on(street)
    return Outcome({name: REMEDIED})


def _per_street(street: str, handlings: tuple[str, ...]) -> dict[str, Mischief]:
    def without(dealer: Dealer, handling: str) -> Outcome | None:
        return _no_burn(street, dealer, handling)

    def twice(dealer: Dealer, handling: str) -> Outcome | None:
        return _two_burns(street, dealer, handling)

    return {
        f"{street}-no-burn": Mischief(without, handlings),
        f"{street}-multiple-burns": Mischief(
            twice, (RIGHT, STOOD, IGNORED if street == RIVER else NO_OPTION, CORRECTED)
        ),
    }


_OVERCOUNT = (RIGHT, NO_OPTION, CORRECTED, *IN_THE_SHUFFLE, FORBIDDEN_BURN)
BOARD_FAULTS = {
    "flop-overcount": Mischief(_overcount, _OVERCOUNT),
    "burn-premature": Mischief(_burn_premature, (RIGHT,)),
    **_per_street(FLOP, (RIGHT, STOOD, BURN_MISSING, CORRECTED, NO_SHUFFLE, NO_CUT)),
    **_per_street(TURN, (RIGHT, STOOD, BURN_MISSING, CORRECTED)),
    **_per_street(RIVER, (RIGHT, STOOD, IGNORED, CORRECTED)),
}
