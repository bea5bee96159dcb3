"""The one who writes the history: a thread that commits in groups what nobody waits for."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import structlog

from daemon.floor.history import rows, statements
from daemon.floor.history.database import Database, HistoryError, HistoryGone
from daemon.floor.history.room import DAY_BYTES_MAX, DAY_MS, Filled
from daemon.floor.history.statements import Work
from daemon.floor.history.waiting import Waiting
from daemon.floor.troubles import in_words, trouble
from daemon.floor.views import ActSeen, Transition, Trouble

WAITING_MAX = 20_000
GROUP_MAX = 500
RETRY_S = 2.0
HUNG_S = 10.0
TIDY_S = 3600.0
LOST_TOLD_S = 86_400.0
CLOSE_S = 10.0
FILLED_TOLD_MAX = 5

log = structlog.get_logger(part="history")


class Scribe:
    """Writes what is put to it, in its order, each thing once; nothing here waits for the disk.

    What the thread finds waiting is one transaction, and so one sync. Where the database refuses or
    is gone, up to `waiting_max` things are kept in memory and tried again every `retry_s`;
    beyond that, or where they are too heavy, the oldest go of whichever table has most, counted in
    `lost`. `trouble` says so in words, and when the database
    hangs. What is older than `keep_days` is let go.
    """

    def __init__(  # noqa: PLR0913 - what a test turns
        self,
        database: Database,
        *,
        keep_days: int | None = None,
        waiting_max: int = WAITING_MAX,
        day_bytes_max: int = DAY_BYTES_MAX,
        retry_s: float = RETRY_S,
        now_s: Callable[[], float] = time.monotonic,
        clock_ms: Callable[[], int] = lambda: round(time.time() * 1000),
    ) -> None:
        self.lost = 0
        self.refused = 0
        self._database = database
        self._keep_days = keep_days
        self._day_bytes_max = day_bytes_max
        self._retry_s = retry_s
        self._now_s = now_s
        self._clock_ms = clock_ms
        self._boot = secrets.token_hex(8)
        self._asked = threading.Condition()
        self._work = Waiting(waiting_max)
        self._groups: deque[tuple[int, Sequence[Work]]] = deque()  # under way, by their numbers
        self._begun_s: float | None = None  # while the thread asks something of the database
        self._number = 0
        self._reason: str | None = None
        self._since: datetime | None = None
        self._lost_s: float | None = None
        self._filled: frozenset[Filled] = frozenset()
        self._over = False
        self._tidied_s: float | None = None
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._thread.start()

    # --- what others ask ------------------------------------------------------------------------

    def put(self, transition: Transition) -> None:
        """Remember a line of an alert, unless it is known."""
        self._ask(statements.Line(transition))

    def acts(
        self, site: str, table: str, alert: str, acts: Sequence[ActSeen], told: datetime
    ) -> None:
        """What was done at a table since this fault, each act once."""
        self._ask(statements.Acts(site, table, alert, rows.milliseconds(told), tuple(acts)))

    def hands(self, site: str, table: str, count: int, until: datetime) -> None:
        """So many hands more have ended at this table, in the hour of `until`."""
        hour_ms = rows.milliseconds(until) // statements.HOUR_MS * statements.HOUR_MS
        if count > 0:
            self._ask(statements.Hands(site, table, hour_ms, count))

    def audit(  # noqa: PLR0913 - one for each column
        self, *, at: datetime, login: str, role: str, what: str, about: str, outcome: str
    ) -> None:
        """Who did what at a screen."""
        self._ask(statements.Deed(rows.milliseconds(at), login, role, what, about, outcome))

    @property
    def waiting(self) -> int:
        """How many things are not written yet."""
        with self._asked:
            return len(self._work) + sum(len(group) for _, group in self._groups)

    @property
    def trouble(self) -> str | None:
        """What is wrong with the history, in words; None while it is written."""
        return in_words(self.troubles) or None

    @property
    def troubles(self) -> list[Trouble]:
        """The same, each as screens tell it."""
        reason, since = self._reason, self._since
        begun_s, now_s = self._begun_s, self._now_s()
        hung_s = 0.0 if begun_s is None else now_s - begun_s
        found = []
        waiting = f"{self.waiting} wait in memory"
        if reason is not None and since is not None:
            words = f"history: not written since {since:%H:%M} UTC: {reason}; {waiting}"
            told = since.isoformat(timespec="seconds")
            found.append(trouble("history-unwritten", words, reason, since=told))
        elif self.waiting and hung_s > HUNG_S:
            words = f"history: not written: the database has not answered for {hung_s:.0f} s"
            found.append(trouble("history-hung", f"{words}; {waiting}"))
        if self._lost_s is not None and now_s - self._lost_s < LOST_TOLD_S:
            found.append(trouble("history-lost", f"history: {self.lost} lines lost", n=self.lost))
        if full := self._full_today():
            words = "history: a table has told more than there is room for in a day; its further"
            words = f"{words} lines of today are not kept: {full}"
            found.append(trouble("history-full", words, tables=full))
        return found

    def _full_today(self) -> str:
        """The tables of which nothing more is kept today."""
        today_ms = self._clock_ms() // DAY_MS * DAY_MS
        self._filled = frozenset(one for one in self._filled if one[2] >= today_ms)
        names = sorted(table for _, table, _ in self._filled)
        return ", ".join(names[:FILLED_TOLD_MAX]) + (", …" if len(names) > FILLED_TOLD_MAX else "")

    def written(self, timeout_s: float) -> bool:
        """Wait until all that was put is written; whether it is."""
        with self._asked:
            return self._asked.wait_for(lambda: not self.waiting, timeout_s)

    def close(self, timeout_s: float = CLOSE_S) -> bool:
        """Write what waits, if the database takes it in this time, and end; whether it was."""
        with self._asked:
            self._over = True
            self._asked.notify_all()
        self._thread.join(timeout_s)
        if self.waiting:
            log.error("history not written at the end", lines=self.waiting, reason=self._reason)
            self._tell_deeds()
        return not self.waiting

    def _tell_deeds(self) -> None:
        """Who did what is at least in the log; tables send their lines again, nobody sends this."""
        with self._asked:
            left = [one for _, group in self._groups for one in group] + list(self._work)
        for one in left:
            if isinstance(one, statements.Deed):
                log.warning("audit not written", **asdict(one))

    def _ask(self, work: Work) -> None:
        with self._asked:
            if lost := self._work.put(work, besides=sum(len(group) for _, group in self._groups)):
                self.lost += lost
                self._lost_s = self._now_s()
            self._asked.notify_all()

    # --- the thread's own -----------------------------------------------------------------------

    def _run(self) -> None:
        while self._group_up():
            is_written = self._write()
            with self._asked:
                self._asked.notify_all()
                if not is_written and self._over:
                    return
                if not is_written:
                    self._asked.wait_for(lambda: self._over, self._retry_s)

    def _group_up(self) -> bool:
        """Wait for something to do, and make what waits the next group; False at the end."""
        with self._asked:
            while not (self.waiting or self._over or self._is_tidy_due()):
                self._asked.wait(TIDY_S / 60)
            if self._over and not self.waiting:
                return False
            if self._work and not self._groups:
                self._make_group(self._work.take(GROUP_MAX))
            return True

    def _make_group(self, group: Sequence[Work]) -> None:
        self._number += 1
        self._groups.append((self._number, group))

    def _write(self) -> bool:
        """Bring what is grouped to the database, and tidy; False where it is to be tried again."""
        self._begun_s = self._now_s()
        try:
            self._database.bring_up()
            while self._groups:
                self._commit(*self._groups[0])
            self._tidy()
        except HistoryGone as error:
            self._failed(error.why)
            return False
        except HistoryError as error:
            self._failed(str(error))
            return False
        except Exception as error:  # noqa: BLE001 - what it cannot write must not end the writer
            self._failed(f"{type(error).__name__}")
            return False
        finally:
            self._begun_s = None
        if self._reason is not None:
            log.info("history written again", away_since=str(self._since))
        self._reason = self._since = None
        return True

    def _commit(self, number: int, group: Sequence[Work]) -> None:
        """The first group in one transaction; with something impossible in it, one by one."""
        self._begun_s = self._now_s()
        filled: set[Filled] = set()
        try:
            with self._database.writing() as connection:
                if not statements.is_written(connection, self._boot, number):
                    filled = statements.write(connection, group, self._day_bytes_max)
                    statements.mark(connection, self._boot, number, self._clock_ms())
        except HistoryError:
            raise
        except Exception as error:  # noqa: BLE001 - of whatever kind, the rest is written
            with self._asked:
                self._groups.popleft()
                for one in group if len(group) > 1 else ():
                    self._make_group([one])
            if len(group) == 1:
                self.refused += 1
                log.warning("history refuses a line", kind=type(error).__name__)
            return
        with self._asked:
            self._groups.popleft()
        self._note_filled(filled)

    def _note_filled(self, filled: set[Filled]) -> None:
        """Tables whose room for a day is gone, each told once."""
        for site, table, _ in sorted(filled - self._filled):
            log.warning(
                "history full for a table", site=site, table=table, mb=self._day_bytes_max >> 20
            )
        self._filled |= filled

    def _is_tidy_due(self) -> bool:
        return self._tidied_s is None or self._now_s() - self._tidied_s > TIDY_S

    def _tidy(self) -> None:
        """Let go what is too old, a part at a time, since new lines go first; then count anew."""
        if not self._is_tidy_due():
            return
        is_done = True
        if self._keep_days is not None:
            before_ms = self._clock_ms() - self._keep_days * DAY_MS
            with self._database.writing() as connection:
                is_done = statements.prune(connection, before_ms)
        if is_done:
            self._database.survey()
            self._tidied_s = self._now_s()

    def _failed(self, reason: str) -> None:
        if self._reason is None:
            self._since = datetime.now(UTC)
            log.warning("history held in memory", reason=reason)
        self._reason = reason
