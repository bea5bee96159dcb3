"""Further boards that were agreed on: a burn and its cards for each street of each (rules.md 2.7).

The boards may be run one after the other or side by side, so that no plan can hold their order: a
burn belongs to the street that is laid next, whichever board it is on.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of, gravest, skipped, still_there, ticket_of, wrongs
from daemon.course.steps import BURNS, STREET_OF
from daemon.table import places
from daemon.table.events import CardMoved

_STREET_OF_SLOT = {"1": "flop", "2": "flop", "3": "flop", "4": "turn", "5": "river"}


def is_further(place: str) -> bool:
    """Whether it is a slot of a second board, or a third."""
    return "/" in place and not place.startswith("board:1/")


def burned(course: Course) -> Course:
    """A burn, among several boards: only that of a remedy is known to be the one that is due."""
    at = plan.find(course, *BURNS)
    owned = at >= 0 and bool(course.plan[at].owners)
    return plan.take(course, at) if owned and not skipped(course, at) else course


def own_burn(course: Course, at: int) -> Course:
    """The main board's next street, at that index, has the burn made since the last street."""
    for i, step in enumerate(course.plan[:at]):
        if course.burned and step.kind == "burn" and not step.owners:
            return replace(course, plan=course.plan[:i] + course.plan[i + 1 :])
    return course


def laid(course: Course, event: CardMoved, number: int) -> Followed:
    """A card from the stub to a further board: the first one of a street wants its burn."""
    board, _, slot = event.to.partition("/")
    street = _STREET_OF_SLOT.get(slot, "")
    begun = f"{board}/{street}"
    if course.mute or course.over or course.pushed or (street == "flop" and begun in course.begun):
        return course, ()
    course, unburned = replace(course, begun=course.begun | {begun}), not course.burned
    course = replace(course, burned=())
    for at, step in enumerate(course.plan):
        if STREET_OF.get(step.kind) == street and step.owners:
            return _again(course, event, number, at)
    if not unburned or not course.senses("burn"):
        return course, ()
    return course, (
        Departure(
            what="board",
            due="burn",
            at_ms=event.at_ms,
            numbers=(number,),
            street=street,
            cards=(event.card,),
            facts=frozenset({"unexposed"} if event.face == "down" else ()),
            doubt=doubt_of(event),
            home=(places.STUB,),
            face_seen=event.face != "down",
        ),
    )


def _again(course: Course, event: CardMoved, number: int, at: int) -> Followed:
    """The street is dealt again, as the remedy has it."""
    missed = skipped(course, at)
    course = plan.take(replace(course, plan=course.plan[at:]), 0)
    if not missed:
        return course, ()
    due = gravest(missed)
    return course, (
        Departure(
            what="board",
            due=still_there(course, due),
            at_ms=event.at_ms,
            numbers=(number,),
            street=_STREET_OF_SLOT[event.to.partition("/")[2]],
            cards=(event.card,),
            ticket=ticket_of(course, due),
            wrong=wrongs(missed),
        ),
    )
