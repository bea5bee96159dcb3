"""Streets before their time: certain, in doubt, laid one upon another, acted upon."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Back, Course, Departure, Suspect
from daemon.course.skips import LEFT_LYING, Followed, still_there
from daemon.course.steps import STREET_OF, STREETS, WHOLE, Step
from daemon.table.events import Acted, Betting, CardMoved

_OF_THE_BOARD = frozenset({"close", "burn", "double-burn", *STREET_OF})


def run_out(course: Course, until: int) -> int:
    """The remedy of a premature street that still lies there while its round is open (0: none)."""
    steps = course.plan[:until]
    if not any(step.kind == "close" for step in steps):
        return 0
    lying = [step for step in steps if still_there(course, step) in LEFT_LYING]
    return lying[0].owners[0][0] if lying else 0


def premature(course: Course, found: Departure, kinds: set[str]) -> Followed:
    """A street while somebody owes: certain, or a doubt where only the dealer's own keys say so.

    A dealer who turns a card early believes that betting is closed, so his keys prove nothing
    (rules.md 2.6); a missing burn is a fact all the same.
    """
    assert found.back is not None
    bets = found.back.bets
    whole = _with_first(course.suspect, found)
    if course.betting.source == "dealer":
        course = _suspected(course, whole)
        departures = [] if bets.told else [replace(whole, doubt=found.doubt or "key-missed")]
        if kinds & {"burn", "double-burn"}:
            departures.append(replace(found, due="burn", seats=(), facts=frozenset(), back=None))
        return course, tuple(departures)
    if bets.told and course.betting.level == "acts":
        found = replace(found, doubt=found.doubt or "acts-disagree")
    elif bets.guess or whole.due == "run-out":
        course = _suspected(course, whole)
        found = replace(whole, doubt=found.doubt or "all-in-call")
    return course, (found,)


def _suspected(course: Course, whole: Departure) -> Course:
    order = betting.due_order(course.bets)
    return replace(course, suspect=Suspect(replace(whole, doubt=""), order[0] if order else 0))


def unproven(course: Course, event: CardMoved, number: int, back: Back) -> Suspect | None:
    """The street that lies now, as one that came too early: the floor may say that it did.

    Neither the dealer's keys nor no betting at all can prove that it came in its time (rules.md
    2.6).
    """
    known = course.betting
    if course.dealing is None or (known.source != "dealer" and known.level != "none"):
        return None
    order = betting.due_order(course.bets)
    found = Departure(
        what="board",
        due="close",
        at_ms=event.at_ms,
        numbers=(number,),
        street=STREET_OF[course.dealing.kind],
        phase=back.street,
        cards=(event.card,),
        face_seen=True,
        back=replace(back, bets=replace(back.bets, told=False)),
    )
    return Suspect(found, order[0] if order else 0)


def _with_first(suspect: Suspect | None, found: Departure) -> Departure:
    """A street laid upon one that is in doubt: as one, from the first of them on."""
    assert found.back is not None
    if suspect is None or suspect.acted or found.back.acted_on_street:
        return found
    first = suspect.departure
    return replace(
        first,
        due="run-out",
        at_ms=found.at_ms,
        numbers=first.numbers + found.numbers,
        cards=first.cards + found.cards,
        facts=frozenset({first.street}),
    )


def with_card(suspect: Suspect | None, street: str, card: str) -> Suspect | None:
    """All cards of a doubtful street are in doubt."""
    if suspect is None or suspect.departure.street != street:
        return suspect
    found = suspect.departure
    return replace(suspect, departure=replace(found, cards=(*found.cards, card)))


def adrift(course: Course, cards: tuple[str, ...]) -> Course:
    """A premature street was acted upon: it lies there, and what becomes of it the floor decides.

    Acts after it may belong to either round, and any remedy may follow; all that has nothing to do
    with board, burns and betting is judged on.
    """
    board = course.board + tuple(card for card in cards if card not in course.board)
    course = replace(course, adrift=True, dealing=None, laid=0, joining=0, suspect=None)
    return as_it_lies(course, board)


def as_it_lies(course: Course, board: tuple[str, ...]) -> Course:
    """The board is what lies there, and the streets that it lacks are owed."""
    owed = [street for street in STREETS if len(board) < WHOLE[street]]
    lying = [street for street in STREETS if street not in owed]
    own = tuple(step for step in course.plan if step.owners and step.kind not in _OF_THE_BOARD)
    rest = tuple(Step(kind) for street in owed for kind in ("close", "burn", street))
    ends = (Step("close"), Step("showdown"), Step("collect"))
    return replace(
        course,
        board=board,
        burned=(),
        street=lying[-1] if lying else "preflop",
        plan=() if course.over else (*own, *rest, *ends),
    )


def acted_on(course: Course, event: Acted, number: int) -> tuple[Departure, ...]:
    """An act that can only belong to the street that came too early (rules.md 2.3)."""
    street = plan.next_street(course)
    if street < 0 or course.betting != Betting() or event.action == "fold":
        return ()
    ticket = run_out(course, street)
    if not ticket or event.seat in course.bets.owing | course.bets.broke:
        return ()
    cards = tuple(c for s in course.plan[:street] if plan.owns(s, ticket) for c in s.cards)
    return (
        Departure(
            what="board",
            due="acted-on",
            at_ms=event.at_ms,
            numbers=(number,),
            street=STREET_OF[course.plan[street].kind],
            seats=(event.seat,),
            cards=tuple(dict.fromkeys(cards)),
            face_seen=True,
        ),
    )
