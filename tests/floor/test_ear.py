"""The floor's connection to a broker, to real ones: what it hears, says, and finds out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import msgspec
import pytest

from daemon.access import Access
from daemon.demo.broker import running_broker as demo_broker
from daemon.edges.mqtt import Account
from daemon.floor import ear as hearing
from daemon.floor.acts import Order
from daemon.floor.chain_table import ChainTable, talk
from daemon.floor.dial import OTHER_CLIENT
from daemon.floor.ear import UNHEARD, Ear
from daemon.floor.troubles import in_words
from daemon.floor.views import Trouble
from daemon.messages import Address
from daemon.orders import Command
from tests.conftest import LOOPBACK, Broker
from tests.edges.way import Way
from tests.floor.said import alert, at, line, status
from tests.house import House, running_house

PATIENCE_S = 60
PRESENCE = "floorcall/v1/house/.floor/presence"


class Heard:
    """A room that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []
        self._news = asyncio.Event()

    def _note(self, what: str, about: object) -> None:
        self.told.append((what, about))
        self._news.set()

    def began(self) -> None:
        self._note("began", None)

    def heard(self, topic: str, payload: bytes, *, retained: bool) -> None:
        self._note("heard", (topic, payload, retained))

    def settled(self, *, proven: bool) -> None:
        self._note("settled", proven)

    def link(self, state: str, wrong: Sequence[Trouble]) -> None:
        self._note(state, in_words(wrong))

    def unsent(self, order: Order) -> None:
        self._note("unsent", order)

    def all(self, what: str) -> list[object]:
        return [about for kind, about in self.told if kind == what]

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def listens(
    address: Address, access: Access | None = None, *, user: str = "floor", name: str = "floor"
) -> AsyncIterator[tuple[Ear, Heard]]:
    account = Account(addresses=(address,), client=name, access=access or Access())
    ear, room = Ear(account, ("house",), user, "b00t"), Heard()
    running = asyncio.create_task(ear.run(room))
    try:
        yield ear, room
    finally:
        ear.stop()
        async with asyncio.timeout(PATIENCE_S):
            await running


def address_of(broker: Broker) -> Address:
    return Address(broker.host, broker.port, tls=False)


async def say(client: aiomqtt.Client, *levels: str, payload: bytes, retain: bool = True) -> None:
    topic = "/".join(("floorcall/v1/house/poker-1", *levels))
    await client.publish(topic, payload, qos=1, retain=retain)


async def test_it_hears_what_stands_before_it_is_settled_and_what_comes_after(
    own_broker: Broker,
) -> None:
    said = alert()
    async with aiomqtt.Client(own_broker.host, own_broker.port) as table:
        await say(table, "status", payload=status())
        await say(table, "hand", payload=line(v=1, hand=None))
        await say(table, "coverage", payload=line(v=1, spots=[]))
        for audience in ("floor", "surveillance"):
            await say(table, "alerts", audience, said["id"], payload=line(**said))
        async with listens(address_of(own_broker)) as (_, room):
            await room.until(lambda: room.all("up"))
            assert [kind for kind, _ in room.told if kind != "heard"] == ["began", "settled", "up"]
            assert room.all("settled") == [True]
            before = room.told[: room.told.index(("settled", True))]
            topics = [
                about[0].removeprefix("floorcall/v1/house/poker-1/") for _, about in before[1:]
            ]
            assert sorted(topics) == sorted(
                ["status", "hand", "coverage"]
                + [f"alerts/{audience}/{said['id']}" for audience in ("floor", "surveillance")]
            )
            assert all(about[2] for _, about in before[1:])
            await say(table, "log", "maintenance", payload=b"{}", retain=False)
            await room.until(lambda: room.told[-1][0] == "heard")
            topic = "floorcall/v1/house/poker-1/log/maintenance"
            assert room.told[-1][1] == (topic, b"{}", False)


async def test_another_sites_tables_are_not_heard(own_broker: Broker) -> None:
    async with aiomqtt.Client(own_broker.host, own_broker.port) as table:
        await table.publish("floorcall/v1/elsewhere/poker-1/status", status(), qos=1, retain=True)
        async with listens(address_of(own_broker)) as (_, room):
            await room.until(lambda: room.all("up"))
            assert room.all("heard") == []


async def test_the_tables_of_several_sites_are_heard_and_ordered(own_broker: Broker) -> None:
    account = Account(addresses=(address_of(own_broker),), client="floor")
    ear, room = Ear(account, ("house", "annex"), "floor", "b00t"), Heard()
    running = asyncio.create_task(ear.run(room))
    async with aiomqtt.Client(own_broker.host, own_broker.port) as table:
        for site in ("house", "annex"):
            await table.publish(f"floorcall/v1/{site}/t/status", status(), qos=1, retain=True)
        await table.subscribe("floorcall/v1/annex/t/command/#", qos=1)
        await room.until(lambda: room.all("up"))
        topics = {about[0] for about in room.all("heard")}
        assert topics == {f"floorcall/v1/{site}/t/status" for site in ("house", "annex")}
        assert ear.send(Order("annex", "t", order().command))
        async with asyncio.timeout(PATIENCE_S):
            await anext(aiter(table.messages))
    ear.stop()
    await running


