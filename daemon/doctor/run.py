"""`floorcall doctor`, wired: every probe at once, each with a deadline, then one screen."""

from __future__ import annotations

import asyncio
import shutil
import sys
import textwrap
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
from daemon.doctor.remarks import remarks, usable
from daemon.doctor.words import LANGUAGES, counted, heading, said
from daemon.document import SensorFit
from daemon.edges.settings import Settings
from daemon.messages import Address, Topics, address
from daemon.table.layout import Sensor, at_seats
from drivers.catalog import DRIVERS

PROBE_S = 14.0
LINE_LETTERS_MIN = 30  # however narrow the terminal
COLOURS = {OK: "green", NOTE: "bright_black", WARNING: "yellow", WRONG: "red"}
ROWS = {driver.name: driver for driver in DRIVERS}
SEATS_SILENT = "sensors at seats: silent"

Result = TypeVar("Result")


def doctor(settings: Settings, deck_days: int, language: str) -> int:
    """Say all there is to say of this table; 0 where nothing is wrong, else 1.

    `deck_days` is how old a deck may become in this house, 0 for no limit.
    """
    findings = asyncio.run(_Visit(settings, deck_days).findings())
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for text in _screen(settings, findings, language, columns):
        click.echo(text)
    return 0 if is_well(findings) else 1


class _Visit:
    """One table looked at once."""

    def __init__(self, settings: Settings, deck_days: int) -> None:
        self._settings = settings
        self._deck_days = deck_days
        self._document = settings.document
        self._topics = Topics(self._document.site, self._document.table)
        self._unit = settings.source.stem

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
        found = await asyncio.gather(*parts)
        return [
            usable(settings),
            *remarks(settings),
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
        names, troubles = {fit.name for fit in self._document.sensors}, _troubles(status)
        others = [
            trouble
            for trouble in troubles
            if trouble != SEATS_SILENT and _sensor_of(trouble) not in names
        ]
        seats = Finding(WRONG, "daemon", "daemon-seats", facts={"unit": self._unit})
        return [
            Finding(OK, "daemon", "daemon-runs", facts=facts),
            *([seats] if SEATS_SILENT in troubles else []),
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
            found += _told(sensor, await asyncio.shield(asked), self._unit)
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


def _told(sensor: Sensor, status: dict[str, Any] | None, unit: str) -> list[Finding]:
    """What the daemon's status says of a sensor; of readers at seats only that one is silent."""
    if status is None or status.get("state") != "online":
        return [Finding(NOTE, "sensor", "daemon-unknown", sensor.name)]
    troubles = _troubles(status)
    if at_seats(sensor) and SEATS_SILENT in troubles:
        return [Finding(NOTE, "sensor", "daemon-seat", sensor.name, {"unit": unit})]
    own = [trouble for trouble in troubles if _sensor_of(trouble) == sensor.name]
    if not own:
        return [Finding(OK, "sensor", "daemon-reads", sensor.name)]
    return [
        Finding(
            WARNING if ": antenna " in trouble else WRONG,
            "sensor",
            "daemon-lost",
            sensor.name,
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


def _screen(
    settings: Settings, findings: Sequence[Finding], language: str, columns: int | None
) -> Iterator[str]:
    """The findings in lines of so many columns, no word broken; None: each in one line."""
    words = LANGUAGES[language]
    document = settings.document
    yield f"floorcall doctor: {words['table'].format(table=document.table, site=document.site)}"
    yield ""
    marks = max(len(words[level]) for level in LEVELS)
    width = max(len(heading(finding, words)) for finding in findings)
    margin = " " * (marks + width + 6)
    last = ""
    for finding in findings:
        part = heading(finding, words)
        mark = click.style(f"{words[finding.level]:<{marks}}", fg=COLOURS[finding.level])
        what, advice = said(finding, language)
        first, *more = _folded(what, len(margin), columns)
        yield f"  {mark}  {part if part != last else '':<{width}}  {first}"
        if advice is not None and finding.level != OK:
            more += _folded(f"{words['do']}: {advice}", len(margin), columns)
        yield from (margin + line for line in more)
        last = part
    counts = {level: sum(one.level == level for one in findings) for level in LEVELS}
    end = "not-well" if counts[WRONG] else "all-well"
    yield ""
    yield counted(end, language, wrong=counts[WRONG], warnings=counts[WARNING])


def _folded(text: str, margin: int, columns: int | None) -> list[str]:
    """The text in lines that fit beside the margin; a path longer than that stays whole."""
    if columns is None:
        return [text]
    width = max(columns - margin, LINE_LETTERS_MIN)
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
