"""Eccel Pepper C1 reader, alone or with its multiplexer of eight antennas. 115200 8N1 or TCP.

What is asked (frames: `eccel_frames`), one command at a time:

    06 00       no polling of the reader's own                        -> 00 06
    0B          version; here the beginning of a round                -> 00 0B text
    0F ANT      antenna 1 to 8 from now on, each in turn, from 1      -> 00 0F
    02          look for tags; at most five are told                  -> 00 02 COUNT
    03 INDEX    one of them, from 0             -> 00 03 TYPE PARAMETER UID (up to 8 bytes)
    05          field off; here the end of the round                  -> 00 05

    90 00       the first ISO15693 tag, any AFI (instead of 02)       -> 00 90 UID(8) DSFID MORE
    91 00       the next one, while MORE is 1                         -> 00 91 UID(8) DSFID MORE

    00 COMMAND ..       the answer          FF COMMAND CODE(2)      the command has failed
    FE ..               told by the reader unasked

An answer does not say of which antenna it is, so a round goes in a fixed order: the nth answer to
0F in it, obeyed or refused, is of antenna n; in a round without any all tags are of antenna 1. What
was told between the answers to 0B and to 05 is one `Inventory`; another 0B in between begins anew.

Everything else is `Answered`, code and rest as on the wire; FF is a `DeviceFault`, but for 90 and
91, which are refused where no tag is, and 05. FE frames are never a tag: their layout, and whether
they tell the antenna, is NOT CONFIRMED. Nor are: how CODE is made up (the package takes it for low
byte first, a manual for a layer and a number); whether a C1 without multiplexer obeys 0F (where
antenna 1 alone is fitted, 0F 01 is sent before the rounds, whatever comes of it); whether 05 is
refused where no tag was found (both end the round); the AFI byte on a C1; how long 02 takes.

Two rows: `eccel` tells at most five tags an antenna, of both kinds; `eccel-icode` any number of
ISO15693 tags and no other. Sources: maker's package pepper-c1 0.2.0 (commands.py, client.py);
manuals of the maker's RS485 readers, whose commands are the same (1356NFC 3.1, 3.6; 000537 5.6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto
from functools import partial

from drivers.driver import Driver
from drivers.eccel_frames import Framer, frame
from drivers.readings import Answered, DeviceFault, Garbled, Inventory, Reading
from drivers.uids import uid_of

ACK, EVENT, FAILED = 0x00, 0xFE, 0xFF
COUNT, UID, HALT, POLLING, VERSION, ANTENNA = 0x02, 0x03, 0x05, 0x06, 0x0B, 0x0F
FIRST, NEXT = 0x90, 0x91

ANTENNAS_MAX = 8
TAGS_MAX = 512  # ours: of one round
UIDS_MAX = 16  # ours: of one antenna; the manual has five
ICODES_MAX = 64  # ours: of one antenna
POLL_MS = 100  # a card is told within two rounds; with many antennas a round takes longer
GAP_MS = 1  # ours
ANSWER_MS_MAX = 500  # as long as the maker's Arduino library waits

_HEAD_BYTES = 2  # the ACK and the command that it answers
_UID_AT = {UID: slice(2, None), FIRST: slice(0, 8), NEXT: slice(0, 8)}
_MORE_AT, _ICODE_BYTES = 9, 10


class Eccel:
    """Decoder of the reader's answers; gathers the tags of one round."""

    def __init__(self) -> None:
        self._framer = Framer()
        self._antenna = 0
        self._tags: set[tuple[int, str]] | None = None

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._framer.feed(data):
            readings += [item] if isinstance(item, Garbled) else self._said(item)
        return readings

    def _said(self, payload: bytes) -> list[Reading]:
        answered = Answered(payload[0], payload[1:])
        if payload[0] not in (ACK, FAILED) or len(payload) < _HEAD_BYTES:
            return [answered]
        command, body = payload[1], payload[_HEAD_BYTES:]
        if command == HALT and self._tags is not None:
            tags, self._tags = self._tags, None
            return [Inventory(tuple(sorted(tags)))]
        if command == VERSION and payload[0] == ACK:
            self._antenna, self._tags = 0, set()
        elif command == ANTENNA and self._antenna < ANTENNAS_MAX:
            self._antenna += 1
        elif command == ANTENNA:
            self._tags = None  # more antennas than there are: no round of ours
        if payload[0] == FAILED:
            return [answered if command in (FIRST, NEXT, HALT) else fault(command, body)]
        if command in _UID_AT:
            return [answered, *self._tag(body[_UID_AT[command]])]
        return [answered]

    def _tag(self, number: bytes) -> Iterator[Garbled]:
        uid = uid_of(number)
        if uid is None:
            yield Garbled("broken UID", number)
        elif self._tags is not None:
            self._tags.add((max(self._antenna, 1), uid))
            if len(self._tags) > TAGS_MAX:
                self._tags = None
                yield Garbled("too many tags")


def fault(command: int, code: bytes) -> DeviceFault:
    """A command that the reader could not do."""
    return DeviceFault(int.from_bytes(code[:2], "little"), "warning", f"command {command:02X}")


class Step(Enum):
    """Where the talk stands: the command that is due or out."""

    QUIET = auto()
    ALONE = auto()
    BEGIN = auto()
    ANTENNA = auto()
    COUNT = auto()
    UID = auto()
    FIRST = auto()
    NEXT = auto()
    END = auto()


COMMANDS = {
    Step.QUIET: POLLING,
    Step.ALONE: ANTENNA,
    Step.BEGIN: VERSION,
    Step.ANTENNA: ANTENNA,
    Step.COUNT: COUNT,
    Step.UID: UID,
    Step.FIRST: FIRST,
    Step.NEXT: NEXT,
    Step.END: HALT,
}


