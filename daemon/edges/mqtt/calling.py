"""A broker is called: a new client for each attempt, MQTT 5 first, 3.1.1 where it knows only that.

Names are resolved anew each time, and nothing old is sent. Nothing here blocks the loop: names,
files and TLS are looked up in threads.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from daemon.access import AccessError, Context, tls
from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.ends import may_speak_older
from daemon.edges.mqtt.papers import Papers
from daemon.edges.mqtt.sockets import certificate_of, heed, opened, paho_of, write_at_once
from daemon.messages import Address, Message

CONNECT_S = 3.0
KEEPALIVE_S = 10
RECEIVED_MAX = 4096  # that wait to be read: what stands, and the echo of it
PACKET_BYTES_MAX = 1 << 18
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


class Caller:
    """Calls the brokers of an account under one client's name.

    `hear` takes each message in the call that reads it, and none waits for the client's reader.
    `papers` are the certificates that were shown.
    """

    def __init__(self, account: Account, name: str, hear: Hear | None = None) -> None:
        self.papers = Papers(account.access)
        self._access = account.access
        self._name = name
        self._hear = hear
        self._speaks: dict[Address, aiomqtt.ProtocolVersion] = {}
        self._context: Context | None = None

    @property
    def refused(self) -> str | None:
        """What TLS refused of the broker that was called last."""
        return None if self._context is None else self._context.refused

    def speaks_5(self, address: Address) -> bool:
        """Whether this broker took a client of MQTT 5 when it was called last."""
        return self._speaks.get(address) is aiomqtt.ProtocolVersion.V5

    async def call(self, address: Address, will: Message | None) -> aiomqtt.Client:
        """A client that this broker has taken; raises one of `WORLD`.

        The broker says `will` when the connection breaks off.
        """
        version = self._speaks.pop(address, aiomqtt.ProtocolVersion.V5)
        client = await self._client(address, version, will)
        try:
            await opened(client)
        except aiomqtt.MqttError as error:
            is_old = version is aiomqtt.ProtocolVersion.V311
            if is_old or self.refused is not None or not may_speak_older(error):
                raise
            version = aiomqtt.ProtocolVersion.V311
            client = await self._client(address, version, will)
            await opened(client)
        self._speaks[address] = version
        write_at_once(client)
        self.papers.shown(certificate_of(client))
        return client

    async def _client(
        self, address: Address, version: aiomqtt.ProtocolVersion, will: Message | None
    ) -> aiomqtt.Client:
        await asyncio.to_thread(self.papers.look)
        self._context = None
        if address.tls:
            self._context = await asyncio.to_thread(tls, self._access)
        is_old = version is aiomqtt.ProtocolVersion.V311
        client = aiomqtt.Client(
            address.host,
            address.port,
            identifier=self._name,
            username=self._access.username,
            password=await asyncio.to_thread(self._access.password),
            protocol=version,
            will=None if will is None else aiomqtt.Will(will.topic, will.payload, 1, retain=True),
            clean_session=True if is_old else None,
            keepalive=KEEPALIVE_S,
            timeout=CONNECT_S,
            socket_options=[NODELAY],
            tls_context=self._context,
            properties=None if is_old else _limits(),
            max_queued_incoming_messages=RECEIVED_MAX,
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


def _limits() -> Properties:
    """What the broker may send us at one go."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = PACKET_BYTES_MAX
    return properties
