"""A deck's file on the disk: the map written whole or not at all, and an enrolment's kept state.

Of `decks/red.toml` the kept state is `decks/red.toml.part` and the record of who enrolled and
checked it `decks/red.toml.log`; all three are 0600. No message repeats what a file says.
"""

from __future__ import annotations

import fcntl
import os
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from daemon.table.decks import is_deck

PART, LOG, NEW = ".part", ".log", ".new"
MODE = 0o600
GROUP_READS = 0o040
OTHERS = 0o007
HEAD = b"floorcall enrolment 1\n"
PART_BYTES_MAX = 1 << 20
_LINE = re.compile(r"(?:\+ ([2-9TJQKA][cdhs]) ([0-9a-f]{8,24})|- ([2-9TJQKA][cdhs])|by (.+))")

Entry = tuple[str, str]  # card, UID


class DeckFileError(Exception):
    """A deck's file that cannot be read or written: which one, and why."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(path, what)
        self.path = path
        self.what = what

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def write_map(path: Path, text: bytes) -> None:
    """Put a map in place of the one that is there; whenever this is cut short, one is there whole.

    The file keeps its owner and group, and its group's right to read it unless everybody had that.
    A new one that root writes into a folder of another group, as `/etc/floorcall/decks`, is for
    that group to read.
    """
    path = Path(os.path.realpath(path))
    new = path.with_name(path.name + NEW)
    try:
        new.unlink(missing_ok=True)  # of a time when this was cut short
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, MODE)
        try:
            _own(fd, path)
            _write(fd, text)
            os.fsync(fd)
        finally:
            os.close(fd)
        new.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise DeckFileError(path, f"cannot be written: {error.strerror}") from None


def add_log(path: Path, line: bytes) -> None:
    """Add a line to the record beside a deck's file."""
    log = _beside(path, LOG)
    try:
        fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, MODE)
        try:
            _write(fd, line + b"\n")
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise DeckFileError(log, f"cannot be written: {error.strerror}") from None


def part_count(path: Path) -> int:
    """How many cards an interrupted enrolment of this deck has, 0 where there is none."""
    try:
        entries, _, _ = _parsed(_beside(path, PART).read_bytes())
    except (OSError, ValueError):
        return 0
    return len(entries)


class Part:
    """The kept state of an enrolment, one process's alone: `entries`, and `laid_by`, who laid them.

    A line is added and synced for each change, so that a power cut loses no card; a torn last line
    is dropped. With `anew` what was kept is forgotten. Raises DeckFileError, where no map could be
    written in the end too.
    """

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        _check_place(path)
        self.path = _beside(path, PART)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
            self._fd = os.open(self.path, flags, MODE)
        except OSError as error:
            raise DeckFileError(self.path, f"cannot be written: {error.strerror}") from None
        try:
            self._lock()
            self.entries, self.laid_by = self._begun(anew=anew)
        except OSError as error:
            self.close()
            raise DeckFileError(self.path, f"cannot be written: {error.strerror}") from None
        except DeckFileError:
            self.close()
            raise

    def keep(self, entries: Iterable[Entry], laid_by: Iterable[str]) -> None:
        """Bring the file to this state."""
        entries, laid_by = tuple(entries), tuple(laid_by)
        added = [f"+ {card} {uid}" for card, uid in entries if (card, uid) not in self.entries]
        gone = [f"- {card}" for card, uid in self.entries if (card, uid) not in entries]
        names = [f"by {name}" for name in laid_by if name not in self.laid_by]
        lines = [*names, *gone, *added]
        if not lines:
            return
        try:
            _write(self._fd, "".join(f"{line}\n" for line in lines).encode())
            os.fsync(self._fd)
        except OSError as error:
            raise DeckFileError(self.path, f"cannot be written: {error.strerror}") from None
        self.entries, self.laid_by = entries, laid_by

    def discard(self) -> None:
        """Forget what was kept."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _lock(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DeckFileError(self.path, "this deck is being enrolled already") from None

    def _begun(self, *, anew: bool) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
        os.fchmod(self._fd, MODE)
        text = b"" if anew else os.pread(self._fd, PART_BYTES_MAX, 0)
        try:
            entries, laid_by, whole = _parsed(text)
        except ValueError:
            raise DeckFileError(self.path, "cannot be gone on with; --anew begins anew") from None
        os.ftruncate(self._fd, whole)
        if not whole:
            _write(self._fd, HEAD)
            os.fsync(self._fd)
            _sync_folder(self.path.parent)
        return tuple(entries.items()), tuple(laid_by)


def _check_place(path: Path) -> None:
    """A folder, a device and a file that is no deck's are not to be written over."""
    if not path.exists():
        return
    if not path.is_file():
        raise DeckFileError(path, f"is {'a folder' if path.is_dir() else 'no file'}: name a file")
    try:
        written = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DeckFileError(path, f"cannot be read: {error.strerror}") from None
    except ValueError:
        written = None
    if written is None or not (is_deck(written) or not written):
        raise DeckFileError(path, "is there and is no deck's file: move it away, or name another")


def _parsed(text: bytes) -> tuple[dict[str, str], list[str], int]:
    """Card to UID, who laid them, and how many bytes are whole lines; raises ValueError."""
    whole = text.rfind(b"\n") + 1
    if not whole:
        return {}, [], 0
    if not text.startswith(HEAD):
        raise ValueError
    entries: dict[str, str] = {}
    laid_by: list[str] = []
    for line in text[len(HEAD) : whole].decode().splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError
        card, uid, gone, name = match.groups()
        if name:
            laid_by.append(name)
        elif gone:
            entries.pop(gone, None)
        else:
            entries[card] = uid
    if len(set(entries.values())) != len(entries):
        raise ValueError
    return entries, laid_by, whole


def _beside(path: Path, suffix: str) -> Path:
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + suffix)


def _own(fd: int, path: Path) -> None:
    """Give the new file the old one's owner, group, and group's right to read."""
    try:
        old = _stat(path)
    except FileNotFoundError:
        folder = _stat(path.parent)
        if os.geteuid() == 0 and folder.st_gid != 0:
            os.fchown(fd, folder.st_uid, folder.st_gid)
            os.fchmod(fd, MODE | folder.st_mode & GROUP_READS)
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(fd, old.st_uid, old.st_gid)
    was_open = bool(old.st_mode & OTHERS)
    os.fchmod(fd, MODE if was_open else MODE | old.st_mode & GROUP_READS)


def _stat(path: Path) -> os.stat_result:
    return path.stat()


def _write(fd: int, text: bytes) -> None:
    while text:
        text = text[os.write(fd, text) :]


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
