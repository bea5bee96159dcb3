"""A Feig OBID i-scan reader's side of the line: antennas with tags, MORE, and the ways it fails."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.feig import ANTENNAS_MAX, INVENTORY, MODE_ANTENNAS, MODE_MORE
from drivers.feig_frames import ANY_READER, STANDARD_BYTES_MAX, Framed, Framer, frame
from drivers.feig_records import (
    DOUBLE,
    ISO14443A,
    ISO15693,
    ISO15693_UID_BYTES,
    SINGLE,
    TRIPLE,
)
from drivers.feig_words import ABOUT, CPU_RESET, ISO, MORE_DATA, NO_TAG, OK, RF_RESET, SOFTWARE
from drivers.simulated.replies import Replies

BAUD_DETECTION = 0x52
UNKNOWN_COMMAND, PARAMETER_RANGE = 0x80, 0x11

ANSWER_MS = 5  # the least the manual promises (H60301 p.117)
FIELD_OFF_MS = 15  # H60301 p.53
TAG_MS = 1  # ours: a real reader needs some 5 ms a tag

# Answers that are always the same: software version (3.10, an LR1002's type), reader info.
ANSWERS = {
    BAUD_DETECTION: b"",
    SOFTWARE: bytes.fromhex("030a0000290008"),
    ABOUT: bytes.fromhex("030a000029000802000200"),
}


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    answers_lost: int = 0
    answers_corrupt: int = 0
    junk: bytes = b""  # put on the line in front of every answer
    status: int = OK  # other than OK: what every inventory is answered with


class SimulatedFeig:
    """One reader; tags it has told are mute until the RF reset or until they leave the antenna.

    A poll of more than `sets_max` tags is told in several answers, status 94 in all but the last.
    `hang` stops it until its CPU is reset.
    """

    def __init__(self, address: int = 0, sets_max: int = 10) -> None:
        self.faults = Faults()
        self.polls = 0
        self._address = address
        self._sets_max = sets_max
        self._framer = Framer()
        self._tags: set[tuple[int, str]] = set()
        self._mute: set[tuple[int, str]] = set()
        self._rest: list[bytes] = []  # data sets found and not yet told
        self._hung = False
        self._replies = Replies()

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex, 4, 7, 8 or 10 bytes) on an antenna, of 1 to 8."""
        assert 1 <= antenna <= ANTENNAS_MAX
        self._tags.add((antenna, uid))

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag off an antenna."""
        self._tags.discard((antenna, uid))
        self._mute.discard((antenna, uid))

    def hang(self) -> None:
        """Stop answering until the CPU is reset."""
        self._hung = True
        self._replies.clear()

    def hear(self, data: bytes, now_ms: int) -> bytes:
        for item in self._framer.feed(data):
            if isinstance(item, Framed) and item.address in (ANY_READER, self._address):
                self._obey(item, now_ms)
        return self._replies.take(now_ms)

    def wake(self, now_ms: int) -> bytes:
        return self._replies.take(now_ms)

    @property
    def next_ms(self) -> int | None:
        return self._replies.next_ms

    def _obey(self, asked: Framed, now_ms: int) -> None:
        if asked.control == CPU_RESET:
            self._hung = False
        if self._hung:
            return
        if asked.control in (CPU_RESET, RF_RESET):
            self._mute.clear()
            self._rest.clear()
            self._answer(asked, bytes((OK,)), now_ms + ANSWER_MS + FIELD_OFF_MS)
        elif asked.control == ISO and asked.rest[:1] == bytes((INVENTORY,)):
            self._inventory(asked, now_ms)
        elif asked.control in ANSWERS:
            self._answer(asked, bytes((OK,)) + ANSWERS[asked.control], now_ms + ANSWER_MS)
        else:
            self._answer(asked, bytes((UNKNOWN_COMMAND,)), now_ms + ANSWER_MS)

    def _inventory(self, asked: Framed, now_ms: int) -> None:
        mode, chosen = (asked.rest[1:] + b"\x00\x00")[:2]
        if self.faults.status != OK or (mode & MODE_ANTENNAS and not chosen):
            status = self.faults.status or PARAMETER_RANGE
            self._answer(asked, bytes((status,)), now_ms + ANSWER_MS)
            return
        if not mode & MODE_MORE:
            self.polls += 1
            self._rest = self._found(chosen if mode & MODE_ANTENNAS else None)
        told, self._rest = self._rest[: self._sets_max], self._rest[self._sets_max :]
        status = MORE_DATA if self._rest else OK if told else NO_TAG
        body = bytes((status,))
        if told:
            body += bytes((len(told),)) + b"".join(told)
        self._answer(asked, body, now_ms + ANSWER_MS + TAG_MS * len(told))

    def _found(self, chosen: int | None) -> list[bytes]:
        """Data sets of all tags that are not mute; with `chosen` antennas, those name theirs."""
        read = {
            (antenna, uid)
            for antenna, uid in self._tags - self._mute
            if chosen is None or chosen >> antenna - 1 & 1
        }
        self._mute |= read
        found = []
        for uid in sorted({uid for _, uid in read}):
            antennas = sorted(antenna for antenna, one in read if one == uid)
            found.append(_plain(uid) if chosen is None else _with_antennas(uid, antennas))
        return found

    def _answer(self, asked: Framed, rest: bytes, at_ms: int) -> None:
        if self.faults.answers_lost > 0:
            self.faults.answers_lost -= 1
            return
        advanced = asked.advanced or len(rest) + 5 > STANDARD_BYTES_MAX
        said = bytearray(frame(Framed(self._address, asked.control, rest, advanced)))
        if self.faults.answers_corrupt > 0:
            self.faults.answers_corrupt -= 1
            said[-3] ^= 0x10
        self._replies.add(at_ms, self.faults.junk + bytes(said))


def _plain(uid: str) -> bytes:
    number = bytes.fromhex(uid)
    if len(number) == ISO15693_UID_BYTES:
        return bytes((ISO15693, 0)) + number
    size = 0x04 if len(number) == TRIPLE else 0x00
    option = int(len(number) > SINGLE)
    return bytes((ISO14443A, size, option)) + number.ljust(DOUBLE, b"\x00")[::-1]


def _with_antennas(uid: str, antennas: list[int]) -> bytes:
    plain = _plain(uid)
    if plain[0] == ISO15693:
        plain = plain[:2] + bytes((len(plain) - 2,)) + plain[2:]
    listed = b"".join(bytes((antenna, OK, 0xFF, 0, 0, 0, 0)) for antenna in antennas)
    return b"\x11" + plain + bytes((len(antennas),)) + listed
