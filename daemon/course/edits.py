"""A remedy as an edit of the plan: its steps take the place of those that were due."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.course.course import Course
from daemon.course.plan import ROUND_ENDS, abandon, drop, find, mark, owns, settle, shares, take
from daemon.course.steps import BURNS, SENSES_OF, STREET_OF, Step
from daemon.table import places

_ABOUT_BOARD = frozenset({"set-aside", "return-aside", "return-board", "board-to-top"})
# About all cards that lie on the board, whichever of them was one too many.
_ABOUT_WHOLE_BOARD = frozenset({"turn-down", "scramble", "pick-burn", "turn-up"})
ON_THE_BOARD = _ABOUT_BOARD | _ABOUT_WHOLE_BOARD
_ABOUT_CARDS = _ABOUT_BOARD | {"exposed-to-burn", "extra-to-burn", "scrap", "save-river"}
# Where the cards of such a step lie once it is done.
_DONE_AT = {
    "set-aside": ("aside",),
    "return-board": ("stub",),
    "board-to-top": ("stub",),
    "exposed-to-burn": ("burn",),
    "extra-to-burn": ("burn",),
    "scrap": ("aside", "muck", "off"),
}
# Steps of another remedy that are done before one that takes the place of what stood behind them.
_BESIDE = frozenset({"close", "replace", "exposed-to-burn", "extra-to-burn", "scramble"})
_MIXING = ("scramble", "shuffle", "cut")
_PITCHED = frozenset({"next-card", "button-card"})
_ABOUT_SEAT = _PITCHED | {"kill-hand", "replace", "exposed-to-burn", "extra-to-burn"}


class About(Struct, frozen=True):
    """What a remedy is about: cards, burns that are one too many, the hand that is replaced to."""

    cards: tuple[str, ...] = ()
    burns: tuple[str, ...] = ()
    seat: int = 0


def amend(course: Course, ticket: int, remedy: tuple[str, ...], about: About) -> Course:
    """Edit the plan by a remedy: its steps replace the plan up to the last street that it deals."""
    cards = dict.fromkeys(_ABOUT_CARDS, about.cards)
    cards["burn-to-top"] = _with_other_burn(course, about.burns)
    if "pick-burn" in remedy:
        whole = tuple(dict.fromkeys((*course.board, *about.cards)))
        cards |= dict.fromkeys(_ABOUT_WHOLE_BOARD, whole)
    states = tuple(_at_first(course, kind, about.cards) for kind in remedy)
    course = replace(
        course,
        remedies={**course.remedies, ticket: remedy},
        marks={**course.marks, ticket: states},
    )
    if not remedy:
        return course
    steps = [
        Step(
            kind,
            seat=about.seat if kind in _ABOUT_SEAT else 0,
            cards=cards.get(kind, ()),
            owners=((ticket, at),),
        )
        for at, kind in enumerate(remedy)
        if states[at] == "open"
    ]
    if course.over and "floor" not in remedy:  # known only now, and owed no more
        return abandon(replace(course, plan=tuple(steps)))
    if "collect" in remedy or "deck-change" in remedy:
        return _with_misdeal(course, ticket, steps)
    return settle(settle_moved(with_steps(course, steps)))


def _with_other_burn(course: Course, burns: tuple[str, ...]) -> tuple[str, ...]:
    """The burn too many, and behind it the one before: nobody tells a pile's cards apart."""
    pile = [card for card, place in course.felt.lies.items() if place == places.BURN]
    at = pile.index(burns[0]) if burns and burns[0] in pile else 0
    return (*burns, *pile[:at][-1:])


def settle_moved(course: Course) -> Course:
    """Take the steps about cards that lie where they should already."""
    lies = course.felt.lies
    for at in range(len(course.plan) - 1, -1, -1):
        step = course.plan[at]
        where = _DONE_AT.get(step.kind)
        if where and step.cards and all(lies.get(card, "stub") in where for card in step.cards):
            course = take(course, at)
    return course


def _at_first(course: Course, kind: str, cards: tuple[str, ...]) -> str:
    """A step is open unless this table cannot see it done, or there is no card to do it with."""
    senses = SENSES_OF.get(kind)
    if senses is not None and not any(course.senses(sense) for sense in senses):
        return "unseen"
    if kind == "close" and course.betting.level == "none":
        return "unseen"
    return "void" if kind == "board-to-top" and not cards else "open"


def _with_misdeal(course: Course, ticket: int, steps: list[Step]) -> Course:
    """Only the misdeal's own steps are due; all others are off the plan as they stand.

    Where a misdeal is due already, both are redealt at once.
    """
    if course.mute == "misdeal" and all(find(course, step.kind) >= 0 for step in steps):
        for step in steps:
            at = find(course, step.kind)
            both = replace(step, owners=course.plan[at].owners + step.owners)
            course = replace(course, plan=(*course.plan[:at], both, *course.plan[at + 1 :]))
        return course
    return replace(course, plan=tuple(steps), mute="misdeal", misdeal=ticket)


def _given_by_pitch(course: Course, steps: list[Step]) -> tuple[Course, list[Step]]:
    """The card that a remedy gives to a hand may be a pitch that is still owed to it."""
    left = []
    for step in steps:
        at = -1
        if step.kind in _PITCHED and step.seat:
            owed = (i for i, s in enumerate(course.plan) if s.kind == "pitch")
            at = next((i for i in owed if course.plan[i].seat == step.seat), -1)
        if at < 0:
            left.append(step)
            continue
        pitch = replace(course.plan[at], owners=course.plan[at].owners + step.owners)
        course = replace(course, plan=(*course.plan[:at], pitch, *course.plan[at + 1 :]))
    return course, left


