"""The technician's ear as it is called: a simulated device on a pty, recorded and played back."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from daemon.edges.journal import read_header, read_journal
from daemon.signals import Chunk, PortLost
from drivers import feig, pn532
from drivers.driver import Driver
from drivers.framing import line
from drivers.readings import Inventory, Reading
from drivers.simulated.csl1 import Shoe
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.recorded import Recorded
from drivers.simulated.rig import Faults, on_pty
from tests.conftest import free_port
from tests.hil.line import SOON_S

PROGRAM = (sys.executable, "-m", "daemon")
A, B = "04a1b2c3d4e5f6", "04112233445566"
CONFIG = """
site = "venezia"
table = "poker-12"
[broker]
urls = ["mqtt://127.0.0.1:1"]
[[sensors]]
name = "felt"
driver = "feig"
port = "{port}"
antennas = {{ "1" = "board", "2" = "burn" }}
[decks]
red = "{deck}"
"""


class Sniffed:
    """A running `floorcall sniff`: its lines, as they come."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []

    async def until(self, said: str) -> None:
        """Until a line ends with these words."""
        assert self.process.stdout is not None
        try:
            async with asyncio.timeout(SOON_S):
                while words := (await self.process.stdout.readline()).decode().rstrip():
                    self.lines.append(words)
                    if words.endswith(said):
                        return
        except TimeoutError:
            pytest.fail(f"no {said!r} in {self.lines}")
        assert self.process.stderr is not None
        pytest.fail(f"ended without {said!r}: {(await self.process.stderr.read()).decode()}")

    async def end(self, number: int = signal.SIGINT) -> int:
        """Ctrl-C; the exit status."""
        self.process.send_signal(number)
        said, told = await asyncio.wait_for(self.process.communicate(), SOON_S)
        self.lines += said.decode().splitlines()
        assert told == b""
        assert self.process.returncode is not None
        return self.process.returncode

    @property
    def news(self) -> list[str]:
        """The lines without their times."""
        return [one[12:] for one in self.lines if one[:10].strip()[:1].isdigit()]


