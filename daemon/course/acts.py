"""An act, keyed or seen: what it says of the deal, of scraps on the board, of the round."""

from __future__ import annotations

from daemon.course import rounds, scraps, words
from daemon.course.course import Course, Departure, substantial
from daemon.course.house import House
from daemon.course.skips import Followed
from daemon.table.events import Acted


def acted(
    course: Course, event: Acted, number: int, house: House, *, keyed: bool = True
) -> Followed:
    """A seat acted; not `keyed` where only its cards say so."""
    late = substantial(course, house.substantial_action)
    short = rounds.at_act(course, event, number, late=late)
    kept: tuple[Departure, ...] = ()
    if event.action != "post":
        course, kept = scraps.played(course, event.at_ms, number)
    if house.absent_plays_redeal:
        course = rounds.returned(course, event)
    course, found = words.acted(course, event, number, house, keyed=keyed)
    return course, short + kept + found


def folded(course: Course, seat: int, at_ms: int, number: int, house: House) -> Followed:
    """A hand lies in the muck: a fold, whether or not it was keyed (formats: folds)."""
    fold = Acted(at_ms=at_ms, seat=seat, action="fold")
    return acted(course, fold, number, house, keyed=False)
