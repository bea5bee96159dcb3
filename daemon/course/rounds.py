"""The rounds of the deal: seats that are passed over, and hands that are short when it is over."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course.course import Course, Departure
from daemon.table.events import Acted, CardMoved, Claimed


def _owed(course: Course) -> list[int]:
    """Whose pitches are still due, in order."""
    return [step.seat for step in course.plan if step.kind == "pitch"]


def is_pass(course: Course, seat: int) -> bool:
    """Whether this pitch goes to the seat behind the one that is due, which has no card yet."""
    owed = _owed(course)
    return owed[1:2] == [seat] and owed[0] != seat and not course.drawn.get(owed[0])


def passes_over(course: Course, seat: int) -> bool:
    """Whether the deal goes on as if the seat that was passed were not there.

    Only a card that it gets later shows that it was dealt out of sequence (rules.md 2.2).
    """
    owed = _owed(course)
    passed = course.passed
    is_next = owed[:1] == [passed] and owed[2:3] == [seat] and seat != passed
    return passed > 0 and is_next and not course.mute and not course.drawn.get(passed)


def passed_over(course: Course) -> Course:
    """The seat's turn, and the pitch that passed it, are off the plan."""
    first = next(at for at, step in enumerate(course.plan) if step.kind == "pitch")
    kept, left = course.plan[:first], course.plan[first:]
    over = 2
    rest = []
    for step in left:
        if step.kind == "pitch" and over:
            over -= 1
        else:
            rest.append(step)
    seats = course.passed_over | {course.passed}
    return replace(course, plan=(*kept, *rest), passed=0, passed_over=seats)


def without_turn(course: Course, seat: int) -> Course:
    """A seat that was passed over before is so again."""
    at = next(i for i, s in enumerate(course.plan) if s.kind == "pitch" and s.seat == seat)
    return replace(course, plan=course.plan[:at] + course.plan[at + 1 :])


def short(
    course: Course, at_ms: int, number: int, *, late: bool | None, drawn: bool = False
) -> tuple[Departure, ...]:
    """The deal is over, and these seats have too few cards; judged by draws, never by antennas.

    `late` says that the window for a misdeal is shut, `drawn` that the top card is another's now.
    """
    if not course.pitched or course.mute or not course.senses("place"):
        return ()
    owed = _owed(course)
    undealt = [seat for seat in course.deal_order if seat in course.passed_over]
    entitled = course.live | (course.dead_seats & course.passed_over)  # dealt in, then killed
    seats = [s for s in dict.fromkeys([*undealt, *owed]) if s in entitled]
    button = course.deal_order[-1]
    found = []
    for seat in seats:
        held = len(course.drawn.get(seat, ()))
        due = "short" if held else "none"
        if held == 1 and seats == [button]:
            due = "short-button"
        elif held and late:
            due = "late-count"
        found.append(
            Departure(
                what="deal",
                due=due,
                at_ms=at_ms,
                numbers=(number,),
                street="deal",
                seat=seat,
                seats=(seat,),
                facts=_facts(course, seat, drawn=drawn),
                face_seen=True,
            )
        )
    return tuple(found)


def _facts(course: Course, seat: int, *, drawn: bool) -> frozenset[str]:
    facts = set()
    if not (drawn or course.burned or course.board or seat in course.passed_over):
        facts.add("in-sequence")
    if seat not in course.bets.owing and course.acted_on_street:
        facts.add("acted")
    return frozenset(facts)


def late_card(
    before: Course, event: CardMoved, number: int, seat: int, *, late: bool | None
) -> tuple[Departure, ...]:
    """A card too many comes to a live hand once a street was dealt, or its burn."""
    owed = any(s.kind in ("replace", "button-card") and s.seat == seat for s in before.plan)
    dealing = before.street in ("deal", "preflop") and not before.burned
    if before.mute or before.over or before.pushed or owed or dealing or late is False:
        return ()
    if seat not in before.live:
        return ()
    doubt = "" if late else "window-unknown"
    return (
        Departure(
            what="deal",
            due="late-count",
            at_ms=event.at_ms,
            numbers=(number,),
            street="deal",
            seat=seat,
            seats=(seat,),
            cards=(event.card,),
            doubt=event.doubt.instead if event.doubt else doubt,
            face_seen=True,
        ),
    )


def claimed(
    course: Course, event: Claimed, number: int, *, late: bool | None
) -> tuple[Departure, ...]:
    """A player says that he has too few cards."""
    if event.what not in ("short", "undealt", "other"):
        return ()
    found = short(course, event.at_ms, number, late=late)
    return tuple(departure for departure in found if departure.seat == event.seat)


def returned(course: Course, event: Acted) -> Course:
    """A seat that was absent at the first deal may play the redeal (TDA 2024 rules 35-C, 30)."""
    seat, bets = event.seat, course.bets
    if course.deal == 1 or seat not in course.dead_seats or seat in bets.live:
        return course
    owing = bets.owing | {seat} if bets.owing else bets.owing
    return replace(
        course,
        dead_seats=course.dead_seats - {seat},
        bets=replace(bets, live=bets.live | {seat}, owing=owing),
    )


def at_act(
    course: Course, event: Acted, number: int, *, late: bool | None
) -> tuple[Departure, ...]:
    """The action begins: who has no card was skipped; who acts on one card has too few.

    Any other card that is owed may still come: the first seats act while the button waits for its
    card nearly every orbit.
    """
    owed = _owed(course)
    if event.action == "post" or not (owed or course.passed_over):
        return ()
    waiting = set(owed) - course.passed_over
    found = short(course, event.at_ms, number, late=late)
    return tuple(
        departure
        for departure in found
        if (departure.due == "none" and not waiting)
        or (departure.due == "short-button" and departure.seat == event.seat)
    )
