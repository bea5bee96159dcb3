"""A pitched card that is at its seat no more: taken back, or put right into another hand."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course
from daemon.course.steps import CARDS_OF_A_HAND, Step, pitches


def is_dealt(course: Course, seat: int) -> bool:
    """Whether the hand is whole, or the action has begun: until then nobody can fold it."""
    owed = any(step.kind == "pitch" and step.seat == seat for step in course.plan)
    return not owed or course.acts_in_turn > 0


def unpitched(course: Course, card: str, seat: int, other: int | None) -> Course:
    """A pitched card was taken back, or put right into the hand that was due."""
    drawn = dict(course.drawn)
    if card not in drawn.get(seat, ()):
        return course
    drawn[seat] = tuple(c for c in drawn[seat] if c != card)
    extras = tuple(c for c in course.extras if c != card)
    course = replace(course, drawn=drawn, extras=extras)
    if other is None:
        return _owed_again(replace(course, pitched=course.pitched - 1), card, seat)
    course = _owed_again(course, card, seat)
    course = replace(course, drawn={**drawn, other: (*drawn.get(other, ()), card)})
    at = plan.find(course, "pitch")
    if at >= 0 and course.plan[at].seat == other:
        course = plan.take(replace(course, plan=course.plan[at:]), 0)
        if plan.find(course, "pitch") < 0:
            course = plan.settle(replace(course, street="preflop", draws_since_pitch=0))
    return course


def _owed_again(course: Course, card: str, seat: int) -> Course:
    """A card that was rightly the seat's is there no more: it is owed, at once or after the others.

    One that is replaced is no pitch; where no card is left out, the deal begins anew.
    """
    replaced = (*course.exposed, *course.shown_cards, *course.boxed)
    early = course.street in ("deal", "preflop") and not course.burned and not course.board
    if not early or card in replaced or seat not in course.deal_order:
        return course
    owed = [step for step in course.plan if step.kind == "pitch"]
    mine = sum(step.seat == seat for step in owed)
    if len(course.drawn[seat]) + mine >= CARDS_OF_A_HAND:
        return course
    rest = tuple(step for step in course.plan if step.kind != "pitch")
    again = Step("pitch", seat=seat)
    due = (again, *owed) if card == course.last_card else (*owed, again)
    if not any(course.drawn.values()):
        due = pitches(course.deal_order)
    return replace(course, plan=(*due, *rest), street="deal")
