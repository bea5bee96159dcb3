"""What a course takes note of beside its plan: acts out of turn, and faces seen."""

from __future__ import annotations

from msgspec import Struct


class Behind(Struct, frozen=True):
    """Acts made out of turn behind a seat that is due, and how many of them put chips in.

    `since_ms` is when the first of them was, `faces_bet` that the seat could not check when it was
    passed over, `lost` that its right to act is gone.
    """

    seat: int
    numbers: tuple[int, ...]
    chips: int
    since_ms: int
    faces_bet: bool = False
    lost: bool = False


class Flash(Struct, frozen=True):
    """A hole card whose face may have been seen, when, and by which event."""

    card: str
    at_ms: int
    number: int
