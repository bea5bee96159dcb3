"""Messages from the store to the broker, on paho's side: what aiomqtt has no words for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import aiomqtt
from paho.mqtt.client import MQTT_ERR_SUCCESS
from paho.mqtt.client import Client as Paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from daemon.messages import Message, Store

IN_FLIGHT_MAX = 16


class Carrier:
    """Takes what is in the store to the broker, at most `IN_FLIGHT_MAX` before they are confirmed.

    A message leaves in the call that puts it into the store, and in the store's order: a task that
    waits for it, as aiomqtt has it, would cost it two rounds of the loop. So this is paho's side.
    A broker of MQTT 5 may refuse a message in its confirmation, which aiomqtt passes over: `refuse`
    is told its topic and why.
    """

    def __init__(self, paho: Paho, store: Store, refuse: Callable[[str, str], None]) -> None:
        self._paho = paho
        self._store = store
        self._refuse = refuse
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[int, tuple[int, str, float]] = {}  # paho's id: number, topic, when
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
                *_, left_s = next(iter(self._under_way.values()), (self._loop.time(),))
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
            sent = self._paho.publish(
                message.topic,
                message.payload,
                qos=1 if message.sure else 0,
                retain=message.retain,
                properties=_properties(message),
            )
            if message.sure:
                self._under_way[sent.mid] = (number, message.topic, self._loop.time())
            else:
                self._store.done(number)
            if sent.rc != MQTT_ERR_SUCCESS and not self._broken.done():
                self._broken.set_exception(aiomqtt.MqttCodeError(sent.rc, "cannot be sent"))

    def _confirmed(
        self, paho: Paho, userdata: object, mid: int, reason: ReasonCode, about: Properties
    ) -> None:
        number, topic, _ = self._under_way.pop(mid, (None, "", 0))
        if number is None:
            if self._confirmed_else is not None:
                self._confirmed_else(paho, userdata, mid, reason, about)
            return
        if reason.is_failure:
            self._store.refused(number)
            self._refuse(topic, str(reason))
        else:
            self._store.done(number)
        if len(self._under_way) == IN_FLIGHT_MAX - 1:
            self._loop.call_soon(self._carry)


def _properties(message: Message) -> Properties | None:
    """Of an answer: what it answers (MQTT 5; paho leaves it out in 3.1.1)."""
    if not message.correlation:
        return None
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.CorrelationData = message.correlation
    return properties
