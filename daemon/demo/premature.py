"""Mischief with the board before its time: premature flop, turn and river, and their remedies."""

from __future__ import annotations

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, RIVER, STREETS, TURN, Deal
from daemon.demo.dealing import Dealer
from daemon.demo.outcome import RAISED, REMEDIED, RIGHT, WITHDRAWN, Mischief, Outcome
from daemon.table.events import CardExposed
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, STUB

NO_SHUFFLE, NO_CUT, TOO_EARLY = "remedy-no-shuffle", "remedy-no-cut", "remedy-too-early"
FORBIDDEN_BURN, BURN_MISSING = "remedy-burned-when-forbidden", "remedy-burn-missing"
BURNS_IN, MUCK_IN = "remedy-burns-reshuffled", "remedy-muck-reshuffled"
FACES_SEEN, NO_OPTION = "remedy-shuffle-exposed", "remedy-no-option"
NOT_RETURNED, ASIDE_PLAYED = "remedy-aside-not-returned", "remedy-aside-played"
WRONG_BRANCH, ABANDONED = "remedy-wrong-branch", "remedy-abandoned"
UNSUPERVISED = "remedy-unsupervised"

IN_THE_SHUFFLE = (NO_SHUFFLE, NO_CUT, BURNS_IN, MUCK_IN, FACES_SEEN)
_FLOP = (RIGHT, NO_OPTION, *IN_THE_SHUFFLE, TOO_EARLY)
_FLOP_UNBURNED = tuple(handling for handling in _FLOP if handling != BURNS_IN)  # none to mix in
_LATER = (*_FLOP, NOT_RETURNED, ASIDE_PLAYED, WRONG_BRANCH, ABANDONED)


def before(street: str) -> str:
    """The street before this one."""
    return STREETS[STREETS.index(street) - 1]


def found(street: str, handling: str, *, burn: bool) -> Outcome:
    """What a premature street must be found as, handled so."""
    states = {f"{street}-premature": REMEDIED if handling == RIGHT else RAISED}
    if burn:
        states["burn-premature"] = WITHDRAWN
    return Outcome(states if handling == RIGHT else {**states, handling: RAISED})


def reshuffle(dealer: Dealer, handling: str, street: str, *, burn: bool) -> bool:
    """Shuffle, cut and redeal the street, wrong as `handling` says; False where that cannot be."""
    wrong = {BURNS_IN: dealer.at(BURN)[-1:], MUCK_IN: dealer.at(MUCK)[:2]}.get(handling)
    if wrong is not None:
        if not wrong:
            return False
        dealer.back_to_stub(wrong)
    if handling == FACES_SEEN:
        dealer.wait(500, 1500)
        seen = dealer.stub[-1]
        dealer.say(CardExposed(at_ms=dealer.now_ms, place=STUB, card=seen, by="dealer"))
    if handling != NO_SHUFFLE:
        dealer.shuffle()
    if handling not in (NO_SHUFFLE, NO_CUT):
        dealer.cut()
    if burn != (handling == FORBIDDEN_BURN):
        dealer.burn()
    dealer.board(3 if street == FLOP else 1)
    return True


def stop(dealer: Dealer) -> None:
    """The hand is over: the pot is pushed and the cards are gathered."""
    dealer.showdown()
    dealer.end()


def give_up(dealer: Dealer) -> None:
    """Everybody left but one folds in turn."""
    for seat in dealer.live[:-1]:
        dealer.wait(700, 4000)
        dealer.fold(seat)
    stop(dealer)


def lay_early(dealer: Dealer, street: str, *, burn: bool) -> list[str] | None:
    """Plays up to an open round and lays the street on it; None where no round is open."""
    deal, open_street = dealer.deal, before(street)
    acts = len(deal.acts.get(open_street, ()))
    first = (
        0 if burn or street == FLOP else 1
    )  # a flop and a card in one breath is an overfull flop
    if acts <= first or deal.board < BOARD_AFTER[open_street]:
        return None
    dealer.altered = True
    dealer.advance(open_street)
    dealer.acts(open_street, dealer.rng.randrange(first, acts))
    if burn:
        dealer.burn()
    return dealer.board(3 if street == FLOP else 1)


def _plays_past(deal: Deal, street: str) -> bool:
    """Whether something happens after the street's cards: an act, or the next burn.

    One act alone on the last street leaves one hand, and with that the remedy is void.
    """
    acts, after = len(deal.acts.get(street, ())), BOARD_AFTER[street]
    return deal.board > after or (deal.board == after and acts > 1)


