"""An LLRP reader's side of the line: one ROSpec, antennas with tags, keepalives, and its faults."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.llrp import (
    ADD,
    AI_SPEC,
    ANSWER_OF,
    ANTENNA,
    ANTENNA_EVENT,
    ATTEMPT,
    CLOSE,
    DELETE,
    ENABLE,
    EPC,
    EPC_96,
    ERROR,
    GET_REPORT,
    KEEPALIVE,
    KEEPALIVE_ACK,
    KEEPALIVE_SPEC,
    NEWS,
    NOTIFICATION,
    PEAK_RSSI,
    REPORT,
    REPORT_SPEC,
    RO_SPEC,
    SET_CONFIG,
    START,
    STATUS,
    TAG,
    UPON_GET_REPORT,
)
from drivers.llrp_messages import Framer, Message, message, parameters, tlv

UTC_TIMESTAMP = 128
EPC_96_BYTES = 12
ROUND_MS = 100  # ours: how often each tag is read on each antenna
BAD_FIELD, UNSUPPORTED = 101, 109  # LLRPStatus
ANTENNAS_MAX = 4


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    answers_lost: int = 0
    lengths_broken: int = 0  # messages whose length is 5
    attempt: int = 0  # other than 0: the status with which a caller is greeted
    refuse: int = 0  # the message that is answered with status 101
    mute: bool = False  # says nothing at all any more


class SimulatedLlrp:
    """One reader with four antennas and one ROSpec; reports each tag in each round, or when asked.

    It greets whoever connects. What was set up outlives a connection, as on a real reader.
    """

    def __init__(self) -> None:
        self.faults = Faults()
        self.is_closed = False  # it was asked to hang up
        self.acks = 0
        self._framer = Framer()
        self._tags: dict[tuple[int, str], int] = {}
        self._spec: bytes | None = None
        self._enabled = False
        self._antennas: set[int] = set()
        self._gathers = False
        self._gathered: dict[tuple[int, str], int] = {}
        self._keepalive_ms = 0
        self._keepalive_at_ms: int | None = None
        self._round_at_ms: int | None = None
        self._number = 0
        self._news = b""

    def lay(self, epc: str, antenna: int = 1, rssi_dbm: int = -50) -> None:
        """Put a tag (EPC in lower-case hex) where this antenna reads it so loud."""
        assert 1 <= antenna <= ANTENNAS_MAX
        self._tags[antenna, epc] = rssi_dbm

    def lift(self, epc: str, antenna: int = 1) -> None:
        """Take a tag away from an antenna."""
        self._tags.pop((antenna, epc), None)

    def pull_antenna(self, antenna: int) -> None:
        """An antenna's plug comes off: its tags are read no more, and the reader says so."""
        self._tags = {tag: dbm for tag, dbm in self._tags.items() if tag[0] != antenna}
        self._news += self._told(ANTENNA_EVENT, b"\x00" + antenna.to_bytes(2, "big"))

    def connected(self, now_ms: int) -> None:
        """Somebody has connected: the next `wake` begins with the greeting."""
        self._framer = Framer()
        self._news = self._told(ATTEMPT, self.faults.attempt.to_bytes(2, "big"))
        self.is_closed = False
        if self._keepalive_ms:
            self._keepalive_at_ms = now_ms + self._keepalive_ms

    def hear(self, data: bytes, now_ms: int) -> bytes:
        said = b""
        for item in self._framer.feed(data):
            if isinstance(item, Message):
                said += self._obey(item, now_ms)
        return b"" if self.faults.mute else said

    def wake(self, now_ms: int) -> bytes:
        said, self._news = self._news, b""
        if _passed(self._keepalive_at_ms, now_ms):
            said += self._say(KEEPALIVE)
            self._keepalive_at_ms = now_ms + self._keepalive_ms
        if _passed(self._round_at_ms, now_ms):
            self._round_at_ms = now_ms + ROUND_MS
            read = [tag for tag in self._tags if not self._antennas or tag[0] in self._antennas]
            if self._gathers:
                self._gathered |= {tag: self._tags[tag] for tag in read}
            else:
                said += b"".join(
                    self._say(REPORT, _report(*tag, self._tags[tag])) for tag in sorted(read)
                )
        return b"" if self.faults.mute or self.is_closed else said

    @property
    def next_ms(self) -> int | None:
        if self._news:
            return 0
        due = [at for at in (self._keepalive_at_ms, self._round_at_ms) if at is not None]
        return None if self.is_closed else min(due, default=None)

    def _obey(self, asked: Message, now_ms: int) -> bytes:
        if asked.kind == KEEPALIVE_ACK:
            self.acks += 1
            return b""
        if asked.kind == GET_REPORT and self.faults.refuse != GET_REPORT:
            gathered, self._gathered = sorted(self._gathered.items()), {}
            return self._say(REPORT, b"".join(_report(*tag, dbm) for tag, dbm in gathered))
        status = BAD_FIELD if asked.kind == self.faults.refuse else self._done(asked, now_ms)
        if self.faults.answers_lost > 0:
            self.faults.answers_lost -= 1
            return b""
        answer = ANSWER_OF.get(asked.kind, ERROR)
        return self._say(answer, tlv(STATUS, status.to_bytes(2, "big"), bytes(2)), asked.number)

    def _done(self, asked: Message, now_ms: int) -> int:
        """Do what was asked; the status."""
        if asked.kind == SET_CONFIG:
            (spec,) = [each for each in parameters(asked.body[1:]) if each.kind == KEEPALIVE_SPEC]
            self._keepalive_ms = int.from_bytes(spec.value[1:5], "big") * spec.value[0]
            self._keepalive_at_ms = now_ms + self._keepalive_ms if self._keepalive_ms else None
        elif asked.kind == DELETE:
            self._spec, self._enabled, self._round_at_ms = None, False, None
        elif asked.kind == ADD:
            return self._add(asked.body)
        elif asked.kind == ENABLE:
            self._enabled = self._spec is not None
            return 0 if self._enabled else BAD_FIELD
        elif asked.kind == START:
            self._round_at_ms = now_ms + ROUND_MS if self._enabled else None
            return 0 if self._enabled else BAD_FIELD
        elif asked.kind == CLOSE:
            self.is_closed = True
        else:
            return UNSUPPORTED
        return 0

    def _add(self, body: bytes) -> int:
        (spec,) = parameters(body)
        if spec.kind != RO_SPEC or self._spec is not None:
            return BAD_FIELD
        parts = {each.kind: each.value for each in parameters(spec.value[6:])}
        reading, report = parts[AI_SPEC], parts[REPORT_SPEC]
        count = int.from_bytes(reading[:2], "big")
        listed = [reading[at : at + 2] for at in range(2, 2 + 2 * count, 2)]
        antennas = {int.from_bytes(each, "big") for each in listed}
        if max(antennas) > ANTENNAS_MAX:
            return BAD_FIELD
        self._spec = spec.value
        self._gathers = report.startswith(UPON_GET_REPORT)
        self._antennas = antennas - {0}
        return 0

    def _told(self, kind: int, value: bytes) -> bytes:
        return self._say(NOTIFICATION, tlv(NEWS, tlv(UTC_TIMESTAMP, bytes(8)), tlv(kind, value)))

    def _say(self, kind: int, body: bytes = b"", number: int = 0) -> bytes:
        self._number += 1
        said = message(Message(kind, body, number or self._number))
        if self.faults.lengths_broken > 0:
            self.faults.lengths_broken -= 1
            said = said[:2] + (5).to_bytes(4, "big") + said[6:]
        return said


def _passed(at_ms: int | None, now_ms: int) -> bool:
    return at_ms is not None and now_ms >= at_ms


def _report(antenna: int, epc: str, rssi_dbm: int) -> bytes:
    number = bytes.fromhex(epc)
    tag = tlv(EPC, (8 * len(number)).to_bytes(2, "big"), number)
    if len(number) == EPC_96_BYTES:
        tag = _tv(EPC_96, number)
    antennas = _tv(ANTENNA, antenna.to_bytes(2, "big"))
    return tlv(TAG, tag, antennas, _tv(PEAK_RSSI, rssi_dbm.to_bytes(1, "big", signed=True)))


def _tv(kind: int, value: bytes) -> bytes:
    return bytes((0x80 | kind,)) + value
