"""The talk of a line device: its messages to readings, and what the host asks of it.

$TYPE,SEQ,T,fields*CCCC     device to host; HB has the SEQ of the last event, every other its own
$RSND,from,to*CCCC          host to device: send these events again
$PING*CCCC  $HELO?*CCCC     host to device: say a heartbeat, introduce yourself
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from drivers.framing import LineFramer, line
from drivers.readings import (
    Acked,
    Beat,
    DeviceFault,
    Garbled,
    Missing,
    Reading,
    Started,
)
from drivers.sequence import SEQ_MODULUS, T_MODULUS, Sequence

ASK_AGAIN_MS = 300
ASKS_MAX = 3  # once, and twice again
QUIET_MS_MAX = 3000  # three heartbeats

PING = "PING"
GREET = "HELO?"

_MESSAGE = re.compile(r"([A-Z]{2,8}),(\d{1,5}),(\d{1,10})(?:,(.*))?")
_RESEND = re.compile(r"RSND,(\d{1,5}),(\d{1,5})")

FAULTS: Mapping[int, str] = {
    1: "misread", 2: "double feed", 3: "jam", 4: "foreign card", 5: "same card twice",
    6: "too few", 7: "too many", 8: "sensor dirty", 9: "lid while dealing", 10: "tamper",
    11: "firmware", 12: "memory",
}  # fmt: skip
_SEVERITIES: Mapping[str, str] = {"I": "info", "W": "warning", "E": "error"}

Said = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Message:
    """A row of a device's table: the fields after T, and what they say.

    `say` is given the named fields, empty where left out, and returns readings, or None where they
    make no sense. Further fields behind those of the pattern are ignored.
    """

    pattern: str
    say: Callable[[Said], tuple[Reading, ...] | None]

    def read(self, fields: str) -> tuple[Reading, ...] | None:
        """Return what the fields say, or None."""
        match = _with_more(self.pattern).fullmatch(fields)
        return None if match is None else self.say(match.groupdict(""))


@cache
def _with_more(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})(?:,.*)?")


def number(digits: str) -> int | None:
    """Return the field's number, None where it was left empty."""
    return int(digits) if digits else None


def _fault(said: Said) -> tuple[Reading, ...]:
    # The text comes from the table: the device's own might name a card that nobody has seen.
    code = int(said["code"])
    return (DeviceFault(code, _SEVERITIES[said["severity"]], FAULTS.get(code, "")),)


ERR = Message(r"(?P<code>\d{1,2}),(?P<severity>[IWE])", _fault)
NAK = Message(r".*", lambda _said: (Acked(ok=False),))


@dataclass(frozen=True, slots=True)
class Resend:
    """The host asks for events `first` to `last` again."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ping:
    """The host asks for a sign of life."""


@dataclass(frozen=True, slots=True)
class Greet:
    """The host asks the device to introduce itself."""


def order(body: str) -> Resend | Ping | Greet | None:
    """Return what a host's line orders, None where it is none of the host's lines."""
    if body == PING:
        return Ping()
    if body == GREET:
        return Greet()
    match = _RESEND.fullmatch(body)
    if match is None or int(match[1]) >= SEQ_MODULUS or int(match[2]) >= SEQ_MODULUS:
        return None
    return Resend(int(match[1]), int(match[2]))


class LineDecoder:
    """Bytes of a line device in, readings out, in the order of the device's numbers."""

    def __init__(self, protocol: str, messages: Mapping[str, Message]) -> None:
        """Begin in mid-sequence; `protocol` is the word of the device's greeting."""
        self._messages = messages
        self._greeting = re.compile(
            rf"{protocol},(?P<boot>[0-9A-Fa-f]{{8}}),(?P<maker>[^,]*),(?P<model>[^,]*)"
            r",[^,]*,(?P<firmware>[^,]*)(?:,.*)?"
        )
        self._framer = LineFramer()
        self._sequence = Sequence()

    def feed(self, data: bytes) -> list[Reading]:
        """Take the next bytes of the line, in any cut; return what they say, oldest first."""
        told: list[Reading] = []
        for found in self._framer.feed(data):
            told += self._hear(found) if isinstance(found, str) else [found]
        return told

    def _hear(self, body: str) -> list[Reading]:
        match = _MESSAGE.fullmatch(body)
        if (match is None or match[1] == "RSND") and order(body) is not None:
            return []  # our own words, echoed or overheard
        if match is None or int(match[2]) >= SEQ_MODULUS or int(match[3]) >= T_MODULUS:
            return [Garbled("no message", body.encode("ascii"))]
        kind, seq, t_ms, fields = match[1], int(match[2]), int(match[3]), match[4] or ""
        if kind == "HB":
            return self._sequence.beat(seq, t_ms, Beat(_state(fields)))
        if kind == "HELO" and (greeting := self._greeting.fullmatch(fields)):
            return self._sequence.hello(seq, t_ms, _introduction(greeting))
        return self._sequence.event(seq, t_ms, self._said(kind, fields, body))

    def _said(self, kind: str, fields: str, body: str) -> tuple[Reading, ...]:
        message = self._messages.get(kind)
        if message is None:
            return (Garbled("unknown message", body.encode("ascii")),)
        said = message.read(fields)
        return (Garbled("bad field", body.encode("ascii")),) if said is None else said


