"""Follow the hand: an event that was due takes its step off the plan, any other is a departure."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course import (
    acts,
    button,
    carried,
    chips,
    deck,
    exposures,
    flashes,
    mending,
    moves,
    plan,
    rounds,
    rulings,
    showdown,
    streets,
    stub,
    words,
)
from daemon.course.course import Course, Departure, forgotten, substantial
from daemon.course.felt import gathered, readied
from daemon.course.house import House
from daemon.course.skips import Followed
from daemon.table import places
from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    BoardsAgreed,
    ButtonMoved,
    CardBoxed,
    CardDrawn,
    CardExposed,
    CardIdentified,
    CardMoved,
    CardOdd,
    CardsCollected,
    CardsScrambled,
    CardTurned,
    ChipsMoved,
    Claimed,
    DealerChanged,
    DealingEvent,
    DeckChanged,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    FloorCalled,
    FloorRuled,
    HandEnded,
    HandStarted,
    HandTabled,
    MisdealDeclared,
    PotPushed,
    PrematureCalled,
    StubState,
)


def follow(course: Course, event: DealingEvent, number: int, house: House) -> Followed:
    """The course after the event, and what departed from it.

    `number` is the event's number for the evidence. A departure leaves the course as if the event
    counted; what the rulebook makes of it is an edit of the plan.
    """
    match event:
        case CardMoved():
            return carried.moved(course, event, number, house)
        case CardDrawn():
            return carried.drawn(course, event, number)
        case Acted():
            return acts.acted(course, event, number, house)
        case CardExposed(sure=False):
            return flashes.seen(course, event, number)
        case CardExposed():
            return exposures.exposed(course, event, number, house.first_cards)
        case HandStarted():
            due = button.due(course.felt, event, house.button_rule)
            return replace(course, button_due=due), deck.begun(course, event, number)
        case ButtonMoved():
            return button.moved(course, event, number)
        case DeckCounted():
            return deck.counted(course, event, number, house.count_hands)
        case CardOdd():
            return deck.odd(course, event, number)
        case DealerChanged():
            return replace(course, felt=replace(course.felt, change_due=True)), ()
        case CardBoxed():
            return deck.boxed(course, event, number, house.boxed_misdeal_at)
        case StubState():
            return stub.state(course, event, number)
        case Claimed():
            return _claimed(course, event, number, house)
        case CardsScrambled():
            return mending.scrambled(course, event), ()
        case CardTurned():
            return _turned(course, event, number)
        case ChipsMoved():
            return chips.moved(course, event, number)
        case DeckShuffled():
            return _shuffled(course, event, number)
        case DeckCut():
            return _cut(course, event, number, house)
        case _:
            return _said(course, event, number, house)


def _said(course: Course, event: DealingEvent, number: int, house: House) -> Followed:
    """What is said and keyed, by players, dealers and the floor."""
    match event:
        case BettingClosed():
            bets = replace(course.bets, told=True)
            return plan.settle(replace(course, bets=bets, quiet=False)), ()
        case HandTabled():
            return words.tabled(course, event), ()
        case BoardDeclared():
            return replace(course, declared=course.declared | {event.seat}), ()
        case PotPushed():
            return _pushed(course, event, number, house)
        case HandEnded():
            return course, showdown.ended(course, event, number)
        case FloorCalled():
            flashed = flashes.called(course, event, number)
            course, found = words.floor_key(course, number)
            return course, found + flashed
        case PrematureCalled():
            return words.floor_key(course, number, early=True)
        case FloorRuled():
            return _ruled(course, event, number, house)
        case MisdealDeclared():
            late = substantial(course, house.substantial_action)
            return words.misdeal_keyed(course, event.at_ms, number, late=late)
        case CardsCollected():
            return _collected(course, event, number, house)
        case BetsReturned():
            return _ticked(course, "refund"), ()
        case DeckChanged():
            return _new_deck(course, event, number)
        case CardIdentified():
            return _identified(course, event, number)
        case BoardsAgreed():
            return replace(course, boards=event.boards), ()
        case _:  # taken in without harm: no rule of the book asks for it
            return course, ()


def _is_ours(course: Course, deck: str | None) -> bool:
    """Another deck's shuffle or cut is no concern of this hand."""
    return deck is None or course.deck is None or deck == course.deck


def _shuffled(course: Course, event: DeckShuffled, number: int) -> Followed:
    if event.complete:
        course = replace(course, felt=readied(course.felt, event.deck, "shuffled"))
    if not _is_ours(course, event.deck):
        return course, ()
    course = replace(course, last_n=0, drawn_from_shoe=frozenset())
    if not event.complete:  # what lies in the stub may be any card, and the shuffle is still due
        return forgotten(course), deck.shuffled_badly(course, event, number)
    return words.shuffled(course, event, number)


def _cut(course: Course, event: DeckCut, number: int, house: House) -> Followed:
    course = replace(course, felt=readied(course.felt, event.deck, "cut"))
    if not _is_ours(course, event.deck):
        return course, ()
    return words.cut(course), deck.cut_badly(course, event, number, house.cut_cards_min)


