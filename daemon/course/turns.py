"""Acts at the wrong time: before the deal is complete, or behind a seat that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Course, Departure
from daemon.course.house import House
from daemon.course.noted import Behind
from daemon.course.skips import Followed
from daemon.table.events import Acted, Betting

CHIP_ACTS = frozenset({"call", "bet", "raise", "all-in"})
_ACTS_BEHIND = 3  # with so many acts behind it a seat has lost its turn (rules.md 2.0)
_SEATS_MAX = 2  # chips of so many seats before an owed replacement concern the floor (rules.md 2.2)
_NUMBERS_MAX = 32


def too_soon(course: Course, event: Acted, number: int) -> Followed:
    """The action began while cards were still being dealt, or a replacement was owed.

    Under the gun acts while the button waits for its card nearly every orbit, so that is noted and
    no more; chips of two seats before an owed replacement may shut the deal's window.
    """
    owed = plan.find(course, "replace") >= 0
    pitching = course.street == "deal" and course.pitched > 0
    if course.mute or not (pitching or owed) or not betting.is_in_turn(course.bets, event):
        return course, ()
    found = _early(event, number)
    if not owed:  # a later pitch shows that the deal was not over
        return replace(course, early=course.early or found), ()
    chips = course.early_chips
    if event.action in CHIP_ACTS:
        chips |= {event.seat}
    grave = len(chips) >= _SEATS_MAX > len(course.early_chips)
    first = not course.acted_early
    course = replace(course, acted_early=True, early_chips=chips)
    if grave:
        seats = tuple(sorted(chips))
        return course, (replace(found, seats=seats, severity="medium", audience="floor"),)
    return course, (found,) if first else ()


def _early(event: Acted, number: int) -> Departure:
    return Departure(
        what="acted",
        due="deal",
        at_ms=event.at_ms,
        numbers=(number,),
        seats=(event.seat,),
        face_seen=True,
    )


def deal_went_on(before: Course, course: Course, number: int) -> Followed:
    """A pitch that was due came after an act: the deal had not been complete."""
    early = before.early
    went_on = len(course.plan) < len(before.plan) or bool(course.mute)
    if early is None or before.acted_early or before.mute or not went_on:
        return course, ()
    return replace(course, early=None, acted_early=True), (
        replace(early, numbers=(*early.numbers, number)),
    )


def behind(course: Course, event: Acted, number: int, house: House) -> Followed:
    """An act behind a seat that is due: with enough of them that seat was skipped.

    A seat that could check may have tapped the table unseen. Who is due is not known where nobody
    sees the streets come.
    """
    due = betting.due_order(course.bets)
    passed = bool(due) and event.seat in due and event.seat != due[0]
    if not passed or course.betting != Betting() or not course.senses("board"):
        return course, ()
    old = course.behind
    if old is None or old.seat != due[0]:
        faces_bet = betting.faces_bet(course.bets, due[0])
        old = Behind(due[0], (), 0, event.at_ms, faces_bet=faces_bet)
    now = replace(
        old,
        numbers=(*old.numbers, number)[-_NUMBERS_MAX:],
        chips=old.chips + (event.action in CHIP_ACTS),
    )
    over_ms = _speech_over_ms(now, house)
    lost = now.lost or (over_ms is not None and over_ms <= event.at_ms)
    course = replace(course, behind=replace(now, lost=lost))
    reached = is_reached(now, house.skipped_window)
    if course.mute or not reached or is_reached(old, house.skipped_window):
        return course, ()
    return course, (
        Departure(
            what="acted",
            due="turn",
            at_ms=event.at_ms,
            numbers=now.numbers,
            street=course.street,
            seat=now.seat,
            seats=(now.seat,),
            doubt="" if now.faces_bet else "silent-check",
            face_seen=True,
        ),
    )


def is_reached(now: Behind, window: str) -> bool:
    """Whether enough was acted behind the seat: three acts, or substantial action out of turn."""
    acts = len(now.numbers)
    return acts >= _ACTS_BEHIND or (window == "sa-out-of-turn" and acts > 1 and now.chips > 0)


def _speech_over_ms(now: Behind, house: House) -> int | None:
    """When the skipped seat's right to act is gone; None while too little was acted behind it.

    By TDA 2024 rule 53-B it had reasonable time to speak, too: from when it was passed over.
    """
    if not is_reached(now, house.skipped_window):
        return None
    time_ms = house.skipped_ms if house.skipped_window == "sa-out-of-turn" else 0
    return now.since_ms + time_ms


def may_speak_until_ms(course: Course, house: House) -> int | None:
    """When a skipped seat's time to speak is over, where that is still to come."""
    now = course.behind
    return None if now is None or now.lost or course.mute else _speech_over_ms(now, house)


def time_is_up(course: Course) -> Course:
    """The skipped seat let its time to speak go."""
    if course.behind is None:
        return course
    return replace(course, behind=replace(course.behind, lost=True))


def without_turn(course: Course) -> Course:
    """A seat that faced a bet and let its turn go holds nothing up: the next card is not early."""
    now = course.behind
    if now is None or not (now.lost and now.faces_bet) or now.seat not in course.bets.owing:
        return course
    return replace(course, bets=replace(course.bets, owing=course.bets.owing - {now.seat}))
