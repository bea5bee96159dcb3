"""Frames of Feig OBID i-scan readers in host mode: bytes in, frames out, and back.

    standard      LEN COM-ADR CONTROL [STATUS] bytes.. CRClo CRChi            LEN 5..255
    advanced   02 ALENhi ALENlo COM-ADR CONTROL [STATUS] bytes.. CRClo CRChi  ALEN 7..

LEN and ALEN count the whole frame; STATUS stands in the reader's frames only. A first byte 02 is
always an advanced frame, no standard one is so short. COM-ADR FF addresses any reader; the answer
carries the reader's own address, never FF, and is advanced where the question was (manual H60301
p.16-17). The CRC goes low byte first, in both: that manual's page prints the advanced one the
other way round, every capture shows it so. A frame with a wrong CRC gets no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from drivers.checks import crc16_mcrf4xx
from drivers.dirt import Dirt
from drivers.readings import Garbled

ANY_READER = 0xFF
STANDARD_BYTES_MAX = 255
FRAME_BYTES_MAX = 4096  # ours; 255 tags with one antenna each would take 5100, MORE cuts earlier

_STX = b"\x02"
_CRC_BYTES = 2
_STANDARD_BYTES_MIN, _ADVANCED_BYTES_MIN = 5, 7
# A frame is only looked for where a known control byte stands in its place.
_CONTROL = re.escape(
    bytes.fromhex("1b 22 31 32 33 52 55 63 64 65 66 69 6a 6e 71 72 74 80 81 82 83 85 86 a0 a2")
    + bytes.fromhex("ad b0 b1 b2 b3 b4 bc bd be bf c0 c1 c2 c3 dd de")
)
_ADVANCED = re.compile(rb"\x02[\x00-\x0f]..[%b]" % _CONTROL, re.DOTALL)
_FRAME = re.compile(rb"\x02[\x00-\x0f]..[%b]|[\x05-\xff].[%b]" % (_CONTROL, _CONTROL), re.DOTALL)
_BEGUN = re.compile(rb"\x02(?:[\x00-\x0f].{0,2})?\Z", re.DOTALL)  # an advanced head, cut short
_BEGUN_BYTES_MAX = 4
_HEAD_BYTES = 5


@dataclass(frozen=True, slots=True)
class Framed:
    """One whole frame; `rest` is what stands between the control byte and the CRC."""

    address: int
    control: int
    rest: bytes
    advanced: bool = True


def frame(framed: Framed) -> bytes:
    """The frame on the wire; a standard one has at most 250 bytes of `rest`."""
    covered = bytes((framed.address, framed.control)) + framed.rest
    if framed.advanced:
        covered = _STX + (len(covered) + _ADVANCED_BYTES_MIN - 2).to_bytes(2, "big") + covered
    else:
        covered = bytes((len(covered) + _STANDARD_BYTES_MIN - 2,)) + covered
    return covered + crc16_mcrf4xx(covered).to_bytes(_CRC_BYTES, "little")


def ask(control: int, rest: bytes = b"") -> bytes:
    """The host's frame to any reader, advanced."""
    return frame(Framed(ANY_READER, control, rest))


class Framer:
    """Bytes in, in any cut; frames and what was dropped out, oldest first. Bounded.

    Its law: whatever came before, a good frame is read. A standard frame begins with no mark of its
    own, so stray bytes can look like the head of a long one: it yields to a whole advanced frame
    behind it.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._dirt = Dirt()

    def feed(self, data: bytes) -> list[Framed | Garbled]:
        self._pending += data
        found: list[Framed | Garbled] = []
        while (framed := self._next()) is not None:
            found += self._dirt.take()
            found.append(framed)
        return found + self._dirt.take()

    def _next(self) -> Framed | None:
        while True:
            head = _FRAME.search(self._pending)
            begun = _BEGUN.search(self._pending, max(0, len(self._pending) - _BEGUN_BYTES_MAX))
            if begun is not None and (head is None or begun.start() < head.start()):
                # The next bytes tell whether an advanced frame begins here. What looks like a head
                # behind it may be its length and its address.
                self._drop(begun.start(), "stray bytes")
                return None
            if head is None:
                self._drop(len(self._pending) - _HEAD_BYTES + 1, "stray bytes")
                return None
            self._drop(head.start(), "stray bytes")
            length = _length(self._pending)
            if length > len(self._pending):
                behind = self._whole_behind()
                if behind is None:
                    return None
                self._drop(behind, "cut short")
            elif not _sound(self._pending[:length]):
                self._drop(1, "bad sum")
            else:
                return self._take(length)

    def _whole_behind(self) -> int | None:
        """Where a whole advanced frame stands behind what looks like a standard one begun."""
        if self._pending[:1] == _STX:
            return None
        for head in _ADVANCED.finditer(self._pending, 1):
            at = head.start()
            end = at + _length(self._pending[at : at + 3])
            if end <= len(self._pending) and _sound(self._pending[at:end]):
                return at
        return None

    def _take(self, length: int) -> Framed:
        whole = bytes(self._pending[:length])
        del self._pending[:length]
        advanced = whole[:1] == _STX
        at = 3 if advanced else 1
        return Framed(whole[at], whole[at + 1], whole[at + 2 : -_CRC_BYTES], advanced)

    def _drop(self, count: int, reason: str) -> None:
        if count > 0:
            self._dirt.add(reason, bytes(self._pending[:count]))
            del self._pending[:count]


def _length(begun: bytearray) -> int:
    return int.from_bytes(begun[1:3], "big") if begun[:1] == _STX else begun[0]


def _sound(whole: bytearray) -> bool:
    if len(whole) < (_ADVANCED_BYTES_MIN if whole[:1] == _STX else _STANDARD_BYTES_MIN):
        return False
    crc = int.from_bytes(whole[-_CRC_BYTES:], "little")
    return crc16_mcrf4xx(bytes(whole[:-_CRC_BYTES])) == crc
