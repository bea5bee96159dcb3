"""How much of the history one table may fill in a day: whoever floods it fills no disk.

What a table told counts when the floor heard it first; a line that is known already takes no room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from daemon.floor.history import tables
from daemon.floor.history.rows import Columns

DAY_MS = 86_400_000
DAY_BYTES_MAX = 128 * 1024 * 1024
"""Some 35,000 lines as long as those of a fault with a long remedy, 2.2 kB. A table in earnest
tells some dozens, and holds back at most 20,000 for a broker that is away, which come in one day.
"""
LINE_BYTES = 1536  # beside its payload: its columns, and its share of `alert`
ACT_BYTES = 128

Filled = tuple[str, str, int]
"""A site, a table there, and the day on which it had no more room."""


class Room:
    """What each table has left today, in the open transaction; `filled` are those without any."""

    def __init__(
        self, connection: Connection, rows: Iterable[Columns], most: int = DAY_BYTES_MAX
    ) -> None:
        self.filled: set[Filled] = set()
        self._most = most
        self._connection = connection
        self._had = self._read({_day_of(row) for row in rows})
        self._taken: dict[Filled, int] = {}

    def admitted(self, rows: Iterable[Columns], known: set[tuple[str, str, int]]) -> list[Columns]:
        """The lines that there is room for, and the `known` ones: (site, alert, revision)."""
        return [
            row
            for row in rows
            if (row["site"], row["alert"], row["revision"]) in known
            or self._takes(row, LINE_BYTES + len(row["payload"]))
        ]

    def admitted_acts(self, rows: Iterable[Columns]) -> list[Columns]:
        """The acts for which there is room."""
        return [row for row in rows if self._takes(row, ACT_BYTES)]

    def close(self) -> None:
        """Remember what was taken."""
        taken = [
            {"site": site, "table_name": table, "day_ms": day_ms, "bytes": count}
            for (site, table, day_ms), count in self._taken.items()
        ]
        if not taken:
            return
        insert = tables.insert_into(self._connection, tables.room)
        more = {"bytes": tables.room.c.bytes + insert.excluded.bytes}
        keys = [column.name for column in tables.room.primary_key]
        tables.execute_many(
            self._connection, insert.on_conflict_do_update(index_elements=keys, set_=more), taken
        )

    def _takes(self, row: Columns, count: int) -> bool:
        day = _day_of(row)
        taken = self._taken.get(day, 0) + count
        if self._had.get(day, 0) + taken > self._most:
            self.filled.add(day)
            return False
        self._taken[day] = taken
        return True

    def _read(self, days: set[Filled]) -> dict[Filled, int]:
        room = tables.room.c
        asked = sa.select(room.site, room.table_name, room.day_ms, room.bytes).where(
            tables.is_one_of(
                room.site, room.table_name, {(site, table) for site, table, _ in days}
            ),
            room.day_ms.in_({day_ms for _, _, day_ms in days}),
        )
        return {
            (site, table, day_ms): count
            for site, table, day_ms, count in self._connection.execute(asked)
        }


def known_lines(connection: Connection, rows: Sequence[Columns]) -> set[tuple[str, str, int]]:
    """Those of these lines that stand in the history: (site, alert, revision)."""
    line = tables.transition.c
    asked = sa.select(line.site, line.alert, line.revision).where(
        tables.is_one_of(line.site, line.alert, {(row["site"], row["alert"]) for row in rows}),
        line.revision.in_({row["revision"] for row in rows}),
    )
    return {(site, alert, revision) for site, alert, revision in connection.execute(asked)}


def _day_of(row: Columns) -> Filled:
    return row["site"], row["table_name"], row["told_ms"] // DAY_MS * DAY_MS
