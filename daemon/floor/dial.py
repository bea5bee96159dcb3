"""A broker is called: a new client for each attempt, MQTT 5 first, 3.1.1 where it knows only that.

Nothing here blocks the loop: names, files and TLS are looked up in threads.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import socket
import time
from collections.abc import Callable

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from daemon.access import AccessError, Context, tls
from daemon.edges.mqtt import papers
from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.ends import first, may_speak_older, reason_code
from daemon.edges.mqtt.papers import Papers
from daemon.edges.mqtt.sockets import (
    abandon,
    certificate_of,
    heed,
    opened,
    paho_of,
    write_at_once,
)
from daemon.floor import troubles
from daemon.floor.views import Trouble
from daemon.messages import Address, Message

CONNECT_S = 3.0
SAY_S = 3.0
KEEPALIVE_S = 10
STEADY_S = 10.0  # a connection that lasted this long was a good one
PAUSE_FIRST_S = 0.25
PAUSE_MOST_S = 30.0
PACKET_BYTES_MAX = 1 << 18
TAKEN_OVER = 142  # MQTT 5: session taken over
OTHER_CLIENT = "another client has taken our name at the broker"
NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
WORLD = (
    aiomqtt.MqttError,
    AccessError,
    OSError,
    TimeoutError,
    UnicodeError,  # no name of a host
)


Hear = Callable[[str, bytes, bool], None]
"""Takes a message: its topic, its payload, and whether it was retained; raises nothing."""


class Dialler:
    """Calls the brokers of an account in turn, under one client's name.

    `will` is what the broker is to say when the connection breaks off. `hear` takes each message
    in the call that reads it: nothing waits in memory, however fast a table speaks; what is too
    much waits at the broker.
    """

    def __init__(
        self, account: Account, client: str, will: Message | None = None, hear: Hear | None = None
    ) -> None:
        self._account = account
        self._client_name = client
        self._will = will
        self._hear = hear
        self._turn = 0
        self._pauses = 0
        self._greeted_s: float | None = None
        self._speaks: dict[Address, aiomqtt.ProtocolVersion] = {}
        self._context: Context | None = None
        self._papers = Papers(account.access)
        self._ended_by: BaseException | None = None

    @property
    def warnings(self) -> list[Trouble]:
        """The certificates that end soon, or have ended."""
        return [
            troubles.certificate(whose, what, when, papers.in_words(whose, what, when))
            for whose, what, when in self._papers.concerns
        ]

    @property
    def speaks_5(self) -> bool:
        """Whether the broker that was called last speaks MQTT 5."""
        return self._speaks.get(self.address) is aiomqtt.ProtocolVersion.V5

    @property
    def address(self) -> Address:
        """The broker that was called last."""
        addresses = self._account.addresses
        return addresses[(self._turn - 1) % len(addresses)]

    async def call(self) -> aiomqtt.Client:
        """A client that the next broker has taken; raises one of `WORLD`."""
        self._turn += 1
        self._greeted_s = self._ended_by = None
        address = self.address
        version = self._speaks.pop(address, aiomqtt.ProtocolVersion.V5)
        client = await self._client(address, version)
        try:
            await opened(client)
        except aiomqtt.MqttError as error:
            is_other = self._context is not None and self._context.refused is not None
            if version is aiomqtt.ProtocolVersion.V311 or is_other or not may_speak_older(error):
                raise
            version = aiomqtt.ProtocolVersion.V311
            client = await self._client(address, version)
            await opened(client)
        self._speaks[address] = version
        write_at_once(client)
        self._papers.shown(certificate_of(client))
        self._greeted_s = time.monotonic()
        return client

    def farewell(self, client: aiomqtt.Client) -> None:
        """Say that we go. aiomqtt's own way may swallow a cancellation that comes meanwhile."""
        paho_of(client).disconnect()

    async def left(self, client: aiomqtt.Client) -> None:
        """A connection is over, whatever state it is in: close it."""
        self._ended_by = await abandon(client)

    def pause_s(self) -> float:
        """How long to wait before the next call: once for each round of the brokers, doubled."""
        if self._greeted_s is not None and time.monotonic() - self._greeted_s >= STEADY_S:
            self._pauses = 0
        elif self._pauses and self._turn % len(self._account.addresses):
            return 0.0
        most_s = min(PAUSE_MOST_S, PAUSE_FIRST_S * 2.0**self._pauses)
        self._pauses = min(self._pauses + 1, 16)
        return most_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter

    def why(self, error: BaseException) -> Trouble:
        """Why there is no connection; nothing of it comes from what was sent."""
        if reason_code(self._ended_by) == TAKEN_OVER:
            return troubles.trouble("other-client", OTHER_CLIENT)
        error = first(error) if isinstance(error, BaseExceptionGroup) else error
        if self._context is not None and self._context.refused is not None:
            return troubles.refused(self._context.refused)
        if isinstance(error, TimeoutError):
            return troubles.trouble("unconfirmed", "does not confirm")
        said = f"{error} {error.__cause__ or ''}".strip()[:200]
        return troubles.trouble("broker-away", said, detail=said)

    async def _client(self, address: Address, version: aiomqtt.ProtocolVersion) -> aiomqtt.Client:
        access = self._account.access
        await asyncio.to_thread(self._papers.look)
        self._context = None
        if address.tls:
            self._context = await asyncio.to_thread(tls, access)
        is_old = version is aiomqtt.ProtocolVersion.V311
        will = self._will
        client = aiomqtt.Client(
            address.host,
            address.port,
            identifier=self._client_name,
            username=access.username,
            password=await asyncio.to_thread(access.password),
            protocol=version,
            will=None if will is None else aiomqtt.Will(will.topic, will.payload, 1, retain=True),
            clean_session=True if is_old else None,
            keepalive=KEEPALIVE_S,
            timeout=CONNECT_S,
            socket_options=[NODELAY],
            tls_context=self._context,
            properties=None if is_old else _limits(),
            logger=logging.getLogger("mqtt"),
        )
        paho = paho_of(client)
        paho.connect_timeout = CONNECT_S
        if (hear := self._hear) is not None:
            paho.on_message = lambda _paho, _about, said: hear(
                said.topic, bytes(said.payload), said.retain
            )
        heed(client)
        return client


async def broken_off(client: aiomqtt.Client) -> None:
    """Wait until the connection ends; raises MqttError then."""
    ended = client._disconnected  # noqa: SLF001 - asked without its messages, which we hear
    await asyncio.wait({ended})
    raise aiomqtt.MqttError("disconnected") from ended.exception()


async def say(
    client: aiomqtt.Client,
    message: Message,
    about: Properties | None = None,
    within_s: float = SAY_S,
) -> None:
    """Say it; raises where the broker does not confirm it in time."""
    async with asyncio.timeout(within_s):
        await client.publish(
            message.topic,
            message.payload,
            qos=1,
            retain=message.retain,
            properties=about,
            timeout=math.inf,
        )


def _limits() -> Properties:
    """What the broker may send us at one go."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = PACKET_BYTES_MAX
    return properties
