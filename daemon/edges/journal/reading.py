"""A journal read back: its header, its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import structlog

from daemon.edges.journal.files import SUFFIX, JournalError, file_lines, parts_from
from daemon.edges.journal.sealing import CLOSED, KEY
from daemon.transcript import BadLine, Entry, Header, Reader

LOOKED_BACK = 4

log = structlog.get_logger(part="journal")


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


def published_last(folder: Path) -> list[bytes]:
    """The alerts that the youngest `LOOKED_BACK` files say were published, in order.

    What cannot be read says nothing: it is no reason not to start.
    """
    found: list[bytes] = []
    try:
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[-LOOKED_BACK:]:
            found += [words for _, words in _published(path)]
    except (JournalError, OSError) as error:
        log.warning("what was published last cannot be read", reason=str(error))
    return found


def last_words(parts: Iterable[Path], until_ms: int) -> tuple[bytes, ...]:
    """The last words of each alert that these parts say was published by then."""
    last: dict[str, bytes] = {}
    for path in parts:
        for at_ms, words in _published(path):
            if at_ms <= until_ms:
                last[msgspec.json.decode(words, type=_Named).id] = words
    return tuple(last.values())


class _Named(msgspec.Struct):
    """An alert's name."""

    id: str


def _published(path: Path) -> Iterator[tuple[int, bytes]]:
    """The alerts of a part, and when they were published; what is no such line is passed over."""
    for line in file_lines(path):
        if line.words.startswith(b"= ") and line.words.endswith(b"}") and line.whole:
            _, at_ms, words = line.words.split(b" ", 2)
            if at_ms.isdigit():
                yield int(at_ms), words