def with_steps(course: Course, steps: list[Step]) -> Course:
    """These steps replace the plan up to the last street that they deal."""
    course, steps = _given_by_pitch(course, steps)
    replaced = _replaced_until(course, steps)
    cut = replaced or _mixed_until(course, steps)
    head, tail = course.plan[:cut], course.plan[cut:]
    if _is_redealt(head) and not any(step.kind == "shuffle" for step in steps):
        course, head = _beside_redeal(course, steps, head)
        return replace(course, plan=(*head, *tail))
    if not replaced and any(step.kind == "close" for step in steps):
        tail = _without_close(tail, dealt=any(step.kind in STREET_OF for step in steps))
    new: list[Step] = []
    for step in steps:
        if step.kind == "deal":
            owed = [replace(s, owners=s.owners + step.owners) for s in head if s.kind == "pitch"]
            new += owed
            if not owed:
                course = mark(course, step.owners, "done")
        else:
            new.append(step)
    beside: list[Step] = []
    free = list(range(len(new)))
    for old in (step for step in head if step.kind != "pitch"):
        # A step that is replaced goes on as the like step of the remedy, or beside it.
        at = next((i for i in free if _alike(new[i], old)), -1)
        if at >= 0:
            free.remove(at)
            new[at] = replace(new[at], owners=new[at].owners + old.owners)
        elif old.kind in _BESIDE:
            beside.append(old)
    return replace(course, plan=(*beside, *new, *tail))


def _is_redealt(head: tuple[Step, ...]) -> bool:
    """Whether the last of these streets is one that another remedy deals after a shuffle."""
    return bool(head) and any(s.kind == "shuffle" and shares(s, head[-1]) for s in head[:-1])


def _beside_redeal(
    course: Course, steps: list[Step], head: tuple[Step, ...]
) -> tuple[Course, tuple[Step, ...]]:
    """The street is dealt as its redeal says, and the steps of both remedies come before it.

    Whether it is burned for is the redeal's to say as well.
    """
    first: list[Step] = []
    due = list(head)
    free = list(range(len(due)))
    for step in steps:
        at = next((i for i in free if _alike(due[i], step)), -1)
        if at >= 0:
            free.remove(at)
            due[at] = replace(due[at], owners=due[at].owners + step.owners)
        elif step.kind in BURNS:
            course = mark(course, step.owners, "void")
        else:
            first.append(step)
    return course, (*first, *due)


def _without_close(steps: tuple[Step, ...], *, dealt: bool) -> tuple[Step, ...]:
    """The remedy has the end of this round among its own steps.

    Where it deals the street anew (`dealt`), that street's own round ends after it all the same.
    """
    ends = [at for at, step in enumerate(steps) if step.kind in ROUND_ENDS]
    is_own = [steps[at].kind == "close" and not steps[at].owners for at in ends]
    if not any(is_own[:1]) or (dealt and not any(is_own[1:2])):
        return steps
    return steps[: ends[0]] + steps[ends[0] + 1 :]


def _replaced_until(course: Course, steps: list[Step]) -> int:
    streets = [STREET_OF[step.kind] for step in steps if step.kind in STREET_OF]
    if not streets:
        deals = any(step.kind == "deal" for step in steps)
        owed = [at for at, step in enumerate(course.plan) if step.kind == "pitch"]
        return owed[-1] + 1 if deals and owed else 0
    for at, step in enumerate(course.plan):
        if STREET_OF.get(step.kind) == streets[-1]:
            return at + 1
    return 0


def _mixed_until(course: Course, steps: list[Step]) -> int:
    """The stub is to be mixed already: one shuffle does for both remedies."""
    if not any(step.kind == "shuffle" for step in steps):
        return 0
    mixing = [bool(step.owners) and step.kind in _MIXING for step in course.plan]
    return next((at for at, mixes in enumerate(mixing) if not mixes), len(mixing))


def _alike(one: Step, other: Step) -> bool:
    street = STREET_OF.get(one.kind)
    return one.kind == other.kind or (street is not None and street == STREET_OF.get(other.kind))


def join(course: Course, ticket: int, cards: tuple[str, ...]) -> Course:
    """More cards belong to a fault that is known already: its open steps are about them too."""
    steps = tuple(
        replace(step, cards=step.cards + cards)
        if owns(step, ticket) and (step.kind in _ABOUT_BOARD or step.kind in _ABOUT_WHOLE_BOARD)
        else step
        for step in course.plan
    )
    remedy, marks = course.remedies.get(ticket, ()), course.marks.get(ticket, ())
    at = remedy.index("board-to-top") if "board-to-top" in remedy else -1
    if at >= 0 and marks[at] == "void":  # the street came after the burn fault was known
        steps = (Step("board-to-top", cards=cards, owners=((ticket, at),)), *steps)
        opened = (*marks[:at], "open", *marks[at + 1 :])
        course = replace(course, marks={**course.marks, ticket: opened})
    return replace(course, plan=steps)


def stands(course: Course, ticket: int) -> Course:
    """The street of this remedy stands as it was laid: what others wanted of it was not done."""
    again = [step for step in course.plan if step.kind in STREET_OF and owns(step, ticket)]
    for step in again:
        others = tuple(owner for owner in step.owners if owner[0] != ticket)
        course = mark(course, others, "wrong")
    kept = tuple(step for step in course.plan if step not in again)
    return drop(replace(course, plan=kept), ticket)


def unsee(course: Course) -> Course:
    """A sense is gone: the steps that only it could see done are passed over."""
    kept = []
    for step in course.plan:
        if step.owners and _at_first(course, step.kind, step.cards) == "unseen":
            course = mark(course, step.owners, "unseen")
        else:
            kept.append(step)
    return replace(course, plan=tuple(kept))
