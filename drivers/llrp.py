"""UHF readers that speak LLRP (Impinj, Zebra and others), over TCP: chips, discards, deck boxes.

Messages: `llrp_messages`. The reader greets; then each is sent when the one before is answered:

    reader  63 { 246 { 128 time, 256 ConnectionAttempt 0000 } }     greeting: 0 is success
    host    3  00 { 220 KeepaliveSpec 01 ms(4) }                    13: SET_READER_CONFIG
    host    21 00000000                                             31: DELETE_ROSPEC, all of them
    host    20 { 177 ROSpec 00000001 00 00                          30: ADD_ROSPEC
                 { 178 { 179 start: 00 null } { 182 stop: 00 null, 00000000 } }
                 { 183 AISpec n(2) antenna(2).. { 184 stop: 00 null, 00000000 }
                   { 186 InventoryParameterSpec 0001 01 Class 1 Gen 2 } }
                 { 237 ROReportSpec 02 0001 { 238 content 1400: antenna and peak RSSI } } }
    host    24 00000001                                             34: ENABLE_ROSPEC
    host    22 00000001                                             32: START_ROSPEC
    reader  61 { 240 TagReportData 13 EPC-96(12) | { 241 bits(2) EPC.. }, 1 antenna(2), 6 dBm(1) }..
    reader  62                                                      72: KEEPALIVE, KEEPALIVE_ACK

One ROSpec without an end, for each restart leaves a gap (sllurp 218). It reports upon one tag: upon
more of them, one card alone would never be reported. A reader makes some 500 reports a second so;
row `llrp-asked` has it gather (trigger 00, N 0000) and asks for what it has by 60 GET_REPORT, four
times a second. No vendor's extensions (sllurp 119). Times in the reports are passed over, their
clocks are not ours (CrossMgr 44).

A tag is a `TagSeen`, without an antenna of antenna 1; a report without tags and other news of the
reader's are a `Beat`. Every answer is `Answered` with its type; one that refuses has its status as
body and as the code of a `DeviceFault` before it. A fault that the reader tells unasked has the
event's type as code. Behind a bad length all is passed over until the port is opened again: the
talker asks the reader to hang up, and to the port a reader that does not is silent.
NOT CONFIRMED on a real reader: that one with its own settings reads a tag again and again (search
mode, session); that it reports so upon each time; that it gathers without a trigger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial

from drivers.dirt import GARBLED_BYTES_MAX
from drivers.driver import Driver
from drivers.llrp_messages import (
    BAD_LENGTH,
    NO_LLRP,
    Framer,
    Message,
    message,
    parameters,
    tlv,
)
from drivers.readings import (
    Answered,
    Beat,
    DeviceFault,
    EventsLost,
    Garbled,
    Reading,
    TagSeen,
)

SET_CONFIG, CLOSE, ADD, DELETE, START, ENABLE = 3, 14, 20, 21, 22, 24
GET_REPORT, REPORT, KEEPALIVE, NOTIFICATION, KEEPALIVE_ACK, ERROR = 60, 61, 62, 63, 72, 100
ANSWERS = frozenset({4, 11, 12, 13, *range(30, 37), *range(50, 55), 56, 57, ERROR})
ANSWER_OF = {SET_CONFIG: 13, CLOSE: 4, ADD: 30, DELETE: 31, START: 32, ENABLE: 34}

ANTENNA, PEAK_RSSI, EPC_96 = 1, 6, 13
RO_SPEC, RO_BOUNDARY, RO_START, RO_STOP = 177, 178, 179, 182
AI_SPEC, AI_STOP, INVENTORY_SPEC = 183, 184, 186
KEEPALIVE_SPEC, REPORT_SPEC, CONTENT = 220, 237, 238
TAG, EPC, NEWS, STATUS = 240, 241, 246, 287
BUFFER_WARNING, BUFFER_OVERFLOW, EXCEPTION, ANTENNA_EVENT, ATTEMPT, CLOSING = (
    250, 251, 252, 255, 256, 257,
)  # fmt: skip

ANTENNAS_MAX = 32  # a reader with antenna hubs
SPEC = (1).to_bytes(4, "big")  # our ROSpec's number
CONTENT_ANTENNA_RSSI = 0x1400
UPON_ONE_TAG, UPON_GET_REPORT = b"\x02\x00\x01", b"\x00\x00\x00"
GET_REPORT_MS = 250  # ours: four reports within the time that a tag is held
KEEPALIVE_MS = 2000  # ours
GREETING_MS_MAX = 2000  # ours; one that does not greet is asked all the same
ANSWER_MS_MAX = 3000  # ours
CLOSE_MS = 5000  # ours: a reader that refuses us is tried no oftener than this
HELD_MS = 1000  # a round over some antennas and a hundred tags takes up to 0.3 s: three misses

KEPT = Beat("keepalive")
SOMEBODY_TRIED = 4
# The first digit of an LLRPStatus (LLRP 1.0.1 section 14).
REFUSALS = {1: "message refused", 2: "parameter refused", 3: "value refused", 4: "device error"}
ATTEMPTS = {
    1: "connected to somebody else, as it was told to",
    2: "connected to somebody else",
    3: "connection refused",
    SOMEBODY_TRIED: "somebody else tried to connect",
}


class Llrp:
    """Decoder of the reader's messages."""

    def __init__(self) -> None:
        self._framer = Framer()

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._framer.feed(data):
            readings += _said(item) if isinstance(item, Message) else [item]
        return readings