async def test_it_says_that_it_is_there_and_that_it_goes(own_broker: Broker) -> None:
    async with aiomqtt.Client(own_broker.host, own_broker.port) as other:
        await other.subscribe(PRESENCE, qos=1)
        async with listens(address_of(own_broker)):
            assert await state_said(other) == "online"
        assert await state_said(other) == "offline"


async def test_the_broker_says_that_it_is_gone_where_it_cannot_say_it_itself(
    own_broker: Broker,
) -> None:
    async with (
        Way(own_broker.port).open() as way,
        aiomqtt.Client(own_broker.host, own_broker.port) as other,
    ):
        await other.subscribe(PRESENCE, qos=1)
        async with listens(way.address) as (_, room):
            await room.until(lambda: room.all("up"))
            assert await state_said(other) == "online"
            way.cut()
            assert await state_said(other) == "offline"
            await room.until(lambda: len(room.all("up")) == 2)


async def state_said(client: aiomqtt.Client) -> str:
    async with asyncio.timeout(PATIENCE_S):
        message = await anext(aiter(client.messages))
    return str(msgspec.json.decode(message.payload)["state"])


async def test_a_broker_that_is_restarted_is_found_again(own_broker: Broker) -> None:
    async with listens(address_of(own_broker)) as (_, room):
        await room.until(lambda: room.all("up"))
        own_broker.stop(kill=True)
        await room.until(lambda: room.all("down"))
        own_broker.start()
        await room.until(lambda: len(room.all("up")) == 2)
        assert room.all("began") == [None, None]
        assert room.all("settled") == [True, True]


async def test_a_connection_on_which_nothing_comes_back_is_none(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "BEAT_S", 0.05)
    async with Way(own_broker.port).open() as way, listens(way.address) as (_, room):
        await room.until(lambda: room.all("up"))
        way.swallows = True
        await room.until(lambda: room.all("down"))
        assert room.all("down") == ["does not confirm"]
        way.swallows = False
        way.cut()
        await room.until(lambda: len(room.all("up")) == 2)


async def test_another_client_of_the_same_name_is_told_in_words(own_broker: Broker) -> None:
    async with Way(own_broker.port).open() as way, listens(way.address) as (_, room):
        await room.until(lambda: room.all("up"))
        way.say(bytes([0xE0, 0x02, 0x8E, 0x00]))  # DISCONNECT: session taken over
        await room.until(lambda: room.all("down"))
        assert room.all("down") == [OTHER_CLIENT]
        await room.until(lambda: len(room.all("up")) == 2)


async def test_it_stops_within_seconds_where_the_broker_has_become_silent(
    own_broker: Broker,
) -> None:
    async with Way(own_broker.port).open() as way:
        async with listens(way.address) as (_, room):
            await room.until(lambda: room.all("up"))
            way.swallows = True
            began_s = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began_s < PATIENCE_S / 2


async def test_a_broker_that_knows_311_only_is_spoken_to_in_311(tmp_path: Path) -> None:
    with demo_broker(tmp_path, 0) as listeners:
        older = Address(LOOPBACK, listeners.port_older, tls=False)
        async with listens(older) as (ear, room):
            await room.until(lambda: room.all("up"))
            assert room.all("settled") == [True]
            async with aiomqtt.Client(LOOPBACK, listeners.port_older) as table:
                await table.subscribe("floorcall/v1/house/poker-1/command/#", qos=1)
                assert ear.send(order())
                command = await anext(aiter(table.messages))
                assert msgspec.json.decode(command.payload)["id"] == "c1"
                await say(table, "answer", payload=b'{"id":"c1","ok":true}', retain=False)
            await room.until(
                lambda: any(about[0].endswith("/answer") for about in room.all("heard"))
            )


def order(number: str = "c1") -> Order:
    command = Command(command="acknowledge", alert="a", revision=1, by="Anna", id=number)
    return Order("house", "poker-1", command)


async def test_an_order_says_where_its_answer_is_wanted(own_broker: Broker) -> None:
    async with aiomqtt.Client(
        own_broker.host, own_broker.port, protocol=aiomqtt.ProtocolVersion.V5
    ) as table:
        await table.subscribe("floorcall/v1/house/poker-1/command/#", qos=1)
        async with listens(address_of(own_broker)) as (ear, room):
            assert not ear.send(order())
            await room.until(lambda: room.all("up"))
            assert ear.send(order())
            async with asyncio.timeout(PATIENCE_S):
                command = await anext(aiter(table.messages))
            assert command.topic.value.endswith("/command/floor")
            assert not command.retain
            wanted = command.properties.ResponseTopic
            assert wanted == "floorcall/v1/house/poker-1/answer/floor"
            assert command.properties.CorrelationData == b"c1"
            await table.publish(wanted, b'{"id":"c1","ok":true}', qos=1)
            await room.until(lambda: room.all("heard"))
            assert room.all("heard")[0][0] == wanted


