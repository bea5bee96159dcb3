"""A configuration that can be used: what there is, and what should not stay so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

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
    return [*found, *_of_the_broker(settings)]


def _of_the_broker(settings: Settings) -> Iterator[Finding]:
    broker, table = msgspec.structs.asdict(settings.document.broker), settings.document.table
    for where, what, facts in access.remarks(broker, settings.source, table, datetime.now(UTC)):
        yield Finding(WARNING, "config", f"remark-{what}", facts={"where": where, **facts})
