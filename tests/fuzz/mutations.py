"""Ways to spoil good frames, by seed: what lines do, and what would hurt a decoder most."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from drivers.simulated.noise import HOLE_BYTES, WrongBaud

Mutation = Callable[[bytes, bytes, Random], bytes]

# Starts, ends, escapes and lengths of the protocols, and the ends of the range.
TELLING = b'\x00\xff\x01\x02\x03\x7f\x80\x7e\x55\xaa\xb0\xd4\xd5\xf5\x94$*\r\n,0A{}"\\'
BAUDS = (9600, 19200, 38400, 57600, 115200)
LONG = 600


def _at(said: bytes, rng: Random) -> int:
    return rng.randrange(len(said) + 1)


def _put(said: bytes, at: int, new: bytes, over: int = 0) -> bytes:
    return said[:at] + new + said[at + over :]


def flip(said: bytes, _other: bytes, rng: Random) -> bytes:
    at = _at(said, rng)
    return _put(said, at, bytes(byte ^ 1 << rng.randrange(8) for byte in said[at : at + 1]), 1)


def tell(said: bytes, _other: bytes, rng: Random) -> bytes:
    """A byte that means something where it does not belong; a length made the longest."""
    return _put(said, _at(said, rng), bytes((rng.choice(TELLING),)), rng.randrange(2))


def lose(said: bytes, _other: bytes, rng: Random) -> bytes:
    return _put(said, _at(said, rng), b"", rng.choice((1, 1, 2, HOLE_BYTES, HOLE_BYTES, 40)))


def insert(said: bytes, _other: bytes, rng: Random) -> bytes:
    return _put(said, _at(said, rng), rng.randbytes(rng.choice((1, 2, 8, 40))))


def stammer(said: bytes, _other: bytes, rng: Random) -> bytes:
    """A part of it twice, or many times."""
    at, end = sorted((_at(said, rng), _at(said, rng)))
    return _put(said, at, said[at:end] * rng.choice((1, 1, 2, 9)))


def splice(said: bytes, other: bytes, rng: Random) -> bytes:
    """The first half of one and the second of another, as through a replug."""
    return said[: _at(said, rng)] + other[_at(other, rng) :]


def embed(said: bytes, other: bytes, rng: Random) -> bytes:
    return _put(said, _at(said, rng), other)


def mistime(said: bytes, _other: bytes, rng: Random) -> bytes:
    return WrongBaud(rng.choice(BAUDS), rng.choice(BAUDS))(said)


def drown(_said: bytes, _other: bytes, rng: Random) -> bytes:
    kinds = (rng.randbytes(LONG), bytes(LONG), b"\xff" * LONG, bytes((rng.choice(TELLING),)) * LONG)
    return rng.choice(kinds)


def leave(said: bytes, _other: bytes, _rng: Random) -> bytes:
    return said


MUTATIONS: tuple[Mutation, ...] = (
    flip, flip, tell, tell, lose, lose, insert, stammer, splice, embed, mistime, drown, leave,
)  # fmt: skip


def spoilt(good: tuple[bytes, ...], rng: Random) -> list[bytes]:
    """A few chunks of frames, most of them spoilt, some several times."""
    chunks = []
    for _ in range(rng.randint(1, 6)):
        said = rng.choice(good)
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            said = rng.choice(MUTATIONS)(said, rng.choice(good), rng)
        chunks.append(said[: 8 * LONG])
    return chunks
