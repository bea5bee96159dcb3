"""The intake, the watchdog, the log, and the whole process as systemd sees it."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import structlog

from daemon.edges import logs
from daemon.edges.intake import Intake
from daemon.edges.watchdog import Watchdog
from daemon.signals import Chunk, PortBack, PortLost, Signal, Tick
from tests.conftest import Broker
from tests.edges.conftest import listening

ROOT = Path(__file__).parents[2]
TICKS = 8


# --- intake ---------------------------------------------------------------------------------------


def test_what_comes_in_is_taken_at_once_in_its_order_and_its_time_never_falls() -> None:
    found: list[Signal] = []
    intake = Intake(found.append, started_ms=5_000)
    intake.back("felt")
    for number in range(100):
        intake.heard("felt", bytes([number]))
        assert found[-1] == Chunk(found[-1].at_ms, "felt", bytes([number]))
    intake.lost("felt")
    assert (type(found[0]), type(found[-1])) == (PortBack, PortLost)
    times = [s.at_ms for s in found]
    assert times == sorted(times)
    assert 5_000 <= times[0] < 6_000


async def test_ticks_come_four_times_a_second() -> None:
    found: list[Signal] = []
    enough = asyncio.Event()

    def take(signal: Signal) -> None:
        found.append(signal)
        if len(found) > TICKS:
            enough.set()

    clock = asyncio.create_task(Intake(take).tick())
    try:
        async with asyncio.timeout(60):
            await enough.wait()
    finally:
        clock.cancel()
    assert all(isinstance(s, Tick) for s in found)
    gaps = sorted(later.at_ms - former.at_ms for former, later in pairwise(found))
    assert 200 <= gaps[TICKS // 2] <= 450  # a machine that is held up now and then is none of ours


# --- watchdog -------------------------------------------------------------------------------------


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Systemd's end of the notification socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield end


def told(systemd: socket.socket) -> list[bytes]:
    systemd.setblocking(False)
    found = []
    try:
        while True:
            found.append(systemd.recv(100))
    except BlockingIOError:
        return found


def test_the_beat_is_passed_on_at_a_third_of_the_limit_and_not_at_every_tick(
    systemd: socket.socket,
) -> None:
    environment = {"NOTIFY_SOCKET": os.environ["NOTIFY_SOCKET"], "WATCHDOG_USEC": "30000000"}
    watchdog = Watchdog(environment)
    try:
        watchdog.ready()
        for _ in range(10):
            watchdog.beat()
        watchdog.stopping()
        assert told(systemd) == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]
        assert not watchdog.too_short
    finally:
        watchdog.close()


@pytest.mark.parametrize(
    ("usec", "pid", "limit_s"),
    [("500000", "", 0.5), ("0", "", None), ("x", "", None), ("9000000", "1", None), ("", "", None)],
)
def test_the_limit_comes_from_the_environment_and_only_for_this_process(
    usec: str, pid: str, limit_s: float | None
) -> None:
    watchdog = Watchdog({"WATCHDOG_USEC": usec, "WATCHDOG_PID": pid})
    assert watchdog.limit_s == limit_s
    assert watchdog.too_short is (limit_s == 0.5)
    watchdog.ready()
    watchdog.beat()


# --- log ------------------------------------------------------------------------------------------


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = root.handlers, root.level
    stream = io.StringIO()
    logs.configure("info", stream)
    try:
        yield stream
    finally:
        root.handlers, root.level = before
        structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(text) for text in stream.getvalue().splitlines()]


def test_a_line_of_log_is_a_phrase_and_its_facts(written: io.StringIO) -> None:
    logs.get("app").warning("port lost", sensor="felt", away_s=1.5)
    logs.get("app").debug("not wanted")
    (one,) = lines(written)
    assert one.pop("at")
    assert one == {
        "event": "port lost", "level": "warning", "part": "app", "sensor": "felt", "away_s": 1.5,
    }  # fmt: skip


def test_bytes_are_counted_and_never_shown_and_long_words_are_cut(written: io.StringIO) -> None:
    logs.get("app").info("odd", data=b"As\x01", words="x" * 1000)
    (one,) = lines(written)
    assert one["data"] == "3 bytes"
    assert len(str(one["words"])) == logs.WORDS_MAX + 1


def test_what_other_libraries_say_comes_out_in_the_same_form(written: io.StringIO) -> None:
    logging.getLogger("mqtt").warning("There are %d pending\ncalls.", 11)
    logging.getLogger("mqtt").info("not wanted")
    (one,) = lines(written)
    assert (one["event"], one["part"], one["words"]) == (
        "library warning", "mqtt", "There are 11 pending calls.",
    )  # fmt: skip


def test_of_an_exception_where_it_was_is_told_and_never_its_text(written: io.StringIO) -> None:
    def fail() -> None:
        try:
            {}["04a1b2c3d4e5f6"]
        except KeyError as error:
            raise ExceptionGroup("of Td", [OSError(28, "Td"), ValueError("Td")]) from error

    try:
        fail()
    except ExceptionGroup:
        logs.get("app").exception("a bug")
    (one,) = lines(written)
    told = str(one["exception"]).splitlines()
    assert told[0] == "ExceptionGroup"
    assert [each.strip() for each in told if "/" not in each][1:] == [
        "OSError: No space left on device", "ValueError", "KeyError",
    ]  # fmt: skip
    assert "test_small_edges.py" in told[1]
    assert "Td" not in str(one)
    assert "04a1" not in str(one)


async def test_asyncio_tells_no_argument_of_a_call_that_failed(written: io.StringIO) -> None:
    def fail(card: str) -> None:
        raise KeyError(card)

    asyncio.get_running_loop().call_soon(fail, "Td")
    await asyncio.sleep(0)
    (one,) = lines(written)
    assert (one["event"], one["part"]) == ("library error", "asyncio")
    assert "KeyError" in str(one["exception"])
    assert "Td" not in str(one)


# --- the process ----------------------------------------------------------------------------------

PROGRAM = """
import asyncio, sys
from pathlib import Path
from daemon.app import serve
from daemon.edges import logs
from daemon.edges.settings import read_settings
from daemon.table.figures import Figures

