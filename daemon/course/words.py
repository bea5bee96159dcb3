"""What is said and keyed: acts, the shuffle and the cut, exposures, floor keys, the showdown."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import betting, exposures, mending, plan, streets, turns
from daemon.course.course import Course, Departure, forgotten
from daemon.course.house import House
from daemon.course.moves import gave_up
from daemon.course.passing import at_showdown
from daemon.course.skips import Followed, corroborate, gravest, skipped, wrongs
from daemon.course.steps import Step
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import Acted, DeckShuffled, HandTabled

# What need not be done before the shuffle: judged at the next draw, or told by nobody.
_PASSED = frozenset({"return-aside", "return-board", "burn-to-top"})


def acted(
    course: Course, event: Acted, number: int, house: House, *, keyed: bool = True
) -> Followed:
    """A seat acted: the round goes on, closes, or was not over when the street came.

    To which round an act belongs that is not `keyed`, but seen by its cards alone, nobody can tell:
    they may reach the muck late, while the next street is laid that nobody has seen yet.
    """
    if keyed:
        course = shown_to_all(course)
    if event.action == "post":
        return _posted(course, event), ()
    if course.pitched == 0 and not course.mute and not course.senses("place"):
        course = plan.dealt(course)  # nobody sees cards pitched here
    departures: tuple[Departure, ...] = ()
    if keyed:
        course, departures = _corroborated(course, event, number)
    course, upon = streets.acted_upon(course, event, number)
    departures += upon
    if event.seat not in course.live:
        return course, departures
    if keyed:
        departures += _stands_by_consent(course, event, number)
    course, early = turns.too_soon(course, event, number)
    departures += early
    course = replace(course, quiet=False, joining=0, acted_on_street=True)
    if event.action == "fold":
        course = plan.killed(course, event.seat)
        if at_showdown(course):
            return gave_up(course, event.seat), departures
    if betting.is_in_turn(course.bets, event):
        course = replace(
            course,
            acts_in_turn=course.acts_in_turn + 1,
            chips_in_turn=course.chips_in_turn + (event.action in turns.CHIP_ACTS),
            spoke=course.spoke | {event.seat},
            behind=None,
        )
    else:
        course, passed = turns.behind(course, event, number, house)
        departures += passed
    course = replace(course, bets=betting.act(course.bets, event))
    if len(course.live) < 2 and not course.over:
        return plan.abandon(course), departures
    return plan.settle(turns.without_turn(course)), departures


def _posted(course: Course, event: Acted) -> Course:
    """Chips put up; what is, before anybody acted, stays when the hand is dealt anew (SM-2)."""
    bets = betting.act(course.bets, event)
    if course.acts_in_turn or course.street not in ("deal", "preflop"):
        return replace(course, bets=bets)
    return replace(course, bets=bets, opening=betting.act(course.opening, event))


def _corroborated(course: Course, event: Acted, number: int) -> Followed:
    """An act that still belonged to the old round proves that a doubtful street came early."""
    suspect = course.suspect
    if suspect is None or suspect.acted or course.mute:
        return course, ()
    opens = event.seat == suspect.first_due and not _answers_a_bet(course, event)
    if opens or suspect.departure.back is None:
        return replace(course, suspect=replace(suspect, acted=True)), ()
    if event.seat not in suspect.departure.back.bets.owing:
        return course, ()
    return corroborate(course, number)


def _answers_a_bet(course: Course, event: Acted) -> bool:
    """A call or a raise cannot open a round: it belongs to the one before."""
    return event.action in ("call", "raise") and course.bets.bet == 0


def _stands_by_consent(course: Course, event: Acted, number: int) -> tuple[Departure, ...]:
    """Betting goes on with a card on the board that a remedy wants back."""
    street = plan.next_street(course)
    steps = course.plan[:street] if street >= 0 else course.plan
    if course.mute or any(step.kind == "close" for step in steps):
        return ()
    lies = course.felt.lies
    for step in steps:
        wanted = step.kind in ("set-aside", "return-board", "board-to-top")
        if wanted and any(lies.get(card) == places.BOARD for card in step.cards):
            return (
                Departure(
                    what="acted",
                    due=step.kind,
                    at_ms=event.at_ms,
                    numbers=(number,),
                    ticket=step.owners[0][0],
                    wrong=wrongs((step,)),
                ),
            )
    return ()


def shown_to_all(course: Course) -> Course:
    """An act was made on the board: what lies there face up has been seen by all (design.md 7)."""
    if not course.unturned:
        return course
    seen = frozenset(course.unturned) - course.face_down
    return replace(course, public=course.public | seen, unturned=())


def shuffled(course: Course, event: DeckShuffled, number: int) -> Followed:
    """The stub was shuffled: the remedy's shuffle, in its time or too early."""
    before, course = course, forgotten(course)
    if course.street == "deal" and course.pitched == 0 and course.deal == 1 and not course.mute:
        if plan.find(course, "cut", "shuffle") < 0:
            course = replace(course, plan=(Step("cut"), *course.plan))
        if plan.find(course, "shuffle") < 0:
            return course, ()
    at = plan.find(course, "shuffle")
    if at < 0:
        return exposures.shuffled_in(before, course, event, number)
    step = course.plan[at]
    if course.mute and 0 <= plan.find(course, "collect") < at:
        return course, ()  # the cards that are out are not in it
    if course.mute or not step.owners:
        return plan.take(course, at), ()
    ticket = step.owners[0][0]
    course = mending.unscrambled(replace(course, joining=0), at)
    at = course.plan.index(step)
    passed = _PASSED | ({"close"} if _at_any_time(course.remedies[ticket]) else set())
    missed = [s for s in skipped(course, at) if s.kind not in passed]
    kinds = {s.kind for s in missed}
    if not missed:
        return plan.take(course, at), ()
    early = kinds <= {"close", "floor", "refund"}
    departure = Departure(
        what="shuffle",
        due=gravest(tuple(missed)).kind if early else "branch",
        at_ms=event.at_ms,
        numbers=(number,),
        ticket=ticket,
        wrong=wrongs(tuple(missed)),
    )
    kept = tuple(s for s in course.plan[:at] if s not in missed)
    course = replace(course, plan=(*kept, *course.plan[at:]))
    return plan.take(course, len(kept)), (departure,)


