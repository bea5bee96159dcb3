"""The commands for journals, thin: arguments in, exit status out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from daemon import sealkeys
from daemon.cli_shared import FAILED, FILE, fail, say
from daemon.edges.journal import (
    JournalError,
    hold,
    new_pair,
    opened,
    parts_kept,
    read_noted,
    with_private,
)
from daemon.edges.journal import release as released
from daemon.edges.journal import verify as verified


@click.group()
def journal() -> None:
    """Journals: as they were written? opened, held, listed."""


@journal.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="JOURNAL…")
@click.option("--heads", type=FILE, help="Where the daemon noted the chain's heads.")
@click.option("--head", "shows_head", is_flag=True, help="Show the chain's head, to be noted.")
def verify(files: tuple[Path, ...], heads: Path | None, *, shows_head: bool) -> None:
    """Whether journals, and the parts that follow, are as they were written.

    Exit status 1 where one is not, with the first file and line that differs.
    """
    try:
        found = verified(files, read_noted(heads) if heads else None)
    except JournalError as error:
        fail(str(error))
    for each in found:
        for path, what in each.remarks:
            say(f"{path}: {what}")
        state = "has no chain" if each.head is None else "as written"
        say(f"{each.name}: {state}; {each.parts} parts, {each.lines} lines")
        if shows_head and each.head:
            say(f"{each.name}: {each.head}")


@journal.command()
@click.argument("file", type=FILE, metavar="FILE")
def key(file: Path) -> None:
    """Make a pair of keys: FILE for surveillance alone, FILE.pub for the tables."""
    private, public = new_pair()
    pub = file.with_name(f"{file.name}.pub")
    _make(file, sealkeys.written("private", private), 0o600)
    _make(pub, sealkeys.written("public", public), 0o644)
    say(f"{file}: opens; keep it where no table is, and a copy of it")
    say(f'{pub}: closes; for [journal] seal = "…" ({sealkeys.told(public)})')


def _make(path: Path, text: str, mode: int) -> None:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, mode), "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        fail(f"{path}: cannot be made: {error.strerror}")


@journal.command("open")
@click.argument("sealed", type=FILE, metavar="JOURNAL")
@click.option("--key", "key_file", type=FILE, required=True, help="The file of the private key.")
def open_(sealed: Path, key_file: Path) -> None:
    """A sealed journal, and the parts that follow, on standard output as a plain one.

    What does not open is told on standard error and left out; exit status 1 then.
    """
    try:
        private = sealkeys.read("private", key_file.read_bytes()[: sealkeys.TEXT_BYTES_MAX])
    except OSError as error:
        fail(f"{key_file}: cannot be read: {error.strerror}")
    except sealkeys.KeyMistake as mistake:
        fail(f"{key_file}: {mistake}")
    is_whole = True
    try:
        for line in opened(sealed, with_private(private)):
            if isinstance(line, JournalError):
                is_whole = False
                click.echo(str(line), err=True)
            else:
                say(line.decode(errors="replace"))
    except JournalError as error:
        fail(str(error))
    sys.exit(0 if is_whole else FAILED)


@journal.command("hold")
@click.argument("hand")
@click.argument("folder", type=FILE)
@click.option("--release", "is_release", is_flag=True, help="Hold it no longer.")
def hold_(hand: str, folder: Path, *, is_release: bool) -> None:
    """Hold a hand: its parts of the journal in FOLDER are never let go.

    HAND is an alert's id, or a journal and a hand as in 20261129T201331Z:12, or a whole journal.
    """
    try:
        if is_release:
            released(folder, hand)
            return
        for path in hold(folder, hand):
            say(f"{path}: held")
    except JournalError as error:
        fail(str(error))


@journal.command("list")
@click.argument("folder", type=FILE)
def list_(folder: Path) -> None:
    """The parts in FOLDER, oldest first: size, hands, what they are held for."""
    try:
        parts = parts_kept(folder)
    except JournalError as error:
        fail(str(error))
    for part in parts:
        hands = f"hands {part.hands[0]} to {part.hands[-1]}" if part.hands else "no hand"
        held = f"; held: {', '.join(part.held_for)}" if part.held_for else ""
        say(f"{part.path.name}  {part.size / 1e6:.1f} MB  {hands}{held}")
