"""The floor's calls to its brokers: in turn, with pauses, and why one was not taken, in words."""

from __future__ import annotations

import asyncio
import math
import random
import time

import aiomqtt
from paho.mqtt.properties import Properties

from daemon.edges.mqtt import papers
from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.calling import Caller, Hear
from daemon.edges.mqtt.ends import first, reason_code
from daemon.edges.mqtt.sockets import (
    abandon,
    paho_of,
)
from daemon.floor import troubles
from daemon.floor.views import Trouble
from daemon.messages import Address, Message

SAY_S = 3.0
STEADY_S = 10.0  # a connection that lasted this long was a good one
PAUSE_FIRST_S = 0.25
PAUSE_MOST_S = 30.0
TAKEN_OVER = 142  # MQTT 5: session taken over
OTHER_CLIENT = "another client has taken our name at the broker"


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
        self._will = will
        self._turn = 0
        self._pauses = 0
        self._greeted_s: float | None = None
        self._caller = Caller(account, client, hear)
        self._ended_by: BaseException | None = None

    @property
    def warnings(self) -> list[Trouble]:
        """The certificates that end soon, or have ended."""
        return [
            troubles.certificate(whose, what, when, papers.in_words(whose, what, when))
            for whose, what, when in self._caller.papers.concerns
        ]

    @property
    def speaks_5(self) -> bool:
        """Whether the broker that was called last speaks MQTT 5."""
        return self._caller.speaks_5(self.address)

    @property
    def address(self) -> Address:
        """The broker that was called last."""
        addresses = self._account.addresses
        return addresses[(self._turn - 1) % len(addresses)]

    async def call(self) -> aiomqtt.Client:
        """A client that the next broker has taken; raises one of `WORLD`."""
        self._turn += 1
        self._greeted_s = self._ended_by = None
        client = await self._caller.call(self.address, self._will)
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
        if self._caller.refused is not None:
            return troubles.refused(self._caller.refused)
        if isinstance(error, TimeoutError):
            return troubles.trouble("unconfirmed", "does not confirm")
        said = f"{error} {error.__cause__ or ''}".strip()[:200]
        return troubles.trouble("broker-away", said, detail=said)


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
