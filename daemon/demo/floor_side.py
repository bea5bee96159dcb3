"""The floor's side of the demo: the service and its screens, for this machine alone."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from daemon.demo.broker import LOOPBACK
from daemon.demo.table_fit import SITE
from daemon.floor.app import FloorApp, Unusable
from daemon.floor.settings import FloorSettings, read_floor_settings

PORT = 8080
_PORTS_NEAR = 10  # of those after it that are tried before any free one
_LOOK_S = 0.02

_CONFIGURATION = """\
site = {site}
state = {state}

[broker]
urls = [{broker}]

[tables]
order = {order}
"""


class FloorError(Exception):
    """The floor's side of the demo does not start; the text says why."""


@asynccontextmanager
async def floor_side(
    folder: Path, broker_url: str, tables: Sequence[str], port: int | None
) -> AsyncIterator[str]:
    """The floor of these tables, served; yields the address to open. Raises FloorError.

    `folder` keeps its history. `port` None is `PORT` or one near it that is free, 0 any.
    """
    app = _app(_settings(folder, broker_url, tables), port)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(app.run(stop), name="floor")
        try:
            while not (app.screens.is_up or running.done()):  # noqa: ASYNC110 - uvicorn tells nobody
                await asyncio.sleep(_LOOK_S)
            yield f"{app.screens.address}/"
        finally:
            stop.set()
            await asyncio.shield(running)


def _settings(folder: Path, broker_url: str, tables: Sequence[str]) -> FloorSettings:
    path = folder / "floor.toml"
    path.write_text(
        _CONFIGURATION.format(
            site=_quoted(SITE),
            state=_quoted(str(folder / "floor")),
            broker=_quoted(broker_url),
            order=_quoted(list(tables)),
        )
    )
    return read_floor_settings(path)


def _app(settings: FloorSettings, port: int | None) -> FloorApp:
    for each in _wanted(port):
        try:
            return FloorApp(settings, demo=True, port=each)
        except Unusable as error:
            raise FloorError(f"the floor's side does not start: {error}") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE or port is not None:
                raise FloorError(
                    f"the screens cannot be served on port {each}: {error.strerror};"
                    " --web-port 0 takes any that is free"
                ) from error
    raise FloorError("no port is free for the screens")


def _wanted(port: int | None) -> Iterator[int]:
    """The ports to try, one after the other."""
    if port is not None:
        yield port
        return
    yield from (near for near in range(PORT, PORT + _PORTS_NEAR) if _is_free(near))
    yield 0


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _quoted(value: str | list[str]) -> str:
    """As TOML; JSON's strings and arrays of them are among TOML's."""
    return json.dumps(value)
