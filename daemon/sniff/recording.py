"""A recording: what a port said and was told, as a journal that `replay` reads."""

from __future__ import annotations

import os
from pathlib import Path

from daemon.signals import Signal, Tick
from daemon.transcript import Header, Scribe


class RecordingError(Exception):
    """The file cannot be written; says which and why."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: cannot be written: {(error.strerror or 'unknown').lower()}")


class Recording:
    """A file of its own, 0600, that must not be there yet: it holds every tag that was read.

    Where nothing came of it, neither a byte nor a port, it is taken away again at the end. Every
    method raises RecordingError where the disk refuses.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._scribe = Scribe()
        self._is_empty = True
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC
        try:
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            raise RecordingError(path, error) from None
        self._write(self._scribe.header(header))

    def signal(self, signal: Signal) -> None:
        """What the port said, or that time has passed."""
        self._is_empty &= isinstance(signal, Tick)
        self._write(self._scribe.signal(signal))

    def sent(self, at_ms: int, port: str, data: bytes) -> None:
        """What was sent to the port."""
        self._is_empty = False
        self._write(self._scribe.sent(at_ms, port, data))

    def close(self, at_ms: int) -> None:
        """Write what is left, and bring it to the disk."""
        try:
            if self._is_empty:
                self._path.unlink(missing_ok=True)
                return
            self._write(self._scribe.remark(at_ms, "stopped"))
            os.fsync(self._fd)
        except OSError as error:
            raise RecordingError(self._path, error) from None
        finally:
            os.close(self._fd)

    def _write(self, lines: list[str]) -> None:
        words = "".join(f"{line}\n" for line in lines).encode()
        try:
            while words:
                words = words[os.write(self._fd, words) :]
        except OSError as error:
            raise RecordingError(self._path, error) from None