class Quiet:
    answer, key_figures, troubles = None, {"v": 1}, []
    def __init__(self, layout):
        self.figures = Figures(layout)
    def step(self, signal):
        return []
    def carried(self):
        return None
    def coverage(self):
        return {"v": 1}
    def hand_view(self):
        return {"hand": None}

logs.configure()
asyncio.run(serve(read_settings(Path(sys.argv[1])), Quiet))
"""
CONFIG = """
site = "venezia"
table = "process"
[broker]
urls = ["{url}"]
[[sensors]]
name = "console"
driver = "keypad"
port = "{folder}/missing"
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_systemd_hears_ready_beats_and_stopping_and_the_process_ends_with_0(
    broker: Broker, systemd: socket.socket, tmp_path: Path, number: int
) -> None:
    (tmp_path / "table.toml").write_text(CONFIG.format(url=broker.url, folder=tmp_path))
    environment = {**os.environ, "WATCHDOG_USEC": "1500000"}
    environment.pop("WATCHDOG_PID", None)
    topic = "floorcall/v1/venezia/process/status"
    async with listening(broker.host, broker.port, topic) as floor:
        with subprocess.Popen(  # noqa: ASYNC220 - starting it takes no time
            [sys.executable, "-c", PROGRAM, str(tmp_path / "table.toml")],
            cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                heard = [await asyncio.to_thread(systemd.recv, 100) for _ in range(3)]
                await floor.until(lambda: b'"online"' in floor.heard[-1][1] if floor.heard else 0)
                process.send_signal(number)
                assert await asyncio.to_thread(process.wait, 60) == 0
            finally:
                process.kill()
            assert process.stderr is not None
            said = [json.loads(text) for text in process.stderr]
        await floor.until(lambda: b'"offline"' in floor.heard[-1][1])
    assert heard == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
    assert told(systemd)[-1] == b"STOPPING=1"
    assert [one["event"] for one in said] == [
        "table watched", "port lost", "broker connected", "table left",
    ]  # fmt: skip


# --- the unit -------------------------------------------------------------------------------------


def test_systemd_finds_nothing_to_say_about_the_unit(tmp_path: Path) -> None:
    text = (ROOT / "systemd" / "floorcall-table@.service").read_text()
    assert "Type=notify" in text
    assert "RestartPreventExitStatus=78" in text
    if shutil.which("systemd-analyze") is None:
        return  # read above; judged by systemd itself where it is there
    unit = tmp_path / "floorcall-table@.service"
    unit.write_text(text.replace("/opt/floorcall/bin/floorcall", "/bin/true"))
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (found.returncode, found.stderr) == (0, "")
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)],
        capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert exposed.returncode == 0
