"""What serves the screens in this bench, on a core of its own: the floor, or the least that can.

    python -m tests.bench.served floor|echo BROKER_PORT FOLDER CORE

Says its address once it is up; ends with standard input. A line on it is so many seconds by which
the floor's clock goes on at once: what is kept for a while is kept for a while of the tables' time.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import aiomqtt
import uvicorn
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from daemon.edges import logs
from daemon.floor import instant
from daemon.floor.app import FloorApp
from daemon.floor.instant import Instant
from daemon.floor.settings import read_floor_settings
from tests.bench.broker import free_port
from tests.bench.script import SITE

LOOK_S = 0.05
ALERTS = f"floorcall/v1/{SITE}/+/alerts/floor/#"
SETTINGS = """\
site = "{site}"
state = "{state}"
[broker]
urls = ["mqtt://127.0.0.1:{port}"]
[tables]
stale_s = {stale_s}
"""
STALE_S = 120  # longer than the clock ever goes on at once


class Clock:
    """The time of day and the monotonic one, ahead of the true ones."""

    ahead_s = 0.0

    def now(self) -> Instant:
        """As the floor asks for it."""
        true = instant.now()
        return Instant(true.at + timedelta(seconds=self.ahead_s), true.s + self.ahead_s)


async def floor(port: int, folder: Path) -> None:
    """The floor's service, as the demo has it: whoever comes is let in."""
    path = folder / "floor.toml"
    path.write_text(SETTINGS.format(site=SITE, state=folder / "state", port=port, stale_s=STALE_S))
    clock, stop = Clock(), asyncio.Event()
    app = FloorApp(read_floor_settings(path), demo=True, port=0, now=clock.now)
    running = asyncio.create_task(app.run(stop))
    while not (app.screens.is_up and app.room.is_up):
        if running.done():
            running.result()
        await asyncio.sleep(LOOK_S)
    print(app.screens.address, flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        clock.ahead_s += float(line)
    stop.set()
    await running


async def echo(port: int, _folder: Path) -> None:
    """The least: an alert's payload to everybody, as it came."""
    streams: set[asyncio.Queue[str]] = set()

    async def live(_request: Request) -> EventSourceResponse:
        return EventSourceResponse(_stream(streams))

    web_port = free_port()
    app = Starlette(routes=[Route("/live", live)])
    config = uvicorn.Config(app, port=web_port, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe(ALERTS, qos=1)
        echoing = asyncio.create_task(_echo(client, streams))
        while not server.started:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(LOOK_S)
        print(f"http://127.0.0.1:{web_port}", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        echoing.cancel()
    server.force_exit = server.should_exit = True
    await serving


async def _stream(streams: set[asyncio.Queue[str]]) -> AsyncIterator[str]:
    own: asyncio.Queue[str] = asyncio.Queue()
    streams.add(own)
    try:
        while True:
            yield await own.get()
    finally:
        streams.discard(own)


async def _echo(client: aiomqtt.Client, streams: set[asyncio.Queue[str]]) -> None:
    async for message in client.messages:
        if isinstance(message.payload, bytes):
            said = message.payload.decode()
            for each in streams:
                each.put_nowait(said)


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[4])})
    logs.configure("warning")
    asyncio.run({"floor": floor, "echo": echo}[sys.argv[1]](int(sys.argv[2]), Path(sys.argv[3])))
