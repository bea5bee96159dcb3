"""What is to be listened to: a port given by hand, or one sensor of a table's configuration."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from daemon.document import SensorFit
from daemon.fits import titled
from daemon.rules.mistakes import shown
from daemon.shaped import Mistake, SettingsError, shaped
from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.port.addresses import mistake

KNOWN = {driver.name: driver for driver in DRIVERS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """One device, its port, and as whose a recording of it is kept.

    `places` are where its antennas lie; those of a port given by hand are nowhere ("").
    """

    name: str
    driver: Driver
    port: str
    places: Mapping[int, str] = field(default_factory=dict)
    site: str = "bench"
    table: str = "bench"
    rulebook: str = "robert-classic"
    config: str = ""


def by_hand(port: str, driver: str, antennas: tuple[int, ...], name: str | None) -> Fit | str:
    """A port as it was named on the command line, or what is wrong with it."""
    row = KNOWN.get(driver)
    if row is None:
        return f"{shown(driver)} is not a driver; known: {', '.join(sorted(KNOWN))}"
    if (what := mistake(port)) is not None:
        return f"{port}: {what}"
    if antennas and not row.antennas_max:
        return f"{driver} has no antennas"
    wrong = [antenna for antenna in antennas if not 1 <= antenna <= row.antennas_max]
    if wrong:
        return f"antenna {wrong[0]} is not an antenna of {driver}: 1 to {row.antennas_max}"
    polled = antennas or tuple(range(1, row.antennas_max + 1))
    places = dict.fromkeys(sorted(polled), "")
    return Fit(name=name or driver, driver=row, port=port, places=places)


def of_config(path: Path, name: str) -> Fit:
    """A sensor of this configuration; nothing else of it is looked at, its decks least of all.

    Raises SettingsError.
    """
    written = _written(path)
    found: list[Mistake] = []
    rows = written.get("sensors")
    named = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    names = [str(row.get("name")) for row in named]
    if name not in names:
        what = f"{shown(name)} is not there; known: {', '.join(names) or 'none'}"
        raise SettingsError(path, [("sensors", what)])
    at = names.index(name)
    fit = shaped(named[at], SensorFit, f"sensors[{at}]", found)
    if not isinstance(fit, SensorFit):
        raise SettingsError(path, [(titled(where, name), what) for where, what in found])
    given = by_hand(fit.port, fit.driver, _antennas(path, at, fit), fit.name)
    if isinstance(given, str):
        raise SettingsError(path, [(titled(f"sensors[{at}]", name), given)])
    places = {int(antenna): place for antenna, place in fit.antennas.items()}
    words = {
        key: value
        for key in ("site", "table", "rulebook")
        if isinstance(value := written.get(key), str)
    }
    return Fit(
        name=fit.name,
        driver=given.driver,
        port=fit.port,
        places=places or given.places,
        config=str(path.absolute()),
        **words,
    )


def _antennas(path: Path, at: int, fit: SensorFit) -> tuple[int, ...]:
    try:
        return tuple(msgspec.convert(list(fit.antennas), tuple[int, ...], strict=False))
    except msgspec.ValidationError:
        raise SettingsError(
            path, [(titled(f"sensors[{at}].antennas", fit.name), "are numbered from 1")]
        ) from None


def _written(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 (byte {error.start + 1})"
    except (ValueError, RecursionError):  # its words could repeat a tag
        what = "is not TOML: floorcall check tells where"
    raise SettingsError(path, [("(file)", what)])
