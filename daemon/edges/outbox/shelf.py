"""Where messages outlive the process: a file of sqlite's, written by one thread in groups."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import structlog

from daemon.messages import Message

FILE = "outbox.db"
KEPT_MS = 24 * 3600 * 1000
KEPT_MAX = 50_000
PURGE_S = 60.0
RETRY_S = 1.0
WORK_MAX = 50_000
SCHEMA = 1

log = structlog.get_logger(part="outbox")

_CREATE = """
CREATE TABLE IF NOT EXISTS message (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    topic TEXT NOT NULL,
    payload BLOB NOT NULL,
    put_ms INTEGER NOT NULL,
    confirmed_ms INTEGER
)"""
_PUT = "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?, NULL)"
_CONFIRMED = "UPDATE message SET confirmed_ms = ? WHERE number = ?"
_LEFT = "SELECT number, key, topic, payload FROM message WHERE confirmed_ms IS NULL ORDER BY number"
_LEFT_SINCE = (
    "SELECT number, key, topic, payload FROM message WHERE confirmed_ms IS NULL AND put_ms >= ?"
)
_AGAIN = (
    "SELECT number, key, topic, payload FROM message "
    "WHERE confirmed_ms IS NOT NULL AND put_ms >= ? ORDER BY number LIMIT ?"
)
_PURGE = "DELETE FROM message WHERE confirmed_ms < ?"
_PURGE_MORE = (
    "DELETE FROM message WHERE confirmed_ms IS NOT NULL AND number <= "
    "(SELECT max(number) FROM message) - ?"
)


_Work = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """A message and its place in the order."""

    number: int
    message: Message


_Asking = tuple[int, int, Callable[[list[Row]], object]]


class Keep(Protocol):
    """Where messages outlive us. No call waits for the disk."""

    @property
    def trouble(self) -> str | None:
        """Why nothing is kept, None while it is."""
        ...

    def kept(self) -> tuple[list[Row], set[str], int]:
        """What the last run left to be sent; all keys that are still known; the last number."""
        ...

    def put(self, row: Row) -> None:
        """Keep it."""
        ...

    def confirmed(self, number: int) -> None:
        """The broker has it."""
        ...

    def sync(self) -> None:
        """Write what waits, soon."""
        ...

    def again(self, age_ms: int, most: int, take: Callable[[list[Row]], object]) -> None:
        """Call `take`, from whichever thread, with what is no older and confirmed."""
        ...

    def close(self) -> None:
        """Bring all of it to the disk, as far as that takes it."""
        ...


class NoShelf:
    """Nothing outlives us: for a demonstration, and where there is no disk."""

    trouble: str | None = None

    def kept(self) -> tuple[list[Row], set[str], int]:
        """Nothing."""
        return [], set(), 0

    def put(self, row: Row) -> None:
        """Not kept."""

    def confirmed(self, number: int) -> None:
        """Not kept."""

    def sync(self) -> None:
        """Nothing to do."""

    def again(self, age_ms: int, most: int, take: Callable[[list[Row]], object]) -> None:
        """There is none."""
        del age_ms, most
        take([])

    def close(self) -> None:
        """Nothing to do."""


class Shelf:
    """The file `outbox.db` of a folder: 0600, WAL, FULL, one thread that writes in groups.

    What the thread finds waiting is one transaction, and so one sync. Where the disk refuses, the
    work is kept in memory and tried again every `RETRY_S`; `trouble` says so. A file that cannot be
    read is set aside: it is no reason not to start. What was confirmed is kept for `KEPT_MS`, for
    recorders whose broker has lost it.
    """

    def __init__(
        self, folder: Path, clock_ms: Callable[[], int] = lambda: round(time.time() * 1000)
    ) -> None:
        self.trouble: str | None = None
        self._path = folder / FILE
        self._clock_ms = clock_ms
        self._asked = threading.Condition()
        self._work: deque[_Work] = deque()
        self._askings: deque[_Asking] = deque()
        self._awake = self._over = False
        self._opened = threading.Event()
        self._kept: tuple[list[Row], set[str], int] = ([], set(), 0)
        self._purged_s = 0.0
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
        self._thread.start()
        self._opened.wait()

    def kept(self) -> tuple[list[Row], set[str], int]:
        """What the last run left to be sent; all keys that are still known; the last number."""
        return self._kept

    def put(self, row: Row) -> None:
        """Keep it; written with whatever waits beside it."""
        message = row.message
        values = (row.number, message.key, message.topic, message.payload, self._clock_ms())
        self._ask((_PUT, values))

    def confirmed(self, number: int) -> None:
        """The broker has it."""
        self._ask((_CONFIRMED, (self._clock_ms(), number)))

    def sync(self) -> None:
        """Wake the thread; whoever puts something does so when it is on its way."""
        with self._asked:
            if self._work:
                self._awake = True
                self._asked.notify()

    def again(self, age_ms: int, most: int, take: Callable[[list[Row]], object]) -> None:
        """Call `take` from the thread with what is no older and confirmed."""
        with self._asked:
            self._askings.append((self._clock_ms() - age_ms, most, take))
            self._asked.notify()

    def close(self) -> None:
        """Bring all of it to the disk, if it takes it, and end the thread."""
        with self._asked:
            self._over = True
            self._asked.notify()
        self._thread.join()

    def _ask(self, work: _Work) -> None:
        with self._asked:
            self._work.append(work)
            if len(self._work) > WORK_MAX:
                self._work.popleft()

    # --- the thread's own -------------------------------------------------------------------

    def _run(self) -> None:
        file = self._opened_first()
        self._opened.set()
        over = False
        while not over:
            work, askings, over = self._next()
            file = file or self._open()
            is_written = file is not None and self._write(file, work)
            if not is_written:
                with self._asked:
                    self._work.extendleft(reversed(work))
            for since_ms, most, take in askings:
                found = self._read(file, since_ms, most)
                if found is not None:  # or nobody is answered: whoever asked will ask again
                    take(found)
            if not is_written:
                _close(file)
                file = None
        _close(file)

    def _next(self) -> tuple[deque[_Work], deque[_Asking], bool]:
        """Wait until there is something to do, and give it."""
        with self._asked:
            if self.trouble and not self._over:
                self._asked.wait(RETRY_S)
            while not (self._askings or self._over or (self._awake and self._work)):
                self._asked.wait()
            self._awake = self.trouble is not None
            work, self._work = self._work, deque()
            askings, self._askings = self._askings, deque()
            return work, askings, self._over

    def _opened_first(self) -> sqlite3.Connection | None:
        """The file with what the last run left; one that is broken is set aside."""
        for _ in range(2):
            try:
                file = _connected(self._path)
                self._kept = _loaded(file)
            except sqlite3.OperationalError as error:
                self._refused(error)
                return None
            except (sqlite3.DatabaseError, OSError) as error:
                if isinstance(error, OSError) or not _set_aside(self._path):
                    self._refused(error)
                    return None
                log.warning("outbox cannot be read and is set aside", file=str(self._path))
            else:
                return file
        return None

    def _open(self) -> sqlite3.Connection | None:
        try:
            return _connected(self._path)
        except (sqlite3.Error, OSError) as error:
            self._refused(error)
            return None

    def _write(self, file: sqlite3.Connection, work: Iterable[_Work]) -> bool:
        try:
            file.execute("BEGIN IMMEDIATE")
            for statement, values in work:
                file.execute(statement, values)
            self._purge(file)
            file.execute("COMMIT")
        except sqlite3.Error as error:
            self._refused(error)
            with suppress(sqlite3.Error):
                file.execute("ROLLBACK")
            return False
        if self.trouble is not None:
            self.trouble = None
            log.info("outbox written again")
        return True

    def _purge(self, file: sqlite3.Connection) -> None:
        if time.monotonic() - self._purged_s > PURGE_S:
            self._purged_s = time.monotonic()
            file.execute(_PURGE, (self._clock_ms() - KEPT_MS,))
            file.execute(_PURGE_MORE, (KEPT_MAX,))

    def _read(self, file: sqlite3.Connection | None, since_ms: int, most: int) -> list[Row] | None:
        """What was put since then and confirmed, as far as it waits for the disk too.

        None where the file cannot be read.
        """
        if file is None:
            return None
        with self._asked:
            work = list(self._work)
        confirmed = {values[1] for statement, values in work if statement == _CONFIRMED}
        puts = [values for statement, values in work if statement == _PUT]
        held = [
            row for row, at_ms in map(_row, puts) if row.number in confirmed and at_ms >= since_ms
        ]
        try:
            done = _rows(file.execute(_AGAIN, (since_ms, most)))
            left = _rows(file.execute(_LEFT_SINCE, (since_ms,))) if confirmed else []
        except sqlite3.Error as error:
            self._refused(error)
            return None
        found = [*done, *(row for row in left if row.number in confirmed), *held]
        return sorted(found, key=lambda row: row.number)[:most]

    def _refused(self, error: sqlite3.Error | OSError) -> None:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        if self.trouble is None:
            log.warning("outbox held in memory", file=str(self._path), reason=reason)
        self.trouble = reason or "cannot be written"


def _close(file: sqlite3.Connection | None) -> None:
    """No connection any more: what refused once is opened anew."""
    if file is not None:
        with suppress(sqlite3.Error):
            file.close()


def _connected(path: Path) -> sqlite3.Connection:
    """The database, its owner's alone; raises OSError and sqlite3.Error."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    path.chmod(0o600)
    file = sqlite3.connect(path, isolation_level=None, timeout=0.2)
    try:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")  # no index beside it, which wants room too
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = FULL")
        if _version(file) != SCHEMA:
            file.execute(_CREATE)
            file.execute(f"PRAGMA user_version = {SCHEMA}")
    except BaseException:
        file.close()
        raise
    return file


