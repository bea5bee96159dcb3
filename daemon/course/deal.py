"""The deal: each card to a seat held against the pitch, or the replacement, that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of, gravest, skipped, ticket_of, wrongs
from daemon.table import places
from daemon.table.events import CardMoved


def pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """A card from the stub to a seat: the pitch that is due, a replacement, or one too many."""
    card = event.card
    held = course.drawn.get(seat, ())
    first = course.pitched == 0
    at = plan.find(course, "pitch")
    course = replace(
        course,
        drawn={**course.drawn, seat: (*held, card)},
        first_card=card if first else course.first_card,
        pitched=course.pitched + 1,
        draws_since_pitch=0 if at >= 0 else course.draws_since_pitch + 1,
    )
    if course.mute:
        return course, ()
    if at >= 0:
        return _due_pitch(course, event, number, (seat, at, first, len(held)))
    return _late_pitch(course, event, number, seat)


def _due_pitch(
    course: Course, event: CardMoved, number: int, to: tuple[int, int, bool, int]
) -> Followed:
    seat, at, first, held = to
    expected = course.plan[at].seat
    if seat != expected:
        due = _why_not(course, seat, first=first, held=held)
        home = (places.STUB, places.SEAT[expected]) if due == "other-seat" else (places.STUB,)
        if due == "extra-other":
            course = replace(course, extras=(*course.extras, event.card))
        departure = _at_seat(event, number, seat, due, home)
        if due == "replacement":
            owed = course.plan[plan.find(course, "replace")]
            departure = replace(departure, wrong=owed.owners, ticket=owed.owners[0][0])
        return course, (departure,)
    missed = skipped(course, at)
    course = plan.take(replace(course, plan=course.plan[at:]), 0)
    if plan.find(course, "pitch") < 0:
        course = _all_dealt(course)
    if not missed:
        return course, ()
    step = gravest(missed)
    return course, (
        Departure(
            what="pitch",
            due=step.kind,
            at_ms=event.at_ms,
            numbers=(number,),
            street="deal",
            ticket=ticket_of(course, step),
            wrong=wrongs(missed),
            doubt=doubt_of(event),
        ),
    )


def _why_not(course: Course, seat: int, *, first: bool, held: int) -> str:
    if seat not in course.deal_order:
        return "unentitled"
    if first:
        return "first-seat"
    owed = plan.find(course, "replace")
    if owed >= 0 and course.plan[owed].seat == seat:
        return "replacement"
    if held >= 2:
        return "extra-more" if course.extras else "extra-other"
    return "other-seat"


def _all_dealt(course: Course) -> Course:
    """The last card of the initial deal is out: hands without a player are killed (TDA 30)."""
    return plan.settle(replace(course, street="preflop", draws_since_pitch=0))


def _late_pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """All have their two cards: only an exposed card's replacement may still be owed."""
    at = plan.find(course, "replace")
    if at >= 0 and course.plan[at].seat == seat:
        course = plan.take(course, at)
        return replace(course, replacement=event.card), ()
    if course.street != "preflop" or course.burned:
        return course, ()
    doubted = course.doubted
    if doubted and doubted.seat == seat and course.draws_since_pitch == 1:
        # The dealer replaces it, so he did expose it.
        sure = replace(doubted, doubt="", numbers=(*doubted.numbers, number), done=("replace",))
        return replace(course, doubted=None, replacement=event.card), (sure,)
    if seat not in course.deal_order:
        return course, (_at_seat(event, number, seat, "unentitled", (places.STUB,)),)
    facts = {"acted"} if course.acts_in_turn else set()
    due = "extra-other"
    if course.extras:
        due = "extra-more"
    elif seat == course.deal_order[0] and course.draws_since_pitch == 1:
        due = "extra-first"
    if course.draws_since_pitch == 1 and not course.acts_in_turn:
        facts.add("last-off-deck")
    course = replace(course, extras=(*course.extras, event.card))
    home = (places.STUB, places.BURN, places.ASIDE)
    departure = _at_seat(event, number, seat, due, home)
    return course, (replace(departure, facts=frozenset(facts)),)


def _at_seat(
    event: CardMoved, number: int, seat: int, due: str, home: tuple[str, ...]
) -> Departure:
    return Departure(
        what="pitch",
        due=due,
        at_ms=event.at_ms,
        numbers=(number,),
        street="deal",
        seat=seat,
        seats=(seat,),
        cards=(event.card,),
        doubt=doubt_of(event),
        home=home,
        face_seen=event.face == "up",
    )
