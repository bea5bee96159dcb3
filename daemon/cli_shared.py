"""What the commands share: a table read with its books, what they print, how they end."""

from __future__ import annotations

import os
import sys
from collections.abc import Container
from pathlib import Path
from typing import BinaryIO, NoReturn

import click

from daemon.alarms.alert import Alert, line
from daemon.edges import books
from daemon.edges.settings import Settings, read_settings
from daemon.rules.mistakes import BookError, Source
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.shaped import SettingsError

DEFAULT_BOOK = "robert-classic"
FAILED = 1
WRONG_USAGE = 2
UNUSABLE = 78  # sysexits.h EX_CONFIG: systemd does not start again on it

# Whether it can be read is told by who reads it, with the status that belongs to it.
FILE = click.Path(path_type=Path, readable=False, allow_dash=True)


def read_table(
    config: Path, *, unread: Container[str] | None = None
) -> tuple[Settings, Rulebook, Texts]:
    """A table's configuration with its books, or all their mistakes and status 78.

    `unread` as `read_settings` has it.
    """
    try:
        settings = read_settings(config, unread=unread)
        house = Source(str(config), settings.document.house)
        book, texts = books.read_books(settings.rulebook, settings.document.languages, house)
    except (SettingsError, BookError) as error:
        fail(str(error), UNUSABLE)
    return settings, book, texts


def read_book(name: str) -> Rulebook:
    try:
        return books.read_rulebook(name)
    except BookError as error:
        fail(str(error), UNUSABLE)


def read_texts(languages: tuple[str, ...] | None) -> Texts:
    try:
        return books.read_texts(languages)
    except BookError as error:
        fail(str(error), UNUSABLE)


def opened(path: Path) -> BinaryIO:
    if str(path) == "-":
        return sys.stdin.buffer
    try:
        return path.open("rb")
    except OSError as error:
        fail(f"{path}: cannot be read: {error.strerror}")


def print_alert(alert: Alert) -> None:
    _write(line(alert) + b"\n")


def say(text: str) -> None:
    """A line on standard output, at once; where nobody takes it any more the program ends."""
    _write(text.encode() + b"\n")


def _write(said: bytes) -> None:
    try:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(FAILED)
    except OSError as error:
        click.echo(f"standard output: cannot be written: {error.strerror}", err=True)
        os._exit(FAILED)  # what is left in the buffer cannot be written either


def fail(message: str, status: int = FAILED) -> NoReturn:
    """Say what is wrong on standard error and end."""
    sys.stdout.flush()
    click.echo(message, err=True)
    sys.exit(status)
