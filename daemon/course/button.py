"""The dealer button: where the hand just before leaves it, and what moves with it."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.betting import before_flop
from daemon.course.course import Course, Departure, clockwise
from daemon.course.felt import Felt
from daemon.course.skips import Followed
from daemon.course.steps import Step, pitches
from daemon.table.events import ButtonMoved, CardMoved, HandStarted

_SEATS_MIN = 3  # heads-up the button may be shifted so that nobody is big blind twice (TDA 34-B)


def due(felt: Felt, event: HandStarted, rule: str) -> int:
    """The seat where the button should be and is not; 0 where it is right or cannot be told.

    It is held against the hand just before, and only where the same seats play on: who came or left
    may have moved the blinds. A `dead` button may lie before an empty seat (rules.md 4).
    """
    before = felt.before
    if before is None or len(event.seats) < _SEATS_MIN or set(before.seats) != set(event.seats):
        return 0
    consecutive = (
        before.hand.isdigit() and event.hand.isdigit() and int(event.hand) == int(before.hand) + 1
    )
    dead = rule == "dead" and event.button not in event.seats
    if not (consecutive and before.button_known) or dead or before.button not in before.seats:
        return 0
    seats = sorted(event.seats)
    following = next((seat for seat in seats if seat > before.button), seats[0])
    return 0 if event.button == following else following


def misplaced(course: Course, event: CardMoved, number: int) -> tuple[Departure, ...]:
    """The deal begins with the button before the wrong seat."""
    if not course.button_due or course.deal > 1 or course.started is None:
        return ()
    return (
        Departure(
            what="begun",
            due="button",
            at_ms=event.at_ms,
            numbers=(number,),
            seats=(course.started.button,),
            face_seen=True,
        ),
    )


def moved(course: Course, event: ButtonMoved, number: int) -> Followed:
    """The button was put elsewhere before the deal, or before the redeal: the order follows it.

    A redeal is from the same button, unless that was the fault (TDA 2024 rule 35-C).
    """
    if course.pitched and course.mute != "misdeal":
        return course, ()
    ticket = _redealing(course)
    button = course.started.button if course.started else event.to
    found: tuple[Departure, ...] = ()
    if ticket and event.to not in (button, course.button_due):
        found = (
            Departure(
                what="button",
                due="button",
                at_ms=event.at_ms,
                numbers=(number,),
                ticket=ticket,
                wrong=plan.owners_of(course, ticket, "deal"),
            ),
        )
    return turned(course, event.to), found


def _redealing(course: Course) -> int:
    """The misdeal whose redeal is still to come, 0 for none."""
    for ticket, remedy in course.remedies.items():
        states = dict(zip(remedy, course.marks[ticket], strict=True))
        if "collect" in states and states.get("deal") == "open":
            return ticket
    return 0


def turned(course: Course, to: int) -> Course:
    """The same players, dealt to from the left of that seat."""
    started = course.started
    if started is None or started.deal_order or to == started.button:
        return course
    started = replace(started, button=to)
    order = clockwise(started)
    opening = before_flop(started, order, single_from_button=course.single_from_button)
    course = replace(
        course,
        started=started,
        deal_order=order,
        opening=opening,
        button_due=0 if to == course.button_due else course.button_due,
    )
    if course.pitched:
        return course
    return replace(course, bets=opening, plan=_pitched_anew(course.plan, order))


def _pitched_anew(steps: tuple[Step, ...], order: tuple[int, ...]) -> tuple[Step, ...]:
    """The same plan with its pitches in this order; what the first one does stays with it."""
    at = next((at for at, step in enumerate(steps) if step.kind == "pitch"), -1)
    if at < 0:
        return steps
    first, *others = pitches(order)
    rest = tuple(step for step in steps[at:] if step.kind != "pitch")
    return (*steps[:at], replace(first, owners=steps[at].owners), *others, *rest)
