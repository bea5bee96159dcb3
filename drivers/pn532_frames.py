"""Frames of the PN532's serial line (HSU): bytes in, packets and acknowledgements out, and back.

    normal    00* 00 FF LEN LCS TFI CODE body.. DCS 00     LEN 1..255 counts TFI, CODE and body
    extended  00* 00 FF FF FF LENh LENl LCS TFI CODE body.. DCS 00
    ACK       00* 00 FF 00 FF 00
    NACK      00* 00 FF FF 00 00                           host only: say it again
    error     00* 00 FF 01 FF 7F 81 00                     the chip could not use the command

LEN and LCS sum to zero modulo 256, TFI to DCS too. TFI D4 is host to chip, D5 chip to host. The
zeros before and behind may be absent or more (NXP 141520 6.2.1, second-hand: nfcpy, libnfc).
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.checks import complement8, sums_to_zero
from drivers.dirt import Dirt
from drivers.readings import Acked, Garbled

HOST, CHIP, ERROR = 0xD4, 0xD5, 0x7F
ACK = bytes.fromhex("0000ff00ff00")
NACK = bytes.fromhex("0000ffff0000")
ERROR_FRAME = bytes.fromhex("0000ff01ff7f8100")
LENGTH_MAX = 265  # TFI, CODE and 263 bytes of body: the chip's largest frame (nfcpy clf/pn532.py)

_START = b"\x00\xff"
_EXTENDED = b"\xff\xff"
_ACK_TAIL, _NACK_TAIL = b"\x00\xff", b"\xff\x00"
_HEAD_BYTES, _EXTENDED_HEAD_BYTES = 4, 7
_FILLER = b"\x00\x55"  # preamble, postamble and the wake-up's 55 55


@dataclass(frozen=True, slots=True)
class Packet:
    """One whole frame: who speaks (`HOST` or `CHIP`), the command's or answer's code, the rest."""

    tfi: int
    code: int
    body: bytes


def frame(tfi: int, code: int, body: bytes = b"") -> bytes:
    """A normal frame on the wire; the body has at most 253 bytes."""
    covered = bytes((tfi, code)) + body
    size = bytes((len(covered),))
    check = bytes((complement8(size),))
    return b"\x00" + _START + size + check + covered + bytes((complement8(covered), 0))


class Framer:
    """Bytes in, in any cut; packets, acknowledgements and what was dropped out, oldest first.

    Its law: whatever came before, a good frame is read. On any doubt it drops only up to the next
    possible start. It holds at most one frame begun (some 270 bytes).
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._dirt = Dirt()
        self._behind_ack = False

    def feed(self, data: bytes) -> list[Packet | Acked | Garbled]:
        self._pending += data
        found: list[Packet | Acked | Garbled] = []
        while (item := self._next()) is not None:
            found += self._dirt.take()
            found.append(item)
        return found + self._dirt.take()

    def _next(self) -> Packet | Acked | None:
        while True:
            self._skip_to_start()
            if len(self._pending) < _HEAD_BYTES:
                return None
            if self._behind_ack:
                self._leave_ack()
                continue
            tail = bytes(self._pending[2:_HEAD_BYTES])
            if tail == _ACK_TAIL:
                del self._pending[:2]
                self._behind_ack = True
                return Acked()
            if tail == _NACK_TAIL:
                del self._pending[:3]
                return Acked(ok=False)
            item = self._framed(_EXTENDED_HEAD_BYTES if tail == _EXTENDED else _HEAD_BYTES)
            if not isinstance(item, str):
                return item
            self._drop(item)

    def _framed(self, head_bytes: int) -> Packet | Acked | str | None:
        """The frame that begins here, None while it is not whole, or why it is none."""
        if len(self._pending) < head_bytes:
            return None
        if head_bytes == _HEAD_BYTES:
            length, checked = self._pending[2], bytes(self._pending[2:4])
        else:
            length, checked = int.from_bytes(self._pending[4:6], "big"), bytes(self._pending[4:7])
        if not sums_to_zero(checked) or not 1 <= length <= LENGTH_MAX:
            return "bad length"
        end = head_bytes + length + 1
        if len(self._pending) < end:
            return None
        covered = bytes(self._pending[head_bytes:end])
        if not sums_to_zero(covered):
            return "bad sum"
        item = _said(covered[:-1])
        if not isinstance(item, str):
            del self._pending[:end]
        return item

    def _leave_ack(self) -> None:
        """Behind an ACK its own last two bytes stand first: `00 FF`, as a start does.

        Where a frame's head follows, what looked like the ACK's beginning was a frame cut short.
        """
        self._behind_ack = False
        length, check = self._pending[2:_HEAD_BYTES]
        begins = length > 0 and (length + check) & 0xFF == 0
        if not begins and self._pending[2:_HEAD_BYTES] != _EXTENDED:
            del self._pending[:2]

    def _skip_to_start(self) -> None:
        start = self._pending.find(_START)
        if start < 0:
            start = len(self._pending) - self._pending.endswith(_START[:1])
        stray = bytes(self._pending[:start]).strip(_FILLER)
        if stray:
            self._dirt.add("stray bytes", stray)
        del self._pending[:start]

    def _drop(self, reason: str) -> None:
        self._dirt.add(reason, bytes(self._pending[:1]))
        del self._pending[:1]


def _said(covered: bytes) -> Packet | Acked | str:
    if covered[0] == ERROR and len(covered) == 1:
        return Acked(ok=False)
    if covered[0] in (HOST, CHIP) and len(covered) > 1:
        return Packet(covered[0], covered[1], covered[2:])
    return "unknown frame"
