"""The journal's words: signals and published alerts as lines of text, and lines read back.

    #! {"v":1,"table":"poker-12",...}  header; also where a restart goes on, and at each new part
    < 1200 felt 4101                   bytes in: ms since the opening, port, hex
    > 1210 felt 0000ff                 bytes out; a replay passes them over
    ! 2000 felt                        port lost
    ^ 2600 felt                        port back
    <* 2700 3100 4 felt/0,shoe/2 0+0 1+3 0+97 0+300
                                       four chunks, from 2700 to 3100 ms, each equal to one that
                                       its port has said: felt/0 is the first in felt's memory of
                                       eight; then which, and how many ms after the one before
    >* 2700 3100 5 felt 0000ff         five times the same bytes out
    @ 3900 {"via":"anna",...}          a person's command; whom the broker says it is of
    = 4000 {"v":1,...}                 an alert as published
    # 4000 stopped                     a remark
    & 4000 {"number":12,...}           what a line must know of all before it to go on from here

A port's memory holds the last eight different chunks written out in full, the ninth in the place of
the first; a header empties it, and so does an `&` line. Polls that find nothing new cost a few
characters this way, and none of their times or their order is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from daemon.orders import Command
from daemon.signals import Chunk, Order, PortBack, PortLost, Signal, Tick

MEMORY_CHUNKS = 8
RUN_MAX = 500
RUN_AGE_MS = 2_000
BEGUN_AGAIN = "begun again"
HAND, OVER = "hand", "hand over"  # remarks: a hand has begun, as in `hand 12`; none is played

_PORT = r"[A-Za-z0-9._-]{1,32}"
PORT_NAME = re.compile(_PORT)
_LINE = re.compile(rf"([<!^]) ([0-9]{{1,15}}) ({_PORT})(?: ((?:[0-9a-f]{{2}})+))?")
_RUN = re.compile(
    rf"<\* ([0-9]{{1,15}}) ([0-9]{{1,15}}) ([0-9]+) ({_PORT}/[0-7](?:,{_PORT}/[0-7])*)"
)
_STEP = re.compile(r" ([0-9]{1,3})\+([0-9]{1,15})")
_SENT = re.compile(rf">\*? [0-9]+ (?:[0-9]+ [0-9]+ )?{_PORT} [0-9a-f]+")
_WORDS = re.compile(r"([=#&@]) ([0-9]{1,15}) (.+)", re.DOTALL)


class Header(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whose journal it is: table, opening (UTC, to the second), program, rulebook, configuration.

    `at_ms` is the time at which this part or this run of the program begins; `line` the number of
    lines in the parts before this one. `chain` is the head of the chain of all lines before this
    one, "" in a journal without; `after` names the journal that these end with, where it is another
    one. `again` is true where the part has lines before this one. `sealed` tells the key to which
    the lines are sealed, "" where they are plain. `since` is the time of the `&` line from which
    the line of this run was built, None where it was built from the journal's beginning.
    """

    v: int = 1
    table: str
    site: str
    opened: str
    version: str
    rulebook: str
    config: str
    digest: str
    at_ms: int = 0
    part: int = 1
    line: int = 0
    chain: str = ""
    after: str = ""
    again: bool = False
    sealed: str = ""
    since: int | None = None

    @property
    def name(self) -> str:
        """The journal's name in alert ids: `20261129T201331Z`."""
        return self.opened.replace("-", "").replace(":", "")


@dataclass(frozen=True, slots=True)
class Published:
    """An alert as it was published."""

    at_ms: int
    line: bytes


@dataclass(frozen=True, slots=True)
class Remark:
    """What the program noted about itself.

    `since`: where it began again, the time of the entry from which its line was built.
    """

    at_ms: int
    words: str
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """What a line made anew must know to go on from here, in the words of `Pipeline.carried`."""

    at_ms: int
    words: bytes


Entry = Chunk | PortLost | PortBack | Order | Published | Remark | Carried


class BadLine(ValueError):  # noqa: N818 - a line that is bad is what it is
    """A line that no scribe has written; says what is wrong with it and never what it says."""


