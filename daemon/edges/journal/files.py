"""The journal's files: their names, their lines as they stand, the folder that one process has."""

from __future__ import annotations

import errno
import fcntl
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import structlog

from daemon.chain import parted

LINE_BYTES_MAX = 1 << 20
SUFFIX = ".journal"

_PART = re.compile(r"([0-9]{8}T[0-9]{6}Z)(?:\.([1-9][0-9]{0,5}))?")

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


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line as it stands in its file: its number, its words, its check (b"" without one).

    One that is not `whole` is the last one, torn.
    """

    number: int
    words: bytes
    check: bytes
    whole: bool = True


def part_path(folder: Path, name: str, part: int) -> Path:
    """The file of a journal's part; the first has no number."""
    return folder / (f"{name}{SUFFIX}" if part == 1 else f"{name}.{part}{SUFFIX}")


def part_of(path: Path) -> tuple[str, int] | None:
    """The journal's name and the part's number; None where no daemon names a file so."""
    found = _PART.fullmatch(path.name.removesuffix(SUFFIX)) if path.suffix == SUFFIX else None
    return (found[1], int(found[2] or 1)) if found else None


def journal_of(path: Path) -> str:
    """The journal's name; "" where no daemon names a file so."""
    return (part_of(path) or ("", 0))[0]


def parts_in(folder: Path) -> list[Path]:
    """Every part of every journal in this folder, oldest first."""
    found = [(part, path) for path in folder.glob(f"*{SUFFIX}") if (part := part_of(path))]
    return [path for _, path in sorted(found)]


def parts_from(path: Path) -> list[Path]:
    """This part, whatever it is called, and those of its journal that follow it."""
    parts = [path]
    name, part = part_of(path) or ("", 0)
    while name and (later := part_path(path.parent, name, part + 1)).exists():
        parts.append(later)
        part += 1
    return parts


def latest_journal(folder: Path) -> Path | None:
    """The oldest part that is there of the youngest journal of this folder."""
    parts = parts_in(folder)
    return next((path for path in parts if journal_of(path) == journal_of(parts[-1])), None)


def file_lines(path: Path) -> Iterator[FileLine]:
    """The lines of a file; raises JournalError where it cannot be read.

    A line's check is told from its words where the first line, a header, names a chain.
    """
    number, is_chained = 0, False
    try:
        with path.open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX):
                number += 1
                is_whole = line.endswith(b"\n") or _has_a_line_end(file)
                words = line.removesuffix(b"\n")
                if number == 1:
                    is_chained = b'"chain":"' in words
                if is_chained:
                    yield FileLine(number, *parted(words), is_whole)
                else:
                    yield FileLine(number, words, b"", is_whole)
    except OSError as error:
        raise JournalError(path, 0, f"cannot be read: {error.strerror}") from None


def _has_a_line_end(file: BinaryIO) -> bool:
    """Whether what follows has one: a power cut may leave zeros without end, which are no line."""
    return any(b"\n" in more for more in iter(lambda: file.read(LINE_BYTES_MAX), b""))


class Folder:
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

    def create(self, name: str, part: int) -> int:
        """The file of this part, made or, where it is there, to be added to; raises OSError."""
        if self._fd is None:
            self._hold()
        flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        path = part_path(self.path, name, part)
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


def _set_torn_line_aside(path: Path) -> None:
    """Move what stands behind the last whole line into a file beside; raises OSError."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        start = end = os.fstat(fd).st_size
        while start:  # a power cut may leave more zeros than the longest line has bytes
            tail = os.pread(fd, min(LINE_BYTES_MAX, start), start - min(LINE_BYTES_MAX, start))
            start -= len(tail)
            if b"\n" in tail:
                start += tail.rindex(b"\n") + 1
                break
        if start < end:
            _move(fd, start, end, path.with_suffix(".torn"))
            log.warning("torn line set aside", journal=path.name)
    finally:
        os.close(fd)


def _move(fd: int, start: int, end: int, to: Path) -> None:
    aside = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    to_fd = os.open(to, aside, 0o600)
    try:
        for at in range(start, end, LINE_BYTES_MAX):
            torn = os.pread(fd, min(LINE_BYTES_MAX, end - at), at)
            while torn:
                torn = torn[os.write(to_fd, torn) :]
    finally:
        os.close(to_fd)
    os.ftruncate(fd, start)
