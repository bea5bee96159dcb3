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
    """The mark: the kernel's boot id in a file of the journal's folder.

    `was_whole` tells how the last run left it. To take the mark away needs no room on a full disk.
    """

    def __init__(self, folder: Path, boot: Path = BOOT) -> None:
        self._path = folder / FILE
        self._boot = _read(boot) or b"unknown"
        self._stands: bool | None = None
        self.was_whole = _read(self._path) == self._boot

    def keep(self, *, whole: bool) -> None:
        """Set the mark or take it away; what cannot be done now is tried at the next change."""
        if whole is self._stands:
            return
        with suppress(OSError):
            if whole:
                self._write()
            else:
                self._path.unlink(missing_ok=True)
            self._stands = whole

    def _write(self) -> None:
        flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(self._path, flags, 0o600)
        try:
            os.write(fd, self._boot)
        finally:
            os.close(fd)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()[:64]
    except OSError:
        return None
