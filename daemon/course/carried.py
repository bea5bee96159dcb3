"""One card moved: where it lies now, and what it was due for."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import (
    acts,
    deal,
    deck,
    exposures,
    further,
    moves,
    order,
    plan,
    rounds,
    scraps,
    showdown,
    streets,
    stub,
    taken,
    turns,
    words,
)
from daemon.course.course import Course, Departure, lie, substantial
from daemon.course.house import House
from daemon.course.skips import Followed
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import (
    CardDrawn,
    CardExposed,
    CardMoved,
    CardTurned,
    ChipsMoved,
    DealingEvent,
)

# What a camera or a chip reader adds by itself: the dealer's hands did nothing.
_BESIDES = (CardTurned, ChipsMoved)


def moved(course: Course, event: CardMoved, number: int, house: House) -> Followed:
    card, source, to = event.card, places.plain(event.source), places.plain(event.to)
    lies = course.felt.lies.get(card)
    if to == places.BOARD:
        course = replace(course, unturned_ms=event.at_ms)
    elsewhere = lies not in (None, places.STUB, places.OFF) or card in course.seen_off
    if source == places.STUB and elsewhere and is_known(card):
        return _twin(course, event, number)
    if course.twins.get(card) == source and lies != source:
        return replace(course, twins={**course.twins, card: to}), ()
    if to == places.OFF and event.by != "unknown":
        course = replace(course, seen_off=course.seen_off | {card})
    elif source == places.OFF:
        course = replace(course, seen_off=course.seen_off - {card})
    course = _faced(lie(course, card, to), event, to)
    if card in course.scraps:
        return scraps.moved(course, event, number)
    if source == places.STUB:
        course, found = _drawn_to(course, event, number, house)
        return course, found + deck.came_out(course, event, number)
    seat = places.seat_of(source)
    mine = seat in course.live
    if mine and seat is not None and to == places.OFF and exposures.is_dealt_off(course, event):
        return exposures.off_table(course, event, number, seat, house.first_cards)
    if seat is not None and exposures.is_replaced_unduly(course, event, to):
        return exposures.replaced_unduly(course, event, number, seat)
    if seat is not None and taken.is_taken(course, event, seat, to):
        return taken.taken(course, event, number, seat)
    before = course = taken.put_back(course, card, to)
    folds = moves.folding(course, event)
    course, found = moves.moved(course, event, number)
    if folds:
        course, more = acts.folded(course, folds, event.at_ms, number, house)
        found += more
    course = order.came_on(before, course, card) if to == places.STUB else course
    return _all_back(course, event, number, house, found) if to == places.STUB else (course, found)


def landed(
    course: Course, event: DealingEvent, house: House
) -> tuple[Course, DealingEvent, tuple[Departure, ...]]:
    """What came behind a draw that strayed from the deal: the course, and the event as it counts.

    A pitch goes on with the deal, and the card itself may come where it was due; anything else
    shows that it was dealt to burns or board.
    """
    assert course.strayed is not None
    if isinstance(event, _BESIDES) or _is_sight(event):
        return course, event, ()
    stray, number = course.strayed
    course = replace(course, strayed=None)
    if isinstance(event, CardMoved):
        is_pitch = places.seat_of(places.plain(event.to)) is not None
        if event.card == stray.card and event.source != places.STUB:
            event = replace(event, source=places.STUB) if is_pitch else event
            return lie(course, event.card, places.STUB), event, ()
        if event.source == places.STUB and is_pitch:
            return course, event, ()
    course, found = _drawn_to(course, stray, number, house, sure=True)
    return course, event, found


def _is_sight(event: DealingEvent) -> bool:
    """Whether a camera alone tells of a face: keys know whose doing it was."""
    return isinstance(event, CardExposed) and event.by == "unknown"


def _is_stray(course: Course) -> bool:
    """Whether pitches are owed at a table that sees them, and nobody has acted yet."""
    dealing = course.street == "deal" and plan.find(course, "pitch") >= 0
    return dealing and course.senses("place") and not (course.acted_on_street or course.mute)


def _drawn_to(
    course: Course, event: CardMoved, number: int, house: House, *, sure: bool = False
) -> Followed:
    """A card left the stub; `sure` that one to burns or board did not stray there."""
    course = stub.left(course, event)
    card, to = event.card, places.plain(event.to)
    played: tuple[Departure, ...] = ()
    if to == places.BURN:
        course, played = scraps.played(course, event.at_ms, number)
    course = scraps.replaced(course, to)
    seat = places.seat_of(to)
    if to not in (places.BURN, places.BOARD):
        course = order.broken(course)
    if seat is not None:
        before = course
        late = substantial(course, house.substantial_action)
        course, found = deal.pitch(course, event, number, seat)
        found += rounds.late_card(before, event, number, seat, late=late)
        course, early = turns.deal_went_on(before, course, number)
        found += early
        return (
            _pitched_up(course, event, number, house, found)
            if event.face == "up"
            else (course, found)
        )
    if to in (places.BURN, places.BOARD) and not sure and _is_stray(course):
        return replace(course, strayed=(event, number)), ()
    short: tuple[Departure, ...] = ()
    if to in (places.BURN, places.BOARD) and not course.mute:
        late = substantial(course, house.substantial_action)
        short = rounds.short(course, event.at_ms, number, late=late, drawn=True)
        course = plan.dealt(course)
    if to in (places.BURN, places.BOARD):
        course, other = order.drawn(course, event, number)
        short += other
    if further.is_further(event.to):
        return further.laid(course, event, number)
    if to == places.BURN:
        return _left(streets.burn(course, event, number), played + short)
    if to == places.BOARD:
        course = replace(course, turned_up=course.turned_up | {card})
        hidden: tuple[Departure, ...] = ()
        if not course.dealing and house.hands_tabled and not course.mute:
            course, hidden = showdown.face_down(course, event.at_ms, number)
        return _left(streets.board(course, event, number, house.overcount_ms), short + hidden)
    if to == places.OFF:
        return _unread(course, event, number, house)
    return moves.laid_aside(course, card) if to == places.ASIDE else course, ()


def drawn(course: Course, event: CardDrawn, number: int) -> Followed:
    """Where no place is sensed, the shoe's word is the pitch to the seat that is due."""
    course, broken = stub.drawn(course, event, number)
    at = plan.find(course, "pitch")
    if "place" in course.felt.sees or at < 0 or course.mute:
        return course, broken
    seat = course.plan[at].seat
    pitched = CardMoved(
        at_ms=event.at_ms, card=event.card, source=places.STUB, to=places.SEAT[seat]
    )
    course, found = deal.pitch(lie(course, event.card, pitched.to), pitched, number, seat)
    return course, broken + found


