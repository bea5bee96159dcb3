"""A felt in the small: cards on antennas, a shoe and keys, told to an interpreter poll by poll."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daemon.table.cards import DECK
from daemon.table.events import (
    CardDrawn,
    CardIdentified,
    CardMoved,
    CardOdd,
    DealingEvent,
    SensorBack,
    SensorLost,
    name_of,
)
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Layout, Sensor
from daemon.table.places import SEAT
from drivers import readings
from drivers.readings import Inventory, KeyPressed, Reading

POLL_MS = 100
UID = {card: f"04{number:012x}" for number, card in enumerate(DECK)}

SHOE = Sensor(name="shoe", driver="csl1", senses=("order", "identity"))
SEATS = Sensor(
    name="seats",
    driver="pn532",
    places={seat: SEAT[seat] for seat in range(1, 11)},
    senses=("identity", "place"),
)
FELT = Sensor(
    name="felt",
    driver="feig",
    places={1: "board", 2: "burn", 3: "muck", 4: "stub", 5: "aside"},
    senses=("identity", "board", "burn", "muck", "stub", "aside"),
)
KEYS = Sensor(
    name="keys", driver="keypad", senses=("floor", "declare", "tabled", "face", "shuffle", "cut")
)
WITH_SHOE = (SHOE, SEATS, FELT, KEYS)
WITHOUT_SHOE = (SEATS, FELT, KEYS)

Dropout = Callable[[str, int], bool]
Ghost = Callable[[str, int], str | None]


def layout(sensors: Sequence[Sensor] = WITH_SHOE, tags: dict[str, str] | None = None) -> Layout:
    return Layout(
        table="t",
        site="s",
        seat_count=10,
        sensors=tuple(sensors),
        tags={uid: card for card, uid in UID.items()} if tags is None else tags,
    )


def told(events: Sequence[DealingEvent]) -> list[str]:
    """The events in a few words each, without their times."""
    return [_words(event) for event in events]


def timed(events: Sequence[DealingEvent]) -> list[str]:
    """The events in a few words each, with their times."""
    return [f"{event.at_ms} {_words(event)}" for event in events]


def _words(event: DealingEvent) -> str:
    doubt = f" ({event.doubt.instead})" if event.doubt else ""
    match event:
        case CardMoved(card=card, source=source, to=to):
            return f"{card} {source}>{to}{doubt}"
        case CardDrawn(card=card, n=n):
            return f"draw {n} {card}"
        case CardIdentified(card=card, identity=identity):
            return f"{card} is {identity}"
        case CardOdd(card=card, kind=kind):
            return f"{card} odd {kind}"
        case SensorLost(senses=senses, sensor=sensor) | SensorBack(senses=senses, sensor=sensor):
            return f"{name_of(event)} {sensor} {'+'.join(senses)}"
        case _:
            return name_of(event)


class Felt:
    """Cards lie on antennas or nowhere; every sensor polls each 100 ms while time is let pass."""

    def __init__(
        self,
        sensors: Sequence[Sensor] = WITH_SHOE,
        *,
        uid: dict[str, str] = UID,
        dropout: Dropout | None = None,
        ghost: Ghost | None = None,
        ticks: frozenset[int] = frozenset(),
    ) -> None:
        self.sensors = sensors
        self.uid = uid
        self.now_ms = 0
        self.events: list[DealingEvent] = []
        self.lies: dict[str, str] = {}
        self.drawn = 0
        self.interpreter = Interpreter(layout(sensors))
        self.dropout, self.ghost = dropout, ghost
        self._ticks = sorted(ticks)
        self._deaf: set[str] = set()

    def lay(self, place: str, *cards: str) -> None:
        for card in cards:
            self.lies[card] = place

    def lift(self, *cards: str) -> None:
        for card in cards:
            self.lies.pop(card, None)

    def say(self, sensor: str, reading: Reading) -> None:
        self.events += self.interpreter.take(sensor, reading, self.now_ms)

    def draw(self, *cards: str | None, foreign: bool = False) -> None:
        for card in cards:
            self.drawn += 1
            self.say("shoe", readings.CardDrawn(self.drawn, card, foreign))

    def press(self, key: str, **fields: object) -> None:
        self.say("keys", KeyPressed(key, **fields))

    def new_hand(self, seats: Sequence[int] = (1, 2, 3), button: int = 1) -> None:
        self.press("new-hand", seat=button, seats=tuple(seats))

    def lose(self, sensor: str) -> None:
        self._deaf.add(sensor)
        self.events += self.interpreter.lost(sensor, self.now_ms)

    def regain(self, sensor: str) -> None:
        self._deaf.discard(sensor)
        self.events += self.interpreter.back(sensor, self.now_ms)

    def wait(self, ms: int) -> list[str]:
        """Let time pass, polling; return in words what was told since this was last asked."""
        self.let_pass(ms // POLL_MS)
        return self.take()

    def let_pass(self, polls: int) -> None:
        for _ in range(polls):
            before_ms, self.now_ms = self.now_ms, self.now_ms + POLL_MS
            for tick_ms in self._ticks:
                if before_ms < tick_ms <= self.now_ms:
                    self.events += self.interpreter.advance(tick_ms)
            for sensor in self.sensors:
                if sensor.places and sensor.name not in self._deaf:
                    self.say(sensor.name, self._inventory(sensor))

    def take(self) -> list[str]:
        events, self.events = self.events, []
        return told(events)

    def _inventory(self, sensor: Sensor) -> Inventory:
        antennas = {place: antenna for antenna, place in sensor.places.items()}
        poll = self.now_ms // POLL_MS
        seen = []
        for card, place in self.lies.items():
            heard = [] if self.dropout and self.dropout(card, poll) else [place]
            heard.append((self.ghost and self.ghost(place, poll)) or "")
            seen += [(antennas[at], self.uid[card]) for at in heard if at in antennas]
        return Inventory(tuple(sorted(seen)))
