"""Who still owes an action: from acts and all-in flags, without amounts, or from "closed" alone."""

from __future__ import annotations

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.table.events import Acted, Betting, HandStarted


class Bets(Struct, frozen=True):
    """One betting round.

    `order` are the dealt-in seats in order of action on this street, `live` those with cards,
    `broke` those all-in, `owing` those who still owe an action. `last` is the seat that acted last
    in turn, `bet` the highest total on this street (None: unknown), `paid` what each seat put in on
    it where that is told, `told` that somebody called the round closed, `guess` that somebody owes
    only because an all-in without an amount was taken as a raise, `chips` those before whom chips
    came since it was last raised, `any_order` that nobody can tell who is to act before whom.
    """

    order: tuple[int, ...]
    live: frozenset[int]
    broke: frozenset[int] = frozenset()
    owing: frozenset[int] = frozenset()
    last: int = 0
    bet: int | None = None
    paid: dict[int, int | None] = {}
    told: bool = False
    guess: bool = False
    chips: frozenset[int] = frozenset()
    any_order: bool = False


_OF_A_STRADDLE = 2  # times the big blind, at least


def before_flop(
    hand: HandStarted, deal_order: tuple[int, ...], *, single_from_button: bool = False
) -> Bets:
    """The first round, at the deal: every player with chips owes, the big blind last of all.

    With a single blind it is the house's custom that the action begins left of the blind, or with
    `single_from_button` left of the button.
    """
    live = frozenset(deal_order) - frozenset(hand.dead_seats)
    broke = frozenset(hand.all_in)
    forced = _last_forced(hand, deal_order)
    from_button = single_from_button and _is_single_blind(hand)
    at = deal_order.index(forced) + 1 if forced in deal_order and not from_button else 0
    posted = hand.blinds | hand.straddles
    bets = Bets(
        order=deal_order[at:] + deal_order[:at],
        live=live,
        broke=broke,
        owing=live - broke,
        bet=max(posted.values()) if posted else None,
        paid=_posted(hand, deal_order, forced),
    )
    return _nobody_to_bet_with(bets)


def _is_single_blind(hand: HandStarted) -> bool:
    """Whether one seat alone posted, and nobody straddled; two blinds where nothing is said."""
    told = [blind for blind in (hand.small_blind, hand.big_blind) if isinstance(blind, int)]
    silent = UNSET in (hand.small_blind, hand.big_blind)
    posted = len(hand.blinds) if silent else len(told)
    return posted == 1 and not hand.straddles


def _posted(
    hand: HandStarted, deal_order: tuple[int, ...], big_blind: int | None
) -> dict[int, int | None]:
    """What each seat has posted; untold blinds count by rank, since the big one is never less."""
    posted = hand.blinds | hand.straddles
    if posted:
        return {seat: posted.get(str(seat), 0) for seat in deal_order}
    at = deal_order.index(big_blind) if big_blind in deal_order else 0
    ranks = {deal_order[at - 1]: 1, deal_order[at]: 2}
    return {seat: ranks.get(seat, 0) for seat in deal_order}


def _last_forced(hand: HandStarted, deal_order: tuple[int, ...]) -> int | None:
    """The seat after which the first round opens: the last straddle, else the big blind."""
    if hand.straddles:
        straddled = [seat for seat in deal_order if str(seat) in hand.straddles]
        if straddled:
            return straddled[-1]
    if isinstance(hand.big_blind, int):
        return hand.big_blind
    if len(deal_order) == 2:  # heads-up the button is the small blind and is dealt last
        return deal_order[0]
    first_two = deal_order[:2]
    posted = [seat for seat in first_two if str(seat) in hand.blinds]
    if not posted:
        return first_two[-1] if first_two else None
    last = deal_order.index(posted[-1])
    for seat in deal_order[last + 1 :]:  # a third blind is larger; who posts no more is a newcomer
        if hand.blinds.get(str(seat), 0) <= hand.blinds[str(deal_order[last])]:
            break
        last += 1
    return deal_order[last]


def new_street(bets: Bets, deal_order: tuple[int, ...]) -> Bets:
    """The next round: seats with cards and chips owe, if there are at least two of them."""
    able = bets.live - bets.broke
    return Bets(
        order=deal_order,
        live=bets.live,
        broke=bets.broke,
        owing=able if len(able) > 1 else frozenset(),
        bet=0,
        told=len(able) <= 1,
    )


def due_order(bets: Bets) -> tuple[int, ...]:
    """The seats that owe, in the order in which they are due."""
    order = bets.order
    at = order.index(bets.last) + 1 if bets.last in order else 0
    return tuple(seat for seat in order[at:] + order[:at] if seat in bets.owing)


def faces_bet(bets: Bets, seat: int) -> bool:
    """Whether the seat could not check: it has not put in what was bet, as far as that is told."""
    return bets.bet != 0 and (bets.bet is None or bets.paid.get(seat) != bets.bet)


