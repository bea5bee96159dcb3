"""The table language of tests/scenarios: a hand as anyone in a card room tells it.

A file has comments (`#`) and cases. A case begins with `case` and its title; each line after it is
a verb with its words and takes half a second (each seat and each card of it, too, where several
act or are pitched); `wait 6s` takes six. What is found stands in the case as `finds ID SUBJECT`,
then `remedied`, `withdrawn` or `self-corrected` where it ended so; `quiet` finds nothing at all.
How it was told may follow: `severity critical`, `audience log`, `doubt key-missed`.

    rulebook tda-2024         the book it is judged by (robert-classic), or one of tests/houses;
                              of several books, each in a case of its own
    house first_cards_misdeal 2    a parameter of the house, as it stands in TOML
    betting none [dealer]     what the table knows of the betting, and from whom
    senses +order -cut        what the table senses more, or less, than most
    with dead_seats 3 5       what more the next hands are started with (game, deck ...); amounts
                              by their seat: with straddles 4=2
    seats 1 4 9, button 4     who plays; without them seats 1 to N, the button at 1
    deal 6                    shuffle, cut, a new hand, two cards each
    hand 6, start 6           the same without the pitches; and without shuffle and cut
    pitch 3 [Ah] [up], rest   one card; the cards still owed, in order
    check 2 3, call 3 all-in, bet, raise, fold, post 9=4 (its amount), muck 4 (both cards)
    expose 3 [Ah] [player|unknown]
    burn 7c, flop Ah Kd 2s, turn Td, river 2c, facedown Td, turnup Td, aside Td, stub Td
    muck Td, double Td burn (a second Td comes off the stub), peek Td (seen in the stub)
    shuffle, cut, collect, misdeal, floor, refund, newdeck, declare 3, table 3 [Ah Kd], push 2 3
    odd joker 9h [seat:3], boxed 9h, counted 51 [stub] [dealer], packet 3 3 (one pitch of two cards)
    off 9h dealer, glimpse 3 (or board), chips came 3, chips left 3 (at the bet spot)
    bottom 9h, top 9h, badshuffle, cutcards 5, cutcard gone, drawn 9h 7
    claim 3 short, rule misdeal [ID], buttonto 4, dealer b, state paused, lose face, chop 2 3
    collect leaving 9h (where it lies, or out of sight), over (the hand is over, nothing gathered)
    burnup 7c, turndown Td, scrambled [stub], stubstate disordered, premature (the key)
    muckto 2 board (the cards of seat 2 come out of the muck, or go back into it)
    boards 2, run 2 turn Td (the turn of the second board)
    kill 3 (the dealer mucks a hand), ruleseat dead 3 [ID] (the floor rules on a hand)
    instead neighbour-antenna it may have been that: the doubt of the line that follows
    end                       the cards are gathered, the hand is over
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from daemon.table import events as dealing
from daemon.table.cards import CARDS, DECK
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, OFF, SEAT, STUB
from tests.scenario_words import KEYS, WITH, ScenarioError, Step

__all__ = ["Case", "ScenarioError", "Step", "Table", "play", "read_cases"]

BEAT_MS = 500
CARD_MS = 100  # between the cards of one flop
TRAITS = ("severity", "audience", "doubt")
STATES = ("remedied", "withdrawn", "self-corrected")
ACTS = ("check", "call", "bet", "raise", "fold", "post")


@dataclass(slots=True)
class Case:
    """One hand, and everything that is found in it: (id, subject, state)."""

    path: Path
    line: int
    title: str
    steps: list[Step] = field(default_factory=list)
    finds: list[tuple[str, str, str]] = field(default_factory=list)
    traits: list[tuple[int, str, str]] = field(default_factory=list)  # which find, what, its value
    quiet: bool = False
    rulebooks: tuple[str, ...] = ("robert-classic",)
    house: dict[str, object] = field(default_factory=dict)

    @property
    def rulebook(self) -> str:
        """The book it is judged by."""
        return self.rulebooks[0]


def read_cases(path: Path) -> list[Case]:
    """The cases of one file; raises ScenarioError."""
    cases: list[Case] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        verb, *words = text.split("#")[0].split() or [""]
        if verb == "case":
            cases.append(Case(path, number, " ".join(words)))
        elif verb and not cases:
            raise ScenarioError(f"{path}:{number}: a case must come first")
        elif verb:
            _add(cases[-1], Step(number, verb, tuple(words)))
    for case in cases:
        if case.quiet == bool(case.finds):
            raise ScenarioError(f"{path}:{case.line}: a case finds something or is quiet")
    return [replace(case, rulebooks=(book,)) for case in cases for book in case.rulebooks]


def _add(case: Case, step: Step) -> None:
    match step:
        case Step(verb="finds", words=(name, subject)):
            case.finds.append((name, subject, "raised"))
        case Step(verb=state, words=()) if state in STATES and case.finds:
            case.finds[-1] = (*case.finds[-1][:2], state)
        case Step(verb=trait, words=(value,)) if trait in TRAITS and case.finds:
            case.traits.append((len(case.finds) - 1, trait, value))
        case Step(verb="quiet", words=()):
            case.quiet = True
        case Step(verb="rulebook", words=(_, *_)):
            case.rulebooks = step.words
        case Step(verb="house", words=(key, value)):
            case.house |= tomllib.loads(f"{key} = {value}")
        case _:
            case.steps.append(step)


def play(case: Case) -> list[dealing.DealingEvent]:
    """The dealing events of the case, the table's line first; raises ScenarioError."""
    named = {word for step in case.steps for word in step.words if word in CARDS}
    table = Table(tuple(card for card in DECK if card not in named))
    for step in case.steps:
        try:
            table.tell(step)
        except (ValueError, IndexError, KeyError) as wrong:
            raise ScenarioError(f"{case.path}:{step.line}: {step.verb}: {wrong!r}") from wrong
        except LookupError as wrong:
            raise ScenarioError(f"{case.path}:{step.line}: {wrong}") from wrong
    began = dealing.TableBegan(table="poker-1", betting=table.betting, sees=tuple(table.sees))
    return [began, *table.events]