def _said(said: Message) -> list[Reading]:
    if said.kind == KEEPALIVE:
        return [KEPT]
    says = SAYS.get(said.kind, _answer if said.kind in ANSWERS else None)
    if says is None:
        return [Answered(said.kind, said.body)]
    told: list[Reading] = []
    try:
        for reading in says(said):
            told.append(reading)  # noqa: PERF402 - what was told before it breaks off is told
    except (IndexError, ValueError):
        told.append(Garbled("broken parameters", said.body[:GARBLED_BYTES_MAX]))
    return told or [Beat()]


def _report(said: Message) -> Iterator[Reading]:
    for each in parameters(said.body):
        if each.kind == TAG:
            yield _tag(each.value)


def _tag(report: bytes) -> Reading:
    uid, antenna, rssi_dbm = "", 1, None
    try:
        for each in parameters(report):
            if each.kind == EPC_96:
                uid = each.value.hex()
            elif each.kind == EPC:
                uid = _epc(each.value)
            elif each.kind == ANTENNA:
                antenna = int.from_bytes(each.value, "big")
            elif each.kind == PEAK_RSSI:
                rssi_dbm = int.from_bytes(each.value, "big", signed=True)
    except ValueError:
        uid = ""
    if not uid or not antenna:
        return Garbled("broken tag report", report[:GARBLED_BYTES_MAX])
    return TagSeen(antenna, uid, rssi_dbm)


def _epc(value: bytes) -> str:
    bits = int.from_bytes(value[:2], "big")
    if (bits + 7) // 8 != len(value) - 2:
        raise ValueError(bits)
    return value[2:].hex()


