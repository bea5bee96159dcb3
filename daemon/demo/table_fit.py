"""How a demo table is fitted: a shoe, a reader at each seat, one for the felt, a console, decks.

Every card carries an ISO 14443A tag with a UID of seven bytes (as an NTAG has): the one kind that
both a PN532 and a Feig reader with an ISO 14443A field read, so that a card keeps its tag wherever
it lies. The red deck is in play; a second deck, the blue one, is enrolled too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from daemon.table.cards import DECK
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, SEAT, SEATS_MAX, STUB
from drivers.simulated.csl1 import Shoe
from drivers.simulated.device import Device
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.keypad import Keypad
from drivers.simulated.pn532 import SimulatedPn532

SHOE, CONSOLE, FELT = "shoe", "console", "felt"
FELT_PLACES: Mapping[int, str] = {1: BOARD, 2: BURN, 3: ASIDE, 4: STUB, 5: MUCK}
RED, BLUE = "red", "blue"
SITE = "demo"
_MAKER = "04"  # NXP, the first byte of an NTAG's UID (ISO/IEC 7816-6)
_RANDOM_BYTES = 6

Reader = SimulatedPn532 | SimulatedFeig


@dataclass(slots=True)
class Devices:
    """The simulated devices of one table; `seats` has a reader for each of its seats."""

    seat_count: int = SEATS_MAX
    shoe: Shoe = field(default_factory=Shoe)
    console: Keypad = field(default_factory=Keypad)
    felt: SimulatedFeig = field(default_factory=SimulatedFeig)
    seats: dict[int, SimulatedPn532] = field(init=False)

    def __post_init__(self) -> None:
        self.seats = {seat: SimulatedPn532() for seat in range(1, self.seat_count + 1)}

    def named(self) -> dict[str, Device]:
        """Every device under its sensor's name."""
        seats: dict[str, Device] = {seat_sensor(seat): one for seat, one in self.seats.items()}
        return {SHOE: self.shoe, CONSOLE: self.console, FELT: self.felt, **seats}

    def antennas(self) -> dict[str, tuple[Reader, int]]:
        """The reader and its antenna at each place."""
        felt: dict[str, tuple[Reader, int]] = {
            place: (self.felt, antenna) for antenna, place in FELT_PLACES.items()
        }
        return felt | {SEAT[seat]: (reader, 1) for seat, reader in self.seats.items()}


def seat_sensor(seat: int) -> str:
    """The name of the reader at a seat."""
    return f"seat-{seat}"


def decks(rng: random.Random) -> dict[str, dict[str, str]]:
    """The two decks, each as UID → card; no UID is in both."""
    uids = list(_uids(rng, 2 * len(DECK)))
    return {
        RED: dict(zip(uids[: len(DECK)], DECK, strict=True)),
        BLUE: dict(zip(uids[len(DECK) :], DECK, strict=True)),
    }


def _uids(rng: random.Random, count: int) -> Iterator[str]:
    taken: dict[str, None] = {}
    while len(taken) < count:
        taken[_MAKER + rng.randbytes(_RANDOM_BYTES).hex()] = None
    yield from taken


def configuration(
    table: str,
    broker_url: str,
    ports: Mapping[str, str],
    decks: Mapping[str, Mapping[str, str]],
    *,
    events: bool = False,
) -> str:
    """The table's configuration file (TOML); `ports` is sensor → port for all `Devices.named`.

    `events` that the table tells its dealing events, too.
    """
    seats = [name for name in ports if name.startswith("seat-")]
    lines = [
        f"site = {_quoted(SITE)}",
        f"table = {_quoted(table)}",
        f"seat_count = {len(seats)}",
        'rulebook = "robert-classic"',
        'languages = ["en", "it"]',
        f"broker = {{ urls = [{_quoted(broker_url)}], events = {str(events).lower()} }}",
        'betting = { level = "acts", source = "independent" }',
        'journal = { folder = "journal" }',
        *_sensor(SHOE, "csl1", ports, {}),
        *_sensor(CONSOLE, "keypad", ports, {}),
        *_sensor(FELT, "feig", ports, FELT_PLACES),
    ]
    for name in seats:
        lines += _sensor(name, "pn532", ports, {1: f"seat:{name.removeprefix('seat-')}"})
    for deck, tags in decks.items():
        lines += [f"[decks.{deck}]", *(f"{uid} = {_quoted(card)}" for uid, card in tags.items())]
    return "\n".join(lines) + "\n"


def write_configuration(path: Path, text: str) -> None:
    """Write a configuration for its owner's eyes alone: it names tags."""
    path.touch(mode=0o600)
    path.write_text(text)


def _sensor(
    name: str, driver: str, ports: Mapping[str, str], places: Mapping[int, str]
) -> Iterator[str]:
    yield "[[sensors]]"
    yield f"name = {_quoted(name)}"
    yield f"driver = {_quoted(driver)}"
    yield f"port = {_quoted(ports[name])}"
    if places:
        antennas = ", ".join(f"{_quoted(str(n))} = {_quoted(place)}" for n, place in places.items())
        yield f"antennas = {{ {antennas} }}"


def _quoted(word: str) -> str:
    """A TOML basic string; JSON's escapes are among TOML's."""
    return json.dumps(word)
