"""A card that is a scrap of paper: boxed, a joker, of another deck (rules.md 3, SM-13)."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan, streets
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, astray, wrongs
from daemon.course.steps import SIZE, STREETS, WHOLE, Step
from daemon.table import places
from daemon.table.events import CardMoved

OUT = (places.ASIDE, places.MUCK, places.OFF)


def taken_out(course: Course, cards: tuple[str, ...]) -> Course:
    """The card counts for nothing: its place in the deal, the board or the burns is open again."""
    for card in cards:
        course = replace(course, scraps=(*course.scraps, card))
        holder = next((s for s, held in sorted(course.drawn.items()) if card in held), 0)
        if holder:
            course = _out_of_hand(course, card, holder)
        elif card in course.board:
            course = _off_board(course, card)
        elif card in course.burned:
            course = _unburned(course, card)
    return course


def _out_of_hand(course: Course, card: str, seat: int) -> Course:
    """The last card pitched is pitched again; for another, later cards lie in other hands."""
    held = tuple(c for c in course.drawn[seat] if c != card)
    course = replace(
        course,
        drawn={**course.drawn, seat: held},
        exposed=tuple(c for c in course.exposed if c != card),
        pitched=max(course.pitched - 1, 1),
    )
    if card != course.last_card:
        return course
    return replace(course, plan=(Step("pitch", seat=seat), *course.plan))


def _off_board(course: Course, card: str) -> Course:
    """The street that it was in lacks a card."""
    at = course.board.index(card)
    street = "flop" if at < WHOLE["flop"] else STREETS[at - 2]
    board = tuple(c for c in course.board if c != card)
    if course.dealing:
        return replace(course, board=board, laid=course.laid - 1)
    if len(course.board) != WHOLE[street]:  # a later street lies: nothing can be put in its place
        return replace(course, board=board)
    return replace(course, board=board, dealing=Step(street), laid=SIZE[street] - 1)


def _unburned(course: Course, card: str) -> Course:
    at = plan.next_street(course)
    course = replace(course, burned=tuple(c for c in course.burned if c != card))
    if at < 0:
        return course
    return replace(course, plan=(*course.plan[:at], Step("burn"), *course.plan[at:]))


def moved(course: Course, event: CardMoved, number: int) -> Followed:
    """A scrap goes aside and stays there; back in the stub it would be dealt again."""
    to = places.plain(event.to)
    at = next((i for i, s in enumerate(course.plan) if _wants_out(s, event.card)), -1)
    if to in OUT:
        return (plan.take(course, at) if at >= 0 else course), ()
    if to != places.STUB or course.mute or course.over:
        return course, ()
    ticket = _ticket(course)
    course = replace(course, scraps=tuple(c for c in course.scraps if c != event.card))
    if not ticket:
        return course, ()
    return astray(course, event, number, ticket, plan.owners_of(course, ticket, "scrap"))


def _wants_out(step: Step, card: str) -> bool:
    return step.kind == "scrap" and card in step.cards


def _ticket(course: Course) -> int:
    """The remedy that made it a scrap."""
    tickets = [ticket for ticket, steps in course.remedies.items() if "scrap" in steps]
    return tickets[-1] if tickets else 0


def played(course: Course, at_ms: int, number: int) -> Followed:
    """The hand goes on with the card on the board: it plays, and nothing takes its place."""
    for at, step in enumerate(course.plan):
        lying = [c for c in step.cards if course.felt.lies.get(c) == places.BOARD]
        if step.kind != "scrap" or not lying:
            continue
        left = [*course.plan[:at], *course.plan[at + 1 :]]
        undone = (step, *(s for s in left if s.kind == "next-card"))
        found = Departure(
            what="played",
            due="scrap",
            at_ms=at_ms,
            numbers=(number,),
            cards=tuple(lying),
            ticket=step.owners[0][0],
            wrong=wrongs(undone),
        )
        kept = tuple(s for s in left if s.kind != "next-card")
        rest = tuple(c for c in course.scraps if c not in lying)
        course = replace(course, plan=kept, scraps=rest)
        if lying[0] not in course.board:
            course = streets.fill(course, lying[0])
        return course, (found,)
    return course, ()


def replaced(course: Course, to: str) -> Course:
    """The next card takes the scrap's place: in that hand, on the board or in the burns."""
    seat = places.seat_of(to) or 0
    for at, step in enumerate(course.plan):
        if step.kind == "next-card" and step.seat == seat:
            return plan.take(course, at)
    return course
