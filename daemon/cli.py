"""The commands, thin: arguments in, exit status out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from daemon import __version__
from daemon.alarms.alert import Alert
from daemon.app import serve
from daemon.cli_deck import deck, overdue
from daemon.cli_floor import check_floor, floor
from daemon.cli_journal import journal as journal_commands
from daemon.cli_report import report
from daemon.cli_shared import (
    DEFAULT_BOOK,
    FILE,
    UNUSABLE,
    WRONG_USAGE,
    fail,
    opened,
    print_alert,
    read_book,
    read_table,
    read_texts,
    say,
)
from daemon.cli_tools import doctor, sniff
from daemon.contract import FORMS, as_json, document, schemas
from daemon.doctor.decks import secrets
from daemon.doctor.remarks import remarks, usable
from daemon.doctor.words import LANGUAGES, said
from daemon.edges import books, logs
from daemon.edges.journal import JournalError, read_header, read_journal
from daemon.edges.settings import layout
from daemon.pipeline import Judgement, Pipeline
from daemon.replay import LostPlace, Replay
from daemon.rules import printed
from daemon.rules.coverage import coverage, told
from daemon.rules.rulebook import Rulebook
from daemon.rules.vocabulary import AUDIENCES
from daemon.spoken import Count
from daemon.table.events import TableBegan
from daemon.table.layout import Layout
from daemon.table.lines import LINE_BYTES_MAX, LineError, LineReader
from daemon.table.senses import Senses

_rulebook = click.option(
    "--rulebook", metavar="NAME", help="A rulebook's name, or the path of a .toml file."
)
_lang = click.option(
    "--lang", metavar="L", multiple=True, help="A language of the texts; all by default."
)
_audience = click.option("--audience", type=click.Choice(AUDIENCES), help="Only its alerts.")
_config = click.option(
    "--config",
    type=FILE,
    required=True,
    help="The table's configuration.",
)


class _Discreet(click.Group):
    """Commands of which a bug of ours tells where it is, and never what it was about."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what ends it by our fault ends it with status 1."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its text stays here
            fail(f"a bug of floorcall's own\n{logs.outline(error)}")


@click.group(cls=_Discreet, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="floorcall")
def main() -> None:
    """Floorcall watches a Texas Hold'em deal and calls the floor when it goes wrong."""


main.add_command(deck)
main.add_command(journal_commands)
main.add_command(sniff)
main.add_command(doctor)
main.add_command(floor)
main.add_command(report)


@main.command()
@_config
@click.option("--log-level", default="info", type=click.Choice(["debug", "info", "warning"]))
def run(config: Path, log_level: str) -> None:
    """The table's daemon, in the foreground."""
    settings, book, texts = read_table(config)
    logs.configure(log_level)

    def make_line(fitted: Layout) -> Pipeline:
        return Pipeline(fitted, book, texts)

    try:
        asyncio.run(serve(settings, make_line))
    except JournalError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{settings.journal_folder}: the journal cannot be kept: {error.strerror}")


@main.command()
@click.argument("files", nargs=-1, type=FILE)
@_rulebook
@_lang
@_audience
def judge(
    files: tuple[Path, ...], rulebook: str | None, lang: tuple[str, ...], audience: str | None
) -> None:
    """Dealing events in, alerts out, one JSON object a line."""
    shelf = _Shelf(lang)
    first = shelf.book(rulebook or DEFAULT_BOOK)
    for path in files or (Path("-"),):
        judgement = Judgement(first, shelf.texts, shelf.languages)
        name = "stdin" if str(path) == "-" else str(path)
        with opened(path) as stream:
            for alert in _judged(stream, name, judgement, None if rulebook else shelf):
                if audience in (None, alert.audience):
                    print_alert(alert)


class _Shelf:
    """The rulebooks and texts that a run of `judge` has opened."""

    def __init__(self, lang: tuple[str, ...]) -> None:
        self.languages = lang or tuple(books.language_keys())
        self._books: dict[str, Rulebook] = {}
        self.texts = read_texts(self.languages)

    def book(self, name: str) -> Rulebook:
        if name not in self._books:
            self._books[name] = read_book(name)
        return self._books[name]


def _judged(
    stream: BinaryIO, name: str, judgement: Judgement, shelf: _Shelf | None
) -> Iterator[Alert]:
    """The alerts of one file; the first bad line ends the program."""
    reader = LineReader()
    number = 0
    while text := stream.readline(LINE_BYTES_MAX + 2):
        number += 1
        try:
            event = reader.take(text)
        except LineError as error:
            fail(f"{name}:{number}: {error}")
        if event is None:
            continue
        if shelf and isinstance(event, TableBegan):
            book = event.rulebook or DEFAULT_BOOK
            if book not in books.rulebook_names():
                known = ", ".join(books.rulebook_names())
                fail(f"{name}:{number}: rulebook: is not one of those shipped: {known}")
            judgement.play_by(shelf.book(book))
        yield from judgement.take(event, number)


