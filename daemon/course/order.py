"""Cards that a remedy put back on the stub, held against the order in which they come off again.

Where a burn fault is put right, the street and the burn too many go back on top in the order in
which they came off, so that the next draw yields the card that is due (rules.md 3, SM-12); so do
the streets and the burns that were run out over it. How they lie there nobody sees; what is drawn
next tells. Cards of one street, or of one reading, came off together, so that they may come off in
any order; a card that nobody knows by name may be any that is not known.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of, gravest
from daemon.course.steps import SIZE, STREET_OF, STREETS, WHOLE, Step
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import CardMoved

TO_TOP = ("board-to-top", "burn-to-top")
_BACK_FROM = (places.STUB, places.BURN)  # where a burn lies that was drawn among them


def may_wait(course: Course, missed: tuple[Step, ...]) -> bool:
    """Whether a burn fault is the gravest that was left, and may be put right until the pot goes.

    That is so where nobody could bet on its street (rules.md 3, SM-12), and one is still to come.
    """
    to_come = course.street in STREETS[:-1] and len(course.board) < WHOLE["river"]
    run_out = to_come and not betting.is_possible(course.bets)
    if not run_out or course.pushed or not missed or gravest(missed).kind not in TO_TOP:
        return False
    return any("board-to-top" in course.remedies[ticket] for ticket, _ in gravest(missed).owners)


def run_out_over(course: Course) -> Step | None:
    """The step that still wants a street back over which the next one lies, if there is one."""
    at = plan.find(course, "board-to-top")
    if at < 0 or all(course.felt.lies.get(card) != places.BOARD for card in course.plan[at].cards):
        return None
    step = course.plan[at]
    own = (STREET_OF[s.kind] for s in course.plan if s.kind in STREET_OF and plan.shares(s, step))
    return step if next(own, course.street) != course.street else None


def put_back(course: Course, step: Step) -> Course:
    """The step was done: its cards lie on top, above all that lay there, as they came off before.

    What lay between them when it was drawn, a burn of a run-out, belongs between them again.
    """
    if step.kind not in TO_TOP or not step.cards:
        return course
    own = tuple(other for other in course.top if plan.shares(other, step))
    cards = {*step.cards, *(card for other in own for card in other.cards)}
    at = [n for n, drawn in enumerate(course.came_off) if cards.intersection(drawn)]
    if not cards.issubset(card for n in at for card in course.came_off[n]):
        return covered(course)  # one of them came off unread
    lies = course.felt.lies
    groups = []
    for n in range(at[0], at[-1] + 1):
        between = (c for c in course.came_off[n] if lies.get(c, places.STUB) in _BACK_FROM)
        kept = cards.intersection(course.came_off[n]) if n in at else between
        groups.append(tuple(card for card in course.came_off[n] if card in set(kept)))
    rest = tuple(other for other in course.top if other not in own)
    mine = tuple(replace(step, cards=group) for group in groups if group)
    return replace(course, top=(*mine, *rest))


def due_burn(course: Course, step: Step, card: str) -> str:
    """The burn that is due first, now that this one was put back: of one reading either may be."""
    extra = step.cards[0]
    together = any({card, extra} <= set(drawn) for drawn in course.came_off)
    return card if together else extra


def covered(course: Course) -> Course:
    """Another card came on the stub, or went to a hand: which lies on top is not known any more."""
    return replace(course, top=()) if course.top else course


def broken(course: Course) -> Course:
    """A card went elsewhere than to burns or board, or unread: in which order is not known."""
    course = covered(course)
    return replace(course, came_off=()) if course.came_off else course


def came_on(before: Course, course: Course, card: str) -> Course:
    """A card came on the stub: one that a remedy wants there, or nobody knows what lies on top."""
    wanted = any(step.kind in TO_TOP and card in step.cards for step in course.plan)
    wanted = wanted or any(card in step.cards for step in course.top)
    return course if wanted or course.top != before.top else covered(course)


def _came_off(course: Course, card: str, to: str, at_ms: int) -> Course:
    """Note the draw, together with those that came with it: of one flop, or of one reading."""
    drawn = course.came_off
    if any(card in group for group in drawn):
        left = (tuple(c for c in group if c != card) for group in drawn)
        drawn = tuple(group for group in left if group)
    last = drawn[-1] if drawn else ()
    lies = course.felt.lies
    alike = bool(last) and lies.get(last[-1]) == to
    with_it = course.dealing is not None if to == places.BOARD else at_ms == course.burned_ms[1]
    if alike and with_it:
        return replace(course, came_off=(*drawn[:-1], (*last, card)))
    return replace(course, came_off=(*drawn, (card,)))


def drawn(course: Course, event: CardMoved, number: int) -> Followed:
    """A burn or a board card came off the stub: one that is due, if a remedy put cards back."""
    course = _came_off(course, event.card, places.plain(event.to), event.at_ms)
    if not course.top:
        return course, ()
    if course.boards > 1 and event.to != places.BURN:  # which board comes first nobody says
        return covered(course), ()
    card = event.card
    slots = _slots(course, places.plain(event.to))
    due, lying = _due(course.top, slots), [c for step in course.top for c in step.cards]
    if card in due:
        return replace(course, top=_without(course.top, card)), ()
    if len(lying) < slots and card not in lying:  # the next one below them
        return course, ()
    told = card in lying or all(map(is_known, (card, *due)))
    owners = course.top[0].owners
    course = covered(course)
    if not told or course.mute or course.adrift or _is_unready(course):
        return course, ()
    return course, (
        Departure(
            what="moved",
            due="order",
            at_ms=event.at_ms,
            numbers=(number,),
            cards=(card,),
            ticket=owners[0][0],
            wrong=owners,
            doubt=doubt_of(event),
            face_seen=True,
        ),
    )


def _is_unready(course: Course) -> bool:
    """Whether the next street still wants cards back on the stub, or the stub shuffled."""
    street = plan.next_street(course)
    return any(step.kind in (*TO_TOP, "shuffle") for step in course.plan[: max(street, 0)])


def _slots(course: Course, to: str) -> int:
    """How many cards come off as one, so that their order is not told: a flop, a double burn."""
    if to == places.BURN:
        at = plan.find(course, "burn", "double-burn")
        return 2 if at >= 0 and course.plan[at].kind == "double-burn" else 1
    if course.dealing is not None:
        return SIZE[STREET_OF[course.dealing.kind]] - course.laid
    at = plan.next_street(course)
    return SIZE[STREET_OF[course.plan[at].kind]] if at >= 0 else 1


def _due(top: tuple[Step, ...], slots: int) -> list[str]:
    """The cards that may be among the next so many draws."""
    due: list[str] = []
    for step in top:
        if len(due) < slots:
            due += step.cards
    return due


def _without(top: tuple[Step, ...], card: str) -> tuple[Step, ...]:
    left = (replace(s, cards=tuple(c for c in s.cards if c != card)) for s in top)
    return tuple(step for step in left if step.cards)
