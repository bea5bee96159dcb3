"""Serial ports as an async source on the loop: bytes in, bytes out, hang-up noticed, reopened."""

from __future__ import annotations

from drivers.port.port import Ear, Pauses, Port

__all__ = ["Ear", "Pauses", "Port"]
