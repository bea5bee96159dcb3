"""Burns and board: each card held against the street that is due."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import (
    betting,
    early,
    edits,
    excess,
    further,
    mending,
    order,
    plan,
    saving,
    taken,
)
from daemon.course.course import Back, Course, Departure
from daemon.course.skips import (
    LEFT_LYING,
    Followed,
    doubt_of,
    gravest,
    skipped,
    still_there,
    ticket_of,
    without_hurry,
    wrongs,
)
from daemon.course.steps import BURNS, SIZE, STREET_OF, STREETS, Step
from daemon.table import places
from daemon.table.events import Acted, CardMoved, CardTurned

# Remedies in which the burn before the street is made already.
_NO_BURN = frozenset({"shuffle", "pick-burn"})
# A card face up at a seat or on the board was seen; so was a board card whose face nobody sensed.
_SEEN_ON_BOARD = frozenset({"up", "unknown"})


def burn(course: Course, event: CardMoved, number: int) -> Followed:
    """A card from the stub to the burns."""
    course, found = _burn(course, event, number)
    up = event.face == "up"
    return course, found + (burn_seen(course, event.card, event.at_ms, number) if up else ())


def burn_seen(course: Course, card: str, at_ms: int, number: int) -> tuple[Departure, ...]:
    """The face of a burn was seen; it stays the burn. After the pot anybody may ask to see it."""
    own = (*course.exposed, *course.extras, *course.boxed)
    if card in own or course.mute or course.over or course.pushed:
        return ()
    return (
        Departure(
            what="exposed",
            due="burned",
            at_ms=at_ms,
            numbers=(number,),
            cards=(card,),
            face_seen=True,
        ),
    )


def _burn(course: Course, event: CardMoved, number: int) -> Followed:
    card = event.card
    times_ms = (course.burned_ms[1], event.at_ms)
    course = replace(
        course, burned=(*course.burned, card), burned_ms=times_ms, quiet=False, joining=0
    )
    street = plan.next_street(course)
    if course.dealing and not course.mute:
        short = excess.undercount(course, event.at_ms, number)
        course = replace(complete(course), burned=(card,))
        at = plan.find(course, *BURNS)
        return (plan.take(course, at) if at >= 0 else course), (short,)
    if course.mute or course.over or course.adrift or street < 0:
        return course, ()
    course = mending.settle_gone(course)
    street = plan.next_street(course)
    if course.boards > 1:
        return further.burned(course), ()
    owed = plan.find(course, "replace")
    if owed >= 0:
        return course, (_before_replacement(event, number, course.plan[owed]),)
    own = plan.find(course, "exposed-to-burn", "extra-to-burn")
    if own >= 0:  # another card in its place is seen when the flop comes
        return (plan.take(course, own) if card in course.plan[own].cards else course), ()
    if early.run_out(course, street):
        return course, ()  # the next board card says so
    at = plan.find(course, *BURNS)
    if 0 <= at < street:
        return _due_burn(course, event, number, at)
    step = course.plan[street]
    lying = [s for s in course.plan[:street] if still_there(course, s) in LEFT_LYING]
    if lying:
        return course, (_left_lying(event, number, lying[0]),)
    if not course.senses("board"):  # the street may have come unseen
        return course, ()
    course = replace(course, spare=(*course.spare, card))
    redealt = step.kind not in STREETS
    ticket = next((t for t, _ in step.owners if redealt and _NO_BURN & set(course.remedies[t])), 0)
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
    if order.may_wait(course, missed):  # this one is the next street's
        return replace(course, spare=(*course.spare, event.card)), ()
    only_close = all(s.kind == "close" for s in missed)
    if step.kind == "double-burn":
        again = replace(step, kind="burn")
        course = replace(course, plan=(*course.plan[:at], again, *course.plan[at + 1 :]))
    elif only_close:
        course = plan.take(course, at)
    else:
        kept = without_hurry(course, at)
        course = plan.take(replace(course, plan=(*kept, *course.plan[at:])), len(kept))
    if not missed:
        return course, ()
    due = gravest(missed)
    doubt = doubt_of(event)
    if course.betting.source == "dealer" and due.kind == "close":
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
    if course.over:
        return excess.rabbit(course, event, number)
    if course.mute or event.card in course.board:  # one laid again was only unread
        return course, ()
    if course.adrift:
        return early.as_it_lies(course, (*course.board, event.card)), ()
    if course.boards > 1 and plan.next_street(course) < 0:
        return course, ()
    course = taken.as_burn(mending.settle_gone(course))
    if (mended := mending.topped_up(course, event)) is not None:
        return mended, ()
    if (saved := saving.saved(course, event, number)) is not None:
        return saved
    if excess.is_missing_card(course):
        return excess.with_missing_card(course, event.card), ()
    joins = (excess.joins(course, event, number),) if course.joining else ()
    if course.dealing:
        return _lay(course, event), joins
    if not excess.is_growing(course) and excess.is_overfull(course, event, overcount_ms):
        return course, (excess.overfull(course, event, number),)
    if joins:
        return course, joins
    at = plan.next_street(course)
    if course.boards > 1:
        at = plan.street_owed(course)
        course = further.own_burn(course, at)
        at = plan.street_owed(course)
    if at < 0:
        return excess.beyond(course, event, number, overcount_ms)
    run_out = early.run_out(course, at)
    if run_out:
        more = excess.joins(course, event, number)
        return course, (replace(more, due="run-out", ticket=run_out),)
    return _street(course, event, number, at)


def _street(course: Course, event: CardMoved, number: int, at: int) -> Followed:
    """The first card of the next street; what was due before it and did not come is a departure."""
    step = course.plan[at]
    course = mending.left_as_burn(course, at)
    at = course.plan.index(step)
    missed = skipped(course, at)
    back = _as_it_stands(course)
    due_first = betting.due_order(course.bets)
    due = gravest(missed).kind if missed else ""
    is_open = any(s.kind == "close" for s in missed)
    lies_already = course.street in STREETS[STREETS.index(STREET_OF[step.kind]) :]
    first = due in order.TO_TOP and not _was_taken_back(course, missed)
    if lies_already and order.may_wait(course, missed):
        return _run_on(course, event, gravest(missed)), ()
    if first and not is_open and not lies_already:
        joining = gravest(missed).owners[0][0]
        course = replace(course, joining=joining, dealing=replace(step, owners=()), laid=0)
        return _lay(course, event), (excess.joins(course, event, number),)
    left = (*without_hurry(course, at), *course.plan[at + 1 :])
    course = replace(course, plan=left, dealing=step, laid=0)
    if course.spare:  # the one burn of SM-1 and SM-3 is not the only one
        course = plan.mark(course, _one_burn(course, step), "wrong")
    later = early.unproven(course, event, number, back)
    course = _lay(replace(course, unproven=None), event)
    if not missed:
        return replace(course, suspect=None, unproven=later), saving.other_river(
            event, number, step
        )
    kinds = {s.kind for s in missed}
    step_due = gravest(missed)
    if is_open and due in order.TO_TOP:  # the premature street says it all
        step_due = next(s for s in missed if s.kind == "close")
    what_due = still_there(course, step_due)
    if what_due == "return-board-gone" and "shuffle" not in kinds:
        what_due = "return-aside"  # the stub was shuffled without it
    found = Departure(
        what="board",
        due=what_due,
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
    return early.premature(course, replace(found, wrong=()), kinds)


def _as_it_stands(course: Course) -> Back:
    """What stands again if the street that comes now turns out not to count."""
    return Back(
        plan=course.plan,
        bets=course.bets,
        street=course.street,
        board=course.board,
        acted_on_street=course.acted_on_street,
        marks=course.marks,
        remedies=course.remedies,
    )


def _run_on(course: Course, event: CardMoved, waiting: Step) -> Course:
    """The board is run out over a burn fault: the fault's remedy wants this street back as well."""
    following = STREETS[STREETS.index(course.street) + 1]
    course = edits.join(course, waiting.owners[0][0], (event.card,))
    return _lay(replace(course, joining=0, dealing=Step(following), laid=0), event)


