"""Trials of odd brokers and odd characters after reports from the field, by their numbers."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiomqtt
import pytest
from structlog.testing import capture_logs

from daemon.edges.mqtt import calling
from daemon.edges.mqtt import link as mqtt
from daemon.messages import LEVEL_MAX, level_mistake
from tests.bench.mqtt import packet
from tests.conftest import LOOPBACK, Broker, open_descriptors
from tests.edges.conftest import PATIENCE_S
from tests.edges.test_mqtt import Table, hasty, running
from tests.edges.trials import NOT_AUTHORISED, at
from tests.edges.way import Way

__all__ = ["hasty"]

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
CYCLES = 10_000 if SOAK else 60


# --- B63, B65: again and again --------------------------------------------------------------------


@asynccontextmanager
async def served(
    take: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    server = await asyncio.start_server(take, LOOPBACK, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


class Bad:
    """Brokers that never keep a client, and how often they were tried."""

    def __init__(self) -> None:
        self.tried = 0

    async def refuses(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        self._leave(writer, NOT_AUTHORISED)

    async def drops(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(b"\x20\x03\x00\x00\x00")
        await reader.read(4096)
        self._leave(writer, b"")

    async def hangs_up(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._leave(writer, b"")

    async def talks_nonsense(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.read(4096)
        self._leave(writer, b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def _leave(self, writer: asyncio.StreamWriter, word: bytes) -> None:
        self.tried += 1
        writer.write(word)
        writer.close()


@pytest.mark.parametrize(
    ("kind", "tls"),
    [("refuses", False), ("drops", False), ("hangs_up", False), ("talks_nonsense", False),
     ("hangs_up", True), ("talks_nonsense", True)],
)  # fmt: skip
async def test_any_number_of_failed_connections_leaves_nothing_and_few_words(
    monkeypatch: pytest.MonkeyPatch, kind: str, tls: bool
) -> None:
    for name in ("PAUSE_FIRST_S", "PAUSE_MOST_S", "DISTURBED_S"):
        monkeypatch.setattr(mqtt, name, 0.001)
    monkeypatch.setattr(calling, "CONNECT_S", 0.02)
    bad = Bad()
    gc.collect()
    gc.disable()  # nothing is closed by chance
    try:
        with capture_logs() as said:
            async with served(getattr(bad, kind)) as port:
                table = Table("again", at(port, tls=tls))
                async with running(table):
                    await table.until(lambda: bad.tried >= 20)
                    descriptors, threads = len(open_descriptors()), threading.active_count()
                    tasks = len(asyncio.all_tasks())
                    async with asyncio.timeout(PATIENCE_S * CYCLES / 10):
                        while bad.tried < 20 + CYCLES:  # noqa: ASYNC110 - nothing tells
                            await asyncio.sleep(0.005)
                    assert len(open_descriptors()) <= descriptors + 4
                    # A loop resolves names in threads of its own, some more than there are cores.
                    assert threading.active_count() <= threads + (os.cpu_count() or 1) + 4
                    assert len(asyncio.all_tasks()) <= tasks + 4
    finally:
        gc.enable()
    reasons = [one["reason"] for one in said if one["event"] == "no broker"]
    assert reasons
    assert len(reasons) == len(set(reasons)) <= 5


# --- B41, B67: characters -------------------------------------------------------------------------


async def test_a_topic_that_is_no_utf_8_harms_nothing(broker: Broker) -> None:
    """A lax broker passes it on; where it is retained, at every connection."""
    async with Way(broker.port).open() as way:
        table = Table("lax", way.address)
        command = table.topics.at("command")
        async with running(table):
            await table.until(lambda: table.link.trouble is None and not len(table.outbox))
            for first in (0x30, 0x31):
                topic = command.encode() + b"/\xff\xfe"
                way.say(packet(first, len(topic).to_bytes(2, "big"), topic, b"\x00", b"x"))
            async with aiomqtt.Client(broker.host, broker.port) as person:
                while not table.words:  # until the table has subscribed
                    await person.publish(command, b"good", qos=1)
                    await asyncio.sleep(0.01)
            assert {heard.payload for heard in table.words} == {b"good"}
            assert way.taken == 1


async def test_every_name_that_is_taken_can_be_spoken_of(broker: Broker) -> None:
    """Of what characters there are, each of the first planes and a share of the rest."""
    every = [*range(0x3000), *range(0x3000, 0x110000, 97), *range(0xD7F0, 0xE010)]
    every += range(0xFDC0, 0xFE10)
    every += [plane << 16 | last for plane in range(17) for last in range(0xFFF8, 0x10000)]
    taken = {f"x{chr(code)}x" for code in every if level_mistake(f"x{chr(code)}x") is None}
    taken |= {"Tisch 7 - Süd", "\U0001f0a1", "VIP 1", "x" * LEVEL_MAX}
    heard: set[str] = set()
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.subscribe("names/#", qos=1)
        for name in sorted(taken):
            await client.publish(f"names/{name}/status", b"", qos=0)
        await client.publish("names/-/fence", b"", qos=0)
        async for message in client.messages:
            if str(message.topic) == "names/-/fence":
                break
            heard.add(str(message.topic).split("/")[1])
    assert heard == taken
    assert len(taken) > 15_000
