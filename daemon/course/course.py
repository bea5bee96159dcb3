"""The hand so far and as it should go from here: one value, never changed in place."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.course.betting import Bets, before_flop
from daemon.course.felt import CARDS_MAX, Felt
from daemon.course.house import House
from daemon.course.noted import Behind, Flash
from daemon.course.steps import Step, ordinary
from daemon.table import places
from daemon.table.events import Betting, CardMoved, HandStarted

NOTHING_KNOWN = Betting(level="none")
_BEFORE_THE_HAND = {"shuffle", "cut"}  # a hand's own, though they come before it


class Suspect(Struct, frozen=True):
    """A street that came while somebody may still have owed, known only from the dealer's keys.

    `departure` is the premature street that it may have been, `first_due` the seat that opens the
    street's own round, `acted` that it did. One that nothing speaks against is `unproven`, where
    the table's betting cannot prove it either.
    """

    departure: Departure
    first_due: int
    acted: bool = False


class Course(Struct, frozen=True):
    """A hand in progress.

    `plan` are the steps still due, in order; `marks` how each remedy's steps stand (by ticket).
    `drawn` are the cards pitched to each seat in this deal, `pitched` how many pitches it had,
    `street` the phase, `dealing` the street that is being laid and `laid` how many of its cards
    lie, `burned` the burns since the last street, `burned_ms` when the last two of all came,
    `spare` burns that were one too many, `joining` the ticket whose fault grows with each further
    board card, `quiet` that neither burn nor act came since the last board card. `mute` says why
    nothing more is judged in this deal: "misdeal" while collecting is due, "late" when it can no
    longer be had, "left" where the hand went on without its remedy ("" while it is judged).
    `misdeal` is the ticket of the misdeal, `offered` of one that the dealer may still take, `void`
    that the deck is fouled, `shuffles` how often the stub was shuffled, `doubted` an exposure that
    may have been the player's own doing. `turned_up` are the cards that came to the board from the
    stub; `board_disputed` says that when the pot went others lay there. `strayed` is a draw to
    burns or board while the deal was on, with its number: what comes next tells whether it ended
    the deal. `odd` are cards known not to be of this deck, with their kind, `scraps` those that are
    paper, `leftover` cards of the last hand that lay at seats when this one began, `last_card` the
    one pitched last, `shelved` the plan before its exposure, `started` how the hand began,
    `button_due` the seat where the button should be and is not, `passed` the seat whose turn in the
    deal the last pitch passed over, `passed_over` those that the deal went on without,
    `shown_cards` hole cards that their own players showed, `adrift` that a premature street was
    acted upon: board, burns and rounds are the floor's to say, `single_from_button` how the house
    opens a hand with a single blind, `flashes` the last card of each seat that may have been seen,
    `unkeyed` cards that were taken from a seat's hand with no exposure keyed, `top` the steps that
    put cards back on the stub, in the order in which those must come off again, `came_off` the
    draws to burns and board since the shuffle, those together that came together, `let_go` how the
    stub left the dealer's hand, `begun` streets of further boards, `missing` that a card could not
    be gathered after either of the last two hands, `board_doubt` why the cards on the board may be
    others than they are taken for, `misread` why the last card that the shoe did not announce may
    be one that it announced by another name.
    """

    hand: str
    deal_order: tuple[int, ...]
    dead_seats: frozenset[int]
    game: str
    felt: Felt
    plan: tuple[Step, ...]
    bets: Bets
    opening: Bets
    deal: int = 1
    street: str = "deal"
    mute: str = ""
    marks: dict[int, tuple[str, ...]] = {}
    remedies: dict[int, tuple[str, ...]] = {}
    drawn: dict[int, tuple[str, ...]] = {}
    first_card: str = ""
    pitched: int = 0
    draws_since_pitch: int = 0
    extras: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    replacement: str = ""
    shown: frozenset[str] = frozenset()
    board: tuple[str, ...] = ()
    dealing: Step | None = None
    laid: int = 0
    laid_ms: int = 0
    quiet: bool = False
    joining: int = 0
    burned: tuple[str, ...] = ()
    burned_ms: tuple[int, int] = (-1, -1)
    spare: tuple[str, ...] = ()
    old_bets: Bets | None = None
    acts_in_turn: int = 0
    chips_in_turn: int = 0
    acted_on_street: bool = False
    suspect: Suspect | None = None
    unproven: Suspect | None = None
    public: frozenset[str] = frozenset()
    unturned: tuple[str, ...] = ()
    unturned_ms: int = 0
    offered: int = 0
    face_down: frozenset[str] = frozenset()
    twins: dict[str, str] = {}
    seen_off: frozenset[str] = frozenset()
    contenders: frozenset[int] = frozenset()
    declared: frozenset[int] = frozenset()
    tabled: dict[int, tuple[str, ...]] = {}
    read: frozenset[int] = frozenset()
    mucked: tuple[int, ...] = ()
    over: bool = False
    pushed: bool = False
    board_disputed: bool = False
    board_doubt: str = ""
    turned_up: frozenset[str] = frozenset()
    strayed: tuple[CardMoved, int] | None = None
    shuffles: int = 0
    deck: str | None = None
    boards: int = 1
    begun: frozenset[str] = frozenset()
    second_run: bool = False
    boxed: tuple[str, ...] = ()
    odd: dict[str, str] = {}
    scraps: tuple[str, ...] = ()
    leftover: dict[str, str] = {}
    miscounted: bool = False
    missing: bool = False
    last_card: str = ""
    shelved: tuple[Step, ...] = ()
    started: HandStarted | None = None
    button_due: int = 0
    passed: int = 0
    passed_over: frozenset[int] = frozenset()
    shown_cards: frozenset[str] = frozenset()
    last_n: int = 0
    unannounced: str = ""
    misread: str = ""
    drawn_from_shoe: frozenset[str] = frozenset()
    second_card: str = ""
    packet: int | None = None
    shown_seats: frozenset[int] = frozenset()
    acted_early: bool = False
    early: Departure | None = None
    early_chips: frozenset[int] = frozenset()
    behind: Behind | None = None
    spoke: frozenset[int] = frozenset()
    untabled: frozenset[int] = frozenset()
    hunted: bool = False
    paid: frozenset[int] = frozenset()
    hand_for_hand: bool = False
    doubted: Departure | None = None
    declared_misdeal: bool = False
    misdeal: int = 0
    void: bool = False
    adrift: bool = False
    single_from_button: bool = False
    flashes: dict[int, Flash] = {}
    unkeyed: dict[str, int] = {}
    top: tuple[Step, ...] = ()
    came_off: tuple[tuple[str, ...], ...] = ()
    let_go: str = ""

    @property
    def betting(self) -> Betting:
        """What is known of the betting, and from whom.

        Acts are keyed on the console, as a call of the floor is: where it was gone, some may be
        missing.
        """
        is_unknown = self.adrift or "floor" in self.felt.blind
        return NOTHING_KNOWN if is_unknown else self.felt.betting

    @property
    def live(self) -> frozenset[int]:
        """Seats whose hand is still in."""
        return self.bets.live

    def senses(self, *names: str) -> bool:
        """Whether the table has all of these senses now and had them all hand long."""
        return self.felt.sees.issuperset(names) and self.felt.blind.isdisjoint(names)


class Back(Struct, frozen=True):
    """How plan, betting and board stood before a street that may not count."""

    plan: tuple[Step, ...]
    bets: Bets
    street: str
    board: tuple[str, ...]
    acted_on_street: bool
    marks: dict[int, tuple[str, ...]]
    remedies: dict[int, tuple[str, ...]]


def substantial(course: Course, rule: str) -> bool | None:
    """Whether there was substantial action; None where this table's betting cannot tell.

    `two-acts`: two acts in turn after the blinds (Robert's section 3). `tda36`: two acts in turn of
    which one puts chips in, or any three (TDA 2024 rule 36).
    """
    if course.betting != Betting():
        return None
    acts = course.acts_in_turn
    if rule == "two-acts":
        return acts >= 2
    return acts >= 3 or (acts >= 2 and course.chips_in_turn >= 1)


class Departure(Struct, frozen=True, kw_only=True):
    """A step that was due, and what happened instead.

    `what` happened (pitch, burn, board, exposed, shuffle ...), `due` says how it departs: the step
    that was skipped, or why the thing was not due. `street` is the street it is about, `phase` that
    in which it happened, where it is known later. `ticket` is the remedy in which it happened, 0
    for none; `wrong` the remedy steps that this leaves undone. The fault is put right when all
    `cards` lie at one of the places `home`; `done` are steps of its remedy that it shows done.
    Until it is certain it `waits`: "gone", "act", "burn", "pitch", "draw" or "sweep"; `severity`
    and `audience` overrule the row. Where a street does not count, `back` is what stands instead;
    `keyed` that a person says so, whatever the table knows of its betting.
    """

    what: str
    due: str
    at_ms: int
    numbers: tuple[int, ...]
    street: str = ""
    phase: str = ""
    seat: int = 0
    seats: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()
    facts: frozenset[str] = frozenset()
    ticket: int = 0
    wrong: tuple[tuple[int, int], ...] = ()
    doubt: str = ""
    home: tuple[str, ...] = ()
    face_seen: bool = False
    waits: str = ""
    severity: str = ""
    audience: str = ""
    done: tuple[str, ...] = ()
    keyed: bool = False
    back: Back | None = None


def begin(event: HandStarted, felt: Felt, house: House) -> Course:
    """The course of a new hand; every card is in the stub but those left or moved meanwhile."""
    order = event.deal_order or clockwise(event)
    opening = before_flop(event, order, single_from_button=house.single_from_button)
    left = felt.left
    at_seats = {c: place for c, place in felt.lies.items() if places.seat_of(place) is not None}
    absent = frozenset(card for card in left if felt.lies.get(card) == places.OFF)
    missing = bool(absent & felt.absent)
    felt = replace(
        felt,
        absent=absent,
        lies={c: place for c, place in felt.lies.items() if c in felt.handled | left},
        handled=frozenset(),
        left=frozenset(),
        blind=felt.lost | felt.blind & _BEFORE_THE_HAND,
    )
    with_cut = "cut" not in _done_to(felt, event.deck)
    return _pitched_already(
        Course(
            hand=event.hand,
            deal_order=order,
            dead_seats=frozenset(event.dead_seats),
            game=event.game,
            felt=felt,
            deck=event.deck,
            hand_for_hand=event.hand_for_hand,
            plan=ordinary(order, with_cut=with_cut),
            bets=opening,
            opening=opening,
            started=event,
            single_from_button=house.single_from_button,
            leftover={card: place for card, place in at_seats.items() if card in left},
            missing=missing,
        )
    )


def _pitched_already(course: Course) -> Course:
    """Cards that came to their seats before the hand was keyed are the first pitches of it."""
    plan = tuple(step for step in course.plan if step.kind != "cut")
    for card, place in course.felt.lies.items():
        step = plan[0]
        if step.kind != "pitch" or place != places.SEAT[step.seat] or card in course.leftover:
            continue
        plan = plan[1:]
        held = course.drawn.get(step.seat, ())
        course = replace(
            course,
            plan=plan,
            drawn={**course.drawn, step.seat: (*held, card)},
            pitched=course.pitched + 1,
            first_card=course.first_card or card,
        )
    is_dealt = plan[0].kind != "pitch"
    return replace(course, street="preflop") if is_dealt else course


def _done_to(felt: Felt, deck: str | None) -> list[str]:
    """What was done to this deck before the deal; a deck without a name may be any."""
    if deck is None:
        return list(felt.ready.values())
    return [felt.ready[name] for name in (deck, "") if name in felt.ready]


def clockwise(event: HandStarted) -> tuple[int, ...]:
    """Clockwise from the first dealt-in seat left of the button, the button last."""
    seats = sorted({*event.seats, *event.dead_seats})
    return tuple(s for s in seats if s > event.button) + tuple(
        s for s in seats if s <= event.button
    )


def redeal(course: Course, plan: tuple[Step, ...]) -> Course:
    """The same hand dealt anew by `plan` after a misdeal: all cards are back in the stub."""
    return Course(
        hand=course.hand,
        deal_order=course.deal_order,
        dead_seats=course.dead_seats,
        game=course.game,
        felt=replace(course.felt, lies={}),
        plan=plan,
        bets=course.opening,
        opening=course.opening,
        deck=course.deck,
        hand_for_hand=course.hand_for_hand,
        started=course.started,
        single_from_button=course.single_from_button,
        button_due=course.button_due,
        odd=course.odd,
        miscounted=course.miscounted,
        shuffles=course.shuffles + 1,
        deal=course.deal + 1,
        marks=course.marks,
        remedies=course.remedies,
    )


def forgotten(course: Course) -> Course:
    """The stub was shuffled, or is another deck's: what lies in it may be any card from now on.

    What is out of sight may have gone into it.
    """
    lies = course.felt.lies

    def outside(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(card for card in cards if card in lies)

    flashes = {seat: flash for seat, flash in course.flashes.items() if flash.card in lies}
    unkeyed = {card: seat for card, seat in course.unkeyed.items() if card in lies}
    return replace(
        course,
        shuffles=course.shuffles + 1,
        public=frozenset(c for c in course.public if lies.get(c, places.OFF) != places.OFF),
        face_down=course.face_down & frozenset(lies),
        unturned=outside(course.unturned),
        plan=tuple(replace(s, cards=outside(s.cards)) if s.cards else s for s in course.plan),
        drawn={seat: outside(cards) for seat, cards in course.drawn.items()},
        board=outside(course.board),
        burned=outside(course.burned),
        spare=outside(course.spare),
        flashes=flashes,
        unkeyed=unkeyed,
        top=(),
        came_off=(),
        exposed=outside(course.exposed),
        extras=outside(course.extras),
        first_card=course.first_card if course.first_card in lies else "",
        replacement=course.replacement if course.replacement in lies else "",
    )


def lie(course: Course, card: str, to: str) -> Course:
    """The card lies there now; a card back in the stub is out of sight."""
    felt = course.felt
    if card not in felt.lies and len(felt.lies) >= CARDS_MAX:
        return course
    lies = dict(felt.lies)
    ready = {} if felt.ready and card not in lies else felt.ready
    if to == places.STUB:
        lies.pop(card, None)
    else:
        lies[card] = to
    return replace(
        course, felt=replace(felt, lies=lies, ready=ready, handled=felt.handled | {card})
    )
