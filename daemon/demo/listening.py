"""The demo's ear on the broker: whatever any table publishes, as it comes back over MQTT."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import aiomqtt

from daemon.messages import ROOT

_RETRY_S = 0.2
_CONNECT_S = 5.0


async def listen(host: str, port: int, take: Callable[[str, bytes], None]) -> None:
    """Give `take` the topic and payload of every message, for ever; connects anew when cut off."""
    while True:
        try:
            await _connected(host, port, take)
        except aiomqtt.MqttError:
            await asyncio.sleep(_RETRY_S)


async def _connected(host: str, port: int, take: Callable[[str, bytes], None]) -> None:
    version = aiomqtt.ProtocolVersion.V5
    async with aiomqtt.Client(host, port, protocol=version, timeout=_CONNECT_S) as client:
        await client.subscribe(f"{ROOT}/#", qos=1)
        async for message in client.messages:
            if isinstance(message.payload, bytes):
                take(message.topic.value, message.payload)
