"""A face that a camera saw beside what a key tells of it: two witnesses of one exposure.

A camera knows the card and not who turned it; a key knows whose doing it was and only the seat.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course.course import Course, Departure
from daemon.table.events import CardExposed

UNKNOWN = "unknown"


def named(course: Course, seat: int) -> str | None:
    """The card at this seat of which a camera told, and no key has told yet whose doing it was."""
    doubted = course.doubted
    if doubted is None or doubted.seat != seat:
        return None
    return next((card for card in doubted.cards if card in course.public), None)


def is_known(course: Course, event: CardExposed, seat: int) -> bool:
    """Whether a key has told of this exposure already, as the player's own or without its card."""
    if event.by != UNKNOWN or event.card is None:
        return False
    keyed = set(course.exposed) & set(course.drawn.get(seat, ())) - course.public
    return event.card in course.shown_cards or bool(keyed)


def told_whose(
    course: Course, event: CardExposed, number: int, card: str
) -> tuple[Course, Departure | None]:
    """A key tells whose doing a doubted exposure was: the dealer's for certain, or none of his."""
    doubted = course.doubted
    if event.by == UNKNOWN or doubted is None or card not in doubted.cards:
        return course, None
    course = replace(course, doubted=None)
    if event.by == "player":
        exposed = tuple(other for other in course.exposed if other != card)
        return replace(course, exposed=exposed), None
    return course, replace(doubted, doubt="", numbers=(*doubted.numbers, number))
