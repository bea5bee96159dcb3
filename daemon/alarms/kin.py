"""How irregularities of a hand stand to each other, and to what comes next."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from daemon.alarms.life import Life
from daemon.course import moves, plan, rounds
from daemon.course.course import Course, Departure
from daemon.course.passing import at_showdown
from daemon.course.steps import BURNS, STREETS
from daemon.course.taken import UNKEYED
from daemon.rules.naming import Irregularity
from daemon.rules.remedies import as_dealt
from daemon.rules.rulebook import Rulebook
from daemon.table import places
from daemon.table.events import (
    Acted,
    CardMoved,
    DealingEvent,
    DeckCut,
    DeckShuffled,
    PotPushed,
)

# A hand has a handful of irregularities; past these a repeat is only more evidence of the last one.
REPEATS_MAX = 3
LIVES_MAX = 40
EVIDENCE_MAX = 32
_BOXED = frozenset({"deal-boxed-card", "deal-boxed-cards-multiple"})
_UNDONE_BY_CUT = frozenset({"cut-short", "deck-cut-card-exposed"})
# What is about a round, and so the same as the street that came while it was open.
_OF_THE_ROUND = frozenset({"burn-premature", "player-skipped"})


def known(what: Irregularity, lives: Mapping[int, Life], course: Course) -> Life | None:
    """The same fault that still stands, if there is one."""
    for life in lives.values():
        if _key(life.what) != _key(what) or life.what.parent != what.parent:
            continue
        if life.final or life.state == "withdrawn" or life.self_corrected:
            continue
        graver = what.severity != life.what.severity and not what.remedy
        if what.parent or graver or (life.what.remedy and _is_open(life, course)):
            return life
    return _last_of_many(what, lives, course)


def _key(what: Irregularity) -> tuple[str, str, int]:
    return what.id, what.subject, what.deal


def _is_open(life: Life, course: Course) -> bool:
    marks = course.marks.get(life.what.ticket, ("open",))
    return any(mark in ("open", "wrong") for mark in marks)


def _last_of_many(what: Irregularity, lives: Mapping[int, Life], course: Course) -> Life | None:
    """The latest alert of its kind once there are more than a hand can have."""
    alike = [life for life in lives.values() if life.what.id == what.id]
    if len(alike) >= REPEATS_MAX * len(course.deal_order):
        return alike[-1]
    return alike[-1] if alike and len(lives) >= LIVES_MAX else None


def is_finished(life: Life, course: Course) -> bool:
    """Whether its remedy was done, or owed no more."""
    marks = course.marks.get(life.what.ticket, ())
    return bool(marks) and not any(mark in ("open", "wrong") for mark in marks)


def ordinal(what: Irregularity, lives: Mapping[int, Life]) -> int:
    """Which of its name in this deal this one is, from 1."""
    return 1 + sum(_key(life.what) == _key(what) for life in lives.values())


def says_the_same(what: Irregularity, lesser: Irregularity) -> bool:
    """Whether the graver one is about the same deal, street or round as the lesser."""
    if what.id in _BOXED:
        return set(lesser.cards) <= set(what.cards) or lesser.id == "deal-boxed-card"
    if lesser.id == "deal-replacement-undue":  # the dealer had exposed it, and keyed that late
        return lesser.doubt == UNKEYED and set(lesser.cards) <= set(what.cards)
    if lesser.id == "deal-card-flashed":
        return set(lesser.seats) <= set(what.seats)
    if what.id.startswith("deal-") or what.subject == lesser.subject:
        return True
    whole_run = what.id == "streets-premature-multiple"
    return lesser.id in _OF_THE_ROUND and (lesser.street == what.street or whole_run)


def switches(departure: Departure, lives: Mapping[int, Life]) -> bool:
    """An act that closes a window brings the ruling after it, no fault in the one before."""
    parent = lives.get(departure.ticket)
    return (
        parent is not None
        and departure.what == "acted"
        and parent.what.ruling.window == "any-action"
    )


def is_offer(life: Life) -> bool:
    """Medium severity means that the dealer may fix it; so he may leave the misdeal, too."""
    return life.what.is_misdeal and life.what.ruling.severity == "medium"


def is_doubtful(life: Life) -> bool:
    """Whether the hand is followed as if nothing were wrong, until the doubt is gone."""
    return bool(life.doubt) and life.doubt != "acts-disagree"


def begins(life: Life) -> bool:
    """Whether what was held or waited for begins its remedy now that it stands."""
    return not is_doubtful(life) and (life.what.is_misdeal or life.state == "waiting")


def with_deck_at_fault(course: Course, what: Irregularity) -> Course:
    """A deck at fault may be changed after the hand (TDA 2024 rule 26)."""
    if not what.id.startswith("deck-") or what.id == "deck-change-untimely":
        return course
    return replace(course, felt=replace(course.felt, change_due=True))


def ruled_anew(
    what: Irregularity, book: Rulebook, facts: frozenset[str], *, late: bool
) -> Irregularity:
    """The ruling under these facts; `late` that the window is closed."""
    ruling = book.ruling(what.id, facts)
    after = ruling.after_remedy if late else None
    remedy = as_dealt(ruling.remedy if after is None else after, facts)
    return replace(what, ruling=ruling, remedy=remedy, facts=facts)


def is_act(event: DealingEvent, course: Course, besides: tuple[str, ...] = ()) -> bool:
    """Whether a seat acts, by word or by its cards in the muck; these cards are no act."""
    if isinstance(event, CardMoved):
        return event.card not in besides and moves.folding(course, event) > 0
    return isinstance(event, Acted) and event.action != "post"


def is_decided(what: Irregularity, event: DealingEvent, course: Course, *, drawn: bool) -> bool:
    """Whether this is what it waited for; `drawn` that a card came off the stub."""
    match what.waits:
        case "act":
            return is_act(event, course, besides=what.cards)
        case "burn":
            burned = isinstance(event, CardMoved) and places.plain(event.to) == places.BURN
            # The burn of the slot's own street may come behind a card that only passes there.
            due = 0 <= plan.find(course, *BURNS) < plan.next_street(course)
            own = due and course.dealing is None
            return (drawn and burned and not own) or isinstance(event, PotPushed)
        case "pitch":
            to_seat = isinstance(event, CardMoved) and places.seat_of(places.plain(event.to))
            return drawn and bool(to_seat)
        case _:
            return what.waits == "draw" and drawn


def is_boxed(what: Irregularity) -> bool:
    """Whether it must be scrapped before the next act."""
    return what.id in ("deal-boxed-card", "board-card-boxed")


def is_undone(what: Irregularity, event: DealingEvent) -> bool:
    """Whether the deck was shuffled, or cut, once more before it was dealt from."""
    if isinstance(event, DeckCut):
        return what.id in _UNDONE_BY_CUT
    return isinstance(event, DeckShuffled) and event.complete


def is_passing_over(life: Life, course: Course, event: DealingEvent) -> bool:
    """Whether the deal goes on as if that seat were not there: it was passed over, or skipped."""
    if life.what.id != "deal-out-of-sequence" or not isinstance(event, CardMoved):
        return False
    return rounds.passes_over(course, places.seat_of(places.plain(event.to)) or 0)


def is_moot(life: Life, course: Course) -> bool:
    """Whether what it waited for is settled by the end of the hand."""
    if life.what.waits == "draw":
        return False
    if life.what.id == "board-from-muck" and course.street in STREETS:
        # Once the street was dealt from the stub the card only passed there.
        return STREETS.index(course.street) >= STREETS.index(life.what.subject)
    over = course.over or course.pushed or bool(course.mute) or at_showdown(course)
    if over or len(course.live) < 2:
        return True
    return life.what.waits == "sweep" and _hands_on_seats(course) < 2


def _hands_on_seats(course: Course) -> int:
    """How many live hands still lie on their antennas."""
    lying = {places.seat_of(place) for place in course.felt.lies.values()}
    return len(lying & course.live)


def evidence(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of both, each once and in order; the first ones where they are too many."""
    return tuple(sorted({*one, *other}))[:EVIDENCE_MAX]


def is_next_step(course: Course, to: str) -> bool:
    """Whether a draw to that place is a next step: no card too many, no further card of a street.

    A card to a seat takes a step only while pitches, or a replacement, are owed.
    """
    if places.plain(to) == places.BOARD:
        return course.dealing is None
    return places.seat_of(to) is None or plan.find(course, "pitch", "replace") >= 0
