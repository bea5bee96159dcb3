"""People at a real broker give a real table its orders: obeyed, refused, answered, written down."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import msgspec
import pytest
from aiomqtt import ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from daemon.demo.outcome import RIGHT
from daemon.edges.settings import read_settings
from daemon.orders import ORDERS_MAX, PAYLOAD_MAX
from tests.conftest import Broker
from tests.hil.line import SITE_ROOT, SOON_S, SPEED, Subscriber, subscribed, watched_table
from tests.hil.test_line import SEATS, incident_of


class Person:
    """Someone with a tablet: gives orders and waits for their answers."""

    def __init__(self, client: aiomqtt.Client, table: str, version: ProtocolVersion) -> None:
        self._client = client
        self._root = f"{SITE_ROOT}/{table}"
        self._version = version
        self.replies: list[tuple[dict[str, Any], bytes | None]] = []
        self._news = asyncio.Event()
        self._count = 0

    async def listen(self) -> None:
        async for message in self._client.messages:
            about = message.properties
            correlation = getattr(about, "CorrelationData", None) if about else None
            self.replies.append((msgspec.json.decode(message.payload), correlation))
            self._news.set()

    async def order(self, payload: bytes, *, via: str = "", retain: bool = False) -> dict[str, Any]:
        """Send it, and wait for the next answer."""
        before = len(self.replies)
        topic = f"{self._root}/command" + (f"/{via}" if via else "")
        properties = None
        self._count += 1
        token = b"%d" % self._count
        if self._version is ProtocolVersion.V5:
            properties = Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic = f"{self._root}/answer/tablet"
            properties.CorrelationData = token
        await self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        async with asyncio.timeout(SOON_S):
            while len(self.replies) == before:
                self._news.clear()
                await self._news.wait()
        said, correlation = self.replies[before]
        if self._version is ProtocolVersion.V5:
            assert correlation == token
        return said

    async def orders(self, **words: Any) -> dict[str, Any]:
        return await self.order(msgspec.json.encode({"v": 1, "by": "anna", **words}))


@asynccontextmanager
async def person_at(broker: Broker, table: str, version: ProtocolVersion) -> AsyncIterator[Person]:
    async with aiomqtt.Client(broker.host, broker.port, protocol=version) as client:
        wanted = "answer/tablet" if version is ProtocolVersion.V5 else "answer"
        await client.subscribe(f"{SITE_ROOT}/{table}/{wanted}", qos=1)
        person = Person(client, table, version)
        task = asyncio.create_task(person.listen())
        try:
            yield person
        finally:
            task.cancel()
            await asyncio.wait([task])


def newest(subscriber: Subscriber, table: str, irregularity: str) -> dict[str, Any]:
    """The last word on the alert of this irregularity."""
    said = subscriber.transitions(table)
    return [alert for alert in said if alert["irregularity"] == irregularity][-1]


@pytest.mark.parametrize("version", [ProtocolVersion.V5, ProtocolVersion.V311])
async def test_what_people_order_is_done_answered_journaled_and_replayed(
    broker: Broker, tmp_path: Path, version: ProtocolVersion
) -> None:
    name = f"ordered-{version.name}"
    happened = incident_of("turn-premature", RIGHT)
    async with (
        subscribed(broker.port, name) as floor,
        watched_table(name, tmp_path, broker.url, SEATS) as table,
        person_at(broker, name, version) as anna,
    ):
        await table.perform(table.stage(SPEED).play(happened.events))
        await floor.until_over(name)
        alert = newest(floor, name, "turn-premature")
        about = {"alert": alert["id"], "revision": alert["revision"]}

        stale = await anna.orders(command="acknowledge", id="c1", **about | {"revision": 1})
        assert (stale["ok"], stale["error"]) == (False, "stale")
        assert stale["revision"] == alert["revision"]
        done = await anna.orders(command="acknowledge", id="c2", **about)
        assert done["ok"], done
        assert done["id"] == "c2"
        await floor.until(lambda: newest(floor, name, "turn-premature")["acknowledged"])
        now = newest(floor, name, "turn-premature")
        assert now["acknowledged"]["by"] == "anna"
        assert now["state"] == "closed"  # final, remedied and acknowledged: it closes by itself
        closed = await anna.orders(
            command="note", text="x", id="c3", alert=alert["id"], revision=now["revision"]
        )
        assert closed["error"] == "closed"
    folder = read_settings(table.configuration).journal_folder
    words = "\n".join(path.read_text() for path in folder.glob("*.journal"))
    orders = [line for line in words.splitlines() if line.startswith("@ ")]
    assert [re.findall(r'"id":"(c\d)"', line) for line in orders] == [["c1"], ["c2"], ["c3"]]
    assert all('"by":"anna"' in line for line in orders)
    assert not floor.retained(name)


async def test_what_cannot_be_meant_is_refused_with_its_reason_and_harms_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    name = "refused"
    async with (
        subscribed(broker.port, name) as floor,
        watched_table(name, tmp_path, broker.url, SEATS),
        person_at(broker, name, ProtocolVersion.V5) as anna,
    ):
        refused = {
            b"\xff\xfe\x00": "malformed",
            b"{": "malformed",
            b"[" * 4000: "malformed",
            b"{}": "malformed",
            b'{"command":"open-the-safe","by":"anna"}': "unknown-command",
            b'{"command":"acknowledge","by":"anna"}': "incomplete",
            b'{"command":"acknowledge","by":"an\\u0000na","alert":"x","revision":1}': "malformed",
            b'{"command":"acknowledge","by":"anna","alert":"x","revision":1}': "unknown-alert",
            b" " * (PAYLOAD_MAX + 1): "too-large",
            b"x" * 200_000: "too-large",
        }
        for payload, word in refused.items():
            answer = await anna.order(payload)
            assert (answer["ok"], answer["error"]) == (False, word), payload[:80]
        kept = b'{"command":"table-state","state":"closed","by":"anna"}'
        assert (await anna.order(kept, retain=True))["error"] == "retained"
        topic = f"{SITE_ROOT}/{name}/command"
        await floor.until(lambda: (topic, b"") in floor.said)  # cleared, or it would come for ever
        done = await anna.order(b'{"command":"table-state","state":"paused","by":"anna","id":"p"}')
        assert done["ok"]
        status = f"{SITE_ROOT}/{name}/status"
        await floor.until(
            lambda: any(t == status and b'"table_state":"paused"' in said for t, said in floor.said)
        )
        for _ in range(ORDERS_MAX):
            busy = await anna.order(b"{")
        assert busy["error"] == "busy"


async def test_the_name_that_the_broker_vouches_for_stands_in_the_journal(
    broker: Broker, tmp_path: Path
) -> None:
    name = "vouched"
    async with (
        watched_table(name, tmp_path, broker.url, SEATS) as table,
        person_at(broker, name, ProtocolVersion.V5) as anna,
    ):
        words = b'{"command":"table-state","state":"open","by":"anna","id":"v"}'
        assert (await anna.order(words, via="floor-3"))["ok"]
    folder = read_settings(table.configuration).journal_folder
    (journal,) = folder.glob("*.journal")
    (line,) = [line for line in journal.read_text().splitlines() if line.startswith("@ ")]
    assert '"via":"floor-3"' in line


async def test_a_recorder_has_what_was_confirmed_once_more_and_the_answer_behind_it(
    broker: Broker, tmp_path: Path
) -> None:
    name = "again"
    happened = incident_of("flop-overcount", RIGHT)
    async with (
        subscribed(broker.port, name) as floor,
        watched_table(name, tmp_path, broker.url, SEATS) as table,
        person_at(broker, name, ProtocolVersion.V5) as recorder,
    ):
        await table.perform(table.stage(SPEED).play(happened.events))
        await floor.until_over(name)
        first = floor.transitions(name)
        assert first
        assert (await recorder.orders(command="resend", minutes=60, id="r"))["ok"]
        again = floor.transitions(name)[len(first) :]
    assert all(alert.pop("late") for alert in again)
    assert again == first
