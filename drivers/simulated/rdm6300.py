"""A 125 kHz badge reader: tells the badge that lies on it over and over, and ghosts."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from drivers.rdm6300 import frame

REPEAT_MS = 100  # ours: how often a real one repeats is not confirmed


@dataclass(slots=True)
class Faults:
    """What goes wrong next: each number is counted down as it happens."""

    frames_lost: int = 0
    frames_corrupt: int = 0
    ends_lost: int = 0  # frames told without their last byte
    junk: bytes = b""  # put on the line in front of every frame


class SimulatedRdm6300:
    """One reader and one badge; `spaced` as an ID-12/20, which puts CR LF before the end."""

    def __init__(self, *, spaced: bool = False) -> None:
        self.faults = Faults()
        self._spaced = spaced
        self._badge: str | None = None
        self._ghosts: deque[str] = deque()
        self._tell_ms = 0

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a badge (ten hex digits) on the reader, in place of any other."""
        assert antenna == 1
        self._badge, self._tell_ms = uid, 0

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take the badge off the reader."""
        assert (antenna, uid) == (1, self._badge)
        self._badge = None

    def ghost(self, uid: str) -> None:
        """Tell a badge once that is not there: noise whose XOR is right."""
        self._ghosts.append(uid)

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002 - it is deaf
        return b""

    def wake(self, now_ms: int) -> bytes:
        out = b""
        while self._ghosts:
            out += self._sent(self._ghosts.popleft())
        if self._badge is not None and now_ms >= self._tell_ms:
            self._tell_ms = now_ms + REPEAT_MS
            out += self._sent(self._badge)
        return out

    @property
    def next_ms(self) -> int | None:
        if self._ghosts:
            return 0
        return None if self._badge is None else self._tell_ms

    def _sent(self, uid: str) -> bytes:
        faults, said = self.faults, frame(uid, spaced=self._spaced)
        if faults.frames_lost:
            faults.frames_lost -= 1
            return b""
        if faults.frames_corrupt:
            faults.frames_corrupt -= 1
            said = said[:11] + bytes((said[11] ^ 0x01,)) + said[12:]
        if faults.ends_lost:
            faults.ends_lost -= 1
            said = said[:-1]
        return faults.junk + said
