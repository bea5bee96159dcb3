"""A sealed journal opened: for surveillance, and the hand in progress for a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from daemon.edges.journal.files import FileLine, JournalError, file_lines, parts_from
from daemon.edges.journal.reading import read_header
from daemon.edges.journal.sealing import CLOSED, KEY, CannotOpen, Opener
from daemon.transcript import BadLine, Carried, Entry, Header, Reader

HEADER, CARRIED = b"#! ", b"& "
NOT_OPENED = "does not open: it was altered, or is sealed to another key"

Unwrap = Callable[[bytes], bytes]


def opened(path: Path, unwrap: Unwrap) -> Iterator[bytes | JournalError]:
    """The lines of a sealed journal, and of the parts that follow, as a plain one has them.

    They have no chain any more. A line that does not open comes out as the error; a journal that is
    not sealed, or cannot be read, raises it.
    """
    if not read_header(path).sealed:
        raise JournalError(path, 1, "is not sealed: it reads as it is")
    for part in parts_from(path):
        yield from _opened(part, unwrap)


def _opened(path: Path, unwrap: Unwrap) -> Iterator[bytes | JournalError]:
    opener, name = Opener(unwrap), read_header(path).name
    for line in file_lines(path):
        if not line.whole:
            return
        try:
            yield from _said(line, opener, name)
        except CannotOpen:
            yield JournalError(path, line.number, NOT_OPENED)
        except msgspec.MsgspecError:
            yield JournalError(path, line.number, "is not a journal's header")


def _said(line: FileLine, opener: Opener, name: str) -> list[bytes]:
    """What a line says; raises CannotOpen, MsgspecError."""
    words = line.words
    if words.startswith(KEY):
        opener.key(words)
        return []
    if words.startswith(CLOSED):
        return opener.lines(words, name)
    if words.startswith(HEADER):
        header = msgspec.json.decode(words.removeprefix(HEADER), type=Header)
        plain = msgspec.structs.replace(header, chain="", after="", sealed="")
        return [HEADER + msgspec.json.encode(plain)]
    return [words]


def entries_since(
    path: Path, unwrap: Unwrap, bytes_max: int
) -> tuple[Carried | None, tuple[Entry, ...]] | None:
    """From what in this part a line can go on, and what came then; None where nothing can.

    A journal's first part can be gone through from its beginning too. What does not open before
    that moment does not matter: its key is forgotten. Raises JournalError.
    """
    header = read_header(path)
    since: list[bytes] | None = [] if header.part == 1 else None
    for words in _opened(path, unwrap):
        if isinstance(words, JournalError):
            since = None
        elif words.startswith(CARRIED):
            since = [words]
        elif since is not None:
            since.append(words)
    if since is None or sum(map(len, since)) > bytes_max:
        return None
    reader = Reader()
    try:
        if not since[0].startswith(HEADER):
            reader.take((HEADER + msgspec.json.encode(header)).decode())
        entries = tuple(entry for words in since for entry in reader.take(words.decode()))
    except (BadLine, UnicodeDecodeError) as error:
        raise JournalError(path, 0, f"cannot be gone on with: {error}") from None
    match entries:
        case (Carried() as carried, *_):
            return carried, entries[1:]
        case _:
            return None, entries
