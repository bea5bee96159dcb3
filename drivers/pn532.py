"""PN532 NFC reader on its serial line (HSU): two ISO14443A tags a poll, 115200 8N1.

What goes over the wire (frames: `pn532_frames`; an answer's code is the command's plus one):

    55 55 00*14           wake-up, then SAMConfiguration before anything else
    14 01 14 01           SAMConfiguration: normal mode, 1 s, IRQ               -> 15
    02                    GetFirmwareVersion                                    -> 03 IC VER REV SUP
    32 05 00 01 02        RFConfiguration, MaxRetries: the third, for passive   -> 33
                          activation, finite, else a poll of an empty field never returns
    4A 02 00              InListPassiveTarget, 2 targets, 106 kbit/s type A     -> 4B NbTg target..
    60 NR PERIOD TYPE..   InAutoPoll (not sent)                 -> 61 NbTg (type len target)..
    52 00                 InRelease, all targets                                -> 53

    target    Tg SENS_RES(2) SEL_RES NFCIDLen NFCID(4, 7 or 10) [ATS, its length first]
              ATS only where SEL_RES has bit 5

A target list becomes an `Inventory` on antenna 1, an ACK `Acked`, a NACK or an error frame
`Acked(ok=False)`; every other frame, the host's own too, `Answered` with its code as on the wire.
Sources: nfcpy (clf/pn532.py), libnfc (drivers/pn532_uart.c, chips/pn53x.c), Adafruit PN532 2.4.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from drivers.driver import Driver
from drivers.pn532_frames import ACK, CHIP, HOST, Framer, Packet, frame
from drivers.readings import Acked, Answered, Garbled, Inventory, Reading

ANTENNA = 1
TARGETS_MAX = 2  # the chip's own limit (InListPassiveTarget MaxTg)
UID_BYTES = (4, 7, 10)
HAS_ATS = 0x20  # SEL_RES bit 5
LISTED, POLLED = 0x4B, 0x61
TYPES_A = (0x00, 0x10, 0x20)  # InAutoPoll: generic 106 kbit/s A, MIFARE, ISO14443-4A

WAKE_UP = b"\x55\x55" + bytes(14)  # libnfc drivers/pn532_uart.c
POLL_MS = 100  # a card is told within two polls; two quick cards are 300 ms apart
GAP_MS = 1  # between an answer and the next command: some FTDI cables need it (nfcpy 257)
PAUSE_MS = 2  # behind an abort (libnfc 167)
FIRST_ANSWER_MS_MAX = 1500  # the first ACK on a Raspberry's ttyUSB (nfcpy clf/pn532.py)
ANSWER_MS_MAX = 300  # ours: a finite poll takes some 30 ms, a USB latency timer 16 ms each way
UNANSWERED_MAX = 3  # in a row: the chip is stuck


class Pn532:
    """Decoder of the chip's answers."""

    def __init__(self) -> None:
        self._framer = Framer()

    def feed(self, data: bytes) -> list[Reading]:
        return [
            _reading(item) if isinstance(item, Packet) else item for item in self._framer.feed(data)
        ]


def _reading(packet: Packet) -> Reading:
    targets = TARGETS.get(packet.code) if packet.tfi == CHIP else None
    if targets is None:
        return Answered(packet.code, packet.body)
    try:
        uids = list(targets(packet.body))
    except (IndexError, ValueError):
        return Garbled("broken target list", packet.body)
    return Inventory(tuple((ANTENNA, uid) for uid in sorted(set(uids))))


def _listed(body: bytes) -> Iterator[str]:
    """UIDs of an InListPassiveTarget answer; ValueError or IndexError where the list is broken."""
    at = 1
    for _ in range(_count(body)):
        uid, at = _target(body, at)
        yield uid
    _ends(body, at)


def _polled(body: bytes) -> Iterator[str]:
    """The same of an InAutoPoll answer: each target behind its type and length."""
    at = 1
    for _ in range(_count(body)):
        kind, size = body[at], body[at + 1]
        record, at = body[at + 2 : at + 2 + size], at + 2 + size
        if kind in TYPES_A:
            uid, end = _target(record, 0)
            _ends(record, end)
            yield uid
    _ends(body, at)


TARGETS = {LISTED: _listed, POLLED: _polled}


def _count(body: bytes) -> int:
    if body[0] > TARGETS_MAX:
        raise ValueError(body[0])
    return body[0]


