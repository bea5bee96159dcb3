"""The broker's side of the service: connected whenever a broker is to be had, and never waited for.

A broken connection is closed without DISCONNECT, so that the last will speaks; what is in the store
leaves in the call that puts it there (`Carrier`), since a task to wait for it would cost it two
rounds of the loop.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from contextlib import suppress

import aiomqtt
import msgspec
import structlog

from daemon.access import REFUSALS
from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.calling import WORLD, Caller
from daemon.edges.mqtt.carrier import Carrier
from daemon.edges.mqtt.ends import first, reason_code
from daemon.edges.mqtt.sockets import (
    abandon,
    paho_of,
    subscribe,
)
from daemon.edges.mqtt.welcome import Welcome
from daemon.messages import Address, Heard, Message, Store, Voice

PUBLISH_S = 3.0
FAREWELL_S = 2.0
ECHO_S = 5.0
PROVE_AGAIN_S = 60.0
BEAT_S = 10.0
RENEWED_S = 3600.0  # how often certificates are looked at while a connection lasts
STEADY_S = 10.0  # a connection that lasted this long was a good one
PAUSE_FIRST_S = 0.25
PAUSE_MOST_S = 30.0
SHORT_MAX = 3  # connections in a row that were not good ones
DISTURBED_S = 60.0
TOLD_MAX = 64  # reasons why there is no broker, until one was there for long
TAKEN_OVER = 142  # MQTT 5: session taken over
DISTURBED = "connections end at once: does another client use our name?"
OTHER_CLIENT = "another client has taken our name at the broker"
OTHER_TABLE = "another floorcall says it is this table"
UNPROVEN = "alerts may not arrive"

log = structlog.get_logger(part="mqtt")


class Link:
    """The connection to a broker: lost, looked for again, and told about once.

    Every connection begins and ends with what `voice` says of `online` and `offline`; the broker
    publishes the second by itself when this process dies. `trouble` says in words what is wrong,
    `warnings` which certificates need to be renewed.
    """

    def __init__(self, account: Account, store: Store, voice: Voice, boot: str) -> None:
        self.trouble: str | None = "not connected"
        self._account = account
        self._store = store
        self._voice = voice
        self._boot = boot
        self._over = asyncio.Event()
        self._news = asyncio.Event()
        self._doubt = asyncio.Event()  # something of ours may not have arrived
        self._proven = asyncio.Event()
        self._welcome: Welcome
        self._turn = 0
        self._pauses = 0
        self._short = 0
        self._greeted_s: float | None = None
        self._ended_by: BaseException | None = None
        self._told: set[tuple[Address, str]] = set()  # what the log knows of each broker
        self._caller = Caller(account, account.client)

    @property
    def warnings(self) -> list[str]:
        """The certificates that end soon, or have ended."""
        return self._caller.papers.worries

    def stop(self) -> None:
        """Send what is left, as far as that is possible at once, and say that we are offline."""
        self._over.set()

    def tell(self) -> None:
        """The status has changed: it is said now instead of with the next beat."""
        self._news.set()

    async def run(self) -> None:
        """Keep connected until `stop`; ends within seconds where a broker does not answer."""
        while not self._over.is_set():
            address = self._account.addresses[self._turn % len(self._account.addresses)]
            self._turn += 1
            self._greeted_s = self._ended_by = None
            try:
                await self._connected(address)
            except* WORLD as group:
                self._lost(address, group)
            if not self._over.is_set():
                await self._pause()

    async def _connected(self, address: Address) -> None:
        """One connection, from the first attempt to its end; raises what ended it."""
        client = await self._caller.call(address, self._voice.status("offline"))
        try:
            await self._session(client, address)
        finally:
            self._ended_by = await abandon(client)

    async def _session(self, client: aiomqtt.Client, address: Address) -> None:
        self._store.rewind()
        self.trouble = None  # what goes over this connection says that it is there
        self._doubt.clear()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._listen(client))]
            await self._greeted(client)
            self._found(address)
            tasks.append(group.create_task(self._beat(client)))
            tasks.append(group.create_task(self._carry(client)))
            tasks.append(group.create_task(self._look_at_papers()))
            tasks.append(group.create_task(self._prove(client)))
            await self._over.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self._store.emptied()
            for task in tasks:
                task.cancel()
        await self._publish(client, self._voice.status("offline"))
        await client.__aexit__(None, None, None)

    async def _greeted(self, client: aiomqtt.Client) -> None:
        """Say that we are online, and begin to listen for what comes back of what we say."""
        greeting = self._voice.status("online")
        self._proven.clear()
        self._welcome = Welcome(self._voice.topics, greeting)
        await subscribe(client, [greeting.topic, *self._welcome.subscriptions()], PUBLISH_S)
        await self._publish(client, greeting)

    async def _listen(self, client: aiomqtt.Client) -> None:
        """Hand on what is said to the table; notices what comes back, and the connection's end."""
        topics = self._voice.topics
        status, command = topics.at("status"), topics.at("command")
        async for message in client.messages:
            topic = str(message.topic)
            payload = bytes(message.payload)
            if topic == command or topic.startswith(f"{command}/"):
                self._voice.heard(_heard(message, topic.removeprefix(command).lstrip("/")))
                continue
            self._welcome.take(topic, payload, retained=message.retain)
            if self._welcome.proven:
                self._proven.set()
            if topic == status and not message.retain and self._is_another(payload):
                self._trouble(OTHER_TABLE)

    def _is_another(self, payload: bytes) -> bool:
        """Whether this status says `online` for a run that is not ours."""
        try:
            said = msgspec.json.decode(payload, type=_Said)
        except (msgspec.MsgspecError, UnicodeError):
            return False
        return said.state == "online" and said.boot != self._boot

    async def _prove(self, client: aiomqtt.Client) -> None:
        """Find out whether what we say arrives, again while it does not; clear what is stale."""
        command = self._voice.topics.at("command")
        while True:
            await subscribe(client, [command, f"{command}/+"], PUBLISH_S, flagged=True)
            if await self._comes_back():
                for message in list(self._welcome.stale(self._store.standing())):
                    self._store.put(message)
                async with asyncio.timeout(PUBLISH_S):
                    for topic in self._welcome.subscriptions():  # some confirm each by itself
                        await client.unsubscribe(topic, timeout=math.inf)
            await self._doubt.wait()
            await asyncio.sleep(PROVE_AGAIN_S)
            self._doubt.clear()
            await self._greeted(client)

    async def _comes_back(self) -> bool:
        """Whether all levels come back; where they did not before, all is sent once more."""
        for probe in self._welcome.probes:
            self._store.put(probe)
        try:
            async with asyncio.timeout(ECHO_S):
                await self._proven.wait()
        except TimeoutError:
            if self.trouble != UNPROVEN:
                levels = ", ".join(self._welcome.missing())
                log.warning("own messages do not come back", levels=levels, reason="access rules?")
            self._trouble(UNPROVEN)
            self._doubt.set()
            return False
        if self.trouble not in (None, OTHER_TABLE) and not self._doubt.is_set():
            self._store.rewind()
            await self._store.emptied()
            if not self._doubt.is_set():
                log.info("own messages come back")
                self._trouble(None)
        return True

    def _refused(self, topic: str, why: str) -> None:
        level = topic.removeprefix(self._voice.topics.at("")).partition("/")[0]
        self._doubt.set()
        if self.trouble is None:
            log.warning("broker refuses what we say", levels=level, reason=why)
        if self.trouble != UNPROVEN:
            self._trouble(f"refuses {level}: {why}")

    def _trouble(self, words: str | None) -> None:
        """What is wrong with this connection, though it is there; told at once."""
        if self.trouble != words:
            self.trouble = words
            self.tell()

    async def _beat(self, client: aiomqtt.Client) -> None:
        """The status again and again: the floor sees that we live, and we that the broker does."""
        while True:
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()
            await self._publish(client, self._voice.status("online"))

    async def _look_at_papers(self) -> None:
        while True:
            await asyncio.sleep(RENEWED_S)
            await asyncio.to_thread(self._caller.papers.look)

    async def _carry(self, client: aiomqtt.Client) -> None:
        await Carrier(paho_of(client), self._store, self._refused).run(PUBLISH_S)

    async def _publish(self, client: aiomqtt.Client, message: Message) -> None:
        async with asyncio.timeout(PUBLISH_S):
            await client.publish(
                message.topic, message.payload, qos=1, retain=message.retain, timeout=math.inf
            )

    async def _pause(self) -> None:
        """Wait before the next attempt: once for each round of the brokers, doubled each time."""
        if self._pauses and self._turn % len(self._account.addresses):
            return
        longest_s = DISTURBED_S if self.trouble == OTHER_CLIENT else PAUSE_MOST_S
        most_s = min(longest_s, PAUSE_FIRST_S * 2**self._pauses)
        self._pauses = min(self._pauses + 1, 16)
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s * random.uniform(0.5, 1.0)):  # noqa: S311 - jitter
                await self._over.wait()

    def _found(self, address: Address) -> None:
        self.trouble = None
        self._greeted_s = time.monotonic()
        log.info("broker connected", host=address.host, port=address.port)

    def _lost(self, address: Address, group: BaseExceptionGroup[BaseException]) -> None:
        taken_over = reason_code(self._ended_by) == TAKEN_OVER
        if self._greeted_s is not None:
            is_short = time.monotonic() - self._greeted_s < STEADY_S
            self._short = self._short + 1 if is_short or taken_over else 0
            if not is_short and not taken_over:
                self._pauses = 0
                self._told.clear()
        if taken_over:
            self.trouble = OTHER_CLIENT
        else:
            self.trouble = DISTURBED if self._short >= SHORT_MAX else self._reason(first(group))
        if (address, self.trouble) not in self._told and len(self._told) < TOLD_MAX:
            self._told.add((address, self.trouble))
            log.warning("no broker", host=address.host, port=address.port, reason=self.trouble)

    def _reason(self, error: BaseException) -> str:
        """Why there is no connection, in few words; nothing of it comes from what was sent."""
        if self._caller.refused is not None:
            return REFUSALS[self._caller.refused]
        if isinstance(error, TimeoutError):
            return "does not confirm"
        return f"{error} {error.__cause__ or ''}".strip()[:200]


class _Said(msgspec.Struct):
    """What matters of a status that came back."""

    state: str = ""
    boot: str = ""


def _heard(message: aiomqtt.Message, via: str) -> Heard:
    about = message.properties
    reply_to = getattr(about, "ResponseTopic", "")
    correlation = getattr(about, "CorrelationData", b"")
    return Heard(
        payload=bytes(message.payload),
        via=via if via.isprintable() else "",
        retained=message.retain,
        reply_to=reply_to if isinstance(reply_to, str) else "",
        correlation=correlation if isinstance(correlation, bytes) else b"",
    )
