"""The floor's connection to the broker: hears all tables, takes orders to them, and says it lives.

Every connection first hears all that stands at the broker, one kind of topic after the other, each
ended by a word of its own that comes back: so it is known what stands no more, and no broker's
queue overflows by it. Then the word comes back every few seconds: where it does not, the connection
is none, whatever its socket says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import aiomqtt
import msgspec
import structlog
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from daemon import __version__
from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.calling import WORLD
from daemon.edges.mqtt.sockets import subscribe
from daemon.floor import troubles
from daemon.floor.acts import Order
from daemon.floor.dial import SAY_S, Dialler, broken_off, say
from daemon.floor.forms import HEARD_AUDIENCES
from daemon.floor.views import Trouble
from daemon.messages import ROOT, Message, Topics

OWN = ".floor"
"""The floor's own name among the tables: one that no table can have."""

ECHO_S = 5.0
TOLD_WITHIN_S = 30.0  # for all that stands of one kind
BEAT_S = 5.0
ORDERS_MAX = 256
ORDER_S = 8.0  # for the broker to confirm one; what a table answers is awaited somewhat longer
UNHEARD = "own words do not come back: access rules?"

KINDS = (
    "status",
    *(f"alerts/{audience}/#" for audience in HEARD_AUDIENCES),
    *(f"log/{audience}" for audience in HEARD_AUDIENCES),
    "answer",
    "hand",
    "sensors/#",
    "figures",
    "coverage",
)
"""What is listened to below each table's topic, in this order."""

log = structlog.get_logger(part="floor")


