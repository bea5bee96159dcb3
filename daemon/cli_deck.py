"""The commands of the decks: enrol one, check one, list them; no tag is ever shown."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.cli_shared import FAILED, FILE, UNUSABLE, fail, read_table, say
from daemon.doctor.ports import rival
from daemon.edges.deckfile import DeckFileError, Part, add_log, part_count, write_map
from daemon.edges.settings import Settings, read_settings
from daemon.enrol.arrivals import Arrivals
from daemon.enrol.ceremony import Ceremony, Phase
from daemon.enrol.desk import Reader, sit
from daemon.enrol.dialogue import Checking, Enrolling
from daemon.enrol.enrolment import ORDER, Enrolment, Terms, as_map
from daemon.enrol.verification import Verification
from daemon.enrol.words import LANGUAGES, Speech
from daemon.rules.rulebook import Rulebook
from daemon.shaped import SettingsError
from daemon.spoken import reason
from daemon.table.cards import DECK
from daemon.table.decks import Deck, Record, age_days, deck_file, life_days, read_deck
from daemon.table.fitting import kind_of, unreadable
from daemon.table.layout import Presence, Sensor
from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.port.addresses import mistake

READERS = {driver.name: driver for driver in DRIVERS if driver.tags}
SAMPLE = 13

_OF_THE_READER = (
    click.option("--config", type=FILE, help="The table's configuration."),
    click.option("--deck", metavar="NAME", help="Which of its decks."),
    click.option("--sensor", metavar="NAME", help="Which of its readers; not needed with one."),
    click.option("--port", metavar="P", help="Without a configuration: the reader's port,"),
    click.option("--driver", type=click.Choice(sorted(READERS)), help="its driver"),
    click.option("--file", type=FILE, help="and the deck's file."),
    click.option("--antenna", type=click.IntRange(1, 88), help="Only this one; all by default."),
    click.option("--lang", type=click.Choice(LANGUAGES), help="By default the table's first."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a command works on: a deck by name and file, a reader, and the table's other decks."""

    name: str
    file: Path
    reader: Reader
    sensor: Sensor
    speech: Speech
    tags: Mapping[str, str] | None = None  # of this deck, None where it is not enrolled
    decks: Mapping[str, Mapping[str, str]]  # the others
    readers: Mapping[str, tuple[str, ...]]  # the kinds of tags that each sensor for cards reads

    @property
    def antennas(self) -> tuple[int, ...]:
        return self.reader.antennas

    def why(self, trouble: str) -> str:
        """The port's trouble in words, with who has the port."""
        words = reason(trouble, self.speech.language)
        holder = rival(self.reader.address, trouble)
        return words if holder is None else f"{words} ({holder})"


