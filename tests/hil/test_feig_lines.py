"""Feig readers on real lines: polled over TCP, asked over a pty, calling over TCP."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from drivers import feig, feig_buffer, feig_notify
from drivers.driver import Driver
from drivers.feig_frames import ask
from drivers.port.reasons import CALLED_ANEW, HUNG_UP, NO_CALL
from drivers.readings import Beat, EventsLost, Garbled, Inventory, Reading, TagSeen
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.feig_kept import Fit, KeepingFeig
from drivers.simulated.rig import Faults, Rig, on_dial, on_pty, on_tcp
from tests.hil.record import Record, listening

AS, KD = "e00401000a1b2c3d", "e00401000a1b2c3e"
DECK = [f"e0040150{card:08x}" for card in range(52)]
HOST = "127.0.0.1"
CUT = Faults(piece_bytes=7, before=b"\x02\x00\xff", between=b"\xff\x00\xb0", after=b"\x02")
# Dirt that looks like a standard frame's head is only dropped when as many bytes have come.
CLEAN_CUT = Faults(piece_bytes=7)


def readings(record: Record, driver: Driver) -> list[Reading]:
    return driver.decoder().feed(bytes(record.heard))


def seen(record: Record, driver: Driver) -> set[tuple[int, str]]:
    told = readings(record, driver)
    return {(one.antenna, one.uid) for one in told if isinstance(one, TagSeen)}


async def speaks(rig: Rig, record: Record) -> None:
    """Something has come over the line, so that it is there."""
    await record.until(lambda: rig.is_connected and bool(record.heard))


@pytest.mark.parametrize("faults", [None, CUT])
async def test_a_reader_is_polled_over_tcp_in_advanced_frames(faults: Faults | None) -> None:
    reader = SimulatedFeig(sets_max=20)
    for uid in DECK:
        reader.lay(uid, 4)
    reader.lay(AS, 1)
    wanted = Inventory(tuple(sorted([(1, AS), *((4, uid) for uid in DECK)])))
    async with on_tcp(faults) as rig:
        await rig.plug(reader)
        assert rig.address.startswith("socket://")
        async with listening(rig.address, feig.DRIVER, antennas=(1, 4)) as record:
            await record.until(lambda: wanted in readings(record, feig.DRIVER))
            assert record.said.startswith(ask(0x65))
            await rig.replug()
            await record.until(lambda: record.news == ["back", HUNG_UP, "back"])
            record.heard.clear()
            await record.until(lambda: wanted in readings(record, feig.DRIVER))


@pytest.mark.parametrize("kind", ["pty", "tcp"])
@pytest.mark.parametrize("faults", [None, CUT])
@pytest.mark.parametrize("driver", [feig_buffer.DRIVER, feig_buffer.PLAIN_DRIVER])
async def test_a_buffer_is_read_whole(
    kind: str, faults: Faults | None, driver: Driver, tmp_path: Path
) -> None:
    reader = KeepingFeig(Fit(measured=driver is feig_buffer.DRIVER))
    rig = on_pty(tmp_path / "felt", faults) if kind == "pty" else on_tcp(faults)
    async with rig:
        await rig.plug(reader)
        async with listening(rig.address, driver) as record:
            await record.until(lambda: ask(0x33) in record.said)
            for antenna in (1, 42):
                for uid in DECK:
                    reader.lay(uid, antenna)
            rig.poke()
            wanted = {(antenna, uid) for antenna in (1, 42) for uid in DECK}
            await record.until(lambda: seen(record, driver) == wanted)
            told = readings(record, driver)
    assert not any(isinstance(one, EventsLost) for one in told)
    assert (faults is None) or any(isinstance(one, Garbled) for one in told)


async def test_an_overflow_comes_through_as_a_loss(tmp_path: Path) -> None:
    reader = KeepingFeig(Fit(table_max=10))
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        async with listening(rig.address, feig_buffer.DRIVER) as record:
            await record.until(lambda: ask(0x33) in record.said)
            for uid in DECK:
                reader.lay(uid, 1)
            rig.poke()
            await record.until(lambda: EventsLost(0, 0) in readings(record, feig_buffer.DRIVER))


@pytest.fixture
def number() -> int:
    with socket.create_server((HOST, 0)) as probe:
        return probe.getsockname()[1]


@pytest.mark.parametrize("faults", [None, CLEAN_CUT])
async def test_a_reader_that_calls_is_heard_and_acknowledged(
    faults: Faults | None, number: int
) -> None:
    reader = KeepingFeig(Fit(notifies=True, alive_ms=50, sets_max=20))
    async with on_dial(HOST, number, faults) as rig:
        await rig.plug(reader)
        async with listening(rig.address, feig_notify.DRIVER) as record:
            await speaks(rig, record)
            assert Beat() in readings(record, feig_notify.DRIVER)
            assert not record.said
            for uid in DECK:
                reader.lay(uid, 42)
            rig.poke()
            await record.until(
                lambda: seen(record, feig_notify.DRIVER) == {(42, uid) for uid in DECK}
            )
            await record.until(lambda: len(record.said) >= 3 * len(ask(0x32)))
            assert record.said.count(ask(0x32)) * len(ask(0x32)) == len(record.said)


async def test_a_reader_that_was_cut_off_calls_again_and_goes_on(number: int) -> None:
    reader = KeepingFeig(Fit(notifies=True, alive_ms=20))
    async with (
        on_dial(HOST, number) as rig,
        listening(f"listen://{HOST}:{number}", feig_notify.DRIVER) as record,
    ):
        await rig.plug(reader)
        await speaks(rig, record)
        await rig.unplug()
        await record.until(lambda: record.news == [NO_CALL, "back", HUNG_UP])
        reader.lay(AS, 5)
        await rig.replug()
        await record.until(lambda: seen(record, feig_notify.DRIVER) == {(5, AS)})
        assert record.news == [NO_CALL, "back", HUNG_UP, "back"]


async def test_the_readers_second_call_ends_its_first_which_nobody_hung_up(number: int) -> None:
    """As after a power cut at the reader: the first link is dead, and says nothing of it."""
    async with listening(f"listen://{HOST}:{number}", feig_notify.DRIVER) as record:
        await record.until(lambda: record.news == [NO_CALL])
        loop = asyncio.get_running_loop()
        with socket.socket() as dead:
            dead.setblocking(False)
            await loop.sock_connect(dead, (HOST, number))
            await record.until(lambda: record.news[-1] == "back")
            async with on_dial(HOST, number) as rig:
                reader = KeepingFeig(Fit(notifies=True))
                reader.lay(KD, 7)
                await rig.plug(reader)
                await record.until(lambda: seen(record, feig_notify.DRIVER) == {(7, KD)})
            assert record.news[:4] == [NO_CALL, "back", CALLED_ANEW, "back"]


async def test_a_host_that_comes_late_is_told_what_was_lost_meanwhile(number: int) -> None:
    reader = KeepingFeig(Fit(notifies=True, table_max=10))
    for uid in DECK:
        reader.lay(uid, 1)
    async with on_dial(HOST, number) as rig:
        await rig.plug(reader)
        async with listening(rig.address, feig_notify.DRIVER) as record:
            await record.until(lambda: EventsLost(0, 0) in readings(record, feig_notify.DRIVER))
