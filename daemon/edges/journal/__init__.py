"""The journal: written before its words count, synced in a thread, read back, verified."""

from daemon.edges.journal.files import JournalError, latest_journal, part_path
from daemon.edges.journal.opening import Opening, open_journal
from daemon.edges.journal.reading import read_header, read_journal
from daemon.edges.journal.verifying import Verdict, read_noted, verify
from daemon.edges.journal.writing import Journal

__all__ = [
    "Journal",
    "JournalError",
    "Opening",
    "Verdict",
    "latest_journal",
    "open_journal",
    "part_path",
    "read_header",
    "read_journal",
    "read_noted",
    "verify",
]
