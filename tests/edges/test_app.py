"""The daemon whole, with a line of its own making: bytes on a pty in, messages at a broker out."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.alarms.alert import Alert, line
from daemon.app import App
from daemon.edges.journal import latest_journal, read_journal
from daemon.edges.settings import Settings, read_settings
from daemon.messages import Topics
from daemon.orders import Answer
from daemon.payloads import Coverage
from daemon.sensor_states import SensorStates
from daemon.signals import Chunk, PortBack, Signal, Tick
from daemon.table.figures import Figures
from daemon.table.layout import Layout, Sensor
from daemon.transcript import Published, Remark, signals
from drivers.driver import Driver
from tests import made_up
from tests.conftest import Broker
from tests.edges.conftest import PATIENCE_S, listening
from tests.edges.sensors import Letters

Make = Callable[..., Alert]
DRIVER = Driver(name="letters", title="Letters", decoder=Letters, senses=("floor",))
CONFIG = """
site = "venezia"
table = "{table}"
[broker]
urls = ["{url}"]
[journal]
folder = "{folder}/journal"
[[sensors]]
name = "felt"
driver = "letters"
port = "{port}"
"""


class Letterwise:
    """A line that raises an alert for each capital letter and remedies it with the small one.

    An exclamation mark is noticed two seconds later, when a tick or anything else comes. A dot is
    garbled, and a hand's end.
    """

    answer: Answer | None = None

    def __init__(self, make: Make, layout: Layout) -> None:
        self.key_figures = made_up.figures()
        self.troubles: list[str] = []
        self.layout = layout
        self.figures = Figures(layout)
        self.seen: list[Signal] = []
        self._make = make
        self._raised: dict[str, Alert] = {}
        self._due_ms: list[int] = []

    def step(self, signal: Signal) -> list[Alert]:
        self.seen.append(signal)
        alerts = []
        while self._due_ms and self._due_ms[0] < signal.at_ms:
            alerts.append(self._alert("!", known_ms=self._due_ms.pop(0)))
        if isinstance(signal, Chunk):
            for letter in signal.data.decode():
                if letter == ".":
                    self.figures.note("felt", "garbled")
                    self.figures.end_hand(frozenset())
                elif letter == "!":
                    self._due_ms.append(signal.at_ms + 2000)
                elif letter.isupper():
                    alerts.append(self._alert(letter, known_ms=signal.at_ms))
                elif letter.upper() in self._raised:
                    alerts.append(self._alert(letter.upper(), state="closed", revision=2))
        return alerts

    def carried(self) -> bytes | None:
        return None

    def coverage(self) -> Coverage:
        return made_up.coverage()

    def dealt(self) -> list[Any]:
        return []

    def hand_view(self) -> dict[str, Any]:
        return {**made_up.hand(str(len(self._raised))), "table_state": "open"}

    def _alert(self, letter: str, **fields: object) -> Alert:
        journal = (self.layout.opened or "").replace("-", "").replace(":", "")
        self._raised[letter] = self._make(id=f"t:{journal}:12:1:{letter}", **fields)
        return self._raised[letter]


@contextmanager
def felt() -> Iterator[tuple[int, str]]:
    near, far = pty.openpty()
    try:
        tty.setraw(far)
        yield near, os.ttyname(far)
    finally:
        os.close(near)
        os.close(far)


def configured(folder: Path, name: str, url: str, port: str) -> Settings:
    path = folder / f"{name}.toml"
    path.write_text(CONFIG.format(table=name, url=url, port=port, folder=folder))
    return read_settings(path, [DRIVER])


@asynccontextmanager
async def running(settings: Settings, make: Make) -> AsyncIterator[Letterwise]:
    lines = []

    def make_line(layout: Layout) -> Letterwise:
        lines.append(Letterwise(make, layout))
        return lines[0]

    stop = asyncio.Event()
    app = App(settings, make_line, [DRIVER])
    task = asyncio.create_task(app.run(stop))
    try:
        yield lines[0]
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await task


def at(name: str, *levels: str) -> str:
    return Topics("venezia", name).at(*levels)


async def test_bytes_on_a_pty_become_an_alert_at_a_subscriber_and_the_journal_replays_it(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    with felt() as (near, port):
        settings = configured(tmp_path, "whole", broker.url, port)
        async with listening(broker.host, broker.port, at("whole", "#")) as floor:
            async with running(settings, make_alert):
                await floor.until(lambda: floor.at(at("whole", "sensors", "felt")))
                os.write(near, b"A")
                await floor.until(lambda: floor.at(at("whole", "log", "floor")))
                os.write(near, b"xxB")
                await floor.until(lambda: len(floor.at(at("whole", "log", "floor"))) == 2)
                os.write(near, b"a")
                await floor.until(lambda: len(floor.at(at("whole", "log", "floor"))) == 3)
            await floor.until(lambda: len(floor.at(at("whole", "status"))) >= 2)
    published = floor.at(at("whole", "log", "floor"))
    journal = latest_journal(settings.journal_folder)
    assert journal is not None
    entries = list(read_journal(journal))
    assert [e.line for e in entries if isinstance(e, Published)] == published
    again = Letterwise(make_alert, Layout("whole", "venezia", 10, (), opened=opened(published[0])))
    assert [line(a) for s in signals(entries) for a in again.step(s)] == published
    last = msgspec.json.decode(floor.at(at("whole", "status"))[-1])
    assert (last["state"], last["v"]) == ("offline", 1)
    assert msgspec.json.decode(floor.at(at("whole", "hand"))[-1]) == made_up.hand("2")


def opened(alert: bytes) -> str:
    stamp = msgspec.json.decode(alert)["id"].split(":")[1]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:11]}:{stamp[11:13]}:{stamp[13:]}"


async def test_an_alert_that_only_time_raises_comes_with_a_tick_and_is_replayed(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    with felt() as (near, port):
        settings = configured(tmp_path, "late", broker.url, port)
        everything = listening(broker.host, broker.port, at("late", "#"))
        async with everything as floor, running(settings, make_alert):
            await floor.until(lambda: floor.at(at("late", "sensors", "felt")))
            os.write(near, b"!")
            await floor.until(lambda: floor.at(at("late", "log", "floor")))
    published = floor.at(at("late", "log", "floor"))
    journal = latest_journal(settings.journal_folder)
    assert journal is not None
    again = Letterwise(make_alert, Layout("late", "venezia", 10, (), opened=opened(published[0])))
    replayed = [line(a) for s in signals(read_journal(journal)) for a in again.step(s)]
    assert replayed == published


async def test_a_restart_goes_on_with_the_journal_and_with_what_stands(
    own_broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    with felt() as (near, port):
        settings = configured(tmp_path, "again", own_broker.url, port)
        first = listening(own_broker.host, own_broker.port, at("again", "#"))
        async with first as floor, running(settings, make_alert):
            await floor.until(lambda: floor.at(at("again", "sensors", "felt")))
            os.write(near, b"AB")
            await floor.until(lambda: len(floor.at(at("again", "log", "floor"))) == 2)
            os.write(near, b"b")
            await floor.until(lambda: len(floor.at(at("again", "log", "floor"))) == 3)
        own_broker.stop(kill=True)  # it had kept nothing
        own_broker.start()
        second = listening(own_broker.host, own_broker.port, at("again", "#"))
        async with second as floor, running(settings, make_alert) as again:
            await floor.until(lambda: any("/alerts/floor/" in t for t, *_ in floor.heard))
            await floor.until(lambda: floor.at(at("again", "sensors", "felt")))
            os.write(near, b"a")
            await floor.until(lambda: floor.at(at("again", "log", "floor")))
    (cleared,) = floor.at(at("again", "log", "floor"))
    assert msgspec.json.decode(cleared)["state"] == "closed"
    times = [signal.at_ms for signal in again.seen]
    assert times == sorted(times)
    journal = latest_journal(settings.journal_folder)
    assert journal is not None
    remarks = [e.words for e in read_journal(journal) if isinstance(e, Remark)]
    assert remarks == ["hand 2", "stopped", "begun again", "hand 2", "stopped"]


async def test_a_missing_port_and_a_missing_broker_are_no_reason_not_to_run(
    tmp_path: Path, make_alert: Make
) -> None:
    settings = configured(tmp_path, "alone", "mqtt://127.0.0.1:1", f"{tmp_path}/missing")
    async with running(settings, make_alert) as alone, asyncio.timeout(PATIENCE_S):
        while not any(isinstance(signal, Tick) for signal in alone.seen):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert "PortLost" in {type(signal).__name__ for signal in alone.seen}


async def test_a_port_that_goes_is_told_and_told_again_when_it_is_back(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    link = tmp_path / "tty"
    sensor = at("plug", "sensors", "felt")
    async with listening(broker.host, broker.port, at("plug", "#")) as floor:
        with felt() as (_, port):
            link.symlink_to(port)
            settings = configured(tmp_path, "plug", broker.url, str(link))
            stop = asyncio.Event()
            app = App(settings, lambda layout: Letterwise(make_alert, layout), [DRIVER])
            task = asyncio.create_task(app.run(stop))
            await floor.until(lambda: told(floor.at(sensor)) == ["ok"])
            link.unlink()
        await floor.until(lambda: told(floor.at(sensor)) == ["ok", "lost"])
        with felt() as (_, port):
            link.symlink_to(port)
            await floor.until(lambda: told(floor.at(sensor)) == ["ok", "lost", "ok"])
            stop.set()
            await task


def told(payloads: list[bytes]) -> list[str]:
    return [msgspec.json.decode(payload)["state"] for payload in payloads]


async def test_what_a_sensor_reads_badly_is_told_when_a_hand_ends_and_written_for_its_owner(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    sensor = at("figures", "sensors", "felt")
    with felt() as (near, port):
        settings = configured(tmp_path, "figures", broker.url, port)
        ledger = settings.journal_folder / "figures.json"
        async with (
            listening(broker.host, broker.port, at("figures", "#")) as floor,
            running(settings, make_alert),
        ):
            await floor.until(lambda: told(floor.at(sensor)) == ["ok"])
            assert not ledger.exists()
            os.write(near, b"..")
            await floor.until(lambda: len(floor.at(sensor)) == 2)
        first, last = (msgspec.json.decode(payload) for payload in floor.at(sensor))
    assert first["errors"] == {}
    assert last == first | {"hands": 2, "errors": {"garbled": 2}}
    assert ledger.stat().st_mode & 0o777 == 0o600
    assert msgspec.json.decode(ledger.read_bytes())["hands"] == 2


async def test_figures_that_cannot_be_written_are_a_trouble_until_they_can_and_no_reason_to_end(
    broker: Broker, tmp_path: Path, make_alert: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.watch.MEASURED_MS", 0)
    status = at("unwritten", "status")
    with felt() as (near, port):
        settings = configured(tmp_path, "unwritten", broker.url, port)
        (settings.journal_folder / "figures.json" / "in the way").mkdir(parents=True)
        async with (
            listening(broker.host, broker.port, at("unwritten", "#")) as floor,
            running(settings, make_alert),
        ):
            await floor.until(lambda: floor.at(at("unwritten", "sensors", "felt")))
            os.write(near, b".")
            await floor.until(lambda: b"figures: " in floor.at(status)[-1])
            os.write(near, b"A")
            await floor.until(lambda: floor.at(at("unwritten", "log", "floor")))
            (settings.journal_folder / "figures.json" / "in the way").rmdir()
            (settings.journal_folder / "figures.json").rmdir()
            await floor.until(lambda: b"figures: " not in floor.at(status)[-1])


async def test_a_bug_in_the_line_ends_the_process_and_closes_the_journal(
    broker: Broker, tmp_path: Path, make_alert: Make
) -> None:
    class Broken(Letterwise):
        def step(self, signal: Signal) -> list[Alert]:
            if isinstance(signal, PortBack):
                raise KeyError("seat")
            return []

    with felt() as (_, port):
        settings = configured(tmp_path, "broken", broker.url, port)
        app = App(settings, lambda layout: Broken(make_alert, layout), [DRIVER])
        with pytest.raises(ExceptionGroup) as found:
            await app.run(asyncio.Event())
    assert found.group_contains(KeyError)
    journal = latest_journal(settings.journal_folder)
    assert journal is not None
    assert [type(e).__name__ for e in read_journal(journal)] == ["PortBack", "Remark"]


async def test_a_journal_that_breaks_the_line_is_gone_through_once_and_then_left(
    tmp_path: Path, make_alert: Make
) -> None:
    class Broken(Letterwise):
        def step(self, signal: Signal) -> list[Alert]:
            if isinstance(signal, PortBack):
                raise KeyError("seat")
            return []

    def app() -> App:
        return App(settings, lambda layout: Broken(make_alert, layout), [DRIVER])

    with felt() as (_, port):
        settings = configured(tmp_path, "poison", "mqtt://127.0.0.1:1", port)
        with pytest.raises(ExceptionGroup):
            await app().run(asyncio.Event())
        with pytest.raises(KeyError):
            app()
        with pytest.raises(ExceptionGroup):
            await app().run(asyncio.Event())
    assert len(list(settings.journal_folder.glob("*.journal"))) == 2


def test_readers_at_seats_are_told_of_as_one() -> None:
    sensors = [Sensor("s1", "x", {1: "seat:1"}), Sensor("s2", "x", {1: "seat:2"}),
               Sensor("board", "x", {1: "board"})]  # fmt: skip
    states = SensorStates(sensors)
    assert states.changed(sensors[0], "ok") == ("seats", "silent")
    assert states.changed(sensors[1], "ok") == ("seats", "ok")
    assert states.changed(sensors[0], "hung up") == ("seats", "silent")
    assert states.changed(sensors[1], "silent") is None
    assert states.changed(sensors[2], "missing") == ("board", "lost")
    assert states.troubles() == ["sensors at seats: silent", "sensor board: missing"]


def test_a_port_that_comes_and_goes_all_day_does_not_fill_the_log() -> None:
    states = SensorStates([Sensor("felt", "x")])
    written = sum(states.may_log("felt", second * 1000) for second in range(86_400))
    assert written < 310
