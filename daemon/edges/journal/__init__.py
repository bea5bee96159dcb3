"""The journal: written before its words count, synced in a thread, read back, verified."""

from daemon.edges.journal.files import JournalError, latest_journal, part_path
from daemon.edges.journal.keeping import Care, Part, hold, parts_kept, release
from daemon.edges.journal.opening import Opening, open_journal
from daemon.edges.journal.reading import LOOKED_BACK, published_last, read_header, read_journal
from daemon.edges.journal.sealing import Seal, kept_in_memory, new_pair, with_private
from daemon.edges.journal.unsealing import opened
from daemon.edges.journal.verifying import Verdict, read_noted, verify
from daemon.edges.journal.writing import Journal

__all__ = [
    "LOOKED_BACK",
    "Care",
    "Journal",
    "JournalError",
    "Opening",
    "Part",
    "Seal",
    "Verdict",
    "hold",
    "kept_in_memory",
    "latest_journal",
    "new_pair",
    "open_journal",
    "opened",
    "part_path",
    "parts_kept",
    "published_last",
    "read_header",
    "read_journal",
    "read_noted",
    "release",
    "verify",
    "with_private",
]
