"""What the tests of the edges share: a listener at the broker, and alerts to send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import aiomqtt
import pytest

from daemon.alarms.alert import Alert, Window
from tests.contract import checked

PATIENCE_S = 60


class Recorder:
    """Everything a subscriber has received, as (topic, payload, retained)."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        self._news = asyncio.Event()

    def take(self, topic: str, payload: bytes, retained: bool) -> None:
        checked(topic, payload)
        self.heard.append((topic, payload, retained))
        self._news.set()

    def at(self, topic: str) -> list[bytes]:
        return [payload for where, payload, _ in self.heard if where == topic]

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until this is so; looks again whenever something was received."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def listening(host: str, port: int, topic: str) -> AsyncIterator[Recorder]:
    """A recorder that subscribes, and again where the broker goes and comes back."""
    recorder = Recorder()
    ready = asyncio.Event()

    async def listen() -> None:
        while True:
            with suppress(aiomqtt.MqttError):
                async with aiomqtt.Client(host, port, timeout=PATIENCE_S) as client:
                    await client.subscribe(topic, qos=1)
                    ready.set()
                    async for m in client.messages:
                        recorder.take(str(m.topic), bytes(m.payload), m.retain)
            await asyncio.sleep(0.02)

    task = asyncio.create_task(listen())
    async with asyncio.timeout(PATIENCE_S):
        await ready.wait()
    try:
        yield recorder
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
def make_alert() -> Callable[..., Alert]:
    def make(number: int = 1, **fields: object) -> Alert:
        given = {
            "id": f"poker-12:20261129T201331Z:12:1:turn-premature:turn:{number}",
            "revision": 1, "table": "poker-12", "hand": "12", "irregularity": "turn-premature",
            "state": "raised", "final": False, "seen": True, "severity": "critical",
            "audience": "floor", "street": "flop", "subject": "turn", "seats": (3, 1),
            "cards": ("Td",), "at_ms": 1, "known_ms": 1, "at": None, "rulebook": "robert-classic",
            "cite": "4", "unconfirmed": False, "window": Window("unlimited", open=True),
            "remedy": (), "text": {}, "evidence": (1,),
        }  # fmt: skip
        return Alert(**{**given, **fields})

    return make
