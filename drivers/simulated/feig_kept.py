"""A Feig reader that reads by itself: a buffer that is asked for, or that it sends unasked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drivers.feig_frames import ANY_READER, Framed, Framer, frame
from drivers.feig_records import ISO14443A, ISO15693, ISO15693_UID_BYTES
from drivers.feig_words import (
    BUFFER_SIZE,
    CLEAR_BUFFER,
    CPU_RESET,
    DIAGNOSTIC,
    EMPTY_BUFFER,
    MORE_DATA,
    NOTHING_NEW,
    OK,
    OVERFLOW,
    READ_BUFFER,
    RF_RESET,
)
from drivers.simulated.feig import ANSWER_MS, ANSWERS, FIELD_OFF_MS, UNKNOWN_COMMAND
from drivers.simulated.replies import Replies

VALID_MS = 200  # the VALID-TIME that the drivers want
TABLE_MAX = 300  # records; ours
REPEAT_MS = 5000  # U500 H71011 p.105
TICK_MS = 5
TELLS = 0x31  # TR-DATA1: identifier, timer, antenna
LOW_BYTE_FIRST, TIMER = 0x08, 0x20

Tag = tuple[int, str]


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    answers_lost: int = 0
    answers_corrupt: int = 0
    deletions_lost: int = 0  # they come from the host and are not heard
    deletions_unanswered: int = 0  # they are done, and nothing is said
    unknown: tuple[int, ...] = ()  # control bytes that this reader does not know


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How the reader is configured: `valid_ms` None tells a resting tag once and never again.

    `notifies`: it sends unasked; `acked`: and waits for 32, which it answers if `answers_acks`;
    `alive_ms`: with a keep-alive so often. `tells` is TR-DATA1; without `measured` a record has
    neither its length nor its UID's. `once_per_tag`: a tag on two antennas is kept once.
    """

    valid_ms: int | None = VALID_MS
    table_max: int = TABLE_MAX
    tells: int = TELLS
    measured: bool = True
    once_per_tag: bool = False
    notifies: bool = False
    acked: bool = True
    answers_acks: bool = True
    alive_ms: int | None = None
    sets_max: int = 60  # of one notification