def _pushed(course: Course, event: PotPushed, number: int, house: House) -> Followed:
    course, found = showdown.pot(course, event, number, hands_tabled=house.hands_tabled)
    paid = course.paid | frozenset(event.seats)
    if event.chop:  # an agreement: nobody is killed by it
        paid |= frozenset(course.tabled)
    return replace(course, pushed=True, mucked=(), paid=paid), found


def _ticked(course: Course, kind: str) -> Course:
    at = plan.find(course, kind)
    return plan.take(course, at) if at >= 0 else course


def _claimed(course: Course, event: Claimed, number: int, house: House) -> Followed:
    """A player's claim, where the sensors can tell whether it is so."""
    if event.what == "exposed":
        return flashes.claimed(course, event, number)
    late = substantial(course, house.substantial_action)
    return course, rounds.claimed(course, event, number, late=late)


def _turned(course: Course, event: CardTurned, number: int) -> Followed:
    card = event.card
    if event.face == "up":
        course = replace(course, public=course.public | {card}, face_down=course.face_down - {card})
    elif event.face == "down":
        course = replace(course, face_down=course.face_down | {card})
    else:  # which way up it lies now, nobody can tell
        course = replace(course, unturned=tuple(c for c in course.unturned if c != card))
    course, early = streets.from_saved(mending.turned(course), event, number)
    if early:
        return course, early
    if event.face == "up" and exposures.is_own(course, card):
        return exposures.turned_up(course, event, number)
    burned = event.face == "up" and course.felt.lies.get(card) == places.BURN
    return course, streets.burn_seen(course, card, event.at_ms, number) if burned else ()


def _collected(course: Course, event: CardsCollected, number: int, house: House) -> Followed:
    late = substantial(course, house.substantial_action)
    course = replace(course, felt=gathered(course.felt, event.left), unturned=())
    return words.collected(course, event.at_ms, number, late=late)


def _new_deck(course: Course, event: DeckChanged, number: int) -> Followed:
    """Another deck is whole in the stub, the old one forgotten."""
    untimely = deck.changed_untimely(course, event, number)
    felt = replace(course.felt, lies={})
    course = forgotten(replace(course, felt=felt, twins={}, odd={}, scraps=()))
    at = plan.find(course, "deck-change")
    if at < 0:
        return course, untimely
    floor = [step for step in course.plan[:at] if step.kind == "floor"]
    found = tuple(
        Departure(
            what="deck",
            due="floor",
            at_ms=event.at_ms,
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


def _ruled(course: Course, event: FloorRuled, number: int, house: House) -> Followed:
    if event.ruling in ("misdeal", "redeal"):
        course = words.misdeal_declared(_ticked(course, "floor"))
        return replace(course, void=True), ()  # no window binds the floor
    if event.irregularity == flashes.FLASHED:
        return flashes.ruled(_ticked(course, "floor"), event, number, house.first_cards)
    if event.seat and event.ruling in ("dead", "plays"):
        return _hand_ruled(course, event, event.seat), ()
    if event.ruling in ("other", "dead"):
        return rulings.without_remedies(_ticked(course, "floor")), ()
    if event.ruling in ("stands", "plays"):
        mute = course.mute or ("" if course.adrift else "left")
        return replace(_ticked(course, "floor"), suspect=None, mute=mute), ()
    return words.floor_key(course, number)


def _hand_ruled(course: Course, event: FloorRuled, seat: int) -> Course:
    """The floor says whether this seat's hand is in."""
    course = _ticked(course, "floor")
    if event.ruling == "dead":
        return moves.gave_up(course, seat) if seat in course.live else course
    if course.over or seat not in course.deal_order:
        return course
    return replace(course, bets=replace(course.bets, live=course.bets.live | {seat}))


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

    felt, public = course.felt, course.public  # what lies under that name already may be another
    lies = {new if card == old else card: place for card, place in felt.lies.items()}
    swapped = {old: new}
    flashed = {
        seat: replace(flash, card=swapped.get(flash.card, flash.card))
        for seat, flash in course.flashes.items()
    }
    return replace(
        course,
        felt=replace(felt, lies=lies, handled=felt.handled | {new}),
        drawn={seat: named(cards) for seat, cards in course.drawn.items()},
        board=named(course.board),
        burned=named(course.burned),
        exposed=named(course.exposed),
        flashes=flashed,
        unkeyed={swapped.get(card, card): seat for card, seat in course.unkeyed.items()},
        extras=named(course.extras),
        unturned=named(course.unturned),
        public=public if new in felt.lies else frozenset(named(tuple(public))),
        face_down=frozenset(named(tuple(course.face_down))),
        first_card=swapped.get(course.first_card, course.first_card),
        replacement=swapped.get(course.replacement, course.replacement),
        plan=tuple(replace(s, cards=named(s.cards)) if s.cards else s for s in course.plan),
        top=tuple(replace(s, cards=named(s.cards)) for s in course.top),
        came_off=tuple(named(cards) for cards in course.came_off),
    )
