"""The broker's side of the service: connected whenever a broker is to be had, and never waited for.

Everything known of aiomqtt stands here: a new client object for each attempt; a broken connection
is closed without DISCONNECT, so that the last will speaks; what is in the store leaves in the call
that puts it there (`_Carrier`), since a task to wait for it would cost it two rounds of the loop.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import aiomqtt
import structlog
from paho.mqtt.client import MQTT_ERR_SUCCESS
from paho.mqtt.client import Client as Paho
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from daemon.messages import Address, Message, Store

CONNECT_S = 3.0
PUBLISH_S = 3.0
FAREWELL_S = 2.0
ECHO_S = 5.0
KEEPALIVE_S = 10
IN_FLIGHT_MAX = 16
BEAT_S = 10.0
STEADY_S = 10.0  # a connection that lasted this long was a good one
PAUSE_FIRST_S = 0.25
PAUSE_MOST_S = 30.0
SHORT_MAX = 3  # connections in a row that were not good ones
DISTURBED_S = 60.0
RECEIVED_MAX = 64
NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
DISTURBED = "connections end at once: does another client use our name?"
UNPROVEN = "alerts may not arrive"
WORLD = (aiomqtt.MqttError, OSError, TimeoutError, UnicodeError)  # UnicodeError: no name of a host

log = structlog.get_logger(part="mqtt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Which brokers, in turn, and as whom. `client` must be this table's alone."""

    addresses: tuple[Address, ...]
    client: str
    username: str | None = None
    password_file: Path | None = None
    ca: Path | None = None


