"""An empty felt: a table's simulated devices and a broker, and a hand that lays cards when told.

It stands in for hardware while a table is being fitted: the ports are symlinks in a folder, the
orders come in on standard input, one a line.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import stat
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from daemon.demo.broker import BrokerError, running_broker
from daemon.demo.table_fit import (
    RED,
    Devices,
    Reader,
    configuration,
    decks,
    write_configuration,
)
from daemon.table.cards import DECK, RANKS, SUITS
from drivers.keypad import KEYS
from drivers.readings import KeyPressed
from drivers.simulated.keypad import said
from drivers.simulated.rig import Rig, on_pty

CONFIGURATION = "table.toml"
LIES_S = 1.2  # how long each card lies when a deck is passed over an antenna
LIFTED_S = 0.5
ORDER_BYTES_MAX = 200
ORDERS = """\
lay CARD PLACE     lay a card of the deck, or move it there:  lay As board, lay 2c seat:1
lift CARD          take it away
draw CARD PLACE    draw it from the shoe, and lay it there
key NAME [SEAT]    press a key of the console:  key new-hand, key fold 3, key check 1
pass PLACE [CARD]  pass the deck over an antenna, card by card by suit, from this card on;  stop
drop PLACE         lay the whole deck on an antenna at once;  lift all  takes it away
unplug SENSOR      pull a cable;  plug SENSOR  puts it back
quit"""


class OrderError(Exception):
    """An order that cannot be done; the text says why."""


@dataclass(slots=True)
class Hand:
    """The hand over the felt: what it has laid where."""

    devices: Devices
    rigs: dict[str, Rig]
    tags: dict[str, str]  # the card's name to its tag
    lies: dict[str, str] = field(default_factory=dict)
    passing: asyncio.Task[None] | None = None
    hands: int = 0

    async def obey(self, order: str) -> str:
        """Do what one line says; what to answer. Raises OrderError."""
        word, *rest = order.split()
        verb = _VERBS.get((word, len(rest)))
        if verb is None:
            raise OrderError(f"{order[:ORDER_BYTES_MAX]}: is no order:\n{ORDERS}")
        await verb(self, *rest)
        return f"done: {order}"

    async def lay(self, card: str, place: str) -> None:
        reader, antenna = self._antenna(place)
        if card in self.lies:
            await self.lift(card)
        reader.lay(self._tag(card), antenna)
        self.lies[card] = place
        self._poke()

    async def lift(self, card: str) -> None:
        for one in list(self.lies) if card == "all" else [card]:
            if one not in self.lies:
                raise OrderError(f"{one}: does not lie anywhere")
            reader, antenna = self._antenna(self.lies.pop(one))
            reader.lift(self._tag(one), antenna)
        self._poke()

    async def draw(self, card: str, place: str) -> None:
        self._antenna(place)
        self._tag(card)
        self.devices.shoe.draw(card)
        await self.lay(card, place)

    async def key(self, name: str, seat: str = "") -> None:
        """A key; `new-hand` has every seat dealt in, the button at seat 1."""
        pressed = KeyPressed(name, int(seat) if seat.isdigit() else None)
        if name == "new-hand":
            self.hands += 1
            pressed = KeyPressed(name, 1, tuple(self.devices.seats), text=str(self.hands))
        elif name in ("pot", "bets-returned") and pressed.seat is not None:
            pressed = KeyPressed(name, seats=(pressed.seat,))
        fields = said(pressed).partition(",")[2]
        if name not in KEYS or not re.fullmatch(f"(?:{KEYS[name]})(?:,.*)?", fields):
            raise OrderError(f"key {name} {seat}: is no key, or needs a seat: {', '.join(KEYS)}")
        self.devices.console.press(
            name, pressed.seat, seats=pressed.seats, text=pressed.text, all_in=name == "all-in"
        )
        self._poke()

    async def stop_passing(self) -> None:
        self.stop()

    async def drop(self, place: str) -> None:
        for card in DECK:
            await self.lay(card, place)

    async def pass_from(self, place: str, first: str = "") -> None:
        self._antenna(place)
        by_suit = [rank + suit for suit in SUITS for rank in RANKS]
        if first and first not in by_suit:
            raise OrderError(f"{first}: is no card")
        self.stop()
        cards = by_suit[by_suit.index(first) if first else 0 :]
        self.passing = asyncio.create_task(self._pass(place, cards))

    async def _pass(self, place: str, cards: list[str]) -> None:
        for card in cards:
            await self.lay(card, place)
            await asyncio.sleep(LIES_S)
            await self.lift(card)
            await asyncio.sleep(LIFTED_S)

    async def unplug(self, sensor: str) -> None:
        await self._rig(sensor).unplug()

    async def plug(self, sensor: str) -> None:
        await self._rig(sensor).plug(self.devices.named()[sensor])

    def stop(self) -> None:
        """Stop passing cards."""
        if self.passing is not None:
            self.passing.cancel()

    def _rig(self, sensor: str) -> Rig:
        if sensor not in self.rigs:
            raise OrderError(f"{sensor}: is no sensor; there are {', '.join(self.rigs)}")
        return self.rigs[sensor]

    def _antenna(self, place: str) -> tuple[Reader, int]:
        antennas = self.devices.antennas()
        if place not in antennas:
            raise OrderError(f"{place}: has no antenna; there are {', '.join(antennas)}")
        return antennas[place]

    def _tag(self, card: str) -> str:
        if card not in self.tags:
            raise OrderError(f"{card}: is no card; a card is rank and suit, as in Td")
        return self.tags[card]

    def _poke(self) -> None:
        for rig in self.rigs.values():
            rig.poke()


_VERBS: dict[tuple[str, int], Callable[..., Awaitable[None]]] = {
    ("lay", 2): Hand.lay,
    ("lift", 1): Hand.lift,
    ("pass", 1): Hand.pass_from,
    ("pass", 2): Hand.pass_from,
    ("stop", 0): Hand.stop_passing,
    ("draw", 2): Hand.draw,
    ("key", 1): Hand.key,
    ("key", 2): Hand.key,
    ("drop", 1): Hand.drop,
    ("unplug", 1): Hand.unplug,
    ("plug", 1): Hand.plug,
}


def stand_in(*, folder: Path, seats: int, seed: int, port: int) -> int:
    """Plug simulated devices in below `folder` until `quit`, the input's end or Ctrl-C."""
    try:
        port = _prepared(folder, port)
    except OrderError as error:
        sys.stderr.write(f"floorcall: {error}\n")
        return 1
    with ExitStack() as stack:
        try:
            listeners = stack.enter_context(running_broker(folder, port))
        except (BrokerError, OSError) as error:
            sys.stderr.write(f"floorcall: {error}\n")
            return 1
        asyncio.run(_felt(folder.absolute(), listeners.url, seats, seed))
    return 0


