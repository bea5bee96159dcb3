"""The table's configuration: TOML in, settings out, or all mistakes at once, each with its path."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from daemon import access, sealkeys
from daemon.document import Document, SensorFit
from daemon.fits import from_file, misfits, named
from daemon.messages import level_mistake
from daemon.rules.mistakes import masked, shown, unknown
from daemon.rules.mistakes import name as printable
from daemon.rules.parameters import Parameters
from daemon.shaped import Mistake, Mistakes, SettingsError, in_file_order, shaped
from daemon.shipped import config_path
from daemon.table.badges import badge_keys
from daemon.table.decks import Deck, is_deck, read_deck
from daemon.table.fitting import POLLS, is_spot, lent
from daemon.table.layout import Layout, Presence, Sensor
from drivers.catalog import DRIVERS
from drivers.driver import Driver

ANY_DEALER = "dealer"


class Settings(Struct, frozen=True, kw_only=True):
    """A table's configuration, checked whole. `sensors[n]` and `fits[n]` are the same device.

    `tags` maps the UIDs of all `decks` to cards, `badges` UIDs to dealers' keys; `digest` tells one
    configuration with its decks and badges from another.
    """

    source: Path
    digest: str
    document: Document
    sensors: tuple[Sensor, ...]
    tags: dict[str, str]
    decks: dict[str, Deck] = {}
    badges: dict[str, str] = {}

    @property
    def client(self) -> str:
        """The broker's name for this table: fixed, and different from table to table."""
        document = self.document
        return document.broker.client or f"floorcall-{document.site}-{document.table}"

    @property
    def access(self) -> access.Access:
        """As whom to come to a broker, and what it must show."""
        return access.access_of(msgspec.structs.asdict(self.document.broker), self.source)

    @property
    def rulebook(self) -> str:
        """A rulebook that ships with the program, by its name, or the path of a house's own."""
        name = self.document.rulebook
        return str(self.source.parent / name) if name.endswith(".toml") else name

    @property
    def journal_folder(self) -> Path:
        """The table's own, below the folder configured, or systemd's state directory."""
        folder = self.document.journal.folder
        state = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
        root = self.source.parent / (folder or (f"{state}/journal" if state else "journal"))
        return root / self.document.table


def read_settings(
    path: Path, drivers: Sequence[Driver] = DRIVERS, *, unread: Container[str] | None = None
) -> Settings:
    """The settings of this file; raises SettingsError with all mistakes, a missing file's too.

    Where decks are still to be enrolled (`unread` is not None) a deck without a file is no mistake,
    and those named in `unread` are not looked at: they are missing in `decks`.
    """
    raw, written = _written(path)
    found: list[Mistake] = []
    document = shaped(written, Document, "", found)
    decks, deck_digest = _decks(written.get("decks"), path, found, unread)
    tags = {uid: card for deck in decks.values() for uid, card in deck.tags.items()}
    badges, badge_digest = _badges(written.get("staff"), tags, path, found)
    known = {driver.name: driver for driver in drivers}
    told = {where for where, _ in found}
    sound = {name: deck for name, deck in decks.items() if f"decks.{printable(name)}" not in told}
    found += _checked(written, path, known, None if unread is not None and not tags else sound)
    if found or not isinstance(document, Document):
        raise SettingsError(
            path,
            [
                (named(where, written.get("sensors")), what)
                for where, what in in_file_order(found, written)
            ],
        )
    sensors = tuple(_sensor(fit, known[fit.driver]) for fit in document.sensors)
    return Settings(
        source=path,
        digest=hashlib.sha256(raw + deck_digest + badge_digest).hexdigest(),
        document=document,
        sensors=sensors,
        tags=tags,
        decks=decks,
        badges=badges,
    )


def layout(settings: Settings, opened: str, carried: bytes = b"") -> Layout:
    """The table as the line knows it; `opened` is the journal's opening, ISO 8601 in UTC.

    `carried` is what the line before it left to it.

    Where dealers are not to be known, all badges have one key: that the dealer changed is a fact of
    the game, and who he is does not even enter the line.
    """
    document = settings.document
    is_off = document.staff.dealer_identity == "off"
    return Layout(
        table=document.table,
        site=document.site,
        seat_count=document.seat_count,
        sensors=settings.sensors,
        tags=settings.tags,
        badges=dict.fromkeys(settings.badges, ANY_DEALER) if is_off else settings.badges,
        deck_of={uid: name for name, deck in settings.decks.items() for uid in deck.tags},
        decks=tuple(document.decks),
        betting=document.betting,
        opened=opened,
        rulebook=document.rulebook,
        languages=document.languages,
        carried=carried,
        tells_events=document.broker.events,
        tells_dealer=not is_off,
    )


