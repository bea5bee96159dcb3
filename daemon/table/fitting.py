"""Whether a table can be fitted like this: antennas at places, polls, and the senses lent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from daemon.table.events import PlaceName
from daemon.table.places import OFF, plain, seat_of

POLLS_MAX = 32
POLLS = ("seen", "window", "misses")
LENIENT = (1, POLLS_MAX, 1)  # usual polls that no other number given contradicts
LENT_BY_PLACE = {"seat": "place", "board": "board", "burn": "burn", "muck": "muck",
                 "aside": "aside", "stub": "stub", "bet": "chips"}  # fmt: skip
ISO15693_DIGITS = 16
KINDS_BY_DIGITS = {8: "iso14443a", 10: "lf", 14: "iso14443a", 20: "iso14443a", 24: "uhf"}
_ANTENNA = re.compile(r"0*[1-9][0-9]{0,3}")
SPOT = re.compile(r"badge|bet:([1-9]|10)")  # antennas that read no cards: the dealer's, chips


def misplaced(
    antennas: Mapping[str, Any], antennas_max: int | None, seats: int
) -> Iterator[tuple[str, str]]:
    """Each mistake in a sensor's antennas as (antenna, what).

    They are numbered from 1; `antennas_max` None: of how many is not known.
    """
    first: dict[int, Any] = {}
    for key, place in antennas.items():
        if _ANTENNA.fullmatch(key) is None or int(key) > (antennas_max or int(key)):
            known = "numbered from 1" if antennas_max is None else f"1 to {antennas_max}"
            yield key, f"is not an antenna: they are {known}"
        elif int(key) in first:
            yield key, f"antenna {int(key)} is placed twice ({first[int(key)]}, {place})"
        else:
            first[int(key)] = place
        if not isinstance(place, str):
            continue  # told as a wrong type
        if not _is_place(place):
            known = "seat:1 to seat:10, board, burn, aside, muck, stub, bet:1 to bet:10, badge"
            yield key, f"is not at a place; known: {known}"
        elif _seat(place) > seats:
            yield key, f"{place} is beyond the table's {seats} seats"


def polls_mistake(presence: Mapping[str, Any], usual: Sequence[int]) -> str | None:
    """What is wrong with how often a tag must be seen or missed, None where nothing is.

    `usual` are the driver's own seen, window and misses, for what is not given.
    """
    polls: dict[str, Any] = {**dict(zip(POLLS, usual, strict=True)), **presence}
    if any(type(count) is not int for count in polls.values()):
        return None  # told as a wrong type
    enough = 1 <= polls["seen"] <= polls["window"] <= POLLS_MAX
    if enough and 1 <= polls["misses"] <= POLLS_MAX:
        return None
    return f"must have 1 <= seen <= window <= {POLLS_MAX} and 1 <= misses <= {POLLS_MAX}"


def lent(senses: Sequence[str], places: Mapping[int, str]) -> tuple[str, ...]:
    """The senses a device lends a table: with antennas, those of the places where they lie.

    Antennas that read no cards tell nothing of any card, nor which it is.
    """
    if not places:
        return tuple(senses)
    if all(map(is_spot, places.values())):
        senses = [sense for sense in senses if sense == LENT_BY_PLACE["bet"]]
    everywhere = [sense for sense in senses if sense not in LENT_BY_PLACE.values()]
    kinds = [plain(place).partition(":")[0] for place in places.values()]
    here = [sense for kind in kinds if (sense := LENT_BY_PLACE.get(kind, "")) in senses]
    return tuple(dict.fromkeys([*everywhere, *here]))


def unlent(senses: Sequence[str], antennas: Mapping[str, str]) -> Iterator[str]:
    """The antennas at whose places such a device lends nothing: it tells too few tags apart."""
    for antenna, place in antennas.items():
        sense = LENT_BY_PLACE.get(plain(place).partition(":")[0])
        if sense is not None and sense not in senses:
            yield antenna


def unreadable(uids: Iterable[str], tags: Sequence[str]) -> str | None:
    """What a deck's tags are that a device which reads these kinds cannot read, None where it can.

    An ISO15693 UID has eight bytes and begins with E0; ISO14443A has 4, 7 or 10. A PN532 or RC522
    does not read ISO15693 at all (libnfc 545, 419).
    """
    kinds = {kind_of(uid) for uid in uids} - {None}
    other = sorted(str(kind) for kind in kinds - set(tags))
    return " and ".join(other) or None


def kind_of(uid: str) -> str | None:
    """The kind of a tag by its UID in hex, None where the UID does not tell."""
    if len(uid) == ISO15693_DIGITS and uid.startswith("e0"):
        return "iso15693"
    return KINDS_BY_DIGITS.get(len(uid))


def is_spot(place: object) -> bool:
    """Whether this is where an antenna reads no cards."""
    return isinstance(place, str) and SPOT.fullmatch(place) is not None


def _seat(place: str) -> int:
    return seat_of(place) or int(place.removeprefix("bet:") if place.startswith("bet:") else 0)


def _is_place(place: object) -> bool:
    if is_spot(place):
        return True
    try:
        return msgspec.convert(place, PlaceName) != OFF and "/" not in str(place)
    except msgspec.ValidationError:
        return False
