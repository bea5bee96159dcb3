"""The floor's commands, thin: arguments in, exit status out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import msgspec

from daemon.cli_shared import FILE, UNUSABLE, fail, say
from daemon.doctor.decks import secrets
from daemon.doctor.findings import OK, Finding
from daemon.doctor.remarks import of_the_broker
from daemon.doctor.words import LANGUAGES, said
from daemon.edges import logs
from daemon.floor.settings import FloorSettings, read_floor_settings
from daemon.shaped import SettingsError

RESCUED = "It is shown this once. Now start the service anew; it must be changed at the login."
WITHOUT = "the floor's side is not installed: pip install 'floorcall[floor]' ({name} is missing)"


@click.command()
@click.option("--config", type=FILE, required=True, help="The floor's configuration.")
@click.option("--log-level", default="info", type=click.Choice(["debug", "info", "warning"]))
@click.option("--rescue", metavar="LOGIN", help="Only give this administrator a new password.")
def floor(config: Path, log_level: str, rescue: str | None) -> None:
    """The floor's side, in the foreground: watches all tables of a site, serves the screens."""
    settings = read_floor(config)
    try:
        from daemon.floor import app  # noqa: PLC0415 - its libraries are an extra
    except ModuleNotFoundError as error:
        fail(WITHOUT.format(name=error.name), UNUSABLE)
    logs.configure(log_level)
    try:
        if rescue is None:
            asyncio.run(app.serve(settings))
        else:
            password = asyncio.run(app.rescue(settings, rescue))
            say(f"login {rescue}, password {password}\n{RESCUED}")
    except app.Unusable as error:
        fail(f"{config} is not usable:\n  {error}", UNUSABLE)
    except OSError as error:
        web = settings.document.web  # what has no file's name is its address
        what = error.filename or f"{web.listen} port {web.port}"
        fail(f"{what}: {error.strerror or 'the floor cannot be served'}")


def check_floor(config: Path, lang: str | None) -> None:
    """Every mistake of a floor's configuration, or what there is of it and should not stay so."""
    settings = read_floor(config)
    spoken = lang if lang is not None and lang in LANGUAGES else "en"
    web = settings.document.web
    facts = {"sites": ", ".join(settings.sites), "place": f"{web.listen} {web.port}"}
    say(f"{config}: {said(Finding(OK, 'config', 'floor-ok', facts=facts), spoken)[0]}")
    broker = msgspec.structs.asdict(settings.document.broker)
    found = [*of_the_broker(broker, config, settings.access.name or ""), *secrets(settings.access)]
    for remark in found:
        say(f"  {'. '.join(filter(None, said(remark, spoken)))}")


def read_floor(config: Path) -> FloorSettings:
    """The floor's configuration, or all its mistakes and status 78."""
    try:
        return read_floor_settings(config)
    except SettingsError as error:
        fail(str(error), UNUSABLE)
