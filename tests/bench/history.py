"""A million lines of alerts in the history: how long a screen's question and an export take.

`python -m tests.bench.history [LINES] [URL]`: a SQLite file in a folder of its own by default, a
PostgreSQL with the password of PGPASSWORD. Every question stands beside the floor of the same run:
a count of the same rows by SQL alone.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import sqlalchemy as sa

from daemon.floor.history import Archive, Database, Question, statements
from daemon.floor.history import tables as made
from daemon.floor.report.printed import printed
from daemon.floor.report.sheet import sheet
from daemon.floor.report.shift import shift
from daemon.floor.report.words import speech
from daemon.floor.views import Transition
from tests.floor.history.lines import OPENED, OPENED_MS

GROUP = 500
DAYS = 365
TABLES = 60
KINDS = [f"irregularity-{number}" for number in range(60)]
SEVERITIES = ("critical", "high", "medium", "low")
RULING = "The card is out of play for this round, even if everybody still to act folds. " * 4
PEOPLE = ("Anna", "Bruno", "Chiara", "Dario", "Elena")


def lines(count: int) -> Iterator[Transition]:
    """Four lines of each alert, over a year of sixty tables."""
    chance = random.Random(1)
    for number in range(count // 4):
        at = OPENED + timedelta(days=DAYS * number * 4 / count)
        kind, by = chance.choice(KINDS), chance.choice(PEOPLE)
        took = timedelta(seconds=chance.expovariate(1 / 40))
        row: dict[str, Any] = {
            "site": "roma",
            "table": f"poker-{chance.randrange(TABLES)}",
            "alert": f"poker-12:20261130T200000Z:{number}:1:{kind}:turn",
            "audience": chance.choices(["floor", "maintenance", "surveillance"], [8, 1, 1])[0],
            "irregularity": kind,
            "severity": chance.choice(SEVERITIES),
            "hand": str(number),
            "street": "flop",
            "at": at,
            "told": at + timedelta(milliseconds=200),
            "late": False,
            "level": 1,
            "dealer": None,
        }
        titles = {language: {"title": f"What happened {kind}", "ruling": RULING, "remedy": []}
                  for language in ("en", "it")}  # fmt: skip
        payload = json.dumps({"at_ms": 0, "known_ms": 0, "cards": ["Td"], "text": titles}).encode()
        for revision in range(1, 5):
            looked = {"acknowledged_by": by, "acknowledged_at": at + took} if revision > 1 else {}
            ruled = (
                {"verdict": "upheld" if chance.random() < 0.9 else "none"} if revision == 4 else {}
            )
            yield Transition(**{
                "revision": revision, "state": "closed" if revision == 4 else "raised",
                "acknowledged_by": None, "acknowledged_at": None, "verdict": None,
                "payload": payload, **row, **looked, **ruled,
            })  # fmt: skip


def fill(database: Database, count: int) -> None:
    """Write as the scribe does, in its groups."""
    group: list[statements.Work] = []
    for one in lines(count):
        group.append(statements.Line(one))
        if len(group) == GROUP:
            _commit(database, group)
            group = []
    _commit(database, group)
    database.survey()


def _commit(database: Database, group: list[statements.Work]) -> None:
    with database.writing() as connection:
        statements.write(connection, group)


def timed(what: str, do: Callable[[], object], times: int = 5) -> None:
    """Print the best and the worst of some runs."""
    took = []
    for _ in range(times):
        began = perf_counter()
        found = do()
        took.append((perf_counter() - began) * 1000)
    said = f"  {found}" if isinstance(found, int | str) else ""
    print(f"{what:<58} best {min(took):>9,.1f} ms   worst {max(took):>9,.1f} ms{said}", flush=True)


def questions(archive: Archive) -> None:
    """What a screen asks."""
    day_ms = 86_400_000
    middle = OPENED_MS + DAYS * day_ms // 2
    whole = {"since_ms": OPENED_MS, "until_ms": OPENED_MS + (DAYS + 1) * day_ms}
    night = {"since_ms": middle, "until_ms": middle + day_ms // 3}
    asked = {
        "the newest hundred, of all time": Question(role="supervise", **whole),
        "a night": Question(role="supervise", **night),
        "a table, of all time": Question(role="supervise", tables=["poker-7"], **whole),
        "an irregularity, of all time": Question(
            role="supervise", irregularities=[KINDS[3]], **whole
        ),
        "table, irregularity, critical, slower than a minute": Question(
            role="supervise",
            tables=["poker-7"],
            irregularities=[KINDS[3]],
            severities=["critical"],
            slower_ms=60_000,
            **whole,
        ),
        "slower than five minutes, of all time": Question(
            role="supervise", slower_ms=300_000, **whole
        ),
        "what there is not, of all time": Question(
            role="supervise", verdicts=["other"], tables=["poker-7"], **whole
        ),
        "surveillance: no irregularity, of all time": Question(
            role="surveillance", verdicts=["none"], **whole
        ),
    }
    for name, question in asked.items():
        timed(name, lambda q=question: len(archive.page(q, most=100).rows))
    timed("what there is to ask for by name", lambda: len(archive.names("supervise").tables))
    timed("how many, of all time", lambda: archive.count(asked["the newest hundred, of all time"]))
    deep = (middle, "roma", "")
    timed(
        "a page in the middle of all time",
        lambda: len(archive.page(asked["the newest hundred, of all time"], deep, 100).rows),
    )


def exports(archive: Archive) -> None:
    """What a report costs: a night, a month, a year."""
    day_ms = 86_400_000
    say = speech("it", UTC)
    for name, days in (("a night", 1 / 3), ("a month", 30), ("a year", DAYS + 1)):
        times = 1 if days > 30 else 3
        since = OPENED_MS if days > DAYS else OPENED_MS + 100 * day_ms
        asked = Question(role="surveillance", since_ms=since, until_ms=since + round(days * day_ms))
        timed(f"{name}: figures", lambda q=asked: shift(archive, q, UTC).alerts, times)
        timed(f"{name}: CSV", lambda q=asked: _csv(archive, q, say), times)
        timed(f"{name}: PDF", lambda q=asked: _pdf(archive, q, say), times)


def _csv(archive: Archive, question: Question, say: Any) -> str:
    size = sum(len(line.encode()) for line in sheet(archive.alerts(question), say))
    return f"{size / 1e6:.1f} MB"


def _pdf(archive: Archive, question: Question, say: Any) -> str:
    file = io.BytesIO()
    printed(file, shift(archive, question, UTC), archive.alerts(question), say, shown="", made="")
    return f"{len(file.getvalue()) / 1e6:.2f} MB"


def main() -> None:
    """Fill, ask, export."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        given = sys.argv[2] if len(sys.argv) > 2 else f"sqlite:///{Path(folder) / 'history.db'}"
        database = Database(given, os.environ.get("PGPASSWORD"))
        database.bring_up()
        began = perf_counter()
        fill(database, count)
        took = perf_counter() - began
        print(f"{count:,} lines written in {took:.0f} s: {count / took:,.0f} a second", flush=True)
        if database.is_sqlite:
            size = Path(str(database.url.database)).stat().st_size
            print(f"{size / 1e6:,.0f} MB, {size / count:,.0f} bytes a line", flush=True)
        with database.reading() as connection:
            timed(
                "the floor: SQL counts the alerts of one pair of eyes",
                lambda: connection.execute(
                    sa.select(sa.func.count()).where(made.alert.c.eyes == "floor")
                ).scalar_one(),
            )
        archive = Archive(database)
        questions(archive)
        exports(archive)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"at most {most:,.0f} MB of memory")
        database.close()


if __name__ == "__main__":
    main()
