"""The doctor as he is called: a table's ports and devices, each fault made for real."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from drivers.simulated.recorded import Recorded
from tests.conftest import Broker, free_port
from tests.edges.conftest import Recorder, listening
from tests.tools.conftest import ALL_OF_IT_S, SOON_S, UIDS, Bench, called, running

ROOT = "floorcall/v1/venezia/poker-12"


def hearing(broker: Broker) -> AbstractAsyncContextManager[Recorder]:
    """All that is said at this table; a broker of the test's own keeps nothing of other tests'."""
    return listening(broker.host, broker.port, f"{ROOT}/#")


class Echo:
    """A cable whose ends are joined."""

    next_ms = None

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        return data

    def wake(self, now_ms: int) -> bytes:  # noqa: ARG002
        return b""


@asynccontextmanager
async def program(code: str, *args: str, name: str = sys.executable) -> AsyncIterator[int]:
    """Another program, under a name of its choice; it is there once it has said so."""
    process = await asyncio.create_subprocess_exec(
        name, "-c", f"{code}\nprint('there', flush=True)\nimport sys; sys.stdin.read()", *args,
        executable=sys.executable, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert await asyncio.wait_for(process.stdout.readline(), SOON_S) == b"there\n"
        yield process.pid
    finally:
        process.kill()
        await process.communicate()


async def test_a_table_that_is_well_is_told_so_with_what_lies_on_its_antennas(
    bench: Bench, broker: Broker
) -> None:
    bench.felt.lay(UIDS[0], 2)
    bench.seat.lay("04ffffffffffff")  # no deck's
    told = await called("doctor", bench.configure(broker.url))
    assert (told.status, told.errors) == (0, ""), told.said
    assert told.rows("sensor shoe") == [("ok", "answers at 115200 baud: ACME OPTISHOE 1.4.2")]
    assert told.rows("sensor felt") == [
        ("ok", "answers at 38400 baud"),
        ("ok", "a tag lies on antenna 2 (burn)"),
        ("note", "no tag on antenna 1 (board)"),
    ]
    assert told.rows("sensor seat-1") == [
        ("ok", "answers at 115200 baud"),
        ("ok", "a tag lies on antenna 1 (seat:1)"),
        ("warning", "of no deck of this configuration: 1 tag"),
    ]
    ((level, what),) = told.rows(f"broker {broker.url}")
    assert (level, "MQTT 5, and our words come back" in what) == ("ok", True)
    assert told.rows("deck red")[0][0] == "ok"
    assert told.said.splitlines()[-1].startswith("All is well")
    assert "04ffffffffffff" not in told.said
    assert told.took_s < ALL_OF_IT_S


async def test_it_speaks_italian_if_asked_and_the_tables_first_language_if_not(
    bench: Bench, broker: Broker
) -> None:
    config = bench.configure(broker.url)
    italian = await called("doctor", config, "--lang", "it")
    assert "risponde a 38400 baud" in italian.said
    assert italian.said.splitlines()[-1].startswith("Tutto a posto")
    config.write_text(config.read_text().replace('["en"]', '["it"]'))
    assert "risponde a 38400 baud" in (await called("doctor", config)).said


async def test_ports_that_are_missing_unplugged_or_no_ports_are_told_apart(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "file").touch()
    told = await called("doctor", bench.configure(
        shoe=tmp_path / "none", felt=tmp_path / "dangling", seat=tmp_path / "file"
    ))  # fmt: skip
    assert told.status == 1
    for sensor, words in (
        ("shoe", f"{tmp_path}/none is not there"),
        ("felt", f"{tmp_path}/dangling leads nowhere: unplugged"),
        ("seat-1", f"{tmp_path}/file is not a serial port"),
    ):
        ((level, what),) = told.rows(f"sensor {sensor}")
        assert (level, what.startswith(words)) == ("WRONG", True), what


HELD = "import serial, sys; port = serial.Serial(sys.argv[1], exclusive=True)"
OPEN = "import os, sys; port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)"


@pytest.mark.parametrize("code", [HELD, OPEN])
async def test_a_port_that_another_program_has_is_left_alone_and_its_program_named(
    code: str, bench: Bench
) -> None:
    config = bench.configure()
    port = bench.rigs["seat"].address
    async with program(code, port) as pid:
        told = await called("doctor", config)
    ((level, what),) = told.rows("sensor seat-1")
    assert level == "WRONG"
    assert re.fullmatch(rf"{port} is held by another program \(python\S*, pid {pid}\)", what), what
    assert bench.seat.polls == 0


async def test_a_login_prompt_on_a_port_is_told_with_the_unit_that_ends_it(bench: Bench) -> None:
    config = bench.configure()
    tty = bench.tty("seat")
    async with program("pass", "115200", tty, name="/sbin/agetty") as pid:
        told = await called("doctor", config)
    ((level, what),) = told.rows("sensor seat-1")
    assert level == "WRONG"
    assert what.endswith(f"steals its bytes (agetty, pid {pid})")
    assert f"systemctl disable --now serial-getty@{tty}.service" in told.said


async def test_devices_that_say_nothing_nonsense_or_only_what_they_are_told(bench: Bench) -> None:
    config = bench.configure()
    await bench.rigs["shoe"].plug(Recorded([]))
    await bench.rigs["felt"].plug(Recorded([(n * 100, b"\xff\x01\xfe") for n in range(50)]))
    await bench.rigs["seat"].plug(Echo())
    told = await called("doctor", config)
    assert told.status == 1
    assert told.rows("sensor shoe") == [
        ("WRONG", f"csl1 on {bench.rigs['shoe'].address} does not answer")
    ]
    ((level, what),) = told.rows("sensor felt")
    assert (level, what.startswith("what comes makes no sense as feig: ")) == ("WRONG", True), what
    ((level, what),) = told.rows("sensor seat-1")
    assert (level, "gives back what is said to it" in what) == ("WRONG", True)
    assert told.took_s < ALL_OF_IT_S


async def test_a_serial_bridge_that_is_not_there_is_told(bench: Bench) -> None:
    told = await called("doctor", bench.configure(felt="socket://127.0.0.1:1"))
    ((level, what),) = told.rows("sensor felt")
    assert level == "WRONG"
    assert what == "socket://127.0.0.1:1 cannot be opened: connection refused"
    told = await called("doctor", bench.config, "--lang", "it")
    assert told.rows("sensore felt") == [
        ("GUASTO", "socket://127.0.0.1:1 non si apre: connessione rifiutata")
    ]


async def test_a_device_that_calls_us_or_speaks_only_with_news_may_be_silent(bench: Bench) -> None:
    door = f"listen://127.0.0.1:{free_port()}"
    config = bench.configure(felt=door)
    config.write_text(config.read_text().replace('"csl1"', '"wedge-keys"'))
    await bench.rigs["shoe"].plug(Recorded([]))
    told = await called("doctor", config)
    assert told.rows("sensor felt") == [
        ("warning", f"the device that is to call {door} has not called")
    ]
    ((level, what),) = told.rows("sensor shoe")
    assert (level, "speaks only when it has news" in what) == ("warning", True), what


async def test_a_port_by_its_number_is_remarked_on(bench: Bench) -> None:
    told = await called("doctor", bench.configure(seat="/dev/ttyUSB99"))
    ((level, what),) = told.rows("configuration")[1:]
    assert level == "warning"
    assert what.startswith("sensors[2].port (seat-1): /dev/ttyUSB99 may be")


# --- beside a running daemon ---------------------------------------------------------------------


async def test_a_running_daemon_keeps_its_ports_and_is_asked_instead(
    bench: Bench, own_broker: Broker
) -> None:
    config = bench.configure(own_broker.url)
    async with hearing(own_broker) as floor, running(config) as daemon:
        for name in ("shoe", "felt", "seats"):
            await floor.until(lambda name=name: floor.at(f"{ROOT}/sensors/{name}"))
        states = [topic for topic, *_ in floor.heard if "/sensors/" in topic]
        told = await called("doctor", config)
        assert told.status == 0, told.said
        ((level, what),) = told.rows("daemon")
        assert (level, what.startswith(f"watches this table (floorcall, pid {daemon.pid})")) == (
            "ok", True,
        )  # fmt: skip
        for sensor in ("shoe", "felt", "seat-1"):
            assert told.rows(f"sensor {sensor}") == [("ok", "is read by the daemon")]
        await bench.rigs["felt"].unplug()
        await floor.until(lambda: b"sensor felt: " in floor.at(f"{ROOT}/status")[-1])
        worse = await called("doctor", config)
    assert worse.status == 1
    levels = [level for level, _ in worse.rows("sensor felt")]
    assert levels == ["WRONG", "WRONG"]  # unplugged, as one sees; and the daemon says so too
    assert worse.rows("sensor felt")[1][1].startswith("the daemon says: sensor felt: ")
    heard = [topic for topic, *_ in floor.heard if "/sensors/" in topic]
    assert heard[: len(states)] == states
    lost = [msgspec.json.decode(payload)["state"] for payload in floor.at(f"{ROOT}/sensors/shoe")]
    assert set(lost) == {"ok"}
    assert {msgspec.json.decode(one)["state"] for one in floor.at(f"{ROOT}/status")} <= {
        "online", "offline",
    }  # fmt: skip


async def test_of_readers_at_seats_the_daemon_says_only_that_one_is_silent(
    bench: Bench, own_broker: Broker
) -> None:
    config = bench.configure(own_broker.url)
    async with hearing(own_broker) as floor, running(config):
        await floor.until(lambda: floor.at(f"{ROOT}/sensors/seats"))
        await bench.rigs["seat"].unplug()
        await floor.until(lambda: b"at seats" in (floor.at(f"{ROOT}/status") or [b""])[-1])
        told = await called("doctor", config)
    assert told.status == 1
    assert told.rows("daemon")[1:] == [
        ("WRONG", "says that a reader at the seats is silent, and not which")
    ]
    assert told.rows("sensor seat-1")[1:] == [
        ("note", "may be the one at the seats that is silent, says the daemon")
    ]
    assert "journalctl -u floorcall-table@table\n" in told.said
    assert told.said.splitlines()[-1].startswith("2 wrong, ")  # that, and the port that is gone


async def test_a_running_daemon_without_a_broker_is_left_alone_too(bench: Bench) -> None:
    config = bench.configure()
    async with running(config) as daemon:
        assert daemon.stderr is not None
        async with asyncio.timeout(SOON_S):
            while b"table watched" not in await daemon.stderr.readline():
                pass
        told = await called("doctor", config)
        assert daemon.returncode is None
    ((level, what),) = told.rows("daemon")
    assert (level, what.endswith("but no broker has its status")) == ("warning", True)
    assert told.rows("sensor shoe") == [
        ("note", "is the daemon's: without its status nothing can be told of it")
    ]
    assert told.status == 1  # the broker


async def test_a_port_of_another_tables_daemon_is_not_this_ones(
    bench: Bench, tmp_path: Path
) -> None:
    config = bench.configure()
    other = tmp_path / "other.toml"
    other.write_text(config.read_text().replace('"poker-12"', '"poker-13"'))
    async with running(other) as daemon:
        assert daemon.stderr is not None
        async with asyncio.timeout(SOON_S):
            while b"port back" not in await daemon.stderr.readline():
                pass
        told = await called("doctor", config)
    rows = [row for name in ("shoe", "felt", "seat-1") for row in told.rows(f"sensor {name}")]
    assert any("is held by a floorcall that does not watch this table" in what for _, what in rows)


async def test_afterwards_the_ports_are_free_and_the_journals_folder_as_it_was(
    bench: Bench, own_broker: Broker
) -> None:
    config = bench.configure(own_broker.url)
    bench.journals.mkdir(parents=True, mode=0o700)
    assert (await called("doctor", config)).status == 0
    assert list(bench.journals.iterdir()) == []
    async with hearing(own_broker) as floor, running(config):
        await floor.until(lambda: floor.at(f"{ROOT}/sensors/seats"))