def _answer(said: Message) -> Iterator[Reading]:
    status = next(parameters(said.body), None)
    if status is None or status.kind != STATUS or len(status.value) < 2:
        raise ValueError(said.kind)
    code = int.from_bytes(status.value[:2], "big")
    if code:
        yield DeviceFault(code, "error", REFUSALS.get(code // 100, ""))
    yield Answered(said.kind, status.value[:2] if code else b"")


def _notification(said: Message) -> Iterator[Reading]:
    for news in parameters(said.body):
        for event in parameters(news.value) if news.kind == NEWS else ():
            if event.kind in EVENTS:
                yield from EVENTS[event.kind](event.value)


def _attempt(value: bytes) -> Iterator[Reading]:
    code = int.from_bytes(value[:2], "big")
    if code:
        yield DeviceFault(code, "warning", ATTEMPTS.get(code, ""))
    if code != SOMEBODY_TRIED:
        yield Answered(NOTIFICATION, value[:2] if code else b"")


def _antenna(value: bytes) -> Iterator[Reading]:
    state = "warning", "is not connected"
    if value[0]:
        state = "info", "is connected"
    antenna = int.from_bytes(value[1:3], "big")
    yield DeviceFault(ANTENNA_EVENT, state[0], f"antenna {antenna} {state[1]}")


def _fault(code: int, severity: str, text: str) -> Callable[[bytes], Iterator[Reading]]:
    def told(_value: bytes) -> Iterator[Reading]:
        # The text is ours: the reader's own might name a tag.
        yield DeviceFault(code, severity, text)

    return told


def _overflow(_value: bytes) -> Iterator[Reading]:
    yield DeviceFault(BUFFER_OVERFLOW, "error", "report buffer overflow")
    yield EventsLost(0, 0)


SAYS = {REPORT: _report, NOTIFICATION: _notification}
EVENTS: dict[int, Callable[[bytes], Iterator[Reading]]] = {
    BUFFER_WARNING: _fault(BUFFER_WARNING, "warning", "report buffer fills"),
    BUFFER_OVERFLOW: _overflow,
    EXCEPTION: _fault(EXCEPTION, "error", "exception of the reader"),
    ANTENNA_EVENT: _antenna,
    ATTEMPT: _attempt,
    CLOSING: _fault(CLOSING, "warning", "the reader hangs up"),
}


class Step(Enum):
    """Where the talk stands: what is waited for, or done."""

    GREETING = auto()
    KEEPALIVE = auto()
    DELETE = auto()
    ADD = auto()
    ENABLE = auto()
    START = auto()
    READING = auto()
    REFUSED = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One message to the reader: what is sent, and the step behind its answer."""

    kind: int
    body: bytes
    then: Step
    refusal: Step = Step.REFUSED


def asks(antennas: tuple[int, ...], report: bytes = UPON_ONE_TAG) -> dict[Step, Ask]:
    """The talk's table for these antennas; none means all that the reader has."""
    spec = ro_spec(antennas, report)
    every = bytes(4)
    # fmt: off
    return {
        Step.KEEPALIVE: Ask(kind=SET_CONFIG, body=b"\x00" + tlv(
                                KEEPALIVE_SPEC, b"\x01", KEEPALIVE_MS.to_bytes(4, "big")),
                            then=Step.DELETE),
        # Some readers refuse to delete where there is nothing to delete.
        Step.DELETE:    Ask(kind=DELETE, body=every, then=Step.ADD, refusal=Step.ADD),
        Step.ADD:       Ask(kind=ADD,    body=spec,  then=Step.ENABLE),
        Step.ENABLE:    Ask(kind=ENABLE, body=SPEC,  then=Step.START),
        Step.START:     Ask(kind=START,  body=SPEC,  then=Step.READING),
    }
    # fmt: on


def ro_spec(antennas: tuple[int, ...], report: bytes = UPON_ONE_TAG) -> bytes:
    """The one ROSpec: read for ever on these antennas (none: all), report upon this trigger."""
    chosen = sorted(set(antennas)) or [0]
    listed = b"".join(antenna.to_bytes(2, "big") for antenna in chosen)
    never = b"\x00" + bytes(4)
    gen2 = tlv(INVENTORY_SPEC, b"\x00\x01", b"\x01")
    boundary = tlv(RO_BOUNDARY, tlv(RO_START, b"\x00"), tlv(RO_STOP, never))
    reading = tlv(AI_SPEC, len(chosen).to_bytes(2, "big"), listed, tlv(AI_STOP, never), gen2)
    content = tlv(CONTENT, CONTENT_ANTENNA_RSSI.to_bytes(2, "big"))
    reports = tlv(REPORT_SPEC, report, content)
    return tlv(RO_SPEC, SPEC, b"\x00", b"\x00", boundary, reading, reports)


class LlrpTalker:
    """Sets the reader up once it has greeted, and answers its keepalives.

    One message at a time; the set-up begins anew where an answer does not come. A reader that
    refuses us, or cannot be understood any more, is asked to hang up, so that the port is lost and
    opened again. Message numbers are counted and not looked at: readers need not repeat those of an
    ACK (sllurp). With `asking` reports are asked for, every `GET_REPORT_MS`.
    """

    def __init__(self, antennas: tuple[int, ...] = (), *, asking: bool = False) -> None:
        self._asks = asks(antennas, UPON_GET_REPORT if asking else UPON_ONE_TAG)
        self._asking = asking
        self._step = Step.GREETING
        self._number = 0
        self._due_ms: int | None = None

    def start(self, now_ms: int) -> bytes:
        self._step = Step.GREETING
        self._number = 0
        self._due_ms = now_ms + GREETING_MS_MAX
        return b""

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        if self._step is Step.CLOSED:
            return b""
        match reading:
            case Beat(state=KEPT.state):
                return self._send(KEEPALIVE_ACK)
            case Garbled(reason=reason) if reason in (BAD_LENGTH, NO_LLRP):
                return self._hang_up()
            case Answered(command=kind, body=status) if kind in (self._awaited, ERROR):
                return self._go_on(bool(status), now_ms)
            case _:
                return b""

    def wake(self, now_ms: int) -> bytes:
        if self._due_ms is None or now_ms < self._due_ms:
            return b""
        if self._step is Step.REFUSED:
            return self._hang_up()
        if self._step is Step.READING:
            self._due_ms = now_ms + GET_REPORT_MS
            return self._send(GET_REPORT)
        return self._enter(Step.KEEPALIVE, now_ms)

    @property
    def next_ms(self) -> int | None:
        return self._due_ms

    @property
    def _awaited(self) -> int | None:
        if self._step is Step.GREETING:
            return NOTIFICATION
        ask = self._asks.get(self._step)
        return None if ask is None else ANSWER_OF[ask.kind]

    def _go_on(self, refused: bool, now_ms: int) -> bytes:
        if self._step is Step.GREETING:
            return self._enter(Step.REFUSED if refused else Step.KEEPALIVE, now_ms)
        ask = self._asks.get(self._step)
        if ask is None:
            refuses_reports = self._asking and self._step is Step.READING
            return self._enter(Step.REFUSED, now_ms) if refuses_reports else b""
        return self._enter(ask.refusal if refused else ask.then, now_ms)

    def _enter(self, step: Step, now_ms: int) -> bytes:
        self._step = step
        ask = self._asks.get(step)
        if ask is not None:
            self._due_ms = now_ms + ANSWER_MS_MAX
            return self._send(ask.kind, ask.body)
        self._due_ms = now_ms + GET_REPORT_MS if self._asking else None
        if step is Step.REFUSED:
            self._due_ms = now_ms + CLOSE_MS
        return b""

    def _hang_up(self) -> bytes:
        self._step = Step.CLOSED
        self._due_ms = None
        return self._send(CLOSE)

    def _send(self, kind: int, body: bytes = b"") -> bytes:
        self._number = self._number % 0xFFFFFFFF + 1
        return message(Message(kind, body, self._number))


# A seat's antenna would hear its neighbours: no `place`.
DRIVER = Driver(
    name="llrp",
    title="UHF reader, LLRP over TCP: discards, deck boxes, chips",
    decoder=Llrp,
    talker=LlrpTalker,
    antennas_max=ANTENNAS_MAX,
    senses=("identity", "muck", "stub", "chips"),
    silent_after_ms=10_000,
    tags=("uhf",),
    presence=(2, 3, 3),
    polled=False,
    held_ms=HELD_MS,
)
ASKED_DRIVER = replace(
    DRIVER,
    name="llrp-asked",
    title="UHF reader, LLRP over TCP, asked for its reports: many tags",
    talker=partial(LlrpTalker, asking=True),
)