async def test_orders_left_at_the_end_are_sent(own_broker: Broker) -> None:
    async with aiomqtt.Client(own_broker.host, own_broker.port) as table:
        await table.subscribe("floorcall/v1/house/poker-1/command/#", qos=1)
        async with listens(address_of(own_broker)) as (ear, room):
            await room.until(lambda: room.all("up"))
            for number in range(20):
                assert ear.send(order(f"c{number}"))
        async with asyncio.timeout(PATIENCE_S):
            messages = aiter(table.messages)
            came = [msgspec.json.decode((await anext(messages)).payload)["id"] for _ in range(20)]
        assert came == [f"c{number}" for number in range(20)]
        assert room.all("unsent") == []


async def test_an_order_that_a_broken_connection_held_is_told_as_unsent(
    own_broker: Broker,
) -> None:
    async with Way(own_broker.port).open() as way, listens(way.address) as (ear, room):
        await room.until(lambda: room.all("up"))
        way.swallows = True
        assert ear.send(order())
        await room.until(lambda: room.all("unsent"))
        way.swallows = False
        way.cut()


# --- with the access rules that ship -------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path):
    with running_house(tmp_path / "house") as one:
        yield one


def floors(house: House, tmp_path: Path) -> Access:
    (tmp_path / "password").write_text("floor\n")
    return Access(username="floor", password_file=tmp_path / "password")


@pytest.mark.parametrize("safe", [False, True], ids=["password", "certificate"])
async def test_the_access_rules_that_ship_let_it_hear_and_order_and_test_the_chain(
    house: House, tmp_path: Path, safe: bool
) -> None:
    address = Address("localhost", house.safe if safe else house.plain, tls=safe)
    access = house.authority.client("floor") if safe else floors(house, tmp_path)
    topic = "floorcall/v1/house/poker-12/coverage"
    async with house.client("poker-12") as table, house.client("witness") as witness:
        await witness.subscribe("floorcall/v1/house/+/command/#", qos=1)
        await table.publish(topic, b"{}", qos=1, retain=True)
        async with listens(address, access) as (ear, room):
            await room.until(lambda: room.all("up"))
            assert room.all("settled") == [True]
            assert (topic, b"{}", True) in room.all("heard")
            own = Order("house", "poker-12", order().command)
            assert ear.send(own)
            async with asyncio.timeout(PATIENCE_S):
                command = await anext(aiter(witness.messages))
            assert command.topic.value == "floorcall/v1/house/poker-12/command/floor"
            await table.publish(command.properties.ResponseTopic, b'{"id":"c1"}', qos=1)
            await room.until(lambda: any("answer" in about[0] for about in room.all("heard")))
            chain = ChainTable("house", "b00t")
            tests = Tests(chain)
            account = Account(addresses=(address,), client="floor", access=access)
            talking = asyncio.create_task(talk(account, chain.topic, tests, 0.1))
            await room.until(lambda: any(about[0] == chain.topic for about in room.all("heard")))
            talking.cancel()
            await asyncio.wait({talking})
            words = next(about[1] for about in room.all("heard") if about[0] == chain.topic)
            assert chain.number(chain.topic, words) == 1


class Tests:
    """What a virtual table is to say."""

    __test__ = False

    def __init__(self, chain: ChainTable) -> None:
        self._chain = chain
        self.count = 0
        self.failed: list[int] = []
        self.one_failed = asyncio.Event()

    def chain_begins(self) -> tuple[int, bytes]:
        self.count += 1
        return self.count, self._chain.words(self.count, at())

    def chain_failed(self, number: int) -> None:
        self.failed.append(number)
        self.one_failed.set()


async def test_access_rules_that_swallow_its_own_words_are_told_in_words(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "ECHO_S", 0.5)
    monkeypatch.setattr(hearing, "BEAT_S", 0.1)
    rules = house.acl.read_text()
    house.acl.write_text(rules.replace("topic readwrite floorcall/v1/+/.floor/#", ""))
    house.read_anew()
    address = Address(LOOPBACK, house.plain, tls=False)
    async with listens(address, floors(house, tmp_path)) as (_, room):
        await room.until(lambda: room.all("up"))
        assert room.all("up") == [UNHEARD]
        assert room.all("settled") == [False]
        house.acl.write_text(rules)
        house.read_anew()
        await room.until(lambda: room.all("up")[-1] == "")
        assert room.all("settled")[-1] is True


async def test_a_virtual_table_without_a_broker_says_so() -> None:
    chain = ChainTable("house", "b00t")
    tests = Tests(chain)
    nowhere = Account(addresses=(Address(LOOPBACK, 1, tls=False),), client="floor")
    talking = asyncio.create_task(talk(nowhere, chain.topic, tests, 0.01))
    async with asyncio.timeout(PATIENCE_S):
        await tests.one_failed.wait()
    talking.cancel()
    await asyncio.wait({talking})
    assert tests.failed[0] == 1