def _target(record: bytes, at: int) -> tuple[str, int]:
    sel_res, size = record[at + 3], record[at + 4]
    end = at + 5 + size
    uid = record[at + 5 : end]
    if size not in UID_BYTES or len(uid) < size:
        raise ValueError(size)
    if sel_res & HAS_ATS and end < len(record):  # a chip told to send no RATS leaves it out
        end += max(record[end], 1)
    return uid.hex(), end


def _ends(body: bytes, at: int) -> None:
    if at != len(body):
        raise ValueError(at)


class Step(Enum):
    """Where the talk stands: the command that is due or out."""

    WAKE = auto()
    VERSION = auto()
    RETRIES = auto()
    POLL = auto()
    RELEASE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One command: what to send, the code that answers it, what comes then, how long to wait."""

    send: bytes
    answer: int
    then: Step
    answer_ms_max: int = ANSWER_MS_MAX


# fmt: off
ASKS = {
    Step.WAKE:    Ask(send=WAKE_UP + frame(HOST, 0x14, b"\x01\x14\x01"), answer=0x15,
                      then=Step.VERSION, answer_ms_max=FIRST_ANSWER_MS_MAX),
    Step.VERSION: Ask(send=frame(HOST, 0x02), answer=0x03, then=Step.RETRIES),
    Step.RETRIES: Ask(send=frame(HOST, 0x32, b"\x05\x00\x01\x02"), answer=0x33, then=Step.POLL),
    Step.POLL:    Ask(send=frame(HOST, 0x4A, b"\x02\x00"), answer=LISTED, then=Step.RELEASE),
    Step.RELEASE: Ask(send=frame(HOST, 0x52, b"\x00"), answer=0x53, then=Step.POLL),
}
# fmt: on


class Pn532Talker:
    """Wakes the chip, then polls it every `POLL_MS`; one command at a time.

    A command without its answer is aborted with an ACK and sent again; after three in a row the
    chip is stuck and is woken anew. An answer counts whether or not its ACK was heard. `gap_ms` is
    the least pause between an answer and the next command.
    """

    def __init__(self, antennas: tuple[int, ...] = (ANTENNA,), gap_ms: int = GAP_MS) -> None:
        assert set(antennas) <= {ANTENNA}
        self._gap_ms = gap_ms
        self._step = Step.WAKE
        self._unanswered = 0
        self._polled_ms = 0
        self._send_ms: int | None = None
        self._late_ms: int | None = None

    def start(self, now_ms: int) -> bytes:
        self._unanswered = 0
        self._polled_ms = now_ms - POLL_MS
        return self._send(Step.WAKE, now_ms)

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        if self._late_ms is None:
            return b""
        ask = ASKS[self._step]
        match reading:
            case Inventory() if ask.answer == LISTED:
                self._go_on(ask.then, now_ms)
            case Answered(command=code) if code == ask.answer:
                self._go_on(ask.then, now_ms)
            case Acked(ok=False):
                self._try_again(now_ms)
            case _:
                pass
        return b""

    def wake(self, now_ms: int) -> bytes:
        if self._send_ms is not None and now_ms >= self._send_ms:
            return self._send(self._step, now_ms)
        if self._late_ms is not None and now_ms >= self._late_ms:
            self._try_again(now_ms)
            return ACK
        return b""

    @property
    def next_ms(self) -> int | None:
        return self._late_ms if self._send_ms is None else self._send_ms

    def _send(self, step: Step, now_ms: int) -> bytes:
        self._step = step
        self._send_ms, self._late_ms = None, now_ms + ASKS[step].answer_ms_max
        if step is Step.POLL:
            self._polled_ms = now_ms
        return ASKS[step].send

    def _go_on(self, step: Step, now_ms: int) -> None:
        self._unanswered = 0
        self._step = step
        self._send_ms, self._late_ms = now_ms + self._gap_ms, None
        if step is Step.POLL:
            self._send_ms = max(self._send_ms, self._polled_ms + POLL_MS)

    def _try_again(self, now_ms: int) -> None:
        self._unanswered += 1
        if self._unanswered >= UNANSWERED_MAX:
            self._unanswered = 0
            self._step = Step.WAKE
        self._send_ms, self._late_ms = now_ms + PAUSE_MS, None


DRIVER = Driver(
    name="pn532",
    title="PN532 NFC reader (HSU): two ISO14443A cards on one antenna",
    decoder=Pn532,
    talker=Pn532Talker,
    antennas_max=1,
    senses=("identity", "place", "board", "aside"),
    silent_after_ms=3000,
    tags=("iso14443a",),
)
