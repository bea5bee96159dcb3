"""125 kHz badge reader RDM6300, ID-12 or ID-20: dealers' badges. Talks unasked, 9600 8N1.

    02  V V  N N N N N N N N  X X  03                RDM6300
    02  V V  N N N N N N N N  X X  0D 0A  03         ID-12/20

All digits are ASCII hex: V the version (or maker) byte, N the number, X the XOR of these five
bytes, the version among them. The UID is all ten digits: what a badge has printed on it may be
eight of them, or a decimal number of some. A number of zeros alone is refused. A badge is told
again and again while it lies there; how often is not confirmed, nor that an ID-12/20 does so.

Noise makes ids with a right XOR (esp-rfid issue 411: eight of eight did). So one report is no
badge: two are needed within `HELD_MS`, and the id must be enrolled. Sources: captures in esp-rfid
411, BruceDevices/firmware 2014, HB-UNI-Sen-RFID-RC 3, esphome 13753.
"""

from __future__ import annotations

import re

from drivers.checks import xor8
from drivers.driver import Driver
from drivers.packets import Packets, Shape
from drivers.readings import Garbled, Reading, TagSeen

ANTENNA = 1
HELD_MS = 500  # ours; a frame takes 15 ms at 9600 baud
REPORTS_MIN = 2

STX, ETX, CR_LF = b"\x02", b"\x03", b"\r\n"
_HEAD_BYTES = 14  # up to where either ETX or CR LF stands
_FRAME = re.compile(rb"\x02([0-9A-Fa-f]{12})(?:\r\n)?\x03")
_NUMBER = slice(2, 10)  # the digits of a UID behind the version's
_NO_NUMBER = "0" * 8


def frame(uid: str, *, spaced: bool = False) -> bytes:
    """The frame of an id of ten hex digits on the wire; `spaced` as an ID-12/20 sends it."""
    number = bytes.fromhex(uid)
    digits = (number + bytes((xor8(number),))).hex().upper().encode("ascii")
    return STX + digits + (CR_LF if spaced else b"") + ETX


def _length(head: bytes) -> int:
    return {ETX: _HEAD_BYTES, CR_LF[:1]: _HEAD_BYTES + len(CR_LF)}.get(head[-1:], 0)


def _sound(whole: bytes) -> bool:
    match = _FRAME.fullmatch(whole)
    return match is not None and xor8(bytes.fromhex(match[1].decode("ascii"))) == 0


SHAPE = Shape(start=STX, head_bytes=_HEAD_BYTES, length=_length, sound=_sound)


class Rdm6300:
    """Decoder of badges."""

    def __init__(self) -> None:
        self._packets = Packets(SHAPE)

    def feed(self, data: bytes) -> list[Reading]:
        return [
            item if isinstance(item, Garbled) else _badge(item) for item in self._packets.feed(data)
        ]


def _badge(whole: bytes) -> Reading:
    uid = whole[1:11].decode("ascii").lower()
    return Garbled("no number", whole) if uid[_NUMBER] == _NO_NUMBER else TagSeen(ANTENNA, uid)


DRIVER = Driver(
    name="rdm6300",
    title="RDM6300 or ID-12/20: dealers' badges, 125 kHz",
    decoder=Rdm6300,
    baud=9600,
    antennas_max=1,
    tags=("lf",),
    presence=(REPORTS_MIN, 3, 3),
    polled=False,
    held_ms=HELD_MS,
)
