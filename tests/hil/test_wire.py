from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from drivers.port.reasons import HUNG_UP
from drivers.port.wire import Wire
from tests.hil.record import SOON_S, turns_of_the_loop


@dataclass
class Told:
    """A face that remembers."""

    heard_bytes: bytearray = field(default_factory=bytearray)
    sent_bytes: bytearray = field(default_factory=bytearray)
    dues: int = 0
    end: str | None = None

    def heard(self, data: bytes) -> None:
        self.heard_bytes += data

    def sent(self, data: bytes) -> None:
        self.sent_bytes += data

    def due(self) -> None:
        self.dues += 1

    def ended(self, reason: str) -> None:
        self.end = reason


@asynccontextmanager
async def wired(out_bytes_max: int) -> AsyncIterator[tuple[Wire, Told, socket.socket]]:
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setblocking(False)
    told = Told()
    with near, far:
        wire = Wire(near.fileno(), told, out_bytes_max)
        yield wire, told, far
        wire.stop()


async def test_what_the_far_end_did_not_take_goes_out_in_order_once_it_does() -> None:
    whole = bytes(range(256)) * 8000
    async with wired(len(whole)) as (wire, told, far):
        assert wire.send(whole[:-7])
        assert wire.send(whole[-7:])
        assert wire.stalled_ms is not None
        assert len(told.sent_bytes) < len(whole)
        got = bytearray()
        async with asyncio.timeout(SOON_S):
            while len(got) < len(whole):
                got += await asyncio.get_running_loop().sock_recv(far, 1 << 16)
        assert got == whole
        assert told.sent_bytes == whole
        assert wire.stalled_ms is None
        assert await turns_of_the_loop(0.1) < 20


async def test_what_does_not_fit_is_refused_whole() -> None:
    async with wired(10) as (wire, told, far):
        assert not wire.send(b"x" * 11)
        assert wire.send(b"")
        assert wire.send(b"y" * 10)
        assert await asyncio.get_running_loop().sock_recv(far, 99) == b"y" * 10
        assert told.sent_bytes == b"y" * 10


async def test_the_earliest_of_the_asked_times_counts() -> None:
    async with wired(10) as (wire, told, _):
        asked_ms = wire.now_ms
        wire.wake_at(asked_ms + 60_000)
        wire.wake_at(asked_ms + 20)
        wire.wake_at(asked_ms + 30_000)
        wire.wake_at(None)
        async with asyncio.timeout(SOON_S):
            while not told.dues:  # noqa: ASYNC110 - the face is the only one told
                await asyncio.sleep(0.001)
        assert wire.now_ms >= asked_ms + 20
        assert told.dues == 1


async def test_nothing_is_called_after_the_end_or_a_stop() -> None:
    async with wired(10) as (wire, told, far):
        far.close()
        assert await asyncio.wait_for(wire.over, SOON_S) == HUNG_UP
        wire.end("again")
        wire.wake_at(0)
        assert told.end == HUNG_UP
        assert not wire.send(b"x")
        assert await turns_of_the_loop(0.05) < 10
        assert told.dues == 0


async def test_a_bug_of_the_face_is_raised_to_who_waits() -> None:
    async with wired(10) as (wire, told, _):
        told.due = None  # type: ignore[assignment,method-assign]
        wire.wake_at(0)
        with pytest.raises(TypeError):
            await asyncio.wait_for(wire.over, SOON_S)
