"""The commands for journals, thin: arguments in, exit status out."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.cli_shared import FILE, fail, say
from daemon.edges.journal import JournalError, read_noted
from daemon.edges.journal import verify as verified


@click.group()
def journal() -> None:
    """Journals: are they as they were written, opened, held."""


@journal.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="JOURNAL…")
@click.option("--heads", type=FILE, help="Where the daemon noted the chain's head.")
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
