"""What the writer says to the database, alike in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from daemon.floor.history import tables
from daemon.floor.history.room import DAY_BYTES_MAX, Filled, Room, known_lines
from daemon.floor.history.rows import Columns, act_columns, added_up, clean, columns
from daemon.floor.history.tables import execute_many, insert_into, is_one_of
from daemon.floor.views import ActSeen, Transition

HOUR_MS = 3_600_000
TOUCHED_MAX = 200  # alerts that are added up in one go
PRUNED_MAX = 500
LINES_MAX = 1000  # of one alert: an alert in earnest has some ten
BATCHES_KEPT_MS = 30 * 24 * HOUR_MS

_ADDED_FROM = [column for column in tables.transition.c if column.name not in ("number", "payload")]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an alert."""

    transition: Transition


@dataclass(frozen=True, slots=True)
class Hands:
    """So many hands more in an hour."""

    site: str
    table: str
    hour_ms: int
    count: int


@dataclass(frozen=True, slots=True)
class Deed:
    """Who did what at a screen."""

    at_ms: int
    login: str
    role: str
    what: str
    about: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Acts:
    """What was done at a table since a fault."""

    site: str
    table: str
    alert: str
    told_ms: int
    acts: Sequence[ActSeen]


Work = Line | Hands | Deed | Acts


def write(
    connection: Connection, group: Sequence[Work], day_bytes_max: int = DAY_BYTES_MAX
) -> set[Filled]:
    """All of it that its table has room for, in the open transaction; which tables have none."""
    lines = _merged([columns(one.transition) for one in group if isinstance(one, Line)])
    acts = [row for one in group if isinstance(one, Acts) for row in _act_rows(one)]
    room = Room(connection, [*lines, *acts], day_bytes_max)
    if lines and (lines := room.admitted(lines, known_lines(connection, lines))):
        _insert_lines(connection, lines)
        add_up(connection, {(line["site"], line["alert"]) for line in lines})
    if acts and (acts := room.admitted_acts(acts)):
        execute_many(connection, insert_into(connection, tables.act).on_conflict_do_nothing(), acts)
    room.close()
    hands = [one for one in group if isinstance(one, Hands)]
    if hands:
        _count_hands(connection, hands)
    deeds = [one for one in group if isinstance(one, Deed)]
    if deeds:
        connection.execute(sa.insert(tables.audit), [_deed(one) for one in deeds])
    return room.filled


def is_written(connection: Connection, boot: str, number: int) -> bool:
    """Whether this run's group of this number was committed, though nobody said so."""
    found = connection.execute(
        sa.select(tables.batch.c.number).where(tables.batch.c.boot == boot)
    ).scalar()
    return found is not None and found >= number


def mark(connection: Connection, boot: str, number: int, now_ms: int) -> None:
    """This run's groups up to this number are written, once this transaction is."""
    made = insert_into(connection, tables.batch).values(boot=boot, number=number, at_ms=now_ms)
    kept = {"number": made.excluded.number, "at_ms": made.excluded.at_ms}
    connection.execute(made.on_conflict_do_update(index_elements=["boot"], set_=kept))


def add_up(connection: Connection, touched: Iterable[tuple[str, str]]) -> None:
    """Make the rows of these alerts (site, alert) anew out of all their lines."""
    for part in _parts(sorted(touched), TOUCHED_MAX):
        made: list[Columns] = []
        for _, lines in groupby(_lines_of(connection, part), key=itemgetter("site", "alert")):
            made += added_up(lines)
        insert = insert_into(connection, tables.alert)
        keys = [column.name for column in tables.alert.primary_key]
        changed = {c.name: insert.excluded[c.name] for c in tables.alert.c if c.name not in keys}
        execute_many(
            connection, insert.on_conflict_do_update(index_elements=keys, set_=changed), made
        )


