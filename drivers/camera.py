"""Overhead camera that knows faces: JSON lines, one a picture. Talks unasked, serial or TCP.

    {"v":1,"src":"cam1","t":51200,"frame":512,"cards":[
      {"card":"As","conf":0.97,"zone":"board","box":[412,220,61,88]}]}     on one line, ended by LF

No public camera protocol for card tables is known: this layout is OUR PROPOSAL, to be spoken by an
adapter beside whatever finds the faces, and no such camera was ever tried.

| field   | meaning                                                                               |
|---------|---------------------------------------------------------------------------------------|
| `v`     | 1; another version is refused whole, for its other fields may mean something else     |
| `src`   | the camera's name, for people; one camera a port                                      |
| `t`     | its clock in ms; not used, a port's bytes are stamped when they come                  |
| `frame` | the picture's number; a gap is no fault, the same number again is no second look      |
| `cards` | every face in the picture, none where it sees none: an empty one is the heartbeat     |
| `card`  | rank 23456789TJQKA and suit cdhs; an entry that names no such card is passed over     |
| `conf`  | how sure the camera is, 0 to 1                                                        |
| `zone`  | where the face lies, as the camera was taught: `board` `seat:4` `burn` `aside` `muck` |
| `box`   | where in the picture, in pixels; not used                                             |

`v` and `cards` are required, and of a card `card`, `conf` and `zone`; fields not named here are
ignored. A picture at least every 500 ms keeps the camera alive and its word worth something.

There is no checksum: a line that is JSON of this shape is believed. A line may follow dirt without
a LF between them, if it begins with `{"v":`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from drivers.driver import Driver
from drivers.readings import Beat, Face, FacesSeen, Garbled, Reading

LINE_BYTES_MAX = 8192  # 52 faces of some 90 bytes each, and as much again
CARDS_MAX = 64
GARBLED_BYTES_MAX = 256
BEGINNINGS_MAX = 8  # places in a bad line at which a good one is looked for

_START = b'{"v":'
_LF = b"\n"
_CARD = re.compile(r"[2-9TJQKA][cdhs]")


class _Card(Struct):
    card: Annotated[str, Meta(max_length=64)]
    conf: Annotated[float, Meta(ge=0, le=1)]
    zone: Annotated[str, Meta(max_length=64)]


class _Picture(Struct):
    cards: Annotated[list[_Card], Meta(max_length=CARDS_MAX)]
    frame: int | None = None


class _Version(Struct):
    v: int


_VERSION = msgspec.json.Decoder(_Version)
_PICTURE = msgspec.json.Decoder(_Picture)
# Nesting without end is refused by the library's own limit, which is none of its decode errors.
_NONSENSE = (msgspec.MsgspecError, RecursionError)


class Camera:
    """Bytes in, pictures out. Its law: whatever came before, a whole line is read."""

    def __init__(self) -> None:
        """Begin between lines."""
        self._pending = b""
        self._frame: int | None = None

    def feed(self, data: bytes) -> list[Reading]:
        """Take the next bytes of the line, in any cut; return what they say, oldest first."""
        stream = self._pending + data
        told: list[Reading] = []
        at = 0
        for end, line in _lines(stream):
            told += self._read(line)
            at = end
        self._pending = stream[at:]
        return told

    def _read(self, line: bytes) -> list[Reading]:
        if not line.strip():
            return []
        found = _picture(line)
        if not isinstance(found, Garbled):
            return [self._seen(found)]
        for at in _beginnings(line):
            later = _picture(line[at:])
            if not isinstance(later, Garbled):
                return [_dropped("cut line", line[:at]), self._seen(later)]
        return [found]

    def _seen(self, picture: _Picture) -> Reading:
        again = picture.frame is not None and picture.frame == self._frame
        self._frame = picture.frame
        if again:
            return Beat()
        faces = (
            Face(one.card, one.zone, round(one.conf * 100))
            for one in picture.cards
            if _CARD.fullmatch(one.card)
        )
        return FacesSeen(tuple(faces))


def _lines(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Each stretch that is settled, and where it ends: a line, or what is too long to be one."""
    at = 0
    while at < len(stream):
        end = stream.find(_LF, at, at + LINE_BYTES_MAX + 1)
        if end >= 0:
            yield end + 1, stream[at:end]
            at = end + 1
        elif len(stream) - at <= LINE_BYTES_MAX:
            return
        else:
            whole = stream[at : at + LINE_BYTES_MAX + 1]
            keep = _next_start(whole)
            yield at + keep, whole[:keep]
            at += keep


def _next_start(dirt: bytes) -> int:
    """Where in too long a line the next one may begin, its beginning perhaps cut off."""
    found = dirt.find(_START, 1)
    if found >= 0:
        return found
    for kept in range(len(_START) - 1, 0, -1):
        if dirt.endswith(_START[:kept]):
            return len(dirt) - kept
    return len(dirt)


def _beginnings(line: bytes) -> Iterator[int]:
    """Where in a bad line a good one may begin, the last place first."""
    at = len(line)
    for _ in range(BEGINNINGS_MAX):
        at = line.rfind(_START, 1, at)
        if at < 0:
            return
        yield at


def _picture(line: bytes) -> _Picture | Garbled:
    try:
        version = _VERSION.decode(line).v
        return _PICTURE.decode(line) if version == 1 else _dropped("unknown version", line)
    except msgspec.ValidationError:
        return _dropped("bad field", line)
    except _NONSENSE:
        return _dropped("no picture", line)


def _dropped(reason: str, dirt: bytes) -> Garbled:
    return Garbled(reason, dirt[:GARBLED_BYTES_MAX])


DRIVER = Driver(
    name="camera",
    title="Overhead camera, faces as JSON lines",
    decoder=Camera,
    senses=("face",),
    silent_after_ms=5000,
)
