"""A Pepper C1's side of the line: eight antennas behind a multiplexer, and the ways it fails."""

from __future__ import annotations

from dataclasses import dataclass

from drivers import eccel
from drivers.eccel import ACK, ANTENNAS_MAX, COUNT, EVENT, FAILED, FIRST, NEXT
from drivers.eccel_frames import Framer, frame
from drivers.readings import Garbled
from drivers.simulated.replies import Replies

ANSWER_MS = 2
LOOK_MS = 15  # ours: a look for tags of all kinds; how long a real one takes is not confirmed
COUNT_MAX = 5  # manual 1356NFC 3.1.4
FIRMWARE = b"1.0.3"

# Types of tags, manual 1356NFC 3.1.5: MIFARE Classic 1k, MIFARE Ultralight and NTAG, ICODE SLIX.
TYPES = {4: 0x04, 7: 0x01, 8: 0x24}
ICODE_BYTES = 8
WRONG, TIMED_OUT = b"\x02\x04", b"\x02\x01"  # ours: no list of codes is confirmed


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    answers_lost: int = 0
    answers_corrupt: int = 0
    refused: int = 0
    slow_ms: int = 0  # how much later every answer comes
    junk: bytes = b""  # put on the line in front of every answer


class SimulatedEccel:
    """One reader; without `mux` it refuses to choose antennas and has the first one only.

    Of an antenna it tells at most five tags, the lowest UIDs, or all ISO15693 tags one by one; it
    says their UIDs last byte first. `hang` stops it until `restart`. As it comes from its maker it
    polls by itself and tells tags unasked until told not to.
    """

    def __init__(self, *, mux: bool = True, halts_without_tag: bool = True) -> None:
        self.faults = Faults()
        self.looks: list[int] = []  # the antennas on which tags were looked for
        self._mux = mux
        self._halts_without_tag = halts_without_tag
        self._framer = Framer()
        self._replies = Replies()
        self._tags: set[tuple[int, str]] = set()
        self._hung = False
        self._busy_ms = 0
        self._wake_up()

    def _wake_up(self) -> None:
        self._antenna = 1
        self._polls = True
        self._found: list[str] = []
        self._replies.clear()

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex, 4, 7 or 8 bytes) on an antenna, of 1 to 8."""
        assert 1 <= antenna <= ANTENNAS_MAX
        self._tags.add((antenna, uid))
        if self._polls and antenna == self._antenna:
            self._replies.add(0, frame(bytes((EVENT,)) + bytes.fromhex(uid)))

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag off an antenna."""
        self._tags.discard((antenna, uid))

    def hang(self) -> None:
        """Stop answering until it is restarted."""
        self._hung = True
        self._replies.clear()

    def restart(self) -> None:
        """Lose power and come back, on the first antenna and polling by itself."""
        self._hung = False
        self._wake_up()

    def hear(self, data: bytes, now_ms: int) -> bytes:
        for item in self._framer.feed(data):
            if not isinstance(item, Garbled) and not self._hung:
                self._answer(item[0], item[1:], now_ms)
        return self._replies.take(now_ms)

    def wake(self, now_ms: int) -> bytes:
        return self._replies.take(now_ms)

    @property
    def next_ms(self) -> int | None:
        return self._replies.next_ms

    def _answer(self, command: int, body: bytes, now_ms: int) -> None:
        said = self._done(command, body)
        if self.faults.refused > 0:
            self.faults.refused -= 1
            said = None
        failed = WRONG if command not in (FIRST, NEXT) else TIMED_OUT
        payload = bytes((FAILED, command)) + failed
        if said is not None:
            payload = bytes((ACK, command)) + said
        took_ms = LOOK_MS if command in (COUNT, FIRST) else ANSWER_MS
        # One command after the other: what is asked while it is busy waits.
        self._busy_ms = max(now_ms, self._busy_ms) + took_ms + self.faults.slow_ms
        if self.faults.answers_lost > 0:
            self.faults.answers_lost -= 1
            return
        whole = bytearray(frame(payload))
        if self.faults.answers_corrupt > 0:
            self.faults.answers_corrupt -= 1
            whole[-1] ^= 0x10
        self._replies.add(self._busy_ms, self.faults.junk + bytes(whole))

    def _done(self, command: int, body: bytes) -> bytes | None:
        """What the answer carries, None where the command fails."""
        argument = body[0] if body else 0
        match command:
            case eccel.POLLING:
                self._polls = bool(argument)
                return b""
            case eccel.VERSION:
                return FIRMWARE
            case eccel.ANTENNA if self._mux and 1 <= argument <= ANTENNAS_MAX:
                self._antenna = argument
                return b""
            case eccel.COUNT:
                self._found = self._look()[:COUNT_MAX]
                return bytes((len(self._found),))
            case eccel.UID if argument < len(self._found):
                return self._told(self._found[argument])
            case eccel.FIRST:
                self._found = [uid for uid in self._look() if len(uid) == 2 * ICODE_BYTES]
                return self._next()
            case eccel.NEXT:
                return self._next()
            case eccel.HALT:
                return b"" if self._found or self._halts_without_tag else None
            case _:
                return None

    def _look(self) -> list[str]:
        self.looks.append(self._antenna)
        return sorted(uid for antenna, uid in self._tags if antenna == self._antenna)

    def _next(self) -> bytes | None:
        if not self._found:
            return None
        uid = self._found.pop(0)
        return bytes.fromhex(uid)[::-1] + bytes((0, bool(self._found)))

    def _told(self, uid: str) -> bytes:
        number = bytes.fromhex(uid)
        kind = TYPES[len(number)]
        return bytes((kind, 0)) + (number[::-1] if len(number) == ICODE_BYTES else number)
