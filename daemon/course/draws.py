"""Cards that leave the stub: the pitch, the burn, the board; each held against the step that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, plan
from daemon.course.course import Back, Course, Departure, Suspect
from daemon.course.steps import BURNS, SIZE, STREET_OF, Step
from daemon.table import places
from daemon.table.events import CardMoved

Followed = tuple[Course, tuple[Departure, ...]]

# Which of several skipped steps names the departure: the first of these.
_GRAVEST = (
    *("set-aside", "return-board", "board-to-top", "burn-to-top", "return-aside", "floor"),
    *("close", "shuffle", "cut", "replace", "exposed-to-burn", "extra-to-burn", "burn"),
    *("double-burn", "turn", "river", "flop"),
)
# A card face up at a seat or on the board was seen; so was a board card whose face nobody sensed.
_SEEN_ON_BOARD = frozenset({"up", "unknown"})


def skipped(course: Course, until: int) -> tuple[Step, ...]:
    """The steps before that index that this table would have seen done."""
    found = []
    for step in course.plan[:until]:
        sense = {"cut": "cut", "burn": "burn", "double-burn": "burn"}.get(step.kind)
        if sense and not course.senses(sense):
            continue
        if step.kind == "close" and course.felt.betting.level == "none":
            continue
        if step.kind in ("pitch", "deal", "collect") or (step.kind == "shuffle" and not step.owners):
            continue
        found.append(step)
    return tuple(found)


def gravest(steps: tuple[Step, ...]) -> Step:
    """The skipped step after which the departure is called."""
    return min(steps, key=lambda step: _GRAVEST.index(step.kind) if step.kind in _GRAVEST else 99)


def ticket_of(course: Course, step: Step) -> int:
    """The remedy in which this step is due; 0 where its being missed has an ordinary name.

    A close or a burn is a remedy's own only where the remedy deals cards anew (it shuffles).
    """
    for ticket, _ in step.owners:
        if step.kind not in ("close", "burn") or "shuffle" in course.remedies[ticket]:
            return ticket
    return 0


def _still_there(course: Course, step: Step) -> str:
    """The kind of the step that was skipped, with `-gone` where its cards are not on the board."""
    if step.kind not in ("set-aside", "return-board"):
        return step.kind
    lies = course.felt.lies
    there = any(lies.get(card) == places.BOARD for card in step.cards)
    return step.kind if there else f"{step.kind}-gone"


def rewind(course: Course, departure: Departure) -> Course:
    """The street does not count: the plan, the round and the board are as they were before it."""
    back = departure.back
    assert back is not None
    folded = course.bets.live
    bets = replace(
        back.bets,
        live=back.bets.live & folded,
        owing=back.bets.owing & folded,
        broke=back.bets.broke | course.bets.broke,
    )
    return replace(
        course,
        plan=back.plan,
        bets=bets,
        street=back.street,
        board=back.board,
        acted_on_street=back.acted_on_street,
        dealing=None,
        laid=0,
        suspect=None,
    )


def corroborate(course: Course, number: int) -> Followed:
    """The doubtful street did come early: it does not count, with all that follows from it."""
    suspect = course.suspect
    if suspect is None:
        return course, ()
    found = suspect.departure
    course = rewind(course, found)
    return course, (replace(found, numbers=(*found.numbers, number), back=None),)


def wrongs(steps: tuple[Step, ...]) -> tuple[tuple[int, int], ...]:
    """The remedy steps that are left undone with these."""
    return tuple(owner for step in steps for owner in step.owners)


def pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """A card from the stub to a seat: the pitch that is due, a replacement, or one too many."""
    card = event.card
    held = course.drawn.get(seat, ())
    first = course.pitched == 0
    at = plan.find(course, "pitch")
    course = replace(
        course,
        drawn={**course.drawn, seat: (*held, card)},
        first_card=card if first else course.first_card,
        pitched=course.pitched + 1,
        draws_since_pitch=0 if at >= 0 else course.draws_since_pitch + 1,
    )
    if course.mute:
        return course, ()
    if at >= 0:
        return _due_pitch(course, event, number, (seat, at, first, len(held)))
    return _late_pitch(course, event, number, seat)


def _due_pitch(
    course: Course, event: CardMoved, number: int, to: tuple[int, int, bool, int]
) -> Followed:
    seat, at, first, held = to
    expected = course.plan[at].seat
    if seat != expected:
        due = _why_not(course, seat, first=first, held=held)
        home = (places.STUB, places.SEAT[expected]) if due == "other-seat" else (places.STUB,)
        if due == "extra-other":
            course = replace(course, extras=(*course.extras, event.card))
        departure = _at_seat(event, number, seat, due, home)
        return course, (departure,)
    missed = skipped(course, at)
    course = plan.take(replace(course, plan=course.plan[at:]), 0)
    if plan.find(course, "pitch") < 0:
        course = _all_dealt(course)
    if not missed:
        return course, ()
    step = gravest(missed)
    return course, (
        Departure(
            what="pitch",
            due=step.kind,
            at_ms=event.at_ms,
            numbers=(number,),
            street="deal",
            ticket=ticket_of(course, step),
            wrong=wrongs(missed),
            doubt=_doubt(event),
        ),
    )


def _why_not(course: Course, seat: int, *, first: bool, held: int) -> str:
    if seat not in course.deal_order:
        return "unentitled"
    if first:
        return "first-seat"
    owed = plan.find(course, "replace")
    if owed >= 0 and course.plan[owed].seat == seat:
        return "replacement"
    if held >= 2:
        return "extra-more" if course.extras else "extra-other"
    return "other-seat"


def _all_dealt(course: Course) -> Course:
    """The last card of the initial deal is out: hands without a player are killed (TDA 30)."""
    return replace(course, street="preflop", draws_since_pitch=0)


def _late_pitch(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """All have their two cards: only an exposed card's replacement may still be owed."""
    at = plan.find(course, "replace")
    if at >= 0 and course.plan[at].seat == seat:
        course = plan.take(course, at)
        return replace(course, replacement=event.card), ()
    if course.street != "preflop" or course.burned:
        return course, ()
    if seat not in course.deal_order:
        return course, (_at_seat(event, number, seat, "unentitled", (places.STUB,)),)
    facts = {"acted"} if course.acts_in_turn else set()
    due = "extra-other"
    if course.extras:
        due = "extra-more"
    elif seat == course.deal_order[0] and course.draws_since_pitch == 1:
        due = "extra-first"
    if course.draws_since_pitch == 1 and not course.acts_in_turn:
        facts.add("last-off-deck")
    course = replace(course, extras=(*course.extras, event.card))
    home = (places.STUB, places.BURN, places.ASIDE)
    departure = _at_seat(event, number, seat, due, home)
    return course, (replace(departure, facts=frozenset(facts)),)