def nobody_all_in(deal: Deal) -> bool:
    """Whether everybody could bet to the end."""
    return not deal.all_in and not any(act.all_in for acts in deal.acts.values() for act in acts)


def _feasible(deal: Deal, street: str, handling: str) -> bool:
    """Whether the hand goes far enough for the fault in the remedy to be committed."""
    reaches = deal.board >= BOARD_AFTER[street]
    match handling:
        case "right" | "remedy-too-early":
            return True
        case "remedy-no-option":
            return _plays_past(deal, street)
        case "remedy-wrong-branch" | "remedy-abandoned" if street == RIVER:
            return not reaches
        case "remedy-wrong-branch" | "remedy-abandoned":
            return reaches and nobody_all_in(deal)
        case "remedy-burn-missing":
            return reaches
    return reaches if street == FLOP else deal.board == BOARD_AFTER[RIVER]


def _premature(street: str, *, burn: bool, dealer: Dealer, handling: str) -> Outcome | None:
    if not _feasible(dealer.deal, street, handling):
        return None
    laid = lay_early(dealer, street, burn=burn)
    if laid is None:
        return None
    if handling == NO_OPTION:
        dealer.acts(before(street))
        dealer.play_on(street)
        return found(street, NO_OPTION, burn=burn)
    done = _REMEDIES[street](dealer, handling, laid, no_burn=not burn)
    return found(street, handling, burn=burn) if done else None


def _flop(dealer: Dealer, handling: str, laid: list[str], *, no_burn: bool) -> bool:
    """SM-4: the board back, the round finished, shuffle, cut, a flop without a burn."""
    if handling == TOO_EARLY:
        dealer.back_to_stub(laid)
        dealer.shuffle()
        dealer.cut()
        dealer.acts(PREFLOP)
        if not dealer.over():
            dealer.table_due()
            if no_burn:
                dealer.burn()
            dealer.board(3)
            dealer.play_on(FLOP)
        else:
            stop(dealer)
        return True
    returned_first = dealer.rng.random() < 0.5
    if not returned_first:
        dealer.acts(PREFLOP)
    if not dealer.over():
        dealer.back_to_stub(laid, dealer.rng.choice((STUB, ASIDE)))
    dealer.acts(PREFLOP)
    return _rest(dealer, handling, FLOP, no_burn=no_burn)


def _rest(dealer: Dealer, handling: str, street: str, *, no_burn: bool) -> bool:
    """The reshuffle and what follows, or the hand's end where one seat is left."""
    if dealer.over():
        stop(dealer)
        return handling == RIGHT
    dealer.table_due()
    if not reshuffle(dealer, handling, street, burn=no_burn):
        return False
    dealer.play_on(street)
    return True


def _aside(dealer: Dealer, card: str, street: str) -> None:
    """The card is set aside at some moment before the round closes, or right after."""
    left = dealer.owed(street)
    dealer.acts(street, dealer.played[street] + dealer.rng.randint(0, left - 1))
    dealer.set_aside(card)
    dealer.acts(street)


def _turn(dealer: Dealer, handling: str, laid: list[str], *, no_burn: bool) -> bool:
    """SM-8: the would-be river plays as the turn, the card set aside is in the river's shuffle."""
    if handling == WRONG_BRANCH:
        return _turn_wrong_branch(dealer, laid[0], no_burn=no_burn)
    _aside(dealer, laid[0], FLOP)
    if dealer.over():
        stop(dealer)
        return handling == RIGHT
    dealer.table_due()
    if handling != BURN_MISSING:
        dealer.burn()
    dealer.board(1)
    if handling == ABANDONED:
        dealer.wait(1000, 3000)
        dealer.move(laid[0], dealer.rng.choice((BURN, MUCK)))
        give_up(dealer)
        return True
    if handling == TOO_EARLY:
        return _river_too_early(dealer, laid[0], TURN, no_burn=no_burn)
    dealer.acts(TURN)
    return _back_and_river(dealer, handling, laid[0], no_burn=no_burn)


