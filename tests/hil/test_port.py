from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import termios
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from drivers.driver import Driver
from drivers.port import Ear, Pauses, Port
from drivers.port import port as port_module
from drivers.port.reasons import HUNG_UP, SILENT, TAKES_NOTHING, reason
from drivers.readings import Garbled, Reading
from tests.hil.record import (
    ASKING,
    PLAIN,
    SOON_S,
    Asker,
    Lines,
    Record,
    listening,
    turns_of_the_loop,
)


class Flooder(Asker):
    """A talker that says more than any line takes."""

    def wake(self, now_ms: int) -> bytes:
        self.next_ms = now_ms + 1
        return b"x" * 4000


FLOODING = Driver(name="flooding", title="floods", decoder=Lines, talker=Flooder)
LATER = Pauses(first_s=600, most_s=600)  # what is told sooner is told by itself
BEATING = Driver(name="beating", title="must speak", decoder=Lines, silent_after_ms=60)


class Far:
    """The device's side of a pty under a name that stays."""

    def __init__(self, link: Path) -> None:
        self.link = link
        self.fds: tuple[int, ...] = ()

    def plug(self) -> str:
        master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self.fds = (master, slave)
        self.link.symlink_to(os.ttyname(slave))
        return os.ttyname(slave)

    def unplug(self) -> None:
        self.link.unlink(missing_ok=True)
        for fd in self.fds:
            os.close(fd)
        self.fds = ()

    def write(self, data: bytes) -> int:
        return os.write(self.fds[0], data)


@pytest.fixture
def far(tmp_path: Path, leaks_are_failures: None):
    one = Far(tmp_path / "shoe")
    one.plug()
    yield one
    one.unplug()


async def test_bytes_arrive_whole_and_in_order(far: Far) -> None:
    sent = bytes(range(256)) * 64
    async with listening(str(far.link)) as record:
        await record.until(lambda: record.news == ["back"])
        rest = sent
        while rest:
            with suppress(BlockingIOError):
                rest = rest[far.write(rest[:1000]) :]
            await asyncio.sleep(0)
        await record.until(lambda: len(record.heard) >= len(sent))
    assert record.heard == sent


async def test_what_lay_in_the_line_before_the_opening_is_not_heard(far: Far) -> None:
    far.write(b"half a fra")
    async with listening(str(far.link)) as record:
        await record.until(lambda: record.news == ["back"])
        far.write(b"whole")
        await record.until(lambda: bool(record.heard))
    assert record.heard == b"whole"


async def test_an_unplugged_pty_is_lost_at_once_and_does_not_spin(far: Far) -> None:
    async with listening(str(far.link), pauses=LATER) as record:
        await record.until(lambda: record.news == ["back"])
        far.unplug()
        await record.until(lambda: record.news == ["back", HUNG_UP])
        turns = await turns_of_the_loop(0.3)
    assert turns < 30
    assert record.calls == 0


async def test_a_read_that_fails_with_eio_is_a_hang_up() -> None:
    before = ptmx_descriptors()
    async with listening("/dev/ptmx", pauses=LATER) as record:
        await record.until(lambda: record.news == ["back"])
        (master,) = ptmx_descriptors() - before
        fcntl.ioctl(master, 0x40045431, struct.pack("i", 0))  # TIOCSPTLCK: unlock the slave
        number = struct.unpack("i", fcntl.ioctl(master, 0x80045430, struct.pack("i", 0)))[0]
        os.close(os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY))
        await record.until(lambda: record.news == ["back", HUNG_UP])
        assert await turns_of_the_loop(0.1) < 20


def ptmx_descriptors() -> set[int]:
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            if "ptmx" in str(number.readlink()):
                found.add(int(number.name))
    return found


async def test_a_write_that_fails_is_a_hang_up_told_once(far: Far) -> None:
    async with listening(str(far.link), ASKING, pauses=LATER) as record:
        await record.until(lambda: b"poll" in record.said)
        far.unplug()
        await record.until(lambda: len(record.news) == 2)
        await asyncio.sleep(0.05)
    assert record.news == ["back", HUNG_UP]


async def test_a_hundred_replugs_lose_nothing_and_leak_nothing(far: Far) -> None:
    async with listening(str(far.link)) as record:
        for n in range(100):
            await record.until(lambda n=n: record.news.count("back") == n + 1)
            far.write(b"%03d\n" % n)
            await record.until(lambda n=n: len(record.heard) == 4 * (n + 1))
            far.unplug()
            await record.until(lambda n=n: len(record.news) == 2 * (n + 1))
            far.plug()
    assert record.heard == b"".join(b"%03d\n" % n for n in range(100))
    assert record.news[:200:2] == ["back"] * 100