def _at_any_time(remedy: tuple[str, ...]) -> bool:
    """RP-5 names no cut and does not say whether to shuffle before or after the betting ends."""
    return "cut" not in remedy and "set-aside" not in remedy


def cut(course: Course) -> Course:
    """The stub was cut; before a shuffle that is due it counts for nothing."""
    at, shuffle = plan.find(course, "cut"), plan.find(course, "shuffle")
    if at < 0 or (0 <= shuffle < at and course.senses("shuffle")):
        return course
    return plan.take(course, at)


def tabled(course: Course, event: HandTabled) -> Course:
    """A seat laid its cards face up."""
    cards = event.cards
    public = course.public | frozenset(c for c in cards if is_known(c))
    read = course.read | {event.seat} if cards else course.read
    course = replace(course, public=public, read=read)
    if not cards:
        lying = (c for c in course.drawn.get(event.seat, ()) if c in course.felt.lies)
        cards = tuple(lying)
    contenders = course.contenders
    if at_showdown(course) and not contenders:
        contenders = course.live
    return replace(course, tabled={**course.tabled, event.seat: cards}, contenders=contenders)


def floor_key(course: Course, number: int, *, early: bool = False) -> Followed:
    """The floor was called or ruled: its step is done, and a doubtful street is corroborated.

    Once its round was opened, only a key that says so (`early`) makes it a premature one.
    """
    opened = course.suspect is not None and course.suspect.acted and not early
    departures: tuple[Departure, ...] = ()
    if not course.mute and not opened:
        course, departures = corroborate(course, number, keyed=True)
    if early and not departures and not course.mute and len(course.live) > 1:
        course, departures = corroborate(course, number, keyed=True, suspect=course.unproven)
    if not early:
        departures = tuple(replace(found, done=("floor",)) for found in departures)
    at = plan.find(course, "floor")
    return (plan.take(course, at) if at >= 0 else course), departures


def misdeal_keyed(course: Course, at_ms: int, number: int, *, late: bool | None) -> Followed:
    """The dealer's misdeal key; a ground may have been seen, or not."""
    ended = course.over or course.pushed or at_showdown(course) or course.pitched == 0
    known = course.misdeal or course.offered or course.void or course.mute
    found = () if ended or known or late else (_unfounded(course, at_ms, number),)
    return misdeal_declared(course), found


def misdeal_declared(course: Course) -> Course:
    """A misdeal was called: from here only the redeal is due."""
    if course.mute:
        return replace(course, declared_misdeal=True)
    steps = ("collect", "shuffle", "cut", "deal")
    return replace(
        course,
        mute="misdeal",
        declared_misdeal=True,
        plan=tuple(Step(kind) for kind in steps),
    )


def collected(course: Course, at_ms: int, number: int, *, late: bool | None) -> Followed:
    """Every card is back: the hand's end, or a deal that is dealt anew.

    `late` says whether it is too late for a misdeal, None where that cannot be told.
    """
    ended = course.over or course.pushed or at_showdown(course) or bool(course.tabled)
    if ended or (course.pitched == 0 and not course.mute):
        return course, ()
    if course.mute == "left" and late is not True:
        return course, ()
    keyed = course.declared_misdeal or course.mute == "misdeal"
    departures: tuple[Departure, ...] = ()
    if not course.void and (late or (late is None and keyed and course.acted_on_street)):
        departures = (
            Departure(
                what="collected",
                due="late",
                at_ms=at_ms,
                numbers=(number,),
                street=course.street,
                ticket=course.misdeal,
                doubt="" if late else "window-unknown",
                severity="critical" if any(map(course.drawn.get, course.live)) else "",
            ),
        )
    elif not (course.void or course.misdeal or course.offered or course.declared_misdeal):
        departures = (_unfounded(course, at_ms, number),)
    if not keyed and _may_be_a_chop(course):  # a redeal in this hand is none
        departures = tuple(replace(found, waits="pitch") for found in departures)
    at = plan.find(course, "collect")
    if course.mute and at >= 0:
        course = plan.take(course, at)
    return plan.dealt_anew(course), departures


def _may_be_a_chop(course: Course) -> bool:
    """All but two have folded, nobody has put chips in, and the two have not acted: the blinds.

    They take their blinds back; where no muck is read, their cards are seen to go nowhere.
    """
    folded = course.acts_in_turn > 0 and course.chips_in_turn == 0
    blinds = len(course.live) == 2 and course.live <= course.bets.owing
    return course.street == "preflop" and folded and blinds


def _unfounded(course: Course, at_ms: int, number: int) -> Departure:
    """A misdeal, and the sensors saw no ground for it."""
    return Departure(
        what="collected",
        due="unfounded",
        at_ms=at_ms,
        numbers=(number,),
        street=course.street,
        doubt="ground-unseen",
        face_seen=True,
    )
