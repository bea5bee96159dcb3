"""The live streams that are open: so many for each session and in all, ended from outside.

A browser has six connections to one address over HTTP/1.1; a session that took them all with
streams could ask for nothing more.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from daemon.floor.people.sessions import Session

PER_SESSION_MAX = 5
IN_ALL_MAX = 400


@dataclass(eq=False, slots=True)
class Stream:
    """One open page; `over` is given the reason of its end."""

    session: Session
    screen: str
    over: asyncio.Future[str] = field(repr=False)

    def end(self, reason: str) -> None:
        """Tell it why, unless it has been told."""
        if not self.over.done():
            self.over.set_result(reason)


class Streams:
    """All of them."""

    def __init__(self, *, per_session: int = PER_SESSION_MAX, in_all: int = IN_ALL_MAX) -> None:
        self._per_session = per_session
        self._in_all = in_all
        self._open: set[Stream] = set()
        self._shut = ""

    def __len__(self) -> int:
        return len(self._open)

    def open(self, session: Session, screen: str) -> Stream:
        """A stream for this page; one that it had before was left behind, and ends.

        One that may not be is over from its beginning: `too-many`, or the service is about to end.
        """
        stream = Stream(session, screen, asyncio.get_running_loop().create_future())
        mine = [each for each in self._open if each.session is session]
        for each in mine:
            if each.screen == screen:
                each.end("replaced")
        others = [each for each in mine if each.screen != screen]
        if self._shut:
            stream.end(self._shut)
        elif len(others) >= self._per_session or len(self._open) >= self._in_all:
            stream.end("too-many")
        else:
            self._open.add(stream)
        return stream

    def close(self, stream: Stream) -> None:
        """It is open no more."""
        self._open.discard(stream)

    def end(self, sessions: list[Session], reason: str) -> None:
        """End those of these sessions."""
        for each in self._open:
            if each.session in sessions:
                each.end(reason)

    def shut(self, reason: str = "restart") -> None:
        """End all, and let none begin: the service ends."""
        self._shut = reason
        for each in self._open:
            each.end(reason)
