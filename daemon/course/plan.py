"""The plan as data: taking a step off it, leaving one undone, editing it by a remedy."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.course import betting
from daemon.course.course import Course, redeal
from daemon.course.steps import (
    FLOATING,
    SENSES_OF,
    STREET_OF,
    WHOLE,
    Step,
    ordinary,
    pitches,
)

ABOUT_BOARD = frozenset({"set-aside", "return-aside", "return-board", "board-to-top"})
# About all cards that lie on the board, whichever of them was one too many.
_ABOUT_WHOLE_BOARD = frozenset({"turn-down", "scramble", "pick-burn", "turn-up"})
ON_THE_BOARD = ABOUT_BOARD | _ABOUT_WHOLE_BOARD
_ABOUT_CARDS = ABOUT_BOARD | {"exposed-to-burn", "extra-to-burn", "scrap", "save-river"}
# Where the cards of such a step lie once it is done.
_DONE_AT = {
    "set-aside": ("aside",),
    "return-board": ("stub",),
    "board-to-top": ("stub",),
    "exposed-to-burn": ("burn",),
    "extra-to-burn": ("burn",),
    "scrap": ("aside", "muck", "off"),
}
_PITCHED = frozenset({"next-card", "button-card"})
_ABOUT_SEAT = _PITCHED | {"kill-hand", "replace", "exposed-to-burn", "extra-to-burn"}
_ROUND_ENDS = frozenset({"close", *STREET_OF})


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
    at = find(course, *_ROUND_ENDS)
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
        round_open = round_open or kind in _ROUND_ENDS
    return tuple(states)


class About(Struct, frozen=True):
    """What a remedy is about: cards, burns that are one too many, the hand that is replaced to."""

    cards: tuple[str, ...] = ()
    burns: tuple[str, ...] = ()
    seat: int = 0


def amend(course: Course, ticket: int, remedy: tuple[str, ...], about: About) -> Course:
    """Edit the plan by a remedy: its steps replace the plan up to the last street that it deals."""
    cards = dict.fromkeys(_ABOUT_CARDS, about.cards) | {"burn-to-top": about.burns}
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
    cut = _replaced_until(course, steps)
    head, tail = course.plan[:cut], course.plan[cut:]
    if not cut and any(step.kind == "close" for step in steps):
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
        elif old.kind in ("close", "replace", "exposed-to-burn", "extra-to-burn"):
            beside.append(old)
    return replace(course, plan=(*beside, *new, *tail))


def _without_close(steps: tuple[Step, ...], *, dealt: bool) -> tuple[Step, ...]:
    """The remedy has the end of this round among its own steps.

    Where it deals the street anew (`dealt`), that street's own round ends after it all the same.
    """
    ends = [at for at, step in enumerate(steps) if step.kind in _ROUND_ENDS]
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


def _alike(one: Step, other: Step) -> bool:
    street = STREET_OF.get(one.kind)
    return one.kind == other.kind or (street is not None and street == STREET_OF.get(other.kind))


def join(course: Course, ticket: int, cards: tuple[str, ...]) -> Course:
    """More cards belong to a fault that is known already: its open steps are about them too."""
    steps = tuple(
        replace(step, cards=step.cards + cards)
        if owns(step, ticket) and (step.kind in ABOUT_BOARD or step.kind in _ABOUT_WHOLE_BOARD)
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


def drop(course: Course, ticket: int) -> Course:
    """Take a remedy's open steps off the plan: another ruling applies now, or none."""
    kept = []
    for step in course.plan:
        owners = tuple(owner for owner in step.owners if owner[0] != ticket)
        if step.owners and not owners:
            continue
        kept.append(replace(step, owners=owners) if owners != step.owners else step)
    return replace(course, plan=tuple(kept))


def stands(course: Course, ticket: int) -> Course:
    """The street of this remedy stands as it was laid: what others wanted of it was not done."""
    for step in course.plan:
        if step.kind in STREET_OF and owns(step, ticket):
            others = tuple(owner for owner in step.owners if owner[0] != ticket)
            course = mark(course, others, "wrong")
    return drop(course, ticket)


def unsee(course: Course) -> Course:
    """A sense is gone: the steps that only it could see done are passed over."""
    kept = []
    for step in course.plan:
        if step.owners and _at_first(course, step.kind, step.cards) == "unseen":
            course = mark(course, step.owners, "unseen")
        else:
            kept.append(step)
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
