"""The journal being written: before its words count, whatever the disk does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import msgspec
import structlog

from daemon.chain import BEGINNING, Chain
from daemon.edges.journal.files import Folder, part_path
from daemon.edges.journal.keeping import Care, note, prune
from daemon.edges.journal.sealing import KEPT_MAX, Seal
from daemon.edges.journal.syncing import Syncer
from daemon.signals import Signal
from daemon.transcript import HAND, OVER, Header, Scribe

HELD_BYTES_MAX = 8 << 20
RETRY_MS = 1_000
IDLE_BYTES = 2 << 20  # so much a restart goes through, where nobody plays
CARRIED_BYTES_MAX = 256 << 10  # alerts that nobody has seen to; a line of the file has 1 MB at most
OPEN = (b"#", b"%", b"=")  # in a sealed journal too: headers and remarks, keys, what all may know

USUAL = Care()

log = structlog.get_logger(part="journal")


class Journal:
    """A journal being written: 0600, in a folder of its own that only one process writes to.

    What `signal` and `sent` take down is written with the next `write`, `published` or `remark`, at
    one go. What is written is in the kernel's hands when the call returns, and so outlives this
    process; `sync` asks a thread to bring it to the disk and waits for nothing. Where the disk
    refuses, the lines are held in memory and written once it takes them again; beyond
    `HELD_BYTES_MAX` they are lost and counted. A file of this part that is there already, of
    `lines` whole lines, is added to. `trouble` says why nothing is written, None while it is.

    Every line is chained to those before it, from `header.chain` on, or from the beginning. With a
    `seal` all but headers and remarks is closed before it is written, under a key of each hand's
    own. `care` says what becomes of older parts.
    """

    def __init__(
        self,
        folder: Path,
        header: Header,
        *,
        lines: int = 0,
        seal: Seal | None = None,
        care: Care = USUAL,
    ) -> None:
        self.trouble: str | None = None
        self.header = header
        self._folder = Folder(folder)
        self._care = care
        self._seal = seal
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
        self._hand: str | None = None
        self._carried_size = 0
        self._head(header.at_ms, older_keys=KEPT_MAX if lines else 0)

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

    def hand(
        self, at_ms: int, hand: str | None, carried: Callable[[], bytes | None] = lambda: None
    ) -> None:
        """Which hand is being played, None between two; to be called with every tick.

        Where one begins or ends the journal says so and is synced. Once one is over its key is
        forgotten, a new part begins where this one is full, and older ones are seen to. `carried`
        gives what a line made anew must know to go on from here, or None where none can.
        """
        if hand == self._hand:
            grown = self._size - self._carried_size
            if hand is None and grown >= min(IDLE_BYTES, self._care.size_max):
                self._go_on_from_here(at_ms, hand, carried())  # nobody plays
            return
        before, self._hand = self._hand, hand
        self.remark(at_ms, OVER if hand is None else f"{HAND} {hand}")
        self.sync()
        if before is not None:
            self._go_on_from_here(at_ms, hand, carried())
            self._see_to_parts()

    def _go_on_from_here(self, at_ms: int, hand: str | None, carried: bytes | None) -> None:
        """Write what a restart goes on from, in a new part where it is time for one.

        The keys of what came before are kept no longer, unless the hand that has begun can be gone
        on with from an earlier moment only.
        """
        if hand is None and self._size >= self._care.size_max:
            self._rotate(at_ms)
        else:
            self._new_key(KEPT_MAX if hand is not None and carried is None else 0)
        if carried is not None and len(carried) <= CARRIED_BYTES_MAX:
            self._taken += self._scribe.carried(at_ms, carried)
        self.write(at_ms)
        self._carried_size = self._size

    def _rotate(self, at_ms: int) -> None:
        self._taken += self._scribe.flush()
        self.write(at_ms)
        if self._fd is None or self._held:
            return
        self._syncer.retire(self._fd)
        self._fd = None
        self._size = 0
        changes = {"part": self.header.part + 1, "line": self._line_count, "after": ""}
        self.header = msgspec.structs.replace(self.header, **changes)
        self._head(at_ms, older_keys=0)

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

    def _see_to_parts(self) -> None:
        """Note the chain's head, and let old parts go, in the thread, once all is on the disk."""
        if self._held:
            return
        folder, care = self._folder.path, self._care
        path = part_path(folder, self.header.name, self.header.part)
        lines, head = self._line_count - self.header.line, self._chain.head
        self._syncer.after(lambda: note(care, path, lines, head))
        self._syncer.after(lambda: prune(care, path))

    def _head(self, at_ms: int, older_keys: int) -> None:
        """Write the header: where a part or a run begins, and behind lines that were lost."""
        self._chained()
        self.header = msgspec.structs.replace(
            self.header,
            at_ms=at_ms,
            chain=self._chain.head,
            again=self._line_count > self.header.line,
            sealed="" if self._seal is None else self._seal.told,
        )
        self._taken += self._scribe.header(self.header)
        self.header = msgspec.structs.replace(self.header, since=None)
        self._new_key(older_keys)
        self.write(at_ms)

    def _new_key(self, older: int) -> None:
        if self._seal is not None:
            self._chained()
            self._taken.append(self._seal.renew(older).decode())

    def _chained(self) -> None:
        """Chain what was taken down; what memory cannot hold is lost."""
        lines = [line.encode() for line in self._taken]
        self._taken.clear()
        for words in lines if self._seal is None else self._sealed(self._seal, lines):
            if self._lost or len(self._held) + len(words) > HELD_BYTES_MAX:
                self._lost += 1
            else:
                self._held += self._chain.link(words) + b"\n"
                self._line_count += 1

    def _sealed(self, seal: Seal, lines: list[bytes]) -> Iterator[bytes]:
        """What is written of these lines: those that stand open, the others closed together."""
        for is_open, group in groupby(lines, key=lambda words: words.startswith(OPEN)):
            together = list(group)
            yield from together if is_open else seal.close(together, self.header.name)

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
                self.trouble, folder = error.strerror or "cannot be written", str(self._folder.path)
                log.warning("journal held in memory", folder=folder, reason=self.trouble)
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
            self._head(at_ms, older_keys=KEPT_MAX)
            self.remark(at_ms, f"{lost} lines lost")
