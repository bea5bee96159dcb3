"""Whether the last run's journal holds all that it published: a mark that is gone where it may not.

A journal is not whole where the disk refused it when the process was killed, or where the power
went with what was not synced. A run that went on with it might give an alert a revision which the
last run has published with other words, and whoever had that one would pass over the new one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FILE = "whole"
BOOT = Path("/proc/sys/kernel/random/boot_id")


class Whole:
    """The mark: the kernel's boot id and the journal's name in a file of the journal's folder.

    The youngest journal need not be the last one written: walls' clocks are set. To take the mark
    away needs no room on a full disk.
    """

    def __init__(self, folder: Path, boot: Path = BOOT) -> None:
        self._path = folder / FILE
        self._boot = _read(boot) or b"unknown"
        self._stands: bool | None = None
        self._last = _read(self._path)

    def vouches_for(self, name: str) -> bool:
        """Whether the last run wrote this journal, and left it whole."""
        return self._last == self._words(name)

    def keep(self, name: str, *, whole: bool) -> None:
        """Set the mark or take it away; what cannot be done now is tried at the next change."""
        if whole is self._stands:
            return
        with suppress(OSError):
            if whole:
                self._write(self._words(name))
            else:
                self._path.unlink(missing_ok=True)
            self._stands = whole

    def _words(self, name: str) -> bytes:
        return self._boot + b" " + name.encode()

    def _write(self, words: bytes) -> None:
        flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(self._path, flags, 0o600)
        try:
            os.write(fd, words)
        finally:
            os.close(fd)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()[:128].strip()
    except OSError:
        return None
