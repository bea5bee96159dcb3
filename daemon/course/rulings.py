"""The floor ruled: what is due from here where a remedy, or every remedy, is off."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, early, edits, plan
from daemon.course.course import Course
from daemon.course.steps import BURNS, CARDS_OF_A_HAND, STREET_OF, WHOLE, Step, after
from daemon.table import places

_OF_A_STREET = frozenset({"close", *BURNS, *STREET_OF})


def without_remedies(course: Course, ticket: int = 0, *, stands: bool = False) -> Course:
    """The floor ruled otherwise: from here the hand is due as if there were no remedy.

    With a ticket it is only that remedy that is off: what others want stays due, and the board is
    taken as it lies. `stands`: there was no fault, and a street that lies there was dealt in its
    time; else what becomes of it is the floor's to say.
    """
    kept = plan.drop(course, ticket).plan if ticket else ()
    others = [step for step in kept if step.owners]
    course = _let_go(course, ticket, others)
    rest = tuple(step for step in course.plan if not step.owners)
    if course.mute or course.over:
        return replace(course, plan=(*others, *rest))
    pitched = tuple(replace(step, owners=()) for step in course.plan if step.kind == "pitch")
    street = STREET_OF[course.dealing.kind] if course.dealing else course.street
    board = tuple(card for card, at in course.felt.lies.items() if places.plain(at) == places.BOARD)
    about_board = edits.ON_THE_BOARD & set(course.remedies.get(ticket, ()))
    if about_board and not course.dealing and len(board) > WHOLE.get(street, 0):
        course = replace(course, plan=(*others, *rest))
        return _as_the_board_lies(course, board, stands=stands)
    rest = after(street)
    burn = next((at for at, step in enumerate(rest) if step.kind == "burn"), -1)
    if burn >= 0:  # whether one is owed is as the floor says
        rest = (*rest[:burn], replace(rest[burn], may=True), *rest[burn + 1 :])
    dealing = course.dealing
    if dealing is not None:
        theirs = tuple(owner for owner in dealing.owners if ticket and owner[0] != ticket)
        dealing = replace(dealing, owners=theirs)
    course = replace(course, plan=pitched + rest, dealing=dealing)
    return plan.settle(edits.with_steps(course, others) if others else course)


def _as_the_board_lies(course: Course, board: tuple[str, ...], *, stands: bool) -> Course:
    """A street that came too early, or a card too many, lies there."""
    if not stands or len(board) not in WHOLE.values():
        return early.adrift(course, board)
    lying = [at for at, step in enumerate(course.plan) if _lies(step, board)]
    for step in course.plan[: lying[-1] + 1] if lying else ():
        if step.kind in _OF_A_STREET:  # another remedy wanted it, too
            course = plan.mark(course, step.owners, "done")
    course = replace(course, laid=0, joining=0, suspect=None, acted_on_street=False)
    bets = betting.new_street(course.bets, course.deal_order)
    course = replace(early.as_it_lies(course, board), old_bets=course.bets, bets=bets)
    return plan.settle(course)


def _lies(step: Step, board: tuple[str, ...]) -> bool:
    """Whether it deals a street that lies there."""
    return step.kind in STREET_OF and WHOLE[STREET_OF[step.kind]] <= len(board)


def _let_go(course: Course, ticket: int, others: list[Step]) -> Course:
    """What else of the course hangs on this remedy; a misdeal that is none leaves the deal owed.

    Unless there is another one: what is left to do is its remedy then.
    """
    if ticket and ticket == course.offered:
        course = replace(course, offered=0)
    if ticket and ticket == course.joining:
        course = replace(course, joining=0)
    if not ticket or ticket != course.misdeal or course.mute != "misdeal" or course.void:
        return course
    if others:
        return replace(course, misdeal=others[0].owners[0][0])
    owed = _owed(course) if course.street == "deal" else ()
    if owed is None:
        return replace(course, mute="left", plan=())
    return replace(course, mute="", misdeal=0, plan=owed)


def _owed(course: Course) -> tuple[Step, ...] | None:
    """The pitches still owed, from the seat behind the last one; None if its rounds are mixed up.

    So a deal begun at the wrong seat goes on from there.
    """
    order, given = course.deal_order, [len(course.drawn.get(s, ())) for s in course.deal_order]
    mixed = max(given, default=0) - min(given, default=0) > 1
    if mixed or course.boxed or course.packet is not None:
        return None
    last = next((seat for seat, held in course.drawn.items() if course.last_card in held), 0)
    behind = [(seat - last - 1) % places.SEATS_MAX for seat in order]
    at = behind.index(min(behind)) if last else 0
    turned, counts = order[at:] + order[:at], given[at:] + given[:at]
    owed = [CARDS_OF_A_HAND - count for count in counts]
    rounds = range(max(owed, default=0))
    return tuple(
        Step("pitch", seat=seat)
        for n in rounds
        for seat, left in zip(turned, owed, strict=True)
        if n < left
    )
