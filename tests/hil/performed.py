"""A scenario of tests/hil/scenarios performed: on ptys, over TCP, or out of recorded bytes.

What is told of alerts must be the same each time, byte for byte, but for what cannot be: the
table's name and the journal's opening in ids, and the times.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec

from daemon.alarms.alert import line
from daemon.demo.live import LiveTable, Outlet
from daemon.demo.stage import Pause, Polled, Wait
from daemon.demo.table_fit import Devices, configuration, decks, write_configuration
from daemon.edges.journal import read_header, read_journal
from daemon.edges.settings import layout, read_settings
from daemon.signals import Chunk, Signal
from daemon.table.cards import CARDS, DECK
from daemon.transcript import signals
from drivers.simulated.rig import on_pty, on_tcp
from tests.conftest import Broker
from tests.hil.line import (
    SOON_S,
    SPEED,
    Subscriber,
    house,
    journal_beside,
    subscribed,
    watched,
)
from tests.hil.lines import Lines
from tests.scenario import Case, Table, read_cases

FOLDER = Path(__file__).parent
SEATS = 3
AWAY_MS = 500  # what a hand does at a reader that is not there
# A sensor may be away for as long as a slow machine takes for a scenario.
PATIENT = house(sensor_grace_s=3600)
SPOILT_MS = 1200  # and behind a move that a bad line may bring late
OUTLETS: dict[str, Outlet] = {"pty": on_pty, "tcp": lambda _link, faults: on_tcp(faults)}

_TIMES = re.compile(rb'"(at_ms|known_ms)":\d+')
_CLOCK = re.compile(rb'"at":"[^"]*"')


@dataclass(frozen=True)
class Outcome:
    """What was told of a hand: every transition of its alerts, and whether all of it was seen."""

    alerts: tuple[bytes, ...]
    seen: bool

    def found(self) -> list[tuple[str, str, str]]:
        """Each alert of the hand at its last but for its closing: irregularity, subject, state."""
        told = [
            alert
            for alert in map(msgspec.json.decode, self.alerts)
            if alert["state"] != "closed" and alert["subject"] != "table"
        ]
        last = {alert["id"]: alert for alert in told}
        return [(one["irregularity"], one["subject"], one["state"]) for one in last.values()]


def cases() -> dict[str, Case]:
    """Every case of every scenario by its name: its file's, and its number there."""
    found = {}
    for path in sorted((FOLDER / "scenarios").glob("*.txt")):
        for number, case in enumerate(read_cases(path), 1):
            found[f"{path.stem}-{number}"] = case
    return found


def expected(case: Case) -> list[tuple[str, str, str]]:
    """What the scenario says is found, in the order in which it is first told."""
    return case.finds


def is_seen(case: Case) -> bool:
    """Whether the scenario says that the hand is fully seen."""
    return all(step.verb != "unseen" for step in case.steps)


def alike(payload: bytes, table: str, journal: str) -> bytes:
    """An alert's words without what differs from one run to the next."""
    words = payload.replace(f'"{table}:{journal}:'.encode(), b'"table:journal:')
    words = words.replace(f'"table":"{table}"'.encode(), b'"table":"table"')
    return _CLOCK.sub(b'"at":""', _TIMES.sub(rb'"\1":0', words))


# --- on lines ------------------------------------------------------------------------------------


async def performed(name: str, case: Case, kind: str, folder: Path, broker: Broker) -> Outcome:
    """The case at a table of its own; its journal stays in the folder."""
    own = f"{name}-{kind}"
    live = LiveTable(own, folder, broker.url, Random(name), SEATS)
    lines = Lines(live)
    lines.fit(case.steps)
    async with subscribed(broker.port, own) as heard:
        async with watched(live, outlet=OUTLETS[kind], make_line=PATIENT):
            await heard.until(lambda: heard.state(own, "seats") == "ok")
            await _perform(case, live, lines, heard)
            await heard.until(lambda: heard.hand(own).get("hand", "") is None)
        await heard.until_left(own)
    alerts = [
        payload
        for topic, payload in heard.said
        if f"/{own}/log/" in topic and payload and not topic.endswith("/surveillance")
    ]
    seen = all(word.get("seen", True) for word in heard.hands(own))
    opened = read_header(journal_beside(live.configuration)).name
    return Outcome(tuple(alike(payload, own, opened) for payload in alerts), seen)


