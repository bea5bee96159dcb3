"""The way between a table and its broker: a port that stays, and all that goes wrong on a way."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tests.conftest import LOOPBACK, free_port

CHUNK_BYTES = 1 << 14


class Proxy:
    """Forwards what comes to `port`.

    `delay_s` is how long every chunk takes; a `held` way keeps its connections, takes new ones and
    forwards nothing, as a half-open one does.
    """

    def __init__(self, to: int) -> None:
        self.port = free_port()
        self.delay_s = 0.0
        self._to = to
        self._flows = asyncio.Event()
        self._flows.set()
        self._server: asyncio.Server | None = None
        self._ways: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._take, LOOPBACK, self.port)

    async def refuse(self) -> None:
        """Nobody listens any more, and nobody is connected."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()

    def hold(self) -> None:
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    def cut(self) -> None:
        for way in self._ways:
            way.cancel()

    async def close(self) -> None:
        await self.refuse()
        await asyncio.gather(*self._ways, return_exceptions=True)

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        way = asyncio.create_task(self._forward(reader, writer))
        self._ways.add(way)
        way.add_done_callback(self._ways.discard)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = [writer]
        try:
            await self._flows.wait()
            there, back = await asyncio.open_connection(LOOPBACK, self._to)
            ends.append(back)
            pumps = [self._pump(reader, back), self._pump(there, writer)]
            tasks = [asyncio.create_task(pump) for pump in pumps]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except OSError:
            pass  # no broker behind it
        finally:
            for end in ends:
                end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(CHUNK_BYTES):
                await self._flows.wait()
                await asyncio.sleep(self.delay_s)
                writer.write(chunk)
                await writer.drain()
