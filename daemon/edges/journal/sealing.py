"""The seal: lines closed as they are written, which surveillance's private key alone opens.

    %! <a hand's key, closed to the public key>
    % <lines closed with that key>

Both are base64. A hand's key is made by the machine's own chance, held in memory, and forgotten
when the hand is over; what is `kept` of it for a restart is a file that should lie in memory too.
What is closed together is padded to a multiple of `PADDED_BYTES`, so that a line's length tells
little; the journal's name is bound to it, so that it opens in no other journal.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import structlog
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox
from nacl.secret import Aead
from nacl.utils import random

from daemon.sealkeys import KEY_BYTES, told

KEY, CLOSED = b"%! ", b"% "
PADDED_BYTES = 256
TOGETHER_BYTES_MAX = 32 << 10
KEPT_MAX = 16  # of one hand: one more with each restart in it

log = structlog.get_logger(part="journal")


class CannotOpen(Exception):  # noqa: N818 - it is what happened to a line
    """A closed line that does not open."""


class Seal:
    """Closes lines to `public`; `kept` is where the hand's keys lie for a restart, or None.

    `told` is what a header says of the key.
    """

    def __init__(self, public: bytes, kept: Path | None = None) -> None:
        self.told = told(public)
        self._box = SealedBox(PublicKey(public))
        self._kept = kept
        self._keys = {} if kept is None else kept_keys(kept)
        self._secret: Aead | None = None

    def renew(self, older: int) -> bytes:
        """Take a new key; the line that carries it. So many older ones are kept for a restart."""
        key = random(KEY_BYTES)
        self._secret = Aead(key)
        wrapped = b64encode(self._box.encrypt(key)).decode()
        names = list(self._keys)[-older:] if older else []
        self._keys = {name: self._keys[name] for name in names[-KEPT_MAX:]} | {wrapped: key}
        try:
            self._keep()
        except OSError as error:
            log.warning("seal's key not kept for a restart", reason=error.strerror)
        return KEY + wrapped.encode()

    def close(self, lines: Sequence[bytes], journal: str) -> Iterator[bytes]:
        """These lines, in as few closed ones as may be."""
        assert self._secret is not None
        while lines:
            size = count = 0
            while count < len(lines) and (not count or size < TOGETHER_BYTES_MAX):
                size += len(lines[count]) + 1
                count += 1
            words, lines = b"\n".join(lines[:count]), lines[count:]
            padded = words + b"\n" * (-len(words) % PADDED_BYTES)
            yield CLOSED + b64encode(self._secret.encrypt(padded, journal.encode()))

    def _keep(self) -> None:
        if self._kept is None:
            return
        fresh = self._kept.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(fresh, flags, 0o600)
        try:
            os.write(fd, msgspec.json.encode(self._keys))
        finally:
            os.close(fd)
        fresh.replace(self._kept)


def kept_in_memory() -> Path | None:
    """Where the unit's own memory is, which a restart finds again; None without such a unit."""
    memory = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(memory) / "seal-keys" if memory else None


def kept_keys(path: Path) -> dict[str, bytes]:
    """The keys kept for a restart, by what carries them in the journal; none where none are."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=dict[str, bytes])
    return {}


class Opener:
    """Opens closed lines in the order of their file: with the private key, or with kept ones."""

    def __init__(self, unwrap: Callable[[bytes], bytes]) -> None:
        self._unwrap = unwrap
        self._secret: Aead | None = None

    def key(self, words: bytes) -> None:
        """The line that carries the key of those that follow; raises CannotOpen."""
        self._secret = None
        self._secret = Aead(self._unwrap(words.removeprefix(KEY)))

    def lines(self, words: bytes, journal: str) -> list[bytes]:
        """What was closed in this line; raises CannotOpen."""
        if self._secret is None:
            raise CannotOpen
        try:
            closed = b64decode(words.removeprefix(CLOSED), validate=True)
            return self._secret.decrypt(closed, journal.encode()).rstrip(b"\n").split(b"\n")
        except (CryptoError, ValueError, TypeError):
            raise CannotOpen from None


def with_private(private: bytes) -> Callable[[bytes], bytes]:
    """How surveillance opens a key."""
    box = SealedBox(PrivateKey(private))

    def unwrap(wrapped: bytes) -> bytes:
        try:
            return box.decrypt(b64decode(wrapped, validate=True))
        except (CryptoError, ValueError, TypeError):
            raise CannotOpen from None

    return unwrap


def with_kept(keys: dict[str, bytes]) -> Callable[[bytes], bytes]:
    """How a restart opens the hand in progress."""

    def unwrap(wrapped: bytes) -> bytes:
        key = keys.get(wrapped.decode(errors="replace"))
        if key is None or len(key) != KEY_BYTES:
            raise CannotOpen
        return key

    return unwrap


def new_pair() -> tuple[bytes, bytes]:
    """A pair of keys: private, public."""
    private = PrivateKey.generate()
    return bytes(private), bytes(private.public_key)
