"""A journal read back: its header, its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from daemon.edges.journal.files import JournalError, file_lines, parts_from
from daemon.edges.journal.sealing import CLOSED, KEY, CannotOpen, Opener
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


def opened(path: Path, unwrap: Callable[[bytes], bytes]) -> Iterator[bytes | JournalError]:
    """The lines of a sealed journal, and of the parts that follow, as a plain one has them.

    They have no chain any more. A line that does not open comes out as the error; a journal that is
    not sealed, or cannot be read, raises it.
    """
    if not read_header(path).sealed:
        raise JournalError(path, 1, "is not sealed: it reads as it is")
    opener, name = Opener(unwrap), ""
    for part in parts_from(path):
        for line in file_lines(part):
            if not line.whole:
                break
            try:
                if line.words.startswith(b"#! "):
                    header = msgspec.json.decode(line.words[3:], type=Header)
                    name = header.name
                    plain = msgspec.structs.replace(header, chain="", after="", sealed="")
                    yield b"#! " + msgspec.json.encode(plain)
                elif line.words.startswith(KEY):
                    opener.key(line.words)
                elif line.words.startswith(CLOSED):
                    yield from opener.lines(line.words, name)
                else:
                    yield line.words
            except CannotOpen:
                what = "does not open: it was altered, or is sealed to another key"
                yield JournalError(part, line.number, what)
            except msgspec.MsgspecError:
                yield JournalError(part, line.number, "is not a journal's header")
