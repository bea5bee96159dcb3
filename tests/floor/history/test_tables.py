"""The tables, from every version to the next, in both databases, with what stands in them."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

import daemon.floor.people.tables  # noqa: F401 - they stand on the same metadata
from daemon.floor.history import Archive, Database, HistoryError, HistoryGone, Question, Scribe
from daemon.floor.history.database import _script
from daemon.floor.history.tables import METADATA
from tests.floor.history.lines import EVER, OPENED, line
from tests.floor.postgres import PASSWORD, Cluster

REVISIONS = [script.revision for script in ScriptDirectory.from_config(_script()).walk_revisions()]
REVISIONS.reverse()
GUARD_S = 60
Place = tuple[str, str | None]


def test_the_migrations_make_the_tables_that_the_program_asks(database: Database) -> None:
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


@pytest.mark.parametrize("old", REVISIONS)
def test_an_older_history_is_brought_up_with_all_that_stands_in_it(place: Place, old: str) -> None:
    before = Database(*place)
    before.bring_up(old)
    with before.writing() as connection:
        for table in ("transition", "alert", "audit"):
            names = {column["name"] for column in sa.inspect(connection).get_columns(table)}
            known = METADATA.tables[table]
            row = {c.name: made_up(c) for c in known.c if c.name in names and c.name != "number"}
            connection.execute(sa.insert(known), [row])
    before.close()

    after = Database(*place)
    after.bring_up()
    with after.reading() as connection:
        for table in ("transition", "alert", "audit"):
            assert len(connection.execute(sa.select(METADATA.tables[table])).all()) == 1
        assert MigrationContext.configure(connection).get_current_revision() == REVISIONS[-1]
    (row,) = Archive(after).page(Question(role="surveillance", since_ms=0, until_ms=EVER)).rows
    assert row.alert == "alert"
    after.close()


def test_rulings_of_an_older_history_count_as_answers(place: Place) -> None:
    before = Database(*place)
    before.bring_up("0002")
    known = METADATA.tables["alert"]
    closed = {"closed_by": "bruno", "raised_ms": 1000, "closed_ms": 41_000}
    nobody = dict.fromkeys(("acknowledged_by", "acknowledged_ms", "answer_ms"))
    with before.writing() as connection:
        row = {c.name: made_up(c) for c in known.c} | nobody
        for more in ({"alert": "ruled"} | closed, {"alert": "open", "closed_by": None}):
            connection.execute(sa.insert(known), [row | more])
    before.close()
    after = Database(*place)
    after.bring_up()
    asked = Question(role="surveillance", since_ms=0, until_ms=EVER)
    found = {row.alert: row for row in Archive(after).alerts(asked)}
    assert (found["ruled"].acknowledged_by, found["ruled"].answer_ms) == ("bruno", 40_000)
    assert found["ruled"].acknowledged_ms == 41_000
    assert found["open"].acknowledged_by is None
    after.close()


def made_up(column: sa.Column[object]) -> object:
    fixed = {"eyes": "all", "titles": "{}", "cards": "", "payload": b"{}"}
    if column.name in fixed:
        return fixed[column.name]
    return {str: column.name, int: 1, bool: True}[column.type.python_type]


def test_a_history_of_a_newer_program_is_refused_in_words(place: Place) -> None:
    newer = Database(*place)
    newer.bring_up()
    with newer.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    newer.close()
    ours = Database(*place)
    for use in (ours.bring_up, ours.look_at):
        with pytest.raises(HistoryError, match=r"is of a newer floorcall \(revision 9999"):
            use()
    ours.close()


def test_a_writer_on_a_newer_history_says_so_and_touches_nothing(place: Place) -> None:
    database = Database(*place)
    database.bring_up()
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    database.is_up_to_date = False
    scribe = Scribe(database, retry_s=0.02)
    scribe.put(line())
    pause = threading.Event()
    while scribe.trouble is None:
        pause.wait(0.01)
    assert "is of a newer floorcall" in scribe.trouble
    assert not scribe.close(GUARD_S)
    database.close()


def test_two_programs_that_start_at_once_both_find_the_tables(place: Place) -> None:
    both = [Database(*place) for _ in range(2)]
    threads = [threading.Thread(target=one.bring_up) for one in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD_S)
    assert [one.is_up_to_date for one in both] == [True, True]
    for one in both:
        one.close()


def test_a_report_changes_no_older_history(place: Place) -> None:
    older = Database(*place)
    older.bring_up(REVISIONS[0])
    with pytest.raises(HistoryError, match="is of an older floorcall"):
        older.look_at()
    older.close()


def test_a_report_makes_no_history_where_there_is_none(tmp_path: Path) -> None:
    missing = Database(f"sqlite:///{tmp_path / 'history.db'}")
    with pytest.raises(HistoryError, match="there is no such file"):
        missing.look_at()
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'history.db'}")
    database.bring_up()
    scribe = Scribe(database)
    scribe.audit(at=OPENED, login="a", role="r", what="w", about="", outcome="")
    assert scribe.written(GUARD_S)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert scribe.close()
    database.close()


def test_a_wrong_password_is_told_and_is_in_no_words(postgres: Cluster) -> None:
    wrong = Database(postgres.database(), "not this one")
    with pytest.raises(HistoryGone, match="password authentication failed") as refused:
        wrong.bring_up()
    assert "not this one" not in str(refused.value)
    assert PASSWORD not in str(refused.value)
    wrong.close()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql+pg8000://floor:secret@db/floor", "does not belong into the URL"),
        ("mysql://floor@db/floor", "is none of"),
        ("postgresql://floor@db/floor", "is none of"),
        ("sqlite://", "needs a file"),
        ("no url at all", "is no database's URL"),
    ],
)
def test_a_url_that_cannot_be_is_refused_in_words(url: str, why: str) -> None:
    with pytest.raises(HistoryError, match=why) as refused:
        Database(url)
    assert "secret" not in str(refused.value)
