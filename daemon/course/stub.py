"""The stub while cards are owed from it: dropped, out of order, seen, drawn from out of order."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of
from daemon.table.cards import is_known
from daemon.table.events import CardDrawn, CardMoved, StubState

_READ_OTHER = "shoe-read-other"  # a reader knows the card by another name than the shoe
_DUE = {"dropped": "dropped", "disordered": "disordered", "down": "down"}
_LET_GO = ("dropped", "down")  # done to count an all-in, and nothing to speak of by itself


def state(course: Course, event: StubState, number: int) -> Followed:
    """What became of the stub; between a shuffle that is due and the next draw it is no fault."""
    course = replace(course, let_go=event.state if event.state in _LET_GO else "")
    if event.state == "rebuilt":
        return _rebuilt(course, event, number)
    owed = plan.next_street(course) >= 0 and len(course.live) > 1 and not course.over
    due = _DUE.get(event.state)
    unready = course.pitched == 0 and not course.felt.ready and course.deal == 1
    between = unready or plan.find(course, "shuffle") >= 0  # washing and scrambling
    if due is None or not owed or course.mute or between:
        return course, ()
    return course, (
        Departure(what="stub", due=due, at_ms=event.at_ms, numbers=(number,), face_seen=True),
    )


def forgotten(course: Course, at_ms: int, number: int) -> tuple[Departure, ...]:
    """The pot was pushed with streets owed from a stub that nobody has taken up again."""
    if not course.let_go:
        return ()
    return (
        Departure(
            what="stub",
            due=course.let_go,
            at_ms=at_ms,
            numbers=(number,),
            severity="medium",
            audience="floor",
            face_seen=True,
        ),
    )


def _rebuilt(course: Course, event: StubState, number: int) -> Followed:
    """The order could be rebuilt: step 1 of RP-4, and nothing need be scrambled."""
    at = plan.find(course, "rebuild-stub")
    if at >= 0:
        return plan.take(course, at), ()
    steps = [step for step in course.plan if step.kind == "scramble" and not step.cards]
    if not steps or course.mute:
        return course, ()
    return course, (
        Departure(
            what="stub",
            due="rebuilt",
            at_ms=event.at_ms,
            numbers=(number,),
            facts=frozenset({"rebuilt"}),
            ticket=steps[0].owners[0][0],
            done=("rebuild-stub",),
        ),
    )


def drawn(course: Course, event: CardDrawn, number: int) -> Followed:
    """The shoe's numbers run on from shuffle to shuffle; a hole means a card nobody saw leave.

    Where shoe and reader name one card differently, the order is in doubt and not the count.
    """
    last, unannounced = course.last_n, course.unannounced
    again = event.n == last and event.card in course.drawn_from_shoe  # asked for once more
    shuffling = plan.find(course, "shuffle") >= 0
    course = replace(
        course,
        last_n=event.n,
        drawn_from_shoe=course.drawn_from_shoe | {event.card},
        unannounced="",
    )
    if not course.senses("order") or again or shuffling or course.mute:
        return course, ()
    hole = last > 0 and event.n != last + 1
    if not hole and unannounced in ("", event.card):
        return course, ()
    return course, (
        Departure(
            what="drawn",
            due="order",
            at_ms=event.at_ms,
            numbers=(number,),
            doubt="" if hole else course.misread,
            face_seen=True,
        ),
    )


def left(course: Course, event: CardMoved) -> Course:
    """A card left the stub: that is in hand. If the shoe has not told of it, its next word must."""
    course = replace(course, let_go="") if course.let_go else course
    known = is_known(event.card) and event.card not in course.drawn_from_shoe
    if not known or not course.drawn_from_shoe or not course.senses("order"):
        return course
    misread = doubt_of(event) if doubt_of(event) == _READ_OTHER else ""
    return replace(course, unannounced=course.unannounced or event.card, misread=misread)