def _prepared(folder: Path, port: int) -> int:
    """Make the folder; the broker's port, which a configuration that is there may name."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (sys.stdin.isatty() or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise OrderError("orders come from a terminal or a pipe")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "shoe").exists():
            raise OrderError(f"{folder}: another felt is at work there")
        if not port and (folder / CONFIGURATION).exists():
            found = re.search(r"mqtt://[^\s:\"]+:(\d+)", (folder / CONFIGURATION).read_text())
            port = int(found[1]) if found else 0
    except OSError as error:
        raise OrderError(f"{folder}: cannot be used: {error.strerror}") from error
    return port


async def _felt(folder: Path, broker_url: str, seats: int, seed: int) -> None:
    devices = Devices(seats)
    red = decks(random.Random(f"{seed} felt"))[RED]
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        rigs = {}
        for name, device in devices.named().items():
            rigs[name] = await stack.enter_async_context(on_pty(folder / name))
            await rigs[name].plug(device)
        ports = {name: rig.address for name, rig in rigs.items()}
        path = folder / CONFIGURATION
        if not path.exists():
            text = configuration("poker-1", broker_url, ports, {})
            write_configuration(path, f'{text}[decks]\nred = "red.toml"\n')
        _say(f"an empty felt of {seats} seats, configured in {path}; broker {broker_url}\n{ORDERS}")
        hand = Hand(devices, rigs, {card: uid for uid, card in red.items()})
        await _obeying(hand, stop)
        hand.stop()


async def _obeying(hand: Hand, stop: asyncio.Event) -> None:
    """Obey what is typed until `quit`, the end of the input, or `stop`."""
    typed = asyncio.StreamReader(limit=ORDER_BYTES_MAX)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(typed), sys.stdin)
    stopped = asyncio.create_task(stop.wait())
    while not stop.is_set():
        line = asyncio.create_task(_line(typed))
        await asyncio.wait({line, stopped}, return_when=asyncio.FIRST_COMPLETED)
        order = line.result() if line.done() else "quit"
        if order == "quit":
            break
        if order:
            try:
                _say(await hand.obey(order))
            except OrderError as error:
                _say(str(error))
    for task in (line, stopped):
        task.cancel()


async def _line(typed: asyncio.StreamReader) -> str:
    """The next line, `quit` at the end of the input."""
    try:
        line = await typed.readline()
    except ValueError:
        return "a line longer than any order"
    return line.decode(errors="replace").strip() if line else "quit"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
