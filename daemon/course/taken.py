"""A hole card taken from its hand while the deal can be saved, and nobody keyed an exposure.

The dealer exposed it and takes it for the burn (SM-1), or its player did and it should have played:
without a key nobody can tell (rules.md 2.2). So the hand is followed as if all were well: its next
card is no extra one, and the card may be the burn of the flop.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed
from daemon.table import places
from daemon.table.events import CardMoved

UNKEYED = "exposure-unkeyed"


def is_taken(course: Course, event: CardMoved, seat: int, to: str) -> bool:
    """Whether a card that nobody has a word for goes aside, or to the burns."""
    card = event.card
    early = course.street in ("deal", "preflop") and not course.burned
    own = card in course.drawn.get(seat, ()) and seat in course.live
    told = (*course.exposed, *course.extras, *course.boxed, *course.odd, *course.shown_cards)
    away = to in (places.ASIDE, places.BURN) and event.by != "player"
    return early and own and away and card not in told and not (course.mute or course.over)


def taken(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """It may be replaced unduly; until it lies before its player again the hand lacks a card."""
    found = undue(event.card, seat, event.at_ms, (number,))
    left = tuple(card for card in course.drawn[seat] if card != event.card)
    drawn = {**course.drawn, seat: left}
    course = replace(course, drawn=drawn, unkeyed={**course.unkeyed, event.card: seat})
    return course, (replace(found, doubt=UNKEYED),)


def undue(card: str, seat: int, at_ms: int, numbers: tuple[int, ...]) -> Departure:
    """A card that its player exposed was taken from him; it may be put back."""
    return Departure(
        what="pitch",
        due="undue",
        at_ms=at_ms,
        numbers=numbers,
        street="deal",
        seat=seat,
        seats=(seat,),
        cards=(card,),
        home=(places.SEAT[seat],),
    )


def put_back(course: Course, card: str, to: str) -> Course:
    """The card lies before its player again."""
    seat = course.unkeyed.get(card, 0)
    if not seat or to != places.SEAT[seat]:
        return course
    drawn = {**course.drawn, seat: (*course.drawn.get(seat, ()), card)}
    return replace(course, drawn=drawn, unkeyed=_without(course, card))


def card_of(course: Course, seat: int) -> str | None:
    """The card that was taken from this seat, and of which a key may tell late."""
    return next((card for card, whose in course.unkeyed.items() if whose == seat), None)


def told(course: Course, card: str) -> Course:
    """It is known now whose doing the exposure was."""
    return replace(course, unkeyed=_without(course, card))


def is_replaced(course: Course, seat: int) -> bool:
    """Whether a card that just came to the seat is the one that it lacked."""
    return card_of(course, seat) is not None and len(course.drawn.get(seat, ())) <= 2


def as_burn(course: Course) -> Course:
    """Before the flop: such a card among the burns may be the burn that is due."""
    lies = course.felt.lies
    at = plan.find(course, "burn")
    street = plan.next_street(course)
    begun = course.street != "preflop" or course.dealing is not None or bool(course.burned)
    due = not begun and 0 <= at < street
    if not due or all(lies.get(card) != places.BURN for card in course.unkeyed):
        return course
    return plan.take(course, at)


def _without(course: Course, card: str) -> dict[str, int]:
    return {other: seat for other, seat in course.unkeyed.items() if other != card}
