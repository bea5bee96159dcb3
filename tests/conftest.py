"""What all tests share: one seed that is told, a check for leaks, a mosquitto of our own."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import core, settings

LEAK_CHECKED = {"hil", "edges"}
SETTLE_S = 15
BROKER_START_S = 60
LOOPBACK = "127.0.0.1"


# --- one seed ------------------------------------------------------------------------------------


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis draws from the seed of `--randomly-seed` unless it is given one of its own."""
    # No deadline: how long an example takes here tells of the machine's load only.
    settings.register_profile("floorcall", deadline=None, print_blob=True)
    settings.load_profile("floorcall")
    seed = config.getoption("randomly_seed", None)
    if config.getoption("--hypothesis-seed") is None and isinstance(seed, int):
        core.global_force_seed = seed


def pytest_report_header() -> str:
    seed = core.global_force_seed
    return f"seed of Hypothesis: {seed} (again with --randomly-seed={seed})"


# --- leaks ---------------------------------------------------------------------------------------


def open_descriptors() -> set[str]:
    """What this process has open, as `number -> target`."""
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{number.name} -> {number.readlink()}")
        except FileNotFoundError:  # the listing's own descriptor
            continue
    return found


@pytest.fixture(autouse=True)
def leaks_are_failures(request: pytest.FixtureRequest) -> None:
    """In tests/hil and tests/edges a test that leaves descriptors or tasks behind fails."""
    if not LEAK_CHECKED & set(request.path.relative_to(Path(__file__).parent).parts):
        return
    is_async = request.node.get_closest_marker("asyncio") is not None
    request.getfixturevalue("_no_leak_of_a_task" if is_async else "_no_leak")


@pytest.fixture
def _no_leak() -> Iterator[None]:
    before = open_descriptors()
    yield
    leaked = sorted(open_descriptors() - before)
    assert not leaked, f"descriptors left open: {leaked}"


@pytest.fixture
async def _no_leak_of_a_task() -> AsyncIterator[None]:
    # A thread may be closing what it has just opened: it is given time, the garbage collector not.
    before, tasks = open_descriptors(), asyncio.all_tasks()
    yield
    deadline = monotonic() + SETTLE_S
    while (leaked := open_descriptors() - before) and monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    left = asyncio.all_tasks() - tasks - {asyncio.current_task()}
    assert not left, f"tasks left running: {sorted(map(repr, left))}"
    assert not leaked, f"descriptors left open: {sorted(leaked)}"


# --- a real broker -------------------------------------------------------------------------------

MOSQUITTO_CONF = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
max_queued_messages 0
log_dest file {log}
"""


@dataclass(slots=True)
class Broker:
    """A mosquitto on loopback; its port stays when it is stopped and started again."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    host: str = LOOPBACK
    conf: str = MOSQUITTO_CONF

    @property
    def url(self) -> str:
        return f"mqtt://{self.host}:{self.port}"

    def start(self) -> None:
        """Start it and wait until it takes connections; what it says is in the failure's text."""
        log = self.folder / "mosquitto.log"
        conf = self.folder / "mosquitto.conf"
        conf.write_text(self.conf.format(port=self.port, folder=self.folder, log=log))
        self.process = subprocess.Popen(
            [mosquitto_program(), "-c", str(conf)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = monotonic() + BROKER_START_S
        pause = threading.Event()
        while not self._answers():
            if self.process.poll() is not None or monotonic() > deadline:
                said = log.read_text() if log.exists() else "nothing"
                self.stop()
                pytest.fail(f"mosquitto does not start; it says: {said}")
            pause.wait(0.01)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it; with `kill` it dies without a word to its clients."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill() if kill else process.terminate()
        try:
            process.wait(BROKER_START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0


def mosquitto_program() -> str:
    """Where mosquitto is; its absence fails the test, it is never skipped."""
    program = shutil.which(
        "mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    )
    if program is None:
        pytest.fail("mosquitto is not installed: apt-get install mosquitto (make test does it)")
    return program


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_broker(folder: Path) -> Iterator[Broker]:
    broker = Broker(folder, free_port())
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A mosquitto for the whole run (of each worker): tests on it keep to topics of their own."""
    with running_broker(tmp_path_factory.mktemp("broker")) as one:
        yield one


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    """A mosquitto for this test alone, which may stop it, kill it and start it again."""
    with running_broker(tmp_path) as one:
        yield one
