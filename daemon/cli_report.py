"""The report of a shift: in the terminal, and as files."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from daemon.access import AccessError
from daemon.cli_floor import WITHOUT, read_floor
from daemon.cli_shared import FILE, UNUSABLE, WRONG_USAGE, fail, say
from daemon.floor.settings import FloorSettings
from daemon.floor.views import Role

if TYPE_CHECKING:
    from daemon.floor.history import Archive, Question
    from daemon.floor.report.made import Report
    from daemon.floor.report.words import Speech

SHIFT = timedelta(hours=8)
ROLES: tuple[Role, ...] = ("supervise", "maintain", "surveillance", "administer")
_NEW = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
LISTED_MAX = 20
YEARS = (1970, 9998)  # a day on either side stays a moment, whatever the zone
SEVERITIES = ("critical", "high", "medium", "low")


def _moment(*, ends_day: bool) -> Callable[[object, object, str | None], datetime | None]:
    """A day or a moment by the house's clock, or with a zone of its own; as ISO 8601 has it.

    Of a day alone it is where that begins, or where it ends.
    """

    def read(_ctx: object, _param: object, text: str | None) -> datetime | None:
        if text is None:
            return None
        try:
            found = datetime.fromisoformat(text)
            found += timedelta(days=ends_day and len(text) == len("2026-11-30"))
        except (ValueError, OverflowError):
            fail(f"{text!r} is no moment; write 2026-11-30 or 2026-11-30T18:00", WRONG_USAGE)
        if not YEARS[0] <= found.year <= YEARS[1]:
            fail(f"{text!r}: the history has years from {YEARS[0]} to {YEARS[1]}", WRONG_USAGE)
        return found

    return read


@click.command()
@click.option("--config", type=FILE, required=True, help="The floor's configuration.")
@click.option(
    "--from", "since", metavar="WHEN", callback=_moment(ends_day=False),
    help="A day or a moment; 8 hours before --to.",
)  # fmt: skip
@click.option(
    "--to", "until", metavar="WHEN", callback=_moment(ends_day=True), help="The same; until now."
)
@click.option("--site", "sites", multiple=True, help="Only these.")
@click.option("--table", "tables", multiple=True, help="Only these: names, or parts of them.")
@click.option(
    "--irregularity", "irregularities", multiple=True,
    help="Only these: ids, titles, or parts of them.",
)  # fmt: skip
@click.option("--severity", "severities", multiple=True, type=click.Choice(SEVERITIES))
@click.option("--dealer", help="Only his, where the house tells dealers.")
@click.option("--role", default="administer", type=click.Choice(ROLES), help="As who sees it.")
@click.option("--csv", "csv_file", type=FILE, help="The alerts as a sheet; - for standard output.")
@click.option("--pdf", "pdf_file", type=FILE, help="The report as a page to print.")
@click.option("--lang", type=click.Choice(["en", "it"]), help="This terminal's by default.")
@click.option("--json", "as_json", is_flag=True, help="The figures for machines.")
def report(  # noqa: PLR0913 - one for each option
    *,
    config: Path,
    since: datetime | None,
    until: datetime | None,
    sites: tuple[str, ...],
    tables: tuple[str, ...],
    irregularities: tuple[str, ...],
    severities: tuple[str, ...],
    dealer: str | None,
    role: Role,
    csv_file: Path | None,
    pdf_file: Path | None,
    lang: str | None,
    as_json: bool,
) -> None:
    """A shift's figures: how often, what, how soon, how often falsely."""
    settings = read_floor(config)
    try:
        from daemon.floor.history import Question  # noqa: PLC0415 - its libraries are an extra
        from daemon.floor.report.words import speech  # noqa: PLC0415
        from daemon.floor.report.zone import house_zone  # noqa: PLC0415
    except ModuleNotFoundError as error:
        fail(WITHOUT.format(name=error.name), UNUSABLE)
    _one_place_each(csv_file, pdf_file, as_json=as_json)
    if dealer:
        _dealers_only_where_told(settings, dealer, role)
    zone = house_zone()
    end = _local(until or datetime.now(zone), zone)
    begin = _local(since, zone) if since else end - SHIFT
    if begin >= end:
        fail("--from must be before --to", WRONG_USAGE)
    with _archive(settings) as archive:
        names = archive.names(role)
        question = Question(
            role=role,
            since_ms=round(begin.timestamp() * 1000),
            until_ms=round(end.timestamp() * 1000),
            sites=_meant("--site", sites, names.sites_meant, names.sites),
            tables=_meant("--table", tables, names.tables_meant, names.tables),
            irregularities=_meant(
                "--irregularity", irregularities, names.irregularities_meant, names.irregularities
            ),
            severities=severities,
            dealer=dealer,
        )
        task = _Task(archive, question, speech(lang or _own_language(), zone))
        if csv_file is not None:
            task.sheet(csv_file)
        if pdf_file is not None:
            task.paper(pdf_file)
        if as_json:
            task.json()
        elif csv_file is None and pdf_file is None:
            task.terminal()


