"""How a run begins: with the youngest journal, where it can be gone on with, or with a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec
import structlog

from daemon.chain import BEGINNING
from daemon.edges.journal.files import JournalError, file_lines, journal_of, part_path, parts_in
from daemon.edges.journal.reading import last_words, read_header
from daemon.edges.journal.sealing import kept_keys, with_kept
from daemon.edges.journal.unsealing import entries_since
from daemon.edges.journal.verifying import Walk
from daemon.transcript import BEGUN_AGAIN, Entry, Header, Remark

RESUME_S = 900
RESUME_BYTES_MAX = 4 << 20
TIED_BYTES_MAX = 256 << 20  # an older journal's last part is gone through for its head up to here

log = structlog.get_logger(part="journal")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a run begins: its header, what it goes on with, and how many lines its part has.

    A line made of what was `carried` (b"": of nothing) and taken through `entries` is where the
    journal ended. `standing` are the last words of each alert that was published before them.
    """

    header: Header
    entries: tuple[Entry, ...] = ()
    lines: int = 0
    carried: bytes = b""
    standing: tuple[bytes, ...] = ()


def open_journal(
    folder: Path,
    header: Header,
    now: datetime,
    kept: Path | None = None,
    *,
    may_go_on: Callable[[str], bool] = bool,
) -> Opening:
    """Go on with the youngest journal that may be, or begin a new one, chained to the last.

    `may_go_on` is asked by a journal's name; a new one is opened `now`. It is gone on with where it
    is of this table, program, rulebook, configuration and seal, was written to within `RESUME_S`,
    its last part can be read and is as it was written, and not more than `RESUME_BYTES_MAX` lie
    behind the moment from which a line can go on. Its times go on by the wall clock's difference.
    `kept` has the keys of a sealed one.
    """
    parts = parts_in(folder)
    last = next((path for path in reversed(parts) if _has_begun(path)), None)
    chain, after = BEGINNING, ""
    name = next((n for n in map(journal_of, reversed(parts)) if may_go_on(n)), None)
    own = [path for path in parts if journal_of(path) == name and _has_begun(path)]
    if own:
        try:
            found = _resumed(own[-1], header, now, kept)
        except (JournalError, OSError) as error:
            log.warning("journal not gone on with", reason=str(error))
        else:
            if found is not None:
                return found
    if last is not None:
        chain, after = _end(last)
    opened = now.replace(microsecond=0)
    while True:
        fresh = msgspec.structs.replace(
            header, opened=f"{opened:%Y-%m-%dT%H:%M:%SZ}", chain=chain, after=after
        )
        if not part_path(folder, fresh.name, 1).exists():
            return Opening(fresh)
        opened += timedelta(seconds=1)  # an alert's id is never used again


def _resumed(last: Path, header: Header, now: datetime, kept: Path | None) -> Opening | None:
    found = read_header(last)
    away_s = now.timestamp() - last.stat().st_mtime
    if not _is_same(found, header) or not 0 <= away_s <= RESUME_S:
        return None
    walk = Walk()
    walk.through(last)
    keys = {} if kept is None else kept_keys(kept)
    since = entries_since(last, with_kept(keys), RESUME_BYTES_MAX)
    if walk.head is None or since is None:
        return None
    carried, entries = since
    if entries and isinstance(entries[-1], Remark) and entries[-1].words == BEGUN_AGAIN:
        return None  # the last run ended while it went through this: so would this one
    ended = entries[-1] if entries else carried or found
    latest = msgspec.structs.replace(
        found,
        at_ms=ended.at_ms + max(1, round(away_s * 1000)),
        chain=walk.head,
        after="",
        since=carried.at_ms if carried else None,
    )
    if carried is None:
        return Opening(latest, entries, walk.lines)
    parts = [path for path in parts_in(last.parent) if journal_of(path) == journal_of(last)]
    standing = last_words(parts, carried.at_ms)
    return Opening(latest, entries, walk.lines, carried.words, standing)


def _is_same(found: Header, header: Header) -> bool:
    """Whether both are of one table, program, rulebook, configuration and seal."""
    own = ("opened", "at_ms", "part", "line", "chain", "after", "again", "since")
    changes = {name: getattr(found, name) for name in own}
    return found == msgspec.structs.replace(header, **changes)


def _has_begun(path: Path) -> bool:
    """Whether it has a whole line: the power may go just when a part is begun."""
    try:
        return any(line.whole for line in islice(file_lines(path), 1))
    except JournalError:
        return False


def _end(last: Path) -> tuple[str, str]:
    """The head of a journal's chain and its name, where it has one that holds."""
    walk = Walk()
    try:
        if last.stat().st_size <= TIED_BYTES_MAX:
            walk.through(last)
    except (JournalError, OSError) as error:
        log.warning("journal before this one not as it was written", reason=str(error))
        return BEGINNING, ""
    return (walk.head, walk.header.name) if walk.head and walk.header else (BEGINNING, "")
