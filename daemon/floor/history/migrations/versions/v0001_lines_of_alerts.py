"""The lines of alerts, what they add up to, hands, and who did what at a screen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the first tables."""
    _lines()
    _alerts()
    _others()


def _lines() -> None:
    op.create_table(
        "transition",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        *_texts("site table_name alert"),
        sa.Column("revision", sa.BigInteger, nullable=False),
        *_texts("audience irregularity severity state hand street"),
        *_moments("at_ms known_ms"),
        sa.Column("told_ms", sa.BigInteger, nullable=False),
        sa.Column("late", sa.Boolean, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("window_open", sa.Boolean),
        sa.Column("acknowledged_by", sa.Text),
        sa.Column("acknowledged_ms", sa.BigInteger),
        sa.Column("shelved_by", sa.Text),
        sa.Column("shelved_until_ms", sa.BigInteger),
        sa.Column("verdict", sa.Text),
        sa.Column("closed_by", sa.Text),
        sa.Column("closed_ms", sa.BigInteger),
        sa.Column("dealer", sa.Text),
        *_texts("subject cards titles"),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_transition"),
        sa.UniqueConstraint("site", "alert", "revision", name="uq_transition_site_alert_revision"),
    )
    op.create_index("ix_transition_told_ms", "transition", ["told_ms"])
    is_shelved = sa.text("shelved_by IS NOT NULL")
    op.create_index(
        "ix_transition_shelved", "transition", ["told_ms"],
        sqlite_where=is_shelved, postgresql_where=is_shelved,
    )  # fmt: skip


def _alerts() -> None:
    op.create_table(
        "alert",
        *_texts("eyes site alert table_name hand street irregularity severity state audience"),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("called", sa.Boolean, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False),
        sa.Column("at_ms", sa.BigInteger),
        sa.Column("raised_ms", sa.BigInteger, nullable=False),
        sa.Column("told_ms", sa.BigInteger, nullable=False),
        sa.Column("last_told_ms", sa.BigInteger, nullable=False),
        sa.Column("acknowledged_by", sa.Text),
        *_moments("acknowledged_ms answer_ms"),
        sa.Column("window_missed", sa.Boolean, nullable=False),
        sa.Column("verdict", sa.Text),
        sa.Column("closed_by", sa.Text),
        sa.Column("closed_ms", sa.BigInteger),
        sa.Column("dealer", sa.Text),
        *_texts("subject cards titles"),
        sa.PrimaryKeyConstraint("eyes", "site", "alert", name="pk_alert"),
    )
    op.create_index("ix_alert_raised", "alert", ["eyes", "raised_ms", "site", "alert"])
    op.create_index("ix_alert_table", "alert", ["eyes", "table_name", "raised_ms"])
    op.create_index("ix_alert_irregularity", "alert", ["eyes", "irregularity", "raised_ms"])
    op.create_index("ix_alert_last_told", "alert", ["eyes", "last_told_ms"])


def _others() -> None:
    op.create_table(
        "hands",
        *_texts("site table_name"),
        sa.Column("hour_ms", sa.BigInteger, nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("site", "table_name", "hour_ms", name="pk_hands"),
    )
    op.create_index("ix_hands_hour_ms", "hands", ["hour_ms"])
    op.create_table(
        "audit",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        *_texts("login role what about outcome"),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_index("ix_audit_at_ms", "audit", ["at_ms"])
    op.create_table(
        "batch",
        sa.Column("boot", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("boot", name="pk_batch"),
    )


def _texts(names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names.split()]


def _moments(names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger) for name in names.split()]
