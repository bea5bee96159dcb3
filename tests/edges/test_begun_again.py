"""Trials of stopping and of beginning again, after reports from the field: the daemon whole."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiomqtt
import msgspec
import pytest

from daemon.alarms.alert import Alert
from daemon.app import App
from daemon.edges.journal import Journal, open_journal, read_journal
from daemon.edges.mqtt import link as mqtt
from daemon.edges.outbox.shelf import FILE
from daemon.signals import Chunk, Order, PortBack, Signal
from daemon.table.layout import Layout
from daemon.transcript import Header, Published
from tests.conftest import Broker, free_port
from tests.edges.conftest import PATIENCE_S, Recorder, listening
from tests.edges.test_app import DRIVER, Letterwise, at, configured, felt
from tests.edges.test_mqtt import hasty
from tests.edges.trials import bare
from tests.edges.way import Way

Make = Callable[..., Alert]
__all__ = ["hasty"]

ROOT = Path(__file__).parents[2]
NOBODY = "mqtt://127.0.0.1:1"


class Heeding(Letterwise):
    """Tells when a signal has come."""

    def __init__(self, make: Make, layout: Layout) -> None:
        super().__init__(make, layout)
        self.news = asyncio.Event()

    def step(self, signal: Signal) -> list[Alert]:
        alerts = super().step(signal)
        self.news.set()
        return alerts

    async def until(self, kind: type[Signal]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not any(isinstance(one, kind) for one in self.seen):
                self.news.clear()
                await self.news.wait()


class Run:
    """One run of a table, with its port."""

    def __init__(self, app: App, line: Heeding, near: int) -> None:
        self.app = app
        self.line = line
        self._near = near

    async def read(self, letters: bytes) -> None:
        """Let the sensor say this, and wait until the table has it."""
        self.line.seen.clear()
        os.write(self._near, letters)
        await self.line.until(Chunk)


@asynccontextmanager
async def table(folder: Path, name: str, url: str, make: Make) -> AsyncIterator[Run]:
    lines: list[Heeding] = []

    def make_line(layout: Layout) -> Heeding:
        lines.append(Heeding(make, layout))
        return lines[-1]

    with felt() as (near, port):
        link = folder / "tty"
        link.unlink(missing_ok=True)
        link.symlink_to(port)
        app = App(configured(folder, name, url, str(link)), make_line, [DRIVER])
        lines[-1].seen.clear()  # what an earlier run's journal says
        stop = asyncio.Event()
        task = asyncio.create_task(app.run(stop))
        await lines[-1].until(PortBack)
        try:
            yield Run(app, lines[-1], near)
        finally:
            stop.set()
            async with asyncio.timeout(PATIENCE_S):
                await task


def lines_of(recorder: Recorder, name: str) -> list[bytes]:
    return [bare(payload) for payload in recorder.at(at(name, "log", "floor"))]


def last(recorder: Recorder, name: str) -> bytes:
    """The last status that was heard."""
    return b"".join(recorder.at(at(name, "status"))[-1:])


def published(folder: Path) -> list[bytes]:
    """What the journals say was published."""
    found = []
    for path in sorted((folder / "journal").rglob("*.journal")):
        found += [entry.line for entry in read_journal(path) if isinstance(entry, Published)]
    return found


# --- B31: files that a power cut has spoilt -------------------------------------------------------


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbled(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def of_a_later_version(path: Path) -> None:
    if path.name == FILE:
        spoilt = bytearray(path.read_bytes())
        spoilt[60:64] = (99).to_bytes(4, "big")  # sqlite's user_version
        path.write_bytes(spoilt)
    else:
        path.write_bytes(path.read_bytes().replace(b"journal 1", b"journal 9", 1))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [emptied, zeroed, halved, garbled, of_a_later_version, a_folder])
@pytest.mark.parametrize("which", [FILE, "*.journal", "whole", "figures.json"])
async def test_a_spoilt_file_is_no_reason_not_to_start_and_costs_no_alert(
    broker: Broker, tmp_path: Path, make_alert: Make, which: str, spoil: Callable[[Path], None]
) -> None:
    name = f"spoilt-{which.strip('*.')}-{spoil.__name__}"
    async with table(tmp_path, name, NOBODY, make_alert) as run:
        await run.read(b".A")
    (lost,) = published(tmp_path)
    (path,) = (tmp_path / "journal").rglob(which)
    spoil(path)
    async with (
        listening(broker.host, broker.port, at(name, "#")) as recorder,
        table(tmp_path, name, broker.url, make_alert) as run,
    ):
        await run.read(b"B")
        await recorder.until(lambda: len(lines_of(recorder, name)) == 2)
    assert lines_of(recorder, name)[0] == lost
    assert b'"late":true' in recorder.at(at(name, "log", "floor"))[0]


async def test_what_only_a_journal_knows_that_is_not_gone_on_with_comes_late(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    """The power went with what was not synced: no shelf has it, and no mark vouches for more."""
    name = "only-journaled"
    async with table(tmp_path, name, NOBODY, make_alert) as run:
        await run.read(b".A")
    (lost,) = published(tmp_path)
    for which in (FILE, "whole"):
        (path,) = (tmp_path / "journal").rglob(which)
        path.unlink()
    async with (
        listening(broker.host, broker.port, at(name, "#")) as recorder,
        table(tmp_path, name, broker.url, make_alert),
    ):
        await recorder.until(lambda: lines_of(recorder, name))
    assert lines_of(recorder, name) == [lost]
    assert b'"late":true' in recorder.at(at(name, "log", "floor"))[0]
    assert len(list((tmp_path / "journal").rglob("*.journal"))) == 2  # it was not gone on with


# --- B35, B69: commands that are retained, at every start -----------------------------------------

RETAINED = (
    b"11", b"null", b"[]", b"{}", b"true", b'"x"', b"\xff\xfe", b"9" * 400, b"[" * 2000,
    b'{"command":"acknowledge"}', b'{"command":["acknowledge"],"by":"anna"}',
    b'{"command":"close","alert":{},"by":"anna"}', b'{"command":"restart","by":"anna"}',
    b'{"v":1,"command":"table-state","state":"closed","by":"anna","id":"r"}',
)  # fmt: skip
GOOD = b'{"v":1,"command":"table-state","state":"paused","by":"anna","id":"g","more":{"x":1}}'


async def refused_and_cleared(broker: Broker, folder: Path, name: str, make: Make) -> None:
    """Somebody has left all these to the next start; behind it a good order is carried out."""
    answer = at(name, "answer")
    async with aiomqtt.Client(broker.host, broker.port) as person:
        for number, payload in enumerate(RETAINED):
            topic = at(name, "command", f"p{number}")
            await person.publish(topic, payload, qos=1, retain=True)
        async with (
            listening(broker.host, broker.port, at(name, "#")) as floor,
            table(folder, name, broker.url, make) as run,
        ):
            await floor.until(lambda: len(floor.at(answer)) >= len(RETAINED))
            said = [msgspec.json.decode(payload) for payload in floor.at(answer)]
            assert {one["error"] for one in said} == {"retained"}
            assert not any(isinstance(one, Order) for one in run.line.seen)
            await person.publish(at(name, "command", "anna"), GOOD, qos=1)
            await run.line.until(Order)


async def test_retained_commands_are_refused_at_every_start_and_gone_after_it(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    for _ in range(3):
        await refused_and_cleared(broker, tmp_path, "retained", make_alert)
    command = at("retained", "command", "#")
    async with listening(broker.host, broker.port, command) as late:
        async with aiomqtt.Client(broker.host, broker.port) as person:
            await person.publish(at("retained", "command", "fence"), b"x", qos=1)
        await late.until(lambda: late.heard)
    assert [payload for _, payload, _ in late.heard] == [b"x"]


# --- B51: a stop right behind an irregular deal ---------------------------------------------------


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch, hasty: None) -> None:
    monkeypatch.setattr(mqtt, "PUBLISH_S", 3)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("after_s", [0, 0.005, 0.05, 0.5])
@pytest.mark.parametrize("there", ["up", "slow", "down"])
async def test_what_was_read_before_a_stop_is_told_now_or_after_the_next_start(
    broker: Broker, tmp_path: Path, make_alert: Make, there: str, after_s: float
) -> None:
    name = f"stopped-{there}-{after_s}"
    async with (
        Way(broker.port).open() as way,
        listening(broker.host, broker.port, at(name, "#")) as recorder,
    ):
        port = free_port() if there == "down" else way.address.port
        async with table(tmp_path, name, f"mqtt://127.0.0.1:{port}", make_alert) as run:
            if there != "down":
                await recorder.until(lambda: recorder.at(at(name, "status")))
            way.delay_s = 0.8 if there == "slow" else 0
            os.write(run._near, b"AB")
            await asyncio.sleep(after_s)  # the trial's own: when the signal comes
        if there != "down":
            await recorder.until(lambda: b'"offline"' in last(recorder, name))
        meant = published(tmp_path)
        async with table(tmp_path, name, broker.url, make_alert):
            await recorder.until(lambda: set(meant) <= set(lines_of(recorder, name)))
            await recorder.until(lambda: b'"online"' in last(recorder, name))
        await recorder.until(lambda: b'"offline"' in last(recorder, name))
    said = lines_of(recorder, name)
    assert list(dict.fromkeys(said)) == meant  # each in its order, once by id and revision
    if after_s == 0.5:
        assert len(meant) == 2


# --- B27: killed between the alert and its confirmation -------------------------------------------

KILLED = """
import asyncio, sys
from pathlib import Path
from daemon.app import App
from daemon.edges.settings import read_settings
from tests.chaos.world import ToyLine
from tests.edges.test_app import DRIVER

