"""What has been told, kept: written by one thread, asked by many, in SQLite or PostgreSQL."""

from daemon.floor.history.asking import Archive, NotAllowed, Page, Question
from daemon.floor.history.database import Database, HistoryError, HistoryGone
from daemon.floor.history.names import Names
from daemon.floor.history.rows import AlertRow, AuditRow, HandsRow, LineRow, ShelvingRow
from daemon.floor.history.writing import Scribe

__all__ = [
    "AlertRow",
    "Archive",
    "AuditRow",
    "Database",
    "HandsRow",
    "HistoryError",
    "HistoryGone",
    "LineRow",
    "Names",
    "NotAllowed",
    "Page",
    "Question",
    "Scribe",
    "ShelvingRow",
]
