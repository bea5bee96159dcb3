"""The journal's folder: is there room, may it be written to, does it reach the disk."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from time import monotonic

from daemon.doctor.findings import NOTE, OK, WARNING, WRONG, Finding

FREE_LOW, FREE_LEAST = 2 << 30, 200 << 20  # bytes; a busy table writes some 450 MB a day
SYNC_S_MAX = 1.0
PROBE_BYTES = 4096


def disk(folder: Path, free_low: int = FREE_LOW, free_least: int = FREE_LEAST) -> list[Finding]:
    """What is to be said of this folder; one that is not there yet is judged by where it will be.

    Writes a file of a few kB, brings it to the disk and takes it away.
    """
    facts: dict[str, object] = {"folder": folder}
    try:
        there = folder.stat()
    except FileNotFoundError:
        above = next(path for path in folder.parents if path.exists())
        if not os.access(above, os.W_OK | os.X_OK):
            return [Finding(WRONG, "journal", "folder-impossible", facts=facts | {"above": above})]
        return [
            Finding(NOTE, "journal", "folder-to-come", facts=facts),
            *_room(above, facts, free_low, free_least),
        ]
    except OSError as error:
        reason = {"reason": (error.strerror or "").lower()}
        return [Finding(WARNING, "journal", "folder-unreadable", facts=facts | reason)]
    if not stat.S_ISDIR(there.st_mode):
        return [Finding(WRONG, "journal", "folder-no-folder", facts=facts)]
    found = _written(folder, facts)
    if there.st_mode & 0o077:
        found.append(Finding(WARNING, "journal", "folder-open", facts=facts))
    return found + _room(folder, facts, free_low, free_least)


def _written(folder: Path, facts: dict[str, object]) -> list[Finding]:
    probe = folder / f".doctor-{secrets.token_hex(4)}"
    began_s = monotonic()
    try:
        fd = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            left = PROBE_BYTES
            while left:
                left -= os.write(fd, bytes(left))
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        reason = {"reason": (error.strerror or "").lower()}
        return [Finding(WRONG, "journal", "folder-unwritable", facts=facts | reason)]
    finally:
        with suppress(OSError):
            probe.unlink()
    took_s = monotonic() - began_s
    took = {"ms": round(took_s * 1000)}
    if took_s > SYNC_S_MAX:
        return [Finding(WARNING, "journal", "folder-slow", facts=facts | took)]
    return [Finding(OK, "journal", "folder-ok", facts=facts | took)]


def _room(folder: Path, facts: dict[str, object], low: int, least: int) -> list[Finding]:
    try:
        room = os.statvfs(folder)
    except OSError:
        return []
    free = room.f_bavail * room.f_frsize
    told = facts | {"mb": free >> 20}
    if room.f_files and not room.f_favail:
        return [Finding(WRONG, "journal", "disk-no-inodes", facts=told)]
    if free < least:
        return [Finding(WRONG, "journal", "disk-full", facts=told)]
    if free < low:
        return [Finding(WARNING, "journal", "disk-low", facts=told)]
    return [Finding(OK, "journal", "disk-ok", facts=told)]