def closed(bets: Bets, betting: Betting) -> bool:
    """Whether nobody owes an action any more, as far as this table's betting knowledge goes."""
    if len(bets.live) <= 1 or betting.level == "none":
        return True
    if betting.level == "closes":
        return bets.told or not bets.live - bets.broke
    return not bets.owing


def is_possible(bets: Bets) -> bool:
    """Whether anybody may still act: somebody owes, or two seats or more have chips."""
    return bool(bets.owing) or len(bets.live - bets.broke) > 1


def taken_back(bets: Bets, to: Bets) -> Bets:
    """The round before, in which a seat that gave up its hand meanwhile owes nothing."""
    live = to.live & bets.live
    return replace(to, live=live, owing=to.owing & bets.live, broke=to.broke | bets.broke)


def is_in_turn(bets: Bets, act: Acted) -> bool:
    """Whether the seat acts when it is due: the event's own word, else by the order."""
    if act.in_turn is not None:
        return act.in_turn
    if bets.any_order:
        return act.seat in bets.owing
    due = due_order(bets)
    return bool(due) and due[0] == act.seat


def act(bets: Bets, event: Acted) -> Bets:
    """The round after an act; an act of a seat without cards changes nothing."""
    seat = event.seat
    if seat not in bets.live:
        return bets
    if event.action == "post":
        posted = _posted_by(bets, seat, event.amount)
        return _goes_broke(posted, seat) if event.all_in else posted
    in_turn = is_in_turn(bets, event)
    bets = _taken(bets, event)
    if in_turn:
        bets = replace(bets, last=seat)
    if event.all_in or event.action == "all-in":
        bets = replace(bets, broke=bets.broke | {seat})
    return _nobody_to_bet_with(bets)


def _posted_by(bets: Bets, seat: int, amount: int | None) -> Bets:
    """A blind or an ante was put up, or more than the bet: at least twice it, or it is none.

    From the seat that is to act first that is a straddle, which acts last. From another, but the
    blinds, it is a kill or the button's: who acts first then is the room's custom.
    """
    order, bet = bets.order, bets.bet
    paid = {**bets.paid, seat: amount}
    if amount is None or amount <= (bet or 0):
        return replace(bets, paid=paid)
    if not bet or bets.last or seat in order[-2:] or seat not in order:
        return replace(bets, bet=amount, paid=paid)
    if amount < _OF_A_STRADDLE * bet:  # missed blinds made up: what is above the big one is dead
        return replace(bets, paid={**paid, seat: bet})
    if seat == order[0]:
        return replace(bets, bet=amount, paid=paid, order=(*order[1:], seat))
    return replace(bets, bet=amount, paid=paid, any_order=True)


def fold(bets: Bets, seat: int) -> Bets:
    """The seat's cards are gone."""
    live = bets.live - {seat}
    owing = bets.owing - {seat} if len(live) > 1 else frozenset()
    return _nobody_to_bet_with(replace(bets, live=live, owing=owing))


def _nobody_to_bet_with(bets: Bets) -> Bets:
    """The last seat with chips owes nothing once it has met what the all-in seats put in."""
    able = bets.live - bets.broke
    if len(able) != 1 or bets.owing != able:
        return bets
    paid = {seat: bets.paid.get(seat, 0) for seat in sorted(bets.live)}
    amounts = [amount for amount in paid.values() if amount is not None]
    (seat,) = able
    mine = paid[seat]
    if mine is None or len(amounts) < len(paid) or mine < max(amounts):
        return bets
    return replace(bets, owing=frozenset())


def _taken(bets: Bets, event: Acted) -> Bets:
    seat, amount = event.seat, event.amount
    if event.action not in ("fold", "check"):
        bets = replace(bets, paid={**bets.paid, seat: amount})
    match event.action:
        case "fold":
            return fold(bets, seat)
        case "bet" | "raise":
            return _reopened(bets, seat, amount, guess=False)
        case "all-in" if _is_raise(bets, amount):
            return _reopened(bets, seat, amount, guess=amount is None or bets.bet is None)
        case _:
            owing = bets.owing - {seat}
            return replace(bets, owing=owing, guess=bets.guess and bool(owing))


def _is_raise(bets: Bets, amount: int | None) -> bool:
    """Whether an all-in tops the bet; one that cannot be told is taken for a raise."""
    return amount is None or bets.bet is None or amount > bets.bet


def _reopened(bets: Bets, seat: int, amount: int | None, *, guess: bool) -> Bets:
    owing = bets.live - bets.broke - {seat}
    return replace(bets, owing=owing, bet=amount, guess=guess, told=False, chips=frozenset())


def _goes_broke(bets: Bets, seat: int) -> Bets:
    return replace(bets, broke=bets.broke | {seat}, owing=bets.owing - {seat})
