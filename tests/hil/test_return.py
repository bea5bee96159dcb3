"""A port that comes back: opened within two seconds, however long and however often it was away."""

from __future__ import annotations

import asyncio
import gc
import os
import pty
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from drivers.port import Ear, Pauses, Port
from drivers.port.opening import CONNECT_S_MAX, sight
from drivers.simulated.rig import Rig, on_pty, on_tcp
from tests.conftest import open_descriptors
from tests.hil.record import PLAIN, SOON_S, Record, listening, turns_of_the_loop

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
CYCLES = 10_000 if SOAK else 300  # replugs, all ports together
PORTS = 10
OUTAGES_S = (0.0, 0.02, 0.1, 0.4)
RETURN_S_MAX = 2
BLOCKS_MAX = 2_000  # of memory; a hundredth of what one block kept a cycle would be in the soak
NEVER_S = 3600.0


# --- the path is looked at -----------------------------------------------------------------------


def test_the_pauses_bound_the_return_to_two_seconds() -> None:
    pauses = Pauses()
    assert pauses.first_s + pauses.look_s < RETURN_S_MAX / 2
    assert pauses.unseen_s < RETURN_S_MAX
    assert CONNECT_S_MAX > RETURN_S_MAX  # a host that does not even refuse is not bound by this


@pytest.fixture
def slaves() -> Iterator[tuple[str, str]]:
    pairs = [pty.openpty() for _ in range(2)]
    yield os.ttyname(pairs[0][1]), os.ttyname(pairs[1][1])
    for fd in (fd for pair in pairs for fd in pair):
        os.close(fd)


def test_a_path_is_seen_to_come_to_go_to_lead_elsewhere_and_to_change_its_rights(
    slaves: tuple[str, str], tmp_path: Path
) -> None:
    link = tmp_path / "by-id"
    seen = [sight(str(link))]
    for slave in slaves:
        link.unlink(missing_ok=True)
        link.symlink_to(slave)
        seen.append(sight(str(link)))
    link.chmod(0o660)
    seen.append(sight(str(link)))
    link.unlink()
    seen.append(sight(str(link)))
    assert (seen[0], seen[-1]) == (None, None)
    assert len(set(seen)) == 4


def test_what_is_said_on_a_line_does_not_make_it_another(slaves: tuple[str, str]) -> None:
    before = sight(slaves[0])
    fd = os.open(slaves[0], os.O_RDWR | os.O_NOCTTY)
    os.write(fd, b"x")
    os.close(fd)
    assert sight(slaves[0]) == before


@pytest.mark.parametrize("address", ["socket://127.0.0.1:1", "loop://", "", "/no/such", "a\0b"])
def test_what_is_no_device_is_not_seen_and_breaks_nothing(address: str) -> None:
    assert sight(address) == (sight(".") if not address else None)


async def test_a_long_pause_ends_when_the_path_comes_and_not_when_it_goes(
    slaves: tuple[str, str], tmp_path: Path
) -> None:
    link = tmp_path / "by-id"
    record = Record()
    pauses = Pauses(first_s=0.01, most_s=NEVER_S, look_s=0.01)
    port = Port(str(link), PLAIN, record.ear(), pauses=pauses)
    pause = asyncio.create_task(port._paused(NEVER_S, None))
    await asyncio.sleep(0.05)
    assert not pause.done()
    link.symlink_to(slaves[0])
    assert await asyncio.wait_for(pause, SOON_S)
    pause = asyncio.create_task(port._paused(NEVER_S, sight(str(link))))
    await asyncio.sleep(0.05)
    link.unlink()
    await asyncio.sleep(0.05)
    assert not pause.done()
    link.symlink_to(slaves[0])
    assert await asyncio.wait_for(pause, SOON_S)
    assert not await port._paused(0.03, sight(str(link)))


async def test_a_missing_path_is_looked_at_and_not_spun_on(tmp_path: Path) -> None:
    async with listening(str(tmp_path / "no"), pauses=Pauses(most_s=0.3)) as record:
        await record.until(lambda: record.news == ["missing"])
        assert await turns_of_the_loop(0.6) < 60
    assert record.news == ["missing"]


