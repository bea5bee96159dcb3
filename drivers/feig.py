"""Feig OBID i-scan reader, polled in host mode: many tags on up to eight antennas, 38400 8E1.

What is asked (frames: `feig_frames`, data sets: `feig_records`), advanced frames to any reader:

    65            software version                            H60301 p.50
    66 00         reader info                                 H60301 p.51
    69            RF reset: the field off for 15 ms           H60301 p.53
    B0 01 00      inventory of a reader with one antenna      H60301 p.59
    B0 01 20 SEL  inventory with antennas, SEL bit 0 antenna 1 .. bit 7 antenna 8 (MU02 H90701 p.76)
    B0 01 80      the rest, after status 94; with antennas A0 SEL
    63            CPU reset                                   LR200 H90692 p.68; others: unverified

A tag once read is mute until the RF reset: it goes before each poll, so that what lies on the
antennas now is told. All answers up to the last one make one `Inventory`; an answer that names no
antenna is of antenna 1. NOT CONFIRMED: the layout with antennas on HF readers, and that MORE
repeats SEL. At 38400 baud a full deck takes 0.3 s a poll: set a higher speed or use TCP there.

An answer with status 94 is `Answered(0xB0, 94)`, other statuses `DeviceFault`; frames with nothing
on tags, the host's own too, are `Answered` with the control byte and what follows (and status 00
left out). Read Buffer answers and notifications (22) become an `Inventory` of what they list.
"""

from __future__ import annotations

from enum import Enum, auto

from drivers.driver import Driver
from drivers.feig_frames import ANY_READER, Framed, Framer, ask
from drivers.feig_records import buffer_records, sightings
from drivers.feig_talk import RESTART_MS, Ask, FeigTalk
from drivers.feig_words import (
    ABOUT,
    CPU_RESET,
    ISO,
    MORE_DATA,
    NO_TAG,
    OK,
    READ_BUFFER,
    RF_RESET,
    SOFTWARE,
    WARNING,
    fault,
)
from drivers.readings import Answered, DeviceFault, Garbled, Inventory, Reading

INVENTORY, MODE_ANTENNAS, MODE_MORE = 0x01, 0x20, 0x80
ISO_COMMANDS = range(0x21, 0x2D)  # read, write, select ..: the host's, no status is so named
MORE = Answered(ISO, bytes((MORE_DATA,)))

ANTENNAS_MAX = 8  # the bits of ANT_SEL
TAGS_MAX = 1024  # ours: of one poll
ROUNDS_MAX = 256  # ours: answers of one poll
POLL_MS = 100  # a card is told within two polls; two quick cards are 300 ms apart
INVENTORY_MS_MAX = 1000  # ours: a frame of 4 kB takes 1.2 s at 38400, of one full deck 0.3 s


class Feig:
    """Decoder of the reader's answers; gathers the answers of one poll, at most `TAGS_MAX` tags."""

    def __init__(self) -> None:
        self._framer = Framer()
        self._seen: set[tuple[int, str]] = set()

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._framer.feed(data):
            readings += self._said(item) if isinstance(item, Framed) else [item]
        return readings

    def _said(self, framed: Framed) -> list[Reading]:
        if _is_asked(framed):
            return [Answered(framed.control, framed.rest)]
        status, body = framed.rest[0], framed.rest[1:]
        if framed.control == RF_RESET:
            self._seen.clear()
        if framed.control == ISO:
            return self._polled(status, body)
        if status not in (OK, MORE_DATA):
            return [fault(status)]
        if framed.control == READ_BUFFER:
            return [_buffered(body)]
        return [Answered(framed.control, body)]

    def _polled(self, status: int, body: bytes) -> list[Reading]:
        seen, self._seen = self._seen, set()
        faults: list[Reading] = []
        if status in (OK, WARNING, MORE_DATA):
            try:
                seen |= sightings(body)
            except (IndexError, ValueError):
                return [Answered(ISO, body) if status == OK else Garbled("broken data sets", body)]
        if status not in (OK, NO_TAG, MORE_DATA):
            faults = [fault(status)]
            if status != WARNING:
                return faults
        if len(seen) > TAGS_MAX:
            return [Garbled("too many tags")]
        if status == MORE_DATA:
            self._seen = seen
            return [MORE]
        return [*faults, Inventory(tuple(sorted(seen)))]


