"""Remedies done with cards on the board or in the stub: turned down, scrambled, picked.

A four-card flop and a flop without a burn under TDA 2024 rule 39 (SM-6, SM-7), a stub out of order
under its RP-4 (SM-15).
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import order, plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, wrongs
from daemon.course.steps import Step
from daemon.table import places
from daemon.table.events import CardMoved, CardsScrambled

_BEFORE_PICK = ("floor", "turn-down", "scramble")


def scrambled(course: Course, event: CardsScrambled) -> Course:
    """Cards were mixed where they lie: face down, for nobody mixes faces."""
    at = plan.find(course, "scramble")
    if at < 0:
        return course
    on_board = bool(course.plan[at].cards)
    if event.place is not None and on_board != (places.plain(event.place) == places.BOARD):
        return course
    if on_board:
        down = course.face_down | frozenset(course.plan[at].cards)
        course = plan.ticked(replace(course, face_down=down), "turn-down")
    return plan.ticked(course, "scramble")


def unscrambled(course: Course, until: int) -> Course:
    """The shuffle came, and nobody told of the scramble before it."""
    for step in course.plan[:until]:
        if step.kind == "scramble":
            rest = tuple(s for s in course.plan if s is not step)
            course = plan.mark(replace(course, plan=rest), step.owners, "unseen")
    return course


def turned(course: Course) -> Course:
    """A card was turned over where it lies: the steps that want all of them down, or up."""
    lies = course.felt.lies
    for kind in ("turn-down", "turn-up"):
        at = plan.find(course, kind)
        if at < 0:
            continue
        cards = [c for c in course.plan[at].cards if lies.get(c) == places.BOARD]
        down = [c for c in cards if c in course.face_down]
        if kind == "turn-down":
            is_done = len(down) == len(cards)
        else:
            is_done = not down and plan.find(course, "pick-burn", "top-to-board") < 0
        if is_done:
            course = plan.take(course, at)
    return course


def pick_of(course: Course, card: str) -> Step | None:
    """The step that picks one of these board cards for a burn, if this card is among them."""
    at = plan.find(course, "pick-burn")
    return course.plan[at] if at >= 0 and card in course.plan[at].cards else None


def picked(course: Course, event: CardMoved, number: int, pick: Step) -> Followed:
    """One of the scrambled cards is the burn, and the others are the flop.

    The floor picks it, from cards that nobody can tell apart any more.
    """
    at = course.plan.index(pick)
    missed = tuple(s for s in course.plan[:at] if s.kind in _BEFORE_PICK and plan.shares(s, pick))
    kept = tuple(s for s in course.plan if s not in missed)
    course = plan.take(replace(course, plan=kept), kept.index(pick))
    lies = course.felt.lies
    board = tuple(c for c in pick.cards if lies.get(c) == places.BOARD)
    course = replace(course, board=board, burned=(event.card,), quiet=False)
    by_dealer = event.by == "dealer" and course.senses("floor")
    unsupervised = by_dealer or any(step.kind == "floor" for step in missed)
    known = course.senses("face") and not course.face_down.issuperset(pick.cards)
    if not (missed or by_dealer or known):
        return course, ()
    if not (unsupervised or known) and all(step.kind == "turn-down" for step in missed):
        return course, ()
    return course, (
        Departure(
            what="picked",
            due="floor" if unsupervised else "pick-burn",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(event.card,),
            ticket=pick.owners[0][0],
            wrong=wrongs(missed) or pick.owners,
        ),
    )


def topped_up(course: Course, event: CardMoved) -> Course | None:
    """The top card of the stub completes a flop of which one card became the burn (SM-7)."""
    at = plan.find(course, "top-to-board")
    street = plan.next_street(course)
    if at < 0 or (0 <= street < at) or plan.find(course, "pick-burn") >= 0:
        return None
    course = replace(course, board=(*course.board, event.card))
    up = plan.find(course, "turn-up")
    if up >= 0:
        step = course.plan[up]
        step = replace(step, cards=(*step.cards, event.card))
        course = replace(course, plan=(*course.plan[:up], step, *course.plan[up + 1 :]))
    return turned(plan.take(course, at))


def passed_over(course: Course) -> Course:
    """The hand goes on: what was turned up was turned up, whether or not a face was sensed."""
    at = plan.find(course, "turn-up")
    if at < 0 or plan.find(course, "pick-burn", "top-to-board") >= 0:
        return course
    return plan.take(course, at)


def mixed_again(course: Course, returned: Step, at: int) -> Course:
    """Cards came back into a stub that had been shuffled without them: it is shuffled once more."""
    for ticket, _ in returned.owners:
        remedy, marks = course.remedies[ticket], list(course.marks[ticket])
        if "shuffle" not in remedy or marks[remedy.index("shuffle")] != "done":
            continue
        steps = []
        for n, kind in enumerate(remedy):
            if kind in ("shuffle", "cut") and marks[n] == "done":
                marks[n] = "open"
                steps.append(Step(kind, owners=((ticket, n),)))
        course = replace(
            course,
            plan=(*course.plan[:at], *steps, *course.plan[at:]),
            marks={**course.marks, ticket: tuple(marks)},
        )
    return course


def burn_returned(course: Course, card: str, at: int) -> Course:
    """A burn lies on the stub again; what was shuffled without it is shuffled once more.

    Once the board stands either burn of its street may be the next one. Before that the second one
    is the card that is due, and the other in its place comes off in the wrong order.
    """
    step = course.plan[at]
    stands = not any("board-to-top" in course.remedies[ticket] for ticket, _ in step.owners)
    due = replace(step, cards=(card if stands else order.due_burn(course, step, card),))
    course = order.put_back(plan.take(course, at), due)
    street = plan.next_street(course)
    return mixed_again(course, course.plan[street], at) if street >= 0 else course


def left_as_burn(course: Course, until: int) -> Course:
    """The street comes straight: the burn too many was left where it lies to be the next one.

    That is the card which burning it anew from the top of the stub would have burned.
    """
    at = plan.find(course, "burn-to-top")
    if course.burned or not 0 <= at < until:
        return course
    extra = course.plan[at]
    if all(course.felt.lies.get(card) != places.BURN for card in extra.cards[:1]):
        return course
    mine = {ticket for ticket, _ in extra.owners}
    for step in course.plan[:until]:
        if step.kind == "burn" and {ticket for ticket, _ in step.owners} == mine:
            course = plan.take(course, course.plan.index(step))
            return plan.take(course, course.plan.index(extra))
    return course


def settle_gone(course: Course) -> Course:
    """Before the next draw: what left its place unread was set aside, or put back, all the same."""
    lies = course.felt.lies
    for at in range(len(course.plan) - 1, -1, -1):
        step = course.plan[at]
        if not step.cards or any(lies.get(card) != "off" for card in step.cards):
            continue
        if step.kind == "set-aside":
            course = plan.take(course, at)
        elif step.kind == "return-aside" and not course.senses("stub"):
            rest = course.plan[:at] + course.plan[at + 1 :]
            course = plan.mark(replace(course, plan=rest), step.owners, "unseen")
    return course
