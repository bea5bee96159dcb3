"""Short lawful hands of two and three seats, dealt as PokerKit says what is due next.

A hand is a list of rows; a row's time is the pause before it, so that rows can be left out, put in
and exchanged. The deck is short: the cards the hand needs, and a few spare ones behind them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import msgspec
from pokerkit import Automation, NoLimitTexasHoldem, State

from daemon.table import events as dealing
from daemon.table.ranking import strength

STACK, SMALL_BLIND, BIG_BLIND = 40, 1, 2
# A seven-card hand of two or three seats never ties on these, and no board plays alone.
DECK = (
    "As", "7d", "Kc", "Js", "4h", "9c", "2d", "Th", "Qh", "3c", "6s", "8d", "5c", "Jd", "2s", "9h",
    "Kd", "4c", "7s", "Tc", "3h", "8s",
)  # fmt: skip
STREET_BY_SIZE = {3: "flop", 4: "turn", 5: "river"}
FOLD, PASSIVE, ALL_IN, RAISE = "fold", "passive", "all-in", "raise"
_AUTOMATIC = (
    Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING, Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One event of the hand: its name, the pause before it, and the event without its time.

    `phase` is the round that is on when it happens, `owing` the seats that still owe an action
    before it, by PokerKit's word.
    """

    name: str
    pause_ms: int
    event: dealing.DealingEvent
    phase: str = "deck"
    owing: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """What step it is, without seat and number."""
        return self.name.partition("@")[0].rstrip("0123456789")


def timed(rows: list[Row]) -> list[dealing.DealingEvent]:
    """The events of these rows, each with its time."""
    events, now_ms = [], 0
    for row in rows:
        now_ms += row.pause_ms
        events.append(msgspec.structs.replace(row.event, at_ms=now_ms))
    return events


@dataclass(frozen=True, slots=True)
class Hand:
    """A lawful hand: who sits, in which order they are dealt to, the rows, the cards not dealt."""

    name: str
    order: tuple[int, ...]
    rows: tuple[Row, ...]
    spare: tuple[str, ...]
    live: tuple[int, ...]

    @property
    def seats(self) -> int:
        return len(self.order)


