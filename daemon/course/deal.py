"""The deal: each card to a seat held against the pitch, or the replacement, that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan, rounds, taken
from daemon.course.button import misplaced, turned
from daemon.course.course import Course, Departure
from daemon.course.deck import leftover
from daemon.course.skips import Followed, doubt_of, gravest, skipped, ticket_of, wrongs
from daemon.table import places
from daemon.table.events import CardMoved

# What a pitch does not leave behind: it may still be done while the deal goes on.
_KEPT = frozenset({"scrap", "floor", "kill-hand"})


def pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """A card from the stub to a seat: the pitch that is due, a replacement, or one too many."""
    card = event.card
    before = course
    held = course.drawn.get(seat, ())
    first = course.pitched == 0
    at = plan.find(course, "pitch")
    course = replace(
        course,
        drawn={**course.drawn, seat: (*held, card)},
        first_card=card if first else course.first_card,
        second_card=card if course.pitched == 1 else course.second_card,
        packet=event.packet,
        last_card=card,
        felt=replace(course.felt, change_due=False) if first else course.felt,
        pitched=course.pitched + 1,
        draws_since_pitch=0 if at >= 0 else course.draws_since_pitch + 1,
    )
    if course.mute:
        return course, ()
    found: tuple[Departure, ...] = ()
    if first:
        found = leftover(before, event, number) + misplaced(before, event, number)
        course = _by_button(course, seat)
        at = plan.find(course, "pitch")
    if event.packet is not None and event.packet == before.packet and at >= 0:
        return _packet(course, event, number, seat)
    if at >= 0:
        course, departed = _due_pitch(course, event, number, (seat, at, first, len(held)))
        return course, departed + found
    course, departed = _late_pitch(course, event, number, seat)
    return course, departed + found


def _by_button(course: Course, seat: int) -> Course:
    """A redeal after a misplaced button may be dealt from where the button should have been."""
    due = course.button_due
    if course.deal == 1 or not due or seat == course.deal_order[0]:
        return course
    course = turned(replace(course, pitched=0), due)
    return replace(course, pitched=1)


def _packet(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """Two cards pitched at once; each may still be where it belongs."""
    at = plan.find(course, "pitch")
    found = _at_seat(event, number, seat, "packet", (places.STUB,))
    if course.plan[at].seat == seat:
        course, _ = _due_pitch(course, event, number, (seat, at, False, 0))
    return course, (found,)


def _due_pitch(
    course: Course, event: CardMoved, number: int, to: tuple[int, int, bool, int]
) -> Followed:
    seat, at, first, held = to
    expected = course.plan[at].seat
    ticket = _covers(course, seat, at)
    if ticket:  # the scrap's place is filled after the deal
        course = replace(course, plan=course.plan[:at] + course.plan[at + 1 :])
        course, found = _due_pitch(course, event, number, (seat, at, first, held))
        covered = _at_seat(event, number, expected, "covered", ())
        return course, (*found, replace(covered, ticket=ticket, facts=frozenset({"covered"})))
    if rounds.passes_over(course, seat):
        course = rounds.passed_over(course)
        return _due_pitch(course, event, number, (seat, plan.find(course, "pitch"), first, held))
    if expected in course.passed_over and seat != expected:
        course = rounds.without_turn(course, expected)
        return _due_pitch(course, event, number, (seat, plan.find(course, "pitch"), first, held))
    if seat != expected:
        due = _why_not(course, seat, first=first, held=held)
        if due == "other-seat":
            passed = expected if rounds.is_pass(course, seat) else 0
            course = replace(course, passed=passed)
        home = (places.STUB, places.SEAT[expected]) if due == "other-seat" else (places.STUB,)
        if due == "extra-other":
            course = replace(course, extras=(*course.extras, event.card))
        departure = _at_seat(event, number, seat, due, home)
        if due == "replacement":
            owed = course.plan[plan.find(course, "replace")]
            departure = replace(departure, wrong=owed.owners, ticket=owed.owners[0][0])
        return course, (departure,)
    if seat in course.passed_over:  # it was not skipped, but dealt out of turn
        course = plan.take(replace(course, passed_over=course.passed_over - {seat}), at)
        if plan.find(course, "pitch") < 0:
            course = _all_dealt(course)
        return course, (_at_seat(event, number, seat, "other-seat", (places.STUB,)),)
    missed = skipped(course, at)
    kept = tuple(step for step in course.plan[:at] if step.kind in _KEPT)
    course = plan.take(replace(course, plan=(*kept, *course.plan[at:])), len(kept))
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


def _covers(course: Course, seat: int, at: int) -> int:
    """The remedy whose next card is due, where the hand after it gets one first; 0 for none."""
    step = course.plan[at]
    following = [s.seat for s in course.plan[at + 1 :] if s.kind == "pitch"][:1]
    if step.seat == seat or following != [seat]:
        return 0
    owners = [t for t, i in step.owners if course.remedies[t][i] == "next-card"]
    return owners[0] if owners else 0


def _why_not(course: Course, seat: int, *, first: bool, held: int) -> str:
    if seat not in course.deal_order:
        return "unentitled"
    if first:
        return "first-seat"
    owed = plan.find(course, "replace")
    if owed >= 0 and course.plan[owed].seat == seat:
        return "replacement"
    if held >= 2:
        if seat in course.shown_seats:
            return "undue"
        return "extra-more" if course.extras else "extra-other"
    return "other-seat"


def _all_dealt(course: Course) -> Course:
    """The last card of the initial deal is out: hands without a player are killed (TDA 30)."""
    return plan.settle(replace(course, street="preflop", draws_since_pitch=0))


def _late_pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """All have their two cards: only an exposed card's replacement may still be owed."""
    for at, step in enumerate(course.plan):
        if step.kind in ("replace", "button-card") and step.seat == seat:
            course = plan.take(course, at)
            return replace(course, replacement=event.card), ()
    if course.street != "preflop" or course.burned:
        return course, ()
    if taken.is_replaced(course, seat):
        return replace(course, replacement=event.card), ()
    doubted = course.doubted
    one = doubted is not None and doubted.due == "one"
    if doubted and one and doubted.seat == seat and course.draws_since_pitch == 1:
        # The dealer replaces it, so he did expose it.
        sure = replace(doubted, doubt="", numbers=(*doubted.numbers, number), done=("replace",))
        return replace(course, doubted=None, replacement=event.card), (sure,)
    if seat not in course.deal_order:
        return course, (_at_seat(event, number, seat, "unentitled", (places.STUB,)),)
    facts = {"acted"} if course.acts_in_turn else set()
    due = "extra-other"
    if seat in course.shown_seats:
        due = "undue"
    elif course.extras:
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
