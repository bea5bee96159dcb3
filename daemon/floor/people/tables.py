"""The tables of people and their sessions, beside the history's. Moments are in ms since 1970, UTC.

No password and no session's token stands here: an argon2 hash of the one, a SHA-256 of the other.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, Table, Text

from daemon.floor.history.tables import METADATA

person = Table(
    "person",
    METADATA,
    Column("login", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("secret", Text, nullable=False),  # argon2; empty where none opens anything
    Column("must_change", Boolean, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("language", Text),  # what is null was never chosen
    Column("theme", Text),
    Column("sound_critical", Boolean),
    Column("sound_high", Boolean),
    Column("sound_volume", Integer),
    Column("made_ms", BigInteger, nullable=False),
    Column("seen_ms", BigInteger),
)

session = Table(
    "session",
    METADATA,
    Column("token", Text, primary_key=True),  # its SHA-256, in hexadecimal
    Column("login", Text, ForeignKey("person.login", ondelete="CASCADE"), nullable=False),
    Column("begun_ms", BigInteger, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
)