class _Dealt:
    """Deals one hand by the answers of PokerKit's players."""

    def __init__(self, seats: int, hand: str, button: int = 1) -> None:
        around = [*range(1, seats + 1)] * 2
        self.order = tuple(around[button : button + seats])
        self.rows: list[Row] = []
        self.deck = iter(DECK)
        self.live = list(self.order)
        self.hole: dict[int, list[str]] = {seat: [] for seat in self.order}
        self.board: list[str] = []
        self.phase = "deck"
        self.tabled: set[int] = set()
        self.game = NoLimitTexasHoldem.create_state(
            _AUTOMATIC, True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND, STACK, seats
        )
        start = dealing.HandStarted(
            at_ms=0, hand=hand, button=button, seats=tuple(sorted(self.order)), game="cash"
        )
        self.say("start", 0, start)
        self.say("shuffle", 3000, dealing.DeckShuffled(at_ms=0))
        self.say("cut", 900, dealing.DeckCut(at_ms=0))
        self.phase = "deal"
        for turn in (1, 2):
            for seat in self.order:
                card = self.draw(f"pitch{turn}@{seat}", 400, f"seat:{seat}")
                self.hole[seat].append(card)
        self.phase = "preflop"

    def say(self, name: str, pause_ms: int, event: dealing.DealingEvent) -> None:
        self.rows.append(Row(name, pause_ms, event, self.phase, self.owing()))

    def owing(self) -> tuple[int, ...]:
        """Who is still asked to act on this street, in order."""
        if self.phase in ("deck", "deal", "showdown"):
            return ()
        return tuple(self.order[at] for at in self.game.actor_indices)

    def draw(self, name: str, pause_ms: int, to: str, face: str = "down") -> str:
        card = next(self.deck)
        move = dealing.CardMoved(at_ms=0, card=card, source="stub", to=to, face=face)
        self.rows.append(Row(name, pause_ms, move, self.phase))
        return card

    def act(self, word: str) -> None:
        """One act, and the streets that follow when it closed the round."""
        game = self.game
        at = game.actor_index
        seat, owed, chips = self.order[at], game.checking_or_calling_amount, game.stacks[at]
        owing, phase = self.owing(), self.phase
        if word == FOLD:
            game.fold()
            action = "fold"
        elif word == PASSIVE:
            game.check_or_call()
            action = "call" if owed else "check"
        else:
            total = game.min_completion_betting_or_raising_to_amount
            if word == ALL_IN:
                total = game.stacks[at] + game.bets[at]
            game.complete_bet_or_raise_to(total)
            action = "raise" if phase == "preflop" or owed else "bet"
        amount = game.bets[at] if action in ("raise", "bet") else None
        all_in = word == ALL_IN or (word == PASSIVE and owed >= chips > 0)
        event = dealing.Acted(at_ms=0, seat=seat, action=action, amount=amount, all_in=all_in)
        self.rows.append(Row(f"{phase}@{seat}", 2500, event, phase, owing))
        if word == FOLD:
            self.live.remove(seat)
            for card in self.hole[seat]:
                move = dealing.CardMoved(
                    at_ms=0, card=card, source=f"seat:{seat}", to="muck", face="down", by="player"
                )
                self.rows.append(Row(f"muck@{seat}", 200, move, phase, self.owing()))
        self._streets()

    def _streets(self) -> None:
        """The cards that PokerKit's dealer has laid since."""
        while len(self.board) < len(self.game.board_cards):
            if not self.game.status or not self.game.actor_indices:
                self._table()
            size = 3 if not self.board else len(self.board) + 1
            street = STREET_BY_SIZE[size]
            self.draw(f"burn-{street}", 1500, "burn")
            for slot in range(len(self.board), size):
                pause_ms = 600 if slot in (0, 3, 4) else 150
                self.board.append(self.draw(f"{street}{slot + 1}", pause_ms, "board", "up"))
            self.phase = street

    def _table(self) -> None:
        for seat in self.order:
            if seat in self.live and seat not in self.tabled:
                self.tabled.add(seat)
                shown = dealing.HandTabled(at_ms=0, seat=seat, cards=tuple(self.hole[seat]))
                self.say(f"table@{seat}", 1500, shown)

    def end(self) -> None:
        """The showdown, the pot, the sweep."""
        self.phase = "showdown" if len(self.live) > 1 else self.phase
        winners = tuple(self.live)
        if len(self.live) > 1:
            self._table()
            value = {s: strength([*self.hole[s], *self.board]) for s in self.live}
            winners = tuple(s for s in self.live if value[s] == max(value.values()))
        self.say("pot", 3000, dealing.PotPushed(at_ms=0, seats=winners))
        self.say("collect", 2500, dealing.CardsCollected(at_ms=0))
        self.say("end", 500, dealing.HandEnded(at_ms=0))


def played(
    seats: int, words: tuple[str, ...], name: str = "", *, hand: str = "1", button: int = 1
) -> Hand:
    """The hand in which the players answer so when PokerKit asks them; then they check or call."""
    dealt = _Dealt(seats, hand, button)
    answers = iter(words)
    while dealt.game.status:
        dealt.act(next(answers, PASSIVE))
    dealt.end()
    return Hand(
        name or " ".join(words) or "checked",
        dealt.order,
        tuple(dealt.rows),
        tuple(dealt.deck),
        tuple(dealt.live),
    )


def _answers(game: State, words: tuple[str, ...]) -> list[str]:
    """What may be answered now: a check or call, a fold, an all-in, and one raise in a hand."""
    answers = [PASSIVE]
    if game.can_fold():
        answers.append(FOLD)
    if game.can_complete_bet_or_raise_to():
        answers.append(ALL_IN)
        if RAISE not in words:
            answers.append(RAISE)
    return answers


def lines_of_play(seats: int, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every way to answer PokerKit to the end of a hand that begins so."""
    dealt = _Dealt(seats, "1")
    for word in words:
        dealt.act(word)
    if not dealt.game.status:
        yield words
        return
    for word in _answers(dealt.game, words):
        yield from lines_of_play(seats, (*words, word))


def some_line(seats: int, rng: Random) -> tuple[str, ...]:
    """One way to answer PokerKit to the end of a hand."""
    dealt, words = _Dealt(seats, "1"), ()
    while dealt.game.status:
        words = (*words, rng.choice([PASSIVE, *_answers(dealt.game, words)]))
        dealt.act(words[-1])
    return words