def at_a_reader(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a deck and a reader."""
    for option in reversed(_OF_THE_READER):
        command = option(command)
    return command


@click.group()
def deck() -> None:
    """Enrol a deck of tagged cards, check it, list the decks of a table."""


@deck.command()
@at_a_reader
@click.option(
    "--by-suit/--by-name",
    default=True,
    help="Cards are asked for, 2 to A of each suit, or laid in any order and named by typing.",
)
@click.option("--two-persons", is_flag=True, help="A second one checks a sample.")
@click.option("--sample", default=SAMPLE, type=click.IntRange(1, len(DECK)), show_default=True)
@click.option("--life-days", type=click.IntRange(1, 36500), help="How old this deck may become.")
@click.option("--anew", is_flag=True, help="Forget an enrolment that was interrupted.")
def enrol(
    *,
    by_suit: bool,
    two_persons: bool,
    sample: int,
    life_days: int | None,
    anew: bool,
    **where: Any,  # noqa: ANN401 - the options of the reader
) -> None:
    """Lay the cards of a deck on a reader, one after the other."""
    desk = _desk(enrolling=True, **where)
    drawn = random.SystemRandom().sample(ORDER, sample) if two_persons else []
    try:
        part = Part(desk.file, anew=anew)
        try:
            _enrol(desk, part, drawn, by_suit=by_suit, life_days=life_days)
        finally:
            part.close()
    except DeckFileError as error:
        fail(str(error))


def _enrol(
    desk: Desk, part: Part, drawn: list[str], *, by_suit: bool, life_days: int | None
) -> None:
    speech = desk.speech
    terms = Terms(decks=desk.decks, readers=desk.readers, by_suit=by_suit)
    if any(uid in uids for uids in desk.decks.values() for _, uid in part.entries):
        fail(speech("of-before"))
    say(speech("help"))
    if part.entries:
        say(speech("resumed", count=len(part.entries)))
    elif desk.file.exists():
        say(speech("stays"))
    ceremony = Ceremony(Enrolment(terms, part.entries), drawn, part.laid_by)
    arrivals = Arrivals(desk.sensor, desk.antennas)

    def keep() -> None:
        part.keep(ceremony.enrolment.entries, ceremony.laid_by)

    dialogue = Enrolling(ceremony, arrivals, speech, say, keep)
    dialogue.begin()
    trouble = asyncio.run(sit(desk.reader, dialogue, desk.why))
    entries = ceremony.enrolment.entries
    if ceremony.phase is Phase.DONE:
        _write(desk, ceremony, life_days, len(drawn))
        part.discard()
        say(speech("written", file=desk.file))
        return
    if ceremony.phase is Phase.FAILED or not entries:
        part.discard()
    else:
        say(speech("kept", count=len(entries)))
    if trouble:
        fail(speech("never", port=desk.reader.address, why=trouble))
    raise SystemExit(FAILED)


def _write(desk: Desk, ceremony: Ceremony, life_days: int | None, sample: int) -> None:
    """The map in place of the old one, and a line in the deck's record."""
    now = datetime.now(UTC).replace(microsecond=0)
    record = Record(enrolled=now, life_days=life_days, persons=2 if sample else 1)
    whole = Deck(as_map(ceremony.enrolment.entries), record)
    text = deck_file(desk.name, whole)
    assert read_deck(text) == (whole, [])
    write_map(desk.file, text)
    told = {
        "at": now,
        "deck": desk.name,
        "tags": _kind(whole),
        "laid_by": ceremony.laid_by,
        "checked_by": ceremony.checked_by,
        "checked": sample,
    }
    add_log(desk.file, msgspec.json.encode(told))


@deck.command()
@at_a_reader
def verify(**where: Any) -> None:  # noqa: ANN401 - the options of the reader
    """Check a deck: its cards passed over a reader, or laid on it together."""
    desk = _desk(enrolling=False, **where)
    if desk.tags is None:
        fail(f"{desk.name}: {desk.speech('not-enrolled')}")
    verification = Verification(desk.tags, desk.decks, desk.antennas)
    dialogue = Checking(verification, desk.speech, say)
    dialogue.begin()
    trouble = asyncio.run(sit(desk.reader, dialogue, desk.why))
    if trouble:
        fail(desk.speech("never", port=desk.reader.address, why=trouble))
    for line in desk.speech.result(desk.name, dialogue.result):
        say(line)
    if not dialogue.result.is_good:
        raise SystemExit(FAILED)


@deck.command(name="list")
@click.option("--config", type=FILE, required=True, help="The table's configuration.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="By default the table's first.")
def list_(config: Path, lang: str | None) -> None:
    """The decks of a table: how many cards, which kind of tags, how old."""
    settings, book, bad = _with_decks(config)
    speech = Speech(_language(settings, lang))
    decks = settings.document.decks
    bad_names = {name for name, _ in bad}
    rows = [
        speech("head").split("|"),
        *([name, *_told(settings, name, speech, is_bad=name in bad_names)] for name in decks),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())
    for name, what in overdue(settings, book, lang):
        say(f"decks.{name}  {what}")
    if bad:
        fail("\n".join(f"decks.{name}  {what}" for name, what in bad), UNUSABLE)


def _with_decks(config: Path) -> tuple[Settings, Rulebook, list[tuple[str, str]]]:
    """A table with those of its decks that are usable, and what is wrong with each other one."""
    bad = []
    try:
        read_settings(config, unread=())
    except SettingsError as error:
        parts = ((path.partition("."), what) for path, what in error.mistakes)
        bad = [(name, what) for (key, _, name), what in parts if key == "decks" and name]
    settings, book, _ = read_table(config, unread={name for name, _ in bad})
    return settings, book, bad


def _told(settings: Settings, name: str, speech: Speech, *, is_bad: bool) -> list[str]:
    """A deck's cells of the list, behind its name; what is not known is `-`."""
    if is_bad:
        return ["-", "-", "-", "-", "-", speech("unusable")]
    one, path = settings.decks.get(name), deck_path(settings, name)
    kept = part_count(path) if path else 0
    state = speech("interrupted", count=kept) if kept else ""
    if one is None:
        return ["0", "-", "-", "-", "-", state or speech("not-enrolled")]
    days, record = age_days(one.record, datetime.now(UTC)), one.record
    enrolled = f"{record.enrolled:%Y-%m-%d}" if record.enrolled else "-"
    age = "-" if days is None else speech("days", age=days)
    return [str(len(one.tags)), _kind(one), enrolled, age, str(record.persons or "-"), state]


def overdue(settings: Settings, book: Rulebook, lang: str | None = None) -> list[tuple[str, str]]:
    """Each deck that is older than the house allows, or does not tell its age, and what of it."""
    speech, now = Speech(_language(settings, lang)), datetime.now(UTC)
    lines = []
    for name, one in settings.decks.items():
        days = life_days(one.record, book.parameters.deck_life_days)
        age = age_days(one.record, now)
        if days is not None and (age is None or age >= days):
            what = speech("undated" if age is None else "over", age=age, days=days)
            lines.append((name, what))
    return lines


def _kind(one: Deck) -> str:
    """The kind of a deck's tags, or how long their UIDs are."""
    uid = next(iter(one.tags))
    return kind_of(uid) or f"{len(uid) // 2} bytes"


def _language(settings: Settings, lang: str | None) -> str:
    wished = (lang, *settings.document.languages)
    return next((one for one in wished if one in LANGUAGES), LANGUAGES[0])


# --- which deck, which reader -------------------------------------------------------------------


def _desk(  # noqa: PLR0913 - one for each option
    *,
    enrolling: bool,
    config: Path | None,
    deck: str | None,
    sensor: str | None,
    port: str | None,
    driver: str | None,
    file: Path | None,
    antenna: int | None,
    lang: str | None,
) -> Desk:
    """What these options name; wrong usage ends with status 2."""
    if config is not None and deck is not None and not (port or driver or file):
        return _of_table(config, deck, sensor, antenna, lang, enrolling=enrolling)
    if config is None and port and driver and file and not (deck or sensor):
        return _of_port(port, READERS[driver], file, antenna, lang, enrolling=enrolling)
    raise click.UsageError(
        "give --config and --deck (and --sensor), or --port, --driver and --file"
    )


def deck_path(settings: Settings, name: str) -> Path | None:
    """Where a deck's map is to lie, beside the configuration; None where it has no file."""
    file = settings.document.decks.get(name)
    return settings.source.parent / file if isinstance(file, str) else None


def _of_table(  # noqa: PLR0913 - one for each option
    config: Path,
    name: str,
    sensor_name: str | None,
    antenna: int | None,
    lang: str | None,
    *,
    enrolling: bool,
) -> Desk:
    settings, _, _ = read_table(config, unread=(name,) if enrolling else ())
    file = deck_path(settings, name)
    if name not in settings.document.decks or file is None:
        raise click.UsageError(
            f'{config} names no file for deck {name}; below [decks]: {name} = "decks/{name}.toml"'
        )
    fits = {fit.name: fit for fit in settings.document.sensors}
    sensors = {one.name: one for one in settings.sensors if one.places and one.driver in READERS}
    chosen = sensor_name or (next(iter(sensors)) if len(sensors) == 1 else None)
    if chosen not in sensors:
        raise click.UsageError(f"--sensor: a reader of cards is needed: {', '.join(sensors)}")
    sensor = sensors[chosen]
    antennas = tuple(sorted(sensor.places)) if antenna is None else (antenna,)
    if antenna is not None and antenna not in sensor.places:
        known = ", ".join(map(str, sorted(sensor.places)))
        raise click.UsageError(f"--antenna: {chosen} reads cards on: {known}")
    own = settings.decks.get(name)
    return Desk(
        name=name,
        file=file,
        reader=Reader(fits[chosen].port, READERS[sensor.driver], antennas),
        sensor=sensor,
        speech=Speech(_language(settings, lang)),
        tags=None if own is None else own.tags,
        decks={other: one.tags for other, one in settings.decks.items() if other != name},
        readers={one.name: READERS[one.driver].tags for one in sensors.values()},
    )


def _of_port(  # noqa: PLR0913 - one for each option
    port: str, driver: Driver, file: Path, antenna: int | None, lang: str | None, *, enrolling: bool
) -> Desk:
    if (what := mistake(port)) is not None:
        raise click.UsageError(f"--port: {what}")
    if antenna is not None and antenna > driver.antennas_max:
        raise click.UsageError(f"--antenna: {driver.name} has {driver.antennas_max}")
    tags = None if enrolling else _tags_of(file)
    if (kinds := unreadable(tags or (), driver.tags)) is not None:
        raise click.UsageError(
            f"--driver: {file} has tags of {kinds}; {driver.name} reads {' and '.join(driver.tags)}"
        )
    sensor = Sensor(
        name=driver.name,
        driver=driver.name,
        presence=Presence(*driver.presence),
        polled=driver.polled,
        held_ms=driver.held_ms,
    )
    return Desk(
        name=file.stem,
        file=file,
        reader=Reader(port, driver, () if antenna is None else (antenna,)),
        sensor=sensor,
        speech=Speech(lang or LANGUAGES[0]),
        tags=tags,
        decks={},
        readers={driver.name: driver.tags},
    )


def _tags_of(file: Path) -> Mapping[str, str]:
    """The tags in a deck's file, or its mistakes and status 78."""
    try:
        one, mistakes = read_deck(file.read_bytes())
    except OSError as error:
        fail(f"{file}: cannot be read: {error.strerror}", UNUSABLE)
    if mistakes:
        fail("\n".join([f"{file} is not usable:", *(f"  {what}" for what in mistakes)]), UNUSABLE)
    return one.tags