class Scribe:
    """Turns what happens into lines, in order. A chunk its port has said before is counted.

    Every method returns the lines to be written now; what is being counted comes out before
    anything else does, with a tick once it is `RUN_AGE_MS` old, and with `flush`.
    """

    def __init__(self) -> None:
        self._memory = _Memory()
        self._run = _Run()
        self._said: dict[tuple[str, bytes], list[int]] = {}
        self._lost: dict[str, None] = {}

    def header(self, header: Header) -> list[str]:
        """The first line of a file or of a run; forgets what the ports have said."""
        lines = self.flush()
        self._memory = _Memory()
        return [*lines, f"#! {msgspec.json.encode(header).decode()}"]

    def signal(self, signal: Signal) -> list[str]:
        """What the world said. A tick is not written."""
        match signal:
            case Chunk(at_ms, port, data):
                return self._chunk(at_ms, port, data)
            case PortLost(at_ms, port):
                self._lost[port] = None
                return [*self.flush(), f"! {at_ms} {port}"]
            case PortBack(at_ms, port):
                self._lost.pop(port, None)
                return [*self.flush(), f"^ {at_ms} {port}"]
            case Order(at_ms, command, via):
                words = {"via": via, **msgspec.to_builtins(command)}
                return [*self.flush(), f"@ {at_ms} {msgspec.json.encode(words).decode()}"]
            case Tick(at_ms):
                return self.flush() if self._run.is_older(at_ms - RUN_AGE_MS) else []

    def sent(self, at_ms: int, port: str, data: bytes) -> list[str]:
        """What was sent to a port."""
        counted = self._said.get((port, data))
        if counted is not None:
            counted[1] = at_ms
            counted[2] += 1
            return []
        lines = self.flush() if len(self._said) >= RUN_MAX else []
        self._said[port, data] = [at_ms, at_ms, 1]
        return lines

    def published(self, at_ms: int, alert: bytes) -> list[str]:
        """An alert about to be published."""
        return [*self.flush(), f"= {at_ms} {alert.decode()}"]

    def remark(self, at_ms: int, words: str) -> list[str]:
        """Something about the program itself."""
        return [*self.flush(), f"# {at_ms} {words}"]

    def carried(self, at_ms: int, words: bytes) -> list[str]:
        """What a line made anew must know; which ports are lost is said again behind it."""
        lines = [*self.flush(), f"& {at_ms} {words.decode()}"]
        self._memory = _Memory()
        return [*lines, *(f"! {at_ms} {port}" for port in self._lost)]

    def flush(self) -> list[str]:
        """What was being counted."""
        lines = []
        if self._run:
            lines.append(self._run.line())
            self._run = _Run()
        for (port, data), (first_ms, last_ms, count) in self._said.items():
            what = f"{port} {data.hex()}"
            many = f">* {first_ms} {last_ms} {count} {what}"
            lines.append(many if count > 1 else f"> {first_ms} {what}")
        self._said.clear()
        return lines

    def _chunk(self, at_ms: int, port: str, data: bytes) -> list[str]:
        slot = self._memory.slot(port, data)
        if slot is None:
            lines = self.flush()
            self._memory.keep(port, data)
            return [*lines, f"< {at_ms} {port} {data.hex()}"]
        self._run.add(at_ms, port, slot)
        return self.flush() if len(self._run) >= RUN_MAX else []


