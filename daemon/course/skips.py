"""Steps that were skipped: which one names the departure, whose they were, how to go back."""

from __future__ import annotations

from functools import reduce

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Course, Departure, Suspect
from daemon.course.steps import Step
from daemon.table import places
from daemon.table.events import CardMoved

Followed = tuple[Course, tuple[Departure, ...]]

# Which of several skipped steps names the departure: the first of these.
_GRAVEST = (
    *("set-aside", "return-board", "board-to-top", "burn-to-top", "return-aside", "floor"),
    *("deck-change", "pick-burn", "top-to-board"),
    *("close", "shuffle", "cut", "replace", "exposed-to-burn", "extra-to-burn", "burn"),
    *("double-burn", "turn", "river", "flop"),
)
# Steps whose card a remedy wants back from the board.
LEFT_LYING = frozenset({"set-aside", "return-board"})
# A remedy of no more than these leaves the deal as it is.
_HAND_ONLY = frozenset({"floor", "kill-hand"})


def skipped(course: Course, until: int) -> tuple[Step, ...]:
    """The steps before that index that this table would have seen done."""
    found = []
    for step in course.plan[:until]:
        if step.may:
            continue
        sense = {"cut": "cut", "burn": "burn", "double-burn": "burn"}.get(step.kind)
        if sense and not course.senses(sense):
            continue
        if step.kind == "close" and (course.betting.level == "none" or course.pushed):
            continue
        if step.kind in _HAND_ONLY and _is_all(course, step):
            continue
        if step.kind in ("pitch", "deal", "collect", "scrap") or (
            step.kind == "shuffle" and not step.owners
        ):
            continue
        found.append(step)
    return tuple(found)


def without_hurry(course: Course, until: int) -> tuple[Step, ...]:
    """The steps before that index for which nothing waits: they may still be done later."""
    kept = (s for s in course.plan[:until] if s.kind in _HAND_ONLY and _is_all(course, s))
    return tuple(kept)


def _is_all(course: Course, step: Step) -> bool:
    """The floor is called, or kills a hand, and that is all: nothing waits for it."""
    return bool(step.owners) and all(
        _HAND_ONLY.issuperset(course.remedies[ticket]) for ticket, _ in step.owners
    )


def gravest(steps: tuple[Step, ...]) -> Step:
    """The skipped step after which the departure is called."""
    return min(steps, key=lambda step: _GRAVEST.index(step.kind) if step.kind in _GRAVEST else 99)


def ticket_of(course: Course, step: Step) -> int:
    """The remedy in which this step is due; 0 where its being missed has an ordinary name.

    A close or a burn is a remedy's own only where the remedy deals cards anew (it shuffles), or
    burns twice.
    """
    for ticket, at in step.owners:
        remedy = course.remedies[ticket]
        own = "shuffle" in remedy or remedy[at] == "double-burn"
        if step.kind not in ("close", "burn") or own:
            return ticket
    return 0


def still_there(course: Course, step: Step) -> str:
    """The kind of the step that was skipped, with `-gone` where its cards are there no more."""
    lies = [course.felt.lies.get(card, places.STUB) for card in step.cards]
    if step.kind in ("set-aside", "return-board"):
        there = places.BOARD in lies
    elif step.kind == "exposed-to-burn":
        there = any(places.seat_of(place) is not None for place in lies)
    else:
        return step.kind
    return step.kind if there else f"{step.kind}-gone"


def rewind(course: Course, departure: Departure) -> Course:
    """The street does not count: the plan, the round and the board are as they were before it.

    What was ruled anew meanwhile stays so: what it had asked for before is due no more.
    """
    back = departure.back
    assert back is not None
    bets = betting.taken_back(course.bets, back.bets)
    anew = [n for n, remedy in back.remedies.items() if course.remedies.get(n) != remedy]
    rewound = replace(
        course,
        plan=back.plan,
        bets=bets,
        street=back.street,
        board=back.board,
        acted_on_street=back.acted_on_street,
        marks=course.marks | {n: states for n, states in back.marks.items() if n not in anew},
        dealing=None,
        laid=0,
        suspect=None,
        unproven=None,
    )
    return reduce(plan.drop, anew, rewound)


def corroborate(
    course: Course, number: int, *, keyed: bool = False, suspect: Suspect | None = None
) -> Followed:
    """The doubtful street did come early: it does not count, with all that follows from it.

    By a key alone, after acts that belong to the new street, nothing is rewound: the floor decides.
    """
    suspect = suspect or course.suspect
    if suspect is None:
        return course, ()
    found = replace(suspect.departure, keyed=keyed)
    if keyed and (course.acted_on_street or suspect.acted):
        late = replace(found, due="acted-on", numbers=(*found.numbers, number), back=None)
        return replace(course, suspect=None, unproven=None), (late,)
    course = rewind(course, found)
    return course, (replace(found, numbers=(*found.numbers, number), back=None),)


def wrongs(steps: tuple[Step, ...]) -> tuple[tuple[int, int], ...]:
    """The remedy steps that are left undone with these."""
    return tuple(owner for step in steps for owner in step.owners)


def astray(
    course: Course, event: CardMoved, number: int, ticket: int, wrong: tuple[tuple[int, int], ...]
) -> Followed:
    """A card went where its remedy cannot want it: with the burns, the muck, or into the stub."""
    found = Departure(
        what="moved",
        due="astray",
        at_ms=event.at_ms,
        numbers=(number,),
        cards=(event.card,),
        ticket=ticket,
        wrong=wrong,
    )
    return course, (found,)


def doubt_of(event: CardMoved) -> str:
    """The rival explanation that the event carries, or none."""
    return event.doubt.instead if event.doubt else ""
