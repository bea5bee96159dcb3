"""From dealing events to alerts, one hand after the other: the lower half of the line."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.alarms.alert import Alert
from daemon.alarms.carried import Judged
from daemon.alarms.compare import Desk, changes, missing, view
from daemon.alarms.hand import Hand
from daemon.alarms.identity import alert_id, journal_name
from daemon.alarms.life import Life
from daemon.alarms.picture import picture
from daemon.course.course import begin
from daemon.course.edits import unsee
from daemon.course.felt import CARDS_MAX, Before, Felt, gathered, readied
from daemon.payloads import HandView, NoHand
from daemon.rules.house import house_of
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.table import places
from daemon.table.events import (
    DEFAULT_SENSES,
    Acted,
    CardBoxed,
    CardExposed,
    CardMoved,
    CardOdd,
    CardsCollected,
    DealerChanged,
    DealingEvent,
    DeckChanged,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    FloorRuled,
    HandEnded,
    HandStarted,
    Retracted,
    SensorBack,
    SensorLost,
    TableBegan,
    TableState,
    Tick,
    name_of,
)

# A hand has some sixty events; past this many it can no longer be judged again.
HAND_EVENTS_MAX = 5000
NAMES_MAX = 1000
EARLY_MAX = 64
# What may be said of the deck before its hand begins.
_EARLY = (DeckShuffled, DeckCut, DeckCounted, CardBoxed, CardExposed, CardOdd, DeckChanged)


class Judgement:
    """Judges one stream of dealing events.

    `journal` is the part of an alert's id that names the stream: "judge", or None for the opening
    time of the table. `tells_dealer` that alerts say by whose key the hand was dealt.
    """

    def __init__(
        self,
        book: Rulebook,
        texts: Texts,
        languages: tuple[str, ...],
        journal: str | None = "judge",
        *,
        tells_dealer: bool = False,
    ) -> None:
        self._book = book
        self._journal = journal
        self._tables = 0
        self._desk = Desk(
            "table", journal or "journal", None, book.name, texts, languages, tells_dealer
        )
        self._felt = Felt()
        self._hand: Hand | None = None
        self._started: tuple[HandStarted, Felt] | None = None
        self._log: list[tuple[DealingEvent, int]] = []
        self._told: dict[str, Alert] = {}
        self._count = 0
        self._opening = 0
        self._early: list[tuple[DealingEvent, int]] = []
        self._early_of_hand: list[tuple[DealingEvent, int]] = []
        self._again = False
        self._used: dict[str, None] = {}  # names are never used again
        self._due_ms: int | None = None

    @property
    def hand(self) -> Hand | None:
        """The hand in progress."""
        return self._hand

    @property
    def felt(self) -> Felt:
        """What is known of the table now."""
        return self._hand.course.felt if self._hand else self._felt

    def carried(self) -> Judged | None:
        """What a judgement made anew must know to go on; None once a hand has more than begun."""
        if self._hand is None:
            early = tuple(event for event, _ in self._early)
            used = tuple([*self._used, *self._told][-NAMES_MAX:])
            return Judged(felt=self._felt, early=early, used=used)
        if self._log or self._started is None:
            return None
        started, felt = self._started
        early = tuple(event for event, _ in self._early_of_hand)
        return Judged(felt=felt, early=early, used=tuple(self._used), started=started)

    def go_on(self, carried: Judged) -> None:
        """Go on from there. What it said already is not said again."""
        self._felt = carried.felt
        self._early = [(event, 0) for event in carried.early]
        self._used = dict.fromkeys(carried.used)
        if carried.started is not None:
            self.take(carried.started)

    def play_by(self, book: Rulebook) -> None:
        """Judge by another rulebook from the next table on."""
        self._book = book
        self._desk = replace(self._desk, rulebook=book.name)

    def hand_view(self) -> HandView | NoHand:
        """The hand in progress as everybody may know it."""
        if self._hand is None or self._started is None:
            return picture(None, None, ())
        acts = [event for event, _ in self._log if isinstance(event, Acted)]
        return picture(self._hand.course, self._started[0].button, acts)

    def take(self, event: DealingEvent, number: int | None = None) -> list[Alert]:
        """Take the next event and return the alerts that are news, in the order of formats.md 2.

        `number` is what the evidence calls the event; by default events are counted in the hand.
        """
        alerts = self._taken(event, number)
        self._look_ahead()
        return alerts

    def _taken(self, event: DealingEvent, number: int | None) -> list[Alert]:
        alerts = [] if isinstance(event, TableBegan) else self.pass_time(event.at_ms)
        match event:
            case Tick():
                return alerts
            case TableBegan():
                self._open(event)
            case HandStarted():
                if self._hand is not None:
                    alerts += self.take(HandEnded(at_ms=event.at_ms), number)
                self._count = 1
                self._begin(event)
                self._open_hand(event, self._count if number is None else number)
                alerts += self._news()
                alerts.sort(key=lambda alert: alert.revision > 1)  # new ones first
            case Retracted():
                alerts += self._judge_again(event)
            case _ if self._hand is None:
                self._felt = _between_hands(self._felt, event)
                if isinstance(event, _EARLY) and len(self._early) < EARLY_MAX:
                    self._early.append((event, number or 0))
            case _:
                numbered = self._numbered(number)
                ends = isinstance(event, HandEnded)
                if len(self._log) < HAND_EVENTS_MAX:
                    self._log.append((event, numbered))
                elif not ends:  # no hand has so many: nothing of this one is judged any more
                    return alerts
                self._apply(event, numbered)
                alerts += self._news(ends=ends)
                if ends:
                    self._finish()
        return alerts

    @property
    def due_ms(self) -> int | None:
        """When something changes by the mere passing of time, or None."""
        return self._due_ms

    def _look_ahead(self) -> None:
        """Asked for at every signal, and changed by few: looked up when something has happened."""
        self._due_ms = None if self._hand is None else self._hand.deadline_ms()

    @property
    def desk(self) -> Desk:
        """What every alert of this table says alike."""
        return self._desk

    def pass_time(self, to_ms: int) -> list[Alert]:
        """Let the deadlines before `to_ms` pass, each at its own time."""
        alerts: list[Alert] = []
        while self._hand is not None and (due_ms := self._due_ms) is not None and due_ms < to_ms:
            self._hand.pass_time(due_ms)
            self._look_ahead()
            alerts += self._news()
        return alerts

    def _numbered(self, number: int | None) -> int:
        self._count += 1
        return self._count if number is None else number

    def _open(self, event: TableBegan) -> None:
        """A table anew: nothing before it counts."""
        self._tables += 1
        journal = self._journal or journal_name(event.opened or "")
        if self._tables > 1:
            journal = f"{journal}-{self._tables}"
        self._desk = replace(self._desk, table=event.table, journal=journal, opened=event.opened)
        sees = DEFAULT_SENSES if event.sees is None else frozenset(event.sees)
        self._felt = Felt(sees=sees, betting=event.betting, decks=event.decks)
        self._hand, self._started = None, None
        self._told, self._used = {}, {}
        self._early = []

    def _begin(self, event: HandStarted) -> None:
        self._started = (event, self._felt)
        self._log = []
        self._early_of_hand, self._early = self._early, []
        self._used = dict.fromkeys([*self._used, *self._told][-NAMES_MAX:])
        self._told = {}
        self._hand = self._fresh_hand()

    def _open_hand(self, event: HandStarted, number: int) -> None:
        """What was done to the deck before the hand, and the hand's own beginning."""
        assert self._hand is not None
        for early, early_number in self._early_of_hand:
            self._hand.step(early, early_number, event.at_ms)
        self._hand.step(event, number)
        self._opening = number

    def _fresh_hand(self) -> Hand:
        assert self._started is not None
        event, felt = self._started
        desk = self._desk

        def naming(deal: int, irregularity: str, subject: str, n: int) -> str:
            where = (desk.table, desk.journal, event.hand)
            name = alert_id(where, deal, (irregularity, subject), n)
            names = {life.name for life in self._hand.lives.values()} if self._hand else set()
            names |= set() if self._again else self._told.keys()
            while name in self._used or name in names:
                n += 1
                name = alert_id(where, deal, (irregularity, subject), n)
            return name

        return Hand(begin(event, felt, house_of(self._book.parameters)), self._book, naming)

    def _apply(self, event: DealingEvent, number: int) -> None:
        assert self._hand is not None
        match event:
            case TableState() | SensorLost() | SensorBack():
                course = self._hand.course
                felt = _between_hands(course.felt, event)
                self._hand.course = unsee(replace(course, felt=felt))
            case DealerChanged():  # this hand was dealt by the one before
                self._felt = replace(self._felt, dealer=event.dealer)
                self._hand.step(event, number)
            case _:
                self._hand.step(event, number)

    def _news(self, *, ends: bool = False) -> list[Alert]:
        hand = self._hand
        if hand is None or not (hand.lives or self._told):
            return []
        views = self._views(hand)
        if ends:
            views += [replace(gone, final=True) for gone in missing(views, self._told)]
        return changes(views, self._told)

    def _views(self, hand: Hand) -> list[Alert]:
        hand.show_cards()
        told = [life for life in hand.lives.values() if life.is_told]
        return [view(life, hand.lives, hand.course, self._desk) for life in told]

    def _judge_again(self, event: Retracted) -> list[Alert]:
        """The last event of that kind never was: the hand is judged again without it."""
        at = next(
            (i for i in range(len(self._log) - 1, -1, -1) if _is_keyed(self._log[i][0], event.of)),
            -1,
        )
        if self._hand is None or at < 0 or len(self._log) >= HAND_EVENTS_MAX:
            return []
        del self._log[at]
        self._again = True
        self._hand = self._fresh_hand()
        if self._started is not None:
            self._open_hand(self._started[0], self._opening)
        for earlier, number in self._log:
            self._run_to(earlier.at_ms)
            self._apply(earlier, number)
            self._hand.show_cards()
        self._run_to(event.at_ms)
        self._again = False
        self._as_told(self._hand, event.at_ms)
        views = self._views(self._hand)
        views += [replace(gone, state="withdrawn") for gone in missing(views, self._told)]
        return changes(views, self._told, undone=True)

    def _as_told(self, hand: Hand, at_ms: int) -> None:
        """What was told keeps its time; what a name told cannot stand for is named anew."""
        for ticket, life in hand.lives.items():
            before = self._told.get(life.name)
            if before is not None and _is_another(before, life):
                what = life.what
                name = hand.name_anew(what.deal, what.id, what.subject)
                hand.lives[ticket] = replace(life, name=name, known_ms=at_ms)
            elif life.is_told:
                # Another event may be what the name stands for now.
                same = before is not None and before.known_ms >= life.what.at_ms
                known_ms = before.known_ms if before is not None and same else at_ms
                hand.lives[ticket] = replace(life, known_ms=known_ms)

    def _run_to(self, to_ms: int) -> None:
        assert self._hand is not None
        while (due_ms := self._hand.deadline_ms()) is not None and due_ms < to_ms:
            self._hand.pass_time(due_ms)

    def _finish(self) -> None:
        assert self._hand is not None
        course = self._hand.course
        felt, started = course.felt, course.started
        if started is not None:
            known = course.button_due == 0
            before = Before(started.hand, started.button, started.seats, known)
            felt = replace(felt, before=before)
        felt = replace(felt, dealer=self._felt.dealer)
        self._felt = replace(felt, handled=frozenset(), blind=felt.lost)
        self._hand, self._started = None, None
        self._log = []


