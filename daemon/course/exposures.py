"""Faces that were seen: whose fault it is, and whether the deal can still be saved."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import plan, sights, taken
from daemon.course.course import Course, Departure
from daemon.course.passing import at_showdown, running
from daemon.course.skips import Followed
from daemon.course.steps import STREET_OF
from daemon.table import places
from daemon.table.events import (
    CardExposed,
    CardMoved,
    CardTurned,
    Claimed,
    DeckShuffled,
    FloorCalled,
    FloorRuled,
)


def exposed(course: Course, event: CardExposed, number: int, first_cards: int) -> Followed:
    """A face was seen: the dealer's fault if it is a hole card of a deal not yet played."""
    card = which(course, event)
    if event.card is not None:
        course = replace(course, public=course.public | {event.card})
    if course.mute:
        return course, ()
    place = places.plain(event.place)
    if place == places.STUB:
        return course, _in_stub(course, event, number)
    if place == places.BURN and card is not None and card not in course.exposed:
        return course, (face(event, number, "burned", (card,)),)
    seat = places.seat_of(event.place)
    if seat is None or card is None or sights.is_known(course, event, seat):
        return course, ()
    course, sure = sights.told_whose(course, event, number, card)
    if sure is not None:
        return course, (sure,)
    if card in course.exposed:
        return course, ()
    if event.by == "player":
        course, own = _by_player(course, event, number, seat, card)
        return taken.told(course, card), own + _undue_after_all(course, event, number, card)
    if course.street not in ("deal", "preflop") or course.burned or course.over:
        return course, ()
    found = by_dealer(course, event, number, (seat, card), first_cards)
    doubt = event.doubt.instead if event.doubt else ""
    found = replace(found, doubt=doubt or ("player-turned" if event.by == "unknown" else ""))
    if card in course.unkeyed and taken.is_replaced(course, seat):
        found = replace(found, done=("replace",))
    course = taken.told(noted(course, card), card)
    if found.doubt:
        course = replace(course, doubted=found)
    return course, (found,)


def _undue_after_all(
    course: Course, event: CardExposed, number: int, card: str
) -> tuple[Departure, ...]:
    """The player's exposure was keyed late: the card that was taken from him should have played."""
    seat = course.unkeyed.get(card)
    return () if seat is None else (taken.undue(card, seat, event.at_ms, (number,)),)


def noted(course: Course, card: str) -> Course:
    """The card counts as exposed by the dealer."""
    return replace(course, exposed=(*course.exposed, card), shelved=course.plan)


def by_dealer(
    course: Course,
    event: CardExposed | CardMoved | FloorRuled,
    number: int,
    whose: tuple[int, str],
    first_cards: int,
) -> Departure:
    """An exposure by the dealer's fault: of the first card, of one, or of one more."""
    seat, card = whose
    return Departure(
        what="exposed",
        due=_which_exposure(course, card, first_cards),
        at_ms=event.at_ms,
        numbers=(number,),
        street="deal",
        seat=seat,
        seats=(seat,),
        cards=(card,),
        facts=frozenset({"acted"} if course.acts_in_turn else ()),
        face_seen=True,
    )


def is_dealt_off(course: Course, event: CardMoved) -> bool:
    """Whether the dealer sent a hole card off the table while the deal could still be saved."""
    owed = plan.find(course, "pitch", "replace") >= 0 or event.source != places.STUB
    early = course.street in ("deal", "preflop") and not course.burned
    return event.by == "dealer" and owed and early and not (course.mute or course.over)


def off_table(
    course: Course, event: CardMoved, number: int, seat: int, first_cards: int
) -> Followed:
    """A card dealt off the table is as good as exposed (Robert's irregularities 12)."""
    card = event.card
    if card in course.exposed or card not in course.drawn.get(seat, ()):
        return course, ()
    found = by_dealer(course, event, number, (seat, card), first_cards)
    if found.due == "one":
        found = replace(found, what="moved", due="off-table")
    return noted(course, card), (found,)


def which(course: Course, event: CardExposed) -> str | None:
    """The card in question; a key knows only the seat.

    It means the last card drawn to it, or the one that was taken from it while nobody said why, or
    that a camera saw.
    """
    if event.card is not None:
        return event.card
    seat = places.seat_of(event.place)
    drawn = course.drawn.get(seat, ()) if seat is not None else ()
    told = (taken.card_of(course, seat) or sights.named(course, seat)) if seat is not None else None
    return told or (drawn[-1] if drawn else None)


def _which_exposure(course: Course, card: str, first_cards: int) -> str:
    if card == course.replacement:
        return "replacement"
    if first_cards and card == course.first_card:
        return "first"
    if first_cards > 1 and card == course.second_card:
        return "second"
    return "more" if course.exposed else "one"


