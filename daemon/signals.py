"""What can come in from the world, stamped once: bytes, a port lost or back, an order, a tick.

`at_ms` is monotonic milliseconds since the journal's opening, never falling.
"""

from __future__ import annotations

from msgspec import Struct

from daemon.orders import Command


class Chunk(Struct, frozen=True):
    """Bytes from the port of the sensor named `port`."""

    at_ms: int
    port: str
    data: bytes


class PortLost(Struct, frozen=True):
    """The sensor's port is gone."""

    at_ms: int
    port: str


class PortBack(Struct, frozen=True):
    """The sensor's port is open (again); whatever was half read before is worthless."""

    at_ms: int
    port: str


class Order(Struct, frozen=True):
    """A person's command; `via` is the name by which the broker knows who sent it, or empty."""

    at_ms: int
    command: Command
    via: str = ""


class Tick(Struct, frozen=True):
    """Time has passed."""

    at_ms: int


Signal = Chunk | PortLost | PortBack | Order | Tick
