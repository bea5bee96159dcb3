"""What a Feig reader lists: the data sets of an inventory, the records of its buffer.

Inventory data sets, behind their count (one byte):

    TR-TYPE 03 DSFID UID(8)                 ISO15693, E0 first (H60301 p.59)
    TR-TYPE 04 INFO OPT UID(7 or 10)        ISO14443A, UID from its last byte on; 10 where INFO has
                                            bit 2; four-byte UIDs where OPT has neither bit 0 nor 1
    TR-TYPE 05 INFO UID(8)                  ISO14443B (capture)
    TR-TYPE 8x IDDT LEN UID(LEN)            UHF

Asked with the ANT bit, each data set stands between a byte of flags and its antennas:

    FLAGS TR-TYPE ..  ANT-CNT (ANT-NR ANT-STATUS RSSI reserved(4))..
          03 then is DSFID LEN UID(LEN); FLAGS 01 a tag follows, 10 antennas follow

Confidence: 03 and 05 as said. 04 and the meaning of FLAGS: public host code only. The layout with
antennas, and the one byte ANT_SEL of the question, stand in a UHF reader's manual (MU02, H90701-3e
p.76); that an HF reader lists them likewise is NOT CONFIRMED. None of it was tried on a reader.

Buffer records (control 22; U500 H71011 p.109, LR1002 H20411 p.153):

    TR-DATA1 [TR-DATA2] DATASETS(2), then each
    RecLen(2) [TR-TYPE IDDT LEN UID(LEN)] [DB-N DB-SIZE DB..] [TIMER(4)] [DATE(5)] [ANT] ..
              bit 0                       bit 1               bit 5      bit 6     bit 4
    TR-DATA1 bit 3: UID low byte first; bit 7: TR-DATA2 follows, and more behind ANT

RecLen counts itself. Whether HF readers send RecLen, IDDT and LEN too stands on a page that is not
public: NOT CONFIRMED. `PLAIN_RECORDS` is the same without them, every UID of eight bytes, and there
what TR-DATA2 adds cannot be told apart. ANT is read as one number, 42 where a multiplexer of level
2 has channel 4 and one of level 1 channel 2 (LRU3000 H90202 p.180).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ANTENNA = 1  # of an answer that names none

ISO15693, ISO14443A, ISO14443B, UHF = 0x03, 0x04, 0x05, 0x80
ISO15693_UID_BYTES = 8
SINGLE, DOUBLE, TRIPLE = 4, 7, 10  # bytes of an ISO14443A UID
_E0 = 0xE0  # every ISO15693 UID begins with it
_TAG, _ANTENNAS = 0x01, 0x10  # FLAGS
_UNREAD = 0x01  # ANT-STATUS: no transponder
_TRIPLE = 0x04  # INFO
_DOUBLE = 0x03  # OPT
_ANTENNA_BYTES = 7
_IDENTIFIER, _BLOCKS, _LOW_BYTE_FIRST, _ANTENNA = 0x01, 0x02, 0x08, 0x10  # TR-DATA1
_TIMER, _DATE, _MORE_TELLS = 0x20, 0x40, 0x80


@dataclass(frozen=True, slots=True)
class BufferRecord:
    """One line of the reader's buffer; `timer` counts in the reader's own ticks, None if untold."""

    uid: str
    antenna: int
    timer: int | None = None


def sightings(body: bytes) -> set[tuple[int, str]]:
    """(antenna, UID) of an inventory's data sets; ValueError or IndexError if they are broken."""
    seen: set[tuple[int, str]] = set()
    at = 1
    for _ in range(body[0]):
        if body[at] & ~(_TAG | _ANTENNAS) == 0 and body[at]:
            uid, antennas, at = _flagged(body, at)
        else:
            uid, at = _identified(PLAIN, body, at)
            antennas = [ANTENNA]
        seen.update((antenna, uid) for antenna in antennas if uid)
    if at != len(body):
        raise ValueError(at)
    return seen


def _flagged(body: bytes, at: int) -> tuple[str, list[int], int]:
    """A tag without antennas or antennas without a tag cannot be placed: neither is told."""
    flags, uid, antennas = body[at], "", []
    at += 1
    if flags & _TAG:
        uid, at = _identified(LISTED, body, at)
    if flags & _ANTENNAS:
        count = 1
        if flags & _TAG:
            count, at = body[at], at + 1
        for _ in range(count):
            antenna = _taken(body, at, _ANTENNA_BYTES)
            at += _ANTENNA_BYTES
            if antenna[1] != _UNREAD and antenna[0] > 0:
                antennas.append(antenna[0])
    return uid, antennas, at


def _identified(kinds: Kinds, body: bytes, at: int) -> tuple[str, int]:
    kind = min(body[at], UHF)
    if kind not in kinds:
        raise ValueError(kind)
    return kinds[kind](body, at + 1)