class Link:
    """The connection to a broker: lost, looked for again, and told about once.

    `status` gives the message for `online` and for `offline`, with which every connection begins
    and ends; the broker publishes the second by itself when this process dies.
    """

    def __init__(self, account: Account, store: Store, status: Callable[[str], Message]) -> None:
        self.trouble: str | None = "not connected"
        self._account = account
        self._store = store
        self._status = status
        self._over = asyncio.Event()
        self._news = asyncio.Event()
        self._turn = 0
        self._pauses = 0
        self._short = 0
        self._greeted_s: float | None = None
        self._told: dict[Address, str] = {}  # what the log knows of each broker
        self._speaks: dict[Address, aiomqtt.ProtocolVersion] = {}

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
            self._greeted_s = None
            try:
                await self._connected(address)
            except* WORLD as group:
                self._lost(address, _reason(group))
            if not self._over.is_set():
                await self._pause()

    async def _connected(self, address: Address) -> None:
        """One connection, from the first attempt to its end; raises what ended it."""
        client = await self._greet(address)
        try:
            await self._session(client, address)
        finally:
            await _abandon(client)

    async def _greet(self, address: Address) -> aiomqtt.Client:
        """A client that this broker has taken: with MQTT 5, or where it knows only that, 3.1.1."""
        version = self._speaks.pop(address, aiomqtt.ProtocolVersion.V5)
        client = await self._client(address, version)
        try:
            await _opened(client)
        except aiomqtt.MqttError as error:
            if version is aiomqtt.ProtocolVersion.V311 or not _may_speak_older(error):
                raise
            version = aiomqtt.ProtocolVersion.V311
            client = await self._client(address, version)
            await _opened(client)
        self._speaks[address] = version
        return client

    async def _client(self, address: Address, version: aiomqtt.ProtocolVersion) -> aiomqtt.Client:
        account = self._account
        will = self._status("offline")
        password = None
        if account.password_file is not None:
            password = account.password_file.read_text().strip()
        client = aiomqtt.Client(
            address.host,
            address.port,
            identifier=account.client,
            username=account.username,
            password=password,
            protocol=version,
            will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
            clean_session=True if version is aiomqtt.ProtocolVersion.V311 else None,
            keepalive=KEEPALIVE_S,
            timeout=CONNECT_S,
            socket_options=[NODELAY],
            tls_context=await asyncio.to_thread(_tls, account.ca) if address.tls else None,
            max_queued_incoming_messages=RECEIVED_MAX,
            logger=logging.getLogger("mqtt"),
        )
        _paho(client).connect_timeout = CONNECT_S
        return client

    async def _session(self, client: aiomqtt.Client, address: Address) -> None:
        _write_at_once(client)
        self._store.rewind()
        self.trouble = None  # what goes over this connection says that it is there
        greeting = self._status("online")
        echoed = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._listen(client, greeting, echoed))]
            with suppress(aiomqtt.MqttError):  # a refusal shows in that nothing comes back
                await client.subscribe(greeting.topic, qos=1)
            await self._publish(client, greeting)
            self._found(address)
            tasks.append(group.create_task(self._beat(client)))
            tasks.append(group.create_task(self._prove(echoed)))
            tasks.append(group.create_task(self._carry(client)))
            await self._over.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self._store.emptied()
            for task in tasks:
                task.cancel()
        await self._publish(client, self._status("offline"))
        await client.__aexit__(None, None, None)

    async def _listen(
        self, client: aiomqtt.Client, greeting: Message, echoed: asyncio.Event
    ) -> None:
        """Notices that our own greeting comes back, and the connection's end."""
        async for message in client.messages:
            if message.payload == greeting.payload:
                echoed.set()

    async def _prove(self, echoed: asyncio.Event) -> None:
        """A broker's access rules may refuse what it confirms: only what comes back is proof."""
        try:
            async with asyncio.timeout(ECHO_S):
                await echoed.wait()
        except TimeoutError:
            self.trouble = UNPROVEN
            log.warning("own messages do not come back", reason="access rules of the broker?")

    async def _beat(self, client: aiomqtt.Client) -> None:
        """The status again and again: the floor sees that we live, and we that the broker does."""
        while True:
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()
            await self._publish(client, self._status("online"))

    async def _carry(self, client: aiomqtt.Client) -> None:
        await _Carrier(_paho(client), self._store).run(PUBLISH_S)

    async def _publish(self, client: aiomqtt.Client, message: Message) -> None:
        async with asyncio.timeout(PUBLISH_S):
            await client.publish(
                message.topic, message.payload, qos=1, retain=message.retain, timeout=math.inf
            )

    async def _pause(self) -> None:
        """Wait before the next attempt: once for each round of the brokers, doubled each time."""
        if self._pauses and self._turn % len(self._account.addresses):
            return
        longest_s = DISTURBED_S if self._short >= SHORT_MAX else PAUSE_MOST_S
        most_s = min(longest_s, PAUSE_FIRST_S * 2**self._pauses)
        self._pauses = min(self._pauses + 1, 16)
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s * random.uniform(0.5, 1.0)):  # noqa: S311 - jitter
                await self._over.wait()

    def _found(self, address: Address) -> None:
        self.trouble = None
        self._greeted_s = time.monotonic()
        log.info("broker connected", host=address.host, port=address.port)

    def _lost(self, address: Address, reason: str) -> None:
        if self._greeted_s is not None:
            is_short = time.monotonic() - self._greeted_s < STEADY_S
            self._short = self._short + 1 if is_short else 0
            if not is_short:
                self._pauses = 0
                self._told.clear()
        self.trouble = DISTURBED if self._short >= SHORT_MAX else reason
        if self._told.get(address) != self.trouble:
            self._told[address] = self.trouble
            log.warning("no broker", host=address.host, port=address.port, reason=self.trouble)


def _reason(group: BaseExceptionGroup[BaseException]) -> str:
    """Why there is no connection, in few words; nothing of it comes from what was sent."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "does not confirm"
    return f"{error} {error.__cause__ or ''}".strip()[:200]


def _may_speak_older(error: aiomqtt.MqttError) -> bool:
    """Whether the broker may be one that does not know MQTT 5: it says so, or just hangs up."""
    said = str(error).lower()
    return "protocol version" in said or "timed out" in said or "protocol error" in said


class _Tidy(ssl.SSLSocket):
    """paho forgets a socket whose handshake failed: it is closed here."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except (OSError, ValueError):
            self.close()
            raise


def _tls(ca: Path | None) -> ssl.SSLContext:
    """What the broker must show, read from the disk; raises OSError."""
    context = ssl.create_default_context(cafile=ca)
    context.sslsocket_class = _Tidy
    return context


# --- below: what aiomqtt has no words for ---------------------------------------------------------


