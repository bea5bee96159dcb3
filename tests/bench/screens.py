"""Two hundred tables and fifty screens on one floor: from an MQTT message to a screen, and memory.

    python -m tests.bench.screens [--tables N] [--screens N] [--seconds S] [--minutes M]

The service has a core of its own; broker, tables, screens and browser share the others. Tables talk
at their own pace while probes are measured: alerts whose time of publishing is known, until each
raw stream has them, and until they stand in the pages of a real Chromium. The floor under that is
the least that could serve the same streams, in the same run. Then so many minutes of the tables'
time are played as fast as the service follows, and its memory is told.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import click
import msgspec

from tests.bench import tape
from tests.bench.broker import mosquitto
from tests.bench.latency import cpu_us, rss_mib
from tests.bench.script import SITE
from tests.bench.tables import Line, name_of
from tests.bench.viewers import Pages, Streams, late_ms, pages
from tests.web.scripted import STEPS, TEXT, now

PROBE_S = 0.25
STANDS_S = 1.5
SEEN_S = 60.0
TOLD_EACH_MIN = 10


class Child:
    """A process of the bench that is told and answers line by line."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def tell(self, order: str) -> None:
        """A line that is not answered."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{order}\n")
        self.process.stdin.flush()

    async def answer(self, order: str = "") -> str:
        """Its next line, after this order."""
        assert self.process.stdout is not None
        if order:
            self.tell(order)
        line = await asyncio.to_thread(self.process.stdout.readline)
        if not line:
            raise ConnectionError(f"{self.process.args} has ended")
        return line.strip()

    def end(self) -> None:
        """Its input ends, and so does it."""
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()


@contextmanager
def child(*words: str) -> Iterator[Child]:
    """It runs meanwhile."""
    one = Child(*words)
    try:
        yield one
    finally:
        one.end()


@dataclass(slots=True)
class Probes:
    """Alerts whose time of publishing is known; each goes a while later."""

    line: Line
    tables: int
    sent_ns: dict[int, int] = field(default_factory=dict)  # monotonic
    sent_ms: dict[int, tuple[str, float]] = field(default_factory=dict)  # table, time of day
    _numbers: Iterator[int] = field(default_factory=count)

    def raise_one(self) -> int:
        """Publish it, as a table does."""
        number = next(self._numbers)
        name = name_of(number * 7 % self.tables)
        self.sent_ms[number] = (name, time.time_ns() / 1e6)
        self.sent_ns[number] = time.monotonic_ns()
        self._say(number, name, state="raised", revision=1)
        return number

    def close(self, number: int) -> None:
        """It stands no more."""
        self._say(number, self.sent_ms[number][0], state="closed", revision=2)

    def again(self) -> None:
        """Forget what was sent so far."""
        self.sent_ns.clear()
        self.sent_ms.clear()

    def _say(self, number: int, name: str, **states: object) -> None:
        said = {
            "v": 1, "id": f"{name}:bench:1:1:turn-premature:probe-{number}x", "table": name,
            "hand": "1", "irregularity": "turn-premature", "final": False, "seen": True,
            "acknowledged": None, "shelved": None, "severity": "critical", "audience": "floor",
            "street": "flop", "subject": f"probe-{number}x", "seats": [3], "cards": ["Td"],
            "at_ms": 1, "known_ms": 1, "at": now(), "rulebook": "robert-classic",
            "cite": "Hold'em irregularities 4", "unconfirmed": False,
            "window": {"kind": "substantial-action", "open": True},
            "remedy": [{"step": step, "state": "due"} for step in STEPS],
            "text": TEXT, "evidence": [1],
        } | states  # fmt: skip
        payload = msgspec.json.encode(said)
        root = f"floorcall/v1/{SITE}/{name}"
        stands = payload if states["state"] == "raised" else b""
        for under in ("floor", "surveillance"):
            self.line.say(tape.Said(0, f"{root}/alerts/{under}/{said['id']}", stands))
            self.line.say(tape.Said(0, f"{root}/log/{under}", payload, retain=False))


@dataclass(slots=True)
class Side:
    """One service with its screens, and the tables that talk to it."""

    served: Child
    tables: Child
    streams: Streams
    pages: Pages
    probes: Probes

    @property
    def pid(self) -> int:
        return self.served.process.pid


@asynccontextmanager
async def side(kind: str, size: Size, core: int) -> AsyncIterator[Side]:
    """A broker of its own, the tables, what serves, and who watches."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mosquitto(Path(folder)) as port,
        child("tests.bench.tables", str(port), str(size.tables)) as tables,
        child("tests.bench.served", kind, str(port), folder, str(core)) as served,
    ):
        await tables.answer()
        streams = Streams(await served.answer())
        in_pages = size.pages if kind == "floor" else 0
        async with pages(streams.address, in_pages) as shown:
            await streams.open(size.screens - in_pages)
            probes = Probes(Line(port, "bench-probes"), size.tables)
            try:
                yield Side(served, tables, streams, shown, probes)
            finally:
                await streams.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of everything."""

    tables: int
    screens: int
    pages: int
    seconds: int
    minutes: int


async def measured(one: Side, seconds: float) -> None:
    """Tables talk at their own pace; a probe now and then."""
    talking = asyncio.create_task(one.tables.answer(f"{seconds} 1"))
    standing: list[tuple[float, int]] = []
    while not talking.done():
        begun_s = time.monotonic()
        standing.append((begun_s + STANDS_S, one.probes.raise_one()))
        while standing and standing[0][0] < begun_s:
            one.probes.close(standing.pop(0)[1])
        await asyncio.sleep(max(0.0, PROBE_S - (time.monotonic() - begun_s)))
    for _, number in standing:
        await one.streams.until_seen(number, SEEN_S)
        one.probes.close(number)
    await talking


def streams_ms(one: Side) -> list[float]:
    """From publishing to each raw stream."""
    sent = one.probes.sent_ns
    return [
        (at_ns - sent[number]) / 1e6
        for seen in one.streams.seen
        for number, at_ns in seen.items()
        if number in sent
    ]


def row(name: str, late: list[float], least: float | None = None) -> float:
    """Print the figures of one way; its p99."""
    if not late:
        click.echo(f"{name:<44} nothing seen")
        return float("nan")
    late = sorted(late)
    p50, p99 = late[len(late) // 2], late[min(len(late) - 1, len(late) * 99 // 100)]
    ratio = f"{p99 / least:7.2f}x" if least else f"{'1.00x':>8}"
    click.echo(f"{name:<44}{p50:9.1f}{p99:9.1f}{late[-1]:9.1f}{ratio}{len(late):9}")
    return p99


async def latency(size: Size, core: int) -> None:
    """The least first, then the floor; then its memory."""
    click.echo(f"{'from the MQTT message to':<44}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}"
               f"{'p99':>8}{'seen':>9}")  # fmt: skip
    async with side("echo", size, core) as least:
        await measured(least, size.seconds)
        floor = row("a raw stream of the least that could", streams_ms(least))
    async with side("floor", size, core) as one:
        await measured(one, size.seconds / 4)  # warm
        await one.pages.again()
        one.streams.again()
        one.probes.again()
        before_us, before_s = cpu_us(one.pid), time.monotonic()
        await measured(one, size.seconds)
        took_us = cpu_us(one.pid) - before_us
        busy = took_us / 1e4 / (time.monotonic() - before_s)
        row("a raw stream of the floor", streams_ms(one), floor)
        for path, saw in await one.pages.seen():
            row(f"the DOM of {path}", late_ms(path, saw, one.probes.sent_ms), floor)
        click.echo(f"the service used {busy:.0f} % of its core, "
                   f"{one.streams.heard_bytes / 1e6:.0f} MB went to raw streams")  # fmt: skip
        if size.minutes:
            await memory(one, size)


async def memory(one: Side, size: Size) -> None:
    """An hour's worth of events as fast as the service follows them, and its clock with them."""
    click.echo(f"\n{size.minutes} minutes of {size.tables} tables, as fast as the service follows")
    begun_s, told, rss = time.monotonic(), 0, [rss_mib(one.pid)]
    for minute in range(1, size.minutes + 1):
        told += int(await one.tables.answer("60 0"))
        probe = one.probes.raise_one()
        if not await one.streams.until_seen(probe, SEEN_S):
            click.echo(
                f"minute {minute}: a screen did not hear of the last alert in {SEEN_S:.0f} s"
            )
        one.probes.close(probe)
        one.served.tell("60")
        rss.append(rss_mib(one.pid))
        if minute % TOLD_EACH_MIN == 0 or minute == size.minutes:
            click.echo(f"minute {minute:3}: {told:8,} messages, RSS {rss[-1]:6.1f} MiB")
    took_s = time.monotonic() - begun_s
    warm = rss[len(rss) // 2]  # what was lately closed is kept for half an hour
    click.echo(f"{told / took_s:,.0f} messages a second, {size.minutes * 60 / took_s:.1f} times as "
               f"fast as they come; RSS {warm:.1f} MiB half-way, {rss[-1]:.1f} MiB at the end: "
               f"{rss[-1] / warm:.2f}x")  # fmt: skip


@click.command()
@click.option("--tables", default=200, show_default=True, help="Tables that talk.")
@click.option("--screens", default=50, show_default=True, help="Screens that are open, in all.")
@click.option("--pages", "shown", default=2, show_default=True, help="Of these in Chromium.")
@click.option("--seconds", default=60, show_default=True, help="Of measuring, of each.")
@click.option(
    "--minutes", default=120, show_default=True, help="Of events for the memory; 0: none."
)
def main(tables: int, screens: int, shown: int, seconds: int, minutes: int) -> None:
    """Measure the floor's screens."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, set(cores[1:]))  # whatever is started from here, too
    click.echo(f"{tables} tables, {screens} screens, {shown} of them in Chromium; the service"
               f" on one core of {len(cores)}: read the ratios, not the absolutes")  # fmt: skip
    size = Size(tables=tables, screens=screens, pages=shown, seconds=seconds, minutes=minutes)
    asyncio.run(latency(size, cores[0]))


if __name__ == "__main__":
    main()