def _one_place_each(csv_file: Path | None, pdf_file: Path | None, *, as_json: bool) -> None:
    """End the program where two things would go to one place."""
    places = {"--csv": csv_file, "--pdf": pdf_file, "--json": Path("-") if as_json else None}
    printed = [option for option, path in places.items() if str(path) == "-"]
    if len(printed) > 1:
        both = " and ".join(printed)
        fail(f"{both} both go to standard output: give one of them a file", WRONG_USAGE)
    if csv_file and pdf_file and os.path.realpath(csv_file) == os.path.realpath(pdf_file):
        fail(f"--csv and --pdf are one file, {pdf_file}: give each its own", WRONG_USAGE)


def _dealers_only_where_told(settings: FloorSettings, dealer: str, role: Role) -> None:
    """End the program where nobody, or not this role, may ask about dealers."""
    if settings.document.staff.dealer_identity == "off":
        what = 'this house tells nothing of dealers: in [staff] dealer_identity is "off"'
        todo = f'"pseudonym" or "name" there, with a legal_basis, allows it ({settings.source})'
        fail(f"--dealer {dealer}: {what}; {todo}", WRONG_USAGE)
    if role != "administer":
        what = f"{role} may not ask about dealers: give --role administer, or leave --dealer out"
        fail(f"--dealer {dealer}: {what}", WRONG_USAGE)


def _meant(
    option: str,
    said: Sequence[str],
    find: Callable[[str], tuple[str, ...]],
    known: Collection[str],
) -> tuple[str, ...]:
    """What is meant by these names, once each; says it where it is another than was said.

    Ends the program at one by which nothing is known.
    """
    found: dict[str, None] = {}
    for one in said:
        meant = find(one)
        if not meant:
            listed = ", ".join([*list(known)[:LISTED_MAX], *["…"][: len(known) > LISTED_MAX]])
            fail(f"{option} {one}: none in the history; known: {listed or 'none yet'}", WRONG_USAGE)
        if meant != (one,):
            click.echo(f"{option} {one}: taken as {', '.join(meant)}", err=True)
        found.update(dict.fromkeys(meant))
    return tuple(found)


def _own_language() -> str:
    """What this terminal speaks; words tell it in English where they know no other."""
    said = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, said), "en")[:2]


def _local(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


@contextmanager
def _archive(settings: FloorSettings) -> Iterator[Archive]:
    """The history to ask, as it stands; what is wrong with it ends the program in words."""
    from daemon.floor.history import (  # noqa: PLC0415
        Archive,
        Database,
        HistoryError,
        HistoryGone,
    )

    staff = settings.document.staff
    database = None
    try:
        database = Database(
            settings.history_url, settings.history_password(), ca=settings.history_ca
        )
        database.look_at()
        yield Archive(database, dealers=staff.dealer_identity != "off", names=settings.names)
    except HistoryGone as error:
        fail(str(error))
    except (HistoryError, AccessError) as error:
        fail(f"{settings.source} is not usable:\n  history  {error}", UNUSABLE)
    finally:
        if database is not None:
            database.close()


@dataclass(frozen=True, slots=True)
class _Task:
    """One report to make."""

    archive: Archive
    question: Question
    speech: Speech

    def sheet(self, path: Path) -> None:
        """The alerts, line by line."""
        with self._made(path) as made, _written(path) as file:
            made.sheet(file)

    def paper(self, path: Path) -> None:
        """The page to print."""
        with self._made(path) as made, _written(path) as file:
            made.paper(file, round(time.time() * 1000))

    def json(self) -> None:
        """The figures as one object."""
        from daemon.floor.report import told  # noqa: PLC0415

        with self._made(None) as made:
            figures = made.figures()
        said = told.report(figures, self.speech, pictures=False)
        say(json.dumps(said, ensure_ascii=False, indent=1))

    def terminal(self) -> None:
        """The figures for people."""
        from rich.console import Console  # noqa: PLC0415

        from daemon.floor.report.terminal import page  # noqa: PLC0415

        with self._made(None) as made:
            figures = made.figures()
        console = Console(highlight=False, soft_wrap=False)
        with console.capture() as captured:
            console.print(page(figures, self.speech, made.shown))
        say("\n".join(line.rstrip() for line in captured.get().splitlines()))

    @contextmanager
    def _made(self, path: Path | None) -> Iterator[Report]:
        """The report; how far it is is shown to whoever sits before a terminal."""
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import Progress as Shown  # noqa: PLC0415

        from daemon.floor.report.made import Report  # noqa: PLC0415

        console = Console(stderr=True)
        what = self.speech("progress") if path is None else self.speech("writing", file=path.name)
        with Shown(console=console, transient=True, disable=not console.is_terminal) as shown:
            bar = shown.add_task(what, total=None)
            yield Report(
                self.archive,
                self.question,
                self.speech,
                lambda done, of: shown.update(bar, completed=done, total=max(of, 1)),
            )
        if path is not None and str(path) != "-":
            click.echo(self.speech("written", file=path), err=True)


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """A file that is there whole or not at all, its owner's alone; - is standard output."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    part = path.with_name(f"{path.name}.part")
    try:
        number = os.open(part, _NEW, 0o600)
        with os.fdopen(number, "wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror}")
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