@main.command()
@click.argument("journal", type=FILE)
@click.option("--config", type=FILE, help="Its table's configuration.")
@_lang
@_audience
def replay(journal: Path, config: Path | None, lang: tuple[str, ...], audience: str | None) -> None:
    """A journal in, the alerts out that were published, byte for byte."""
    try:
        header = read_header(journal)
        if config is None and not header.config:
            fail(f"{journal}: was recorded without a configuration: give --config", WRONG_USAGE)
        settings, book, texts = read_table(config or Path(header.config))
        if header.digest and settings.digest != header.digest:
            click.echo(
                f"{settings.source}: is not the configuration of this journal any more; "
                "the alerts may differ",
                err=True,
            )
        fitted = layout(settings, header.opened)
        if lang:
            fitted = msgspec.structs.replace(fitted, languages=lang)
            texts = read_texts(lang)

        def make_line(carried: bytes) -> Pipeline:
            return Pipeline(msgspec.structs.replace(fitted, carried=carried), book, texts)

        again = Replay(make_line)
        names = {sensor.name for sensor in settings.sensors}
        entries = alerts = 0
        for entry in read_journal(journal):
            entries += 1
            if getattr(entry, "port", None) not in {None, *names}:
                fail(f"{journal}: has a sensor that is not in {settings.source}")
            for alert in again.take(entry):
                if audience in (None, alert.audience):
                    print_alert(alert)
                    alerts += 1
        what = f"{Count(entries):entry|entries}, {Count(alerts):alert|alerts}"
        click.echo(f"{journal}: {what}", err=True)
    except JournalError as error:
        fail(str(error))
    except LostPlace as error:
        fail(f"{journal}: {error}")


@main.command()
@click.argument("config", type=FILE)
@click.option(
    "--lang", metavar="L", help="Of coverage and remarks; mistakes are told in English always."
)
def check(config: Path, lang: str | None) -> None:
    """Every mistake of a table's configuration or of a rulebook at once; then what it covers.

    A floor's configuration is known by its [web].
    """
    if _has(config, "[web"):
        check_floor(config, lang)
        return
    if (why := _is_neither(config)) is not None:
        fail(f"{config}: {why}", UNUSABLE)
    if _is_rulebook(config):
        read_book(str(config))
        read_texts(None)
        say(f"{config}: a usable rulebook")
        return
    settings, book, texts = read_table(config)
    language = lang or settings.document.languages[0]
    spoken = language if language in LANGUAGES else "en"
    found = usable(settings)
    say(f"{config}: {said(found, spoken)[0]}")
    for remark in (*remarks(settings), *secrets(settings.access)):
        say(f"  {'. '.join(filter(None, said(remark, spoken)))}")
    for name, what in overdue(settings, book, spoken):
        say(f"  decks.{name}  {what}")
    say("")
    if language not in texts.languages:
        texts = read_texts((language,))
    fitted = layout(settings, "")
    sees = frozenset(Senses(fitted).every)
    say(told(coverage(book, sees, fitted.betting), texts, language).removesuffix("\n"))


def _is_neither(path: Path) -> str | None:
    """Why this file cannot be one that `check` reads, None where it may be."""
    if path.exists() and path.suffix != ".toml":
        return "is neither a table's configuration nor a rulebook: those are .toml files"
    if _has(path, "language ="):
        return "has texts: they are checked with a table's configuration or a rulebook"
    return None


def _is_rulebook(path: Path) -> bool:
    """A rulebook has none of the keys that every table's configuration has."""
    return path.is_file() and not _has(path, "site", "table", "[[sen")


def _has(path: Path, *beginnings: str) -> bool:
    """Whether a line of this file begins with one of these."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return any(f"\n{beginning}" in f"\n{text}" for beginning in beginnings)


@main.command()
@_rulebook
@click.option("--lang", metavar="L", default="en", help="The language to print.")
@click.option("--json", "as_json", is_flag=True, help="For machines.")
def rules(rulebook: str | None, lang: str, as_json: bool) -> None:
    """The rulebook as people read it."""
    name = rulebook or DEFAULT_BOOK
    if as_json:
        say(printed.as_json(read_book(name), read_texts(None)).decode())
        return
    say(printed.page(read_book(name), read_texts((lang,)), lang))


@main.command()
@click.option("--schema", type=click.Choice(list(FORMS)), help="Of one kind of message alone.")
def contract(schema: str | None) -> None:
    """What goes over MQTT, for other programs: an AsyncAPI document, or a JSON Schema."""
    written = schemas()[schema] if schema else document(__version__)
    say(as_json(written).decode().removesuffix("\n"))


@main.command()
@click.option("--tables", default=4, type=click.IntRange(1, 12), help="How many tables.")
@click.option("--seed", default=1, type=int, help="The same seed deals the same evening.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="The broker's; 0: any.")
@click.option("--web-port", type=click.IntRange(0, 65535), help="The screens'; 8080 or one near.")
@click.option("--speed", default=1.0, type=click.FloatRange(0.1, 100), help="Of the dealer.")
@click.option("--hands", default=0, type=click.IntRange(0), help="End after so many; 0: never.")
@click.option("--lang", default="en", type=click.Choice(["en", "it"]), help="Of the terminal.")
@click.option("--tour", is_flag=True, help="One irregularity of each kind, put right and not.")
@click.option(
    "--felt", type=FILE, metavar="FOLDER", help="No dealer: an empty felt to fit, its ports here."
)
@click.option("--seats", default=3, type=click.IntRange(2, 10), help="Of the empty felt.")
def demo(  # noqa: PLR0913 - one for each option
    *,
    tables: int,
    seed: int,
    port: int,
    web_port: int | None,
    speed: float,
    hands: int,
    lang: str,
    tour: bool,
    felt: Path | None,
    seats: int,
) -> None:
    """Living tables on simulated sensors, and the floor's screens; nothing to set up."""
    if felt is not None:
        from daemon.demo.felt import stand_in  # noqa: PLC0415 - the demo's broker is an extra

        sys.exit(stand_in(folder=felt, seats=seats, seed=seed, port=port))
    from daemon.demo.run import Wish, play  # noqa: PLC0415 - the demo's broker is an extra

    wish = Wish(
        table_count=tables, seed=seed, speed=speed, hand_count=hands, language=lang, port=port,
        web_port=web_port, tour=tour,
    )  # fmt: skip
    sys.exit(play(wish))
