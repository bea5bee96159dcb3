"""The journal's file: written before its words count, synced in a thread, read back."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import structlog

from daemon.signals import Signal
from daemon.transcript import BEGUN_AGAIN, BadLine, Entry, Header, Reader, Remark, Scribe

HELD_BYTES_MAX = 8 << 20
RETRY_MS = 1_000
RESUME_S = 900
RESUME_BYTES_MAX = 4 << 20
LINE_BYTES_MAX = 1 << 20
LOOKED_BACK = 4
SUFFIX = ".journal"

log = structlog.get_logger(part="journal")


class JournalError(Exception):
    """A journal that cannot be used: file, line and what is wrong with it; never what it says."""

    def __init__(self, path: Path, line: int, what: str) -> None:
        super().__init__(path, line, what)
        self.path = path
        self.line = line
        self.what = what

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}" if self.line else f"{self.path}: {self.what}"


class Journal:
    """A journal being written: 0600, in a folder of its own that only one process writes to.

    What `signal` and `sent` take down is written with the next `write`, `published` or `remark`, at
    one go. What is written is in the kernel's hands when the call returns, and so outlives this
    process; `sync` asks a thread to bring it to the disk and waits for nothing. Where the disk
    refuses, the lines are held in memory and written once it takes them again; beyond
    `HELD_BYTES_MAX` they are lost and counted. A file of this part that is there already, of
    `lines` whole lines, is added to. `trouble` says why nothing is written, None while it is.
    """

    def __init__(
        self, folder: Path, header: Header, *, size_max: int = 64 << 20, lines: int = 0
    ) -> None:
        self.trouble: str | None = None
        self.header = header
        self._folder = _Folder(folder)
        self._size_max = size_max
        self._syncer = _Syncer()
        self._fd: int | None = None
        self._held = bytearray()
        self._lost = 0
        self._size = 0
        self._line_count = header.line + lines
        self._retry_ms = 0
        self._scribe = Scribe()
        self._lines(header.at_ms, self._scribe.header(header))

    @property
    def full(self) -> bool:
        """Whether a new part should begin as soon as no hand is being played."""
        return self._size >= self._size_max

    def signal(self, signal: Signal) -> None:
        """Take down what the world said, before it is acted on."""
        self._hold(self._scribe.signal(signal))

    def sent(self, at_ms: int, port: str, data: bytes) -> None:
        """Take down what was sent to a port."""
        self._hold(self._scribe.sent(at_ms, port, data))

    def write(self, at_ms: int) -> None:
        """Write what was taken down."""
        if self._held:
            self._write(at_ms)

    def published(self, at_ms: int, alert: bytes) -> None:
        """Write down an alert about to be published, and before it all that proves it."""
        self._lines(at_ms, self._scribe.published(at_ms, alert))

    def remark(self, at_ms: int, words: str) -> None:
        """Note something about the program itself."""
        self._lines(at_ms, self._scribe.remark(at_ms, words))

    def sync(self) -> None:
        """Bring to the disk what was written so far, in a thread; waits for nothing."""
        if self._fd is not None:
            self._syncer.ask(self._fd)

    def rotate(self, at_ms: int) -> None:
        """Begin a new part; to be called between two hands only."""
        self._lines(at_ms, self._scribe.flush())
        if self._fd is None or self._held:
            return
        self._syncer.retire(self._fd)
        self._fd = None
        self._size = 0
        changes = {"at_ms": at_ms, "part": self.header.part + 1, "line": self._line_count}
        self.header = msgspec.structs.replace(self.header, **changes)
        self._lines(at_ms, self._scribe.header(self.header))

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

    def _lines(self, at_ms: int, lines: list[str]) -> None:
        self._hold(lines)
        if lines:
            self._write(at_ms)

    def _hold(self, lines: list[str]) -> None:
        for line in lines:
            if self._lost or len(self._held) + len(line) > HELD_BYTES_MAX:
                self._lost += 1
            else:
                self._held += line.encode() + b"\n"
                self._line_count += 1

    def _write(self, at_ms: int) -> None:
        if self.trouble is not None and at_ms < self._retry_ms:
            return
        try:
            if self._fd is None:
                self._fd = self._folder.create(self.header)
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
            log.info("journal written again", lost_lines=self._lost)
            self.trouble = None
            lost, self._lost = self._lost, 0
            if lost:  # what was remembered may stand in a line that is lost
                again = msgspec.structs.replace(self.header, at_ms=at_ms)
                self._lines(at_ms, self._scribe.header(again))
                self.remark(at_ms, f"{lost} lines lost")


class _Folder:
    """The journal's folder, 0700 and held by one process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        try:
            self._hold()
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                self.close()
                raise JournalError(path, 0, "another floorcall writes here") from None

    def create(self, header: Header) -> int:
        """The file of this part, made or, where it is there, to be added to; raises OSError."""
        if self._fd is None:
            self._hold()
        flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        path = part_path(self.path, header.name, header.part)
        _set_torn_line_aside(path)
        fd = os.open(path, flags, 0o600)
        os.fchmod(fd, 0o600)
        return fd

    def close(self) -> None:
        """Let go of it."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _hold(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


class _Syncer:
    """A thread that brings to the disk what was written: many askings, one sync."""

    def __init__(self) -> None:
        self._asked = threading.Condition()
        self._due: set[int] = set()
        self._retired: list[int] = []
        self._over = False
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def ask(self, fd: int) -> None:
        """Sync this descriptor soon."""
        with self._asked:
            self._due.add(fd)
            self._asked.notify()

    def retire(self, fd: int) -> None:
        """Sync this descriptor and close it."""
        with self._asked:
            self._retired.append(fd)
            self._asked.notify()

    def close(self) -> None:
        """Wait until all is done, and end the thread."""
        with self._asked:
            self._over = True
            self._asked.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._asked:
                while not (self._due or self._retired or self._over):
                    self._asked.wait()
                if not (self._due or self._retired):
                    return
                due, retired = self._due | set(self._retired), self._retired
                self._due, self._retired = set(), []
            for fd in sorted(due):
                try:
                    os.fdatasync(fd)
                except OSError as error:
                    log.warning("journal not synced", reason=error.strerror)
            for fd in retired:
                os.close(fd)


def part_path(folder: Path, name: str, part: int) -> Path:
    """The file of a journal's part; the first has no number."""
    return folder / (f"{name}{SUFFIX}" if part == 1 else f"{name}.{part}{SUFFIX}")


