"""The tables of the history. The migrations make them; these are what the program asks.

Every moment is in milliseconds since 1970, UTC, so that both databases compare it alike.
`transition` holds each line of each alert once. `alert` is made of it: one row for each alert and
each pair of `eyes` that see any of its lines, with what those eyes know and nothing else, so that
a role's question never touches what it may not see.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
    false,
    literal,
    or_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)
"""Of the whole database: people's tables stand on it too."""

Moment = BigInteger
NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts INTEGER keys only

transition = Table(
    "transition",
    METADATA,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("site", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("alert", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("audience", Text, nullable=False),
    Column("irregularity", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("hand", Text, nullable=False),
    Column("street", Text, nullable=False),
    Column("at_ms", Moment),  # when it became wrong, by the table's clock
    Column("known_ms", Moment),  # when the table knew, by the table's clock
    Column("told_ms", Moment, nullable=False),  # when the floor heard this line, by its own
    Column("late", Boolean, nullable=False),
    Column("level", Integer, nullable=False),
    Column("window_open", Boolean),
    Column("acknowledged_by", Text),
    Column("acknowledged_ms", Moment),
    Column("shelved_by", Text),
    Column("shelved_until_ms", Moment),
    Column("verdict", Text),
    Column("closed_by", Text),
    Column("closed_ms", Moment),
    Column("dealer", Text),
    Column("subject", Text, nullable=False),
    Column("cards", Text, nullable=False),  # those that are public, between blanks
    Column("titles", Text, nullable=False),  # JSON, by language
    Column("payload", LargeBinary, nullable=False),
    UniqueConstraint("site", "alert", "revision"),
)
Index("ix_transition_told_ms", transition.c.told_ms)
Index(
    "ix_transition_shelved",
    transition.c.told_ms,
    sqlite_where=transition.c.shelved_by.is_not(None),
    postgresql_where=transition.c.shelved_by.is_not(None),
)

alert = Table(
    "alert",
    METADATA,
    Column("eyes", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("alert", Text, primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("hand", Text, nullable=False),
    Column("street", Text, nullable=False),
    Column("irregularity", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("level", Integer, nullable=False),
    Column("called", Boolean, nullable=False),  # whether it was ever more than a line in the log
    Column("gone", Boolean, nullable=False),  # its later lines are for others
    Column("at_ms", Moment),
    Column("raised_ms", Moment, nullable=False),
    Column("told_ms", Moment, nullable=False),
    Column("last_told_ms", Moment, nullable=False),
    Column("acknowledged_by", Text),  # who did first, or ruled without that
    Column("acknowledged_ms", Moment),
    Column("answer_ms", BigInteger),
    Column("window_missed", Boolean, nullable=False),
    Column("verdict", Text),
    Column("closed_by", Text),
    Column("closed_ms", Moment),
    Column("dealer", Text),
    Column("subject", Text, nullable=False),
    Column("cards", Text, nullable=False),
    Column("titles", Text, nullable=False),
)
Index("ix_alert_raised", alert.c.eyes, alert.c.raised_ms, alert.c.site, alert.c.alert)
Index("ix_alert_table", alert.c.eyes, alert.c.table_name, alert.c.raised_ms)
Index("ix_alert_irregularity", alert.c.eyes, alert.c.irregularity, alert.c.raised_ms)
Index("ix_alert_last_told", alert.c.eyes, alert.c.last_told_ms)

hands = Table(
    "hands",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("table_name", Text, primary_key=True),
    Column("hour_ms", Moment, primary_key=True),
    Column("count", BigInteger, nullable=False),
)
Index("ix_hands_hour_ms", hands.c.hour_ms)

audit = Table(
    "audit",
    METADATA,
    Column("number", NUMBER, primary_key=True, autoincrement=True),
    Column("at_ms", Moment, nullable=False),
    Column("login", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("outcome", Text, nullable=False),
)
Index("ix_audit_at_ms", audit.c.at_ms)

act = Table(
    "act",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("table_name", Text, primary_key=True),
    Column("alert", Text, primary_key=True),
    Column("at_ms", Moment, primary_key=True),  # by the table's own clock, as alerts have it
    Column("seat", BigInteger, primary_key=True),  # 0 where nobody knew
    Column("act", Text, primary_key=True),
    Column("told_ms", Moment, nullable=False),
)
"""What was done at the table since a fault, as the hand told it then."""
Index("ix_act_told_ms", act.c.told_ms)

room = Table(
    "room",
    METADATA,
    Column("site", Text, primary_key=True),
    Column("table_name", Text, primary_key=True),
    Column("day_ms", Moment, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
)
"""How much each table has written in a day."""
Index("ix_room_day_ms", room.c.day_ms)

batch = Table(
    "batch",
    METADATA,
    Column("boot", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("at_ms", Moment, nullable=False),
)
"""The last batch that a run has written: one committed without a word is not written twice."""


def is_one_of(
    first: Column[str], second: Column[str], names: Iterable[tuple[str, str]]
) -> ColumnElement[bool]:
    """Whether a row is one of these: as (site, alert), say.

    Site by site, so that both databases go by their index: SQLite reads a whole table to look for
    pairs in it.
    """
    by_first: dict[str, list[str]] = {}
    for one, other in names:
        by_first.setdefault(one, []).append(other)
    found = (and_(first == one, second.in_(others)) for one, others in sorted(by_first.items()))
    return or_(false(), *found)


def insert_into(connection: Connection, table: Table) -> Any:  # noqa: ANN401 - either dialect's
    """An insert that knows what to do with a row that is there: each dialect has its own."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def execute_many(connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:  # noqa: ANN401
    """An insert of many rows: PostgreSQL is told of them together, which asks for a RETURNING."""
    if connection.dialect.name != "sqlite":
        statement = statement.returning(literal(1))
    connection.execute(statement, rows)
