"""A recorder on a broker for real: it goes and comes, and its session is kept meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic

import msgspec

from daemon.messages import Topics
from tests.bench import mqtt
from tests.chaos.broker import Recorder
from tests.conftest import LOOPBACK
from tests.contract import checked

NAME = "recorder"
PATIENCE_S = 5.0
PAUSE_S = 0.2
ASK_AGAIN_S = 3.0


class Archive:
    """Raw MQTT 3.1.1 to the broker itself; the law of what it keeps is `Recorder`'s.

    `heard` is called with each transition that came for the first time, by audience, id and
    revision. `online` is whether the table's last word was that it is there, and was heard here:
    what is retained a broker may have from before its death.
    """

    def __init__(self, port: int, topics: Topics, heard: Callable[[tuple[str, str, int]], None]):
        self.law = Recorder(topics)
        self.wrong: list[str] = []
        self.late = 0
        self.asked = 0
        self.connections = 0
        self.online = False
        self._port = port
        self._topics = topics
        self._heard = heard
        self._here = asyncio.Event()
        self._here.set()
        self._leave: asyncio.Event = asyncio.Event()

    def go(self) -> None:
        """Be away, until `come`."""
        self._here.clear()
        self._leave.set()

    def come(self) -> None:
        self._leave.clear()
        self._here.set()

    async def run(self) -> None:
        """Be there whenever it may and can."""
        while True:
            await self._here.wait()
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                await self._connected()
            self.online = False
            await asyncio.sleep(PAUSE_S)

    async def _connected(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(LOOPBACK, self._port)
        try:
            async with asyncio.timeout(PATIENCE_S):
                writer.write(_greeting(self._topics.table))
                said = await reader.readexactly(4)
            if said[:2] != b"\x20\x02" or said[3]:
                raise ConnectionError(said.hex())
            self._begun()
            for packet in self._subscriptions():
                writer.write(packet)
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(self._listen(reader, writer)),
                    group.create_task(self._ask(writer)),
                    group.create_task(self._leave.wait()),
                ]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
        finally:
            writer.transport.abort()

    def _begun(self) -> None:
        """Between two connections there is a gap, whatever the broker says of a session.

        One that was killed comes back with the session that it saved last, hours ago perhaps.
        """
        if self.connections:
            self.law.lose()
        self.connections += 1

    def _subscriptions(self) -> Iterator[bytes]:
        for number, levels in enumerate((("log", "+"), ("answer",), ("status",)), 1):
            topic = mqtt.text(self._topics.at(*levels))
            yield mqtt.packet(mqtt.SUBSCRIBE, number.to_bytes(2, "big"), topic, b"\x01")

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packets = mqtt.Packets()
        with suppress(OSError):
            while received := await reader.read(mqtt.RECEIVE_BYTES):
                for packet in packets.feed(received):
                    if packet.topic and not packet.retained:
                        self._take(packet.topic, packet.payload)
                    if packet.number:
                        writer.write(mqtt.puback(packet.number))

    def _take(self, topic: str, payload: bytes) -> None:
        if topic == self._topics.at("status"):
            checked(topic, payload)
            self.online = bool(payload) and msgspec.json.decode(payload)["state"] == "online"
        else:
            self._keep(topic, payload)

    def _keep(self, topic: str, payload: bytes) -> None:
        before = len(self.law.got)
        try:
            self.law.take(topic, payload)
        except AssertionError as error:
            self.wrong.append(f"came twice with other words: {error}")
        if len(self.law.got) > before:
            key = next(reversed(self.law.got))
            self.late += b',"late":true' in payload
            self._heard(key)

    async def _ask(self, writer: asyncio.StreamWriter) -> None:
        """As long as there is a gap: ask the table for what was sent before."""
        while True:
            if self.law.has_gap:
                self.asked += 1
                topic = mqtt.text(self._topics.at("command"))
                writer.write(mqtt.packet(mqtt.PUBLISH, topic, self.law.question()))
            await asyncio.sleep(ASK_AGAIN_S)


def _greeting(table: str) -> bytes:
    """CONNECT of 3.1.1 without a clean session and without keepalive."""
    name = mqtt.text(f"{NAME}-{table}")
    return mqtt.packet(mqtt.CONNECT, mqtt.text("MQTT"), b"\x04\x00\x00\x00", name)


def retained(port: int) -> dict[str, bytes]:
    """All that stands at this broker now: what is retained comes before what is said later.

    At the same QoS, that is: a broker sends twenty of QoS 1, and of QoS 0 what it has meanwhile.
    """
    found: dict[str, bytes] = {}
    packets = mqtt.Packets()
    end = f"end/{monotonic()}"
    with mqtt.connect(port, "auditor") as line:
        mqtt.subscribe(line, "#")
        line.sendall(mqtt.packet(mqtt.PUBLISH | mqtt.QOS_1, mqtt.text(end), b"\x00\x02", b"."))
        while received := line.recv(mqtt.RECEIVE_BYTES):
            for packet in packets.feed(received):
                if packet.number:
                    line.sendall(mqtt.puback(packet.number))
                if packet.topic == end:
                    return found
                if packet.retained:
                    found[packet.topic] = packet.payload
    raise ConnectionError("the broker hung up")
