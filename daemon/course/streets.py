"""Burns and board: each card held against the street that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Back, Course, Departure, Suspect
from daemon.course.skips import (
    Followed,
    doubt_of,
    gravest,
    skipped,
    still_there,
    ticket_of,
    wrongs,
)
from daemon.course.steps import BURNS, SIZE, STREET_OF, Step
from daemon.table import places
from daemon.table.events import CardMoved

_LEFT_LYING = frozenset({"set-aside", "return-board"})
# A card face up at a seat or on the board was seen; so was a board card whose face nobody sensed.
_SEEN_ON_BOARD = frozenset({"up", "unknown"})


def burn(course: Course, event: CardMoved, number: int) -> Followed:
    """A card from the stub to the burns."""
    card = event.card
    course = replace(course, burned=(*course.burned, card), quiet=False, joining=0)
    street = plan.next_street(course)
    if course.mute or course.over or street < 0 or course.dealing:
        return course, ()
    course = plan.settle_gone(course)
    street = plan.next_street(course)
    owed = plan.find(course, "replace")
    if owed >= 0:
        return course, (_before_replacement(event, number, course.plan[owed]),)
    own = plan.find(course, "exposed-to-burn", "extra-to-burn")
    if own >= 0:  # another card in its place is seen when the flop comes
        return (plan.take(course, own) if card in course.plan[own].cards else course), ()
    at = plan.find(course, *BURNS)
    if 0 <= at < street:
        return _due_burn(course, event, number, at)
    step = course.plan[street]
    if course.boards > 1:  # each further board has its own burns
        return course, ()
    lying = [s for s in course.plan[:street] if still_there(course, s) in _LEFT_LYING]
    if lying:
        return course, (_left_lying(event, number, lying[0]),)
    if not course.senses("board"):  # the street may have come unseen
        return course, ()
    course = replace(course, spare=(*course.spare, card))
    redealt = step.kind.endswith("-without-burn")
    ticket = next((t for t, _ in step.owners if redealt and "shuffle" in course.remedies[t]), 0)
    return course, (
        Departure(
            what="burn",
            due="redealt" if ticket else "more",
            at_ms=event.at_ms,
            numbers=(number,),
            street=STREET_OF[step.kind],
            cards=(card,),
            ticket=ticket,
            wrong=tuple(owner for owner in step.owners if owner[0] == ticket),
            doubt=doubt_of(event),
            home=(places.STUB,),
            face_seen=event.face == "up",
        ),
    )


def _before_replacement(event: CardMoved, number: int, owed: Step) -> Departure:
    """The replacement is not the first card drawn after the deal any more."""
    return Departure(
        what="burn",
        due="replace",
        at_ms=event.at_ms,
        numbers=(number,),
        street="deal",
        seat=owed.seat,
        seats=(owed.seat,),
        ticket=owed.owners[0][0] if owed.owners else 0,
        wrong=owed.owners,
        face_seen=True,
    )


def _left_lying(event: CardMoved, number: int, step: Step) -> Departure:
    """The deal goes on with a card on the board that a remedy wants back."""
    return Departure(
        what="burn",
        due=step.kind,
        at_ms=event.at_ms,
        numbers=(number,),
        ticket=step.owners[0][0],
        wrong=step.owners,
    )


def _due_burn(course: Course, event: CardMoved, number: int, at: int) -> Followed:
    step = course.plan[at]
    missed = skipped(course, at)
    only_close = all(s.kind == "close" for s in missed)
    if step.kind == "double-burn":
        again = replace(step, kind="burn")
        course = replace(course, plan=(*course.plan[:at], again, *course.plan[at + 1 :]))
    elif only_close:
        course = plan.take(course, at)
    else:
        course = plan.take(replace(course, plan=course.plan[at:]), 0)
    if not missed:
        return course, ()
    due = gravest(missed)
    doubt = doubt_of(event)
    if course.felt.betting.source == "dealer" and due.kind == "close":
        if course.bets.told:
            return course, ()
        doubt = doubt or "key-missed"
    return course, (
        Departure(
            what="burn",
            due=still_there(course, due),
            at_ms=event.at_ms,
            numbers=(number,),
            seats=betting.due_order(course.bets) if only_close else (),
            ticket=0 if only_close else ticket_of(course, due),
            wrong=() if only_close else wrongs(missed),
            doubt=doubt,
        ),
    )


def board(course: Course, event: CardMoved, number: int, overcount_ms: int) -> Followed:
    """A card from the stub to the board: the street that is due, or part of a fault."""
    if course.mute or course.over or event.card in course.board:  # one laid again was only unread
        return course, ()
    course = plan.settle_gone(course)
    joins = (_joins(course, event, number),) if course.joining else ()
    if course.dealing:
        return _lay(course, event), joins
    if not _is_growing(course) and _is_overfull(course, event, overcount_ms):
        return course, (_overfull(course, event, number),)
    if joins:
        return course, joins
    at = plan.next_street(course)
    if at < 0:
        return course, ()
    return _street(course, event, number, at)


def _is_growing(course: Course) -> bool:
    """Whether cards beyond the lawful board lie there already, for the fault that is joined."""
    cards = (
        card
        for step in course.plan
        if step.kind in plan.ABOUT_BOARD and plan.owns(step, course.joining)
        for card in step.cards
    )
    return any(card not in course.board for card in cards)


def _joins(course: Course, event: CardMoved, number: int) -> Departure:
    """One more card of a fault that is already known."""
    return Departure(
        what="board",
        due="joins",
        at_ms=event.at_ms,
        numbers=(number,),
        cards=(event.card,),
        ticket=course.joining,
    )


def _is_overfull(course: Course, event: CardMoved, overcount_ms: int) -> bool:
    """A fourth card with neither burn nor act since the flop, within seconds of it."""
    able = course.bets.live - course.bets.broke
    return (
        course.street == "flop"
        and len(course.board) == SIZE["flop"]
        and course.quiet
        and course.senses("burn")
        and event.at_ms - course.laid_ms <= overcount_ms
        and len(able) > 1
    )


def _overfull(course: Course, event: CardMoved, number: int) -> Departure:
    unexposed = event.face == "down" and all(card in course.face_down for card in course.board)
    return Departure(
        what="board",
        due="none",
        at_ms=event.at_ms,
        numbers=(number,),
        street="flop",
        cards=(event.card,) if unexposed else (*course.board, event.card),
        facts=frozenset({"unexposed"} if unexposed else ()),
        doubt=doubt_of(event),
        home=(places.STUB,),
        face_seen=not unexposed,
    )


def _street(course: Course, event: CardMoved, number: int, at: int) -> Followed:
    """The first card of the next street; what was due before it and did not come is a departure."""
    step = course.plan[at]
    missed = skipped(course, at)
    back = Back(
        plan=course.plan,
        bets=course.bets,
        street=course.street,
        board=course.board,
        acted_on_street=course.acted_on_street,
        marks=course.marks,
    )
    due_first = betting.due_order(course.bets)
    due = gravest(missed).kind if missed else ""
    is_open = any(s.kind == "close" for s in missed)
    lies_already = course.street == STREET_OF[step.kind]
    if due in ("board-to-top", "burn-to-top") and not is_open and not lies_already:
        joining = gravest(missed).owners[0][0]
        course = replace(course, joining=joining, dealing=replace(step, owners=()), laid=0)
        return _lay(course, event), (_joins(course, event, number),)
    course = replace(course, plan=course.plan[at + 1 :], dealing=step, laid=0)
    course = _lay(course, event)
    if not missed:
        return course, ()
    kinds = {s.kind for s in missed}
    step_due = gravest(missed)
    if is_open and due in ("board-to-top", "burn-to-top"):  # the premature street says it all
        step_due = next(s for s in missed if s.kind == "close")
    found = Departure(
        what="board",
        due=still_there(course, step_due),
        at_ms=event.at_ms,
        numbers=(number,),
        street=STREET_OF[step.kind],
        phase=back.street if "close" in kinds else "",
        seat=step_due.seat,
        seats=(step_due.seat,) if step_due.seat else due_first if "close" in kinds else (),
        cards=step_due.cards if step_due.seat else (event.card,),
        facts=_facts(event, kinds),
        ticket=ticket_of(course, step_due),
        wrong=wrongs(missed),
        doubt=doubt_of(event),
        home=() if step_due.seat else (places.STUB,),
        face_seen=event.face in _SEEN_ON_BOARD,
        back=back if "close" in kinds else None,
    )
    if found.due != "close" or found.ticket:
        return course, (found,)
    return _premature(course, replace(found, wrong=()), kinds)


def _facts(event: CardMoved, kinds: set[str]) -> frozenset[str]:
    facts = set()
    if kinds & {"burn", "double-burn"}:
        facts.add("no-burn")
    if event.face == "down":
        facts.add("unexposed")
    return frozenset(facts)


def _premature(course: Course, found: Departure, kinds: set[str]) -> Followed:
    """A street while somebody owes: certain, or a doubt where only the dealer's own keys say so.

    A dealer who turns a card early believes that betting is closed, so his keys prove nothing
    (rules.md 2.6); a missing burn is a fact all the same.
    """
    assert found.back is not None
    bets = found.back.bets
    if course.felt.betting.source == "dealer":
        doubt = "" if bets.told else "key-missed"
        sure = replace(found, doubt=found.doubt or "key-missed")
        order = betting.due_order(course.bets)
        course = replace(
            course, suspect=Suspect(replace(found, doubt=""), order[0] if order else 0)
        )
        departures = [sure] if doubt else []
        if kinds & {"burn", "double-burn"}:
            departures.append(replace(found, due="burn", seats=(), facts=frozenset(), back=None))
        return course, tuple(departures)
    if bets.told and course.felt.betting.level == "acts":
        found = replace(found, doubt=found.doubt or "acts-disagree")
    elif bets.guess:
        found = replace(found, doubt=found.doubt or "all-in-call")
        order = betting.due_order(course.bets)
        course = replace(
            course, suspect=Suspect(replace(found, doubt=""), order[0] if order else 0)
        )
    return course, (found,)


def _lay(course: Course, event: CardMoved) -> Course:
    """One more card of the street that is being dealt; the last one opens its round."""
    assert course.dealing is not None
    street = STREET_OF[course.dealing.kind]
    laid = course.laid + 1
    course = replace(
        course,
        board=(*course.board, event.card),
        laid=laid,
        laid_ms=event.at_ms,
        quiet=True,
        suspect=_with_card(course.suspect, street, event.card),
    )
    return complete(course) if laid == SIZE[street] else course


def _with_card(suspect: Suspect | None, street: str, card: str) -> Suspect | None:
    """All cards of a doubtful street are in doubt."""
    if suspect is None or suspect.departure.street != street:
        return suspect
    found = suspect.departure
    return replace(suspect, departure=replace(found, cards=(*found.cards, card)))


def complete(course: Course) -> Course:
    """The street lies: its step is done and its round begins."""
    assert course.dealing is not None
    street = STREET_OF[course.dealing.kind]
    course = plan.mark(course, course.dealing.owners, "done")
    course = replace(
        course,
        dealing=None,
        laid=0,
        joining=0 if course.suspect else course.joining,
        street=street,
        burned=(),
        old_bets=course.bets,
        bets=betting.new_street(course.bets, course.deal_order),
        acted_on_street=False,
    )
    return plan.settle(course)
