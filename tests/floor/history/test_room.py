"""One table fills no disk: what it has room for in a day, what it loses, and what others keep."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event
from structlog.testing import capture_logs

from daemon.edges.outbox.outbox import REPEATED_MAX
from daemon.floor.history import Archive, Database, Question, Scribe, statements
from daemon.floor.history.room import DAY_BYTES_MAX, LINE_BYTES
from daemon.floor.views import ActSeen
from tests.floor.history.lines import EVER, OPENED, OPENED_MS, line

GUARD_S = 60
DAY_S = 86_400
ALL = Question(role="surveillance", since_ms=0, until_ms=EVER)
MB = 1 << 20
HEAVY = {"padding": "x" * 40_000}  # some forty kilobytes: 25 in a megabyte


class Hour:
    """The floor's clock, as the test sets it."""

    def __init__(self) -> None:
        self.ms = OPENED_MS

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def hour() -> Hour:
    return Hour()


@pytest.fixture
def scribe(database: Database, hour: Hour) -> Iterator[Scribe]:
    one = Scribe(database, day_bytes_max=MB, retry_s=0.02, clock_ms=hour)
    yield one
    one.close()


def flood(scribe: Scribe, count: int = 40, **more: object) -> None:
    for number in range(count):
        scribe.put(line(f"flood-{number}", table="poker-9", said=HEAVY, **more))
    assert scribe.written(GUARD_S)


def kept(database: Database) -> dict[str, int]:
    """How many alerts there are of each table."""
    rows = list(Archive(database).alerts(ALL))
    return {table: sum(row.table == table for row in rows) for table in ("poker-1", "poker-9")}


def test_a_table_that_floods_loses_its_own_lines_alone_and_that_is_told_once(
    database: Database, scribe: Scribe
) -> None:
    with capture_logs() as told:
        flood(scribe)
        for number in range(40):
            scribe.put(line(f"a{number}", said={"padding": "x" * 2000}))
        flood(scribe)
    assert kept(database) == {"poker-1": 40, "poker-9": 25}
    (one,) = scribe.troubles
    assert (one["key"], one["says"]) == ("history-full", {"tables": "poker-9"})
    assert "further lines of today are not kept: poker-9" in one["words"]
    (said,) = [one for one in told if one["event"] == "history full for a table"]
    assert (said["site"], said["table"], said["mb"]) == ("roma", "poker-9", 1)


def test_a_table_has_room_again_on_the_next_day(
    database: Database, scribe: Scribe, hour: Hour
) -> None:
    flood(scribe)
    hour.ms += DAY_S * 1000
    assert scribe.trouble is None
    scribe.put(line("tomorrow", table="poker-9", told_s=DAY_S, said=HEAVY))
    assert scribe.written(GUARD_S)
    assert kept(database)["poker-9"] == 26
    assert scribe.trouble is None


def test_a_line_that_is_known_takes_no_room_however_often_it_comes(
    database: Database, scribe: Scribe
) -> None:
    for _ in range(10):
        flood(scribe, 20)
    assert kept(database)["poker-9"] == 20
    assert scribe.trouble is None
    flood(scribe, 40)
    scribe.put(line("flood-0", table="poker-9", said=HEAVY, told_s=-5))
    assert scribe.written(GUARD_S)
    (row,) = [row for row in Archive(database).alerts(ALL) if row.alert == "flood-0"]
    assert row.told_ms == OPENED_MS - 5000  # a copy is still merged


def test_the_room_of_a_day_outlives_the_program(database: Database, scribe: Scribe) -> None:
    flood(scribe)
    assert scribe.close(GUARD_S)
    another = Scribe(database, day_bytes_max=MB, clock_ms=Hour())
    another.put(line("more", table="poker-9", said=HEAVY))
    assert another.written(GUARD_S)
    assert kept(database)["poker-9"] == 25
    assert another.trouble is not None
    assert another.close()


def test_acts_take_room_too(database: Database, scribe: Scribe) -> None:
    acts = [ActSeen(at_ms=at_ms, seat=1, act="raise") for at_ms in range(200)]
    for number in range(100):
        scribe.acts("roma", "poker-9", f"a{number}", acts, OPENED)
    scribe.acts("roma", "poker-1", "a1", acts, OPENED)
    assert scribe.written(GUARD_S)
    archive = Archive(database)
    found = [len(archive.acts("roma", "poker-9", f"a{number}")) for number in range(100)]
    assert sum(found) == MB // 128
    assert len(archive.acts("roma", "poker-1", "a1")) == 200


def test_an_honest_tables_week_without_a_broker_has_room_in_one_day() -> None:
    """A table keeps that many lines for a broker that is away; a long remedy makes 2.2 kB."""
    assert REPEATED_MAX * (2300 + LINE_BYTES) * 1.5 < DAY_BYTES_MAX


def test_nothing_that_is_written_reads_a_whole_table(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'history.db'}")
    database.bring_up()
    work = [statements.Line(line(f"a{number}", table=f"t{number % 7}")) for number in range(3000)]
    with database.writing() as connection:
        statements.write(connection, work)
    database.survey()
    said: list[tuple[str, object]] = []

    @event.listens_for(database._pool, "before_cursor_execute")
    def _said(
        _c: object, _cursor: object, text: str, values: object, _x: object, many: bool
    ) -> None:
        if not many and text.startswith(("SELECT", "DELETE FROM transition", "DELETE FROM alert")):
            said.append((text, values))

    with database.writing() as connection:
        acts = statements.Acts("roma", "t1", "a1", OPENED_MS, [ActSeen(at_ms=1, seat=1, act="bet")])
        statements.write(connection, [*work[:300], acts])
        statements.prune(connection, OPENED_MS + 1000)
    plans = []
    with database.reading() as connection:
        for text, values in said:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
            plans += [(step[3], text) for step in plan]
    assert len(plans) > 5
    whole = ("SCAN transition", "SCAN alert")
    assert [plan for plan in plans if plan[0].startswith(whole)] == []
    database.close()


# --- acts since the fault -------------------------------------------------------------------------


def test_acts_are_kept_once_each_by_their_table_and_in_their_order(
    database: Database, scribe: Scribe
) -> None:
    one, two = ActSeen(at_ms=7, seat=3, act="raise"), ActSeen(at_ms=5, seat=None, act="bet\0")
    scribe.acts("roma", "poker-1", "a1", [one], OPENED)
    scribe.acts("roma", "poker-1", "a1", [two, one], OPENED + timedelta(seconds=1))
    scribe.acts("roma", "poker-2", "a1", [one], OPENED)
    assert scribe.written(GUARD_S)
    two["act"] = "bet"
    assert Archive(database).acts("roma", "poker-1", "a1") == [two, one]
    assert Archive(database).acts("roma", "poker-1", "a2") == []


def test_acts_go_with_their_time(database: Database, hour: Hour) -> None:
    scribe = Scribe(database, keep_days=30, clock_ms=hour)
    scribe.acts("roma", "poker-1", "a1", [ActSeen(at_ms=1, seat=1, act="bet")], OPENED)
    assert scribe.written(GUARD_S)
    hour.ms += 31 * DAY_S * 1000
    scribe._tidied_s = None
    scribe.put(line("another", told_s=31 * DAY_S))
    assert scribe.close(GUARD_S)
    assert Archive(database).acts("roma", "poker-1", "a1") == []
