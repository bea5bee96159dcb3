"""Lines `$BODY*CCCC` cut out of a stream of bytes: bounded, healing, the same in any cut.

    24  BODY .... 2A  C C C C  0D 0A
    $   1..112    *   sum      CR LF    BODY printable ASCII without $ and *, CCCC its
                                        CRC-16/CCITT-FALSE in four upper-case hex digits

A line is whole with the last digit of its sum; the CR LF behind it is not waited for.
"""

from __future__ import annotations

import re

from drivers.checks import crc16_ccitt_false
from drivers.readings import Garbled

LINE_BYTES_MAX = 120
BODY_BYTES_MAX = LINE_BYTES_MAX - len("$*CCCC\r\n")

_START = b"$"
_LINE_END = b"\r\n"
_BODY = rb"[ -#%-)+-~]"
# With the end of the line before, which would else be looked at as noise.
_WHOLE = re.compile(rb"(?:\r\n)?\$(%b{1,%d})\*([0-9A-F]{4})" % (_BODY, BODY_BYTES_MAX))
_BEGUN = re.compile(rb"\$(?:%b{1,%d}(?:\*[0-9A-F]{0,3})?)?" % (_BODY, BODY_BYTES_MAX))


def line(body: str) -> bytes:
    """The body, printable ASCII of at most `BODY_BYTES_MAX`, as it goes over the wire."""
    covered = body.encode("ascii")
    return b"$%b*%04X\r\n" % (covered, crc16_ccitt_false(covered))


class LineFramer:
    """Bytes in, bodies out. Its law: whatever came before, a good line is read."""

    def __init__(self) -> None:
        """Begin between lines."""
        self._pending = b""

    def feed(self, data: bytes) -> list[str | Garbled]:
        """Take the next bytes, in any cut; return the bodies and what was dropped, oldest first."""
        stream = self._pending + data
        found: list[str | Garbled] = []
        at = 0
        while at < len(stream):
            end, said = _cut(stream, at)
            if end == at:
                break
            at = end
            if said is not None:
                found.append(said)
        self._pending = stream[at:]
        return found


def _cut(stream: bytes, at: int) -> tuple[int, str | Garbled | None]:
    """The next stretch: where it ends, and what it says; it ends at once where more must come."""
    if whole := _WHOLE.match(stream, at):
        return whole.end(), _checked(whole)
    if stream[at : at + 1] != _START:
        noise_end = stream.find(_START, at, at + LINE_BYTES_MAX)
        if noise_end < 0:
            noise_end = at + LINE_BYTES_MAX
        if noise_end <= len(stream):
            return noise_end, _dropped("noise", stream[at:noise_end])
    elif (begun := _BEGUN.match(stream, at)) and begun.end() < len(stream):
        return begun.end(), _dropped("cut line", begun[0])  # its end may be the start of the next
    return at, None


def _checked(whole: re.Match[bytes]) -> str | Garbled:
    if crc16_ccitt_false(whole[1]) == int(whole[2], 16):
        return whole[1].decode("ascii")
    return Garbled("bad sum", whole[0].lstrip(_LINE_END))


def _dropped(reason: str, dirt: bytes) -> Garbled | None:
    return Garbled(reason, dirt) if dirt.strip(_LINE_END) else None
