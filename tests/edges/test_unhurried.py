"""Whatever hangs, the loop does not: sensors are read on while disk, broker or name server do."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from daemon.alarms.alert import Alert
from daemon.app import App
from daemon.edges.mqtt import link as mqtt
from daemon.edges.outbox import Shelf
from daemon.signals import Chunk, PortBack, Signal, Tick
from daemon.table.layout import Layout
from tests.conftest import Broker
from tests.edges.conftest import PATIENCE_S
from tests.edges.test_app import DRIVER, Letterwise, configured, felt
from tests.edges.test_mqtt import hasty
from tests.edges.trials import Names
from tests.edges.way import Way

Make = Callable[..., Alert]
__all__ = ["hasty"]

MEANT = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 4
TICKS = 4
HUNG_S = 10  # a loop that waited for it would be found, and the test would end all the same
STILL_S = 0.5  # a thread that has the interpreter may be put aside by the kernel for a while


class Audit:
    """How long a callback of the loop stood still: not at work, and not waiting for a processor.

    So a loaded machine does not count against it: the kernel tells both times of a thread
    (/proc/thread-self/schedstat), and what is left of the clock's is a call that waited.
    """

    def __init__(self) -> None:
        self.worst_s, self.worst = 0.0, ""
        self.callbacks = 0
        self._over = False

    @contextmanager
    def __call__(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Audit]:
        run = asyncio.Handle._run
        account = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

        def owned_s() -> float:
            worked, waited, _ = os.pread(account, 100, 0).split()
            return (int(worked) + int(waited)) / 1e9

        def audited(handle: asyncio.Handle) -> None:
            clock_s, own_s = time.perf_counter(), owned_s()
            run(handle)
            if self._over:
                return
            still_s = time.perf_counter() - clock_s - (owned_s() - own_s)
            if still_s > self.worst_s:
                self.worst_s, self.worst = still_s, repr(handle)
            self.callbacks += 1

        try:
            with monkeypatch.context() as patch:
                patch.setattr(asyncio.Handle, "_run", audited)
                yield self
        finally:
            self._over = True
            os.close(account)


async def test_the_audit_finds_a_call_that_waits_and_none_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()

    def work() -> None:
        until_s = time.thread_time() + 2 * STILL_S
        while time.thread_time() < until_s:
            sum(range(1000))

    with Audit()(monkeypatch) as audit:
        loop.call_soon(work)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert audit.worst_s < STILL_S, audit.worst
        loop.call_soon(time.sleep, 2 * STILL_S)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert audit.worst_s > STILL_S


class Counted(Letterwise):
    """What came of the sensor, and an event at each signal."""

    def __init__(self, make: Make, layout: Layout) -> None:
        super().__init__(make, layout)
        self.news = asyncio.Event()

    def step(self, signal_: Signal) -> list[Alert]:
        self.news.set()
        return super().step(signal_)

    @property
    def read(self) -> bytes:
        return b"".join(one.data for one in self.seen if isinstance(one, Chunk))

    def count(self, kind: type[Signal]) -> int:
        return sum(isinstance(one, kind) for one in self.seen)

    async def until_read(self) -> None:
        """Until one more reading has come."""
        before = len(self.read)
        await self.until(lambda: len(self.read) > before)

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self.news.clear()
                await self.news.wait()


class World:
    """What there is to hang."""

    def __init__(self, broker: Broker, way: Way, names: Names, patch: pytest.MonkeyPatch) -> None:
        self.broker = broker
        self.way = way
        self.names = names
        self.patch = patch

    @contextmanager
    def nothing(self) -> Iterator[None]:
        yield

    @contextmanager
    def the_journals_disk(self) -> Iterator[None]:
        goes_on, sync = threading.Event(), os.fdatasync
        with self.patch.context() as patch:
            patch.setattr(os, "fdatasync", lambda fd: (goes_on.wait(HUNG_S), sync(fd)))
            try:
                yield
            finally:
                goes_on.set()

    @contextmanager
    def the_outboxs_disk(self) -> Iterator[None]:
        goes_on, write = threading.Event(), Shelf._write
        with self.patch.context() as patch:
            patch.setattr(Shelf, "_write", lambda *given: goes_on.wait(HUNG_S) and write(*given))
            try:
                yield
            finally:
                goes_on.set()

    @contextmanager
    def the_broker(self) -> Iterator[None]:
        assert self.broker.process is not None
        self.broker.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.broker.process.send_signal(signal.SIGCONT)

    @contextmanager
    def the_line(self) -> Iterator[None]:
        self.way.swallows = True
        try:
            yield
        finally:
            self.way.swallows = False
            self.way.cut()

    @contextmanager
    def the_name_server(self) -> Iterator[None]:
        self.names.goes_on.clear()
        self.way.cut()
        try:
            yield
        finally:
            self.names.goes_on.set()

    @contextmanager
    def all_of_it(self) -> Iterator[None]:
        with ExitStack() as stack:
            for fault in (self.the_journals_disk, self.the_outboxs_disk, self.the_broker):
                stack.enter_context(fault())
            stack.enter_context(self.the_name_server())
            yield


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder on no disk, where there is one: how slow this machine's is, is not asked here."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    "what",
    ["nothing", "the_journals_disk", "the_outboxs_disk", "the_broker", "the_line",
     "the_name_server", "all_of_it"],
)  # fmt: skip
async def test_sensors_are_read_on_while_something_hangs(
    own_broker: Broker, memory: Path, make_alert: Make, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """What hangs goes on only when all readings have come, each an alert, and time has passed.

    Each reading is sent when the one before has come, so that one held up holds up all.
    """
    monkeypatch.setattr(mqtt, "DISTURBED_S", 0.2)
    names = Names(monkeypatch)
    async with Way(own_broker.port).open() as way:
        world = World(own_broker, way, names, monkeypatch)
        with felt() as (near, port), Audit()(monkeypatch) as audit:
            url = f"mqtt://broker.house:{way.address.port}"
            settings = configured(memory, "unhurried", url, port)
            lines: list[Counted] = []
            app = App(
                settings,
                lambda layout: lines.append(Counted(make_alert, layout)) or lines[0],
                [DRIVER],
            )
            stop = asyncio.Event()
            task = asyncio.create_task(app.run(stop))
            line = lines[0]
            await line.until(lambda: line.count(PortBack))
            await line.until(lambda: app._link.trouble is None)
            with getattr(world, what)():
                before = line.count(Tick)
                for letter in MEANT:
                    os.write(near, bytes([letter]))
                    await line.until_read()
                await line.until(lambda: line.count(Tick) >= before + TICKS)
            await line.until(lambda: app._link.trouble is None and not len(app._outbox))
            stop.set()
            await joined(task)
        assert line.read == MEANT
        assert audit.callbacks > len(MEANT)
        assert audit.worst_s < STILL_S, audit.worst


async def joined(task: Awaitable[None]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await task
