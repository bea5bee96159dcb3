"""What is wrong with the `[[sensors]]` of a configuration, one by one and beside each other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.rules.mistakes import masked, unknown
from daemon.rules.mistakes import name as printable
from daemon.shaped import Mistakes
from daemon.table.decks import Deck
from daemon.table.fitting import LENIENT, is_spot, misplaced, polls_mistake, unreadable
from daemon.table.places import SEATS_MAX
from drivers.driver import Driver
from drivers.port.addresses import mistake

Fits = Sequence[tuple[int, Mapping[str, Any]]]  # each with its number in the file

_SENSOR = re.compile(r"sensors\[(\d+)\]")


def named(path: str, sensors: object) -> str:
    """The path of a mistake, and the name of the sensor that it is about: `sensors[2].port (felt)`.

    `sensors` is what the file has under that key; a sensor without a name goes by its number.
    """
    match = _SENSOR.match(path)
    fit = dict(_fits(sensors)).get(int(match[1])) if match else None
    return path if fit is None else titled(path, fit.get("name"))


def titled(path: str, name: object) -> str:
    """The same where the name is known."""
    return f"{path} ({printable(name)})" if isinstance(name, str) and name else path


def from_file(deck: object) -> str:
    """How a mistake of a deck begins: with its file, where it has one (`deck` as written)."""
    return f"{masked(deck)}: " if isinstance(deck, str) else ""


def misfits(
    written: Mapping[str, Any], drivers: Mapping[str, Driver], decks: Mapping[str, Deck] | None
) -> Mistakes:
    """Each mistake in the sensors that a configuration has; `decks` None: none is enrolled yet.

    Where the driver is not known all is looked at that does not hang on it.
    """
    listed = written.get("sensors")
    fits = _fits(listed)
    seats = written.get("seat_count")
    seats_max = seats if isinstance(seats, int) else SEATS_MAX
    for path, what, other in _twice(fits):
        yield path, f"{what} {named(other, listed)} too"
    for number, fit in fits:
        path, wanted = f"sensors[{number}]", fit.get("driver")
        if isinstance(port := fit.get("port"), str) and (why := mistake(port)):
            yield f"{path}.port", why
        driver = drivers.get(wanted) if isinstance(wanted, str) else None
        if driver is None and isinstance(wanted, str):
            what = f"{unknown(wanted, 'a driver', drivers)}; known: {', '.join(sorted(drivers))}"
            yield f"{path}.driver", what
        yield from _antennas_checked(f"{path}.antennas", fit.get("antennas", {}), driver, seats_max)
        yield from _presence_checked(f"{path}.presence", fit.get("presence", {}), driver)
        if driver is not None and decks is not None and _reads_cards(fit, driver):
            if not written.get("decks"):
                yield path, "reads tags, but [decks] names no deck"
            for deck, own in decks.items():
                if kinds := unreadable(own.tags, driver.tags):
                    tags = f"{from_file(written['decks'][deck])}its tags are {kinds}"
                    reads = f"a {driver.name}, reads {' and '.join(driver.tags)}"
                    yield f"decks.{printable(deck)}", f"{tags}; {named(path, listed)}, {reads}"


def _fits(sensors: object) -> Fits:
    listed = sensors if isinstance(sensors, list) else []
    return [(number, fit) for number, fit in enumerate(listed) if isinstance(fit, dict)]


def _reads_cards(fit: Mapping[str, Any], driver: Driver) -> bool:
    antennas = fit.get("antennas")
    only_spots = isinstance(antennas, dict) and antennas and all(map(is_spot, antennas.values()))
    return bool(driver.antennas_max) and not only_spots


def _twice(fits: Fits) -> Iterator[tuple[str, str, str]]:
    """Two sensors of one name, or on one port under whichever of its names: where, what, whose."""
    names: dict[object, int] = {}
    ports: dict[object, int] = {}
    for number, fit in fits:
        name, port = fit.get("name"), fit.get("port")
        if isinstance(name, str) and names.setdefault(name, number) != number:
            yield f"sensors[{number}].name", "is the name of", f"sensors[{names[name]}]"
        if isinstance(port, str) and port:
            device = os.path.realpath(port) if "://" not in port else port
            if ports.setdefault(device, number) != number:
                yield f"sensors[{number}].port", "is the port of", f"sensors[{ports[device]}]"


def _antennas_checked(
    path: str, antennas: object, driver: Driver | None, seats_max: int
) -> Mistakes:
    if not isinstance(antennas, dict):
        return  # told as a wrong type
    if driver is not None and antennas and not driver.antennas_max:
        yield path, f"{driver.name} has no antennas"
    elif driver is not None and driver.antennas_max and not antennas:
        yield path, f"is missing: {driver.name} has up to {driver.antennas_max}"
    else:
        most = None if driver is None else driver.antennas_max
        for key, what in misplaced(antennas, most, seats_max):
            yield f"{path}.{printable(key)}", what


def _presence_checked(path: str, presence: object, driver: Driver | None) -> Mistakes:
    if not isinstance(presence, dict):
        return
    if polls := polls_mistake(presence, LENIENT if driver is None else driver.presence):
        yield path, polls
    if "held_ms" in presence and driver is not None and driver.held_ms is None:
        yield f"{path}.held_ms", f"{driver.name} says itself when a tag has gone"
