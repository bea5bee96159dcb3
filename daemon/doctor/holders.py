"""Who has a file or a port, read from the kernel's own lists: nothing is opened for it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

PROC = Path("/proc")
CONSOLES = Path("/sys/class/tty/console/active")
GETTYS = frozenset({"agetty", "getty", "mgetty", "mingetty", "fgetty"})
DAEMON = "floorcall"


@dataclass(frozen=True, slots=True)
class Holder:
    """A process: its number, 0 where the kernel does not tell, and the name of its program."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name}, pid {self.pid}" if self.pid else self.name


def locked_by(path: Path, proc: Path = PROC) -> Holder | None:
    """Who holds the lock of this file, folder or port; None where nobody does, or it is not there.

    A file system may show another device number than the kernel's list: there the number of the
    file counts, where the holder is a floorcall.
    """
    try:
        there = path.stat()
        listed = (proc / "locks").read_text().splitlines()
    except OSError:
        return None
    device = f"{os.major(there.st_dev):02x}:{os.minor(there.st_dev):02x}"
    for line in listed:
        words = line.split()
        if len(words) < 6 or words[1] != "FLOCK":  # `->` is one that waits
            continue
        where, _, number = words[5].rpartition(":")
        if number == str(there.st_ino):
            holder = _holder(int(words[4]), proc)
            if where == device or holder.name == DAEMON:
                return holder
    return None


def opened_by(path: Path, proc: Path = PROC) -> Holder | None:
    """Another process that has this port open, as far as this user may know; None where none.

    Whoever holds the far end of a pseudo-terminal is the device, and no rival for it.
    """
    try:
        device = path.stat().st_rdev
    except OSError:
        return None
    pty = os.path.realpath(path).removeprefix("/dev/pts/")
    for pid in _pids(proc):
        own = proc / str(pid)
        if pid != os.getpid() and _has_open(own / "fd", device) and not _is_far_end(own, pty):
            return _holder(pid, proc)
    return None


def held_by(path: Path, *, shared: bool = False) -> Holder | None:
    """Who has this port to himself, None where nobody has; of a `shared` one only a lock counts."""
    return locked_by(path) or (None if shared else opened_by(path))


def getty_on(path: Path, proc: Path = PROC) -> Holder | None:
    """The login prompt that sits on this port, None where none does."""
    real = os.path.realpath(path)
    names = {real, real.removeprefix("/dev/")}
    for pid in _pids(proc):
        words = _command(pid, proc)
        if words and os.path.basename(words[0]).lstrip("-") in GETTYS and names & set(words[1:]):  # noqa: PTH119 - a command's word is no path of ours
            return Holder(pid, os.path.basename(words[0]))  # noqa: PTH119
    return None


def is_console(path: Path, consoles: Path = CONSOLES) -> bool:
    """Whether the kernel itself writes its messages to this port."""
    try:
        active = consoles.read_text().split()
    except OSError:
        return False
    return os.path.realpath(path).removeprefix("/dev/") in active


def _has_open(folder: Path, device: int) -> bool:
    try:
        for fd in folder.iterdir():
            try:
                found = fd.stat()
            except OSError:
                continue
            if stat.S_ISCHR(found.st_mode) and found.st_rdev == device:
                return True
    except OSError:
        return False
    return False


def _is_far_end(process: Path, pty: str) -> bool:
    """Whether this process holds the other side of the pseudo-terminal of this number."""
    if not pty.isdigit():
        return False
    try:
        return any(
            ["tty-index:", pty] in (line.split() for line in fd.read_text().splitlines())
            for fd in (process / "fdinfo").iterdir()
        )
    except OSError:
        return False


def _pids(proc: Path) -> Iterator[int]:
    try:
        yield from sorted(int(one.name) for one in proc.iterdir() if one.name.isdigit())
    except OSError:
        return


def _command(pid: int, proc: Path) -> list[str]:
    try:
        said = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return []
    return said.decode(errors="replace").split("\0")[:-1]


def _holder(pid: int, proc: Path) -> Holder:
    """A process by the name of its program; its arguments may be secret and are not told."""
    words = _command(pid, proc)
    is_ours = ("-m", "daemon") in pairwise(words)
    if is_ours or any(word.endswith("/floorcall") or word == DAEMON for word in words[:2]):
        return Holder(pid, DAEMON)
    try:
        return Holder(pid, (proc / str(pid) / "comm").read_text().strip())
    except OSError:
        return Holder(0, "?")
