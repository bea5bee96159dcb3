"""A dealer at work: a hand as it was played becomes the dealing events of a live table."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise

from daemon.demo.deal import BOARD_AFTER, FLOP, PREFLOP, STREETS, Act, Deal
from daemon.demo.opening import hand_started
from daemon.demo.ranking import strength
from daemon.table.events import (
    Acted,
    BettingClosed,
    By,
    CardExposed,
    CardMoved,
    CardsCollected,
    CardTurned,
    DealingEvent,
    DeckCut,
    DeckShuffled,
    Face,
    HandEnded,
    HandTabled,
    PotPushed,
)
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, SEAT, STUB, plain

# How a table sees a fold: the act, both cards moving to the muck, or both of these in any order.
FOLDS_SEEN = (("act", "cards"), ("cards", "act"), ("act",), ("cards",))


def lawful(
    deal: Deal, rng: random.Random, at_ms: int = 0, *, hands_tabled: bool = False
) -> list[DealingEvent]:
    """The hand dealt as it should be, from the shuffle at `at_ms` to `hand-ended`."""
    dealer = Dealer(deal, rng, at_ms, hands_tabled=hands_tabled)
    dealer.open()
    dealer.pitch_all()
    dealer.play_on(PREFLOP)
    return dealer.events


class Dealer:
    """Deals one hand; every verb moves cards, lets time pass and writes down what is seen.

    `stub` is the deck in hand, its top first; `where` the place of each card that left it, in the
    order of arrival. `played` counts the acts done on each street. Times are drawn from `rng`.
    With `hands_tabled` all hands are tabled once a player is all-in and nobody can bet any more
    (TDA 2024 rule 16).
    """

    def __init__(
        self,
        deal: Deal,
        rng: random.Random,
        at_ms: int = 0,
        *,
        acts: bool = True,
        hands_tabled: bool = False,
    ) -> None:
        self.deal = deal
        self.rng = rng
        self.now_ms = at_ms
        self.events: list[DealingEvent] = []
        self.stub = list(deal.deck)
        self.where: dict[str, str] = {}
        self.live = list(deal.deal_order)
        self.tabled: list[int] = []
        self.played = dict.fromkeys(STREETS, 0)
        self.altered = False
        self.tells_folds = False
        self.broke = set(deal.all_in)
        self._acts = acts
        self._hands_tabled = hands_tabled
        self._slots = rng.random() < 0.3
        self._faces = rng.random() < 0.8
        self._peels = rng.random() < 0.1  # the flop face down first, then turned
        self._closes = acts and rng.random() < 0.15  # somebody keys the end of a round, too
        self._posts = acts and rng.random() < 0.1  # blinds are keyed as acts

    # -- time and words

    def wait(self, low_ms: int, high_ms: int | None = None) -> None:
        """Lets time pass."""
        self.now_ms += self.rng.randint(low_ms, high_ms or low_ms)

    def say(self, event: DealingEvent) -> None:
        """Writes an event down."""
        self.events.append(event)

    # -- cards

    def at(self, place: str) -> list[str]:
        """The cards at a place, in the order of arrival."""
        return [card for card, there in self.where.items() if plain(there) == place]

    def move(self, card: str, to: str, face: Face = "down", by: By = "unknown") -> None:
        """Moves a card from where it lies; one that goes to the stub lies on its top."""
        source = self.where.pop(card, STUB)
        if source == STUB:
            self.stub.remove(card)
        if to == STUB:
            self.stub.insert(0, card)
        else:
            self.where[card] = to
        self.say(CardMoved(at_ms=self.now_ms, card=card, source=source, to=to, face=face, by=by))

    def pitch(self, seat: int, face: Face = "down") -> str:
        """Pitches the top card to a seat."""
        self.wait(220, 500)
        card = self.stub[0]
        self.move(card, SEAT[seat], face)
        return card

    def pitch_all(self, first: int = 0) -> None:
        """Pitches what is still owed, beginning with draw `first` (counted from 0)."""
        for draw in range(first, 2 * len(self.deal.deal_order)):
            self.pitch(self.seat_due(draw))

    def seat_due(self, draw: int) -> int:
        """The seat to which draw `draw` (counted from 0) belongs."""
        return self.deal.deal_order[draw % len(self.deal.deal_order)]

    def burn(self, low_ms: int = 900, high_ms: int = 2500) -> str:
        """Burns the top card."""
        self.wait(low_ms, high_ms)
        card = self.stub[0]
        self.move(card, BURN)
        return card

    def board(self, count: int, face: Face = "up", within_ms: int = 300) -> list[str]:
        """Lays `count` cards on the board."""
        self.wait(400, 1100)
        laid = []
        for _ in range(count):
            slot = f"{BOARD}:{len(self.at(BOARD)) + 1}" if self._slots else BOARD
            laid.append(self.stub[0])
            self.move(self.stub[0], slot if slot <= "board:5" else BOARD, face)
            self.wait(0, within_ms)
        return laid

    def street(self, name: str, *, burn: bool = True) -> list[str]:
        """Deals a street: the hands that are tabled in a run-out, the burn, the card or cards."""
        self.table_due()
        if burn:
            self.burn()
        peeled = self._peels and name == FLOP
        laid = self.board(3 if name == FLOP else 1, "down" if peeled else "up")
        for card in laid if peeled else ():
            self.turn_up(card)
        return laid

    def back_to_stub(self, cards: list[str], by_way_of: str = STUB) -> None:
        """Brings cards back to the stub."""
        for card in cards if by_way_of != STUB else ():
            self.wait(200, 700)
            self.move(card, by_way_of)
        for card in cards:
            self.wait(200, 700)
            self.move(card, STUB)

    def set_aside(self, card: str) -> None:
        """Lays a card aside, face up."""
        self.wait(1500, 6000)
        self.move(card, ASIDE, "up")

    def collect(self) -> None:
        """Gathers every card into the stub."""
        self.wait(1500, 4000)
        self.stub += self.where
        self.where.clear()
        self.say(CardsCollected(at_ms=self.now_ms))

    def shuffle(self) -> None:
        """Shuffles what lies in the stub."""
        self.wait(4000, 12_000)
        self.altered = True
        self.rng.shuffle(self.stub)
        self.say(DeckShuffled(at_ms=self.now_ms))

    def cut(self) -> None:
        """Cuts what lies in the stub."""
        self.wait(800, 2500)
        self.say(DeckCut(at_ms=self.now_ms))

    def turn_up(self, card: str) -> None:
        """Turns a card over where it lies."""
        self.wait(100, 500)
        face: Face = "up"
        self.say(CardTurned(at_ms=self.now_ms, card=card, face=face, place=self.where[card]))

    # -- the hand

    def open(self, *, cut: bool = True) -> None:
        """Shuffle, cut and the new hand; the hand may be keyed before, between or after them."""
        before = self.rng.randrange(3)
        for moment, step in enumerate((self._shuffled, self.cut)):
            if moment == before:
                self.say(hand_started(self.deal, self.rng, self.now_ms))
            if cut or step != self.cut:
                step()
        if before == 2:
            self.say(hand_started(self.deal, self.rng, self.now_ms))
        if self._posts:
            self._post(self.deal.blinds)
        self.wait(600, 2000)

    def post_again(self) -> None:
        """Puts up again what was given back: blinds and straddles, and who is all-in by them."""
        self._post({**self.deal.blinds, **self.deal.straddles})

    def _post(self, chips: Mapping[int, int]) -> None:
        for seat, amount in chips.items():
            self.wait(200, 900)
            self._acted(
                Acted(
                    at_ms=self.now_ms,
                    seat=seat,
                    action="post",
                    amount=amount,
                    all_in=seat in self.deal.all_in,
                )
            )

    def _shuffled(self) -> None:
        self.wait(10, 3000)
        self.say(DeckShuffled(at_ms=self.now_ms))

    def acts(self, street: str, until: int | None = None) -> None:
        """Plays the acts of the street, up to `until` of them (all by default)."""
        script = self.deal.acts.get(street, ())
        stop = len(script) if until is None else until
        for act in script[self.played[street] : stop]:
            if act.seat not in self.live or self.over():  # a hand that was killed
                continue
            self.wait(20_000, 60_000) if self.rng.random() < 0.02 else self.wait(700, 6000)
            if act.all_in:
                self.broke.add(act.seat)
            if act.word == "fold":
                self.fold(act.seat)
            else:
                self._bet(act, street)
        if self._closes and self.played[street] < stop == len(script) and not self.over():
            self.wait(200, 700)
            self.say(BettingClosed(at_ms=self.now_ms))
        self.played[street] = max(stop, self.played[street])

    def owed(self, street: str) -> int:
        """How many acts are still to come on the street."""
        return len(self.deal.acts.get(street, ())) - self.played[street]

    def _bet(self, act: Act, street: str) -> None:
        short = street == PREFLOP and self.deal.big_blind in self.deal.all_in
        keyed = act.all_in and not short and self.rng.random() < 0.3
        self._acted(
            Acted(
                at_ms=self.now_ms,
                seat=act.seat,
                action="all-in" if keyed else act.word,
                amount=act.amount,
                all_in=act.all_in,
            )
        )

    def _acted(self, event: Acted) -> None:
        if self._acts:
            self.say(event)

    def fold(self, seat: int) -> None:
        """The seat folds, seen as an act, as cards, or as both."""
        shown = seat in self.deal.folds_shown and not self.altered
        for card in self.at(SEAT[seat]) if shown else ():
            self.say(CardExposed(at_ms=self.now_ms, place=SEAT[seat], card=card, by="player"))
            self.wait(50, 300)
        told = FOLDS_SEEN[0] if self.tells_folds else self.rng.choice(FOLDS_SEEN)
        for seen in told if self._acts else ("cards",):
            if seen == "act":
                self._acted(Acted(at_ms=self.now_ms, seat=seat, action="fold"))
            else:
                self.muck(seat, "up" if shown else "down")
            self.wait(50, 400)
        self.live.remove(seat)

    def muck(self, seat: int, face: Face = "down") -> None:
        """The seat's cards slide into the muck."""
        by: By = self.rng.choice(("player", "unknown"))
        for card in self.at(SEAT[seat]):
            self.wait(30, 250)
            self.move(card, MUCK, face, by)

    def table(self, seat: int) -> None:
        """The seat lays its hand face up."""
        self.wait(500, 2500)
        cards = tuple(self.at(SEAT[seat])) if self._faces else ()
        self.tabled.append(seat)
        self.say(HandTabled(at_ms=self.now_ms, seat=seat, cards=cards))

    def table_due(self) -> None:
        """Tables the hands that the script, or the house, tables with this many board cards."""
        if self._hands_tabled and self._is_run_out():
            self._table_all()
        lying = len(self.at(BOARD))
        for show in self.deal.shows:
            if show.board == lying and show.seat in self.live and show.seat not in self.tabled:
                self.table(show.seat)

    def _is_run_out(self) -> bool:
        """Whether somebody is all-in and at most one player has chips left to bet."""
        live = set(self.live)
        return len(live) > 1 and bool(live & self.broke) and len(live - self.broke) < 2

    def _table_all(self) -> None:
        for seat in self.live:
            if seat not in self.tabled:
                self.table(seat)

    def restart(self) -> None:
        """The same hand is dealt again after a misdeal."""
        self.broke = set(self.deal.all_in)
        self.live = list(self.deal.deal_order)
        self.tabled = []
        self.played = dict.fromkeys(STREETS, 0)

    def advance(self, street: str) -> None:
        """Plays the hand from the shuffle as it should be, until the street's cards lie."""
        self.open()
        self.pitch_all()
        for before, following in pairwise(STREETS[: STREETS.index(street) + 1]):
            self.acts(before)
            self.street(following)

    def burn_again(self, card: str, street: str) -> None:
        """A burn too many goes back on the stub, is the burn of `street`, and the hand goes on."""
        self.wait(1500, 4000)
        self.move(card, STUB)
        if not self.over():
            self.street(street)
            self.acts(street)
        self.play_on(street)

    def play_on(self, street: str) -> None:
        """Plays the rest of the street and of the hand as it should be."""
        self.acts(street)
        for following in STREETS[STREETS.index(street) + 1 :]:
            if self.over() or self.deal.board < BOARD_AFTER[following]:
                break
            self.street(following)
            self.acts(following)
        self.showdown()
        self.end()

    def over(self) -> bool:
        """Whether one hand is left."""
        return len(self.live) == 1

    # -- the end

    def showdown(self) -> None:
        """Hands are tabled or mucked as the script says, or as the changed cards demand."""
        self.table_due()
        if self.over():
            winners = tuple(self.live)
        elif self.altered:
            winners = self._all_tabled()
        else:
            for seat in self.deal.mucks:
                if seat not in self.tabled:
                    self.wait(600, 2500)
                    self.muck(seat)
            winners = self.deal.winners
        self.wait(1000, 3000)
        self.say(PotPushed(at_ms=self.now_ms, seats=winners))

    def _all_tabled(self) -> tuple[int, ...]:
        self._table_all()
        return self.best(tuple(self.live))

    def best(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """The seats with the best hand, by the cards that lie before them."""
        board = self.at(BOARD)
        value = {seat: strength([*self.at(SEAT[seat]), *board]) for seat in seats}
        return tuple(seat for seat in seats if value[seat] == max(value.values()))

    def end(self) -> None:
        """The last hand into the muck where it was not shown, the sweep, and the hand's end."""
        if self.over() and not self.tabled and self.rng.random() < 0.5:
            self.muck(self.live[0])
        if self.rng.random() < 0.1:
            for card in self.at(BOARD):
                self.wait(30, 200)
                self.move(card, MUCK)
        if self.rng.random() < 0.95:  # else unseen: the next hand begins with a whole stub
            self.collect()
        self.wait(200, 1500)
        self.say(HandEnded(at_ms=self.now_ms))