def _version(file: sqlite3.Connection) -> int:
    """The file's, 0 of a new one; raises DatabaseError for a damaged one and a strange version."""
    (version,) = file.execute("PRAGMA user_version").fetchone()
    if version not in (0, SCHEMA):
        raise sqlite3.DatabaseError(f"is of another version ({version}, not {SCHEMA})")
    (said,) = file.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise sqlite3.DatabaseError(said)
    return int(version)


def _loaded(file: sqlite3.Connection) -> tuple[list[Row], set[str], int]:
    keys = {key for (key,) in file.execute("SELECT key FROM message")}
    (number,) = file.execute("SELECT coalesce(max(number), 0) FROM message").fetchone()
    return _rows(file.execute(_LEFT)), keys, number


def _rows(found: Iterable[tuple[int, str, str, bytes]]) -> list[Row]:
    return [Row(number, Message(topic, payload, key=key)) for number, key, topic, payload in found]


def _row(values: tuple[Any, ...]) -> tuple[Row, int]:
    """What `_PUT` was to put, and when."""
    number, key, topic, payload, put_ms = values
    return Row(number, Message(topic, payload, key=key)), put_ms


def _set_aside(path: Path) -> bool:
    """Move the file out of the way, its companions with it; whether it is."""
    try:
        path.replace(path.with_suffix(".broken"))
        for companion in ("-wal", "-shm"):
            path.with_name(path.name + companion).unlink(missing_ok=True)
    except OSError:
        return False
    return True
