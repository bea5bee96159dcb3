"""A journal read back: its header, its entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daemon.edges.journal.files import JournalError, file_lines, parts_from
from daemon.edges.journal.sealing import CLOSED, KEY
from daemon.transcript import BadLine, Entry, Header, Reader


def read_header(path: Path) -> Header:
    """The header of a journal; raises JournalError."""
    reader = Reader()
    for line in file_lines(path):
        try:
            reader.take(line.words.decode() if line.whole else "")
        except (BadLine, UnicodeDecodeError):
            break
        assert reader.header is not None
        return reader.header
    raise JournalError(path, 1, "is not a journal's header")


def read_journal(path: Path) -> Iterator[Entry]:
    """The entries of a journal, and of the parts that follow this one.

    A torn last line is set aside; any other line that is not right raises JournalError, after the
    entries before it have come out. Whether the lines are as they were written, `verify` tells.
    """
    read_header(path)
    reader = Reader()
    for part in parts_from(path):
        yield from _entries(part, reader)


def _entries(path: Path, reader: Reader) -> Iterator[Entry]:
    number = 0
    try:
        for line in file_lines(path):
            if not line.whole:
                return
            number = line.number
            if line.words.startswith((KEY, CLOSED)):
                raise JournalError(path, number, "is sealed: floorcall journal open opens it")
            yield from reader.take(line.words.decode())
    except UnicodeDecodeError:
        raise JournalError(path, number, "is not UTF-8") from None
    except BadLine as error:
        raise JournalError(path, number, str(error)) from None
