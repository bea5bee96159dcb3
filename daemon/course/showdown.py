"""The showdown: who may have a share, judged from the hands that were tabled and no other."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, order, plan, stub
from daemon.course.course import Course, Departure
from daemon.course.excess import undercount
from daemon.course.passing import at_showdown
from daemon.course.skips import LEFT_LYING, Followed, still_there
from daemon.course.steps import STREET_OF, WHOLE, Step
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import HandEnded, PotPushed
from daemon.table.ranking import strength

_BOARD_SIZE = 5
_OTHER_POT = "other-pot"


def pot(course: Course, event: PotPushed, number: int, *, hands_tabled: bool) -> Followed:
    """A pot was pushed: whether anything was owed, and whether these seats may have it."""
    if course.mute:
        return course, ()
    course = replace(course, board_disputed=_is_disputed(course))
    hidden: tuple[Departure, ...] = ()
    if hands_tabled:
        course, hidden = face_down(course, event.at_ms, number, at_pot=True)
    if event.chop:  # an agreement: nobody is killed by it, and nothing is owed any more
        return course, hidden
    found = list(undeclared(course, event.at_ms, number, pushed=True))
    found += _partly_mucked(course, event, number)
    found += _too_early(course, event, number)
    if any(one.due == "street" for one in found):
        found += stub.forgotten(course, event.at_ms, number)
    return course, (*found, *hidden)


def ended(course: Course, event: HandEnded, number: int) -> tuple[Departure, ...]:
    """The hand is over: what only its end can tell."""
    if course.mute:
        return ()
    found = list(undeclared(course, event.at_ms, number, pushed=False))
    found += _winner_killed(course, event.at_ms, number)
    if not course.pushed:
        found += _streets_owed(course, event.at_ms, number)
    return tuple(found)


def _seat_fault(due: str, seat: int, at_ms: int, number: int) -> Departure:
    return Departure(
        what="showdown",
        due=due,
        at_ms=at_ms,
        numbers=(number,),
        street="showdown",
        seat=seat,
        seats=(seat,),
        face_seen=True,
    )


def _is_disputed(course: Course) -> bool:
    """Whether a card too many lies on the board, or one of its own lies elsewhere."""
    lies = course.felt.lies
    lying = sum(place == places.BOARD for place in lies.values())
    moved = any(lies.get(card) not in (places.BOARD, places.OFF) for card in course.board)
    return lying > _BOARD_SIZE or moved


def readable(course: Course) -> dict[int, tuple[str, ...]]:
    """The tabled hands that can be read whole."""
    return {
        seat: cards
        for seat, cards in sorted(course.tabled.items())
        if len(cards) == 2 and all(map(is_known, cards))
    }


def undeclared(course: Course, at_ms: int, number: int, *, pushed: bool) -> tuple[Departure, ...]:
    """Who threw a hand away while the board played, without saying so (rules.md 1.6).

    Judged from tabled hands alone: what the mucked hand was is not asked.
    """
    if course.mute or not course.mucked or not course.tabled or len(course.contenders) < 2:
        return ()
    if not course.senses("declare", "tabled") or len(course.board) != _BOARD_SIZE:
        return ()
    if not pushed and frozenset(course.tabled) - course.read:
        return ()
    hands = readable(course)
    if len(hands) < len(course.tabled) or not course.public.issuperset(course.board):
        return ()
    if course.board_disputed:
        return ()
    board = strength(course.board)
    if any(strength((*cards, *course.board)) > board for cards in hands.values()):
        return ()
    guilty = [s for s in course.mucked if s not in course.declared and s not in course.tabled]
    return tuple(_by_rank(course, _seat_fault("declare", seat, at_ms, number)) for seat in guilty)


def _winner_killed(course: Course, at_ms: int, number: int) -> list[Departure]:
    """The best tabled hand got no share of any pot."""
    hands = readable(course)
    whole = len(course.board) == _BOARD_SIZE and course.public.issuperset(course.board)
    if not course.paid or len(hands) < 2 or not whole or len(hands) < len(course.tabled):
        return []
    if course.boards > 1 or course.board_disputed or not all(map(is_known, course.board)):
        return []
    strengths = {seat: strength((*cards, *course.board)) for seat, cards in hands.items()}
    best = [seat for seat, value in strengths.items() if value == max(strengths.values())]
    if course.paid & set(best):
        return []
    found = _seat_fault("share", best[0], at_ms, number)
    if _may_be_a_side_pot(course, set(best)):
        return [replace(found, doubt=_OTHER_POT)]
    return [_by_rank(course, found)]


def _may_be_a_side_pot(course: Course, best: set[int]) -> bool:
    """Whether what was pushed may be a pot beside that of the best hands, which were all-in.

    Of their own pot nobody may have pressed the key.
    """
    return best <= course.bets.broke and len(course.contenders or course.live) > len(best) + 1


def _by_rank(course: Course, found: Departure) -> Departure:
    """What rests on which cards the board has is in doubt where a camera reads another one."""
    return replace(found, doubt=course.board_doubt)


def _partly_mucked(course: Course, event: PotPushed, number: int) -> list[Departure]:
    """One of two cards was tabled, the other mucked, and the pot goes to that hand."""
    if len(course.contenders or course.live) < 2:
        return []
    lies = course.felt.lies
    found = []
    for seat in event.seats:
        shown = course.tabled.get(seat, ())
        mucked = [c for c in course.drawn.get(seat, ()) if lies.get(c) == places.MUCK]
        if len(shown) == 1 and mucked:
            found.append(_seat_fault("whole", seat, event.at_ms, number))
    return found


def _too_early(course: Course, event: PotPushed, number: int) -> list[Departure]:
    """Another hand is live: somebody still owed an action, or streets are owed."""
    if len(course.live) < 2 or at_showdown(course) or course.pushed or course.over:
        return []
    if course.live <= frozenset(event.seats):  # all that are in split it: an agreement
        return []
    if course.betting.level != "acts" or not course.bets.owing:
        return _streets_owed(course, event.at_ms, number)
    others = tuple(sorted((course.live - frozenset(event.seats)) & _on_seats(course)))
    if not others:  # a fold that nobody saw
        return []
    return [
        Departure(
            what="pot",
            due="live",
            at_ms=event.at_ms,
            numbers=(number,),
            street=course.street,
            seats=others,
            doubt="key-missed" if course.betting.source == "dealer" else "",
            face_seen=True,
        )
    ]


def _on_seats(course: Course) -> set[int]:
    """The seats whose hand still lies on its antenna."""
    lying = {places.seat_of(place) for place in course.felt.lies.values()}
    return {seat for seat in lying if seat is not None}


def _streets_owed(course: Course, at_ms: int, number: int) -> list[Departure]:
    """The showdown came with streets owed and two or more hands live.

    The betting is closed, or two hands were tabled: until then it is no showdown.
    """
    owed = plan.street_owed(course)
    waiting = order.run_out_over(course)
    quiet = course.over or course.hand_for_hand or course.boards > 1
    if (owed < 0 and waiting is None) or quiet or not course.senses("board"):
        return []
    tabled = course.live & frozenset(course.tabled)
    told = course.betting.level != "none"
    closed = told and betting.closed(course.bets, course.betting)
    collected = not course.felt.lies
    hands = course.live if collected else course.live & (_on_seats(course) | tabled)
    if len(hands) < 2 or not (closed or len(tabled) > 1):
        return []
    left_lying = [s for s in course.plan[:owed] if still_there(course, s) in LEFT_LYING]
    if waiting is not None or left_lying:  # it stood to the end
        return [_stood(waiting or left_lying[0], at_ms, number)]
    if _is_whole(course):
        return []
    if course.dealing:
        short = STREET_OF[course.dealing.kind] == "flop" and not course.suspect
        return [undercount(course, at_ms, number)] if short else []
    street = STREET_OF[course.plan[owed].kind]
    if len(course.board) >= WHOLE[street]:  # it lies there, and only a remedy wants it again
        return []
    burned = bool(course.burned) or course.plan[owed].kind != street
    return [
        Departure(
            what="pot",
            due="street",
            at_ms=at_ms,
            numbers=(number,),
            street=street,
            facts=frozenset({street}),
            done=("burn",) if burned else (),
            face_seen=True,
        )
    ]


def _stood(step: Step, at_ms: int, number: int) -> Departure:
    """The pot goes by a card that a remedy wants back."""
    return Departure(
        what="pot",
        due=step.kind,
        at_ms=at_ms,
        numbers=(number,),
        ticket=step.owners[0][0],
        wrong=step.owners,
    )


def _is_whole(course: Course) -> bool:
    """Whether five cards of the stub lie there; what is wrong with them has its name already."""
    lies = course.felt.lies
    lying = sum(lies.get(card) == places.BOARD for card in course.turned_up)
    return max(len(course.board), lying) >= _BOARD_SIZE


def face_down(course: Course, at_ms: int, number: int, *, at_pot: bool = False) -> Followed:
    """All betting is done, a player all-in, and a hand lies face down (TDA 2024 rule 16).

    At the pot those who mucked are among them: nobody all-in or who called may. Each seat once.
    """
    live = course.live | frozenset(course.mucked if at_pot else ())
    able = live - course.bets.broke
    closed = course.street != "deal" and not course.bets.owing
    if course.hand_for_hand or len(live) < 2 or len(able) > 1 or not closed:
        return course, ()
    if not course.senses("tabled"):
        return course, ()
    hidden = live - frozenset(course.tabled) - course.untabled
    found = tuple(_seat_fault("all-in", seat, at_ms, number) for seat in sorted(hidden))
    return replace(course, untabled=course.untabled | hidden), found
