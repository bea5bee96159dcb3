"""A database of the history: SQLite or PostgreSQL, by its URL, brought up to what we know."""

from __future__ import annotations

import errno
import logging
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Dialect, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool

DRIVERS = ("sqlite", "postgresql+pg8000")
BUSY_S = 5.0
PORT = 5432
ANSWER_S = 20.0  # of a PostgreSQL that is gone without a word
MIGRATING = 0x666C6F6F72  # the lock's number: no two programs change a schema at once
MOVED = "its file was removed or replaced while in use: start the service anew"
DAMAGED = {
    "file is not a database": "its file is no database, or damaged",
    "database disk image is malformed": "its file is damaged",
}
MEND = "put a copy of it in its place, or move it away and a new one is made"
SURVEYED_MAX = 20_000  # rows of each index: enough to tell them apart, in 30 ms
_ALEMBIC = threading.Lock()  # it keeps what it does in its module
_SCRIPTS = Path(__file__).with_name("migrations")


class HistoryError(Exception):
    """The history cannot be used as it is configured; why, in words."""


class HistoryGone(HistoryError):  # noqa: N818 - it is what it says
    """The database does not answer, or takes nothing, now: it may later.

    `why` is the reason without the place, for screens that anybody reads.
    """

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.why = why


class Database:
    """Where the history is. Nothing is opened before it is asked for.

    `url` as SQLAlchemy has it, without a password: `sqlite:////var/lib/floorcall/history.db`,
    `postgresql+pg8000://floor@host/floorcall`. With `ca`, the file of an authority, a PostgreSQL
    must show a certificate of its. Raises HistoryError where it is none of these.
    """

    def __init__(self, url: str, password: str | None = None, *, ca: Path | None = None) -> None:
        self.url = _usable(url)
        self.where = self.url.render_as_string(hide_password=True)
        self.is_up_to_date = False
        self._pool = _pooled(self.url.set(password=password) if password else self.url)
        if self.is_sqlite:
            _sqlite_as_we_want_it(self._pool)
        else:
            _postgresql_as_we_want_it(self._pool, _trust(ca))

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to ask with; raises HistoryGone."""
        with self._told(), self._pool.connect() as connection, connection.begin():
            if not self.is_sqlite:
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at its end if nothing is raised; raises HistoryGone."""
        with self._told(), self._pool.connect() as plain:
            connection = plain.execution_options(writes=True)
            with connection.begin():
                yield connection

    def bring_up(self, to: str = "head") -> None:
        """Make the tables, or change an older version's into ours; raises HistoryError.

        `to` is a revision, the last by default. It does so once, and raises HistoryGone where the
        database does not answer.
        """
        if self.is_up_to_date:
            return
        with self.writing() as connection:
            if not self.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
            self._look_at(connection)
            script = _script()
            script.attributes["connection"] = connection
            with _ALEMBIC:
                command.upgrade(script, to)
        self.is_up_to_date = to == "head"

    def look_at(self) -> None:
        """Whether it can be read as it stands; raises HistoryError. Changes nothing."""
        if self.is_sqlite and not Path(str(self.url.database)).is_file():
            raise HistoryError(f"{self.where}: there is no such file")
        with self.reading() as connection:
            found = self._look_at(connection)
        if found != ScriptDirectory.from_config(_script()).get_current_head():
            raise HistoryError(
                f"{self.where}: is of an older floorcall; `floorcall floor` brings it up"
            )
        self.is_up_to_date = True

    def survey(self) -> None:
        """Have SQLite look at how its rows are spread, which PostgreSQL does by itself.

        Without it a question by table and irregularity reads all of the time it asks about.
        """
        if self.is_sqlite:
            with self.writing() as connection:
                connection.exec_driver_sql(f"PRAGMA analysis_limit = {SURVEYED_MAX}")
                connection.exec_driver_sql("ANALYZE")

    def close(self) -> None:
        self._pool.dispose()

    def _look_at(self, connection: Connection) -> str | None:
        """The revision that it has; raises HistoryError for one that we do not know."""
        found = MigrationContext.configure(connection).get_current_revision()
        ours = ScriptDirectory.from_config(_script())
        known = {script.revision for script in ours.walk_revisions()}
        if found is not None and found not in known:
            raise HistoryError(
                f"{self.where}: is of a newer floorcall (revision {found}; this one knows up to "
                f"{ours.get_current_head()}): install that one again, or give another database"
            )
        return found

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the driver raises, in words; a row that it will not have stays what it is."""
        try:
            yield
        except DBAPIError as error:
            if _is_rows_fault(error):
                raise
            raise HistoryGone(self.where, _words(error.orig)) from error
        except (OSError, sa.exc.TimeoutError) as error:
            raise HistoryGone(self.where, _words(error)) from error


def _usable(url: str) -> URL:
    try:
        made = make_url(url)
    except (ArgumentError, ValueError):
        raise HistoryError(f"history: {url!r} is no database's URL") from None
    if made.drivername not in DRIVERS:
        raise HistoryError(f"history: {made.drivername!r} is none of {', '.join(DRIVERS)}")
    if made.password is not None:
        raise HistoryError("history: a password does not belong into the URL: give it as a file")
    if made.get_backend_name() == "sqlite" and made.database in (None, "", ":memory:"):
        raise HistoryError("history: SQLite needs a file, as in sqlite:////var/lib/x/history.db")
    return made


def _pooled(url: URL) -> Engine:
    # That a connection broke is told by who needs it, in words and once.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    if url.get_backend_name() == "sqlite":
        asked: dict[str, Any] = {"timeout": BUSY_S, "check_same_thread": False}
    else:
        asked = {"timeout": ANSWER_S, "application_name": "floorcall"}
    return sa.create_engine(
        url, poolclass=QueuePool, pool_size=4, max_overflow=4, pool_pre_ping=True,
        pool_timeout=BUSY_S, hide_parameters=True, connect_args=asked,
    )  # fmt: skip


def _trust(ca: Path | None) -> ssl.SSLContext | None:
    """What a server must show; None takes what it offers, TLS or none, whoever it is."""
    try:
        return ssl.create_default_context(cafile=ca) if ca else None
    except (OSError, ssl.SSLError) as error:
        raise HistoryError(f"history: {ca}: {_words(error)}") from None


def _postgresql_as_we_want_it(pool: Engine, trust: ssl.SSLContext | None) -> None:
    """Its connections are made by us: the driver leaves a socket open at which nobody answered."""

    @event.listens_for(pool, "do_connect")
    def _reached(dialect: Dialect, _record: object, args: list[Any], asked: dict[str, Any]) -> Any:  # noqa: ANN401 - the driver's own
        if "unix_sock" in asked:
            return None
        place = (str(asked.get("host", "localhost")), int(asked.get("port", PORT)))
        one = socket.create_connection(place, ANSWER_S)
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return dialect.loaded_dbapi.Connection(*args, **asked, sock=one, ssl_context=trust)
        except BaseException:
            one.close()
            raise


def _sqlite_as_we_want_it(pool: Engine) -> None:
    """Its transactions begin when we say so: the driver begins none to change a schema.

    What is written into a file that was removed meanwhile would be gone with this process: it is
    refused, and so waits in memory.
    """
    first: list[tuple[int, int]] = []

    def is_there(path: str) -> None:
        if first and _file(path) != first[0]:
            raise FileNotFoundError(errno.ENOENT, MOVED)

    @event.listens_for(pool, "do_connect")
    def _owned(_dialect: object, _record: object, args: list[Any], _asked: object) -> None:
        path = str(args[0])
        is_there(path)
        with suppress(FileExistsError):  # SQLite would make it for everybody to read
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))

    @event.listens_for(pool, "connect")
    def _connected(connection: Any, _record: object) -> None:  # noqa: ANN401 - the driver's own
        connection.isolation_level = None
        if not first and (file := _file(str(pool.url.database))) is not None:
            first.append(file)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(pool, "checkout")
    def _taken(_connection: object, _record: object, _proxy: object) -> None:
        is_there(str(pool.url.database))

    @event.listens_for(pool, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _file(path: str) -> tuple[int, int] | None:
    """Which file this is, by whatever name; None for none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - as SQLite has its name
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _script() -> Config:
    script = Config()
    script.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    script.set_main_option("path_separator", "os")
    return script


def _is_rows_fault(error: DBAPIError) -> bool:
    """Whether the database is well, and what was asked of it is not."""
    if isinstance(error, sa.exc.IntegrityError | sa.exc.DataError):
        return True
    if "binding parameter" in str(error.orig):  # SQLite's word for a type it does not take
        return True
    told = error.orig.args[0] if error.orig is not None and error.orig.args else None
    # SQLSTATE 22: a value that a column cannot hold, 23: a constraint, 42804: of another type;
    # pg8000 has no classes for them.
    return isinstance(told, dict) and str(told.get("C", "")).startswith(("22", "23", "42804"))


def _words(error: BaseException | None) -> str:
    """The reason alone: pg8000 tells it among other fields, and some errors say nothing."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    told = error.args[0] if error is not None and error.args else None
    if isinstance(told, dict):
        return str(told.get("M", "refuses"))
    text = str(error or "").strip().splitlines()
    if text and (damage := DAMAGED.get(text[0])):
        return f"{damage}: {MEND}"
    return text[0].partition(" (timeout")[0][:200] if text else "does not answer"