def _one_burn(course: Course, step: Step) -> tuple[tuple[int, int], ...]:
    """The remedies in which a card that was seen is the only burn before this street."""
    own = {"exposed-to-burn", "extra-to-burn"}
    return tuple(owner for owner in step.owners if own & set(course.remedies[owner[0]]))


def _was_taken_back(course: Course, missed: tuple[Step, ...]) -> bool:
    """Whether the street was laid once since the burn fault, and put back on the stub or stood."""
    ticket = gravest(missed).owners[0][0]
    remedy = course.remedies[ticket]
    states = zip(remedy, course.marks[ticket], strict=True)
    return "board-to-top" not in remedy or ("board-to-top", "done") in states


def _facts(event: CardMoved, kinds: set[str]) -> frozenset[str]:
    facts = set()
    if kinds & {"burn", "double-burn"}:
        facts.add("no-burn")
    if event.face == "down":
        facts.add("unexposed")
    return frozenset(facts)


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
        suspect=early.with_card(course.suspect, street, event.card),
        unproven=early.with_card(course.unproven, street, event.card),
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
        joining=0 if course.suspect else course.joining,
        street=street,
        burned=(),
        old_bets=course.bets,
        bets=betting.new_street(course.bets, course.deal_order),
        acted_on_street=False,
    )
    return plan.settle(course)


def fill(course: Course, card: str) -> Course:
    """A card that is no dealt one fills the slot that is due, and has been acted upon."""
    at = plan.next_street(course)
    if course.dealing is None and at < 0:
        return course
    if course.dealing is None:
        rest = (*without_hurry(course, at), *course.plan[at + 1 :])
        course = replace(course, dealing=course.plan[at], laid=0, plan=rest)
    laid = CardMoved(at_ms=course.laid_ms, card=card, source=places.MUCK, to=places.BOARD)
    return _lay(course, laid)


def from_saved(course: Course, event: CardTurned, number: int) -> Followed:
    """The saved river is turned up (SM-10), once the round of the turn is over."""
    card, at = event.card, plan.next_street(course)
    if at < 0 or event.face != "up" or card not in course.plan[at].cards:
        return course, ()
    step, missed = course.plan[at], skipped(course, at)
    if any(other.kind != "close" for other in missed):
        return course, ()
    early = Departure(
        what="board",
        due="close",
        at_ms=event.at_ms,
        numbers=(number,),
        street="river",
        cards=(card,),
        ticket=step.owners[0][0],
        wrong=wrongs(missed),
    )
    return fill(course, card), (early,) if missed else ()


def acted_upon(course: Course, event: Acted, number: int) -> Followed:
    """An act finds the board as it lies: a flop that is short, a street that came too early."""
    if course.mute or event.seat not in course.live:
        return course, ()
    course = mending.passed_over(course)
    if course.dealing and STREET_OF[course.dealing.kind] == "flop" and not course.suspect:
        short = excess.undercount(course, event.at_ms, number)
        return complete(course), (short,)
    return course, early.acted_on(course, event, number)