class Reader:
    """Reads lines back, one after the other; the first must be a header.

    `header` is the first one read, `at_ms` the time of the last entry.
    """

    def __init__(self) -> None:
        self.header: Header | None = None
        self.at_ms = 0
        self._memory = _Memory()

    def take(self, line: str) -> list[Entry]:
        """The entries of one line without its end; raises BadLine."""
        if line.startswith("#! "):
            return self._headed(line[3:])
        if self.header is None:
            raise BadLine("is not a journal's header")
        if line.startswith("<* "):
            return self._run(line)
        if line.startswith(">"):
            if not _SENT.fullmatch(line):
                raise BadLine("is no bytes out")
            return []
        if words := _WORDS.fullmatch(line):
            if words[1] == "&":
                self._memory = _Memory()
            return [_worded(words[1], self._time(words[2]), words[3])]
        found = _LINE.fullmatch(line)
        if found is None or (found[1] == "<") != (found[4] is not None):
            raise BadLine("is no line of a journal")
        return [self._signal(found[1], self._time(found[2]), found[3], found[4])]

    def _headed(self, text: str) -> list[Entry]:
        try:
            header = msgspec.json.decode(text, type=Header)
        except msgspec.MsgspecError:
            raise BadLine("is not a journal's header") from None
        if header.v != 1:
            raise BadLine("is of a later version of journals")
        self._memory = _Memory()
        if self.header is None:
            self.header, self.at_ms = header, header.at_ms
            return []
        if header.name != self.header.name:
            raise BadLine("is the header of another journal")
        return [Remark(self._time(str(header.at_ms)), BEGUN_AGAIN, header.since)]

    def _signal(self, kind: str, at_ms: int, port: str, data: str | None) -> Entry:
        if kind == "!":
            return PortLost(at_ms, port)
        if kind == "^" or data is None:
            return PortBack(at_ms, port)
        chunk = Chunk(at_ms, port, bytes.fromhex(data))
        self._memory.keep(port, chunk.data)
        return chunk

    def _run(self, line: str) -> list[Entry]:
        head = _RUN.match(line)
        steps = line[head.end() :] if head else ""
        if head is None or not re.fullmatch(rf"(?:{_STEP.pattern})+", steps):
            raise BadLine("is no run of chunks")
        sources = [source.rsplit("/") for source in head[4].split(",")]
        entries: list[Entry] = []
        at_ms = int(head[1])
        try:
            for number, later_ms in _STEP.findall(steps):
                port, slot = sources[int(number)]
                at_ms += int(later_ms)
                data = self._memory.at(port, int(slot))
                entries.append(Chunk(self._time(str(at_ms)), port, data))
        except LookupError:
            raise BadLine("counts a chunk that its port has not said") from None
        if at_ms != int(head[2]) or len(entries) != int(head[3]):
            raise BadLine("is no run of chunks: its sums do not agree")
        return entries

    def _time(self, digits: str) -> int:
        at_ms = int(digits)
        if at_ms < self.at_ms:
            raise BadLine("is earlier than the line before it")
        self.at_ms = at_ms
        return at_ms


def signals(entries: Iterable[Entry]) -> Iterator[Signal]:
    """The signals of a journal for a replay.

    An alert and a remark give a tick: they show that time had passed, which alone may have raised
    the alert. Adding ticks changes nothing else.
    """
    for entry in entries:
        match entry:
            case Published(at_ms) | Remark(at_ms) | Carried(at_ms):
                yield Tick(at_ms)
            case _:
                yield entry


def _worded(kind: str, at_ms: int, words: str) -> Entry:
    if kind == "=":
        return Published(at_ms, words.encode())
    if kind == "#":
        return Remark(at_ms, words)
    if kind == "&":
        return Carried(at_ms, words.encode())
    try:
        command = msgspec.json.decode(words, type=Command)
        return Order(at_ms, command, msgspec.json.decode(words, type=_Sender).via)
    except (msgspec.MsgspecError, RecursionError):
        raise BadLine("is no command of a person") from None


class _Sender(Struct):
    """Whom the broker says a command is of; empty where it does not know."""

    via: str


class _Memory:
    """The last different chunks of each port, as scribe and reader both keep them."""

    def __init__(self) -> None:
        self._ports: dict[str, list[bytes]] = {}
        self._oldest: dict[str, int] = {}

    def slot(self, port: str, data: bytes) -> int | None:
        chunks = self._ports.get(port, [])
        return chunks.index(data) if data in chunks else None

    def keep(self, port: str, data: bytes) -> None:
        chunks = self._ports.setdefault(port, [])
        if len(chunks) < MEMORY_CHUNKS:
            chunks.append(data)
            return
        oldest = self._oldest.get(port, 0)
        chunks[oldest] = data
        self._oldest[port] = (oldest + 1) % MEMORY_CHUNKS

    def at(self, port: str, slot: int) -> bytes:
        return self._ports[port][slot]


class _Run:
    """Chunks that their ports have said before, in the order in which they came: one line."""

    def __init__(self) -> None:
        self._first_ms = self._last_ms = 0
        self._sources: dict[str, int] = {}
        self._steps: list[str] = []

    def __len__(self) -> int:
        return len(self._steps)

    def is_older(self, at_ms: int) -> bool:
        return bool(self._steps) and self._first_ms <= at_ms

    def add(self, at_ms: int, port: str, slot: int) -> None:
        if not self._steps:
            self._first_ms = self._last_ms = at_ms
        source = self._sources.setdefault(f"{port}/{slot}", len(self._sources))
        self._steps.append(f"{source}+{at_ms - self._last_ms}")
        self._last_ms = at_ms

    def line(self) -> str:
        sources, steps = ",".join(self._sources), " ".join(self._steps)
        return f"<* {self._first_ms} {self._last_ms} {len(self)} {sources} {steps}"
