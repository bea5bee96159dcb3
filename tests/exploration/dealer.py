"""A dealer who does what a remedy says, word by word, and then deals the hand to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from daemon.alarms.alert import Alert
from daemon.table import events as dealing
from daemon.table.ranking import strength
from tests.exploration.departures import Departure, lying
from tests.exploration.hands import DECK, Row

SIZE = {"flop": 3, "turn": 1, "river": 1}
BY_BOARD = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
BEGINS = {"flop": 1, "turn": 4, "river": 5}
BEFORE = {"flop": 0, "turn": 3, "river": 4}
_CARD_MS, _WORD_MS, _ACT_MS = 700, 900, 2500


class Dealer:
    """The table as it lies after these rows, and the hand that is still to be played.

    `fault` are the cards that the alert is about, `seats` its seats. Players check or call, as in
    the hand, until nobody owes.
    """

    def __init__(self, departure: Departure, rows: Iterable[Row], alert: Alert) -> None:
        self.hand = departure.hand
        self.card = departure.card
        self.rows: list[Row] = list(rows)
        self.start = len(self.rows)
        self.alert = alert
        self.where = lying(self.rows)
        self.acted = _acted(self.rows)
        self.folded = {e.seat for row in self.rows if _is_fold(e := row.event)}
        used = {getattr(row.event, "card", None) for row in self.rows}
        self.supply = [card for card in DECK if card not in used]
        self.top = _on_top(self.rows)
        self.pushed = any(isinstance(row.event, dealing.PotPushed) for row in self.rows)

    @property
    def burns(self) -> set[str]:
        """Every card that was burned, wherever it lies now."""
        rows = self.rows[self.redealt_at() :]
        moves = (e for row in rows if isinstance(e := row.event, dealing.CardMoved))
        return {event.card for event in moves if (event.source, event.to) == ("stub", "burn")}

    # -- verbs

    def say(self, event, pause_ms: int = _WORD_MS, name: str = "") -> None:
        self.rows.append(Row(name or "said", pause_ms, event))

    def move(self, card: str, to: str, face: str = "down", by: str = "unknown") -> None:
        source = self.where.pop(card, "stub")
        if source == to:
            return
        self.top = [other for other in self.top if other != card]
        if to == "stub":
            self.top.insert(0, card)
        else:
            self.where[card] = to
        self.say(
            dealing.CardMoved(at_ms=0, card=card, source=source, to=to, face=face, by=by), _CARD_MS
        )

    def next_card(self) -> str:
        """The top card of the stub: the last one that was put back there, if any was."""
        return self.top.pop(0) if self.top else self.supply.pop(0)

    def draw(self, to: str, face: str = "down") -> str:
        card = self.next_card()
        self.move(card, to, face)
        return card

    def shuffle(self) -> None:
        """What was put back lies somewhere in the stub."""
        self.top.clear()
        self.say(dealing.DeckShuffled(at_ms=0), 4000)

    def burn(self, count: int) -> None:
        for _ in range(count):
            self.draw("burn")

    def lay(self, count: int, face: str = "up") -> None:
        for _ in range(count):
            self.draw("board", face)

    def at(self, place: str) -> list[str]:
        return [card for card, there in self.where.items() if there == place]

    def street(self) -> str:
        laid = len(self.at("board"))
        return BY_BOARD[max(size for size in BY_BOARD if size <= laid)]

    def live(self) -> list[int]:
        return [seat for seat in self.hand.order if seat not in self.folded]

    # -- the remedy

    def remedy(self, steps: tuple[str, ...]) -> None:
        if "pick-burn" in steps:  # a flop that was begun is laid whole before it is turned down
            self.lay(3 - len(self.at("board")))
        for step in steps:
            self.do(step)

    def do(self, step: str) -> None:
        """One step of a remedy, as the table lies; nothing once one hand is left."""
        if len(self.live()) < 2 and step != "collect":
            return
        street = step.removesuffix("-without-burn")
        if street in SIZE:
            self._table_if_run_out()
            self.lay(SIZE[street])
            self.acted = [name for name in self.acted if name.partition("@")[0] != street]
            return
        _VERBS[step](self)

    def fault(self, place: str | None = None) -> list[str]:
        cards = list(self.alert.cards)
        return [c for c in cards if place is None or self.where.get(c) == place]

    def close(self) -> None:
        """Who owes on this street acts, in the hand's own order."""
        phase = self.street()
        for row in self.hand.rows:
            event = row.event
            if row.phase != phase or not isinstance(event, dealing.Acted):
                continue
            done = self.acted.count(row.name)
            script = [r for r in self.hand.rows if r.name == row.name]
            if script.index(row) < done or event.seat in self.folded or len(self.live()) < 2:
                continue
            self.acted.append(row.name)
            if event.action == "fold":
                self.folded.add(event.seat)
            elif event.action != "call":
                event = replace(event, action="check", amount=None)
            self.say(event, _ACT_MS, row.name)
            if event.action == "fold":
                for card in self.at(f"seat:{event.seat}"):
                    self.move(card, "muck", by="player")

    def deal(self) -> None:
        """The pitches still owed, in order."""
        pitched = [row.name for row in self.rows[self.redealt_at() :] if row.kind == "pitch"]
        for row in self.hand.rows:
            if row.kind != "pitch" or row.name in pitched:
                continue
            seat = row.event.to
            if len(self.at(seat)) < 2:
                card = self.next_card()
                self.where[card] = seat
                self.say(replace(row.event, card=card), 400, row.name)

    def redealt_at(self) -> int:
        collected = [
            n for n, r in enumerate(self.rows)
            if isinstance(r.event, dealing.CardsCollected | dealing.DeckChanged)
        ]  # fmt: skip
        return collected[-1] if collected else 0

    def collect(self) -> None:
        self.where.clear()
        self.top.clear()
        self.acted, self.folded = [], set()
        self.supply = list(DECK)
        self.say(dealing.CardsCollected(at_ms=0), 2500)

    # -- the rest of the hand

    def play_on(self) -> None:
        """Deal the hand to its end from where it stands."""
        if not self.pushed:
            self._streets()
            self._fold_as_in_the_hand()
            self._showdown()
        self.say(dealing.CardsCollected(at_ms=0), 2500)
        self.say(dealing.HandEnded(at_ms=0), 500)

    def _streets(self) -> None:
        if not self.at("board") and len(self.live()) > 1 and not self.acted:
            self.deal()
        laid = len(self.at("board"))
        if 0 < laid < 3 and len(self.live()) > 1:
            self.lay(3 - laid)
        self.close()
        last = [row.name for row in self.hand.rows if row.kind.startswith("burn-")]
        for street, size in SIZE.items():
            over = len(self.live()) < 2 or f"burn-{street}" not in last
            if over or len(self.at("board")) != BEFORE[street]:
                continue
            self._table_if_run_out()
            if not self.burned():
                self.draw("burn")
            self.lay(size)
            self.close()

    def _fold_as_in_the_hand(self) -> None:
        """Who had no act to fold with, as the streets came otherwise, does not show down."""
        for seat in self.live():
            if seat not in self.hand.live and len(self.live()) > 1:
                self._fold(seat)

    def burned(self) -> bool:
        """Whether the burn of the street that is to come was made already."""
        following = list(SIZE).index(next(s for s in SIZE if BEFORE[s] == len(self.at("board"))))
        if sum(card in self.burns for card in self.at("burn")) > following:
            return True
        drawn = [e for r in self.rows if isinstance(e := r.event, dealing.CardMoved)]
        drawn = [event for event in drawn if event.source == "stub"]
        since: list[str] = []
        for event in drawn:
            since = [] if event.to == "board" else [*since, event.card]
        return any(card in self.burns and card in self.where for card in since)

    def _table_if_run_out(self) -> None:
        rows = self.hand.rows
        run_out = any(row.phase != "showdown" and row.kind == "table" for row in rows)
        acts = [r.name for r in rows if isinstance(r.event, dealing.Acted)]
        if run_out and set(acts) <= set(self.acted):
            self._table()

    def _table(self) -> None:
        for seat in self.live():
            if seat not in self.tabled() and self.at(f"seat:{seat}"):
                cards = tuple(self.at(f"seat:{seat}")[:2])
                self.say(dealing.HandTabled(at_ms=0, seat=seat, cards=cards), 1500)

    def tabled(self) -> dict[int, tuple[str, ...]]:
        """The hands that were laid open; cards speak, wherever one of them has gone since."""
        said = (row.event for row in self.rows)
        return {e.seat: e.cards for e in said if isinstance(e, dealing.HandTabled)}

    def _showdown(self) -> None:
        seats = self.live()
        if len(seats) > 1:
            self._table()
            board = self.at("board")[:5]
            held = {seat: self.tabled().get(seat, ()) for seat in seats}
            value = {s: strength([*held[s], *board]) for s in seats if len(held[s]) == 2}
            if len(board) == 5 and value:
                seats = [s for s in value if value[s] == max(value.values())]
        self.say(dealing.PotPushed(at_ms=0, seats=tuple(seats)), 3000)

    def give_up(self) -> None:
        """Everybody left but one folds, and the hand is over."""
        for seat in self.live()[:-1]:
            self._fold(seat)
        self.play_on()

    def _fold(self, seat: int) -> None:
        self.folded.add(seat)
        self.say(dealing.Acted(at_ms=0, seat=seat, action="fold"), _ACT_MS)
        for card in self.at(f"seat:{seat}"):
            self.move(card, "muck", by="player")


