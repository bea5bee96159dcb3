"""A configuration that can be used: what there is, and what should not stay so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from daemon import access
from daemon.doctor.findings import OK, WARNING, Finding
from daemon.edges.settings import Settings
from daemon.fits import titled
from daemon.table.fitting import unlent
from drivers.catalog import DRIVERS
from drivers.driver import Driver

NUMBERED = re.compile(r"/dev/(tty(USB|ACM)|input/event)\d+")


def usable(settings: Settings) -> Finding:
    """That it can be used, and what there is."""
    document = settings.document
    facts = {
        "sensors": len(document.sensors), "decks": len(document.decks),
        "rulebook": document.rulebook,
    }  # fmt: skip
    return Finding(OK, "config", "config-ok", facts=facts)


def remarks(settings: Settings, drivers: Sequence[Driver] = DRIVERS) -> list[Finding]:
    """Each with `where` it stands in the file.

    The kernel numbers ports in the order in which it finds them: after a start or a replug another
    reader may have the number.
    """
    known = {driver.name: driver for driver in drivers}
    found = []

    def remark(what: str, path: str, name: str, **facts: str) -> None:
        facts["where"] = titled(path, name)
        found.append(Finding(WARNING, "config", what, facts=facts))

    for number, fit in enumerate(settings.document.sensors):
        path = f"sensors[{number}]"
        if NUMBERED.fullmatch(fit.port):
            remark("remark-numbered", f"{path}.port", fit.name, port=fit.port)
        for antenna in unlent(known[fit.driver].senses, fit.antennas):
            place, where = fit.antennas[antenna], f"{path}.antennas.{antenna}"
            remark("remark-unlent", where, fit.name, driver=fit.driver, place=place)
    broker = msgspec.structs.asdict(settings.document.broker)
    return [*found, *of_the_broker(broker, settings.source, settings.document.table)]


def of_the_broker(broker: Mapping[str, object], source: Path, name: str) -> Iterator[Finding]:
    """What should not stay so of a `[broker]`; `name` is whose a certificate should be."""
    for where, what, facts in access.remarks(broker, source, name, datetime.now(UTC)):
        yield Finding(WARNING, "config", f"remark-{what}", facts={"where": where, **facts})
