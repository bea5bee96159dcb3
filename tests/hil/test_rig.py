from __future__ import annotations

import asyncio
import os
from itertools import pairwise
from pathlib import Path

import pytest

from drivers.driver import Driver
from drivers.port.reasons import HUNG_UP
from drivers.readings import Reading
from drivers.simulated.rig import Faults, Rig, on_pty, on_tcp
from tests.hil.record import SOON_S, Lines, listening


class Shoe:
    """A device that answers lines with `got`, says cards it is told of, and beats if asked to."""

    def __init__(self, beat_ms: int | None = None) -> None:
        self.beat_ms = beat_ms
        self.cards = b""
        self.heard = b""
        self.next_ms = beat_ms and 0

    def draw(self, card: bytes) -> None:
        self.cards += card + b"\n"

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        self.heard += data
        return b"got\n" * data.count(b"\n")

    def wake(self, now_ms: int) -> bytes:
        said, self.cards = self.cards, b""
        if self.next_ms is not None and now_ms >= self.next_ms:
            self.next_ms = now_ms + (self.beat_ms or 0)
            said += b"beat\n"
        return said


class Broken(Shoe):
    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        raise KeyError("a bug of the device")


class Greeter:
    """A talker that only says hello."""

    next_ms = None

    def start(self, now_ms: int) -> bytes:  # noqa: ARG002
        return b"hello\n"

    def hear(self, reading: Reading, now_ms: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self, now_ms: int) -> bytes:  # noqa: ARG002
        return b""


GREETING = Driver(name="greeting", title="greets", decoder=Lines, talker=lambda _: Greeter())
KINDS = ("pty", "tcp")


def rig_of(kind: str, folder: Path, faults: Faults | None = None) -> Rig:
    return on_pty(folder / "shoe", faults) if kind == "pty" else on_tcp(faults)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_verb_and_a_poke_reach_the_host_at_once(kind: str, tmp_path: Path) -> None:
    shoe = Shoe()
    async with rig_of(kind, tmp_path) as rig:
        await rig.plug(shoe)
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            shoe.draw(b"Td")
            rig.poke()
            await record.until(lambda: record.heard == b"Td\n")


async def connected(rig: Rig) -> None:
    """The host's connect may be done before the rig has accepted it."""
    async with asyncio.timeout(SOON_S):
        while not rig.is_connected:  # noqa: ASYNC110 - the rig tells nobody, by design
            await asyncio.sleep(0)


@pytest.mark.parametrize("kind", KINDS)
async def test_the_device_wakes_at_its_own_times(kind: str, tmp_path: Path) -> None:
    async with rig_of(kind, tmp_path) as rig:
        await rig.plug(Shoe(beat_ms=10))
        async with listening(rig.address) as record:
            began = asyncio.get_running_loop().time()
            await record.until(lambda: record.heard.count(b"beat\n") >= 10)
            took_s = asyncio.get_running_loop().time() - began
    assert took_s >= 0.08


@pytest.mark.parametrize("kind", KINDS)
async def test_unplug_is_a_hang_up_and_replug_brings_the_same_address_back(
    kind: str, tmp_path: Path
) -> None:
    shoe = Shoe(beat_ms=5)
    async with rig_of(kind, tmp_path) as rig:
        await rig.plug(shoe)
        address = rig.address
        async with listening(address) as record:
            for n in range(10):
                await record.until(lambda n=n: record.news.count("back") == n + 1)
                record.heard.clear()
                await record.until(lambda: b"beat" in record.heard)
                await rig.unplug()
                await record.until(lambda n=n: len(record.news) == 2 * (n + 1))
                await rig.replug()
                assert rig.address == address
    assert record.news[:4] == ["back", HUNG_UP, "back", HUNG_UP]


def target(folder: Path) -> Path | None:
    """The pts that the only name in the folder stands for."""
    links = list(folder.iterdir())
    return links[0].readlink() if links else None


async def test_each_replug_is_on_another_pts(tmp_path: Path) -> None:
    async with on_pty(tmp_path / "shoe") as rig:
        await rig.plug(Shoe())
        names = []
        for _ in range(5):
            names.append(target(tmp_path))
            await rig.replug()
    assert all(one != other for one, other in pairwise(names))
    assert target(tmp_path) is None


async def test_an_utterance_in_pieces_arrives_in_pieces_and_whole(tmp_path: Path) -> None:
    shoe = Shoe()
    async with on_pty(tmp_path / "shoe", Faults(piece_bytes=1, gap_ms=2)) as rig:
        await rig.plug(shoe)
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            shoe.draw(b"0123456789")
            rig.poke()
            await record.until(lambda: record.heard == b"0123456789\n")
    assert record.calls >= 5


@pytest.mark.parametrize("piece_bytes", [0, 2])
async def test_dirt_comes_before_between_and_after(piece_bytes: int, tmp_path: Path) -> None:
    faults = Faults(piece_bytes=piece_bytes, before=b"<<<", between=b"---", after=b">>>")
    shoe = Shoe()
    async with on_tcp(faults) as rig:
        await rig.plug(shoe)
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            for card in (b"Td", b"2c"):
                shoe.draw(card)
                rig.poke()
            await record.until(lambda: record.heard == b"<<<Td\n---2c\n")
            await rig.unplug()
            await record.until(lambda: HUNG_UP in record.news)
    assert record.heard == b"<<<Td\n---2c\n>>>"


async def test_a_host_that_reads_nothing_does_not_hold_the_device_up(tmp_path: Path) -> None:
    shoe = Shoe()
    async with on_pty(tmp_path / "shoe") as rig:
        await rig.plug(shoe)
        async with asyncio.timeout(SOON_S):
            for _ in range(200):
                shoe.draw(b"x" * 10_000)
                rig.poke()
                await asyncio.sleep(0)


async def test_the_host_may_write_before_it_reads(tmp_path: Path) -> None:
    shoe = Shoe()
    async with on_pty(tmp_path / "shoe") as rig:
        await rig.plug(shoe)
        host = os.open(rig.address, os.O_RDWR | os.O_NOCTTY)
        try:
            os.write(host, b"resend 3\nresend 4\n")
            async with asyncio.timeout(SOON_S):
                while shoe.heard.count(b"\n") < 2:  # noqa: ASYNC110 - the device tells nobody
                    await asyncio.sleep(0)
            assert os.read(host, 8) == b"got\ngot\n"
        finally:
            os.close(host)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_bug_of_the_device_is_raised_and_not_lost_in_the_loop(
    kind: str, tmp_path: Path
) -> None:
    rig = rig_of(kind, tmp_path)
    await rig.plug(Broken())
    async with listening(rig.address, GREETING):
        await connected(rig)
        with pytest.raises(KeyError):
            await asyncio.wait_for(rig.hung_up(), SOON_S)
    with pytest.raises(KeyError):
        await rig.unplug()