def _acted(rows: list[Row]) -> list[str]:
    """The acts that counted: those made once their street had begun."""
    found = []
    for at, row in enumerate(rows):
        laid = sum(place == "board" for place in lying(rows[:at]).values())
        if isinstance(row.event, dealing.Acted) and laid >= BEGINS.get(row.phase, 0):
            found.append(row.name)
    return found


def _on_top(rows: list[Row]) -> list[str]:
    """The cards that were put back on the stub since it was shuffled, the last one first."""
    top: list[str] = []
    for row in rows:
        match row.event:
            case dealing.CardMoved(card=card, to=to):
                top = [c for c in top if c != card]
                if to == "stub":
                    top.insert(0, card)
            case dealing.DeckShuffled() | dealing.CardsCollected() | dealing.DeckChanged():
                top = []
    return top


def _is_fold(event) -> bool:
    return isinstance(event, dealing.Acted) and event.action == "fold"


def _each(to: str, face: str = "down", order: int = 1) -> Callable[[Dealer], None]:
    """Bring all cards of the fault to a place, in their order or the other way round."""

    def verb(dealer: Dealer) -> None:
        for card in dealer.fault()[::order]:
            if dealer.where.get(card, "stub") != to:
                dealer.move(card, to, face)

    return verb


def _turn(face: str) -> Callable[[Dealer], None]:
    def verb(dealer: Dealer) -> None:
        for card in dealer.at("board"):
            dealer.say(dealing.CardTurned(at_ms=0, card=card, face=face, place="board"), 300)

    return verb


