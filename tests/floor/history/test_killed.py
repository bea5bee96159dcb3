"""A floor killed while it writes loses nothing that it has told of; a replay doubles nothing."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from daemon.floor.history import Archive, Database, Question, Scribe
from daemon.floor.history import tables as made
from tests.floor.history.lines import EVER, line
from tests.floor.history.writes import lines_of

ROOT = Path(__file__).parents[3]
GUARD_S = 120
ALL = Question(role="surveillance", since_ms=0, until_ms=EVER)


def told_before_it_was_killed(place: tuple[str, str | None], after_s: float) -> int:
    """The last round that the process said was kept, before it was killed in the middle."""
    arguments = [place[0], *([place[1]] if place[1] else [])]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.floor.history.writes", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    last = int(process.stdout.readline())  # its first round, however long its start takes
    timer = threading.Timer(after_s, process.kill)
    timer.start()
    for said in process.stdout:
        if said.endswith("\n"):
            last = int(said)
    process.stdout.close()
    assert process.wait(GUARD_S) == -9
    timer.join()
    return last


@pytest.mark.parametrize("run", range(2))
def test_what_was_kept_is_there_after_a_kill_and_a_replay_doubles_nothing(
    place: tuple[str, str | None], run: int, tmp_path: Path
) -> None:
    last = told_before_it_was_killed(place, random.uniform(0.05, 0.6))
    database = Database(*place)
    database.bring_up()

    with database.reading() as connection:
        line_ = made.transition.c
        found = connection.execute(sa.select(line_.alert, line_.revision)).all()
        (hands,) = connection.execute(sa.select(made.hands.c["count"])).scalars()
    kept = {(alert, revision) for alert, revision in found}
    assert len(kept) == len(found)
    assert {one for number in range(last + 1) for one in lines_of(number)} <= kept
    assert hands >= last + 1

    rounds = last + 10
    scribe = Scribe(database)
    for number in range(rounds):
        for alert, revision in lines_of(number):
            scribe.put(line(alert, revision))
    assert scribe.written(GUARD_S)
    assert scribe.close()
    with database.reading() as connection:
        whole = connection.execute(sa.select(line_.alert, line_.revision)).all()
    assert sorted(map(tuple, whole)) == sorted(
        {*kept, *(one for number in range(rounds) for one in lines_of(number))}
    )
    rows = list(Archive(database).alerts(ALL))
    assert {row.alert for row in rows} == {alert for alert, _ in whole}
    newest = {alert: max(rev for name, rev in whole if name == alert) for alert, _ in whole[:50]}
    assert all(row.revision == newest[row.alert] for row in rows if row.alert in newest)
    database.close()