class EccelTalker:
    """Goes round the antennas every `POLL_MS`, or as fast as the reader answers.

    One command at a time. A command without its answer breaks the round off: its end is not sent,
    so that nothing is told of it, and the next one begins. A command that is refused is an answer:
    the antenna, or the tag, is passed over.
    """

    def __init__(self, antennas: tuple[int, ...] = (), *, icode: bool = False) -> None:
        """`icode` asks for ISO15693 tags one after the other, however many."""
        assert all(1 <= antenna <= ANTENNAS_MAX for antenna in antennas)
        self._wanted = set(antennas) or {1}
        self._is_alone = self._wanted == {1}
        self._look = Step.FIRST if icode else Step.COUNT
        self._step = Step.QUIET
        self._antenna = 0
        self._index = 0  # of the tag asked for on this antenna
        self._count = 0
        self._begun_ms = 0
        self._send_ms: int | None = None
        self._late_ms: int | None = None

    def start(self, now_ms: int) -> bytes:
        self._begun_ms = now_ms - POLL_MS
        self._step = Step.QUIET
        return self._send(now_ms)

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        if self._late_ms is None:
            return b""
        command = COMMANDS[self._step]
        match reading:
            case Answered(code, body) if code == ACK and body[:1] == bytes((command,)):
                self._go_on(self._after(body[1:]), now_ms)
            case Answered(code, body) if code == FAILED and body[:1] == bytes((command,)):
                self._go_on(self._refused(), now_ms)
            case DeviceFault(text=text) if text == fault(command, b"").text:
                self._go_on(self._refused(), now_ms)
            case Inventory() if self._step is Step.END:
                self._go_on(Step.BEGIN, now_ms)
            case _:
                pass
        return b""

    def wake(self, now_ms: int) -> bytes:
        if self._late_ms is not None and now_ms >= self._late_ms:
            self._go_on(self._unanswered(), now_ms)
        if self._send_ms is not None and now_ms >= self._send_ms:
            return self._send(now_ms)
        return b""

    @property
    def next_ms(self) -> int | None:
        return self._late_ms if self._send_ms is None else self._send_ms

    def _send(self, now_ms: int) -> bytes:
        self._send_ms, self._late_ms = None, now_ms + ANSWER_MS_MAX
        if self._step is Step.BEGIN:
            self._begun_ms = now_ms
        arguments = {
            Step.QUIET: b"\x00",
            Step.ALONE: b"\x01",
            Step.ANTENNA: bytes((self._antenna,)),
            Step.UID: bytes((self._index,)),
            Step.FIRST: b"\x00",
            Step.NEXT: b"\x00",
        }
        return frame(bytes((COMMANDS[self._step],)) + arguments.get(self._step, b""))

    def _go_on(self, step: Step, now_ms: int) -> None:
        self._step = step
        self._send_ms, self._late_ms = now_ms + GAP_MS, None
        if step is Step.BEGIN:
            self._send_ms = max(self._send_ms, self._begun_ms + POLL_MS)

    def _after(self, body: bytes) -> Step:
        """The step behind a command that was done."""
        match self._step:
            case Step.QUIET:
                return Step.ALONE if self._is_alone else Step.BEGIN
            case Step.BEGIN:
                self._antenna = 0
                return self._looking() if self._is_alone else self._next_antenna()
            case Step.ANTENNA:
                return self._looking() if self._antenna in self._wanted else self._next_antenna()
            case Step.COUNT:
                self._count = min(body[0], UIDS_MAX) if body else 0
                return Step.UID if self._count else self._next_antenna()
            case Step.UID:
                return self._next_uid()
            case Step.FIRST | Step.NEXT:
                self._index += 1
                more = len(body) >= _ICODE_BYTES and body[_MORE_AT] and self._index < ICODES_MAX
                return Step.NEXT if more else self._next_antenna()
            case Step.ALONE | Step.END:  # END: the decoder had no round to end
                return Step.BEGIN

    def _refused(self) -> Step:
        """The step behind a command that the reader could not do."""
        match self._step:
            case Step.QUIET:
                return self._after(b"")
            case Step.ALONE | Step.BEGIN | Step.END:
                return Step.BEGIN
            case Step.UID:
                return self._next_uid()
            case Step.ANTENNA | Step.COUNT | Step.FIRST | Step.NEXT:
                return self._next_antenna()

    def _unanswered(self) -> Step:
        # It may have restarted meanwhile, and then polls by itself.
        return Step.BEGIN if self._step is Step.ALONE else Step.QUIET

    def _looking(self) -> Step:
        self._index = 0
        return self._look

    def _next_uid(self) -> Step:
        self._index += 1
        return Step.UID if self._index < self._count else self._next_antenna()

    def _next_antenna(self) -> Step:
        self._antenna += 1
        is_last = self._is_alone or self._antenna > max(self._wanted)
        return Step.END if is_last else Step.ANTENNA


DRIVER = Driver(
    name="eccel",
    title="Eccel Pepper C1 or MUX: up to five cards on each of up to eight antennas",
    decoder=Eccel,
    talker=EccelTalker,
    antennas_max=ANTENNAS_MAX,
    senses=("identity", "place", "board", "burn", "muck", "aside", "chips"),
    silent_after_ms=5000,
    tags=("iso14443a", "iso15693"),
)
ICODE = replace(
    DRIVER,
    name="eccel-icode",
    title="Eccel Pepper C1 or MUX: any number of ISO15693 cards on each of up to eight antennas",
    talker=partial(EccelTalker, icode=True),
    senses=(*DRIVER.senses, "stub"),
    tags=("iso15693",),
)