def latest_journal(folder: Path) -> Path | None:
    """The first part of the youngest journal of this folder."""
    firsts = [path for path in folder.glob(f"*{SUFFIX}") if "." not in path.stem]
    return max(firsts, default=None, key=lambda path: path.name)


def read_header(path: Path) -> Header:
    """The header of a journal; raises JournalError."""
    reader = Reader()
    for _ in _entries(path, reader):
        break
    if reader.header is None:
        raise JournalError(path, 1, "is not a journal's header")
    return reader.header


def read_journal(path: Path) -> Iterator[Entry]:
    """The entries of a journal, and of the parts that follow this one.

    A torn last line is set aside; any other line that is not right raises JournalError, after the
    entries before it have come out.
    """
    header = read_header(path)
    reader = Reader()
    part = header.part
    while True:
        yield from _entries(path, reader)
        part += 1
        path = part_path(path.parent, header.name, part)
        if not path.exists():
            return


def published_last(folder: Path) -> list[bytes]:
    """The alerts that the youngest `LOOKED_BACK` files say were published, in order.

    What cannot be read says nothing: it is no reason not to start.
    """
    found: list[bytes] = []
    try:
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[-LOOKED_BACK:]:
            with path.open("rb") as file:
                while words := file.readline(LINE_BYTES_MAX):
                    if words.startswith(b"= ") and words.endswith(b"}\n"):
                        found.append(words.split(b" ", 2)[2][:-1])
    except OSError as error:
        log.warning("what was published last cannot be read", reason=error.strerror)
    return found


@dataclass(frozen=True, slots=True)
class Opening:
    """How a run begins: its header, what the journal that it goes on with holds, and its lines."""

    header: Header
    entries: tuple[Entry, ...] = ()
    lines: int = 0


def open_journal(folder: Path, header: Header, now: datetime, *, may_go_on: bool = True) -> Opening:
    """Go on with the youngest journal, or begin a new one opened `now`.

    It is gone on with where it is of this table, program, rulebook and configuration, was written
    to within `RESUME_S`, is not larger than `RESUME_BYTES_MAX` and can be read. Its times go on by
    the wall clock's difference.
    """
    path = latest_journal(folder)
    if path is not None and may_go_on:
        try:
            found = _resumed(path, header, now)
        except (JournalError, OSError) as error:
            log.warning("journal not gone on with", reason=str(error))
        else:
            if found is not None:
                return found
    opened = now.replace(microsecond=0)
    while True:
        fresh = msgspec.structs.replace(header, opened=f"{opened:%Y-%m-%dT%H:%M:%SZ}")
        if not part_path(folder, fresh.name, 1).exists():
            return Opening(fresh)
        opened += timedelta(seconds=1)  # an alert's id is never used again


def _resumed(path: Path, header: Header, now: datetime) -> Opening | None:
    last, size, part = path, path.stat().st_size, 2
    found = read_header(path)
    while (later := part_path(path.parent, found.name, part)).exists():
        last, size, part = later, size + later.stat().st_size, part + 1
    away_s = now.timestamp() - last.stat().st_mtime
    same = msgspec.structs.replace(header, opened=found.opened, line=found.line)
    if found != same or size > RESUME_BYTES_MAX or not 0 <= away_s <= RESUME_S:
        return None
    entries = tuple(read_journal(path))
    if entries and isinstance(entries[-1], Remark) and entries[-1].words == BEGUN_AGAIN:
        return None  # the last run ended while it went through this: so would this one
    ended_ms = entries[-1].at_ms if entries else 0
    latest = msgspec.structs.replace(
        read_header(last), at_ms=ended_ms + max(1, round(away_s * 1000))
    )
    return Opening(latest, entries, last.read_bytes().count(b"\n"))


def _entries(path: Path, reader: Reader) -> Iterator[Entry]:
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX):
                number += 1
                if not line.endswith(b"\n") and len(line) < LINE_BYTES_MAX:
                    return  # torn
                yield from reader.take(line[:-1].decode())
    except UnicodeDecodeError:
        raise JournalError(path, number, "is not UTF-8") from None
    except BadLine as error:
        raise JournalError(path, number, str(error)) from None
    except OSError as error:
        raise JournalError(path, 0, f"cannot be read: {error.strerror}") from None


def _set_torn_line_aside(path: Path) -> None:
    """Move what stands behind the last whole line into a file beside; raises OSError."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        size = os.fstat(fd).st_size
        start = max(0, size - LINE_BYTES_MAX)
        tail = os.pread(fd, LINE_BYTES_MAX, start)
        torn = tail[tail.rfind(b"\n") + 1 :]
        if torn:
            aside = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
            to = os.open(path.with_suffix(".torn"), aside, 0o600)
            try:
                os.write(to, torn)
            finally:
                os.close(to)
            os.ftruncate(fd, size - len(torn))
            log.warning("torn line set aside", journal=path.name)
    finally:
        os.close(fd)
