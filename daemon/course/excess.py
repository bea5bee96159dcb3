"""Streets with a card too many, too few, or one that comes after the hand."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Course, Departure
from daemon.course.skips import Followed, doubt_of
from daemon.course.steps import BURNS, SIZE, WHOLE, Step
from daemon.table import places
from daemon.table.events import CardMoved


def rabbit(course: Course, event: CardMoved, number: int) -> Followed:
    """A board card with one live hand: no rabbit hunting (TDA 2024 rule 28). Once a hand."""
    if course.mute or course.hunted:
        return course, ()
    following = {0: "flop", 3: "turn"}.get(len(course.board), "river")
    return replace(course, hunted=True), (
        Departure(
            what="board",
            due="over",
            at_ms=event.at_ms,
            numbers=(number,),
            street=following,
            phase=course.street,
            cards=(event.card,),
            face_seen=True,
        ),
    )


def is_growing(course: Course) -> bool:
    """Whether cards beyond the lawful board lie there already, for the fault that is joined."""
    owned = (step for step in course.plan if plan.owns(step, course.joining))
    return any(card not in course.board for step in owned for card in step.cards)


def joins(course: Course, event: CardMoved, number: int) -> Departure:
    """One more card of a fault that is already known."""
    return Departure(
        what="board",
        due="joins",
        at_ms=event.at_ms,
        numbers=(number,),
        cards=(event.card,),
        ticket=course.joining,
    )


def is_overfull(course: Course, event: CardMoved, overcount_ms: int) -> bool:
    """A card too many with neither burn nor act since the street, within seconds of it."""
    able = course.bets.live - course.bets.broke
    return (
        len(course.board) == WHOLE.get(course.street)
        and course.quiet
        and course.senses("burn")
        and event.at_ms - course.laid_ms <= overcount_ms
        and len(able) > 1
    )


def _of_street(course: Course) -> tuple[str, ...]:
    return course.board if course.street == "flop" else course.board[-1:]


def overfull(course: Course, event: CardMoved, number: int) -> Departure:
    """One card too many on the street that lies."""
    unexposed = event.face == "down" and all(card in course.face_down for card in course.board)
    return Departure(
        what="board",
        due="none",
        at_ms=event.at_ms,
        numbers=(number,),
        street=course.street,
        cards=(event.card,) if unexposed else (*_of_street(course), event.card),
        facts=frozenset({"unexposed"} if unexposed else ()),
        doubt=doubt_of(event),
        home=(places.STUB,),
        face_seen=not unexposed,
    )


def undercount(course: Course, at_ms: int, number: int) -> Departure:
    """The deal goes on with less than a whole flop on the board."""
    return Departure(
        what="board",
        due="less",
        at_ms=at_ms,
        numbers=(number,),
        street="flop",
        cards=course.board[-course.laid :],
        doubt="unread-card" if _is_unread(course) else "",
        face_seen=True,
    )


def _is_unread(course: Course) -> bool:
    """Whether a card left the stub that no antenna has: it may lie on the board's edge."""
    felt = course.felt
    held = {card for cards in course.drawn.values() for card in cards}
    gone = any(place == places.OFF and card not in held for card, place in felt.lies.items())
    drawn = course.drawn_from_shoe - felt.handled if course.senses("order") else frozenset()
    return gone or bool(drawn)


def is_missing_card(course: Course) -> bool:
    """The flop was left a card short, and this one is laid to it.

    A card that was burned in the middle of the flop makes no turn of the one after it, as long as
    nobody has acted and somebody is to, or nobody can bet any more.
    """
    short = course.street == "flop" and 0 < len(course.board) < SIZE["flop"]
    is_open = bool(course.bets.owing) or not betting.is_possible(course.bets)
    unplayed = is_open and not course.acted_on_street
    return short and course.dealing is None and (unplayed or not course.burned)


def with_missing_card(course: Course, card: str) -> Course:
    """The flop is whole. Whether a burn made in the middle of it is the turn's the floor says."""
    course = replace(course, board=(*course.board, card))
    at = plan.next_street(course)
    if not course.burned or at < 0 or plan.find(course, *BURNS) in range(at):
        return course
    burn = Step("burn", may=True)
    return replace(course, burned=(), plan=(*course.plan[:at], burn, *course.plan[at:]))


def beyond(course: Course, event: CardMoved, number: int, overcount_ms: int) -> Followed:
    """A card on a board that is whole: a second run of a cash game, or one too many (2.7).

    Once hands were shown it may be the sweep; those of a run-out lie open before its last card.
    """
    all_in = len(course.bets.live - course.bets.broke) < 2
    whole = len(course.board) == WHOLE["river"] and course.street == "river"
    if not whole or course.pushed or len(course.live) < 2 or not course.senses("burn"):
        return course, ()
    if course.burned and all_in and course.game == "cash":
        return replace(course, burned=(), second_run=True), ()
    at_once = all_in and event.at_ms - course.laid_ms <= overcount_ms
    swept = bool(course.tabled) and not at_once
    if not course.burned and (course.second_run or swept):
        return course, ()
    return course, (overfull(course, event, number),)
