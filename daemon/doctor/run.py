"""`floorcall doctor`, wired: every probe at once, each with a deadline, then one screen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import click

from daemon.doctor.broker import Answer, Login, broker
from daemon.doctor.clock import clock
from daemon.doctor.decks import decks, secrets
from daemon.doctor.disk import disk
from daemon.doctor.findings import LEVELS, NOTE, OK, WARNING, WRONG, Finding, is_well
from daemon.doctor.holders import DAEMON, Holder, locked_by
from daemon.doctor.ports import look, unprivileged
from daemon.doctor.readers import reader
from daemon.doctor.words import LANGUAGES, heading, said
from daemon.document import SensorFit
from daemon.edges.settings import Settings, remarks
from daemon.messages import Address, Topics, address
from daemon.table.layout import Sensor, at_seats
from drivers.catalog import DRIVERS

PROBE_S = 14.0
COLOURS = {OK: "green", NOTE: "bright_black", WARNING: "yellow", WRONG: "red"}
ROWS = {driver.name: driver for driver in DRIVERS}
SEATS_SILENT = "sensors at seats: silent"

Result = TypeVar("Result")


def doctor(settings: Settings, deck_days: int, language: str) -> int:
    """Say all there is to say of this table; 0 where nothing is wrong, else 1.

    `deck_days` is how old a deck may become in this house, 0 for no limit.
    """
    findings = asyncio.run(_Visit(settings, deck_days).findings())
    for text in _screen(settings, findings, language):
        click.echo(text)
    return 0 if is_well(findings) else 1


class _Visit:
    """One table looked at once."""

    def __init__(self, settings: Settings, deck_days: int) -> None:
        self._settings = settings
        self._deck_days = deck_days
        self._document = settings.document
        self._topics = Topics(self._document.site, self._document.table)

    async def findings(self) -> list[Finding]:
        """Every probe's, in the order of the configuration; takes `PROBE_S` at most."""
        settings, document = self._settings, self._document
        daemon = locked_by(settings.journal_folder)
        brokers = [asyncio.create_task(self._broker(url)) for url in document.broker.urls]
        status = asyncio.create_task(_first_status(brokers))
        known = frozenset(settings.tags)
        pairs = zip(document.sensors, settings.sensors, strict=True)
        parts: list[Coroutine[Any, Any, list[Finding]]] = [
            self._daemon(daemon, status),
            *(
                _within(self._sensor(fit, sensor, daemon, status, known), "sensor", fit.name)
                for fit, sensor in pairs
            ),
            _brokers(brokers),
            _within(_aside(lambda: clock(settings.journal_folder)), "clock"),
            _within(_aside(lambda: disk(settings.journal_folder)), "journal"),
            _within(_aside(self._decks), "deck"),
        ]
        config = Finding(OK, "config", "config-ok", facts={
            "sensors": len(document.sensors), "decks": len(document.decks),
            "rulebook": document.rulebook,
        })  # fmt: skip
        found = await asyncio.gather(*parts)
        remarked = [
            Finding(WARNING, "config", "config-remark", facts={"where": where, "remark": what})
            for where, what in remarks(settings)
        ]
        return [
            config,
            *remarked,
            *unprivileged(),
            *(finding for part in found for finding in part),
        ]

    # --- the parts ---

    async def _broker(self, url: str) -> Answer:
        place, settings = address(url), self._settings
        assert isinstance(place, Address)  # the settings are checked
        login = Login(settings.client, settings.access)
        try:
            async with asyncio.timeout(PROBE_S):
                return await _aside(lambda: broker(url, place, login, self._topics))
        except TimeoutError:
            return Answer((_late("broker", url),))

    async def _daemon(
        self, daemon: Holder | None, asked: asyncio.Task[dict[str, Any] | None]
    ) -> list[Finding]:
        """The running daemon's own word on everything but its sensors."""
        if daemon is None:
            return []
        facts: dict[str, object] = {"who": daemon}
        status = await asyncio.shield(asked)
        if status is None:
            return [Finding(WARNING, "daemon", "daemon-off", facts=facts)]
        if status.get("state") != "online":
            return [Finding(WARNING, "daemon", "daemon-says-off", facts=facts)]
        names = {fit.name for fit in self._document.sensors}
        others = [
            trouble
            for trouble in _troubles(status)
            if trouble != SEATS_SILENT and _sensor_of(trouble) not in names
        ]
        return [
            Finding(OK, "daemon", "daemon-runs", facts=facts),
            *(
                Finding(WARNING, "daemon", "daemon-trouble", facts={"trouble": trouble})
                for trouble in others
            ),
        ]

    async def _sensor(
        self,
        fit: SensorFit,
        sensor: Sensor,
        daemon: Holder | None,
        asked: asyncio.Task[dict[str, Any] | None],
        known: frozenset[str],
    ) -> list[Finding]:
        """A port, and what is behind it; where the daemon has it, the daemon's word."""
        seen = await _aside(lambda: look(fit.name, fit.port))
        found = list(seen.findings)
        if daemon is not None:
            found += _told(fit, sensor, await asyncio.shield(asked))
        elif seen.holder is not None and seen.holder.name == DAEMON:
            facts = {"port": fit.port, "who": seen.holder}
            found.append(Finding(WRONG, "sensor", "port-ours", fit.name, facts))
        elif seen.is_free:
            found += await reader(fit, ROWS[fit.driver], known, cards=sensor.places)
        return found

    def _decks(self) -> list[Finding]:
        settings, named = self._settings, self._document.decks
        found = decks(settings.source, named, settings.decks, self._deck_days)
        return [*found, *secrets(settings.access)]


