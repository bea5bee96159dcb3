"""Reports as files: made in threads, followed, fetched, stopped; a few at a time, for their owner.

A file lies in no folder: it is an unnamed temporary one, and gone with this process.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO, Literal

from daemon.edges import logs
from daemon.floor.history.asking import Question
from daemon.floor.people.sessions import Session
from daemon.floor.report.made import Form, Reports, Wanted
from daemon.floor.web import forms
from daemon.floor.web.refusals import Refusal

AT_ONCE = 2
PER_SESSION_MAX = 3
IN_ALL_MAX = 24
KEPT_S = 900.0
PIECE = 64 * 1024
IN_MEMORY = 256 * 1024
MEDIA = {"csv": "text/csv; charset=utf-8", "pdf": "application/pdf", "svg": "image/svg+xml"}

log = logs.get("web")


class Stopped(Exception):  # noqa: N818 - what was asked for
    """Nobody wants this file any more."""


@dataclass(eq=False, slots=True)
class Export:
    """One file on its way."""

    id: str
    session: Session
    form: Form
    name: str
    file: IO[bytes] = field(repr=False)
    state: Literal["making", "ready", "failed"] = "making"
    done: int = 0
    of: int = 0
    stopped: bool = False
    old: asyncio.TimerHandle | None = None

    def progress(self, done: int, of: int) -> None:
        """How far it is; raises Stopped, in its thread."""
        if self.stopped:
            raise Stopped
        self.done, self.of = done, of

    @property
    def seen(self) -> forms.ExportSeen:
        """As its owner sees it."""
        where = f"/api/exports/{self.id}/file" if self.state == "ready" else None
        return forms.ExportSeen(self.id, self.form, self.state, self.done, self.of, where)


class Exports:
    """All files on their way, and those that wait to be fetched."""

    def __init__(self, reports: Reports, *, kept_s: float = KEPT_S) -> None:
        self._reports = reports
        self._kept_s = kept_s
        self._known: dict[str, Export] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="export")

    def __len__(self) -> int:
        return len(self._known)

    def begin(
        self, session: Session, asked: forms.ExportSent, question: Question, language: str
    ) -> Export:
        """Begin one; raises Refusal where there are too many."""
        mine = [each for each in self._known.values() if each.session is session]
        if len(mine) >= PER_SESSION_MAX:
            done = [each for each in mine if each.state != "making"]
            if not done:
                raise Refusal("too-many", 5.0)
            self.end(done[0])
        if len(self._known) >= IN_ALL_MAX:
            raise Refusal("too-many", 30.0)
        made = Export(
            secrets.token_urlsafe(12), session, asked.format, f"floorcall.{asked.format}",
            tempfile.SpooledTemporaryFile(IN_MEMORY),  # noqa: SIM115 - closed by `end`
        )  # fmt: skip
        self._known[made.id] = made
        loop = asyncio.get_running_loop()
        wanted = Wanted(asked.format, language, round(time.time() * 1000), asked.chart)
        work = loop.run_in_executor(self._threads, self._make, made, question, wanted)
        made.old = loop.call_later(self._kept_s, self.end, made)
        work.add_done_callback(lambda _: made.stopped and made.file.close())
        return made

    def _make(self, made: Export, question: Question, wanted: Wanted) -> None:
        """In a thread: whatever goes wrong is this file's matter alone."""
        try:
            made.progress(0, 0)
            self._reports.write(question, wanted, made.file, made.progress)
            made.progress(made.of, made.of)
        except Stopped:
            made.state = "failed"
        except Exception as error:
            made.state = "failed"
            log.warning("export failed", format=made.form, exc_info=error)
        else:
            made.state = "ready"

    def find(self, name: str, session: Session) -> Export:
        """The one of this id, if it is his own; else Refusal."""
        found = self._known.get(name)
        if found is None or found.session is not session:
            raise Refusal("unknown-export")
        return found

    def end(self, export: Export) -> None:
        """Stop making it, or let it go; a thread that is at it closes the file behind itself."""
        if self._known.pop(export.id, None) is None:
            return
        if export.old is not None:
            export.old.cancel()
        export.stopped = True
        if export.state != "making":
            export.file.close()

    def end_of(self, sessions: list[Session]) -> None:
        """Those of sessions that are over."""
        for each in [each for each in self._known.values() if each.session in sessions]:
            self.end(each)

    def stop(self) -> None:
        """All of them end; `close` waits for their threads."""
        for each in list(self._known.values()):
            self.end(each)

    def close(self) -> None:
        """Wait for the threads; nothing is made any more."""
        self._threads.shutdown(wait=True, cancel_futures=True)


async def pieces(found: Export) -> AsyncIterator[bytes]:
    """The file, piece by piece."""
    place = 0
    while not found.file.closed:
        found.file.seek(place)
        piece = found.file.read(PIECE)
        if not piece:
            return
        place += len(piece)
        yield piece
