"""The acts since a fault, how much each table has written in a day, and rulings as answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables of acts and of room."""
    op.create_table(
        "act",
        *_texts("site table_name alert"),
        *_numbers("at_ms seat"),
        *_texts("act"),
        *_numbers("told_ms"),
        sa.PrimaryKeyConstraint(
            "site", "table_name", "alert", "at_ms", "seat", "act", name="pk_act"
        ),
    )
    op.create_index("ix_act_told_ms", "act", ["told_ms"])
    op.create_table(
        "room",
        *_texts("site table_name"),
        *_numbers("day_ms bytes"),
        sa.PrimaryKeyConstraint("site", "table_name", "day_ms", name="pk_room"),
    )
    op.create_index("ix_room_day_ms", "room", ["day_ms"])
    op.execute(
        "UPDATE alert SET acknowledged_by = closed_by, acknowledged_ms = closed_ms, answer_ms = "
        "CASE WHEN closed_ms > raised_ms THEN closed_ms - raised_ms ELSE 0 END "
        "WHERE acknowledged_by IS NULL AND closed_by IS NOT NULL AND closed_ms IS NOT NULL"
    )


def _texts(names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names.split()]


def _numbers(names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger, nullable=False) for name in names.split()]
