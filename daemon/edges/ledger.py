"""The sensors' figures tag by tag: a file beside the journal that its owner alone may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import structlog

FILE = "figures.json"

log = structlog.get_logger(part="ledger")


class Ledger:
    """Writes the file anew, whole or not at all: 0600, in the journal's folder.

    `trouble` says why it could not be written, None while it can; told to the log once.
    """

    def __init__(self, folder: Path) -> None:
        self.trouble: str | None = None
        self._path = folder / FILE

    def write(self, figures: dict[str, Any]) -> None:
        """Put these figures in the place of the last ones."""
        try:
            self._write(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
        except OSError as error:
            reason = error.strerror or "cannot be written"
            if self.trouble != reason:
                log.warning("figures not written", reason=reason)
            self.trouble = reason
        else:
            self.trouble = None

    def _write(self, words: bytes) -> None:
        fresh = self._path.with_suffix(".new")
        with suppress(FileNotFoundError):
            fresh.unlink()
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(fresh, flags, 0o600)
        try:
            os.fchmod(fd, 0o600)
            written = 0
            while written < len(words):
                written += os.write(fd, words[written:])
        finally:
            os.close(fd)
        fresh.replace(self._path)