def _state(fields: str) -> str:
    state = fields.partition(",")[0]
    return state if state in ("IDLE", "RUN", "STOP", "FAULT") else ""


def _introduction(greeting: re.Match[str]) -> Started:
    model = f"{greeting['maker']} {greeting['model']}".strip()
    return Started(model, greeting["firmware"], greeting["boot"].upper())


class LineTalker:
    """The asking half: greets, asks for what is missing, and pings a silent device."""

    def __init__(self, _antennas: tuple[int, ...] = ()) -> None:
        """Ask nothing before the port is open."""
        self._quiet_since_ms: int | None = None
        self._missing: Missing | None = None  # what will be asked for again
        self._last: int | None = None  # the end of the gap asked for last
        self._asks = 0
        self._asked_ms = 0

    def start(self, now_ms: int) -> bytes:
        """Return the greeting: the port is open, and the device is to say what it is."""
        self._quiet_since_ms = now_ms
        self._missing = None
        self._last = None
        return line(GREET)

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        """Return what the reading makes us ask."""
        self._quiet_since_ms = now_ms
        match reading:
            case Missing():
                return self._hear_of(reading, now_ms)
            case Beat() | Garbled():
                return b""
            case Started(boot=""):
                return line(GREET)
            case (
                _
            ):  # nothing else is told while a gap is open: the answer has begun, or is given up
                self._missing = None
                return b""

    def wake(self, now_ms: int) -> bytes:
        """Return what it is time to ask."""
        out = b""
        if self._missing is not None and now_ms - self._asked_ms >= ASK_AGAIN_MS:
            out += self._ask(self._missing, now_ms)
        if self._quiet_since_ms is not None and now_ms - self._quiet_since_ms >= QUIET_MS_MAX:
            self._quiet_since_ms = now_ms
            out += line(PING)
        return out

    @property
    def next_ms(self) -> int | None:
        """When `wake` wants to be called, None before the start."""
        if self._quiet_since_ms is None:
            return None
        ping_ms = self._quiet_since_ms + QUIET_MS_MAX
        return ping_ms if self._missing is None else min(ping_ms, self._asked_ms + ASK_AGAIN_MS)

    def _hear_of(self, missing: Missing, now_ms: int) -> bytes:
        # What a heartbeat tells once more of the same gap is asked for once more, and no oftener.
        self._asks = ASKS_MAX - 1 if missing.last == self._last else 0
        self._last = missing.last
        return self._ask(missing, now_ms)

    def _ask(self, missing: Missing, now_ms: int) -> bytes:
        self._asked_ms = now_ms
        self._asks += 1
        self._missing = missing if self._asks < ASKS_MAX else None
        return line(f"RSND,{missing.first},{missing.last}")