def _left(followed: Followed, more: tuple[Departure, ...]) -> Followed:
    """A burn or a board card where a misdeal was due: the dealer plays on."""
    course, found = followed
    return replace(course, mute="left") if course.mute else course, more + found


def _faced(course: Course, event: CardMoved, to: str) -> Course:
    """Which cards are public: face up on the felt; a board card of unknown face only later."""
    card = event.card
    if event.source == places.STUB and event.face != "up" and card in course.public:
        # Dealt anew: not every shuffle is told, and what all once saw may be a hole card now.
        course = replace(course, public=course.public - {card})
    if card in course.unturned and to != places.BOARD:  # nobody has had the time to see it
        course = replace(course, unturned=tuple(c for c in course.unturned if c != card))
    if to == places.BOARD and event.source == places.STUB:
        if event.face == "down":
            return replace(course, face_down=course.face_down | {card})
        if event.face == "unknown":
            return replace(
                course,
                unturned=(*course.unturned, card),
                face_down=course.face_down - {card},
            )
    if event.face == "up":
        return replace(course, public=course.public | {card}, face_down=course.face_down - {card})
    return course


def _pitched_up(
    course: Course, event: CardMoved, number: int, house: House, found: tuple[Departure, ...]
) -> Followed:
    """A card pitched face up is an exposure by the dealer."""
    if found and found[0].due != "cut":
        return course, found
    seen = CardExposed(
        at_ms=event.at_ms, place=event.to, card=event.card, by="dealer", doubt=event.doubt
    )
    course, more = exposures.exposed(course, seen, number, house.first_cards)
    return course, found + more


def _unread(course: Course, event: CardMoved, number: int, house: House) -> Followed:
    """No antenna saw the card land: take it for the pitch or burn that is due.

    Seen to leave the table it was dealt off it; found there by the floor it was missing.
    """
    if event.by == "floor":
        return course, () if course.void else deck.found_off(event, number)
    if course.mute:
        return course, ()
    if exposures.is_dealt_off(course, event):
        at = plan.find(course, "pitch", "replace")
        seat = course.plan[at].seat
        course, found = deal.pitch(course, event, number, seat)
        course, off = exposures.off_table(course, event, number, seat, house.first_cards)
        return course, found + off
    if event.by != "unknown":  # seen to leave the table, so it is neither pitch nor burn
        return course, ()
    for step in course.plan:
        if step.kind == "pitch":
            return deal.pitch(course, event, number, step.seat)
        if step.kind in ("burn", "double-burn"):
            return streets.burn(course, event, number)
        if step.kind not in ("shuffle", "cut", "close"):
            break
    return course, ()


def _twin(course: Course, event: CardMoved, number: int) -> Followed:
    """A known card leaves the stub while it lies elsewhere: there are two of it.

    Where all have seen the one that lies, its name stays with it: the other may lie face down.
    """
    card, to = event.card, places.plain(event.to)
    stays = card in course.public and event.face != "up"
    old = course.felt.lies.get(card, places.OFF)
    felt = replace(course.felt, ready={})  # the deck is being dealt
    course = replace(course, twins={**course.twins, card: to if stays else old}, felt=felt)
    departure = Departure(
        what="moved", due="twin", at_ms=event.at_ms, numbers=(number,), cards=(event.card,)
    )
    course = course if stays else lie(course, card, to)
    return course, () if course.void else (departure,)


def _all_back(
    course: Course, event: CardMoved, number: int, house: House, found: tuple[Departure, ...]
) -> Followed:
    """In a misdeal the cards may come back one by one."""
    if course.mute not in ("misdeal", "late") or course.felt.lies:
        return course, found
    late = substantial(course, house.substantial_action)
    course, more = words.collected(course, event.at_ms, number, late=late)
    return course, found + more
