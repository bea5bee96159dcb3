"""Tags' UIDs as lines of text, as many small readers and sketches print them. Talks unasked.

    E0 04 01 00 0A 1B 2C 3D  LF         hex digits in pairs, with blanks, colons or dashes between
    04:0e:3b:d2:28:6b:85     CR LF      or without; lower or upper case
    E00401000A1B2C3D         CR         several whole UIDs in a line are each a tag

A line ends with CR, LF or both; every line of what comes at once is read. A UID has 4, 7, 8 or 10
bytes. There is no check, no antenna, no removal and no sign of life: what has another length is
Garbled, bytes that cannot stand in a UID end whatever stood before them, and of a UID that lost
some of its bytes nothing but the deck's list can tell that it is no card. An eight-byte UID that
ends with E0 is an ISO15693 UID said last byte first, and is turned round.

Sources: WohligTechnology/usb (9600 baud, hex with spaces, newline; its own reader lost the second
of two lines that came at once); Feig OBID scan mode, CFG13 defaults (LRU3000 manual H90202 p.64:
ASCII hex, separator 20, end 0D; what the separator stands between is not confirmed, taken here for
a blank between two UIDs or two pairs).

Rows by the line's settings: `uid-line` 9600 8N1, `uid-line-115200` 115200 8N1 (or either over TCP),
`feig-scan` 38400 8E1.
"""

from __future__ import annotations

import re
from dataclasses import replace

from drivers.dirt import Dirt
from drivers.driver import Driver
from drivers.readings import Reading, TagSeen
from drivers.uids import uid_of

ANTENNA = 1
LINE_BYTES_MAX = 256  # ours: seven of the longest UIDs, spaced

_ENDS = re.compile(rb"[\r\n]")
_STRAY = re.compile(rb".*[^0-9A-Fa-f :-]", re.DOTALL)
_PAIRS = re.compile(r"[0-9A-Fa-f]{2}(?:[ :-]*[0-9A-Fa-f]{2})*")
_BETWEEN = re.compile(r"[ :-]+")


class UidLine:
    """Decoder of such lines; keeps at most one line begun."""

    def __init__(self) -> None:
        self._pending = b""
        self._dirt = Dirt()

    def feed(self, data: bytes) -> list[Reading]:
        *lines, self._pending = _ENDS.split(self._pending + data)
        readings: list[Reading] = []
        for line in lines:
            readings += self._line(line)
        if stray := _STRAY.match(self._pending):
            self._drop("stray bytes", stray[0])
        if len(self._pending) > LINE_BYTES_MAX:
            # Longer than any line: its last bytes may still be a UID once the end has come.
            self._drop("too long", self._pending[:-LINE_BYTES_MAX])
        return readings + self._dirt.take()

    def _line(self, line: bytes) -> list[Reading]:
        if stray := _STRAY.match(line):
            self._dirt.add("stray bytes", stray[0])
            line = line[stray.end() :]
        text = line[-LINE_BYTES_MAX:].decode("ascii").strip(" :-")
        uids = _uids(text)
        if uids is None:
            self._dirt.add("no UID", line)
            uids = []
        return [*self._dirt.take(), *(TagSeen(ANTENNA, uid) for uid in uids)]

    def _drop(self, reason: str, dropped: bytes) -> None:
        self._dirt.add(reason, dropped)
        self._pending = self._pending[len(dropped) :]


def _uids(text: str) -> list[str] | None:
    """The UIDs of a line's text, none of an empty one, None where it is no list of UIDs."""
    each = [_uid(word) for word in text.split()]
    whole = [uid for uid in each if uid is not None]
    if len(whole) < len(each):
        one = _uid(text)
        return None if one is None else [one]
    return whole


def _uid(text: str) -> str | None:
    return uid_of(bytes.fromhex(_BETWEEN.sub("", text))) if _PAIRS.fullmatch(text) else None


DRIVER = Driver(
    name="uid-line",
    title="Reader that prints UIDs as lines of text, 9600 baud",
    decoder=UidLine,
    baud=9600,
    antennas_max=1,
    senses=("identity", "place", "board", "aside"),
    tags=("iso14443a", "iso15693"),
    presence=(1, 1, 1),
    polled=False,
)
FAST = replace(
    DRIVER,
    name="uid-line-115200",
    title="Reader that prints UIDs as lines of text, 115200 baud",
    baud=115200,
)
FEIG_SCAN = replace(
    DRIVER,
    name="feig-scan",
    title="Feig OBID i-scan reader in scan mode: UIDs as lines of text",
    baud=38400,
    parity="E",
)