async def test_a_path_that_first_refuses_is_taken_once_it_may_be_opened(tmp_path: Path) -> None:
    """As udev makes a node and gives it to its group a little later."""
    link = tmp_path / "by-id"
    link.write_text("no port yet")
    pauses = Pauses(first_s=0.01, most_s=NEVER_S, look_s=0.01)
    async with on_pty(tmp_path / "other") as rig, listening(str(link), pauses=pauses) as record:
        await record.until(lambda: record.news == ["not a serial port"])
        await rig.plug(Teller())
        (tmp_path / "other").replace(link)
        await record.until(lambda: record.news == ["not a serial port", "back"])
    link.unlink(missing_ok=True)


# --- ten thousand times --------------------------------------------------------------------------


class Teller:
    """A device that says what it is given."""

    next_ms = None

    def __init__(self) -> None:
        self.unsaid = b""

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self, now_ms: int) -> bytes:  # noqa: ARG002
        said, self.unsaid = self.unsaid, b""
        return said


class Replugged:
    """One port, unplugged and plugged in again; `longest_s` is from the plug to `back`."""

    def __init__(self, rig: Rig, rng: Random) -> None:
        self.longest_s = 0.0
        self._rig = rig
        self._rng = rng
        self._teller = Teller()
        self._record = Record()
        self._back_s = 0.0
        record = self._record
        ear = Ear(on_bytes=record.on_bytes, on_lost=record.tell, on_back=self._back)
        self._port = Port(rig.address, PLAIN, ear)

    def _back(self) -> None:
        self._back_s = monotonic()
        self._record.tell("back")

    async def cycles(self, count: int) -> None:
        record = self._record
        task = asyncio.create_task(self._port.run())
        for number in range(count):
            await self._rig.plug(self._teller)
            plugged_s = monotonic()
            await record.until(lambda: record.news[-1:] == ["back"])
            self.longest_s = max(self.longest_s, self._back_s - plugged_s)
            await self._connected()
            self._teller.unsaid = b"%05d\n" % number
            self._rig.poke()
            await record.until(lambda: b"\n" in record.heard)
            assert record.heard == b"%05d\n" % number
            record.heard.clear()
            record.news.clear()
            await self._rig.unplug(abrupt=bool(number % 2))
            await record.until(lambda: bool(record.news))
            await asyncio.sleep(self._rng.choice(OUTAGES_S))
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _connected(self) -> None:
        async with asyncio.timeout(SOON_S):
            while not self._rig.is_connected:  # noqa: ASYNC110 - the rig tells nobody
                await asyncio.sleep(0)


@pytest.mark.parametrize("kind", ["pty", "tcp"])
async def test_thousands_of_replugs_lose_no_byte_and_keep_no_descriptor_task_or_memory(
    kind: str, tmp_path: Path
) -> None:
    rigs = [
        on_pty(tmp_path / str(number)) if kind == "pty" else on_tcp() for number in range(PORTS)
    ]
    ports = [Replugged(rig, Random(f"{kind} {number}")) for number, rig in enumerate(rigs)]
    before = state()
    await asyncio.gather(*(port.cycles(3) for port in ports))
    gc.collect()
    gc.disable()  # what is let go must go by itself
    try:
        blocks = sys.getallocatedblocks()
        await asyncio.gather(*(port.cycles(CYCLES // PORTS // 2) for port in ports))
        async with asyncio.timeout(SOON_S):
            while state() != before:  # noqa: ASYNC110 - a thread closes what it has just opened
                await asyncio.sleep(0.01)
    finally:
        gc.enable()
    gc.collect()  # of memory only what it cannot free is kept
    kept = sys.getallocatedblocks() - blocks
    longest_s = max(port.longest_s for port in ports)
    print(
        f"{kind}: {CYCLES // 2} replugs, longest from plug to open {longest_s:.3f} s, {kept} blocks"
    )
    assert kept < BLOCKS_MAX


def state() -> tuple[int, int, int]:
    """Descriptors, tasks and threads."""
    return len(open_descriptors()), len(asyncio.all_tasks()), threading.active_count()
