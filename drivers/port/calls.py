"""Who calls at a listening port: one caller at a time, and the last one counts."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from drivers.port.opening import Line, close_line, watched

AGAIN_S = 1.0


class Calls:
    """The callers at an open `listen://` line. Belongs to the loop; `stop` lets go of the line.

    A device that was cut off calls again before anybody knows that its first call is dead: so a new
    call ends the present one, through `superseded`, and whoever waits gets the last.
    """

    def __init__(self, door: Line) -> None:
        self.superseded: Callable[[], None] | None = None
        self._line = door
        self._door = socket.socket(fileno=door.fd)
        self._loop = asyncio.get_running_loop()
        self._caller: Line | None = None
        self._came = asyncio.Event()
        self._again: asyncio.TimerHandle | None = None
        self._watch()

    async def caller(self) -> Line:
        """Wait for a call; what it returns is the receiver's, to be closed."""
        while self._caller is None:
            self._came.clear()
            await self._came.wait()
        caller, self._caller = self._caller, None
        return caller

    def stop(self) -> None:
        """Take no more calls, and close the door."""
        self._loop.remove_reader(self._door)
        if self._again is not None:
            self._again.cancel()
        self._hang_up()
        self._door.detach()
        close_line(self._line)

    def _watch(self) -> None:
        self._loop.add_reader(self._door, self._ring)

    def _ring(self) -> None:
        try:
            link, _ = self._door.accept()
        except (BlockingIOError, ConnectionError):  # gone again before it was taken
            return
        except OSError:  # no descriptor is free: the call stays where it is, and would ring on
            self._loop.remove_reader(self._door)
            self._again = self._loop.call_later(AGAIN_S, self._watch)
            return
        self._hang_up()
        try:
            self._caller = watched(link)
        except OSError:
            link.close()
            return
        self._came.set()
        if self.superseded is not None:
            self.superseded()

    def _hang_up(self) -> None:
        if self._caller is not None:
            caller, self._caller = self._caller, None
            close_line(caller)
