"""Whether a table can be fitted like this: antennas at places, polls, and the senses lent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from daemon.table.events import PlaceName
from daemon.table.places import OFF, plain, seat_of

POLLS_MAX = 32
POLLS = {"seen": 2, "window": 3, "misses": 3}
LENT_BY_PLACE = {"seat": "place", "board": "board", "burn": "burn", "muck": "muck",
                 "aside": "aside", "stub": "stub"}  # fmt: skip


def misplaced(
    antennas: Mapping[str, Any], driver: str, antennas_max: int, seats: int
) -> Iterator[tuple[str, str]]:
    """Each mistake in a sensor's antennas as (antenna, what); antennas are numbered from 1."""
    first: dict[int, Any] = {}
    for key, place in antennas.items():
        if not key.isascii() or not key.isdigit() or not 1 <= int(key) <= antennas_max:
            yield key, f"is not an antenna of {driver}: 1 to {antennas_max}"
        elif int(key) in first:
            yield key, f"antenna {int(key)} is placed twice ({first[int(key)]}, {place})"
        else:
            first[int(key)] = place
        if not _is_place(place):
            yield key, "is not at a place; known: seat:1 to seat:10, board, burn, aside, muck, stub"
        elif (seat_of(place) or 0) > seats:
            yield key, f"{place} is beyond the table's {seats} seats"


def polls_mistake(presence: Mapping[str, Any]) -> str | None:
    """What is wrong with how often a tag must be seen or missed, None where nothing is."""
    polls = {**POLLS, **presence}
    if any(type(count) is not int for count in polls.values()):
        return None  # told as a wrong type
    enough = 1 <= polls["seen"] <= polls["window"] <= POLLS_MAX
    if enough and 1 <= polls["misses"] <= POLLS_MAX:
        return None
    return f"must have 1 <= seen <= window <= {POLLS_MAX} and 1 <= misses <= {POLLS_MAX}"


def lent(senses: Sequence[str], places: Mapping[int, str]) -> tuple[str, ...]:
    """The senses a device lends a table: with antennas, those of the places where they lie."""
    if not places:
        return tuple(senses)
    everywhere = [sense for sense in senses if sense not in LENT_BY_PLACE.values()]
    here = [LENT_BY_PLACE[plain(place).partition(":")[0]] for place in places.values()]
    return tuple(dict.fromkeys([*everywhere, *here]))


def _is_place(place: object) -> bool:
    try:
        return msgspec.convert(place, PlaceName) != OFF and "/" not in str(place)
    except msgspec.ValidationError:
        return False