settings = read_settings(Path(sys.argv[1]), [DRIVER])
asyncio.run(App(settings, ToyLine, [DRIVER]).run(asyncio.Event()))
"""


@contextmanager
def process(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    ) as one:  # fmt: skip
        try:
            yield one
        finally:
            one.kill()


async def test_killed_before_the_broker_has_confirmed_it_an_alert_comes_after_the_next_start(
    broker: Broker, tmp_path: Path
) -> None:
    log, sensor = at("killed", "log", "surveillance"), at("killed", "sensors", "felt")
    async with (
        Way(broker.port).open() as way,
        listening(broker.host, broker.port, at("killed", "#")) as recorder,
    ):
        url = f"mqtt://127.0.0.1:{way.address.port}"
        with felt() as (near, port):
            configured(tmp_path, "killed", url, port)
            with process(tmp_path / "killed.toml"):
                await recorder.until(lambda: b'"ok"' in b"".join(recorder.at(sensor)))
                way.swallows = True
                os.write(near, b"h")
                async with asyncio.timeout(PATIENCE_S):
                    await way.until_sent(b'"revision":')  # of the alert alone
            way.swallows = False
            assert recorder.at(log) == []
            with process(tmp_path / "killed.toml"):
                await recorder.until(lambda: recorder.at(log))
    (line,) = recorder.at(log)
    assert msgspec.json.decode(line)["late"]
    assert bare(line) in published(tmp_path)


# --- B17, B19: clocks -----------------------------------------------------------------------------


def test_a_clock_that_stands_still_or_goes_back_repeats_no_name(tmp_path: Path) -> None:
    header = Header(
        table="t", site="s", opened="", version="0", rulebook="r", config="c", digest=""
    )
    now = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)
    names = []
    for minutes in (0, 0, -40, -40, 0, 60, 0):
        at_wall = now + timedelta(minutes=minutes)
        opening = open_journal(tmp_path, header, at_wall, may_go_on=lambda _: False)
        Journal(tmp_path, opening.header).close(1)
        names.append(opening.header.opened)
    assert len(set(names)) == len(names)


async def test_a_clock_set_right_meanwhile_splits_no_hand_and_reorders_nothing(
    broker: Broker, tmp_path: Path, make_alert: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is the time since the start: no step of the clock on the wall is seen."""
    name = "stepped"
    async with (
        listening(broker.host, broker.port, at(name, "#")) as recorder,
        table(tmp_path, name, broker.url, make_alert) as run,
    ):
        await run.read(b"A")
        await run.read(b"B")
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: 0.0)
            await run.read(b"C")
            await recorder.until(lambda: len(lines_of(recorder, name)) == 3)
        (journal,) = (tmp_path / "journal").rglob("*.journal")
        entries = list(read_journal(journal))
    ids = [msgspec.json.decode(line)["id"] for line in lines_of(recorder, name)]
    assert [one.rpartition(":")[2] for one in ids] == ["A", "B", "C"]
    assert len({one.split(":")[1] for one in ids}) == 1  # one journal
    times = [entry.at_ms for entry in entries]
    assert times == sorted(times)
