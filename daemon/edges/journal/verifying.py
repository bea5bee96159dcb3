"""Whether a journal is as it was written: its chain, line by line, over parts and journals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from daemon.chain import HEAD, Chain
from daemon.edges.journal.files import (
    FileLine,
    JournalError,
    file_lines,
    part_of,
    part_path,
    parts_from,
    parts_in,
)
from daemon.transcript import Header

NOT_A_HEADER = "is not a journal's header"
NOT_AS_WRITTEN = "is not as it was written, or a line before it is missing, added or moved"
NOT_AFTER = "does not go on where the lines before it end: some are missing, or were written anew"
NOT_HERE = "is a header that did not stand here: lines before it are missing or were added"
NOT_NOTED = "does not come to the head that was noted: this line or one before it was written anew"
NOT_THERE = "is missing, though its head was noted: the end was cut off"

_HEADER = b"#! "
_STOPPED = re.compile(rb"# [0-9]+ stopped")
_NOTED = re.compile(rf"\S+ (\S+) ([0-9]{{1,12}}) ({HEAD.pattern})")

Noted = Mapping[str, Mapping[int, str]]  # by a part's file name: line number to head


class Walk:
    """The chain of journals' parts, walked from the first line given to the last.

    `head` is where it stands, None in a journal without a chain; `header` the last one read;
    `lines` counts the whole lines of the last part, `words` are the last of them, `torn` tells that
    half a line follows.
    """

    def __init__(self, noted: Noted | None = None) -> None:
        self.head: str | None = None
        self.header: Header | None = None
        self.lines = 0
        self.words = b""
        self.torn = False
        self._noted = noted or {}
        self._chain: Chain | None = None

    def through(self, path: Path) -> None:
        """Walk through this part; raises JournalError at the first line that does not fit."""
        self.lines, self.torn = 0, False
        noted = self._noted.get(path.name, {})
        for line in file_lines(path):
            if not line.whole:
                self.torn = True
                break
            if line.number == 1 or line.words.startswith(_HEADER):
                self._headed(path, line)
            self._linked(path, line, noted.get(line.number))
            self.lines, self.words = line.number, line.words
        if not self.lines and self.header is None:
            raise JournalError(path, 1, NOT_A_HEADER)
        if any(number > self.lines for number in noted):
            raise JournalError(path, self.lines + 1, NOT_THERE)

    def _linked(self, path: Path, line: FileLine, noted: str | None) -> None:
        if self._chain is None:
            return
        if self._chain.check(line.words) != line.check:
            raise JournalError(path, line.number, NOT_AS_WRITTEN)
        if noted is not None and noted != self._chain.head:
            raise JournalError(path, line.number, NOT_NOTED)
        self.head = self._chain.head

    def _headed(self, path: Path, line: FileLine) -> None:
        """Take a header, which must go on where the chain stands unless it begins a journal."""
        header = _header(path, line)
        before, self.header = self.header, header
        is_tied = before is not None and before.name in {header.name, header.after}
        if is_tied and header.chain != (self.head or ""):
            raise JournalError(path, line.number, NOT_AFTER)
        if header.chain and header.again is (line.number == 1):
            raise JournalError(path, line.number, NOT_HERE)
        if line.number == 1:
            self._chain = Chain(header.chain) if header.chain else None
            self.head = None


def _header(path: Path, line: FileLine) -> Header:
    if line.words.startswith(_HEADER):
        try:
            header = msgspec.json.decode(line.words.removeprefix(_HEADER), type=Header)
        except msgspec.MsgspecError:
            pass
        else:
            if not header.chain or HEAD.fullmatch(header.chain):
                return header
    raise JournalError(path, line.number, NOT_A_HEADER)


@dataclass(slots=True)
class Verdict:
    """A journal that is as it was written: its name, its parts here, their lines, its chain's head.

    `remarks` are what the chain cannot tell, or what is no fault of the file's, as (file, what).
    """

    name: str
    parts: int = 0
    lines: int = 0
    head: str | None = None
    remarks: list[tuple[Path, str]] = field(default_factory=list)


def verify(files: Sequence[Path], noted: Noted | None = None) -> list[Verdict]:
    """Each journal of these files, and of the parts that follow them, walked in the order given.

    A journal begun after another is held against that one. Raises JournalError where one is not as
    it was written.
    """
    walk = Walk(noted)
    verdicts: list[Verdict] = []
    last = Path()
    for path in dict.fromkeys(part for given in files for part in _whole(given)):
        before, words = walk.header, walk.words
        walk.through(path)
        header = walk.header
        assert header is not None
        if before is None or before.name != header.name:
            is_tied = before is not None and header.after == before.name
            if verdicts and not is_tied:
                verdicts[-1].remarks += _end(last, words)
            verdicts.append(Verdict(header.name, remarks=_beginning(path, header, is_tied=is_tied)))
        last, verdict = path, verdicts[-1]
        verdict.parts += 1
        verdict.lines += walk.lines
        verdict.head = walk.head
        if walk.head is None:
            verdict.remarks.append((path, "has no chain: whether it was altered cannot be told"))
        if not walk.lines:
            verdict.remarks.append((path, "was begun, and has no whole line"))
        elif walk.torn:
            verdict.remarks.append((path, f"ends in half a line behind line {walk.lines}"))
    if verdicts:
        verdicts[-1].remarks += _end(last, walk.words)
    return verdicts


def _beginning(path: Path, header: Header, *, is_tied: bool) -> list[tuple[Path, str]]:
    if header.part > 1:
        return [(path, f"is part {header.part}: those before it are not here")]
    if header.after and not is_tied:
        return [(path, f"goes on from {header.after}, which was not given before it")]
    return []


def _end(path: Path, words: bytes) -> list[tuple[Path, str]]:
    if _STOPPED.fullmatch(words):
        return []
    what = "has no end: still written, broken off by the power, or cut; a chain cannot tell which"
    return [(path, what)]


def _whole(path: Path) -> list[Path]:
    """This part and those that follow; raises JournalError where one between is missing."""
    parts = parts_from(path)
    last = part_of(parts[-1])
    for later in parts_in(path.parent) if last else ():
        if last and (part := part_of(later)) and part[0] == last[0] and part > last:
            missing = part_path(path.parent, last[0], last[1] + 1)
            raise JournalError(missing, 0, f"is missing, and {later.name} is there")
    return parts


def read_noted(path: Path) -> Noted:
    """The heads that were noted in this file; raises JournalError."""
    noted: dict[str, dict[int, str]] = {}
    for line in file_lines(path):
        found = _NOTED.fullmatch(line.words.decode(errors="replace"))
        if found is None and line.whole:
            raise JournalError(path, line.number, "is not a noted head")
        if found is not None:
            noted.setdefault(found[1], {})[int(found[2])] = found[3]
    return noted
