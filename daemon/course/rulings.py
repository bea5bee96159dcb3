"""The floor ruled: what is due from here where a remedy, or every remedy, is off."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course
from daemon.course.steps import STREET_OF, after, pitches


def without_remedies(course: Course, ticket: int = 0) -> Course:
    """The floor ruled otherwise: from here the hand is due as if there were no remedy.

    With a ticket it is only that remedy that is off: what others want stays due.
    """
    kept = plan.drop(course, ticket).plan if ticket else ()
    others = [step for step in kept if step.owners]
    course = _let_go(course, ticket)
    if course.mute or course.over:
        rest = tuple(step for step in course.plan if not step.owners)
        return replace(course, plan=(*others, *rest))
    pitched = tuple(replace(step, owners=()) for step in course.plan if step.kind == "pitch")
    street = STREET_OF[course.dealing.kind] if course.dealing else course.street
    rest = after(street)
    burn = next((at for at, step in enumerate(rest) if step.kind == "burn"), -1)
    if burn >= 0:  # whether one is owed is as the floor says
        rest = (*rest[:burn], replace(rest[burn], may=True), *rest[burn + 1 :])
    dealing = replace(course.dealing, owners=()) if course.dealing else None
    course = replace(course, plan=pitched + rest, dealing=dealing)
    return plan.settle(plan.with_steps(course, others) if others else course)


def _let_go(course: Course, ticket: int) -> Course:
    """What else of the course hangs on this remedy; a misdeal that is none leaves the deal owed."""
    if ticket and ticket == course.offered:
        course = replace(course, offered=0)
    if ticket and ticket == course.joining:
        course = replace(course, joining=0)
    if not ticket or ticket != course.misdeal or course.mute != "misdeal" or course.void:
        return course
    owed = pitches(course.deal_order) if course.street == "deal" else ()
    given = Counter({seat: len(cards) for seat, cards in course.drawn.items()})
    left = []
    for step in owed:
        given[step.seat] -= 1
        if given[step.seat] < 0:
            left.append(step)
    return replace(course, mute="", misdeal=0, plan=tuple(left))