class KeepingFeig:
    """One reader. `hang` stops it until its CPU is reset."""

    def __init__(self, fit: Fit | None = None, address: int = 0) -> None:
        self.fit = fit or Fit()
        self.faults = Faults()
        self.sent = 0  # lists told, repetitions too
        self._address = address
        self._framer = Framer()
        self._due: dict[Tag, int | None] = {}  # when each tag that lies is kept again
        self._table: list[bytes] = []
        self._read = 0  # records of the table that were told and not yet deleted
        self._overflowed = False
        self._hung = False
        self._repeat_ms: int | None = None  # an acknowledgement is awaited until then
        self._alive_ms = 0
        self._replies = Replies()

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex) on an antenna."""
        self._due[antenna, uid] = 0

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag off an antenna."""
        self._due.pop((antenna, uid), None)

    def hang(self) -> None:
        """Stop reading and answering until the CPU is reset."""
        self._hung = True
        self._replies.clear()

    def hear(self, data: bytes, now_ms: int) -> bytes:
        self._keep(now_ms)
        for item in self._framer.feed(data):
            if isinstance(item, Framed) and item.address in (ANY_READER, self._address):
                self._obey(item, now_ms)
        return self._spoken(now_ms)

    def wake(self, now_ms: int) -> bytes:
        self._keep(now_ms)
        return self._spoken(now_ms)

    @property
    def next_ms(self) -> int | None:
        if self._hung:
            return self._replies.next_ms
        times = [self._replies.next_ms, self._repeat_ms, *self._due.values()]
        if self.fit.notifies and self.fit.alive_ms is not None:
            times.append(self._alive_ms)
        return min((at_ms for at_ms in times if at_ms is not None), default=None)

    def _keep(self, now_ms: int) -> None:
        """Read what lies on the antennas."""
        for (antenna, uid), due_ms in self._due.items():
            if self._hung or due_ms is None or due_ms > now_ms:
                continue
            valid_ms = self.fit.valid_ms
            self._due[antenna, uid] = None if valid_ms is None else now_ms + valid_ms
            if self.fit.once_per_tag and any(one == uid and n < antenna for n, one in self._due):
                continue
            if len(self._table) < self.fit.table_max:
                self._table.append(self._record(antenna, uid, now_ms))
            else:
                self._overflowed = True

    def _record(self, antenna: int, uid: str, now_ms: int) -> bytes:
        number = bytes.fromhex(uid)
        kind = ISO15693 if len(number) == ISO15693_UID_BYTES else ISO14443A
        if self.fit.tells & LOW_BYTE_FIRST:
            number = number[::-1]
        lengths = bytes((0, len(number))) if self.fit.measured else b""
        record = bytes((kind,)) + lengths + number
        if self.fit.tells & TIMER:
            record += (now_ms // TICK_MS).to_bytes(4, "big")
        record += bytes((antenna,))
        return (len(record) + 2).to_bytes(2, "big") + record if self.fit.measured else record

    def _obey(self, asked: Framed, now_ms: int) -> None:
        if asked.control == CPU_RESET:
            self._hung = False
            self._table.clear()
            self._read, self._overflowed = 0, False
        if self._hung:
            return
        does: dict[int, Callable[[Framed, int], None]] = {
            READ_BUFFER: self._tell,
            BUFFER_SIZE: self._tell_size,
            CLEAR_BUFFER: self._delete,
            EMPTY_BUFFER: self._empty,
        }
        if asked.control in self.faults.unknown:
            self._answer(asked, bytes((UNKNOWN_COMMAND,)), now_ms + ANSWER_MS)
        elif asked.control in does:
            does[asked.control](asked, now_ms)
        elif asked.control in ANSWERS:
            self._answer(asked, bytes((OK,)) + ANSWERS[asked.control], now_ms + ANSWER_MS)
        elif asked.control in (CPU_RESET, RF_RESET):
            self._answer(asked, bytes((OK,)), now_ms + ANSWER_MS + FIELD_OFF_MS)
        else:
            self._answer(asked, bytes((UNKNOWN_COMMAND,)), now_ms + ANSWER_MS)

    def _tell(self, asked: Framed, now_ms: int) -> None:
        self._answer(asked, self._list(int.from_bytes(asked.rest[:2], "big")), now_ms + ANSWER_MS)

    def _list(self, sets_max: int) -> bytes:
        """Status and records; what is told is what the next 32 deletes."""
        told = self._table[:sets_max]
        self._read = len(told)
        self.sent += bool(told)
        status = OK
        if self._overflowed:
            status, self._overflowed = OVERFLOW, False
        elif len(self._table) > len(told):
            status = MORE_DATA
        elif not told:
            return bytes((NOTHING_NEW,))
        head = bytes((status, self.fit.tells)) + len(told).to_bytes(2, "big")
        return head + b"".join(told)

    def _tell_size(self, asked: Framed, now_ms: int) -> None:
        sizes = (self.fit.table_max, 0, len(self._table))
        told = b"".join(size.to_bytes(2, "big") for size in sizes)
        self._answer(asked, bytes((OK,)) + told, now_ms + ANSWER_MS)

    def _delete(self, asked: Framed, now_ms: int) -> None:
        if self.faults.deletions_lost > 0:
            self.faults.deletions_lost -= 1
            return
        del self._table[: self._read]
        self._read, self._repeat_ms = 0, None
        if self.faults.deletions_unanswered > 0:
            self.faults.deletions_unanswered -= 1
        elif not self.fit.notifies or self.fit.answers_acks:
            self._answer(asked, bytes((OK,)), now_ms + ANSWER_MS)

    def _empty(self, asked: Framed, now_ms: int) -> None:
        self._table.clear()
        self._read, self._overflowed, self._repeat_ms = 0, False, None
        self._answer(asked, bytes((OK,)), now_ms + ANSWER_MS)

    def _spoken(self, now_ms: int) -> bytes:
        if self.fit.notifies and not self._hung:
            self._notify(now_ms)
        return self._replies.take(now_ms)

    def _notify(self, now_ms: int) -> None:
        if self._repeat_ms is not None and now_ms >= self._repeat_ms:
            self._repeat_ms = None
        while (self._table or self._overflowed) and self._repeat_ms is None:
            self._replies.add(now_ms, self._framed(READ_BUFFER, self._list(self.fit.sets_max)))
            if self.fit.acked:
                self._repeat_ms = now_ms + REPEAT_MS
            else:
                del self._table[: self._read]
                self._read = 0
        if self.fit.alive_ms is not None and now_ms >= self._alive_ms:
            self._alive_ms = now_ms + self.fit.alive_ms
            self._replies.add(now_ms, self._framed(DIAGNOSTIC, bytes((OK, 0x01, 0x00))))

    def _framed(self, control: int, rest: bytes) -> bytes:
        return frame(Framed(self._address, control, rest))

    def _answer(self, asked: Framed, rest: bytes, at_ms: int) -> None:
        if self.faults.answers_lost > 0:
            self.faults.answers_lost -= 1
            return
        said = bytearray(self._framed(asked.control, rest))
        if self.faults.answers_corrupt > 0:
            self.faults.answers_corrupt -= 1
            said[-3] ^= 0x10
        self._replies.add(at_ms, bytes(said))