def _to_burn(dealer: Dealer) -> None:
    """The exposed card, or the last one of a hand with one too many, becomes the burn."""
    off = [dealer.card] if dealer.where.get(dealer.card) == "off" else []
    own = dealer.fault() or off or dealer.at(f"seat:{dealer.alert.seats[0]}")[-1:]
    for card in own:
        dealer.move(card, "burn")


def _to_seat(dealer: Dealer) -> None:
    dealer.draw(f"seat:{dealer.alert.seats[0]}")


def _scramble(dealer: Dealer) -> None:
    place = "board" if dealer.alert.irregularity.startswith("flop-") else "stub"
    dealer.say(dealing.CardsScrambled(at_ms=0, place=place))


def _kill(dealer: Dealer) -> None:
    seat = dealer.alert.seats[0]
    dealer.folded.add(seat)
    for card in dealer.at(f"seat:{seat}"):
        dealer.move(card, "muck", by="floor")


def _new_deck(dealer: Dealer) -> None:
    dealer.where.clear()
    dealer.top.clear()
    dealer.acted, dealer.folded = [], set()
    dealer.supply = list(DECK)
    dealer.say(dealing.DeckChanged(at_ms=0, deck="blue", reason="fault"), 3000)


_VERBS: dict[str, Callable[[Dealer], None]] = {
    "floor": lambda d: d.say(dealing.FloorCalled(at_ms=0)),
    "refund": lambda d: d.say(dealing.BetsReturned(at_ms=0)),
    "collect": Dealer.collect,
    "deck-change": _new_deck,
    "shuffle": Dealer.shuffle,
    "cut": lambda d: d.say(dealing.DeckCut(at_ms=0)),
    "deal": Dealer.deal,
    "replace": _to_seat,
    "button-card": _to_seat,
    "exposed-to-burn": _to_burn,
    "extra-to-burn": _to_burn,
    "close": Dealer.close,
    "burn": lambda d: d.burn(1),
    "double-burn": lambda d: d.burn(2),
    "set-aside": _each("aside", "up"),
    "return-aside": _each("stub"),
    "return-board": _each("stub"),
    "board-to-top": _each("stub", order=-1),
    "burn-to-top": lambda d: d.move(d.at("burn")[-1], "stub"),
    "top-to-board": lambda d: d.lay(1, "down"),
    "turn-down": _turn("down"),
    "turn-up": _turn("up"),
    "scramble": _scramble,
    "pick-burn": lambda d: d.move(d.at("board")[1], "burn", by="floor"),
    "kill-hand": _kill,
}
