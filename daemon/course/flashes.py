"""A face that may have been seen: noted, claimed, and exposed only by the floor's word."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import exposures, plan
from daemon.course.course import Course, Departure
from daemon.course.noted import Flash
from daemon.course.skips import Followed
from daemon.table import places
from daemon.table.events import CardExposed, Claimed, FloorCalled, FloorRuled

FLASHED = "deal-card-flashed"  # what a ruling of the floor on a flash names


def seen(course: Course, event: CardExposed, number: int) -> Followed:
    """A face that may have been seen is noted, and plays (floor case of 2011).

    One on the board that is none of its cards says that another card may lie there.
    """
    seat = places.seat_of(event.place)
    if places.plain(event.place) == places.BOARD and event.doubt is not None:
        return replace(course, board_doubt=event.doubt.instead), ()
    if seat is None or event.by == "player":
        return course, ()
    return _flashed(course, event, number, seat, exposures.which(course, event))


def claimed(course: Course, event: Claimed, number: int) -> Followed:
    """A player says that a card of his was seen: the last one that he has."""
    at = CardExposed(at_ms=event.at_ms, place=places.SEAT[event.seat])
    return _flashed(course, event, number, event.seat, exposures.which(course, at))


def _flashed(
    course: Course, event: CardExposed | Claimed, number: int, seat: int, card: str | None
) -> Followed:
    if course.mute or course.street not in ("deal", "preflop"):
        return course, ()
    if card in course.drawn.get(seat, ()):
        flash = Flash(card, event.at_ms, number)
        course = replace(course, flashes={**course.flashes, seat: flash})
    return course, (exposures.face(event, number, "flashed", seat=seat),)


def called(course: Course, event: FloorCalled, number: int) -> tuple[Departure, ...]:
    """The floor is asked about a flash: by the seat's own key, or where nothing else wants it."""
    if not _may_be_ruled(course) or (event.seat is None and plan.find(course, "floor") >= 0):
        return ()
    asked = course.flashes if event.seat is None else course.flashes.keys() & {event.seat}
    return tuple(
        replace(
            exposures.face(event, number, "flashed", seat=seat), severity="medium", audience="floor"
        )
        for seat in sorted(asked)
    )


def ruled(course: Course, event: FloorRuled, number: int, first_cards: int) -> Followed:
    """The floor says that the card was seen (`dead`), and so it is exposed, or that it plays."""
    asked = [event.seat] if event.seat else sorted(course.flashes)
    if event.ruling != "dead" or len(asked) != 1 or not _may_be_ruled(course):
        return course, ()
    (seat,) = asked
    flash = course.flashes.get(seat)
    if flash is None or flash.card in course.exposed:
        return course, ()
    found = exposures.by_dealer(course, event, number, (seat, flash.card), first_cards)
    found = replace(found, at_ms=flash.at_ms, numbers=(flash.number, number))
    left = {other: seen for other, seen in course.flashes.items() if other != seat}
    return exposures.noted(replace(course, flashes=left), flash.card), (found,)


def _may_be_ruled(course: Course) -> bool:
    """Whether the deal can still be saved."""
    early = course.street in ("deal", "preflop") and not course.burned
    return early and not (course.mute or course.over)
