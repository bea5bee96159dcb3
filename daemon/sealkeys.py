"""The files of a seal's keys: surveillance's pair, the public half of which a table is given.

floorcall-seal-public 5kR1…=
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Literal

KEY_BYTES = 32
TEXT_BYTES_MAX = 1024

Half = Literal["public", "private"]
_WORD = "floorcall-seal-"


class KeyMistake(ValueError):  # noqa: N818 - it is the house's, not the program's
    """A text that is not the key asked for; says what it is and never what it says."""


def written(half: Half, key: bytes) -> str:
    """The text of a key."""
    return f"{_WORD}{half} {b64encode(key).decode()}\n"


def read(half: Half, text: bytes) -> bytes:
    """The key in this text; raises KeyMistake."""
    word, _, rest = text.strip().partition(b" ")
    other: Half = "private" if half == "public" else "public"
    if word == f"{_WORD}{other}".encode():
        raise KeyMistake(f"is the {other} half of the pair: the {half} one belongs here")
    try:
        key = b64decode(rest, validate=True)
    except binascii.Error:
        key = b""
    if word != f"{_WORD}{half}".encode() or len(key) != KEY_BYTES:
        raise KeyMistake(f"is no {half} key of a seal: floorcall journal key makes a pair")
    return key


def public_in(path: Path) -> bytes | str:
    """The public key in this file, or what is wrong with it."""
    try:
        with path.open("rb") as file:
            return read("public", file.read(TEXT_BYTES_MAX))
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except KeyMistake as mistake:
        return str(mistake)


def told(public: bytes) -> str:
    """What tells one pair from another and may be shown: 16 hex digits."""
    return hashlib.sha256(public).hexdigest()[:16]
