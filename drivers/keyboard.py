"""Keys pressed on a Linux input device: its records in, keys and what was lost out, and back.

    sec(8)  usec(8)  TYPE(2)  CODE(2)  VALUE(4)      struct input_event: 24 bytes, low byte first

    TYPE 0 EV_SYN   0 SYN_REPORT: the report is whole. 3 SYN_DROPPED: the kernel's buffer had run
                    over, and what comes up to the next SYN_REPORT is worthless
    TYPE 1 EV_KEY   CODE is the key; VALUE 1 down, 2 held, 0 up
    TYPE 4 EV_MSC   4 MSC_SCAN: the device's own code of the key; like all other types passed over

So on 64-bit little-endian Linux; a 32-bit one has 16 bytes, which is told when the port is opened.
The kernel hands out whole records only and they have no mark: bytes that can be no record are
dropped one by one up to where one begins. Only what goes down counts: a key that is held, or comes
up, says nothing (flutter_barcode_listener 1). Sources: Linux include/uapi/linux/input.h and
input-event-codes.h, Documentation/input/event-codes.rst.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from drivers.dirt import Dirt
from drivers.readings import Garbled

RECORD = struct.Struct("<qqHHi")

EV_SYN, EV_KEY, EV_MSC = 0, 1, 4
SYN_REPORT, SYN_DROPPED, MSC_SCAN = 0, 3, 4
UP, DOWN, HELD = 0, 1, 2

# fmt: off
DIGITS = {2: "1", 3: "2", 4: "3", 5: "4", 6: "5", 7: "6", 8: "7", 9: "8", 10: "9", 11: "0"}
PAD_DIGITS = {79: "1", 80: "2", 81: "3", 75: "4", 76: "5", 77: "6", 71: "7", 72: "8", 73: "9",
              82: "0"}
HEX_LETTERS = {30: "a", 48: "b", 46: "c", 32: "d", 18: "e", 33: "f"}  # in either case
ENTER, PAD_ENTER = 28, 96
LEFT_SHIFT, RIGHT_SHIFT, CAPS_LOCK, NUM_LOCK = 42, 54, 58, 69
PAD_STAR, PAD_MINUS, PAD_PLUS, PAD_0, PAD_DOT = 55, 74, 78, 82, 83
# fmt: on
ENTERS = frozenset({ENTER, PAD_ENTER})
SHIFTS = frozenset({LEFT_SHIFT, RIGHT_SHIFT, CAPS_LOCK, NUM_LOCK})  # type nothing by themselves

DROPPED = "events dropped"
_SECONDS_MAX = 1 << 32
_MICROSECONDS = 1_000_000
# What a record can be: the greatest code of each type, and the values where they are few.
_CODE_MAX = {EV_SYN: 3, EV_KEY: 0x2FF, 2: 0x0F, 3: 0x3F, EV_MSC: 7, 5: 0x11, 17: 15, 18: 7, 20: 1}
_VALUES = {EV_SYN: (0, 1), EV_KEY: (UP, DOWN, HELD), 17: (0, 1)}


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key went down: its code in Linux' numbering, which names places on a US keyboard."""

    key: int


def record(kind: int, code: int, value: int, at_ms: int = 0) -> bytes:
    """The record as the kernel writes it; `at_ms` is its time."""
    return RECORD.pack(at_ms // 1000, at_ms % 1000 * 1000, kind, code, value)


class Keys:
    """Records in, in any cut; keys pressed out, and `Garbled` where something was lost. Bounded."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._dirt = Dirt()
        self._dropping = False

    def feed(self, data: bytes) -> list[Pressed | Garbled]:
        self._pending += data
        found: list[Pressed | Garbled] = []
        while len(self._pending) >= RECORD.size:
            seconds, microseconds, kind, code, value = RECORD.unpack_from(self._pending)
            in_time = 0 <= seconds < _SECONDS_MAX and 0 <= microseconds < _MICROSECONDS
            if not (in_time and _can_be(kind, code, value)):
                self._dirt.add("stray bytes", bytes(self._pending[:1]))
                del self._pending[:1]
                continue
            del self._pending[: RECORD.size]
            found += self._dirt.take()
            found += self._said(kind, code, value)
        return found + self._dirt.take()

    def _said(self, kind: int, code: int, value: int) -> list[Pressed | Garbled]:
        if (kind, code) == (EV_SYN, SYN_DROPPED):
            self._dropping = True
            return [Garbled(DROPPED)]
        if (kind, code) == (EV_SYN, SYN_REPORT):
            self._dropping = False
        is_press = kind == EV_KEY and value == DOWN and not self._dropping
        return [Pressed(code)] if is_press else []


def _can_be(kind: int, code: int, value: int) -> bool:
    return code <= _CODE_MAX.get(kind, -1) and value in _VALUES.get(kind, (value,))
