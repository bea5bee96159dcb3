"""What is news, to a browser as it comes: server-sent events.

    id: 49bfa1ff-12
    event: alert
    data: {"key": ...}

The first is a whole picture, whatever was heard before. A reader that does not read is held at the
connection's own buffer; what waits for it is bounded by the floor, which then begins it anew, and
where it takes no piece for `STALLED_S` its stream ends. An event told to fifty screens is made into
bytes once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from daemon.floor.views import News, Person, Role
from daemon.floor.web.call import Call, Web
from daemon.floor.web.refusals import Refusal
from daemon.floor.web.routes import FLOOR
from daemon.floor.web.speech import event
from daemon.floor.web.streams import Stream

RETRY_MS = 2000
RETRY_REFUSED_MS = 30_000
STALLED_S = 30.0
PIECE = 64 * 1024  # so much waits for one screen, however much it is told
PARTING_S = 2.0
ABORT = "abort"  # in the connection's state: what ends it at once


class LiveStream(Response):
    """One stream, from its picture until the browser goes or it is ended."""

    media_type = "text/event-stream"

    def __init__(self, web: Web, person: Person, stream: Stream) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._web = web
        self._person = person
        self._stream = stream
        self._send: Send
        self._count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell it all; whatever ends it, nothing of it is left."""
        self._send = send
        try:
            start = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **start})
            if not (await self._told(receive) and await self._parted()):
                scope["state"][ABORT]()  # else what it never read stays in memory
                await _left(receive)
        finally:
            self._web.streams.close(self._stream)

    async def _told(self, receive: Receive) -> bool:
        """Tell the news; False if nobody reads them."""
        over = self._stream.over
        if over.done():
            return True
        screen = f"{self._person.login}/{self._stream.screen}"
        with self._web.floor.listen(self._person, screen) as news:
            speaking = asyncio.create_task(self._speak(news), name="live")
            leaving = asyncio.create_task(_left(receive), name="live left")
            any_of: set[asyncio.Future[Any]] = {speaking, leaving, over}
            try:
                await asyncio.wait(any_of, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (speaking, leaving):
                    task.cancel()
                await asyncio.wait({speaking, leaving})
        if not speaking.cancelled() and (fault := speaking.exception()):
            if not isinstance(fault, TimeoutError):
                raise fault
            return False
        return True

    async def _speak(self, heard: AsyncIterator[Sequence[News]]) -> None:
        boot = ""
        await self._say(b"retry: %d\n\n" % RETRY_MS)
        async for several in heard:
            said = bytearray()
            for news in several:
                if news.kind == "picture":
                    boot = str(news.view.get("boot", ""))
                self._count += 1
                said += b"id: %b-%d\n" % (boot.encode(), self._count)
                said += self._web.speech.of(news)
                while len(said) > PIECE:
                    await self._say(bytes(said[:PIECE]))
                    del said[:PIECE]
            await self._say(bytes(said))
            # An open page is somebody who is there.
            self._web.people.seen(self._stream.session)

    async def _parted(self) -> bool:
        """Say why it ends, to whoever still reads; whether anybody did."""
        reason = self._stream.over.result() if self._stream.over.done() else "restart"
        retry_ms = RETRY_REFUSED_MS if reason == "too-many" else RETRY_MS
        last = b"retry: %d\n" % retry_ms + event("ended", {"reason": reason})
        with suppress(TimeoutError):
            async with asyncio.timeout(PARTING_S):
                await self._send({"type": "http.response.body", "body": last, "more_body": False})
            return True
        return False

    async def _say(self, lines: bytes) -> None:
        async with asyncio.timeout(STALLED_S):
            await self._send({"type": "http.response.body", "body": lines, "more_body": True})


async def _left(receive: Receive) -> None:
    """Until the browser is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def live(call: Call) -> Response:
    """The stream of a page, or of a wall, whoever opens it: it shows a wall's alerts only."""
    role: Role = "wall" if call.asked.view == "wall" else call.role
    if role == "wall" and call.role not in FLOOR:
        raise Refusal("not-allowed")
    if call.request.method == "HEAD":
        return Response(media_type="text/event-stream")
    person = Person(call.known.login, call.known.name, role)
    stream = call.web.streams.open(call.opened, call.asked.screen)
    return LiveStream(call.web, person, stream)
