"""What changes in the course of a hand by the mere passing of time."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan, turns
from daemon.course.course import Course
from daemon.course.house import House
from daemon.course.steps import SIZE
from daemon.table import places


def deadlines_ms(course: Course, house: House, public_ms: int) -> list[int]:
    """When board cards are public (`public_ms` after they lie), when a skipped seat is too late."""
    due = [course.unturned_ms + public_ms] if _is_shown_soon(course) else []
    until_ms = turns.may_speak_until_ms(course, house)
    return due if until_ms is None else [*due, until_ms]


def passed(course: Course, house: House, public_ms: int, at_ms: int) -> Course:
    """The course once the deadlines up to `at_ms` are over."""
    if _is_shown_soon(course) and course.unturned_ms + public_ms <= at_ms:
        seen = frozenset(course.unturned) - course.face_down
        course = replace(course, public=course.public | seen, unturned=())
    until_ms = turns.may_speak_until_ms(course, house)
    return turns.time_is_up(course) if until_ms is not None and until_ms <= at_ms else course


def settled(course: Course) -> Course:
    """A skipped seat that is too late holds the round up no more; its ruling was changed first."""
    return plan.settle(turns.without_turn(course))


def _is_shown_soon(course: Course) -> bool:
    """Whether a whole street lies there whose faces nobody has told."""
    if not course.unturned or course.dealing:
        return False
    part_of_flop = course.street in ("deal", "preflop") and len(course.unturned) < SIZE["flop"]
    # A flop may be short of a card though it was acted upon.
    lying = sum(place == places.BOARD for place in course.felt.lies.values())
    return lying >= SIZE["flop"] and not part_of_flop
