"""The river that is saved face down while an early turn is mixed in again (rules.md 3, SM-10)."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of, gravest, skipped, wrongs
from daemon.course.steps import Step
from daemon.table.events import CardMoved


def saved(course: Course, event: CardMoved, number: int) -> Followed | None:
    """The would-be river is laid face down for later, once the round is over and burned for.

    None where no river is to be saved now.
    """
    at = plan.find(course, "save-river")
    street = plan.next_street(course)
    if at < 0 or (0 <= street < at):
        return None
    step, missed = course.plan[at], skipped(course, at)
    kept = tuple(other for other in course.plan[:at] if other not in missed)
    course = plan.take(replace(course, plan=(*kept, *course.plan[at:])), len(kept))
    later = tuple(
        replace(other, cards=(event.card,)) if other.kind == "river-from-saved" else other
        for other in course.plan
    )
    course = replace(course, plan=later)
    if not missed and event.face != "up":
        return course, ()
    found = Departure(
        what="board",
        due=gravest(missed).kind if missed else "branch",
        at_ms=event.at_ms,
        numbers=(number,),
        street="river",
        cards=(event.card,),
        ticket=step.owners[0][0],
        wrong=wrongs(missed) or step.owners,
        doubt=doubt_of(event),
    )
    return course, (found,)


def other_river(event: CardMoved, number: int, step: Step) -> tuple[Departure, ...]:
    """Another card off the stub is dealt than the river that was saved (SM-10)."""
    if step.kind != "river-from-saved":
        return ()
    return (
        Departure(
            what="board",
            due="branch",
            at_ms=event.at_ms,
            numbers=(number,),
            street="river",
            cards=(event.card,),
            ticket=step.owners[0][0],
            wrong=step.owners,
            doubt=doubt_of(event),
        ),
    )