class Table:
    """The table while a case is told; cards nobody named come from `spare`, in its order."""

    def __init__(self, spare: tuple[str, ...]) -> None:
        self.events: list[dealing.DealingEvent] = []
        self.betting = dealing.Betting()
        self.sees = sorted(dealing.DEFAULT_SENSES)
        self._with: dict[str, object] = {}
        self._spare, self._hidden = spare, iter(spare)
        self._seats: tuple[int, ...] = ()
        self._button = 1
        self._now_ms = 0
        self._hands = 0
        self._draws = 0
        self._packets = 0
        self._where: dict[str, str] = {}
        self._folded: dict[int, list[str]] = {}
        self._doubt: dealing.Rival | None = None

    def tell(self, step: Step) -> None:
        """One line of the case."""
        if step.verb in ACTS:
            self._act(step.verb, step.words)
            return
        match (step.verb, *step.words):
            case ("instead", word):
                self._doubt = dealing.Rival(word)
            case ("betting", level, *source):
                self.betting = dealing.Betting(level, *source)
            case ("senses", *changes):
                self._sense(changes)
            case ("with", key, *values):
                self._with[key] = WITH[key](values)
            case ("button", seat):
                self._button = int(seat)
            case ("seats", *seats):
                self._seats = tuple(map(int, seats))
            case ("start" | "hand" | "deal" as how, *count):
                self._open(how, count)
            case ("rest",):
                while self._draws < 2 * len(self._seats):
                    self._pitch(self._order()[self._draws % len(self._seats)])
            case ("pitch", seat, *words):
                card = next((word for word in words if word in CARDS), None)
                self._pitch(int(seat), card, "up" if "up" in words else "down")
            case ("wait", time) if re.fullmatch(r"\d+s", time):
                self._say(dealing.Tick, int(time[:-1]) * 1000)
            case _:
                self._tell_cards(step)

    def _tell_cards(self, step: Step) -> None:
        match (step.verb, *step.words):
            case ("burn", *cards):
                self._move(cards or [self._next()], BURN)
            case ("flop" | "turn" | "river" | "board", *cards):
                self._move(cards, BOARD, "up")
            case ("facedown", *cards):
                self._move(cards, BOARD)
            case ("turnup", card):
                self._say(dealing.CardTurned, card=card, face="up", place=self._where[card])
            case ("aside", *cards):
                self._move(cards, ASIDE, "up")
            case ("stub", *cards):
                self._move(cards, STUB)
            case ("muck", seat) if seat not in CARDS:
                self._folded[int(seat)] = self._at(SEAT[int(seat)])
                self._move(self._at(SEAT[int(seat)]), MUCK)
            case ("muck", *cards):
                self._move(cards, MUCK)
            case ("seat", seat, card):
                self._move([card], SEAT[int(seat)])
            case ("double", card, to):
                self._say(dealing.CardMoved, card=card, source=STUB, to=to, face="down")
            case _:
                self._tell_rest(step)

    def _tell_rest(self, step: Step) -> None:
        match (step.verb, *step.words):
            case ("expose", seat, *words):
                card = next((word for word in words if word in CARDS), None)
                by = next((word for word in words if word in ("player", "unknown")), "dealer")
                self._say(dealing.CardExposed, place=SEAT[int(seat)], card=card, by=by)
            case ("peek", card):
                self._say(dealing.CardExposed, place=STUB, card=card, by="dealer")
            case ("table", seat, *cards):
                self._say(dealing.HandTabled, seat=int(seat), cards=tuple(cards))
            case ("declare", seat):
                self._say(dealing.BoardDeclared, seat=int(seat))
            case ("push", *seats):
                self._say(dealing.PotPushed, seats=tuple(map(int, seats)))
            case ("newdeck", *reason):
                self._gathered()
                reason = next(iter(reason), "fault")
                self._say(dealing.DeckChanged, deck="second", reason=reason)
            case ("collect", *leaving):
                left = {card: self._where.get(card, OFF) for card in leaving[1:]}
                self._gathered()
                self._where |= left
                self._say(dealing.CardsCollected, left=left)
            case ("over",):
                self._say(dealing.HandEnded)
            case ("end",):
                self._gathered()
                self._say(dealing.CardsCollected)
                self._say(dealing.HandEnded)
            case (verb,) if verb in KEYS:
                self._say(KEYS[verb])
            case _:
                self._tell_deck(step)

    def _tell_deck(self, step: Step) -> None:
        """What is said of the deck, claimed, ruled and keyed."""
        match (step.verb, *step.words):
            case ("odd", kind, card, *place):
                self._say(dealing.CardOdd, card=card, kind=kind, place=next(iter(place), None))
            case ("boxed", card):
                self._say(dealing.CardBoxed, card=card)
            case ("counted", count, *words):
                of = "stub" if "stub" in words else "deck"
                by = "dealer" if "dealer" in words else "shuffler"
                self._say(dealing.DeckCounted, count=int(count), of=of, by=by)
            case ("packet", first, second, *card):
                self._packets += 1
                self._pitch(int(first), packet=self._packets)
                self._pitch(int(second), next(iter(card), None), packet=self._packets)
            case ("off", card, *by):
                self._draws += card not in self._where
                self._move([card], OFF, by=next(iter(by), "unknown"))
            case ("glimpse", at):
                place = SEAT[int(at)] if at.isdigit() else at
                self._say(dealing.CardExposed, place=place, by="unknown", sure=False)
            case ("chips", "came" | "left" as change, seat):
                self._say(dealing.ChipsMoved, seat=int(seat), change=change)
            case ("bottom" | "top" as spot, card):
                self._say(dealing.CardExposed, place=STUB, card=card, by="dealer", spot=spot)
            case ("badshuffle",):
                self._say(dealing.DeckShuffled, complete=False)
            case ("cutcards", count):
                self._say(dealing.DeckCut, cut_cards=int(count))
            case ("cutcard", there):
                self._say(dealing.DeckCut, cut_card=there != "gone")
            case ("drawn", card, n):
                self._say(dealing.CardDrawn, card=card, n=int(n))
            case _:
                self._tell_people(step)

    def _tell_people(self, step: Step) -> None:
        """What players, dealers and the floor say."""
        match (step.verb, *step.words):
            case ("claim", seat, what):
                self._say(dealing.Claimed, seat=int(seat), what=what)
            case ("rule", ruling, *irregularity):
                about = next(iter(irregularity), None)
                self._say(dealing.FloorRuled, ruling=ruling, irregularity=about)
            case ("buttonto", seat):
                self._say(dealing.ButtonMoved, to=int(seat))
            case ("dealer", key):
                self._say(dealing.DealerChanged, dealer=key)
            case ("state", state):
                self._say(dealing.TableState, state=state)
            case ("lose", *senses):
                self._say(dealing.SensorLost, senses=tuple(senses))
            case ("chop", *seats):
                self._say(dealing.PotPushed, seats=tuple(map(int, seats)), chop=True)
            case _:
                self._tell_board(step)

    def _tell_board(self, step: Step) -> None:
        """Burns and board where they are handled otherwise than in an ordinary hand."""
        match (step.verb, *step.words):
            case ("burnup", card):
                self._move([card], BURN, "up")
            case ("turndown", *cards):
                for card in cards:
                    self._say(dealing.CardTurned, card=card, face="down", place=self._where[card])
            case ("scrambled", *place):
                self._say(dealing.CardsScrambled, place=next(iter(place), None))
            case ("stubstate", state):
                self._say(dealing.StubState, state=state)
            case ("muckto", seat, place):
                self._move(self._folded[int(seat)], place, "up" if place == BOARD else "down")
            case ("boards", count):
                self._say(dealing.BoardsAgreed, boards=int(count))
            case ("kill", seat):
                self._folded[int(seat)] = self._at(SEAT[int(seat)])
                self._move(self._at(SEAT[int(seat)]), MUCK, by="dealer")
            case ("ruleseat", ruling, seat, *irregularity):
                about = next(iter(irregularity), None)
                self._say(dealing.FloorRuled, ruling=ruling, seat=int(seat), irregularity=about)
            case ("run", board, street, *cards):
                slots = {"flop": (1, 2, 3), "turn": (4,), "river": (5,)}[street]
                for card, slot in zip(cards, slots, strict=True):
                    self._move([card], f"{BOARD}:{board}/{slot}", "up")
            case _:
                raise LookupError(f"no such verb: {' '.join((step.verb, *step.words))}")

    def _say(self, event, after_ms=BEAT_MS, /, **facts) -> None:
        self._now_ms += after_ms
        self.events.append(event(at_ms=self._now_ms, doubt=self._doubt, **facts))
        self._doubt = None

    def _open(self, how: str, count: list[str]) -> None:
        if count:
            self._seats = tuple(range(1, int(count[0]) + 1))
        self._gathered()
        if how != "start":
            self._say(dealing.DeckShuffled)
            self._say(dealing.DeckCut)
        self._hands += 1
        self._say(
            dealing.HandStarted,
            hand=str(self._hands),
            button=self._button,
            seats=self._seats,
            **self._with,
        )
        if how == "deal":
            self.tell(Step(0, "rest", ()))

    def _sense(self, changes: list[str]) -> None:
        for change in changes:
            if change[1:] not in dealing.ALL_SENSES:
                raise ValueError(f"{change} is no sense")
            (self.sees.append if change[0] == "+" else self.sees.remove)(change[1:])

    def _gathered(self) -> None:
        self._where.clear()
        self._hidden = iter(self._spare)
        self._draws = 0

    def _order(self) -> list[int]:
        return sorted(self._seats, key=lambda seat: (seat - self._button - 1) % 10)

    def _next(self) -> str:
        return next(card for card in self._hidden if card not in self._where)

    def _pitch(
        self, seat: int, card: str | None = None, face: str = "down", packet: int | None = None
    ) -> None:
        self._draws += 1
        self._move([card or self._next()], SEAT[seat], face, packet=packet)

    def _at(self, place: str) -> list[str]:
        return [card for card, there in self._where.items() if there == place]

    def _move(self, cards: list[str], to: str, face: str = "down", **facts) -> None:
        for number, card in enumerate(cards):
            if card not in CARDS:
                raise ValueError(f"{card} is no card")
            source = self._where.pop(card, STUB)
            if to != STUB:
                self._where[card] = to
            pause_ms = CARD_MS if number else BEAT_MS
            moved = {"card": card, "source": source, "to": to, "face": face} | facts
            self._say(dealing.CardMoved, pause_ms, **moved)

    def _act(self, word: str, seats: tuple[str, ...]) -> None:
        broke = seats[-1:] == ("all-in",)
        for told in seats[:-1] if broke else seats:
            seat, _, amount = told.partition("=")
            chips = int(amount) if amount else None
            self._say(dealing.Acted, seat=int(seat), action=word, amount=chips, all_in=broke)
