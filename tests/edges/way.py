"""What lies between a link and its broker: a port that forwards, holds, swallows and cuts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from daemon.messages import Address
from tests.conftest import LOOPBACK

CHUNK_BYTES = 1 << 14


class Way:
    """A port that leads to the broker at `to`.

    `swallows` takes what comes from either side and passes nothing on, as a network that is gone
    without a word; `delay_s` is how long each chunk from the broker takes; `passed` is what the
    client has sent over all connections, swallowed or not; `taken` counts connections.
    """

    def __init__(self, to: int) -> None:
        self.to = to
        self.swallows = False
        self.delay_s = 0.0
        self.passed = bytearray()
        self.taken = 0
        self._moved = asyncio.Event()
        self._clients: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> Address:
        assert self._server is not None
        return Address(LOOPBACK, self._server.sockets[0].getsockname()[1], tls=False)

    async def until_sent(self, words: bytes) -> None:
        """Until the client has sent these bytes."""
        while words not in self.passed:
            self._moved.clear()
            await self._moved.wait()

    def say(self, words: bytes) -> None:
        """Say this to every client, as if it came from the broker."""
        for writer in self._clients:
            writer.write(words)

    def cut(self) -> None:
        """Close every connection."""
        for writer in self._clients:
            writer.transport.abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._clients.add(writer)
        self.taken += 1
        ends, back = [writer], None
        try:
            with suppress(OSError):
                if self.swallows:  # the connection is taken; nobody answers
                    await reader.read()
                    return
                to_reader, to_writer = await asyncio.open_connection(LOOPBACK, self.to)
                ends.append(to_writer)
                back = asyncio.create_task(self._back(to_reader, writer))
                await self._forth(reader, to_writer)
        finally:
            self._clients.discard(writer)
            self._tasks.discard(task)
            for end in ends:
                end.transport.abort()
            if back is not None:
                back.cancel()
                await asyncio.wait([back])

    async def _forth(self, reader: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(CHUNK_BYTES):
            self.passed += chunk
            self._moved.set()
            if not self.swallows:
                to.write(chunk)
                await to.drain()

    async def _back(self, reader: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(CHUNK_BYTES):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if not self.swallows:
                    to.write(chunk)
                    await to.drain()
        to.transport.abort()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Way]:
        self._server = await asyncio.start_server(self._take, LOOPBACK, 0)
        try:
            yield self
        finally:
            self._server.close()
            tasks = list(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
