"""Where a card can be: stub, seat 1 to 10, board, burn, aside, muck, off."""

from __future__ import annotations

SEATS_MAX = 10
STUB = "stub"
BOARD = "board"
BURN = "burn"
ASIDE = "aside"
MUCK = "muck"
OFF = "off"
SEAT = tuple(f"seat:{seat}" for seat in range(SEATS_MAX + 1))  # SEAT[3] == "seat:3"; SEAT[0] unused
_SEAT_OF = {SEAT[seat]: seat for seat in range(1, SEATS_MAX + 1)}


def seat_of(place: str) -> int | None:
    """The seat's number, or None where the place is no seat."""
    return _SEAT_OF.get(place)


def plain(place: str) -> str:
    """The place without its slot: `board:4` and `board:2/1` are the board."""
    return BOARD if place.startswith("board:") else place
