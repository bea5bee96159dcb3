"""A device on a port that nobody has: does it answer, at which speed, and what lies on it."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from daemon.doctor.findings import NOTE, OK, WARNING, WRONG, Finding
from daemon.document import SensorFit
from drivers.driver import Driver
from drivers.port import Ear, Port
from drivers.port.keyboard import is_input
from drivers.port.reasons import NO_CALL, SILENT
from drivers.readings import Garbled, Inventory, Missing, Reading, Started, TagSeen

IDENTIFY_S = 4.0  # a PN532 answers within 1.5 s of its waking, a line device beats each second
LOOK_S = 1.5  # some ten polls of every antenna
OTHER_S = 1.6
BAUDS = (115200, 9600, 38400, 57600, 19200)  # what such devices are sold or set with
HEARD_MAX = 4096
ECHO_LEAST = 6
MODEL_MAX = 40
TAGS_MAX = 1024
PATIENCE = {SILENT, NO_CALL}  # it may still speak, or call


@dataclass(slots=True)
class Heard:
    """What was heard on one port at one speed."""

    good: int = 0
    garbled: Counter[str] = field(default_factory=Counter)
    model: str = ""
    trouble: str = ""
    tags: dict[int, set[str]] = field(default_factory=dict)
    received: bytearray = field(default_factory=bytearray)
    sent: bytearray = field(default_factory=bytearray)

    @property
    def is_echo(self) -> bool:
        """Whether what came is only what was said."""
        size = len(self.received)
        return size >= ECHO_LEAST and self.sent[:size] == self.received

    def take(self, reading: Reading) -> None:
        match reading:
            case Garbled(reason):
                self.garbled[reason] += 1
                return
            case Missing():
                return
            case Inventory(tags):
                for antenna, uid in tags:
                    self._tag(antenna, uid)
            case TagSeen(antenna, uid):
                self._tag(antenna, uid)
            case Started(model, firmware):
                words = f"{model} {firmware}".strip()[:MODEL_MAX]
                self.model = "".join(letter if letter.isprintable() else "?" for letter in words)
            case _:
                pass
        self.good += 1

    def _tag(self, antenna: int, uid: str) -> None:
        if len(self.tags) < TAGS_MAX and len(self.tags.get(antenna, ())) < TAGS_MAX:
            self.tags.setdefault(antenna, set()).add(uid)


async def hear(address: str, driver: Driver, antennas: tuple[int, ...], for_s: float, look_s: float
) -> Heard:  # fmt: skip
    """Ask as the driver asks, until something good came and `look_s` longer, or for `for_s`."""
    heard, decoder, good = Heard(), driver.decoder(), asyncio.Event()

    def bytes_came(data: bytes) -> None:
        heard.received += data[: HEARD_MAX - len(heard.received)]
        for reading in decoder.feed(data):
            heard.take(reading)
        if heard.good and not heard.is_echo:
            good.set()

    def said(data: bytes) -> None:
        heard.sent += data[: HEARD_MAX - len(heard.sent)]

    def lost(why: str) -> None:
        heard.trouble = why
        if why not in PATIENCE:
            good.set()

    ear = Ear(on_bytes=bytes_came, on_lost=lost, on_back=lambda: None, on_sent=said)
    task = asyncio.create_task(Port(address, driver, ear, antennas=antennas).run())
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(for_s):
                await good.wait()
        if heard.good:
            await asyncio.sleep(look_s)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return heard


async def reader(
    fit: SensorFit, driver: Driver, known: frozenset[str], *, cards: Mapping[int, str]
) -> list[Finding]:
    """What is to be said of the device behind this sensor's port.

    `known` are the tags of the decks; `cards` the antennas that read cards, with their places. At
    another speed it is only looked for where the port has one.
    """
    antennas = tuple(sorted(int(antenna) for antenna in fit.antennas))
    heard = await hear(fit.port, driver, antennas, IDENTIFY_S, LOOK_S if cards else 0)
    facts: dict[str, object] = {"port": fit.port, "driver": driver.name, "baud": driver.baud}
    if heard.good and not heard.is_echo:
        what = "reader-ok" if heard.model else "reader-answers"
        answers = Finding(OK, "sensor", what, fit.name, facts | {"model": heard.model})
        return [answers, *_on_antennas(fit.name, heard, known, cards)]
    if heard.trouble == NO_CALL:
        return [Finding(WARNING, "sensor", "reader-uncalled", fit.name, facts)]
    if heard.trouble and heard.trouble != SILENT:
        facts |= {"reason": heard.trouble}
        return [Finding(WRONG, "sensor", "reader-port", fit.name, facts)]
    if heard.is_echo:
        return [Finding(WRONG, "sensor", "reader-echo", fit.name, facts)]
    other = await _other_baud(fit, driver, antennas)
    if other is not None:
        facts |= {"other": other}
        return [Finding(WRONG, "sensor", "reader-other-baud", fit.name, facts)]
    if heard.garbled:
        facts |= {"garbled": dict(heard.garbled)}
        return [Finding(WRONG, "sensor", "reader-garbled", fit.name, facts)]
    if driver.silent_after_ms is None:
        return [Finding(WARNING, "sensor", "reader-quiet", fit.name, facts)]
    return [Finding(WRONG, "sensor", "reader-silent", fit.name, facts)]


async def _other_baud(fit: SensorFit, driver: Driver, antennas: tuple[int, ...]) -> int | None:
    """The first of the usual speeds at which the device answers, None where it has none."""
    if not _has_speed(fit.port):
        return None
    for baud in BAUDS:
        if baud != driver.baud:
            row = replace(driver, baud=baud)
            heard = await hear(fit.port, row, antennas, OTHER_S, 0)
            if heard.good and not heard.is_echo:
                return baud
    return None


def _has_speed(address: str) -> bool:
    """Whether the line behind it is a real one: a network, a keyboard and a pty have no speed."""
    is_path = "://" not in address and not is_input(address)
    return is_path and not os.path.realpath(address).startswith("/dev/pts/")


def _on_antennas(
    name: str, heard: Heard, known: frozenset[str], cards: Mapping[int, str]
) -> list[Finding]:
    """Which antennas have read something now, and how many tags of no deck; never which tags."""
    found = []
    read = [antenna for antenna in cards if heard.tags.get(antenna)]
    unread = [antenna for antenna in cards if not heard.tags.get(antenna)]
    if read:
        facts: dict[str, object] = {"antennas": _listed(read, cards)}
        found.append(Finding(OK, "sensor", "antennas-read", name, facts))
    if unread:
        facts = {"antennas": _listed(unread, cards)}
        found.append(Finding(NOTE, "sensor", "antennas-unread", name, facts))
    unknown = {uid for antenna in read for uid in heard.tags[antenna]} - known
    if unknown:
        facts = {"count": len(unknown)}
        found.append(Finding(WARNING, "sensor", "tags-unknown", name, facts))
    return found


def _listed(antennas: list[int], places: Mapping[int, str]) -> str:
    return ", ".join(f"antenna {antenna} ({places[antenna]})" for antenna in sorted(antennas))