async def test_a_port_that_is_missing_at_the_start_is_lost_once_and_taken_when_it_comes(
    tmp_path: Path,
) -> None:
    far = Far(tmp_path / "late")
    try:
        async with listening(str(far.link)) as record:
            await record.until(lambda: record.news == ["missing"])
            await asyncio.sleep(0.1)
            assert record.news == ["missing"]
            far.plug()
            await record.until(lambda: record.news == ["missing", "back"])
    finally:
        far.unplug()


async def test_a_second_opener_is_told_that_the_port_is_busy(far: Far) -> None:
    async with listening(str(far.link)) as first:
        await first.until(lambda: first.news == ["back"])
        async with listening(str(far.link)) as second:
            await second.until(lambda: bool(second.news))
            assert second.news == ["busy: something else has it open"]
            far.write(b"mine")
            await first.until(lambda: first.heard == b"mine")
        assert second.heard == b""


async def test_a_file_that_is_no_port_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no port")
    async with listening(str(tmp_path / "file")) as record:
        await record.until(lambda: record.news == ["not a serial port"])


async def test_no_permission_names_the_group_that_has_it(far: Far) -> None:
    refused = PermissionError(13, "Permission denied", "secret")
    assert reason(refused, str(far.link)).startswith("no permission: only group ")
    assert reason(refused, "/nowhere") == "no permission"


async def test_the_talker_speaks_hears_and_wakes(far: Far) -> None:
    async with listening(str(far.link), ASKING, antennas=(1, 2)) as record:
        await record.until(lambda: record.said.startswith(b"hello 2\n"))
        far.write(b"pi")
        await record.until(lambda: record.heard == b"pi")
        far.write(b"ng\n")
        await record.until(lambda: b"pong\n" in record.said and record.said.count(b"poll\n") > 2)
        assert os.read(far.fds[0], 9999).startswith(b"hello 2\n")


async def test_half_a_frame_from_before_the_hang_up_never_joins_with_the_next(far: Far) -> None:
    async with listening(str(far.link), ASKING) as record:
        await record.until(lambda: record.news == ["back"])
        far.write(b"pi")
        await record.until(lambda: record.heard == b"pi")
        far.unplug()
        far.plug()
        await record.until(lambda: record.news == ["back", HUNG_UP, "back"])
        far.write(b"ng\nping\n")
        await record.until(lambda: b"pong\n" in record.said)
    assert record.said.count(b"pong\n") == 1


async def test_a_device_that_reads_nothing_never_blocks_the_loop_and_counts_as_lost(
    far: Far,
) -> None:
    async with listening(str(far.link), FLOODING, pauses=LATER) as record:
        lag_s = await worst_lag_s(lambda: TAKES_NOTHING in record.news)
    assert record.news == ["back", TAKES_NOTHING]
    assert lag_s < 5


async def test_a_few_bytes_that_nobody_takes_count_as_lost_in_time(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_module, "STALL_MS_MAX", 100)
    async with listening(str(far.link), ASKING, pauses=LATER) as record:
        await record.until(lambda: record.news == ["back"])
        await fill(far.fds[1])
        await record.until(lambda: record.news == ["back", TAKES_NOTHING])


async def fill(slave: int) -> None:
    """Fill the line to the last byte, so that the talker's next bytes find no room."""
    os.set_blocking(slave, False)
    for size in (4096, 64, 1, 1, 1):
        with suppress(BlockingIOError):
            while os.write(slave, b"x" * size):
                pass
        await asyncio.sleep(0.01)  # the kernel moves bytes on and finds room once more


async def worst_lag_s(over: Callable[[], bool]) -> float:
    loop = asyncio.get_running_loop()
    stamps = [loop.time()]
    async with asyncio.timeout(SOON_S):
        while not over():
            await asyncio.sleep(0.001)
            stamps.append(loop.time())
    return max(after - before for before, after in pairwise(stamps))


