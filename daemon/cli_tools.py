"""The technician's commands, thin: arguments in, exit status out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from daemon.cli_shared import FILE, UNUSABLE, fail, read_table
from daemon.doctor.run import doctor as examine
from daemon.doctor.words import LANGUAGES
from daemon.shaped import SettingsError
from daemon.sniff.fit import Fit, by_hand, of_config
from daemon.sniff.run import Wish
from daemon.sniff.run import sniff as listen
from daemon.transcript import PORT_NAME

CONFIGS = Path("/etc/floorcall")  # where the unit has its configurations,
STATES = Path("/var/lib/floorcall")  # and where it keeps each table's journal


@click.command()
@click.argument("port", required=False)
@click.option("--driver", metavar="NAME", help="How the device talks.")
@click.option("--antennas", metavar="N,N", help="The antennas to poll; all by default.")
@click.option("--config", type=FILE, help="A table's configuration: --sensor is one of it.")
@click.option("--sensor", metavar="NAME", help="The sensor; without --config a name to record by.")
@click.option("--show-uids", is_flag=True, help="Tags by their UID; by numbers otherwise.")
@click.option("--record", type=FILE, metavar="FILE", help="A journal for `floorcall replay`.")
@click.option("--seconds", type=click.FloatRange(0.1), help="End by itself after so long.")
def sniff(  # noqa: PLR0913 - one for each option
    *,
    port: str | None,
    driver: str | None,
    antennas: str | None,
    config: Path | None,
    sensor: str | None,
    show_uids: bool,
    record: Path | None,
    seconds: float | None,
) -> None:
    """Readings as they come on one port, and what is wrong with them; Ctrl-C ends it.

    No card is ever shown. PORT may be left out where --config and --sensor name it.
    """
    if sensor is not None and not PORT_NAME.fullmatch(sensor):
        raise click.UsageError("--sensor: must be 1 to 32 of A-Z a-z 0-9 . _ -")
    fit: Fit | str
    if config is not None:
        if sensor is None:
            raise click.UsageError("--config needs --sensor")
        if port or driver or antennas:
            raise click.UsageError("PORT, --driver and --antennas are the configuration's")
        try:
            fit = of_config(config, sensor)
        except SettingsError as error:
            fail(str(error), UNUSABLE)
    elif port is None or driver is None:
        raise click.UsageError("give PORT and --driver, or --config and --sensor")
    else:
        fit = by_hand(port, driver, _numbers(antennas), sensor)
    if isinstance(fit, str):
        raise click.UsageError(fit)
    sys.exit(listen(fit, Wish(show_uids=show_uids, record=record, seconds=seconds)))


@click.command()
@click.argument("config", type=FILE)
@click.option("--lang", type=click.Choice(list(LANGUAGES)), help="The table's first by default.")
def doctor(config: Path, lang: str | None) -> None:
    """What is wrong with a table, all at once, and what to do; some 15 seconds at most.

    A running daemon is not disturbed: it is asked instead of its ports.
    """
    state = STATES / config.stem
    if config.absolute().parent == CONFIGS and os.path.isdir(state):  # noqa: PTH112 - may be closed to this user
        os.environ.setdefault("STATE_DIRECTORY", str(state))
    settings, book, _ = read_table(config)
    spoken = [one for one in settings.document.languages if one in LANGUAGES]
    language = lang or next(iter(spoken), "en")
    sys.exit(examine(settings, book.parameters.deck_life_days, language))


def _numbers(listed: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in listed.split(",")) if listed else ()
    except ValueError:
        raise click.UsageError("--antennas: must be numbers, as in 1,2") from None
