"""What lines do to bytes on their way, made to measure: losses, holes, a wrong speed.

Each is begun anew with a line and then called with all that is said, in any cut; what it returns is
what arrives. The same bytes always arrive the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

Noise = Callable[[bytes], bytes]

HOLE_BYTES = 8  # what a UART without flow control drops at once: half of its FIFO

BITS = 10  # of a byte on the line: start, eight from the lowest on, stop
IDLE, START = 1, 0


class Losing:
    """One byte in `every` is lost, from byte `first` on (counted from 0)."""

    def __init__(self, every: int, first: int = 0) -> None:
        self._every = every
        self._at = -first

    def __call__(self, said: bytes) -> bytes:
        at, self._at = self._at, self._at + len(said)
        return bytes(byte for n, byte in enumerate(said, at) if n < 0 or n % self._every)


class Holed:
    """After every `every` bytes that arrive, the next `HOLE_BYTES` do not."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._at = 0

    def __call__(self, said: bytes) -> bytes:
        at, self._at = self._at, self._at + len(said)
        around = self._every + HOLE_BYTES
        return bytes(byte for n, byte in enumerate(said, at) if n % around < self._every)


class Chancy:
    """Each byte is lost with one chance in `every`; `chance` gives numbers from 0 up to 1."""

    def __init__(self, every: int, chance: Callable[[], float]) -> None:
        self._every = every
        self._chance = chance

    def __call__(self, said: bytes) -> bytes:
        return bytes(byte for byte in said if self._chance() * self._every >= 1)


class CutShort:
    """What is said first ends after `kept` bytes, as by a reset in the middle of it."""

    def __init__(self, kept: int) -> None:
        self._kept: int | None = kept

    def __call__(self, said: bytes) -> bytes:
        kept, self._kept = self._kept, None
        return said[:kept]


def nothing(_said: bytes) -> bytes:
    """None of it arrives: the far end is stuck, and the line stays open."""
    return b""


class WrongBaud:
    """Said at one speed, heard at another, as a UART hears it; both in bauds.

    The line is idle in front of what is said at once and behind it. A UART waits for a falling
    edge, looks again in the middle of the start bit, takes each bit in its middle, and goes on from
    the middle of the stop bit. A byte whose stop bit is low is handed over as it was heard: a port
    that does not ask for its frame errors is not told of them.
    """

    def __init__(self, said_baud: int, heard_baud: int) -> None:
        self._said_baud = said_baud
        self._heard_baud = heard_baud

    def __call__(self, said: bytes) -> bytes:
        return bytes(_heard(tuple(_bits(said)), self._said_baud, self._heard_baud))


def _bits(said: bytes) -> Iterator[int]:
    for byte in said:
        yield START
        yield from (byte >> place & 1 for place in range(8))
        yield IDLE


def _heard(bits: tuple[int, ...], said_baud: int, heard_baud: int) -> Iterator[int]:
    """Times are whole numbers: a said bit lasts 2 * heard_baud, half a heard one said_baud."""
    bit_time, half = 2 * heard_baud, said_baud

    def level(at: int) -> int:
        bit = at // bit_time
        return bits[bit] if bit < len(bits) else IDLE

    def falls(since: int) -> int | None:
        """When the line falls next, None where it stays idle."""
        for bit in range(-(-since // bit_time), len(bits)):
            if bits[bit] == START and (bit == 0 or bits[bit - 1] == IDLE):
                return bit * bit_time
        return None

    at = falls(0)
    while at is not None:
        if level(at + half) != START:  # too short to be a start bit
            at = falls(at + half)
            continue
        yield sum(level(at + (3 + 2 * place) * half) << place for place in range(8))
        at = falls(at + (2 * BITS - 1) * half)
