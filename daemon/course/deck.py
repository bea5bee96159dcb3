"""The deck and the stub: odd and boxed cards, counts, cuts, the order of draws."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan
from daemon.course.course import Course, Departure, lie
from daemon.course.skips import Followed
from daemon.course.steps import STREET_OF
from daemon.table import places
from daemon.table.cards import DECK, is_known
from daemon.table.events import (
    CardBoxed,
    CardMoved,
    CardOdd,
    DeckChanged,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    HandStarted,
)

_ODD_MAX = 60  # more cards than a deck has are told of no more
_SCRAPPED = (places.ASIDE, places.MUCK, places.OFF)
_ANYWHERE = (places.STUB, places.BOARD, places.BURN, *_SCRAPPED, *places.SEAT[1:])
_IN_PLAY = frozenset({places.BOARD, places.BURN})
_TIMELY = frozenset({"push", "level", "house", "fault"})


def odd(course: Course, event: CardOdd, number: int) -> Followed:
    """A card that is not of this deck: a fault in the hand, none while it lies in the stub.

    Before the first card both decks lie on the felt, and nothing is judged but a marked card. One
    of the other deck that was not seen to come from the stub must still lie there at the next act.
    """
    card, kind = event.card, event.kind
    if course.odd.get(card) == kind or len(course.odd) >= _ODD_MAX:
        return course, ()
    lies = course.felt.lies.get(card)
    place = places.plain(event.place or lies or places.STUB)
    course = replace(course, odd={**course.odd, card: kind})
    found = replace(_odd(event, number), due=kind)
    if kind == "marked":
        return course, (found,)
    if course.pitched == 0 or course.void or course.over:
        return course, ()
    seat = places.seat_of(place)
    if seat is not None or place in _IN_PLAY:
        covered = lies is not None and seat is not None and card != course.last_card
        found = replace(found, seat=seat or 0, facts=frozenset({"covered"} if covered else ()))
        if kind == "other-deck" and lies != place:
            elsewhere = tuple(p for p in _ANYWHERE if p != place)
            found = replace(found, home=elsewhere, waits="act")
        return lie(course, card, place), (found,)
    if kind != "joker" and place == places.MUCK and lies is not None:
        return course, (found,)
    if kind == "other-deck" and place in (places.ASIDE, places.OFF):
        return course, (replace(found, doubt="resting-deck"),)
    return course, ()


def came_out(course: Course, event: CardMoved, number: int) -> tuple[Departure, ...]:
    """A card known not to be of this deck left the stub: now it is in the hand."""
    kind, to = course.odd.get(event.card, "marked"), places.plain(event.to)
    seat = places.seat_of(to)
    if kind == "marked" or course.void or (seat is None and to not in _IN_PLAY):
        return ()
    return (replace(_odd(event, number), due=kind, seat=seat or 0),)


def _odd(event: CardOdd | CardMoved, number: int) -> Departure:
    return Departure(
        what="odd",
        due="",
        at_ms=event.at_ms,
        numbers=(number,),
        cards=(event.card,),
        face_seen=True,
    )


def boxed(course: Course, event: CardBoxed, number: int, misdeal_at: int) -> Followed:
    """A card lay face up in the stub: a scrap of paper, and too many of them a misdeal.

    Said after its move, it was no exposure by the dealer: the plan is as it was before that.
    """
    card = event.card
    if is_known(card):
        course = replace(course, public=course.public | {card})
    mine = card == course.last_card and card in course.exposed
    if mine:
        course = replace(
            course,
            exposed=tuple(c for c in course.exposed if c != card),
            plan=course.shelved,
            mute="" if course.mute == "misdeal" else course.mute,
            doubted=None,
        )
    if course.mute or course.over:
        return course, ()
    before_deal = course.street == "deal" and course.pitched == 0 and course.deal == 1
    holder = next((s for s, cards in sorted(course.drawn.items()) if card in cards), 0)
    dealing = course.street == "deal" or plan.find(course, "replace") >= 0 or holder > 0
    if dealing and plan.find(course, "shuffle") >= 0:  # the stub is mixed before it is dealt from
        return course, ()
    due = "cut" if before_deal else "one" if dealing else "board"
    if due == "one":
        course = replace(course, boxed=(*course.boxed, card))
        due = "more" if len(course.boxed) >= misdeal_at else "one"
    seat = holder or _next_seat(course)
    covered = holder > 0 and card != course.last_card
    return course, (
        Departure(
            what="boxed",
            due=due,
            at_ms=event.at_ms,
            numbers=(number,),
            street=_next_street(course) if due == "board" else course.street,
            seat=seat if due == "one" else 0,
            seats=(seat,) if due == "one" and seat else (),
            cards=(card,),
            facts=frozenset({"covered"} if covered else ()),
            home=_SCRAPPED if due in ("one", "board") else (),
            waits="draw" if before_deal else "",
            face_seen=before_deal or mine or due == "more",
        ),
    )


def _next_seat(course: Course) -> int:
    at = plan.find(course, "pitch", "replace")
    return course.plan[at].seat if at >= 0 else 0


def _next_street(course: Course) -> str:
    """The street that the next card is for, or that is being laid."""
    if course.dealing:
        return STREET_OF[course.dealing.kind]
    at = plan.next_street(course)
    return STREET_OF[course.plan[at].kind] if at >= 0 else course.street


def counted(course: Course, event: DeckCounted, number: int, hands: int) -> Followed:
    """Cards were counted: too few are missing at once, what else is wrong after some hands.

    A shuffler's own count goes to the floor at once (rules.md 2.4). A stub can be told only where
    all that lies outside it is sensed.
    """
    if event.of == "stub" and not course.senses("place", "board", "burn"):
        return course, ()
    if event.deck is not None and course.deck is not None and event.deck != course.deck:
        return course, ()
    whole = len(DECK)
    out = len(course.scraps)
    if event.of == "stub":
        out = sum(card not in course.odd for card in course.felt.lies)
    expected = whole - out
    if event.count == expected or (event.of == "deck" and event.count == whole):
        return replace(course, felt=replace(course.felt, miscounts=0)), ()
    running = course.felt.miscounts + (0 if course.miscounted else 1)
    felt = replace(course.felt, miscounts=running)
    course = replace(course, felt=felt, miscounted=True)
    missing = event.count < expected
    by_shuffler = event.by == "shuffler"
    if not missing and not by_shuffler and running < hands:
        return course, ()
    return course, (
        Departure(
            what="counted",
            due="missing" if missing else "other",
            at_ms=event.at_ms,
            numbers=(number,),
            severity="high" if by_shuffler else "",
            audience="floor" if by_shuffler else "",
        ),
    )


def found_off(event: CardMoved, number: int) -> tuple[Departure, ...]:
    """A card that never was in this hand was found off the table."""
    return (Departure(what="counted", due="missing", at_ms=event.at_ms, numbers=(number,)),)


def cut_badly(course: Course, event: DeckCut, number: int, cards_min: int) -> tuple[Departure, ...]:
    """A packet of too few cards was cut, or the cut card is not under the bottom."""
    if course.pitched or course.mute:
        return ()
    short = not event.complete or (event.cut_cards is not None and event.cut_cards < cards_min)
    found = []
    if short:
        found.append("short")
    if event.cut_card is False:
        found.append("bottom")
    return tuple(
        Departure(what="cut", due=due, at_ms=event.at_ms, numbers=(number,), waits="draw")
        for due in found
    )


def shuffled_badly(course: Course, event: DeckShuffled, number: int) -> tuple[Departure, ...]:
    """The shuffler says that it did not finish; a further shuffle undoes it."""
    if event.complete or course.pitched or course.mute:
        return ()
    return (
        Departure(what="shuffle", due="whole", at_ms=event.at_ms, numbers=(number,), waits="draw"),
    )


def leftover(course: Course, event: CardMoved, number: int) -> tuple[Departure, ...]:
    """At the first draw a card of the last hand still lies before a seat, as when it ended."""
    lies = course.felt.lies
    there = [c for c, place in course.leftover.items() if lies.get(c) == place and c != event.card]
    if not there or course.deal > 1:
        return ()
    return (Departure(what="pitch", due="leftover", at_ms=event.at_ms, numbers=(number,)),)


def changed_untimely(course: Course, event: DeckChanged, number: int) -> tuple[Departure, ...]:
    """The deck was changed outside the moments at which decks change (TDA 2024 rule 26)."""
    felt = course.felt
    mid_hand = course.pitched > 0 and not course.over and not course.pushed
    timely = event.reason == "fault" if mid_hand else event.reason in _TIMELY or felt.change_due
    own = not felt.decks or event.deck in felt.decks
    if (timely and own) or course.mute:
        return ()
    return (Departure(what="deck", due="untimely", at_ms=event.at_ms, numbers=(number,)),)


def begun(course: Course, event: HandStarted, number: int) -> tuple[Departure, ...]:
    """What is wrong with a hand before its first card: its time, its deck, a card missing twice.

    A level that starts during the push leaves one hand at the old one (TDA 2024 rule 23).
    """
    felt = course.felt
    levels = event.level is not None and event.clock_level is not None
    late = levels and event.level != event.clock_level and not felt.change_due
    found = []
    if event.in_break or late:
        found.append(("begun", "untimely"))
    if event.deck is not None and felt.decks and event.deck not in felt.decks:
        found.append(("deck", "untimely"))
    if course.missing:
        found.append(("counted", "missing"))
    return tuple(
        Departure(what=what, due=due, at_ms=event.at_ms, numbers=(number,)) for what, due in found
    )
