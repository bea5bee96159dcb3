"""What becomes of a journal's parts: let go by age, number and room, but those that are held."""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import structlog

from daemon.edges.journal.files import JournalError, file_lines, journal_of, part_path, parts_in
from daemon.edges.journal.reading import read_header

HOLDS = "holds"
DAY_S = 86_400

_NAME = r"[0-9]{8}T[0-9]{6}Z"
_WANTED = re.compile(rf"(?:[^:]*:)?({_NAME})(?::([A-Za-z0-9._-]{{1,32}})(?::.*)?)?")
_FILE = rf"{_NAME}(?:\.[0-9]+)?\.journal"
_HOLD = re.compile(rf"\S+ (?:hold (\S+) ({_FILE}(?: {_FILE})*)|release (\S+))")
_MARK = re.compile(rb"# [0-9]+ hand(?: over| ([A-Za-z0-9._-]{1,32}))")

log = structlog.get_logger(part="journal")


@dataclass(frozen=True, slots=True)
class Care:
    """How long parts are kept, and where heads are noted.

    A new part begins beyond `size_max` bytes. Parts older than `days`, more than `parts`, or as
    many as must go for `free` bytes on the disk, are let go, oldest first; None: never for that.
    """

    size_max: int = 16 << 20
    days: int | None = None
    parts: int | None = None
    free: int | None = None
    heads: Path | None = None


def note(care: Care, path: Path, lines: int, head: str) -> None:
    """Add the chain's head behind so many lines of this part to the file of heads."""
    if care.heads is None:
        return
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        fd = os.open(care.heads, flags, 0o600)
        try:
            now = datetime.now(UTC)
            os.write(fd, f"{now:%Y-%m-%dT%H:%M:%SZ} {path.name} {lines} {head}\n".encode())
        finally:
            os.close(fd)
    except OSError as error:
        log.warning("journal's head not noted", reason=error.strerror)


# --- letting go ---------------------------------------------------------------------------------


def prune(care: Care, in_use: Path) -> list[Path]:
    """Let go of the parts beside this one that nobody asked to keep; those that went.

    Only files that the daemon itself wrote for this table are touched, and none that is held; while
    the holds cannot be read, none.
    """
    if (care.days, care.parts, care.free) == (None, None, None):
        return []
    folder, gone = in_use.parent, []
    try:
        with _Holds(folder) as holds:
            kept = {name for names in holds.names.values() for name in names} | {in_use.name}
            table = read_header(in_use).table
            there = parts_in(folder)
            for number, path in enumerate(there):
                if not _is_due(care, path, len(there) - number):
                    continue
                if path.name not in kept and _is_ours(path, table):
                    path.unlink()
                    with suppress(FileNotFoundError):
                        path.with_suffix(".torn").unlink()
                    gone.append(path)
    except JournalError as error:
        log.warning("old journals kept", reason=str(error))
    if gone:
        log.info("old journals let go", parts=len(gone))
    return gone


def _is_due(care: Care, path: Path, from_the_end: int) -> bool:
    """Whether this part may go, which is so many from the youngest one, itself counted."""
    if care.parts is not None and from_the_end > care.parts:
        return True
    if care.days is not None and path.stat().st_mtime < time.time() - care.days * DAY_S:
        return True
    disk = os.statvfs(path.parent)
    return care.free is not None and disk.f_bavail * disk.f_frsize < care.free


def _is_ours(path: Path, table: str) -> bool:
    found = path.lstat()
    try:
        is_journal = read_header(path).table == table
    except JournalError:
        return False
    return is_journal and stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()


# --- holding ------------------------------------------------------------------------------------


def hold(folder: Path, hand: str) -> list[Path]:
    """Hold the parts that have this hand, or this whole journal, so that none is let go.

    `hand` is an alert's id, or journal:hand, or a journal's name. Raises JournalError.
    """
    name, number = _wanted(folder, hand)
    with _Holds(folder) as holds:
        parts = _parts_of(folder, name, number)
        files = " ".join(path.name for path in parts)
        holds.add(f"hold {_key(name, number)} {files}")
    return parts


def release(folder: Path, hand: str) -> None:
    """Hold this hand no longer; raises JournalError where it is not held."""
    name, number = _wanted(folder, hand)
    with _Holds(folder) as holds:
        if _key(name, number) not in holds.names:
            what = f"{hand} is not held: floorcall journal list shows what is"
            raise JournalError(folder, 0, what)
        holds.add(f"release {_key(name, number)}")


