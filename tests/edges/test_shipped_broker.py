"""The configuration for a broker that ships: it starts, and each user may do what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest

from daemon.access import Access
from daemon.edges.mqtt import Account, Link
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Heard, Message, Topics
from tests.contract import MADE_UP
from tests.edges.conftest import PATIENCE_S, Recorder
from tests.house import House, running_house

TOPICS = Topics(MADE_UP, "poker-12")
FOR = ("floor", "surveillance", "maintenance")
READERS = {
    "floor": FOR, "screen": FOR[:1], "surveillance": FOR, "maintenance": FOR[2:],
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "house") as one:
        yield one


@asynccontextmanager
async def heard_by(user: str, house: House) -> AsyncIterator[Recorder]:
    recorder, ready = Recorder(), asyncio.Event()

    async def listen() -> None:
        while not ready.is_set():
            with suppress(aiomqtt.MqttError):
                async with house.client(user) as client:
                    await client.subscribe("floorcall/v1/#", qos=1)
                    ready.set()
                    async for m in client.messages:
                        recorder.take(str(m.topic), bytes(m.payload), m.retain)
            await asyncio.sleep(0.02)

    task = asyncio.create_task(listen())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await ready.wait()
        yield recorder
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("safe", [False, True], ids=["password", "certificate"])
async def test_a_table_proves_itself_and_everybody_hears_what_is_for_him_alone(
    house: House, tmp_path: Path, safe: bool
) -> None:
    (tmp_path / "password").write_text("poker-12\n")
    outbox, stop = Outbox(NoShelf()), TOPICS.at("status")

    class Voice:
        topics = TOPICS

        def status(self, state: str) -> Message:
            return Message(stop, state.encode(), retain=True)

        def heard(self, words: Heard) -> None:
            pass

    if safe:
        address = Address("localhost", house.safe, tls=True)
        access = house.authority.client("poker-12")
    else:
        address = Address("127.0.0.1", house.plain, tls=False)
        access = Access(username="poker-12", password_file=tmp_path / "password")
    account = Account(addresses=(address,), client="poker-12", access=access)
    link = Link(account, outbox, Voice(), "b1")
    foreign = Topics(MADE_UP, "poker-13").at("alerts", "floor", "x")
    for audience in FOR:
        outbox.put(Message(TOPICS.at("alerts", audience, "x"), b"x", retain=True))
    outbox.put(Message(foreign, b"x"))
    async with AsyncExitStack() as stack:
        hear = [(who, await stack.enter_async_context(heard_by(who, house))) for who in READERS]
        task = asyncio.create_task(link.run())
        for _, who in hear:
            await who.until(lambda who=who: any(said == b"x" for _, said, _ in who.heard))
        link.stop()
        await task
        for _, who in hear:
            await who.until(lambda who=who: who.at(stop)[-1:] == [b"offline"])
    for name, who in hear:
        alerts = {topic for topic, payload, _ in who.heard if "/alerts/" in topic and payload}
        assert alerts == {TOPICS.at("alerts", audience, "x") for audience in READERS[name]}
        assert foreign not in {topic for topic, *_ in who.heard}
