"""`make chaos`: hands and faults at random, for real, and what became of every alert."""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from pathlib import Path

import click

from tests.chaos.real import Evening


@click.command()
@click.option("--seconds", default=120.0, show_default=True, help="Of faults; the end takes more.")
@click.option("--seed", type=int, help="The same one, the same faults at the same times.")
@click.option("--say", is_flag=True, help="What happened, and what the daemon logged, in any case.")
def main(seconds, seed, say):
    """Let everything go wrong and count what arrives; status 1 where that is not all of it."""
    seed = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    click.echo(f"{seconds:g} s of faults, seed {seed}")
    with tempfile.TemporaryDirectory() as name:
        evening = Evening(Path(name), seed, seconds)
        asyncio.run(evening.run())
        click.echo("\n".join(evening.figures.printed()))
        if evening.wrong or say:
            click.echo("\n".join(evening.told()), err=True)
        for words in evening.wrong:
            click.echo(f"wrong: {words}", err=True)
        if evening.wrong:
            click.echo(f"again: make chaos SECONDS={seconds:g} ARGS='--seed {seed}'", err=True)
    sys.exit(1 if evening.wrong else 0)


if __name__ == "__main__":
    main()