def _at_seat(
    event: CardMoved, number: int, seat: int, due: str, home: tuple[str, ...]
) -> Departure:
    return Departure(
        what="pitch",
        due=due,
        at_ms=event.at_ms,
        numbers=(number,),
        street="deal",
        seat=seat,
        seats=(seat,),
        cards=(event.card,),
        doubt=_doubt(event),
        home=home,
        face_seen=event.face == "up",
    )


def _doubt(event: CardMoved) -> str:
    return event.doubt.instead if event.doubt else ""


def burn(course: Course, event: CardMoved, number: int) -> Followed:
    """A card from the stub to the burns."""
    card = event.card
    course = replace(course, burned=(*course.burned, card), quiet=False, joining=0)
    street = plan.next_street(course)
    if course.mute or course.over or street < 0 or course.dealing:
        return course, ()
    own = plan.find(course, "exposed-to-burn", "extra-to-burn")
    if own >= 0 and card in course.plan[own].cards:
        return plan.take(course, own), ()
    at = plan.find(course, *BURNS)
    if 0 <= at < street:
        return _due_burn(course, event, number, at)
    step = course.plan[street]
    course = replace(course, spare=(*course.spare, card))
    ticket = next((t for t, _ in step.owners if "shuffle" in course.remedies[t]), 0)
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
            doubt=_doubt(event),
            home=(places.STUB,),
            face_seen=event.face == "up",
        ),
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
    doubt = _doubt(event)
    if course.felt.betting.source == "dealer" and due.kind == "close":
        if course.bets.told:
            return course, ()
        doubt = doubt or "key-missed"
    return course, (
        Departure(
            what="burn",
            due=_still_there(course, due),
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
    if course.mute or course.over:
        return course, ()
    joins = (_joins(course, event, number),) if course.joining else ()
    if course.dealing:
        return _lay(course, event), joins
    if joins:
        return course, joins
    if _is_overfull(course, event, overcount_ms):
        return course, (_overfull(course, event, number),)
    at = plan.next_street(course)
    if at < 0:
        return course, ()
    return _street(course, event, number, at)


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
    """A fourth card with neither burn nor act since the flop, within seconds of it (rules.md 2.0)."""
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
        doubt=_doubt(event),
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
    )
    due_first = betting.due_order(course.bets)
    due = gravest(missed).kind if missed else ""
    if due in ("board-to-top", "burn-to-top"):  # the street of a burn fault that stands uncorrected
        joining = gravest(missed).owners[0][0]
        course = replace(course, joining=joining, dealing=replace(step, owners=()), laid=0)
        return _lay(course, event), (_joins(course, event, number),)
    course = replace(course, plan=course.plan[at + 1 :], dealing=step, laid=0)
    course = _lay(course, event)
    if not missed:
        return course, ()
    kinds = {s.kind for s in missed}
    found = Departure(
        what="board",
        due=_still_there(course, gravest(missed)),
        at_ms=event.at_ms,
        numbers=(number,),
        street=STREET_OF[step.kind],
        seats=due_first if "close" in kinds else (),
        cards=(event.card,),
        facts=_facts(event, kinds),
        ticket=ticket_of(course, gravest(missed)),
        wrong=wrongs(missed),
        doubt=_doubt(event),
        home=(places.STUB,),
        face_seen=event.face in _SEEN_ON_BOARD,
        back=back if "close" in kinds else None,
    )
    if found.due != "close" or found.ticket:
        return course, (found,)
    return _premature(course, found, kinds)


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
        course = replace(course, suspect=Suspect(replace(found, doubt=""), order[0] if order else 0))
        departures = [sure] if doubt else []
        if kinds & {"burn", "double-burn"}:
            departures.append(replace(found, due="burn", seats=(), facts=frozenset(), back=None))
        return course, tuple(departures)
    if bets.told and course.felt.betting.level == "acts":
        found = replace(found, doubt=found.doubt or "acts-disagree")
    elif bets.guess:
        found = replace(found, doubt=found.doubt or "all-in-call")
        order = betting.due_order(course.bets)
        course = replace(course, suspect=Suspect(replace(found, doubt=""), order[0] if order else 0))
    return course, (found,)


def _lay(course: Course, event: CardMoved) -> Course:
    """One more card of the street that is being dealt; the last one opens its round."""
    assert course.dealing is not None
    street = STREET_OF[course.dealing.kind]
    laid = course.laid + 1
    course = replace(
        course, board=(*course.board, event.card), laid=laid, laid_ms=event.at_ms, quiet=True
    )
    return complete(course) if laid == SIZE[street] else course


def complete(course: Course) -> Course:
    """The street lies: its step is done and its round begins."""
    assert course.dealing is not None
    street = STREET_OF[course.dealing.kind]
    course = plan.mark(course, course.dealing.owners, "done")
    course = replace(
        course,
        dealing=None,
        laid=0,
        street=street,
        burned=(),
        old_bets=course.bets,
        bets=betting.new_street(course.bets, course.deal_order),
        acted_on_street=False,
    )
    return plan.settle(course)
