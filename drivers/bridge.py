"""Microcontroller reader bus: several small readers behind one line. 115200 8N1 or TCP.

    AA  READER  LEN  UID ..  XOR          a tag has come to a reader
    AA  02      07   04 0F 43 D2 28 6B 85  F3
    AA  READER  00           XOR          nothing lies on this reader any more      (extension)
    AA  FF      00           55           the bridge is alive: once a second        (extension)

READER counts from 0 and is antenna READER + 1; LEN is 4, 7, 8 or 10; XOR is that of all bytes
before it. AA may stand inside a UID. Boards print text while they start, before the first packet.
Source: SkaiYoh/NFC-cardgame, src/hardware/arduino-nfc.ino (its own code sends at most 7 bytes of
UID from three PN532 behind a TCA9548A; it tells a tag once, when it comes, and never that it goes).

The two forms marked as extension are floorcall's own proposal for a bridge's maker. A reader's
removal names no UID: it means every tag that this reader has told since it last was empty, and so
each of them is told as gone. Where one of several tags is taken away, a bridge says LEN 0 and then
tells once more what still lies there. An eight-byte UID may come with either end first.

Two rows, since a plain bridge that has nothing to tell and a dead one look alike: `bridge` believes
an idle one for ever and takes a tag to lie where it was told last; `bridge-beat` is for one with
the extension, lost after five seconds without a heartbeat or any other word.

A Wiegand reader reaches a table through such a bridge only. Its 26 bits (even parity over the first
13, odd over the last 13) are to be checked there: this packet does not carry them.
"""

from __future__ import annotations

from dataclasses import replace

from drivers.checks import xor8
from drivers.driver import Driver
from drivers.packets import Packets, Shape
from drivers.readings import Beat, Garbled, Reading, TagGone, TagSeen
from drivers.uids import UID_BYTES, uid_of

START = 0xAA
BRIDGE = 0xFF  # the reader of a heartbeat
READERS_MAX = 32  # ours: four multiplexers of eight; what names a higher one is no packet
GONE = 0  # the length of a removal and of a heartbeat
TAGS_MAX = 64  # ours: of one reader that a removal is about; a deck has 52

_HEAD_BYTES = 3


def packet(reader: int, uid: bytes = b"") -> bytes:
    """A packet on the wire; without a UID the reader's removal, or with `BRIDGE` the heartbeat."""
    covered = bytes((START, reader, len(uid))) + uid
    return covered + bytes((xor8(covered),))


def _length(head: bytes) -> int:
    reader, uid_bytes = head[1:]
    known = reader < READERS_MAX and uid_bytes in (GONE, *UID_BYTES)
    return _HEAD_BYTES + uid_bytes + 1 if known or (reader, uid_bytes) == (BRIDGE, GONE) else 0


SHAPE = Shape(
    start=bytes((START,)),
    head_bytes=_HEAD_BYTES,
    length=_length,
    sound=lambda whole: xor8(whole) == 0,
)


class Bridge:
    """Decoder of a bridge's packets; remembers what each reader told since it was empty."""

    def __init__(self) -> None:
        self._packets = Packets(SHAPE)
        self._told: dict[int, dict[str, None]] = {}

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._packets.feed(data):
            readings += [item] if isinstance(item, Garbled) else self._said(item)
        return readings

    def _said(self, whole: bytes) -> list[Reading]:
        reader, uid = whole[1], uid_of(whole[_HEAD_BYTES:-1])
        if reader == BRIDGE:
            return [Beat()]
        antenna = reader + 1
        if uid is None:
            return [TagGone(antenna, gone) for gone in self._told.pop(antenna, {})]
        told = self._told.setdefault(antenna, {})
        told.pop(uid, None)
        told[uid] = None
        if len(told) > TAGS_MAX:
            del told[next(iter(told))]
        return [TagSeen(antenna, uid)]


DRIVER = Driver(
    name="bridge",
    title="Microcontroller with readers (AA packets) that tells tags as they come",
    decoder=Bridge,
    antennas_max=READERS_MAX,
    senses=("identity", "place", "board", "burn", "muck", "aside"),
    tags=("iso14443a", "iso15693"),
    presence=(1, 1, 1),
    polled=False,
)
BEATING = replace(
    DRIVER,
    name="bridge-beat",
    title="Microcontroller with readers (AA packets) that tells removals and beats",
    silent_after_ms=5000,
)
