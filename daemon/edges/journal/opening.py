"""How a run begins: with the youngest journal, where it can be gone on with, or with a new one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import structlog

from daemon.chain import BEGINNING
from daemon.edges.journal.files import JournalError, latest_journal, part_path, parts_from
from daemon.edges.journal.reading import read_header, read_journal
from daemon.edges.journal.verifying import Walk
from daemon.transcript import BEGUN_AGAIN, Entry, Header, Remark

RESUME_S = 900
RESUME_BYTES_MAX = 4 << 20

log = structlog.get_logger(part="journal")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a run begins: its header, what the journal that it goes on with holds, and its lines."""

    header: Header
    entries: tuple[Entry, ...] = ()
    lines: int = 0


def open_journal(folder: Path, header: Header, now: datetime) -> Opening:
    """Go on with the youngest journal, or begin a new one opened `now`, chained to it.

    It is gone on with where it is of this table, program, rulebook and configuration, was written
    to within `RESUME_S`, is not larger than `RESUME_BYTES_MAX`, can be read and is as it was
    written. Its times go on by the wall clock's difference.
    """
    path = latest_journal(folder)
    chain, after = BEGINNING, ""
    if path is not None:
        try:
            found = _resumed(path, header, now)
        except (JournalError, OSError) as error:
            log.warning("journal not gone on with", reason=str(error))
        else:
            if found is not None:
                return found
        chain, after = _end(path)
    opened = now.replace(microsecond=0)
    while True:
        fresh = msgspec.structs.replace(
            header, opened=f"{opened:%Y-%m-%dT%H:%M:%SZ}", chain=chain, after=after
        )
        if not part_path(folder, fresh.name, 1).exists():
            return Opening(fresh)
        opened += timedelta(seconds=1)  # an alert's id is never used again


def _resumed(path: Path, header: Header, now: datetime) -> Opening | None:
    parts = parts_from(path)
    last, size = parts[-1], sum(part.stat().st_size for part in parts)
    found = read_header(path)
    away_s = now.timestamp() - last.stat().st_mtime
    same = msgspec.structs.replace(
        header, opened=found.opened, chain=found.chain, after=found.after
    )
    if found != same or size > RESUME_BYTES_MAX or not 0 <= away_s <= RESUME_S:
        return None
    walk = Walk()
    for part in parts:
        walk.through(part)
    if walk.head is None:
        return None
    entries = tuple(read_journal(path))
    if entries and isinstance(entries[-1], Remark) and entries[-1].words == BEGUN_AGAIN:
        return None  # the last run ended while it went through this: so would this one
    ended_ms = entries[-1].at_ms if entries else 0
    latest = msgspec.structs.replace(
        read_header(last),
        at_ms=ended_ms + max(1, round(away_s * 1000)),
        chain=walk.head,
    )
    return Opening(latest, entries, walk.lines)


def _end(path: Path) -> tuple[str, str]:
    """The head of a journal's chain and its name, where it has one that holds."""
    walk = Walk()
    try:
        last = parts_from(path)[-1]
        walk.through(last)
        return (walk.head, read_header(path).name) if walk.head else (BEGINNING, "")
    except JournalError as error:
        log.warning("journal before this one not as it was written", reason=str(error))
        return BEGINNING, ""