def _is_asked(framed: Framed) -> bool:
    """Whether this is a host's frame: to any reader, without a status, or a command to tags."""
    if framed.address == ANY_READER or not framed.rest:
        return True
    return framed.control == ISO and framed.rest[0] in ISO_COMMANDS


def _buffered(body: bytes) -> Reading:
    try:
        records = buffer_records(body)
    except (IndexError, ValueError):
        return Garbled("broken buffer records", body)
    return Inventory(tuple(sorted({(record.antenna, record.uid) for record in records})))


class Step(Enum):
    """Where the talk stands: the command that is due or out."""

    RESTART = auto()
    SOFTWARE = auto()
    ABOUT = auto()
    FIELD = auto()
    INVENTORY = auto()
    REST = auto()


def asks(antennas: tuple[int, ...]) -> dict[Step, Ask[Step]]:
    """The talk's table for these antennas, of 1 to `ANTENNAS_MAX`; none, or 1 alone: no ANT_SEL."""
    mode, chosen = 0, b""
    if set(antennas) - {1}:
        mode, chosen = MODE_ANTENNAS, bytes((sum(1 << antenna - 1 for antenna in set(antennas)),))

    def inventory(mode: int) -> Ask[Step]:
        return Ask(
            send=ask(ISO, bytes((INVENTORY, mode)) + chosen),
            then=Step.FIELD,
            again=Step.FIELD,
            answer_ms_max=INVENTORY_MS_MAX,
        )

    # fmt: off
    return {
        Step.RESTART:   Ask(send=ask(CPU_RESET), then=Step.SOFTWARE, again=Step.SOFTWARE,
                            pause_ms=RESTART_MS),
        Step.SOFTWARE:  Ask(send=ask(SOFTWARE), then=Step.ABOUT, again=Step.SOFTWARE),
        Step.ABOUT:     Ask(send=ask(ABOUT, b"\x00"), then=Step.FIELD, again=Step.ABOUT),
        Step.FIELD:     Ask(send=ask(RF_RESET), then=Step.INVENTORY, again=Step.FIELD),
        Step.INVENTORY: inventory(mode),
        Step.REST:      inventory(mode | MODE_MORE),
    }
    # fmt: on


class FeigTalker(FeigTalk[Step]):
    """Identifies the reader, then polls its antennas every `POLL_MS`, or as fast as it answers.

    One command at a time. A command without its answer is sent again, a poll from its beginning;
    after three in a row the reader's CPU is reset and all begins anew. A `DeviceFault` is an
    answer: the reader lives.
    """

    def __init__(self, antennas: tuple[int, ...] = ()) -> None:
        super().__init__(asks(antennas), Step.SOFTWARE, Step.RESTART)
        self._rounds = 0
        self._polled_ms = 0

    def start(self, now_ms: int) -> bytes:
        self._polled_ms = now_ms - POLL_MS
        return super().start(now_ms)

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        if self._late_ms is None:
            return b""
        now = self._asks[self._step]
        polling = now.control == ISO
        match reading:
            case Answered() if reading == MORE and polling and self._rounds < ROUNDS_MAX:
                self._answered(Step.REST, now_ms)
            case Answered(command=control) if control == now.control:
                self._answered(now.then, now_ms)
            case Inventory() if polling:
                self._answered(now.then, now_ms)
            case DeviceFault():
                self._answered(now.then, now_ms)
            case _:
                pass
        return b""

    def _send(self, now_ms: int) -> bytes:
        if self._step is Step.FIELD:
            self._polled_ms, self._rounds = now_ms, 0
        self._rounds += self._asks[self._step].control == ISO
        return super()._send(now_ms)

    def _answered(self, step: Step, now_ms: int) -> None:
        self._unanswered = 0
        self._go_on(step, now_ms, self._polled_ms + POLL_MS if step is Step.FIELD else 0)


DRIVER = Driver(
    name="feig",
    title="Feig OBID i-scan reader in host mode: many cards on up to eight antennas",
    decoder=Feig,
    talker=FeigTalker,
    baud=38400,
    parity="E",
    antennas_max=ANTENNAS_MAX,
    senses=("identity", "place", "board", "burn", "muck", "aside", "stub", "chips"),
    silent_after_ms=5000,
    tags=("iso14443a", "iso15693"),
)
