"""The journal's thread: what waits for the disk, so that nothing else has to."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import structlog

log = structlog.get_logger(part="journal")


class Syncer:
    """A thread that brings to the disk what was written: many askings, one sync.

    What is to be done `after` that is done behind it, in the order asked.
    """

    def __init__(self) -> None:
        self._asked = threading.Condition()
        self._due: set[int] = set()
        self._retired: list[int] = []
        self._after: list[Callable[[], object]] = []
        self._over = False
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def ask(self, fd: int) -> None:
        """Sync this descriptor soon."""
        with self._asked:
            self._due.add(fd)
            self._asked.notify()

    def retire(self, fd: int) -> None:
        """Sync this descriptor and close it."""
        with self._asked:
            self._retired.append(fd)
            self._asked.notify()

    def after(self, do: Callable[[], object]) -> None:
        """Do this once what was asked before is on the disk; it raises nothing but OSError."""
        with self._asked:
            self._after.append(do)
            self._asked.notify()

    def close(self) -> None:
        """Wait until all is done, and end the thread."""
        with self._asked:
            self._over = True
            self._asked.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._asked:
                while not (self._due or self._retired or self._after or self._over):
                    self._asked.wait()
                if not (self._due or self._retired or self._after):
                    return
                due, retired = self._due | set(self._retired), self._retired
                after, self._after = self._after, []
                self._due, self._retired = set(), []
            for fd in sorted(due):
                try:
                    os.fdatasync(fd)
                except OSError as error:
                    log.warning("journal not synced", reason=error.strerror)
            for fd in retired:
                os.close(fd)
            for do in after:
                try:
                    do()
                except OSError as error:
                    log.warning("journal's files not seen to", reason=error.strerror)