class Room(Protocol):
    """Who hears."""

    def began(self) -> None:
        """A connection is there; all that stands is about to be told."""
        ...

    def heard(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """A message; raises nothing."""
        ...

    def settled(self, *, proven: bool) -> None:
        """All that stands was told, as far as that is `proven`."""
        ...

    def link(self, state: str, wrong: Sequence[Trouble]) -> None:
        """The connection is `up` or `down`, and what is wrong with it."""
        ...

    def unsent(self, order: Order) -> None:
        """This order could not be sent."""
        ...


class Ear:
    """The connection, looked for again and again until `stop`.

    `user` is the name that the broker knows us by, the last level of where orders go.
    """

    def __init__(self, account: Account, sites: tuple[str, ...], user: str, boot: str) -> None:
        self._sites = sites
        self._user = user
        self._boot = boot
        self._room: Room
        self._own = Topics(sites[0], OWN)
        self._dialler = Dialler(account, account.client, self._presence("offline"), self._hear)
        self._orders: asyncio.Queue[Order] = asyncio.Queue(ORDERS_MAX)
        self._over = asyncio.Event()
        self._echo = asyncio.Event()
        self._count = 0
        self._word = b""
        self._is_up = False
        self._told: str | None = None

    def stop(self) -> None:
        """Send the orders that are left, say that we go, and end."""
        self._over.set()

    def send(self, order: Order) -> bool:
        """Take an order; False where there is no connection to send it on now."""
        if not self._is_up or self._orders.full():
            return False
        self._orders.put_nowait(order)
        return True

    async def run(self, room: Room) -> None:
        """Keep connected until `stop`."""
        self._room = room
        while not self._over.is_set():
            try:
                await self._connected()
            except* WORLD as group:
                self._lost(self._dialler.why(group))
            if not self._over.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._dialler.pause_s()):
                        await self._over.wait()

    async def _connected(self) -> None:
        client = await self._dialler.call()
        try:
            await self._session(client)
        finally:
            self._is_up = False
            await self._dialler.left(client)
            while not self._orders.empty():
                self._room.unsent(self._orders.get_nowait())

    async def _session(self, client: aiomqtt.Client) -> None:
        self._room.began()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(broken_off(client))]
            proven = await self._gathered(client)
            self._is_up = True
            self._room.settled(proven=proven)
            self._found(() if proven else (troubles.trouble("own-words", UNHEARD),))
            tasks.append(group.create_task(self._carry(client)))
            tasks.append(group.create_task(self._live(client, proven=proven)))
            await self._over.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(SAY_S):
                    await self._orders.join()
            for task in tasks:
                task.cancel()
        await say(client, self._presence("offline"))
        self._dialler.farewell(client)

    async def _gathered(self, client: aiomqtt.Client) -> bool:
        """Hear all that stands; whether our own word came back behind each kind of it."""
        await subscribe(client, [self._own.at("echo")], SAY_S)
        await say(client, self._presence("online"))
        proven = await self._comes_back(client, ECHO_S)
        for topics in self._topics():
            await subscribe(client, topics, SAY_S)
            if proven:
                proven = await self._comes_back(client, TOLD_WITHIN_S)
        return proven

    def _topics(self) -> Iterator[list[str]]:
        for site in self._sites:
            for kind in KINDS:
                topics = [f"{ROOT}/{site}/+/{kind}"]
                if kind == "answer" and self._user:
                    topics.append(f"{ROOT}/{site}/+/answer/{self._user}")
                yield topics

    async def _comes_back(self, client: aiomqtt.Client, within_s: float) -> bool:
        self._count += 1
        self._word = f"{self._boot}-{self._count}".encode()
        self._echo.clear()
        await say(client, Message(self._own.at("echo"), self._word))
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._echo.wait()
        return self._echo.is_set()

    def _hear(self, topic: str, payload: bytes, retained: bool) -> None:
        if topic != self._own.at("echo"):
            self._room.heard(topic, payload, retained=retained)
        elif payload == self._word:
            self._echo.set()

    async def _live(self, client: aiomqtt.Client, *, proven: bool) -> None:
        """See that we are heard and hear; raises TimeoutError where that has been so and is not.

        Where the word is only late, since some table says very much, a new connection tells the
        present sooner than the old one would, and what is lost by it is asked for.
        """
        while True:
            await asyncio.sleep(BEAT_S)
            comes_back = await self._comes_back(client, ECHO_S)
            if proven and not comes_back:
                raise TimeoutError
            if comes_back and not proven:  # somebody has mended the access rules
                raise aiomqtt.MqttError("own words come back again")

    async def _carry(self, client: aiomqtt.Client) -> None:
        while True:
            order = await self._orders.get()
            sent = False
            try:
                await say(client, self._written(order), self._about(order), ORDER_S)
                sent = True
            finally:
                self._orders.task_done()
                if not sent:
                    self._room.unsent(order)

    def _written(self, order: Order) -> Message:
        levels = ("command", self._user) if self._user else ("command",)
        topic = Topics(order.site, order.table).at(*levels)
        return Message(topic, msgspec.json.encode(order.command))

    def _about(self, order: Order) -> Properties | None:
        """Where the answer is wanted (MQTT 5); in 3.1.1 it comes where all answers do."""
        if not (self._user and self._dialler.speaks_5):
            return None
        about = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        about.ResponseTopic = Topics(order.site, order.table).at("answer", self._user)
        about.CorrelationData = order.command.id.encode()
        return about

    def _presence(self, state: str) -> Message:
        said = {"v": 1, "state": state, "boot": self._boot, "version": __version__}
        return Message(self._own.at("presence"), msgspec.json.encode(said), retain=True)

    def _found(self, wrong: Sequence[Trouble]) -> None:
        address, words = self._dialler.address, troubles.in_words(wrong) or None
        log.info("broker connected", host=address.host, port=address.port, trouble=words)
        self._told = None
        self._room.link("up", (*wrong, *self._dialler.warnings))

    def _lost(self, wrong: Trouble) -> None:
        self._room.link("down", (wrong,))
        words = wrong["words"]
        if words != self._told:
            self._told = words
            address = self._dialler.address
            log.warning("no broker", host=address.host, port=address.port, reason=words)
