"""Follow the hand: an event that was due takes its step off the plan, any other is a departure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.course import deal, moves, plan, streets, words
from daemon.course.course import Course, Departure, forgotten, gathered, lie, readied, substantial
from daemon.course.skips import Followed
from daemon.table import places
from daemon.table.cards import is_known
from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    BoardsAgreed,
    CardDrawn,
    CardExposed,
    CardIdentified,
    CardMoved,
    CardsCollected,
    CardTurned,
    DealingEvent,
    DeckChanged,
    DeckCut,
    DeckShuffled,
    FloorCalled,
    FloorRuled,
    HandEnded,
    HandTabled,
    MisdealDeclared,
    PotPushed,
    PrematureCalled,
)


class House(Struct, frozen=True):
    """The house's parameters that decide what departs from the course."""

    first_cards: int = 1
    substantial_action: str = "two-acts"
    overcount_ms: int = 6000


def follow(course: Course, event: DealingEvent, number: int, house: House) -> Followed:
    """The course after the event, and what departed from it.

    `number` is the event's number for the evidence. A departure leaves the course as if the event
    counted; what the rulebook makes of it is an edit of the plan.
    """
    match event:
        case CardMoved():
            return _card_moved(course, event, number, house)
        case CardDrawn():
            return _drawn(course, event, number)
        case Acted():
            return words.acted(course, event, number)
        case CardExposed():
            return words.exposed(course, event, number, house.first_cards)
        case CardTurned():
            return _turned(course, event), ()
        case DeckShuffled():
            course = replace(course, felt=readied(course.felt, event.deck, "shuffled"))
            ours = _is_ours(course, event.deck)
            return words.shuffled(course, event, number) if ours else (course, ())
        case DeckCut():
            course = replace(course, felt=readied(course.felt, event.deck, "cut"))
            return words.cut(course) if _is_ours(course, event.deck) else course, ()
        case BettingClosed():
            bets = replace(course.bets, told=True)
            return plan.settle(replace(course, bets=bets, quiet=False)), ()
        case HandTabled():
            return words.tabled(course, event), ()
        case BoardDeclared():
            return replace(course, declared=course.declared | {event.seat}), ()
        case PotPushed():
            found = words.undeclared(course, event.at_ms, number, pushed=True)
            return replace(course, pushed=True, mucked=()), found
        case HandEnded():
            return course, words.undeclared(course, event.at_ms, number, pushed=False)
        case FloorCalled() | PrematureCalled():
            return words.floor_key(course, number)
        case FloorRuled():
            return _ruled(course, event, number)
        case MisdealDeclared():
            return words.misdeal_declared(course), ()
        case CardsCollected():
            return _collected(course, event, number, house)
        case BetsReturned():
            return _done(course, "refund"), ()
        case DeckChanged():
            return _new_deck(course, event.at_ms, number)
        case CardIdentified():
            return _identified(course, event, number)
        case BoardsAgreed():
            return replace(course, boards=event.boards), ()
        case _:  # taken in without harm: no rule of the book asks for it
            return course, ()


def _is_ours(course: Course, deck: str | None) -> bool:
    """Another deck's shuffle or cut is no concern of this hand."""
    return deck is None or course.deck is None or deck == course.deck


def _card_moved(course: Course, event: CardMoved, number: int, house: House) -> Followed:
    card, source, to = event.card, places.plain(event.source), places.plain(event.to)
    lies = course.felt.lies.get(card)
    elsewhere = lies not in (None, places.STUB, places.OFF) or card in course.seen_off
    if source == places.STUB and elsewhere and is_known(card):
        return _twin(course, event, number)
    if course.twins.get(card) == source and lies != source:
        return replace(course, twins={**course.twins, card: to}), ()
    if to == places.OFF and event.by != "unknown":
        course = replace(course, seen_off=course.seen_off | {card})
    course = _faced(lie(course, card, to), event, to)
    if source != places.STUB:
        course, found = moves.moved(course, event, number)
        return (
            _all_back(course, event, number, house, found) if to == places.STUB else (course, found)
        )
    seat = places.seat_of(to)
    if seat is not None:
        course, found = deal.pitch(course, event, number, seat)
        return (
            _pitched_up(course, event, number, house, found)
            if event.face == "up"
            else (course, found)
        )
    if to in (places.BURN, places.BOARD) and not course.mute:
        course = plan.dealt(course)
    if event.to.partition("/")[2] and not event.to.startswith("board:1/"):
        return course, ()  # a further board that was agreed on
    if to == places.BURN:
        return _left(streets.burn(course, event, number))
    if to == places.BOARD:
        return _left(streets.board(course, event, number, house.overcount_ms))
    if to == places.OFF:
        return _unread(course, event, number)
    return moves.laid_aside(course, card) if to == places.ASIDE else course, ()


def _drawn(course: Course, event: CardDrawn, number: int) -> Followed:
    """Where no place is sensed, the shoe's word is the pitch to the seat that is due."""
    at = plan.find(course, "pitch")
    if "place" in course.felt.sees or at < 0 or course.mute:
        return course, ()
    seat = course.plan[at].seat
    pitched = CardMoved(
        at_ms=event.at_ms, card=event.card, source=places.STUB, to=places.SEAT[seat]
    )
    return deal.pitch(lie(course, event.card, pitched.to), pitched, number, seat)