def _written(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        raw = path.read_bytes()
        written = tomllib.loads(raw.decode())
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 (byte {error.start + 1})"
    except (ValueError, RecursionError) as error:  # numbers too long, brackets too deep
        what = f"is not TOML: {masked(str(error))}"
    else:
        if not is_deck(written):
            return raw, written
        what = "is a deck's file, not a table's configuration"
    raise SettingsError(path, [("(file)", what)])


# --- sense: what each value means ---------------------------------------------------------------


def _checked(
    written: Mapping[str, Any],
    source: Path,
    drivers: Mapping[str, Driver],
    decks: Mapping[str, Deck] | None,
) -> Mistakes:
    """Mistakes in values whose type is right; what has the wrong type was told already.

    `decks` None: none is enrolled yet.
    """
    for key in ("site", "table"):
        if isinstance(name := written.get(key), str) and (what := level_mistake(name)):
            yield key, what
    for key, folder in (("rulebook", "rulebooks"), ("languages", "texts")):
        known = sorted(path.stem for path in config_path(folder).glob("*.toml"))
        value = written.get(key)
        for word in (value,) if isinstance(value, str) else _listed(value):
            is_file = key == "rulebook" and (source.parent / str(word)).is_file()
            if isinstance(word, str) and word not in known and not is_file:
                yield key, f"{shown(word)} is not there; known: {', '.join(known)}"
    broker = written.get("broker")
    if isinstance(broker, dict):
        yield from access.misfits(broker, source)
    journal = written.get("journal")
    if isinstance(journal, dict) and isinstance(seal := journal.get("seal"), str):
        public = sealkeys.public_in(access.secret_path(source, seal))
        if isinstance(public, str):
            yield "journal.seal", public
    staff = written.get("staff")
    if _tells_dealers_without_right(staff):
        yield "staff.legal_basis", "must say by what right dealers are told apart"
    house = written.get("house")
    if isinstance(house, dict):
        yield from _house_checked(house)
    yield from misfits(written, drivers, decks)


def _tells_dealers_without_right(staff: object) -> bool:
    if not isinstance(staff, dict) or staff.get("dealer_identity") not in ("pseudonym", "name"):
        return False
    return not str(staff.get("legal_basis", "")).strip()


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _house_checked(house: Mapping[str, Any]) -> Mistakes:
    fields = {field.name: field for field in msgspec.structs.fields(Parameters)}
    for key, value in house.items():
        if key not in fields:
            yield f"house.{key}", unknown(key, "a parameter", fields)
            continue
        found: list[Mistake] = []
        shaped(value, fields[key].type, f"house.{key}", found)
        yield from found


def _sensor(fit: SensorFit, driver: Driver) -> Sensor:
    antennas = {int(key): place for key, place in fit.antennas.items()}
    spots = {antenna: place for antenna, place in antennas.items() if is_spot(place)}
    given = msgspec.structs.asdict(fit.presence)
    held_ms = given.pop("held_ms")
    usual = dict(zip(POLLS, driver.presence, strict=True))
    return Sensor(
        name=fit.name,
        driver=fit.driver,
        places={antenna: place for antenna, place in antennas.items() if antenna not in spots},
        senses=lent(driver.senses, antennas) if fit.senses is None else fit.senses,
        presence=Presence(**usual | {key: n for key, n in given.items() if n is not None}),
        spots=spots,
        polled=driver.polled,
        held_ms=driver.held_ms if held_ms is None else held_ms,
    )


def _decks(
    written: object, source: Path, found: list[Mistake], unread: Container[str] | None
) -> tuple[dict[str, Deck], bytes]:
    """All decks, and the bytes of their files; notes every mistake in them."""
    decks: dict[str, Deck] = {}
    raw = b""
    for name, deck in written.items() if isinstance(written, dict) else ():
        path = f"decks.{printable(name)}"
        entries = deck
        if unread is not None and name in unread:
            continue
        if isinstance(deck, str):
            try:
                entries = _deck_file(source, deck).read_bytes()
            except OSError as error:
                if unread is None or not isinstance(error, FileNotFoundError):
                    found.append((path, _unread(deck, error)))
                continue
            raw += entries
        if isinstance(entries, bytes | dict):
            own, mistakes = read_deck(entries)
            mistakes += [
                f"has a tag of deck {printable(other)}"
                for other, taken in decks.items()
                if own.tags.keys() & taken.tags.keys()
            ]
            found += [(path, from_file(deck) + what) for what in mistakes]
            decks[name] = own
    return decks, raw


def _badges(
    staff: object, tags: Mapping[str, str], source: Path, found: list[Mistake]
) -> tuple[dict[str, str], bytes]:
    """The badges that are enrolled, and the bytes of their file; notes every mistake in them."""
    entries = staff.get("badges", {}) if isinstance(staff, dict) else {}
    raw = b""
    if isinstance(entries, str):
        try:
            entries = raw = _deck_file(source, entries).read_bytes()
        except OSError as error:
            found.append(("staff.badges", f"cannot be read: {error.strerror}"))
            return {}, raw
    if not isinstance(entries, bytes | dict):
        return {}, raw  # told as a wrong type
    keys, mistakes = badge_keys(entries)
    found += [("staff.badges", what) for what in mistakes]
    if keys.keys() & tags.keys():
        found.append(("staff.badges", "has a tag of a deck"))
    return keys, raw


def _deck_file(source: Path, name: str) -> Path:
    beside = source.parent / name
    return beside if beside.exists() else config_path(name)


def _unread(deck: str, error: OSError) -> str:
    """Why a deck's file cannot be read, and what to do."""
    if isinstance(error, FileNotFoundError):
        return f"{deck} is not there: floorcall deck enrol makes it"
    return f"{deck} cannot be read: {error.strerror}"
