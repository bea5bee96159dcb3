"""Tables on ptys with the real daemon each, and a raw socket on the broker that hears them."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from daemon.app import App
from daemon.demo.live import LiveTable, Outlet
from daemon.edges.books import read_books
from daemon.edges.settings import read_settings
from daemon.pipeline import Pipeline
from daemon.table.layout import Layout
from drivers.simulated.rig import Faults, on_pty
from tests.bench import mqtt
from tests.contract import checked

SITE_ROOT = "floorcall/v1/demo"
SPEED = 60
SOON_S = 90


@cache
def books() -> tuple[Any, Any]:
    return read_books("robert-classic")


def journal_beside(configuration: Path) -> Path:
    """The only journal of this table."""
    (journal,) = read_settings(configuration).journal_folder.glob("*.journal")
    return journal


@dataclass
class Subscriber:
    """What came from the broker: (topic, payload) in order, on a raw socket in MQTT 3.1.1."""

    said: list[tuple[str, bytes]] = field(default_factory=list)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _wrong: Exception | None = None

    async def listen(self, line: socket.socket) -> None:
        """Hear until cancelled; what is wrong with what was heard, `until` tells at once."""
        try:
            await self._listen(line)
        except Exception as error:
            self._wrong = error
            self._changed.set()
            raise

    async def _listen(self, line: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        packets = mqtt.Packets()
        line.setblocking(False)
        while received := await loop.sock_recv(line, mqtt.RECEIVE_BYTES):
            for packet in packets.feed(received):
                if packet.number:
                    await loop.sock_sendall(line, mqtt.puback(packet.number))
                if packet.topic:
                    checked(packet.topic, packet.payload)
                    self.said.append((packet.topic, packet.payload))
            self._changed.set()

    async def until(self, claim: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON_S):
            while not claim():
                if self._wrong is not None:
                    raise AssertionError("nothing is heard any more") from self._wrong
                self._changed.clear()
                await self._changed.wait()

    def transitions(self, table: str) -> list[dict[str, Any]]:
        """Every transition of every alert of a table, as recorders get them."""
        root = f"{SITE_ROOT}/{table}/log/"
        return [
            msgspec.json.decode(payload)
            for topic, payload in self.said
            if topic.startswith(root) and payload and not topic.endswith("/surveillance")
        ]

    def retained(self, table: str) -> dict[str, dict[str, Any]]:
        """What stands at the end under `alerts`, by topic."""
        root = f"{SITE_ROOT}/{table}/alerts/"
        last = {topic: payload for topic, payload in self.said if topic.startswith(root)}
        return {topic: msgspec.json.decode(payload) for topic, payload in last.items() if payload}

    def state(self, table: str, sensor: str) -> str:
        """The last word on a sensor: ok, silent or lost; nothing yet is empty."""
        topic = f"{SITE_ROOT}/{table}/sensors/{sensor}"
        words = [payload for one, payload in self.said if one == topic]
        return msgspec.json.decode(words[-1])["state"] if words else ""

    def hands(self, table: str) -> list[dict[str, Any]]:
        """Every word on the hand, oldest first."""
        topic = f"{SITE_ROOT}/{table}/hand"
        return [msgspec.json.decode(payload) for one, payload in self.said if one == topic]

    def hand(self, table: str) -> dict[str, Any]:
        """The last word on the hand."""
        words = self.hands(table)
        return words[-1] if words else {}

    async def until_over(self, table: str) -> None:
        """Until the table's only hand is over, and what was told in it is told to its end."""
        await self.until(lambda: self.hand(table).get("hand", "") is None and self._ended(table))

    async def until_left(self, table: str) -> None:
        """Until its daemon has said all that it had to say, and last that it is gone."""
        topic = f"{SITE_ROOT}/{table}/status"
        await self.until(
            lambda: any(
                one == topic and msgspec.json.decode(payload)["state"] == "offline"
                for one, payload in reversed(self.said)
            )
        )

    def _ended(self, table: str) -> bool:
        last = {alert["id"]: alert for alert in self.transitions(table)}
        return all(alert["final"] for alert in last.values())


@asynccontextmanager
async def subscribed(port: int, name: str) -> AsyncIterator[Subscriber]:
    subscriber = Subscriber()
    with mqtt.connect(port, f"hil-{name}") as line:
        mqtt.subscribe(line, f"{SITE_ROOT}/{name}/#")
        task = asyncio.create_task(subscriber.listen(line))
        try:
            yield subscriber
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()


@asynccontextmanager
async def watched_table(  # noqa: PLR0913 - one for each part of the table
    name: str,
    folder: Path,
    broker_url: str,
    seat_count: int,
    faults: Faults | None = None,
    *,
    events: bool = False,
) -> AsyncIterator[LiveTable]:
    """A table on ptys, its daemon running; the daemon is stopped as SIGTERM stops it."""
    table = LiveTable(name, folder, broker_url, random.Random(name), seat_count, events=events)
    async with watched(table, faults):
        yield table


def house(**parameters: float) -> Callable[[Layout], Pipeline]:
    """The lines of a house that has changed these parameters, or nothing."""

    def line_of(layout: Layout) -> Pipeline:
        book, texts = books()
        decided = replace(book.parameters, **parameters)
        return Pipeline(layout, replace(book, parameters=decided), texts)

    return line_of


USUAL = house()


@asynccontextmanager
async def watched(
    table: LiveTable,
    faults: Faults | None = None,
    outlet: Outlet = on_pty,
    make_line: Callable[[Layout], Pipeline] = USUAL,
) -> AsyncIterator[None]:
    """This table plugged in, its daemon running; the daemon is stopped as SIGTERM stops it."""
    async with table.plugged(faults, outlet):
        settings = read_settings(table.configuration)
        app = App(settings, make_line)
        stop = asyncio.Event()
        running = asyncio.create_task(app.run(stop))
        try:
            await asyncio.wait_for(table.ready(), SOON_S)
            yield
        finally:
            stop.set()
            await running