def _left(followed: Followed) -> Followed:
    """A burn or a board card where a misdeal was due: the dealer plays on."""
    course, found = followed
    return (replace(course, mute="left"), found) if course.mute else followed


def _faced(course: Course, event: CardMoved, to: str) -> Course:
    """Which cards are public: face up on the felt; a board card of unknown face only later."""
    card = event.card
    if card in course.unturned and to != places.BOARD:  # nobody has had the time to see it
        course = replace(course, unturned=tuple(c for c in course.unturned if c != card))
    if to == places.BOARD and event.source == places.STUB:
        if event.face == "down":
            return replace(course, face_down=course.face_down | {card})
        if event.face == "unknown":
            return replace(
                course,
                unturned=(*course.unturned, card),
                unturned_ms=event.at_ms,
                face_down=course.face_down - {card},
            )
    if event.face == "up":
        return replace(course, public=course.public | {card}, face_down=course.face_down - {card})
    return course


def _turned(course: Course, event: CardTurned) -> Course:
    card = event.card
    if event.face == "up":
        return replace(course, public=course.public | {card}, face_down=course.face_down - {card})
    if event.face == "down":
        return replace(course, face_down=course.face_down | {card})
    return course


def _pitched_up(
    course: Course, event: CardMoved, number: int, house: House, found: tuple[Departure, ...]
) -> Followed:
    """A card pitched face up is an exposure by the dealer."""
    if found and found[0].due != "cut":
        return course, found
    seen = CardExposed(at_ms=event.at_ms, place=event.to, card=event.card, by="dealer")
    course, exposures = words.exposed(course, seen, number, house.first_cards)
    return course, found + exposures


def _unread(course: Course, event: CardMoved, number: int) -> Followed:
    """No antenna saw the card land: take it for the pitch or burn that is due."""
    if course.mute:
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
    """A known card leaves the stub while it lies elsewhere: there are two of it."""
    old = course.felt.lies.get(event.card, places.OFF)
    course = replace(course, twins={**course.twins, event.card: old})
    departure = Departure(
        what="moved", due="twin", at_ms=event.at_ms, numbers=(number,), cards=(event.card,)
    )
    course = lie(course, event.card, places.plain(event.to))
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


def _collected(course: Course, event: CardsCollected, number: int, house: House) -> Followed:
    late = substantial(course, house.substantial_action)
    course = replace(course, felt=gathered(course.felt, event.left), unturned=())
    return words.collected(course, event.at_ms, number, late=late)


def _done(course: Course, kind: str) -> Course:
    at = plan.find(course, kind)
    return plan.take(course, at) if at >= 0 else course


def _new_deck(course: Course, at_ms: int, number: int) -> Followed:
    """Another deck is whole in the stub, the old one forgotten."""
    felt = replace(course.felt, lies={})
    course = forgotten(replace(course, felt=felt, twins={}))
    at = plan.find(course, "deck-change")
    if at < 0:
        return course, ()
    floor = [step for step in course.plan[:at] if step.kind == "floor"]
    found = tuple(
        Departure(
            what="deck",
            due="floor",
            at_ms=at_ms,
            numbers=(number,),
            ticket=step.owners[0][0],
            wrong=step.owners,
        )
        for step in floor
        if step.owners
    )
    course = plan.take(
        replace(course, plan=tuple(s for s in course.plan if s not in floor)), at - len(floor)
    )
    return plan.dealt_anew(course) if course.mute else course, found


def _ruled(course: Course, event: FloorRuled, number: int) -> Followed:
    if event.ruling in ("misdeal", "redeal"):
        course = words.misdeal_declared(_done(course, "floor"))
        return replace(course, void=True), ()  # no window binds the floor
    if event.ruling in ("other", "dead"):
        return plan.without_remedies(_done(course, "floor")), ()
    if event.ruling in ("stands", "plays"):
        return replace(_done(course, "floor"), suspect=None, mute=course.mute or "left"), ()
    return words.floor_key(course, number)


def _identified(course: Course, event: CardIdentified, number: int) -> Followed:
    """A nameless card gets its name; if that one lies elsewhere there are two of it."""
    lies = course.felt.lies
    if event.identity not in lies or event.card not in lies:
        return _renamed(course, event), ()
    twins = {**course.twins, event.identity: lies[event.card]}
    found = Departure(
        what="moved", due="twin", at_ms=event.at_ms, numbers=(number,), cards=(event.identity,)
    )
    return replace(course, twins=twins), () if course.void else (found,)


def _renamed(course: Course, event: CardIdentified) -> Course:
    """A nameless card gets its name wherever it is written down."""
    old, new = event.card, event.identity

    def named(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if card == old else card for card in cards)

    felt = course.felt
    lies = {new if card == old else card: place for card, place in felt.lies.items()}
    swapped = {old: new}
    return replace(
        course,
        felt=replace(felt, lies=lies, handled=felt.handled | {new}),
        drawn={seat: named(cards) for seat, cards in course.drawn.items()},
        board=named(course.board),
        burned=named(course.burned),
        exposed=named(course.exposed),
        extras=named(course.extras),
        unturned=named(course.unturned),
        public=frozenset(named(tuple(course.public))),
        face_down=frozenset(named(tuple(course.face_down))),
        first_card=swapped.get(course.first_card, course.first_card),
        replacement=swapped.get(course.replacement, course.replacement),
        plan=tuple(replace(s, cards=named(s.cards)) if s.cards else s for s in course.plan),
    )
