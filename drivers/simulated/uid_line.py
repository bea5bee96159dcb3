"""A small reader that prints each tag's UID as a line of text when it comes."""

from __future__ import annotations

from collections import deque


class SimulatedUidLine:
    """One reader; `between` stands between a UID's bytes, `end` behind it.

    With `reversed_` an eight-byte UID is printed last byte first.
    """

    def __init__(self, *, between: str = " ", end: str = "\n", reversed_: bool = False) -> None:
        self.lines_cut = 0  # lines that will lose their first two digits
        self._between = between
        self._end = end
        self._reversed = reversed_
        self._tags: set[str] = set()
        self._unsaid: deque[str] = deque()

    def lay(self, uid: str, antenna: int = 1) -> None:
        """Put a tag (lower-case hex, 4, 7, 8 or 10 bytes) on the reader."""
        assert antenna == 1
        self._tags.add(uid)
        self._unsaid.append(uid)

    def lift(self, uid: str, antenna: int = 1) -> None:
        """Take a tag off the reader: nothing is said of it."""
        assert antenna == 1
        self._tags.remove(uid)

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002 - it is deaf
        return b""

    def wake(self, now_ms: int) -> bytes:  # noqa: ARG002 - it speaks at once or not at all
        out = b""
        while self._unsaid:
            out += self._line(self._unsaid.popleft())
        return out

    @property
    def next_ms(self) -> int | None:
        return 0 if self._unsaid else None

    def _line(self, uid: str) -> bytes:
        number = bytes.fromhex(uid)
        if self._reversed:
            number = number[::-1]
        text = self._between.join(f"{byte:02X}" for byte in number)
        if self.lines_cut:
            self.lines_cut -= 1
            text = text[2:]
        return (text + self._end).encode("ascii")
