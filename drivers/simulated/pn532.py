"""The PN532's side of its serial line: ACKs and answers, a field of tags, and the ways it fails."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.pn532 import HAS_ATS, TARGETS_MAX, UID_BYTES, WAKE_UP
from drivers.pn532_frames import ACK, CHIP, ERROR_FRAME, HOST, Framer, Packet, frame
from drivers.readings import Acked, Garbled
from drivers.simulated.replies import Replies

ACK_MS = 1
ANSWER_MS = 3
PASSIVE_TRY_MS = 6  # ours: one look into the field
FOR_EVER = 0xFF

SAM, VERSION, RF, LIST, RELEASE = 0x14, 0x02, 0x32, 0x4A, 0x52
MAX_RETRIES = b"\x05"  # RFConfiguration's item

# What is answered to commands that only ask for it.
ANSWERS = {SAM: b"", VERSION: b"\x32\x01\x06\x07", RF: b"", RELEASE: b"\x00"}

# SENS_RES and SEL_RES of a MIFARE Classic, an NTAG, and a triple-size tag.
SENSED = {4: b"\x00\x04\x08", 7: b"\x00\x44\x00", 10: b"\x00\xc4\x00"}
ATS = b"\x06\x75\x77\x81\x02\x80"


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    acks_lost: int = 0
    answers_lost: int = 0
    answers_corrupt: int = 0
    junk: bytes = b""  # put on the line in front of every answer
    first_ack_ms: int = ACK_MS  # how long the first ACK after a wake-up takes


class SimulatedPn532:
    """One chip and its field; sleeps until it is woken, tells at most two tags, the lowest UIDs.

    Its retries are infinite after every reset, so that a poll of an empty field is not answered
    until a tag comes or a new command or an ACK aborts it. `hang` stops it until wake-up and SAM.
    Tags other than ISO14443A (4, 7 or 10 bytes of UID) it cannot see.
    """

    def __init__(self, *, smart: bool = False) -> None:
        """`smart` tags are ISO14443-4 and send an ATS."""
        self.faults = Faults()
        self._smart = smart
        self._framer = Framer()
        self._heard = b""
        self._awake = False
        self._ready = False
        self._first = True
        self._retries = FOR_EVER
        self._tags: set[str] = set()
        self._waiting: bytes | None = None  # an endless poll, as asked
        self._replies = Replies()
        self._last = b""
        self.polls = 0

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex) into the field."""
        assert antenna == 1
        self._tags.add(uid)

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag out of the field."""
        assert antenna == 1
        self._tags.discard(uid)

    def hang(self) -> None:
        """Stop answering until wake-up and SAM configuration."""
        self._awake = self._ready = False
        self._waiting = None
        self._replies.clear()

    def hear(self, data: bytes, now_ms: int) -> bytes:
        self._heard = (self._heard + data)[-len(WAKE_UP) - len(data) :]
        if not self._awake and WAKE_UP in self._heard:
            self._awake, self._first, self._retries = True, True, FOR_EVER
            self._heard = b""
        for item in self._framer.feed(data):
            if self._awake:
                self._obey(item, now_ms)
        return self._replies.take(now_ms)

    def wake(self, now_ms: int) -> bytes:
        if self._waiting is not None and self._seen():
            self._answer(LIST, self._list(self._waiting), now_ms + ANSWER_MS)
            self._waiting = None
        return self._replies.take(now_ms)

    @property
    def next_ms(self) -> int | None:
        if self._waiting is not None and self._seen():
            return 0
        return self._replies.next_ms

    def _obey(self, item: Packet | Acked | Garbled, now_ms: int) -> None:
        match item:
            case Packet(tfi=tfi) if tfi == HOST and (self._ready or item.code == SAM):
                self._abort()
                self._run(item, now_ms)
            case Acked(ok=True):
                self._abort()
            case Acked(ok=False):
                self._replies.add(now_ms + ANSWER_MS, self._last)
            case _:
                pass

    def _abort(self) -> None:
        self._replies.clear()
        self._waiting = None

    def _run(self, packet: Packet, now_ms: int) -> None:
        acked_ms = now_ms + (self.faults.first_ack_ms if self._first else ACK_MS)
        self._first = False
        if self.faults.acks_lost > 0:
            self.faults.acks_lost -= 1
        else:
            self._replies.add(acked_ms, ACK)
        answered_ms = acked_ms + ANSWER_MS
        self._ready = self._ready or packet.code == SAM
        if packet.code == RF and packet.body.startswith(MAX_RETRIES):
            self._retries = packet.body[-1]
        if packet.code == LIST:
            self._poll(packet.body, answered_ms)
        elif packet.code in ANSWERS:
            self._answer(packet.code, ANSWERS[packet.code], answered_ms)
        else:
            self._replies.add(answered_ms, ERROR_FRAME)

    def _poll(self, body: bytes, answered_ms: int) -> None:
        self.polls += 1
        if self._seen():
            self._answer(LIST, self._list(body), answered_ms + PASSIVE_TRY_MS)
        elif self._retries == FOR_EVER:
            self._waiting = body
        else:
            tries_ms = PASSIVE_TRY_MS * (self._retries + 1)
            self._answer(LIST, b"\x00", answered_ms + tries_ms)

    def _seen(self) -> list[str]:
        return sorted(uid for uid in self._tags if len(uid) // 2 in UID_BYTES)

    def _list(self, body: bytes) -> bytes:
        told = self._seen()[: min(body[0] if body else 1, TARGETS_MAX)]
        return bytes((len(told),)) + b"".join(
            bytes((number,)) + self._target(bytes.fromhex(uid))
            for number, uid in enumerate(told, start=1)
        )

    def _target(self, uid: bytes) -> bytes:
        sensed = bytearray(SENSED[len(uid)])
        if self._smart:
            sensed[2] |= HAS_ATS
        return bytes(sensed) + bytes((len(uid),)) + uid + (ATS if self._smart else b"")

    def _answer(self, command: int, body: bytes, at_ms: int) -> None:
        self._last = frame(CHIP, command + 1, body)
        if self.faults.answers_lost > 0:
            self.faults.answers_lost -= 1
            return
        said = bytearray(self._last)
        if self.faults.answers_corrupt > 0:
            self.faults.answers_corrupt -= 1
            said[-3] ^= 0x10
        self._replies.add(at_ms, self.faults.junk + bytes(said))
