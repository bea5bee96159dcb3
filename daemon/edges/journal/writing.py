"""The journal being written: before its words count, whatever the disk does."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import structlog

from daemon.chain import BEGINNING, Chain
from daemon.edges.journal.files import Folder
from daemon.edges.journal.syncing import Syncer
from daemon.signals import Signal
from daemon.transcript import Header, Scribe

HELD_BYTES_MAX = 8 << 20
RETRY_MS = 1_000

log = structlog.get_logger(part="journal")


class Journal:
    """A journal being written: 0600, in a folder of its own that only one process writes to.

    What `signal` and `sent` take down is written with the next `write`, `published` or `remark`, at
    one go. What is written is in the kernel's hands when the call returns, and so outlives this
    process; `sync` asks a thread to bring it to the disk and waits for nothing. Where the disk
    refuses, the lines are held in memory and written once it takes them again; beyond
    `HELD_BYTES_MAX` they are lost and counted. A file of this part that is there already, of
    `lines` whole lines, is added to. `trouble` says why nothing is written, None while it is.

    Every line is chained to those before it, from `header.chain` on, or from the beginning.
    """

    def __init__(
        self, folder: Path, header: Header, *, size_max: int = 64 << 20, lines: int = 0
    ) -> None:
        self.trouble: str | None = None
        self.header = header
        self._folder = Folder(folder)
        self._size_max = size_max
        self._syncer = Syncer()
        self._fd: int | None = None
        self._scribe = Scribe()
        self._chain = Chain(header.chain or BEGINNING)
        self._taken: list[str] = []
        self._held = bytearray()
        self._lost = 0
        self._size = 0
        self._line_count = header.line + lines
        self._retry_ms = 0
        self._head(header.at_ms)

    @property
    def full(self) -> bool:
        """Whether a new part should begin as soon as no hand is being played."""
        return self._size >= self._size_max

    def signal(self, signal: Signal) -> None:
        """Take down what the world said, before it is acted on."""
        self._taken += self._scribe.signal(signal)

    def sent(self, at_ms: int, port: str, data: bytes) -> None:
        """Take down what was sent to a port."""
        self._taken += self._scribe.sent(at_ms, port, data)

    def write(self, at_ms: int) -> None:
        """Write what was taken down."""
        self._chained()
        if self._held:
            self._write(at_ms)

    def published(self, at_ms: int, alert: bytes) -> None:
        """Write down an alert about to be published, and before it all that proves it."""
        self._taken += self._scribe.published(at_ms, alert)
        self.write(at_ms)

    def remark(self, at_ms: int, words: str) -> None:
        """Note something about the program itself."""
        self._taken += self._scribe.remark(at_ms, words)
        self.write(at_ms)

    def sync(self) -> None:
        """Bring to the disk what was written so far, in a thread; waits for nothing."""
        if self._fd is not None:
            self._syncer.ask(self._fd)

    def rotate(self, at_ms: int) -> None:
        """Begin a new part; to be called between two hands only."""
        self._taken += self._scribe.flush()
        self.write(at_ms)
        if self._fd is None or self._held:
            return
        self._syncer.retire(self._fd)
        self._fd = None
        self._size = 0
        changes = {"part": self.header.part + 1, "line": self._line_count, "after": ""}
        self.header = msgspec.structs.replace(self.header, **changes)
        self._head(at_ms)

    def close(self, at_ms: int, words: str | None = "stopped") -> None:
        """Write what is left, bring it to the disk, let go of the file; may take a sync's time."""
        self._retry_ms = at_ms
        if words is not None:
            self.remark(at_ms, words)
        if self._fd is not None:
            self._syncer.retire(self._fd)
            self._fd = None
        self._syncer.close()
        self._folder.close()

    def _head(self, at_ms: int) -> None:
        """Write the header: where a part or a run begins, and behind lines that were lost."""
        self._chained()
        self.header = msgspec.structs.replace(self.header, at_ms=at_ms, chain=self._chain.head)
        self._taken += self._scribe.header(self.header)
        self.write(at_ms)

    def _chained(self) -> None:
        """Chain what was taken down; what memory cannot hold is lost."""
        for line in self._taken:
            words = line.encode()
            if self._lost or len(self._held) + len(words) > HELD_BYTES_MAX:
                self._lost += 1
            else:
                self._held += self._chain.link(words) + b"\n"
                self._line_count += 1
        self._taken.clear()

    def _write(self, at_ms: int) -> None:
        if self.trouble is not None and at_ms < self._retry_ms:
            return
        try:
            if self._fd is None:
                self._fd = self._folder.create(self.header.name, self.header.part)
                self._size = os.fstat(self._fd).st_size
            while self._held:
                written = os.write(self._fd, self._held)
                self._size += written
                del self._held[:written]
        except OSError as error:
            self._retry_ms = at_ms + RETRY_MS
            if self.trouble is None:
                self.trouble = error.strerror or "cannot be written"
                log.warning("journal held in memory", reason=self.trouble)
            return
        if self.trouble is not None:
            self._written_again(at_ms)

    def _written_again(self, at_ms: int) -> None:
        self.trouble = None
        if (
            self._lost
        ):  # what is being counted, and was remembered, may stand in a line that is lost
            self._lost += len(self._scribe.flush())
        log.info("journal written again", lost_lines=self._lost)
        lost, self._lost = self._lost, 0
        if lost:
            self._head(at_ms)
            self.remark(at_ms, f"{lost} lines lost")