def face(
    event: CardExposed | Claimed | FloorCalled,
    number: int,
    due: str,
    cards: tuple[str, ...] = (),
    seat: int = 0,
) -> Departure:
    """A face was seen, or may have been."""
    return Departure(
        what="exposed",
        due=due,
        at_ms=event.at_ms,
        numbers=(number,),
        seat=seat,
        seats=(seat,) if seat else (),
        cards=cards,
        face_seen=True,
    )


def _by_player(
    course: Course, event: CardExposed, number: int, seat: int, card: str | None
) -> Followed:
    """A player may show his own cards; it is noted so that it is no dealer's exposure."""
    settled = course.over or course.pushed or at_showdown(course)
    run_out = len(course.live - course.bets.broke) < 2 and not course.bets.owing
    if card in course.shown_cards or settled or run_out:
        return course, ()
    first = seat not in course.shown_seats
    course = replace(
        course,
        shown_seats=course.shown_seats | {seat},
        shown_cards=course.shown_cards | ({card} if card else set()),
    )
    if not first:
        return course, ()
    cards = (event.card,) if event.card is not None else ()
    return course, (face(event, number, "own", cards, seat),)


def shuffled_in(before: Course, course: Course, event: DeckShuffled, number: int) -> Followed:
    """The card that was to be the burn lay on the stub and was shuffled in (rules.md 3, SM-1)."""
    lies = before.felt.lies
    for step in before.plan:
        burn = step.kind in ("exposed-to-burn", "extra-to-burn") and step.owners
        if not burn or not step.cards or any(card in lies for card in step.cards):
            continue
        gone = tuple(s for s in course.plan if s.owners != step.owners)
        return replace(course, plan=gone), (
            Departure(
                what="shuffle",
                due="shuffled-in",
                at_ms=event.at_ms,
                numbers=(number,),
                ticket=step.owners[0][0],
                wrong=step.owners,
            ),
        )
    return course, ()


def is_own(course: Course, card: str) -> bool:
    """Whether it is a live hand's card that lies before its player, the deal being over."""
    seat = places.seat_of(course.felt.lies.get(card, places.STUB))
    mine = seat is not None and card in course.drawn.get(seat, ()) and seat in course.live
    return mine and course.street != "deal" and card not in course.exposed and not course.mute


def turned_up(course: Course, event: CardTurned, number: int) -> Followed:
    """A hole card was turned over where it lies: by its player, before the hands are shown."""
    place = course.felt.lies[event.card]
    seen = CardExposed(at_ms=event.at_ms, place=place, card=event.card, by="player")
    seat = places.seat_of(place)
    assert seat is not None
    return _by_player(course, seen, number, seat, event.card)


def is_replaced_unduly(course: Course, event: CardMoved, to: str) -> bool:
    """Whether the dealer takes away a card that only its player exposed."""
    away = to in (places.ASIDE, places.BURN, places.STUB) or (
        to == places.OFF and event.by == "dealer"
    )
    early = course.street in ("deal", "preflop") and not course.burned and not course.mute
    return away and early and event.card in course.shown_cards


def replaced_unduly(course: Course, event: CardMoved, number: int, seat: int) -> Followed:
    """A card that its player exposed plays; it may be put back."""
    return course, (taken.undue(event.card, seat, event.at_ms, (number,)),)


def _in_stub(course: Course, event: CardExposed, number: int) -> tuple[Departure, ...]:
    """A face was seen in the stub: in a shuffle, at its bottom while dealing, or on top."""
    ticket = running(course)
    if ticket:
        return _faces_in_shuffle(course, event, number, ticket)
    if course.street == "deal":
        before = course.pitched == 0 and event.spot is None
        due = "shuffle" if before else "bottom" if event.spot == "bottom" else ""
        found = face(event, number, due)
        return (replace(found, waits="draw"),) if due else ()
    at = plan.next_street(course)
    if at < 0 or len(course.live) < 2 or course.over:
        return ()
    if event.spot is None and len(course.public.difference(course.felt.lies)) > 1:
        return (replace(face(event, number, "disordered"), what="stub"),)  # scattered
    if event.spot != "top":
        return ()
    seen = (event.card,) if event.card is not None else ()
    top = face(event, number, "top", seen)
    return (replace(top, street=STREET_OF[course.plan[at].kind]),)


def _faces_in_shuffle(
    course: Course, event: CardExposed, number: int, ticket: int
) -> tuple[Departure, ...]:
    states = dict(zip(course.remedies[ticket], course.marks[ticket], strict=True))
    if states.get("shuffle") == "open" and event.spot is not None:
        return ()
    return (
        Departure(
            what="shuffle",
            due="face",
            at_ms=event.at_ms,
            numbers=(number,),
            ticket=ticket,
            wrong=plan.owners_of(course, ticket, "shuffle"),
        ),
    )