def _lines_of(connection: Connection, names: Sequence[tuple[str, str]]) -> Iterator[Columns]:
    """The lines of these alerts, one alert behind the other.

    Of one that has more than any alert has in earnest, its first and its last: whoever floods us
    with lines makes no other wait.
    """
    line = tables.transition.c
    is_named = is_one_of(line.site, line.alert, names)
    counted = sa.select(line.site, line.alert, sa.func.count()).where(is_named)
    counts = connection.execute(counted.group_by(line.site, line.alert)).all()
    long = {(site, alert) for site, alert, count in counts if count > LINES_MAX}
    asked = sa.select(*_ADDED_FROM).where(
        is_one_of(line.site, line.alert, [name for name in names if name not in long])
    )
    for row in connection.execute(asked.order_by(line.site, line.alert)).mappings():
        yield dict(row)
    for site, alert in sorted(long):
        own = sa.select(*_ADDED_FROM).where(line.site == site, line.alert == alert)
        for order in (line.revision, line.revision.desc()):
            some = own.order_by(order).limit(LINES_MAX // 2)
            yield from (dict(row) for row in connection.execute(some).mappings())


def prune(connection: Connection, before_ms: int) -> bool:
    """Let go some of what was last heard of before; whether nothing more is left to go."""
    alert, line = tables.alert.c, tables.transition.c
    old = connection.execute(
        sa.select(alert.site, alert.alert)
        .where(alert.eyes == "all", alert.last_told_ms < before_ms)
        .order_by(alert.last_told_ms)
        .limit(PRUNED_MAX)
    ).all()
    names = [(site, name) for site, name in old]
    for part in _parts(names, TOUCHED_MAX):
        connection.execute(
            sa.delete(tables.transition).where(is_one_of(line.site, line.alert, part))
        )
        connection.execute(sa.delete(tables.alert).where(is_one_of(alert.site, alert.alert, part)))
    connection.execute(sa.delete(tables.act).where(tables.act.c.told_ms < before_ms))
    connection.execute(sa.delete(tables.room).where(tables.room.c.day_ms < before_ms))
    connection.execute(sa.delete(tables.audit).where(tables.audit.c.at_ms < before_ms))
    connection.execute(sa.delete(tables.hands).where(tables.hands.c.hour_ms < before_ms))
    stale_ms = before_ms - BATCHES_KEPT_MS
    connection.execute(sa.delete(tables.batch).where(tables.batch.c.at_ms < stale_ms))
    return len(old) < PRUNED_MAX


def _insert_lines(connection: Connection, lines: list[Columns]) -> None:
    """Each line once. A copy adds only what does not depend on which of them came first.

    That is when the floor first heard it, whether it heard it in time, and that it is not
    surveillance's alone.
    """
    insert = insert_into(connection, tables.transition)
    had, new = tables.transition.c, insert.excluded
    is_sooner = new.told_ms < had.told_ms
    is_for_more = sa.and_(had.audience == "surveillance", new.audience != "surveillance")
    statement = insert.on_conflict_do_update(
        index_elements=["site", "alert", "revision"],
        set_={
            "told_ms": sa.case((is_sooner, new.told_ms), else_=had.told_ms),
            "late": sa.and_(had.late, new.late),
            "audience": sa.case((is_for_more, new.audience), else_=had.audience),
        },
        where=sa.or_(is_sooner, is_for_more, sa.and_(had.late, sa.not_(new.late))),
    )
    execute_many(connection, statement, lines)


def _merged(lines: list[Columns]) -> list[Columns]:
    """Each line once, merged as the statement does: one statement may not meet a line twice."""
    found: dict[tuple[str, str, int], Columns] = {}
    for line in lines:
        name = (line["site"], line["alert"], line["revision"])
        had = found.setdefault(name, line)
        if had is line:
            continue
        is_for_more = had["audience"] == "surveillance"
        found[name] = {
            **had,
            "told_ms": min(had["told_ms"], line["told_ms"]),
            "late": had["late"] and line["late"],
            "audience": line["audience"] if is_for_more else had["audience"],
        }
    return list(found.values())


def _count_hands(connection: Connection, hands: list[Hands]) -> None:
    insert = insert_into(connection, tables.hands)
    keys = ["site", "table_name", "hour_ms"]
    statement = insert.on_conflict_do_update(
        index_elements=keys, set_={"count": tables.hands.c.count + insert.excluded.count}
    )
    connection.execute(
        statement,
        [
            {
                "site": clean(one.site),
                "table_name": clean(one.table),
                "hour_ms": one.hour_ms,
                "count": one.count,
            }
            for one in hands
        ],
    )


def _act_rows(one: Acts) -> Iterator[Columns]:
    for act in one.acts:
        yield act_columns(one.site, one.table, one.alert, one.told_ms, act)


def _deed(one: Deed) -> Columns:
    said = {name: clean(getattr(one, name)) for name in "login role what about outcome".split()}
    return {"at_ms": one.at_ms, **said}


def _parts(whole: Sequence[tuple[str, str]], most: int) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(whole), most):
        yield whole[start : start + most]