def _turn_wrong_branch(dealer: Dealer, card: str, *, no_burn: bool) -> bool:
    """The turn is redealt from a reshuffled stub, or the card goes to the burns or the muck."""
    spot = dealer.rng.choice((STUB, BURN, MUCK))
    dealer.wait(1500, 4000)
    dealer.move(card, spot)
    dealer.acts(FLOP)
    if dealer.over():
        return False
    if spot == STUB:
        dealer.shuffle()
        dealer.cut()
    if spot != STUB or no_burn:
        dealer.burn()
    dealer.board(1)
    give_up(dealer)
    return True


def _river_too_early(dealer: Dealer, card: str, street: str, *, no_burn: bool) -> bool:
    """The stub is shuffled while the round is still open."""
    left = dealer.owed(street)
    if not left:
        return False
    dealer.acts(street, dealer.played[street] + dealer.rng.randrange(left))
    dealer.back_to_stub([card])
    dealer.shuffle()
    dealer.cut()
    dealer.acts(street)
    if dealer.over():
        stop(dealer)
        return True
    if no_burn:
        dealer.burn()
    dealer.board(1)
    dealer.play_on(RIVER)
    return True


def _river(dealer: Dealer, handling: str, laid: list[str], *, no_burn: bool) -> bool:
    """SM-11: aside, close, back, shuffle, cut, a river without a burn."""
    if handling in (WRONG_BRANCH, ABANDONED):
        if handling == ABANDONED:
            dealer.set_aside(laid[0])
        dealer.wait(1000, 3000)
        dealer.move(laid[0], dealer.rng.choice((BURN, MUCK)))
        dealer.acts(TURN)
        stop(dealer)
        return True
    if handling == TOO_EARLY:
        dealer.set_aside(laid[0])
        return _river_too_early(dealer, laid[0], TURN, no_burn=no_burn)
    _aside(dealer, laid[0], TURN)
    return _back_and_river(dealer, handling, laid[0], no_burn=no_burn)


def _back_and_river(dealer: Dealer, handling: str, card: str, *, no_burn: bool) -> bool:
    if handling == ASIDE_PLAYED and not dealer.over():
        dealer.wait(1000, 3000)
        dealer.move(card, BOARD, "up")
        dealer.play_on(RIVER)
        return True
    if handling != NOT_RETURNED and not dealer.over():
        dealer.back_to_stub([card])
    return _rest(dealer, handling, RIVER, no_burn=no_burn)


_REMEDIES = {FLOP: _flop, TURN: _turn, RIVER: _river}


def withdrawn(dealer: Dealer, handling: str) -> Outcome | None:
    """Without betting knowledge a premature card is known by its being taken back."""
    streets = [s for s in (FLOP, TURN, RIVER) if dealer.deal.acts.get(before(s))]
    street = dealer.rng.choice(streets)
    laid = lay_early(dealer, street, burn=True) if dealer.deal.board >= BOARD_AFTER[RIVER] else None
    if laid is None:
        return None
    if street == FLOP:
        dealer.back_to_stub(laid)
        dealer.acts(PREFLOP)
        done = _rest(dealer, handling, FLOP, no_burn=False)
    else:
        dealer.set_aside(laid[0])
        dealer.acts(before(street))
        if street == TURN:
            dealer.street(TURN)
            dealer.acts(TURN)
        done = _back_and_river(dealer, handling, laid[0], no_burn=False)
    state = REMEDIED if handling == RIGHT else RAISED
    wrong = {} if handling == RIGHT else {handling: RAISED}
    return Outcome({"board-card-withdrawn": state, **wrong}) if done else None


def _mischief(street: str, handlings: tuple[str, ...], *, burn: bool) -> Mischief:
    def commit(dealer: Dealer, handling: str) -> Outcome | None:
        return _premature(street, burn=burn, dealer=dealer, handling=handling)

    return Mischief(commit, handlings)


PREMATURE = {
    "flop-premature": _mischief(FLOP, (*_FLOP, FORBIDDEN_BURN), burn=True),
    "flop-premature no-burn": _mischief(FLOP, _FLOP_UNBURNED, burn=False),
    "turn-premature": _mischief(TURN, (*_LATER, FORBIDDEN_BURN, BURN_MISSING), burn=True),
    "turn-premature no-burn": _mischief(TURN, (*_LATER, BURN_MISSING), burn=False),
    "river-premature": _mischief(RIVER, (*_LATER, FORBIDDEN_BURN), burn=True),
    "river-premature no-burn": _mischief(RIVER, _LATER, burn=False),
    "board-card-withdrawn": Mischief(withdrawn, (RIGHT,), acts_seen=False),
}
