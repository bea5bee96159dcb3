"""The device's side of the line protocols: greeting, heartbeat, numbering, resending, faults."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from drivers.framing import LineFramer, line
from drivers.lines import Greet, Ping, Resend, order
from drivers.readings import Garbled
from drivers.sequence import RING_EVENTS, SEQ_MODULUS, T_MODULUS, steps

BEAT_MS = 1000


class LineDevice:
    """Speaks for a shoe or a console; says nothing before it is woken, then HELO.

    `introduction` gives HELO's fields for a boot id. `seq` and `up_ms` let a device begin shortly
    before its numbers or its clock go round.
    """

    def __init__(self, introduction: Callable[[str], str], *, seq: int = 0, up_ms: int = 0) -> None:
        """Be switched on with the first `wake`."""
        self.state = "IDLE"
        self.count = 0
        self.drop_next = 0  # lines that will not reach the host
        self.corrupt_next = 0  # lines that will reach it with a byte changed
        self._introduction = introduction
        self._boot = 0x5F3A91C1
        self._framer = LineFramer()
        self._switch_on(seq, up_ms)

    def _switch_on(self, seq: int, up_ms: int) -> None:
        self._boot = (self._boot + 1) % (1 << 32)
        self._seq = seq
        self._up_ms = up_ms
        self._on_since_ms: int | None = None
        self._beat_ms = 0
        self._ring: deque[tuple[int, bytes]] = deque(maxlen=RING_EVENTS)
        self._unsaid: deque[tuple[str, str]] = deque()
        self.greet()

    def restart(self) -> None:
        """Lose power and begin anew: another boot id, numbers and time from 0, nothing kept."""
        self._switch_on(0, 0)

    def greet(self) -> None:
        """Introduce itself with the next `wake`."""
        self.say("HELO", self._introduction(f"{self._boot:08X}"))

    def say(self, kind: str, fields: str) -> None:
        """Say this event with the next `wake`."""
        self._unsaid.append((kind, fields))

    def hear(self, data: bytes, now_ms: int) -> bytes:
        """Take the host's bytes; return the answers."""
        out = self._speak(now_ms)
        for found in self._framer.feed(data):
            match None if isinstance(found, Garbled) else order(found):
                case Resend(first, last):
                    out += self._again(first, last)
                case Ping():
                    out += self._beat(now_ms)
                case Greet():
                    self.greet()
                case _:
                    self.say("NAK", "what")
        return out + self._speak(now_ms)

    def wake(self, now_ms: int) -> bytes:
        """Return what is said unasked: events, and a heartbeat each second."""
        out = self._speak(now_ms)
        if now_ms >= self._beat_ms:
            self._beat_ms = now_ms + BEAT_MS
            out += self._beat(now_ms)
        return out

    @property
    def next_ms(self) -> int | None:
        """When `wake` must be called next; 0 means at once."""
        return 0 if self._unsaid else self._beat_ms

    def _t_ms(self, now_ms: int) -> int:
        if self._on_since_ms is None:
            self._on_since_ms = now_ms
            self._beat_ms = now_ms + BEAT_MS
        return (now_ms - self._on_since_ms + self._up_ms) % T_MODULUS

    def _speak(self, now_ms: int) -> bytes:
        out = b""
        while self._unsaid:
            kind, fields = self._unsaid.popleft()
            said = line(f"{kind},{self._seq},{self._t_ms(now_ms)},{fields}".rstrip(","))
            self._ring.append((self._seq, said))
            self._seq = (self._seq + 1) % SEQ_MODULUS
            out += self._sent(said)
        return out

    def _beat(self, now_ms: int) -> bytes:
        last = (self._seq - 1) % SEQ_MODULUS
        return self._sent(line(f"HB,{last},{self._t_ms(now_ms)},{self.state},{self.count}"))

    def _again(self, first: int, last: int) -> bytes:
        return b"".join(
            self._sent(said)
            for seq, said in self._ring
            if steps(first, seq) >= 0 and steps(seq, last) >= 0
        )

    def _sent(self, said: bytes) -> bytes:
        if self.drop_next:
            self.drop_next -= 1
            return b""
        if self.corrupt_next:
            self.corrupt_next -= 1
            return said.replace(b",", b";", 1)
        return said


class OnLine:
    """A device whose talk is all its `line`'s."""

    line: LineDevice

    def hear(self, data: bytes, now_ms: int) -> bytes:
        """Take the host's bytes; return the answers."""
        return self.line.hear(data, now_ms)

    def wake(self, now_ms: int) -> bytes:
        """Return what is said unasked."""
        return self.line.wake(now_ms)

    @property
    def next_ms(self) -> int | None:
        """When `wake` must be called next; 0 means at once."""
        return self.line.next_ms