def _iso15693(body: bytes, at: int) -> tuple[str, int]:
    return _e0_first(_taken(body, at + 1, ISO15693_UID_BYTES)).hex(), at + 9


def _iso15693_with_length(body: bytes, at: int) -> tuple[str, int]:
    uid, end = _with_length(body, at)
    return _e0_first(bytes.fromhex(uid)).hex(), end


def _iso14443a(body: bytes, at: int) -> tuple[str, int]:
    size = TRIPLE if body[at] & _TRIPLE else DOUBLE
    uid = _taken(body, at + 2, size)[::-1]
    if size == DOUBLE and not body[at + 1] & _DOUBLE:
        uid = uid[:SINGLE]
    return uid.hex(), at + 2 + size


def _iso14443b(body: bytes, at: int) -> tuple[str, int]:
    return _taken(body, at + 1, 8).hex(), at + 9


def _with_length(body: bytes, at: int) -> tuple[str, int]:
    size = body[at + 1]
    return _taken(body, at + 2, size).hex(), at + 2 + size


Kinds = dict[int, Callable[[bytes, int], tuple[str, int]]]
PLAIN: Kinds = {
    ISO15693: _iso15693,
    ISO14443A: _iso14443a,
    ISO14443B: _iso14443b,
    UHF: _with_length,
}
LISTED: Kinds = {**PLAIN, ISO15693: _iso15693_with_length}


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """How a reader writes the records of its buffer: with a length in front of each, or without."""

    measured: bool
    identified: Callable[[bytes, int], tuple[str, int]]  # UID and where it ends; from TR-TYPE on


def buffer_records(body: bytes, layout: RecordLayout | None = None) -> list[BufferRecord]:
    """Records of a Read Buffer answer or a notification, oldest first; errors as `sightings`."""
    layout = layout or MEASURED_RECORDS
    tells = body[0]
    at = 2 if tells & _MORE_TELLS else 1
    if not layout.measured and tells & _MORE_TELLS and body[1]:
        raise ValueError(body[1])
    count, at = int.from_bytes(_taken(body, at, 2), "big"), at + 2
    records = []
    for _ in range(count):
        size = len(body) - at
        if layout.measured:
            size = max(int.from_bytes(_taken(body, at, 2), "big"), 2)
        raw = _taken(body, at, size)
        record, end = _record(tells, raw, 2 if layout.measured else 0, layout)
        at += size if layout.measured else end
        if not end:
            raise ValueError(tells)
        if record.uid:
            records.append(record)
    if at != len(body):
        raise ValueError(at)
    return records


def sets_count(body: bytes) -> int:
    """How many records such an answer announces; 0 of an empty one, 1 where that cannot be read."""
    if not body:
        return 0
    at = 2 if body[0] & _MORE_TELLS else 1
    return int.from_bytes(body[at : at + 2], "big") if len(body) >= at + 2 else 1


def _record(tells: int, raw: bytes, at: int, layout: RecordLayout) -> tuple[BufferRecord, int]:
    """One record and where it ends."""
    uid, timer, antenna = "", None, ANTENNA
    if tells & _IDENTIFIER:
        kind = raw[at]
        uid, at = layout.identified(raw, at)
        if tells & _LOW_BYTE_FIRST:
            uid = bytes.fromhex(uid)[::-1].hex()
        if kind == ISO15693:
            uid = _e0_first(bytes.fromhex(uid)).hex()
    if tells & _BLOCKS:
        at += 2 + raw[at] * raw[at + 1]
    if tells & _TIMER:
        timer, at = int.from_bytes(_taken(raw, at, 4), "big"), at + 4
    if tells & _DATE:
        at += 5
    if tells & _ANTENNA:
        antenna, at = raw[at], at + 1
    if at > len(raw):
        raise ValueError(at)
    return BufferRecord(uid, antenna, timer), at


def _measured(raw: bytes, at: int) -> tuple[str, int]:
    return _with_length(raw, at + 1)


def _eight(raw: bytes, at: int) -> tuple[str, int]:
    return _taken(raw, at + 1, ISO15693_UID_BYTES).hex(), at + 1 + ISO15693_UID_BYTES


MEASURED_RECORDS = RecordLayout(measured=True, identified=_measured)
PLAIN_RECORDS = RecordLayout(measured=False, identified=_eight)


def _taken(body: bytes, at: int, size: int) -> bytes:
    taken = body[at : at + size]
    if len(taken) < size:
        raise ValueError(size)
    return taken


def _e0_first(uid: bytes) -> bytes:
    """Some readers can be set to tell the UID from its other end."""
    return uid[::-1] if uid and uid[0] != _E0 and uid[-1] == _E0 else uid
