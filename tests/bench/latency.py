"""From the last byte on a pty to a subscriber on a mosquitto, the product beside the floor.

The pty's writer, the daemon, the broker and the subscriber are four processes. A figure is the
median of its runs; floor and product take turns, so that both meet the same machine.
"""

from __future__ import annotations

import gc
import os
import pty
import statistics
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import msgspec

from tests.bench import script

NS_PER_MS = 1_000_000
US_PER_TICK = 1_000_000 / os.sysconf("SC_CLK_TCK")
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True, slots=True)
class Ports:
    """The bench's ends of the two ptys, and the paths of the daemon's."""

    keypad: int
    shoe: int
    keypad_path: str
    shoe_path: str

    def drain(self) -> list[tuple[int, bytes]]:
        """What the daemon has asked since the last time, by the end at which it asked."""
        asked = []
        for end in (self.keypad, self.shoe):
            try:
                asked.append((end, os.read(end, 4096)))
            except BlockingIOError:
                continue
        return asked

    @staticmethod
    def write(end: int, said: bytes) -> None:
        """Say it whole; a pty takes some kilobytes at once."""
        if os.write(end, said) != len(said):
            raise BlockingIOError("the daemon does not read its port")


Start = Callable[[Ports, int, Path], AbstractContextManager[int]]


@dataclass(frozen=True, slots=True)
class Contender:
    """A daemon to be measured. `start` gives its process id once it is ready to be triggered."""

    name: str
    table: str
    start: Start


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run measured; times in microseconds, CPU for each trigger."""

    p50_us: float
    p99_us: float
    max_us: float
    cpu_us: float
    rss_mib: float
    missed: float


@contextmanager
def ptys() -> Iterator[Ports]:
    ends = [pty.openpty() for _ in range(2)]
    try:
        for near, far in ends:
            tty.setraw(far)
            os.set_blocking(near, False)
        (keypad, keypad_far), (shoe, shoe_far) = ends
        yield Ports(keypad, shoe, os.ttyname(keypad_far), os.ttyname(shoe_far))
    finally:
        for end in (end for pair in ends for end in pair):
            os.close(end)


@contextmanager
def child(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A Python module of the bench as a process, once it has said that it is ready."""
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline().strip() != "ready":
                raise ChildProcessError(f"{words[0]} did not start")
            yield process
        finally:
            process.terminate()


@contextmanager
def floor(ports: Ports, broker_port: int, _folder: Path) -> Iterator[int]:
    paths = (ports.keypad_path, ports.shoe_path)
    with child("tests.bench.floor", str(broker_port), *paths) as process:
        yield process.pid


FLOOR = Contender("floor: epoll, sum, raw socket", "lean", floor)


def cpu_us(pid: int) -> float:
    """User and system time of a process so far."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) * US_PER_TICK


def rss_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_MIB


def wait_until(due_ns: int) -> None:
    time.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)


def fire(ports: Ports, shots: list[script.Shot], gap_ms: float) -> list[int]:
    """Write every hand's lines, its trigger last and `gap_ms` after the last one; return when."""
    gap_ns = int(gap_ms * NS_PER_MS)
    due_ns = time.monotonic_ns() + gap_ns
    sent_ns = []
    gc.collect()
    gc.disable()
    for shot in shots:
        ports.drain()
        wait_until(due_ns - gap_ns // 2)
        ports.write(ports.keypad, shot.keypad_before)
        wait_until(due_ns - gap_ns // 4)
        ports.write(ports.shoe, shot.shoe_before)
        wait_until(due_ns)
        sent_ns.append(time.monotonic_ns())
        ports.write(ports.keypad, shot.trigger)
        due_ns += gap_ns
    gc.enable()
    return sent_ns


def measured(sent_ns: list[int], seen_ns: dict[str, int], cpu: float, rss: float) -> Figures:
    late_us = sorted(
        (seen_ns[str(hand)] - at_ns) / 1000
        for hand, at_ns in enumerate(sent_ns, 1)
        if str(hand) in seen_ns
    )
    missed = len(sent_ns) - len(late_us)
    if not late_us:
        return Figures(*[float("nan")] * 3, cpu, rss, missed)
    p99 = late_us[min(len(late_us) - 1, len(late_us) * 99 // 100)]
    return Figures(statistics.median(late_us), p99, late_us[-1], cpu, rss, missed)


def run(who: Contender, broker_port: int, folder: Path, count: int, gap_ms: float) -> Figures:
    shots = script.shots(count, gap_ms)
    subscriber_words = ("tests.bench.subscriber", str(broker_port), who.table, str(count))
    with (
        ptys() as ports,
        child(*subscriber_words) as subscriber,
        who.start(ports, broker_port, folder) as pid,
    ):
        before_us = cpu_us(pid)
        sent_ns = fire(ports, shots, gap_ms)
        assert subscriber.stdout is not None
        seen_ns = msgspec.json.decode(subscriber.stdout.readline(), type=dict[str, int])
        return measured(sent_ns, seen_ns, (cpu_us(pid) - before_us) / count, rss_mib(pid))


def median(runs: list[Figures]) -> Figures:
    return Figures(*(statistics.median(getattr(r, f.name) for r in runs) for f in fields(Figures)))


def table(rows: dict[str, Figures], floor_name: str) -> Iterator[str]:
    """The figures as lines of text, with the ratios to the floor."""
    least = rows[floor_name]
    yield (
        f"{'daemon':<34}{'p50 us':>9}{'p99 us':>9}{'max us':>9}{'p50':>8}{'p99':>8}"
        f"{'CPU us':>9}{'RSS MiB':>9}{'missed':>8}"
    )
    for name, row in rows.items():
        yield (
            f"{name:<34}{row.p50_us:>9.0f}{row.p99_us:>9.0f}{row.max_us:>9.0f}"
            f"{row.p50_us / least.p50_us:>7.2f}x{row.p99_us / least.p99_us:>7.2f}x"
            f"{row.cpu_us:>9.0f}{row.rss_mib:>9.1f}{row.missed:>8.0f}"
        )