def _is_keyed(event: DealingEvent, of: str) -> bool:
    """Whether a key of that name brought it; what the floor says of one alert comes by no key."""
    return name_of(event) == of and not (isinstance(event, FloorRuled) and event.alert)


def _is_another(told: Alert, life: Life) -> bool:
    """Whether it cannot bear the name that was told, which is withdrawn or about to be.

    What waits or is held has not been decided: the key that is undone had decided it.
    """
    return not life.is_told or (told.state == "withdrawn" and life.state != "withdrawn")


def _between_hands(felt: Felt, event: DealingEvent) -> Felt:
    """What an event outside a hand, or about the table itself, changes."""
    match event:
        case DeckShuffled():
            return readied(felt, event.deck, "shuffled")
        case DeckCut():
            return readied(felt, event.deck, "cut")
        case DeckChanged():
            return replace(felt, lies={}, ready={})
        case DealerChanged():
            return replace(felt, change_due=True, dealer=event.dealer)
        case CardMoved() if event.card not in felt.lies and len(felt.lies) >= CARDS_MAX:
            return felt
        case CardMoved():
            lies = {**felt.lies, event.card: places.plain(event.to)}
            if event.to == places.STUB:
                del lies[event.card]
            return replace(felt, lies=lies, handled=felt.handled | {event.card})
        case CardsCollected():
            return gathered(felt, event.left)
        case TableState():
            return replace(felt, state=event.state)
        case SensorLost():
            gone = frozenset(event.senses)
            return replace(felt, lost=felt.lost | gone, blind=felt.blind | gone)
        case SensorBack():
            return replace(felt, lost=felt.lost - frozenset(event.senses))
        case _:
            return felt
