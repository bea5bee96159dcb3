"""People and their sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables of people."""
    op.create_table(
        "person",
        *_texts("login name role secret"),
        sa.Column("must_change", sa.Boolean, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("language", sa.Text),
        sa.Column("theme", sa.Text),
        sa.Column("sound_critical", sa.Boolean),
        sa.Column("sound_high", sa.Boolean),
        sa.Column("sound_volume", sa.Integer),
        sa.Column("made_ms", sa.BigInteger, nullable=False),
        sa.Column("seen_ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("login", name="pk_person"),
    )
    op.create_table(
        "session",
        *_texts("token login"),
        sa.Column("begun_ms", sa.BigInteger, nullable=False),
        sa.Column("seen_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_session"),
        sa.ForeignKeyConstraint(
            ["login"], ["person.login"], name="fk_session_login", ondelete="CASCADE"
        ),
    )


def _texts(names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names.split()]