async def test_a_silent_device_is_lost_once_reopened_more_slowly_and_back_when_it_speaks(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[float] = []
    open_line = port_module.open_line

    def counted(address: str, driver: Driver) -> object:
        opened.append(loop.time())
        loop.call_soon_threadsafe(record.changed.set)
        return open_line(address, driver)

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(port_module, "open_line", counted)
    async with listening(str(far.link), BEATING) as record:
        await record.until(lambda: record.news == ["back"])
        far.write(b"beat")
        await record.until(lambda: record.news == ["back", SILENT])
        await record.until(lambda: len(opened) == 4)
        assert record.news == ["back", SILENT]
        first, second, third = (after - before for before, after in pairwise(opened[:4]))
        assert first < second < third
        async with asyncio.timeout(SOON_S):
            while record.news == ["back", SILENT]:
                far.write(b"beat")
                await asyncio.sleep(0.02)
        assert record.news == ["back", SILENT, "back"]


async def test_a_host_that_stood_still_calls_nobody_silent_before_it_has_listened(
    far: Far,
) -> None:
    driver = replace(ASKING, silent_after_ms=1000)
    async with listening(str(far.link), driver) as record:
        await record.until(lambda: record.news == ["back"])
        far.write(b"ping\n")
        await record.until(lambda: b"pong" in record.said)
        far.write(b"ping\n")  # waits for the host, which has no time
        time.sleep(1.5)  # noqa: ASYNC251 - what is tested is a loop that stands still
        await record.until(lambda: record.said.count(b"pong") == 2)
        assert record.news == ["back"]
        await record.until(lambda: record.news == ["back", SILENT])


async def test_a_host_that_stands_still_again_and_again_still_finds_a_silent_reader(
    far: Far,
) -> None:
    async with listening(str(far.link), replace(ASKING, silent_after_ms=1000)) as record:
        await record.until(lambda: record.news == ["back"])
        for _ in range(2):
            time.sleep(1.5)  # noqa: ASYNC251 - what is tested is a loop that stands still
            for _ in range(5):
                await asyncio.sleep(0)
        assert record.news == ["back", SILENT]


async def test_a_device_that_is_asked_and_says_only_rubbish_counts_as_silent(far: Far) -> None:
    driver = replace(ASKING, decoder=Rubbish, silent_after_ms=100)
    async with listening(str(far.link), driver, pauses=LATER) as record:
        await record.until(lambda: record.news == ["back"])
        async with asyncio.timeout(SOON_S):
            while record.news == ["back"]:
                far.write(b"x")
                await asyncio.sleep(0.01)
    assert record.news == ["back", SILENT]


class Rubbish:
    """A decoder to which nothing makes sense."""

    def feed(self, data: bytes) -> list[Reading]:
        return [Garbled("rubbish", data)]


async def test_cancelling_in_the_middle_of_an_opening_leaks_nothing(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, go_on, kept = asyncio.Event(), Event(), []
    loop = asyncio.get_running_loop()
    open_line = port_module.open_line

    def slow(address: str, driver: Driver) -> object:
        line = open_line(address, driver)
        kept.append(line)  # or else it is closed when nobody has it any more, which proves nothing
        loop.call_soon_threadsafe(inside.set)
        go_on.wait(SOON_S)
        return line

    monkeypatch.setattr(port_module, "open_line", slow)
    async with listening(str(far.link)) as record:
        await inside.wait()
    (line,) = kept
    go_on.set()  # the opening comes to its end when nobody waits for it any more
    async with asyncio.timeout(SOON_S):
        while is_open(line.fd):  # noqa: ASYNC110 - its thread tells nobody
            await asyncio.sleep(0.001)
    assert record.news == []


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


async def test_cancelling_closes_the_port_before_the_task_ends(far: Far) -> None:
    for _ in range(5):
        async with listening(str(far.link)) as record:
            await record.until(lambda: record.news == ["back"])


async def test_what_the_ear_raises_ends_the_port_and_is_not_lost_in_the_loop(far: Far) -> None:
    def broken(_: bytes) -> None:
        raise KeyError("a bug")

    record = Record()
    ear = Ear(on_bytes=broken, on_lost=record.tell, on_back=lambda: record.tell("back"))
    task = asyncio.create_task(Port(str(far.link), PLAIN, ear).run())
    await record.until(lambda: record.news == ["back"])
    far.write(b"x")
    with pytest.raises(KeyError, match="a bug"):
        await asyncio.wait_for(task, SOON_S)


def test_a_ttys_speed_and_parity_are_the_drivers(far: Far) -> None:
    slow = Driver(name="slow", title="slow", decoder=Lines, baud=9600, parity="N")
    line = port_module.open_line(str(far.link), slow)
    try:
        speed = termios.tcgetattr(line.fd)[4]
    finally:
        line.close()
    assert speed == termios.B9600
