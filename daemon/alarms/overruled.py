"""The floor's word on one alert: the hand is judged on without that alert's remedy."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.alarms.life import Life
from daemon.course import rulings
from daemon.course.course import Course
from daemon.table.events import FloorRuled


def without(
    course: Course, lives: dict[int, Life], word: FloorRuled
) -> tuple[Course, dict[int, Life]]:
    """The course and the lives once an alert was ruled upon; it is final then."""
    for ticket, life in lives.items():
        if life.name != word.alert or life.final or not life.is_told:
            continue
        course = rulings.without_remedies(course, ticket, stands=word.ruling == "stands")
        ended = replace(life, final=True, eased=False, until_ms=None)
        return course, {**lives, ticket: ended}
    return course, lives