async def _perform(case: Case, live: LiveTable, lines: Lines, heard: Subscriber) -> None:
    named = {word for step in case.steps for word in step.words if word in CARDS}
    table = Table(tuple(card for card in DECK if card not in named))
    stage = live.stage(SPEED)
    for step in case.steps:
        match (step.verb, *step.words):
            case ("line", *words):
                await lines.do(tuple(words))
            case ("told", sensor, state):
                await heard.until(
                    lambda sensor=sensor, state=state: heard.state(live.name, sensor) == state
                )
            case ("pause", ms):
                await live.perform([Pause(int(ms))])
            case ("unseen",):
                pass
            case _:
                told = len(table.events)
                table.tell(step)
                waits = stage.play(table.events[told:])
                await asyncio.wait_for(live.perform(_bearable(waits, live, lines)), 3 * SOON_S)


def _bearable(waits: Iterator[Wait], live: LiveTable, lines: Lines) -> Iterator[Wait]:
    """The same waits, with nothing that a reader which is away would never let end."""
    names = {id(device): name for name, device in live.devices.named().items()}
    for wait in waits:
        if isinstance(wait, Polled) and names[id(wait.reader)] in lines.away:
            yield Pause(AWAY_MS)
        else:
            yield wait
    if lines.spoilt:
        yield Pause(SPOILT_MS)


# --- out of recorded bytes -----------------------------------------------------------------------


def recording(name: str) -> Path:
    """Where the bytes are that a run on ptys has brought, as its journal."""
    return FOLDER / "recorded" / f"{name}.journal.gz"


def keep(name: str, journal: Path, live_name: str) -> None:
    """Keep a run's journal as the recording of this case, with no path in it."""
    head, *rest = journal.read_bytes().splitlines(keepends=True)
    header = msgspec.json.decode(head.removeprefix(b"#! "))
    header |= {"table": name, "config": "table.toml", "digest": ""}
    kept = b"#! " + msgspec.json.encode(header) + b"\n" + b"".join(rest)
    kept = kept.replace(f'"{live_name}'.encode(), f'"{name}'.encode())
    recording(name).write_bytes(gzip.compress(kept, mtime=0))


def replayed(name: str, folder: Path, cut: Callable[[Signal], list[Signal]]) -> Outcome:
    """The recorded bytes through the line, each chunk as `cut` cuts it."""
    journal = folder / f"{name}.journal"
    journal.write_bytes(gzip.decompress(recording(name).read_bytes()))
    path = folder / "table.toml"
    ports = {sensor: f"/dev/serial/{sensor}" for sensor in Devices(SEATS).named()}
    fitted = configuration(name, "mqtt://127.0.0.1:1883", ports, decks(Random(name)))
    write_configuration(path, fitted)
    header = read_header(journal)
    pipeline = PATIENT(layout(read_settings(path), header.opened))
    alerts, seen = [], True
    for signal in signals(read_journal(journal)):
        for one in cut(signal):
            alerts += [line(alert) for alert in pipeline.step(one)]
        seen &= pipeline.hand_view().get("seen", True)
    return Outcome(tuple(alike(payload, name, header.name) for payload in alerts), seen)


def whole(signal: Signal) -> list[Signal]:
    return [signal]


def bytewise(signal: Signal) -> list[Signal]:
    if not isinstance(signal, Chunk):
        return [signal]
    return [Chunk(signal.at_ms, signal.port, bytes((byte,))) for byte in signal.data]
