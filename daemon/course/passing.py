"""Cards that come where they do not belong: passed, fouling, swept, mixed, off the table."""

from __future__ import annotations

from daemon.course import betting, plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed
from daemon.course.steps import STREET_OF
from daemon.table import places
from daemon.table.events import CardMoved

_ANYWHERE = (
    *(places.STUB, places.BOARD, places.BURN, places.ASIDE, places.MUCK, places.OFF),
    *places.SEAT[1:],
)


def at_showdown(course: Course) -> bool:
    """Whether all streets lie and nobody owes an action: the hands are to be shown."""
    if course.street != "river" or plan.next_street(course) >= 0 or course.dealing:
        return False
    if course.betting.level == "none":
        return bool(course.tabled)
    if plan.find(course, "close") >= 0:
        return False
    # A misdeal that is called takes the end of the round off the plan, and the round goes on.
    return not course.mute or betting.closed(course.bets, course.betting)


def running(course: Course) -> int:
    """The remedy under way that reshuffles the stub (0: none)."""
    for step in course.plan:
        for ticket, _ in step.owners:
            remedy = course.remedies[ticket]
            if "shuffle" in remedy and "collect" not in remedy and "deck-change" not in remedy:
                return ticket
    return 0


def enters(course: Course, event: CardMoved, number: int, way: tuple[str, int]) -> Followed | None:
    """A card comes to a seat from elsewhere than the stub; None where that may be the deal's own.

    From a live seat it was passed; from a folded one or the muck the hand is fouled by contact; its
    own from the muck it was fetched back; from the burns it is a burn in a hand (formats: places).
    """
    source, seat = way
    other = places.seat_of(source)
    own = event.card in course.drawn.get(seat, ())
    fetched = source == places.MUCK and own and seat in course.deal_order
    if seat not in course.live and not fetched:
        return None
    due, waits = "", ""
    if other is not None and other != seat:
        if own or _is_pitch_put_right(course, event.card, seat):
            return None
        due, waits = "passed" if other in course.live else "contact", "act"
    elif source == places.MUCK:
        if own and seat in course.live:  # one card that slid over the muck and back
            return None
        due, waits = ("retrieved", "") if own else ("contact", "act")
    elif source == places.BURN:
        due, waits = "burn-in-hand", "act"
    if not due:
        return None
    seats = (seat,) if other is None else (seat, other)
    found = Departure(
        what="moved",
        due=due,
        at_ms=event.at_ms,
        numbers=(number,),
        seat=seat,
        seats=seats,
        cards=(event.card,),
        doubt=event.doubt.instead if event.doubt else "",
        home=tuple(p for p in _ANYWHERE if p != places.SEAT[seat]) if waits else (),
        waits=waits,
        severity="low" if due == "retrieved" and at_showdown(course) else "",
        audience="log" if due == "retrieved" and at_showdown(course) else "",
        face_seen=True,
    )
    return course, (found,)


def _is_pitch_put_right(course: Course, card: str, seat: int) -> bool:
    """The deal is on, and the card goes to the hand that should have had it."""
    at = plan.find(course, "pitch")
    dealt = any(card in cards for cards in course.drawn.values())
    return at >= 0 and course.plan[at].seat == seat and dealt


def onto_board(course: Course, event: CardMoved, number: int) -> tuple[Departure, ...]:
    """A card of the muck or of a hand fills a slot that is due; passing is no filling.

    It is none until the next act; where nobody can act, one of the muck until the deal goes on. A
    hand is laid beside the board in a run-out.
    """
    seat = places.seat_of(places.plain(event.source))
    at = plan.next_street(course)
    before = () if course.dealing else course.plan[:at]
    due = all(step.kind in ("burn", "double-burn") for step in before)
    step = course.dealing or course.plan[at]
    tabled = seat is not None and seat in course.tabled
    if not due or tabled or (seat is None and event.source != places.MUCK):
        return ()
    return (
        Departure(
            what="moved",
            due="onto-board",
            at_ms=event.at_ms,
            numbers=(number,),
            street=STREET_OF[step.kind],
            cards=(event.card,),
            home=tuple(p for p in _ANYWHERE if p != places.BOARD),
            waits="act" if seat is not None or betting.is_possible(course.bets) else "burn",
            face_seen=True,
        ),
    )


def swept(course: Course, event: CardMoved, number: int, due: str) -> tuple[Departure, ...]:
    """Burns or board are gone; certain only if the hand was not over and swept in one go."""
    if running(course) or len(course.live) < 2 or at_showdown(course):
        return ()
    home = places.BURN if due == "burn-lost" else places.BOARD
    return (
        Departure(
            what="moved",
            due=due,
            at_ms=event.at_ms,
            numbers=(number,),
            street=course.street,
            cards=(event.card,),
            home=(home,),
            waits="sweep",
            face_seen=True,
        ),
    )


def mixed(course: Course, event: CardMoved, number: int) -> tuple[Departure, ...]:
    """Burns or discards joined the stub while streets are owed from it (TDA 2024 RP-4)."""
    owed = plan.next_street(course) >= 0 and len(course.live) > 1
    if not (owed and (course.board or course.burned)):
        return ()
    return (
        Departure(
            what="moved",
            due="mixed",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(event.card,),
            facts=frozenset({"mixed"}),
            face_seen=True,
        ),
    )


def is_killed(course: Course, seat: int) -> bool:
    """Whether a hand that the dealer mucks was still in: all-in, or owing nothing.

    At showdown a muck is ordinary, but that of an all-in hand nobody has seen.
    """
    broke = seat in course.bets.broke
    if at_showdown(course):
        return broke and seat not in course.tabled
    return broke or seat not in course.bets.owing


def killed(course: Course, event: CardMoved, number: int, seat: int) -> Departure:
    """The dealer put a live hand into the muck that owed nothing (rules.md 2.4)."""
    return Departure(
        what="moved",
        due="killed",
        at_ms=event.at_ms,
        numbers=(number,),
        street=course.street,
        seat=seat,
        seats=(seat,),
        face_seen=True,
    )


def off_table(course: Course, event: CardMoved, number: int, seat: int) -> tuple[Departure, ...]:
    """A hole card was seen to leave the table: the dealer's pitch, or dropped by its player."""
    if seat not in course.live:
        return ()
    dealt = event.by == "dealer" and course.street in ("deal", "preflop") and not course.burned
    return (
        Departure(
            what="moved",
            due="off-table" if dealt else "dropped",
            at_ms=event.at_ms,
            numbers=(number,),
            street=course.street,
            seat=seat,
            seats=(seat,),
            cards=(event.card,),
            face_seen=True,
        ),
    )
