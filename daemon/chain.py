"""The journal's chain: every line ends with a check on itself and on all lines before it.

    < 1200 felt 4101 ~u2Xf0a_Q

The head is the SHA-256 of the head before the line and of the line without its check; the check
shows 48 of its 256 bits, so that a line stays short, and headers show all of it. There is no key:
the chain tells damage, and tampering by whoever cannot write all lines that follow anew; a head
that was noted elsewhere tells that too.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from hashlib import sha256

BEGINNING = "00" * 32
HEAD = re.compile(r"[0-9a-f]{64}")
_SHOWN_BYTES = 6
_CHECK = re.compile(rb" ~([A-Za-z0-9_-]{8})$")


class Chain:
    """The chain behind `head`, in hex: of the lines so far, or `BEGINNING`.

    Raises ValueError where `head` is none.
    """

    def __init__(self, head: str = BEGINNING) -> None:
        if not HEAD.fullmatch(head):
            raise ValueError("is no head of a chain")
        self._head = bytes.fromhex(head)

    @property
    def head(self) -> str:
        """What all lines so far come to, in hex."""
        return self._head.hex()

    def link(self, line: bytes) -> bytes:
        """This line, without its end, as the next one: with its check."""
        return b"%b ~%b" % (line, self.check(line))

    def check(self, line: bytes) -> bytes:
        """The check of this line as the next one."""
        self._head = sha256(self._head + line).digest()
        return urlsafe_b64encode(self._head[:_SHOWN_BYTES])


def parted(line: bytes) -> tuple[bytes, bytes]:
    """A line without its check, and the check; b"" where the line has none."""
    found = _CHECK.search(line, max(0, len(line) - 10))
    return (line[: found.start()], found[1]) if found else (line, b"")
