"""A PostgreSQL that falls silent is given up, told, and no answer of its is taken for another's."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest
import sqlalchemy as sa

from daemon.floor.history import Archive, Database, HistoryGone, Question, Scribe
from daemon.floor.history import database as databases
from tests.floor.history.lines import EVER, OPENED, line
from tests.floor.postgres import PASSWORD, Cluster, running_cluster

GUARD_S = 60
ALL = Question(role="surveillance", since_ms=0, until_ms=EVER)


@contextmanager
def silence(cluster: Cluster) -> Iterator[None]:
    """All its processes are stopped: what is sent to it is taken, and nothing comes back."""
    assert cluster.process is not None
    first = cluster.process.pid
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    every = [first, *map(int, children)]
    for pid in every:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in every:
            os.kill(pid, signal.SIGCONT)


def test_what_was_put_while_it_was_silent_is_written_once_it_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(databases, "ANSWER_S", 5.0)
    with running_cluster() as cluster:
        database = Database(cluster.database(), PASSWORD)
        scribe = Scribe(database, retry_s=0.02)
        scribe.put(line("a1"))
        assert scribe.written(GUARD_S)
        with silence(cluster):
            with pytest.raises(HistoryGone, match="timed out"):
                Archive(database).count(ALL)
            for number in range(2, 50):
                scribe.put(line(f"a{number}"))
                scribe.hands("roma", "poker-1", 1, OPENED)
            deadline, pause = monotonic() + GUARD_S, threading.Event()
            while scribe.trouble is None and monotonic() < deadline:
                pause.wait(0.01)
            assert "timed out; 96 wait in memory" in str(scribe.trouble)
        assert scribe.written(GUARD_S)
        assert scribe.trouble is None
        assert Archive(database).count(ALL) == 49
        assert [hour.count for hour in Archive(database).hands(ALL)] == [48]
        assert scribe.close(GUARD_S)
        database.close()


def test_an_answer_that_comes_too_late_is_nobodys(
    monkeypatch: pytest.MonkeyPatch, postgres: Cluster
) -> None:
    monkeypatch.setattr(databases, "ANSWER_S", 3.0)
    database = Database(postgres.database(), PASSWORD)
    with pytest.raises(HistoryGone, match="timed out"), database.reading() as connection:
        connection.execute(sa.text("SELECT 'late', pg_sleep(4)"))
    for number in range(20):
        with database.reading() as connection:
            assert connection.execute(sa.text(f"SELECT {number}")).scalar_one() == number
    database.close()