def _told(fit: SensorFit, sensor: Sensor, status: dict[str, Any] | None) -> list[Finding]:
    """What the daemon's status says of a sensor; of readers at seats only that one is silent."""
    if status is None or status.get("state") != "online":
        return [Finding(NOTE, "sensor", "daemon-unknown", fit.name)]
    troubles = _troubles(status)
    if at_seats(sensor) and SEATS_SILENT in troubles:
        return [Finding(WRONG, "sensor", "daemon-seats", fit.name)]
    own = [trouble for trouble in troubles if _sensor_of(trouble) == fit.name]
    if not own:
        return [Finding(OK, "sensor", "daemon-reads", fit.name)]
    return [
        Finding(
            WARNING if ": antenna " in trouble else WRONG,
            "sensor",
            "daemon-lost",
            fit.name,
            {"trouble": trouble},
        )
        for trouble in own
    ]


def _troubles(status: dict[str, Any]) -> list[str]:
    listed = status.get("troubles")
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _sensor_of(trouble: str) -> str | None:
    """The sensor that a trouble is about, as `SensorStates` and `Figures` put it."""
    name, colon, _ = trouble.removeprefix("sensor ").partition(":")
    return name if colon and trouble.startswith("sensor ") else None


async def _brokers(brokers: Sequence[asyncio.Task[Answer]]) -> list[Finding]:
    """Of several brokers one is enough: that the others are away is then a warning."""
    answers = await asyncio.gather(*brokers)
    is_one_well = any(is_well(answer.findings) for answer in answers)
    found = [finding for answer in answers for finding in answer.findings]
    if not is_one_well:
        return found
    return [_milder(finding) for finding in found]


def _milder(finding: Finding) -> Finding:
    if finding.level != WRONG:
        return finding
    return Finding(WARNING, finding.part, finding.what, finding.name, finding.facts)


async def _first_status(brokers: Sequence[asyncio.Task[Answer]]) -> dict[str, Any] | None:
    """The daemon's status at the first broker that has one, best one that says online."""
    kept = [answer.status for answer in await asyncio.gather(*brokers) if answer.status]
    online = [status for status in kept if status.get("state") == "online"]
    return next(iter([*online, *kept]), None)


async def _within(
    probe: Coroutine[Any, Any, list[Finding]], part: str, name: str = ""
) -> list[Finding]:
    try:
        async with asyncio.timeout(PROBE_S):
            return await probe
    except TimeoutError:
        return [_late(part, name)]


def _late(part: str, name: str) -> Finding:
    return Finding(WRONG, part, "late", name, {"seconds": round(PROBE_S)})


async def _aside(call: Callable[[], Result]) -> Result:
    """Call it in a thread that nobody waits for at the end: what hangs there hangs alone."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(call: Callable[[], None]) -> None:
        if not done.cancelled():
            call()

    def work() -> None:
        try:
            found = partial(done.set_result, call())
        except Exception as bug:  # noqa: BLE001 - raised again where it is waited for
            found = partial(done.set_exception, bug)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found)

    threading.Thread(target=work, name="probe", daemon=True).start()
    return await done


# --- the screen ---


def _screen(settings: Settings, findings: Sequence[Finding], language: str) -> Iterator[str]:
    words = LANGUAGES[language]
    document = settings.document
    yield f"floorcall doctor: {words['table'].format(table=document.table, site=document.site)}"
    yield ""
    marks = max(len(words[level]) for level in LEVELS)
    width = max(len(heading(finding, words)) for finding in findings)
    last = ""
    for finding in findings:
        part = heading(finding, words)
        mark = click.style(f"{words[finding.level]:<{marks}}", fg=COLOURS[finding.level])
        what, advice = said(finding, words)
        yield f"  {mark}  {part if part != last else '':<{width}}  {what}"
        if advice is not None and finding.level != OK:
            yield f"  {'':<{marks}}  {'':<{width}}  {words['do']}: {advice}"
        last = part
    counts = {level: sum(one.level == level for one in findings) for level in LEVELS}
    end = "not-well" if counts[WRONG] else "all-well"
    yield ""
    yield words[end].format(wrong=counts[WRONG], warnings=counts[WARNING])
