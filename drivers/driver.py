"""What a driver is: a row with a decoder (bytes in, readings out) and perhaps a talker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from drivers.readings import Reading

TAG_KINDS = ("iso14443a", "iso15693", "uhf", "lf")  # 13.56 MHz both, UHF EPC, 125 kHz


class Decoder(Protocol):
    """Bytes in, readings out. Bounded, never raises; bytes without sense become `Garbled`."""

    def feed(self, data: bytes) -> list[Reading]:
        """Take the next bytes of the line, in any cut; return what they say, oldest first."""
        ...


class Talker(Protocol):
    """The asking half of a driver: readings and time (monotonic ms) in, bytes to send out."""

    def start(self, now_ms: int) -> bytes:
        """The port is open: forget everything, return what to send first (may be empty)."""
        ...

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        """A reading came: return what to send because of it (may be empty)."""
        ...

    def wake(self, now_ms: int) -> bytes:
        """The time `next_ms` has come: return what to send (may be empty)."""
        ...

    @property
    def next_ms(self) -> int | None:
        """When `wake` wants to be called, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One row of the catalogue.

    `talker` is given the antennas to poll (an empty tuple where there are none). `senses` are the
    words of the dealing events' `sees` that such a device can lend a table. `silent_after_ms`: a
    healthy device has said something by then, one that is asked something that makes sense; None
    where silence is ordinary.

    `tags` are the kinds of tags that the device can read (`TAG_KINDS`), empty where it reads none.
    `presence` is how its polls are weighed unless the table says otherwise: a tag is there after
    the first number of the last second number of polls, gone after the third number of misses in a
    row. A device that tells tags one by one (`TagSeen`) has `polled` False; a tag that it has not
    told again for `held_ms` is gone, None where only the device's own word or another antenna's
    says so; of its `presence` the first number counts: the reports within that time that it takes.
    """

    name: str
    title: str
    decoder: Callable[[], Decoder]
    talker: Callable[[tuple[int, ...]], Talker] | None = None
    baud: int = 115200
    parity: str = "N"
    antennas_max: int = 0
    senses: tuple[str, ...] = ()
    silent_after_ms: int | None = None
    tags: tuple[str, ...] = ()
    presence: tuple[int, int, int] = (2, 3, 3)
    polled: bool = True
    held_ms: int | None = None