@asynccontextmanager
async def sniffing(*args: object) -> AsyncIterator[Sniffed]:
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "sniff", *map(str, args),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Sniffed(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def called(*args: object, by: tuple[str, ...] = ()) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *by, *PROGRAM, *map(str, args),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, told = await asyncio.wait_for(process.communicate(), SOON_S)
    return process.returncode, said.decode(), told.decode()


def chunks(path: Path) -> list[tuple[int, bytes]]:
    return [(one.at_ms, one.data) for one in read_journal(path) if isinstance(one, Chunk)]


def read(path: Path, driver: Driver) -> list[Reading]:
    decoder = driver.decoder()
    return [reading for _, data in chunks(path) for reading in decoder.feed(data)]


def changes(readings: list[Reading]) -> list[Reading]:
    """The polls that differ from the one before."""
    polls = [one for one in readings if isinstance(one, Inventory)]
    return polls[:1] + [after for before, after in pairwise(polls) if before != after]


async def test_a_recorded_reader_played_back_on_another_pty_gives_the_same_readings(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first.journal", tmp_path / "second.journal"
    reader = SimulatedPn532()
    async with on_pty(tmp_path / "tty", Faults(piece_bytes=5, between=b"\x55")) as rig:
        await rig.plug(reader)
        async with sniffing(rig.address, "--driver", "pn532", "--record", first) as ear:
            await ear.until("open")
            for lay, lift, words in (
                ((A,), (), "tag 1"), ((B,), (), "tag 1, tag 2"),
                ((), (A, B), "nothing"), ((B,), (), "tag 2"),
            ):  # fmt: skip
                for uid in lift:
                    reader.lift(uid)
                for uid in lay:
                    reader.lay(uid)
                rig.poke()
                await ear.until(words)
            assert await ear.end() == 0
    played = Recorded(chunks(first))
    async with on_pty(tmp_path / "other") as rig:
        await rig.plug(played)
        async with sniffing(rig.address, "--driver", "pn532", "--record", second) as again:
            await again.until("open")
            for words in ("tag 1", "tag 1, tag 2", "nothing", "tag 2"):
                await again.until(words)
            assert await again.end() == 0
    once, twice = read(first, pn532.DRIVER), read(second, pn532.DRIVER)
    assert len(changes(once)) >= 4
    assert changes(twice) == changes(once)
    assert twice == once[: len(twice)]
    # lines of noise are told once in a second, so that their number hangs on the moment
    assert [one for one in again.news if "antenna" in one] == [
        one for one in ear.news if "antenna" in one
    ]
    for path in (first, second):
        assert path.stat().st_mode & 0o777 == 0o600


async def test_a_sensor_of_a_table_is_recorded_so_that_its_table_replays_it(
    tmp_path: Path,
) -> None:
    record, config = tmp_path / "felt.journal", tmp_path / "table.toml"
    deck = tmp_path / "deck.toml"
    deck.write_text("this = is no deck, and nobody looks")
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(reader)
        config.write_text(CONFIG.format(port=rig.address, deck=deck))
        args = ("--config", config, "--sensor", "felt", "--record", record)
        async with sniffing(*args) as ear:
            await ear.until("open")
            reader.lay(A, 2)
            rig.poke()
            await ear.until("antenna 2 (burn): tag 1")
            assert await ear.end(signal.SIGTERM) == 0
    header = read_header(record)
    assert (header.site, header.table, header.digest) == ("venezia", "poker-12", "")
    assert changes(read(record, feig.DRIVER))[-1] == Inventory(((2, A),))
    cards = [f"{rank}{suit}" for suit in "cdhs" for rank in "23456789TJQKA"]
    deck.write_text("".join(f'{n:014x} = "{card}"\n' for n, card in enumerate(cards, 1)))
    for more in ((), ("--config", config)):
        status, alerts, told = await called("replay", record, *more)
        assert (status, alerts) == (0, "")
        assert re.fullmatch(rf"{re.escape(str(record))}: [1-9]\d* entries, 0 alerts\n", told)


@pytest.mark.parametrize("port", ["none", "listening"])
async def test_where_nothing_came_no_recording_is_left(tmp_path: Path, port: str) -> None:
    record = tmp_path / "record.journal"
    address = tmp_path / "none" if port == "none" else f"listen://127.0.0.1:{free_port()}"
    args = (address, "--driver", "pn532", "--record", record, "--seconds", "1")
    status, _, _ = await called("sniff", *args)
    assert status == 1
    assert not record.exists()


async def test_a_recording_that_no_table_has_is_refused_in_a_line(tmp_path: Path) -> None:
    record = tmp_path / "bench.journal"
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(Shoe())
        async with sniffing(rig.address, "--driver", "csl1", "--record", record) as ear:
            await ear.until("open")
            assert await ear.end() in (0, 1)
    status, _, told = await called("replay", record)
    assert (status, told) == (2, f"{record}: was recorded without a configuration: give --config\n")
    config = Path(__file__).parents[2] / "config" / "table.example.toml"
    status, _, told = await called("replay", record, "--config", config)
    assert (status, told) == (1, f"{record}: has a sensor that is not in {config}\n")


async def test_tags_have_numbers_unless_uids_are_asked_for_and_cards_are_never_shown(
    tmp_path: Path,
) -> None:
    shoe, reader = Shoe(), SimulatedPn532()
    async with on_pty(tmp_path / "shoe") as rig:
        await rig.plug(shoe)
        async with sniffing(rig.address, "--driver", "csl1", "--show-uids") as ear:
            await ear.until("greeting: ACME OPTISHOE 1.4.2")
            shoe.draw("Td")
            rig.poke()
            await ear.until("card 1 drawn: read, quality 98")
            assert await ear.end() == 0
        assert not re.search(r"\b(?:Td|TD|10)\b", "\n".join(ear.news))
    async with on_pty(tmp_path / "seat") as rig:
        await rig.plug(reader)
        reader.lay(A)
        for show, name in (("--show-uids", A), (None, "tag 1")):
            args = [rig.address, "--driver", "pn532", *([show] if show else [])]
            async with sniffing(*args) as ear:
                await ear.until(f"antenna 1: {name}")
                assert await ear.end() == 0
            assert (A in "\n".join(ear.lines)) is (show is not None)


async def test_the_summary_counts_polls_reads_losses_and_what_was_garbled(tmp_path: Path) -> None:
    reader = SimulatedPn532()
    reader.lay(A)
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(reader)
        async with sniffing(rig.address, "--driver", "pn532") as ear:
            await ear.until("antenna 1: tag 1")
            await rig.replug()
            await ear.until("lost: hung up")
            await ear.until("open")
            reader.faults.answers_corrupt = 1
            reader.lift(A)
            await ear.until("antenna 1: nothing")
            assert await ear.end() == 0
    summary = "\n".join(ear.lines[-7:])
    assert re.search(r"^\d+\.\d s, \d+ bytes in \d+ pieces$", summary, re.MULTILINE)
    assert "lost 1 times" in summary
    assert re.search(r"polls: \d+, \d+\.\d a second", summary)
    assert re.search(r"antenna 1: \d+ reads of 1 tags", summary)
    assert re.search(r"garbled: .+ 1", summary)


async def test_a_recording_shows_where_the_port_was_lost(tmp_path: Path) -> None:
    record = tmp_path / "record.journal"
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(SimulatedPn532())
        async with sniffing(rig.address, "--driver", "pn532", "--record", record) as ear:
            await ear.until("open")
            await rig.replug()
            await ear.until("lost: hung up")
            await ear.until("open")
            await ear.end()
    assert any(isinstance(one, PortLost) for one in read_journal(record))


async def test_a_device_that_calls_us_is_waited_for() -> None:
    port = free_port()
    async with sniffing(f"listen://127.0.0.1:{port}", "--driver", "csl1") as ear:
        await ear.until("waiting for the device to call")
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        await ear.until("open")
        writer.write(line("LID,1,1000,O"))
        await ear.until("lid open")
        writer.close()
        await ear.until("lost: hung up")
        assert await ear.end() == 0


async def test_it_ends_by_itself_with_1_where_nothing_was_understood(tmp_path: Path) -> None:
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(Recorded([(0, b"\xff" * 40)]))
        status, said, told = await called(
            "sniff", rig.address, "--driver", "pn532", "--seconds", 0.5
        )
    assert (status, told) == (1, "")
    assert re.search(r"garbled: \D+ \d+", said)


async def test_on_a_terminal_it_is_one_screen_and_a_summary(tmp_path: Path) -> None:
    near, far = pty.openpty()
    reader = SimulatedPn532()
    reader.lay(A)
    heard = b""
    try:
        async with on_pty(tmp_path / "tty") as rig:
            await rig.plug(reader)
            process = await asyncio.create_subprocess_exec(
                *PROGRAM, "sniff", rig.address, "--driver", "pn532", stdout=far,
                stderr=asyncio.subprocess.PIPE, env=os.environ | {"TERM": "xterm", "COLUMNS": "90"},
            )  # fmt: skip
            loop = asyncio.get_running_loop()
            got: asyncio.Queue[bytes] = asyncio.Queue()
            loop.add_reader(near, lambda: got.put_nowait(os.read(near, 4096)))
            async with asyncio.timeout(SOON_S):
                while b"tag 1" not in heard or b"a second" not in heard:
                    heard += await got.get()
                process.send_signal(signal.SIGINT)
                while b"garbled: nothing" not in heard:
                    heard += await got.get()
            _, told = await asyncio.wait_for(process.communicate(), SOON_S)
            loop.remove_reader(near)
    finally:
        os.close(near)
        os.close(far)
    assert (process.returncode, told) == (0, b"")
    assert b"\x1b[?1049h" in heard  # the alternate screen, and back from it
    assert b"\x1b[?1049l" in heard
    assert A.encode() not in heard


KEPT = "there.journal"


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        (("{tmp}/none", "--driver", "pn532"), 1, "{tmp}/none: missing\n"),
        (("{tmp}", "--driver", "pn532"), 1, "{tmp}: not a serial port\n"),
        (("socket://127.0.0.1:1", "--driver", "pn532"), 1, "connection refused\n"),
        (("tcp://127.0.0.1:1", "--driver", "pn532"), 2, "tcp:// is not understood: a path,"),
        (("socket://127.0.0.1", "--driver", "pn532"), 2, "must be socket://HOST:PORT"),
        (("spy:/x", "--driver", "pn532"), 1, "spy:/x: "),
        (("{tmp}/none", "--driver", "pn53"), 2, "'pn53' is not a driver; known: "),
        (("{tmp}/none",), 2, "give PORT and --driver, or --config and --sensor"),
        (("{tmp}/none", "--driver", "pn532", "--antennas", "1,2"), 2, "antenna 2 is not an"),
        (("{tmp}/none", "--driver", "csl1", "--antennas", "1"), 2, "csl1 has no antennas"),
        (("{tmp}/none", "--driver", "feig", "--antennas", "one"), 2, "must be numbers, as in 1,2"),
        (("--config", "{tmp}/none.toml", "--sensor", "x"), 78, "cannot be read: No such file"),
        (("--config", "{tmp}/bad.toml", "--sensor", "x"), 78, "is not TOML"),
        (("--config", "{tmp}/table.toml", "--sensor", "x"), 78, "'x' is not there; known: felt"),
        (("--config", "{tmp}/table.toml"), 2, "--config needs --sensor"),
        (("{tmp}/none", "--driver", "pn532", "--sensor", "a b"), 2, "--sensor: must be"),
        (("{tmp}/none", "--driver", "pn532", "--record", "{tmp}/" + KEPT), 1, "file exists"),
        (("{tmp}/none", "--driver", "pn532", "--record", "{tmp}/no/x"), 1, "no such file"),
        (("{tmp}/none", "--driver", "pn532", "--seconds", "0"), 2, "--seconds"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_is_told_in_a_line(
    args: tuple[str, ...], status: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / KEPT).write_text("somebody's")
    (tmp_path / "bad.toml").write_text('[decks.red]\n04a1b2c3 = As"')
    (tmp_path / "table.toml").write_text(CONFIG.format(port="/dev/none", deck="none"))
    found, _, said = await called("sniff", *(arg.format(tmp=tmp_path) for arg in args))
    assert (found, told.format(tmp=tmp_path) in said) == (status, True), said
    assert "Traceback" not in said
    assert "04a1b2c3" not in said
    assert (tmp_path / KEPT).read_text() == "somebody's"


async def test_a_disk_that_takes_no_more_ends_a_recording_in_a_line(tmp_path: Path) -> None:
    record = tmp_path / "record.journal"
    limited = ("sh", "-c", 'ulimit -f 1; exec "$@"', "sh")  # half a kilobyte, or a whole one
    async with on_pty(tmp_path / "tty", Faults(piece_bytes=3)) as rig:
        await rig.plug(SimulatedPn532())
        status, _, told = await called(
            "sniff", rig.address, "--driver", "pn532", "--record", record, by=limited
        )
    assert status == 1
    assert told == f"{record}: cannot be written: file too large\n"


async def test_somebody_who_has_read_enough_ends_it(tmp_path: Path) -> None:
    async with on_pty(tmp_path / "tty") as rig:
        await rig.plug(SimulatedPn532())
        async with sniffing(rig.address, "--driver", "pn532") as ear:
            await ear.until("open")
            assert ear.process.stdout is not None
            ear.process.stdout._transport.close()  # type: ignore[attr-defined]
            ear.process.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(ear.process.wait(), SOON_S) in (0, 1)
            assert ear.process.stderr is not None
            assert b"Traceback" not in await ear.process.stderr.read()
