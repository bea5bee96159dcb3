"""What is put is written once, whatever happens meanwhile, and nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection

from daemon.floor.history import Archive, Database, HistoryGone, Question, Scribe
from daemon.floor.history import tables as made
from tests.floor.history.lines import EVER, OPENED, OPENED_MS, line
from tests.floor.postgres import PASSWORD, running_cluster

GUARD_S = 60
ALL = Question(role="surveillance", since_ms=0, until_ms=EVER, called=False)


@pytest.fixture
def scribe(database: Database) -> Iterator[Scribe]:
    one = Scribe(database, retry_s=0.02)
    yield one
    one.close()


def rows(database: Database, table: sa.Table) -> list[dict[str, Any]]:
    with database.reading() as connection:
        return [dict(row) for row in connection.execute(sa.select(table)).mappings()]


def test_what_is_put_can_be_asked_for(database: Database, scribe: Scribe) -> None:
    scribe.put(line("a1", 1, at_s=5))
    scribe.put(line("a1", 2, at_s=5, acknowledged_s=14))
    scribe.hands("roma", "poker-1", 3, OPENED)
    scribe.audit(
        at=OPENED, login="anna", role="supervise", what="acknowledge", about="a1", outcome="done"
    )
    assert scribe.written(GUARD_S)
    (row,) = Archive(database).page(ALL).rows
    assert (row.revision, row.acknowledged_by, row.answer_ms) == (2, "anna", 9000)
    (hour,) = Archive(database).hands(ALL)
    assert (hour.table, hour.hour_ms, hour.count) == ("poker-1", OPENED_MS, 3)
    (deed,) = Archive(database).audit("administer")
    assert (deed.login, deed.what, deed.outcome) == ("anna", "acknowledge", "done")
    assert scribe.trouble is None


def test_a_line_that_comes_again_is_there_once(database: Database, scribe: Scribe) -> None:
    for _ in range(3):
        scribe.put(line("a1", 1))
        scribe.put(line("a1", 1, late=True, told_s=90))
    assert scribe.written(GUARD_S)
    (row,) = rows(database, made.transition)
    assert (row["told_ms"], row["late"]) == (OPENED_MS, False)


def test_a_copy_for_surveillance_does_not_hide_the_line_from_its_own_audience(
    database: Database, scribe: Scribe
) -> None:
    scribe.put(line("a1", 1, audience="surveillance"))
    scribe.put(line("a1", 1, audience="floor"))
    scribe.put(line("a1", 1, audience="surveillance"))
    assert scribe.written(GUARD_S)
    asked = Question(role="supervise", since_ms=0, until_ms=EVER)
    assert [row.alert for row in Archive(database).page(asked).rows] == ["a1"]


def test_an_alert_of_endless_lines_is_added_up_of_its_first_and_last(
    database: Database, scribe: Scribe
) -> None:
    scribe.put(line("a1", 1, acknowledged_s=9, acknowledged_by="anna"))
    for revision in range(2, 2500):
        scribe.put(line("a1", revision))
    scribe.put(line("a1", 2500, state="closed", verdict="none"))
    scribe.put(line("a2"))
    assert scribe.written(GUARD_S)
    first, second = Archive(database).page(ALL).rows
    assert second.alert == "a1"
    assert (second.revision, second.state, second.verdict) == (2500, "closed", "none")
    assert second.acknowledged_by == "anna"
    assert first.alert == "a2"


def test_hands_of_an_hour_are_added(database: Database, scribe: Scribe) -> None:
    for minutes in (0, 30, 59, 60):
        scribe.hands("roma", "poker-1", 2, OPENED + timedelta(minutes=minutes))
    scribe.hands("roma", "poker-2", 5, OPENED)
    assert scribe.written(GUARD_S)
    found = [
        (hour.table, hour.hour_ms - OPENED_MS, hour.count) for hour in Archive(database).hands(ALL)
    ]
    assert found == [("poker-1", 0, 6), ("poker-1", 3_600_000, 2), ("poker-2", 0, 5)]


@pytest.mark.parametrize(
    "strange",
    [
        {"hand": "nul \0 in it"},
        {"hand": "half a pair \ud800"},
        {"hand": "x" * 100_000},
        {"audience": "nobody-knows"},
        {"payload": b"\xff\xfe no JSON"},
        {"payload": b"[" * 100_000},
        {"payload": b'{"v": 1, "x": "' + b"x" * 300_000 + b'"}'},
        {"payload": b'{"text": 7, "window": [], "cards": {"a": 1}, "shelved": "x", "closed": 1}'},
        {"payload": b'{"text": {"en": {"title": "\\u0000<b>"}}, "cards": ["Td", 7, "XX"]}'},
        {"payload": b'{"at_ms": 1, "known_ms": 1e400}'},
        {"payload": b'{"at_ms": 1, "known_ms": 99999999999999999999999999}'},
        {"payload": b'{"closed": {"by": "x", "at": "9999-99-99T99:99:99Z"}}'},
        {"revision": 10**30},
        {"level": 10**30},
    ],
    ids=lambda strange: str(strange)[:40],
)
def test_a_strange_line_is_kept_and_keeps_nothing_back(
    database: Database, scribe: Scribe, strange: dict[str, Any]
) -> None:
    scribe.put(line("before"))
    scribe.put(line("strange", **strange))
    scribe.put(line("behind"))
    assert scribe.written(GUARD_S)
    asked = Archive(database).page(ALL).rows
    assert sorted(row.alert for row in asked) == ["before", "behind", "strange"]
    assert (scribe.trouble, scribe.refused) == (None, 0)


def test_what_the_database_will_not_have_is_left_out_alone(
    database: Database, scribe: Scribe
) -> None:
    bad = line("bad")
    object.__setattr__(bad, "level", "no number")
    for each in (line("before"), bad, line("behind")):
        scribe.put(each)
    scribe.hands("roma", "poker-1", 1, OPENED)
    assert scribe.written(GUARD_S)
    assert sorted(row.alert for row in Archive(database).page(ALL).rows) == ["before", "behind"]
    assert [hour.count for hour in Archive(database).hands(ALL)] == [1]
    assert scribe.refused == 1


class Deaf(Database):
    """Its first transactions are committed, and nobody hears of it: the connection broke then."""

    unheard = 2

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with super().writing() as connection:
            yield connection
        if self.is_up_to_date and self.unheard:
            self.unheard -= 1
            raise HistoryGone("here", "broken")


def test_a_commit_that_was_not_confirmed_is_not_written_twice(
    place: tuple[str, str | None],
) -> None:
    database = Deaf(*place)
    database.bring_up()
    scribe = Scribe(database, retry_s=0.02)
    for _ in range(3):
        scribe.hands("roma", "poker-1", 2, OPENED)
        scribe.audit(at=OPENED, login="a", role="r", what="w", about="", outcome="")
        assert scribe.written(GUARD_S)
    assert database.unheard == 0
    assert [hour.count for hour in Archive(database).hands(ALL)] == [6]
    assert len(Archive(database).audit("administer")) == 3
    assert scribe.close()
    database.close()


def test_a_full_disk_is_told_and_its_lines_are_written_once_there_is_room(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'history.db'}")
    database.bring_up()
    pages = {"most": 40}

    @event.listens_for(database._pool, "begin")
    def _bounded(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages['most']}")

    scribe = Scribe(database, retry_s=0.02)
    for number in range(400):
        scribe.put(line(f"a{number}"))
    eventually(lambda: scribe.trouble is not None)
    assert "database or disk is full" in str(scribe.trouble)
    assert "wait in memory" in str(scribe.trouble)
    pages["most"] = 1_000_000
    assert scribe.written(GUARD_S)
    assert scribe.trouble is None
    assert Archive(database).count(ALL) == 400
    assert scribe.close()
    database.close()


def test_a_database_that_is_gone_is_told_and_written_to_once_it_is_back() -> None:
    with running_cluster() as cluster:
        database = Database(cluster.database(), PASSWORD)
        scribe = Scribe(database, retry_s=0.02)
        scribe.put(line("a1"))
        assert scribe.written(GUARD_S)
        cluster.stop(kill=True)
        began = monotonic()
        for number in range(2, 100):
            scribe.put(line(f"a{number}"))
            scribe.hands("roma", "poker-1", 1, OPENED)
        assert monotonic() - began < GUARD_S / 2  # nobody waits for a database that is not there
        eventually(lambda: scribe.trouble is not None)
        assert "196 wait in memory" in str(scribe.trouble)
        with pytest.raises(HistoryGone):
            Archive(database).page(ALL)
        cluster.start()
        assert scribe.written(GUARD_S)
        assert scribe.trouble is None
        assert Archive(database).count(ALL) == 99
        assert [hour.count for hour in Archive(database).hands(ALL)] == [98]
        assert scribe.close()
        database.close()


def test_beyond_the_bound_the_oldest_go_and_are_counted(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'nowhere' / 'history.db'}")
    scribe = Scribe(database, retry_s=0.02, waiting_max=50)
    for number in range(80):
        scribe.put(line(f"a{number}"))
    eventually(lambda: "not written" in str(scribe.trouble))
    assert (scribe.waiting, scribe.lost) == (50, 30)
    assert "30 lines lost" in str(scribe.trouble)
    (tmp_path / "nowhere").mkdir()
    assert scribe.written(GUARD_S)
    assert scribe.trouble == "history: 30 lines lost"
    assert Archive(database).count(ALL) == 50
    assert scribe.close()
    database.close()


def test_a_database_that_hangs_is_told(tmp_path: Path) -> None:
    hung = threading.Event()
    now_s = [0.0]

    class Hanging(Database):
        @contextmanager
        def writing(self) -> Iterator[Connection]:
            hung.wait(GUARD_S)
            with super().writing() as connection:
                yield connection

    database = Hanging(f"sqlite:///{tmp_path / 'history.db'}")
    scribe = Scribe(database, now_s=lambda: now_s[0])
    scribe.put(line("a1"))
    eventually(lambda: scribe._begun_s is not None and scribe.waiting == 1)
    assert scribe.trouble is None
    now_s[0] = 11.0
    assert "has not answered for 11 s; 1 wait" in str(scribe.trouble)
    hung.set()
    assert scribe.written(GUARD_S)
    assert scribe.close()
    database.close()


def test_what_is_older_than_the_house_keeps_is_let_go(place: tuple[str, str | None]) -> None:
    database = Database(*place)
    day_s = 86_400
    clock_ms = OPENED_MS + 40 * day_s * 1000
    scribe = Scribe(database, keep_days=30, clock_ms=lambda: clock_ms)
    scribe._tidied_s = None
    for number in range(3):
        scribe.put(line(f"old-{number}", at_s=number, told_s=number))
    scribe.put(line("straddling", 1, at_s=0))
    scribe.put(line("straddling", 2, at_s=0, told_s=35 * day_s))
    scribe.put(line("young", at_s=39 * day_s))
    scribe.hands("roma", "poker-1", 1, OPENED)
    scribe.hands("roma", "poker-1", 2, OPENED + timedelta(days=39))
    assert scribe.written(GUARD_S)
    scribe._tidied_s = None
    scribe.put(line("younger", at_s=39 * day_s))
    assert scribe.written(GUARD_S)
    left = {row.alert for row in Archive(database).page(ALL).rows}
    assert left == {"straddling", "young", "younger"}
    assert sorted({row["alert"] for row in rows(database, made.transition)}) == sorted(left)
    assert [hour.count for hour in Archive(database).hands(ALL)] == [2]
    assert scribe.close()
    database.close()


def test_a_question_by_irregularity_finds_its_index_in_a_history_that_has_grown(
    tmp_path: Path,
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'history.db'}")
    scribe = Scribe(database)
    for number in range(3000):
        scribe.put(line(f"a{number}", at_s=number, irregularity=f"irregularity-{number % 30}"))
    assert scribe.written(GUARD_S)
    scribe._tidied_s = None
    scribe.put(line("another"))
    assert scribe.close(GUARD_S)
    archive = Archive(database)
    asked = Question(role="supervise", since_ms=0, until_ms=EVER, irregularities=["irregularity-7"])
    question = sa.select(made.alert.c.site).where(archive._wanted(asked))
    question = question.order_by(made.alert.c.raised_ms.desc())
    with database.reading() as connection:
        said = question.compile(connection, compile_kwargs={"literal_binds": True})
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}").all()
    assert "ix_alert_irregularity" in str(plan)
    database.close()


def test_closing_writes_what_waits(database: Database) -> None:
    scribe = Scribe(database)
    for number in range(1200):
        scribe.put(line(f"a{number}"))
    assert scribe.close(GUARD_S)
    assert Archive(database).count(ALL) == 1200


def test_deeds_that_cannot_be_written_are_in_the_log_at_least(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'nowhere' / 'history.db'}")
    scribe = Scribe(database, retry_s=0.02)
    scribe.audit(
        at=OPENED, login="anna", role="supervise", what="close", about="a1", outcome="done"
    )
    assert not scribe.close(GUARD_S)
    said = capsys.readouterr().out
    assert "audit not written" in said
    assert "anna" in said
    database.close()


def eventually(holds: Any) -> None:
    """Wait until it holds, as the writer's thread goes on."""
    deadline, pause = monotonic() + GUARD_S, threading.Event()
    while not holds():
        assert monotonic() < deadline
        pause.wait(0.005)
