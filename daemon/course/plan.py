"""The plan as data: what is due of it, taking a step off it, leaving one undone."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting
from daemon.course.course import Course, redeal
from daemon.course.steps import (
    FLOATING,
    STREET_OF,
    WHOLE,
    Step,
    ordinary,
    pitches,
)

ROUND_ENDS = frozenset({"close", *STREET_OF})


def mark(course: Course, owners: tuple[tuple[int, int], ...], state: str) -> Course:
    """Note how these remedy steps stand now: done, wrong, void or unseen; wrong stays wrong."""
    if not owners:
        return course
    marks = dict(course.marks)
    for ticket, at in owners:
        states = marks[ticket]
        if states[at] != "wrong":
            marks[ticket] = (*states[:at], state, *states[at + 1 :])
    return replace(course, marks=marks)


def take(course: Course, at: int) -> Course:
    """The step at that index was done: off the plan with it."""
    step = course.plan[at]
    rest = course.plan[:at] + course.plan[at + 1 :]
    open_still = {owner for other in rest for owner in other.owners} if step.owners else set()
    done = tuple(owner for owner in step.owners if owner not in open_still)
    return mark(replace(course, plan=rest), done, "done")


def leave(course: Course, until: int, state: str) -> Course:
    """Drop the steps before that index: they were not done, and the hand went on without them."""
    for step in course.plan[:until]:
        course = mark(course, step.owners, state)
    return replace(course, plan=course.plan[until:])


def find(course: Course, *kinds: str) -> int:
    """The index of the first step of these kinds, or -1."""
    for at, step in enumerate(course.plan):
        if step.kind in kinds:
            return at
    return -1


def ticked(course: Course, *kinds: str) -> Course:
    """The first step of each of these kinds was done, if one is due."""
    for kind in kinds:
        at = find(course, kind)
        course = take(course, at) if at >= 0 else course
    return course


def next_street(course: Course) -> int:
    """The index of the next step that deals a street, or -1."""
    for at, step in enumerate(course.plan):
        if step.kind in STREET_OF:
            return at
    return -1


def street_owed(course: Course) -> int:
    """The index of the first street that is due and does not lie there already, or -1."""
    for at, step in enumerate(course.plan):
        street = STREET_OF.get(step.kind)
        if street is not None and len(course.board) < WHOLE[street]:
            return at
    return -1


def owns(step: Step, ticket: int) -> bool:
    """Whether the step belongs to that remedy."""
    return any(owner == ticket for owner, _ in step.owners)


def shares(step: Step, other: Step) -> bool:
    """Whether both belong to one remedy."""
    return any(owns(other, ticket) for ticket, _ in step.owners)


def owners_of(course: Course, ticket: int, kind: str) -> tuple[tuple[int, int], ...]:
    """The steps of that kind in a remedy, as owners."""
    remedy = course.remedies[ticket]
    return tuple((ticket, at) for at, step in enumerate(remedy) if step == kind)


def settle(course: Course) -> Course:
    """Take the close off the plan when nobody owes any more; a street being laid has its own."""
    at = find(course, *ROUND_ENDS)
    if at < 0 or course.plan[at].kind != "close" or course.street == "deal" or course.dealing:
        return course
    told = course.betting.level != "none" and betting.closed(course.bets, course.betting)
    if not (told or course.pushed):  # after the pot nobody bets any more
        return course
    return take(course, at)


def standing(remedy: tuple[str, ...], marks: tuple[str, ...]) -> tuple[str, ...]:
    """How each step stands, as people see it: later, due, done, wrong, void or unseen."""
    states: list[str] = []
    held = False  # an open step stands before
    round_open = False  # an open step that ends or begins a round stands before
    for kind, state in zip(remedy, marks, strict=True):
        if state != "open":
            states.append(state)
            continue
        due = not round_open if kind == "close" else kind in FLOATING or not held
        states.append("due" if due else "later")
        held = True
        round_open = round_open or kind in ROUND_ENDS
    return tuple(states)


def drop(course: Course, ticket: int) -> Course:
    """Take a remedy's open steps off the plan: another ruling applies now, or none."""
    kept = []
    for step in course.plan:
        owners = tuple(owner for owner in step.owners if owner[0] != ticket)
        if step.owners and not owners:
            continue
        kept.append(replace(step, owners=owners) if owners != step.owners else step)
    return replace(course, plan=tuple(kept))


def killed(course: Course, seat: int) -> Course:
    """All cards of that hand lie in the muck."""
    for at, step in enumerate(course.plan):
        if step.kind == "kill-hand" and step.seat == seat:
            return take(course, at)
    return course


def abandon(course: Course) -> Course:
    """One live hand is left, or the pot went: nothing is owed and nothing is late.

    But if that hand is one that was to be killed, it has won instead.
    """
    for step in course.plan:
        if not (step.kind == "kill-hand" and step.seat in course.live):
            course = mark(course, step.owners, "void")
    return replace(course, plan=(), over=True)


def dealt(course: Course) -> Course:
    """The deal is over, or was not seen: what is left of it is owed no more.

    What a remedy wanted pitched, and nobody did where that would be seen, was left undone.
    """
    if course.street != "deal":
        return course
    undone = "wrong" if course.senses("place") else "void"
    kept = []
    for step in course.plan:
        if step.kind == "pitch" or (step.kind == "cut" and not step.owners):
            course = mark(course, step.owners, undone)
        else:
            kept.append(step)
    return settle(replace(course, plan=tuple(kept), street="preflop"))


def dealt_anew(course: Course) -> Course:
    """The cards were collected for a redeal: what the misdeal's remedy still wants stays due.

    The first pitch of the new deal does the remedy's `deal` (formats: misdeal).
    """
    rest = [step for step in course.plan if step.kind != "collect"]
    owed = tuple(owner for step in rest if step.kind == "deal" for owner in step.owners)
    before = [step for step in rest if step.kind not in ("deal", "close", "showdown")]
    if not owed:
        before = [Step("shuffle"), Step("cut")]
    first, *others = pitches(course.deal_order)
    after = ordinary(course.deal_order, with_cut=False)[len(others) + 1 :]
    return redeal(course, (*before, replace(first, owners=owed), *others, *after))