def _key(name: str, number: str | None) -> str:
    return f"{name}:{number}" if number else name


@dataclass(frozen=True, slots=True)
class Part:
    """A part as it lies in its folder: the hands that begin in it, and what it is held for."""

    path: Path
    size: int
    hands: tuple[str, ...]
    held_for: tuple[str, ...]


def parts_kept(folder: Path) -> list[Part]:
    """Every part in this folder, oldest first; raises JournalError."""
    with _Holds(folder) as holds:
        return [
            Part(
                path,
                path.stat().st_size,
                tuple(hand for hand, _ in _marks(path) if hand),
                tuple(key for key, names in holds.names.items() if path.name in names),
            )
            for path in parts_in(folder)
        ]


def _wanted(folder: Path, hand: str) -> tuple[str, str | None]:
    found = _WANTED.fullmatch(hand)
    if found is None:
        what = (
            "is no hand: give an alert's id, journal:hand as in 20261129T201331Z:12, or a journal"
        )
        raise JournalError(folder, 0, f"{hand[:80]!r} {what}")
    return found[1], found[2]


def _parts_of(folder: Path, name: str, hand: str | None) -> list[Path]:
    """The parts of a journal that have this hand: from the mark before its own to the one after."""
    parts = [path for path in parts_in(folder) if journal_of(path) == name]
    if not parts:
        raise JournalError(part_path(folder, name, 1), 0, "is not there")
    if hand is None:
        return parts
    marks = [(at, *mark) for at, path in enumerate(parts) for mark in _marks(path)]
    found: dict[Path, None] = {}
    for number, (_, mark, _) in enumerate(marks):
        if mark == hand:
            at, _, is_last = marks[number - 1] if number else (0, "", False)
            first = at + is_last  # with the mark a part was over
            last = marks[number + 1][0] if number + 1 < len(marks) else len(parts)
            found |= dict.fromkeys(parts[first : last + 1])
    if not found:
        raise JournalError(parts[0], 0, f"has no mark of hand {hand}, nor has any part of it here")
    return list(found)


def _marks(path: Path) -> list[tuple[str, bool]]:
    """The hands that this part marks as begun ("": over), and whether that is its last line."""
    marks: list[tuple[str, bool]] = []
    last = b""
    for line in file_lines(path):
        last = line.words
        if last.startswith(b"# ") and (found := _MARK.fullmatch(last)):
            marks.append(((found[1] or b"").decode(), False))
    if marks and _MARK.fullmatch(last):
        marks[-1] = (marks[-1][0], True)
    return marks


class _Holds:
    """The file of holds, one's own meanwhile: what is held for what, by file names.

    It is only added to, so that it tells what was held when; raises JournalError.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / HOLDS
        self.names: dict[str, tuple[str, ...]] = {}
        try:
            self._fd = _open(self.path)
        except OSError as error:
            raise JournalError(self.path, 0, f"cannot be opened: {error.strerror}") from None

    def __enter__(self) -> Self:
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        words = os.pread(self._fd, os.fstat(self._fd).st_size, 0)
        for number, line in enumerate(words.decode(errors="replace").splitlines(keepends=True), 1):
            if not line.endswith("\n"):
                break  # the power went while it was written
            if not (found := _HOLD.fullmatch(line.strip())):
                self.close()
                raise JournalError(self.path, number, "is no hold")
            self.names.pop(found[1] or found[3], None)
            if found[1]:
                self.names[found[1]] = tuple(found[2].split())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others have it."""
        os.close(self._fd)

    def add(self, words: str) -> None:
        """Add a line, on the disk when this returns."""
        now = datetime.now(UTC)
        try:
            os.write(self._fd, f"{now:%Y-%m-%dT%H:%M:%SZ} {words}\n".encode())
            os.fsync(self._fd)
        except OSError as error:
            raise JournalError(self.path, 0, f"cannot be written: {error.strerror}") from None


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
        owner = path.parent.stat()  # root may ask, and the daemon must be able to read it
        if os.geteuid() == 0:
            os.fchown(fd, owner.st_uid, owner.st_gid)
        return fd