class _Carrier:
    """Takes what is in the store to the broker, at most `IN_FLIGHT_MAX` before they are confirmed.

    A message leaves in the call that puts it into the store, and in the store's order: a task that
    waits for it, as aiomqtt has it, would cost it two rounds of the loop. So this is paho's side.
    """

    def __init__(self, paho: Paho, store: Store) -> None:
        self._paho = paho
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[int, tuple[int, float]] = {}  # by paho's id: number, when it left
        self._broken: asyncio.Future[None] = self._loop.create_future()
        self._confirmed_else: Callable[..., None] | None = paho.on_publish
        paho.on_publish = self._confirmed

    async def run(self, confirmed_within_s: float) -> None:
        """Carry until cancelled; raises MqttError where nothing can be sent any more.

        Raises TimeoutError where a message is not confirmed in time.
        """
        self._store.news = self._carry
        try:
            self._carry()
            while True:
                await asyncio.wait({self._broken}, timeout=confirmed_within_s / 4)
                if self._broken.done():
                    self._broken.result()
                _, left_s = next(iter(self._under_way.values()), (0, self._loop.time()))
                if self._loop.time() - left_s > confirmed_within_s:
                    raise TimeoutError
        finally:
            self._store.unheeded()
            if not self._broken.cancel():
                self._broken.exception()  # asked, so that asyncio does not complain of it

    def _carry(self) -> None:
        while len(self._under_way) < IN_FLIGHT_MAX and not self._broken.done():
            found = self._store.take()
            if found is None:
                return
            number, message = found
            sent = self._paho.publish(message.topic, message.payload, qos=1, retain=message.retain)
            self._under_way[sent.mid] = (number, self._loop.time())
            if sent.rc != MQTT_ERR_SUCCESS and not self._broken.done():
                self._broken.set_exception(aiomqtt.MqttCodeError(sent.rc, "cannot be sent"))

    def _confirmed(
        self, paho: Paho, userdata: object, mid: int, reason: ReasonCode, about: Properties
    ) -> None:
        number, _ = self._under_way.pop(mid, (None, 0))
        if number is not None:
            self._store.done(number)
            if len(self._under_way) == IN_FLIGHT_MAX - 1:
                self._loop.call_soon(self._carry)
        elif self._confirmed_else is not None:
            self._confirmed_else(paho, userdata, mid, reason, about)


def _paho(client: aiomqtt.Client) -> Paho:
    return client._client  # noqa: SLF001 - the only way to its socket


async def _opened(client: aiomqtt.Client) -> None:
    """Connect; raises MqttError. The connecting thread cannot be stopped, so it is waited for."""
    opening = asyncio.ensure_future(client.__aenter__())
    try:
        await asyncio.shield(opening)
    except BaseException:
        await asyncio.wait({opening})
        if not opening.cancelled():
            opening.exception()
        await _abandon(client)
        raise


def _write_at_once(client: aiomqtt.Client) -> None:
    """Let a packet leave in the call that makes it.

    aiomqtt asks the loop first whether the socket can be written, which costs two rounds of the
    loop; here the loop is asked only where the socket does not take all of it.
    """
    loop = asyncio.get_running_loop()

    def write(paho: Paho, _userdata: object, _sock: object) -> None:
        paho.loop_write()
        sock = paho.socket()
        if sock is not None and paho.want_write():
            loop.add_writer(sock.fileno(), paho.loop_write)

    _paho(client).on_socket_register_write = write


async def _abandon(client: aiomqtt.Client) -> None:
    """Close the socket without DISCONNECT, whatever state it is in; a closed one stays closed."""
    await asyncio.sleep(0)  # lets run what aiomqtt has put on the loop with this descriptor
    paho = _paho(client)
    sock = paho.socket()
    if isinstance(sock, socket.socket):
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
    for _ in range(RECEIVED_MAX + IN_FLIGHT_MAX):
        if paho.socket() is None:
            break
        paho.loop_read()  # reads on to the end of the stream, where paho closes the socket
    ended = client._disconnected  # noqa: SLF001 - asked, so that asyncio does not complain of it
    if ended.done() and not ended.cancelled():
        ended.exception()
