"""Frames of Eccel Pepper C1 readers: bytes in, payloads out, and back; the same both ways.

    F5  LENlo LENhi  ~LENlo ~LENhi  PAYLOAD ..  CRClo CRChi       LEN counts payload and CRC

The CRC is CRC-16/CCITT-FALSE of the payload alone. Sources: the maker's package pepper-c1 0.2.0
(protocol.py); manual of the maker's RS485 reader 000537, section 4.2 (1024 bytes at most; that
reader has an address byte before the payload, the C1 has none).
"""

from __future__ import annotations

from drivers.checks import crc16_ccitt_false
from drivers.packets import Packets, Shape
from drivers.readings import Garbled

PAYLOAD_BYTES_MAX = 1024

_STX = b"\xf5"
_HEAD_BYTES, _CRC_BYTES = 5, 2


def frame(payload: bytes) -> bytes:
    """The frame on the wire; the payload has 1 to `PAYLOAD_BYTES_MAX` bytes."""
    length = (len(payload) + _CRC_BYTES).to_bytes(2, "little")
    inverted = bytes(byte ^ 0xFF for byte in length)
    crc = crc16_ccitt_false(payload).to_bytes(_CRC_BYTES, "little")
    return _STX + length + inverted + payload + crc


def _length(head: bytes) -> int:
    length = int.from_bytes(head[1:3], "little")
    inverted = int.from_bytes(head[3:5], "little")
    known = length ^ inverted == 0xFFFF and 1 <= length - _CRC_BYTES <= PAYLOAD_BYTES_MAX
    return _HEAD_BYTES + length if known else 0


def _sound(whole: bytes) -> bool:
    crc = int.from_bytes(whole[-_CRC_BYTES:], "little")
    return crc16_ccitt_false(whole[_HEAD_BYTES:-_CRC_BYTES]) == crc


SHAPE = Shape(start=_STX, head_bytes=_HEAD_BYTES, length=_length, sound=_sound)


class Framer:
    """Bytes in, in any cut; payloads and what was dropped out, oldest first, all of a chunk."""

    def __init__(self) -> None:
        self._packets = Packets(SHAPE)

    def feed(self, data: bytes) -> list[bytes | Garbled]:
        return [
            item if isinstance(item, Garbled) else item[_HEAD_BYTES:-_CRC_BYTES]
            for item in self._packets.feed(data)
        ]
