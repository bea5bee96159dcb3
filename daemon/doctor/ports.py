"""A port looked at without opening it: is it there, may it be opened, who has it."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from daemon.doctor.findings import NOTE, WARNING, WRONG, Finding
from daemon.doctor.holders import DAEMON, Holder, getty_on, held_by, is_console
from drivers.port.keyboard import is_input
from drivers.port.reasons import BUSY

BY_NAME = (Path("/dev/serial/by-id"), Path("/dev/floorcall"))
BY_NUMBER = ("ttyUSB*", "ttyACM*")
USB_SERIAL = Path("/sys/bus/usb-serial/devices")
DAEMON_USER = "floorcall"
LATENCY_MS_MAX = 2
SHOWN_MAX = 12


@dataclass(frozen=True, slots=True)
class Look:
    """What was found of a port, who has it, and whether it may be opened to hear more."""

    findings: tuple[Finding, ...] = ()
    holder: Holder | None = None
    is_free: bool = False


def look(name: str, address: str) -> Look:
    """Look at the port of the sensor `name`; one that is no path can only be tried."""
    if "://" in address:
        return Look(is_free=True)
    path = Path(address)

    def wrong(what: str, **facts: object) -> Look:
        return Look((Finding(WRONG, "sensor", what, name, {"port": address, **facts}),))

    try:
        found = path.stat()
    except FileNotFoundError:
        unplugged = os.path.lexists(path)
        what = "port-unplugged" if unplugged else "port-missing"
        there = ", ".join(others())
        return wrong(what, there=there) if there else wrong(f"{what}-alone")
    except OSError as error:
        return wrong("port-unreachable", reason=error.strerror)
    if not stat.S_ISCHR(found.st_mode):
        return wrong("port-no-tty")
    if (getty := getty_on(path)) is not None:
        tty = os.path.realpath(path).removeprefix("/dev/")
        return wrong("port-getty", who=getty, tty=tty)
    if is_console(path):
        return wrong("port-console")
    if (closed := _closed_to(path, found)) is not None:
        return wrong(closed.what, **closed.facts)
    slow = _latency(name, path)
    holder = held_by(path, shared=is_input(address))  # a keyboard may have many listeners
    if holder is None:
        return Look(slow, is_free=True)
    if holder.name == DAEMON:
        return Look(slow, holder)
    busy = Finding(WRONG, "sensor", "port-busy", name, {"port": address, "who": holder})
    return Look((busy, *slow), holder)


def rival(address: str, trouble: str) -> Holder | None:
    """Who has the port that cannot be had for this trouble, None where nobody is known to."""
    if trouble != BUSY or "://" in address:
        return None
    return held_by(Path(address), shared=is_input(address))


def others() -> list[str]:
    """The ports that are there, by names that stay, else by their numbers."""
    named = [
        str(path) for folder in BY_NAME if folder.is_dir() for path in sorted(folder.iterdir())
    ]
    if not named:
        named = [str(path) for glob in BY_NUMBER for path in sorted(Path("/dev").glob(glob))]
    return named[:SHOWN_MAX]


@dataclass(frozen=True, slots=True)
class _Closed:
    what: str
    facts: Mapping[str, object]


def _closed_to(path: Path, found: os.stat_result) -> _Closed | None:
    """Whether the daemon's user, or this one, may not open the port; root asks for the daemon's."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = str(os.geteuid())
    groups = {os.getegid(), *os.getgroups()}
    uid = os.geteuid()
    if uid == 0:
        if os.path.realpath(path).startswith("/dev/pts/"):
            return None  # whoever made it runs the daemon too
        try:
            entry = pwd.getpwnam(DAEMON_USER)
        except KeyError:
            return None
        user, uid, groups = entry.pw_name, entry.pw_uid, set(_groups_of(entry))
    if _may_open(found, uid, groups):
        return None
    group = _group_name(found.st_gid)
    facts = {"user": user, "group": group}
    if uid == os.geteuid() and found.st_gid in _groups_of_name(user):
        return _Closed("port-log-in-again", facts)
    return _Closed("port-closed", facts)


def _may_open(found: os.stat_result, uid: int, groups: set[int]) -> bool:
    mode = found.st_mode
    if found.st_uid == uid:
        return bool(mode & stat.S_IRUSR and mode & stat.S_IWUSR)
    if found.st_gid in groups:
        return bool(mode & stat.S_IRGRP and mode & stat.S_IWGRP)
    return bool(mode & stat.S_IROTH and mode & stat.S_IWOTH)


def _groups_of(entry: pwd.struct_passwd) -> list[int]:
    return os.getgrouplist(entry.pw_name, entry.pw_gid)


def _groups_of_name(user: str) -> list[int]:
    try:
        return _groups_of(pwd.getpwnam(user))
    except KeyError:
        return []


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _latency(name: str, path: Path, adapters: Path = USB_SERIAL) -> tuple[Finding, ...]:
    """An FTDI adapter that holds bytes back."""
    tty = os.path.basename(os.path.realpath(path))  # noqa: PTH119 - a name, not a path to open
    try:
        latency_ms = int((adapters / tty / "latency_timer").read_text())
    except (OSError, ValueError):
        return ()
    if latency_ms <= LATENCY_MS_MAX:
        return ()
    facts = {"ms": latency_ms, "tty": tty}
    return (Finding(WARNING, "sensor", "port-slow", name, facts),)


def unprivileged() -> tuple[Finding, ...]:
    """What this user cannot be told."""
    if os.geteuid() == 0:
        return ()
    return (Finding(NOTE, "doctor", "not-root"),)
