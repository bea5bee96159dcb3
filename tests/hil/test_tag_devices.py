"""Bridges, UID lines, badges and a Pepper C1 on real lines: dirty, cut up, pulled, put back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from drivers import bridge, eccel, rdm6300, uid_line
from drivers.driver import Driver
from drivers.eccel_frames import frame
from drivers.readings import Beat, Garbled, Inventory, Reading, TagGone, TagSeen
from drivers.simulated.bridge import SimulatedBridge
from drivers.simulated.device import Device
from drivers.simulated.eccel import SimulatedEccel
from drivers.simulated.rdm6300 import SimulatedRdm6300
from drivers.simulated.rig import Faults, on_pty, on_tcp
from drivers.simulated.uid_line import SimulatedUidLine
from tests.hil.record import Record, listening

AS, KD, BADGE = "040e3bd2286b85", "040f43d2286b85", "000414cd7e"


class Laid(Device, Protocol):
    """A device on whose antennas tags can be laid."""

    def lay(self, uid: str, antenna: int = 1) -> None: ...
    def lift(self, uid: str, antenna: int = 1) -> None: ...


# Dirt as each line has it: starts without an end, ends without a start, bytes of no sense.
# fmt: off
TOLD: dict[str, tuple[Driver, Callable[[], Laid], str, Faults]] = {
    "bridge":   (bridge.DRIVER, SimulatedBridge, AS,
                 Faults(piece_bytes=5, before=b"\xaa\x00\x07\x04", between=b"\xff\xaa\x00")),
    "uid-line": (uid_line.DRIVER, SimulatedUidLine, AS,
                 Faults(piece_bytes=5, before=b"\xff\x00rst:\r\n04 0E\x00", between=b"0\xff")),
    "badge":    (rdm6300.DRIVER, SimulatedRdm6300, BADGE,
                 Faults(piece_bytes=5, before=b"\x02000414CD", between=b"\x03\x02")),
}
# fmt: on


def read(record: Record, driver: Driver) -> list[Reading]:
    return driver.decoder().feed(bytes(record.heard))


@pytest.mark.parametrize("kind", ["pty", "tcp"])
@pytest.mark.parametrize("name", TOLD)
async def test_a_tag_is_told_over_a_bad_line_and_after_a_replug(
    name: str, kind: str, tmp_path: Path
) -> None:
    driver, device_of, uid, faults = TOLD[name]
    device = device_of()
    rig = on_pty(tmp_path / "line", faults) if kind == "pty" else on_tcp(faults)

    def seen() -> int:
        return read(record, driver).count(TagSeen(1, uid))

    async with rig:
        await rig.plug(device)
        async with listening(rig.address, driver) as record:
            await record.until(lambda: record.news[-1:] == ["back"] and rig.is_connected)
            device.lay(uid)
            rig.poke()
            await record.until(lambda: seen() >= 1)
            device.lift(uid)
            told = seen()
            await rig.replug()
            await record.until(lambda: record.news[2:] == ["back"] and rig.is_connected)
            device.lay(uid)
            rig.poke()
            await record.until(lambda: seen() > told)
            assert any(isinstance(one, Garbled) for one in read(record, driver))


async def test_a_bridge_with_the_extension_tells_removals_and_beats(tmp_path: Path) -> None:
    board = SimulatedBridge(beats=True)
    async with on_pty(tmp_path / "bridge") as rig:
        await rig.plug(board)
        async with listening(rig.address, bridge.BEATING) as record:
            await record.until(lambda: record.news == ["back"])
            board.lay(AS, 3)
            rig.poke()
            await record.until(lambda: TagSeen(3, AS) in read(record, bridge.BEATING))
            board.lift(AS, 3)
            rig.poke()
            await record.until(lambda: TagGone(3, AS) in read(record, bridge.BEATING))
            await record.until(lambda: Beat() in read(record, bridge.BEATING))


@pytest.mark.parametrize("kind", ["pty", "tcp"])
@pytest.mark.parametrize("row", [eccel.DRIVER, eccel.ICODE], ids=lambda row: row.name)
async def test_a_pepper_c1_is_polled_over_a_bad_line(
    row: Driver, kind: str, tmp_path: Path
) -> None:
    reader = SimulatedEccel()
    faults = Faults(piece_bytes=7, before=b"\xf5\x0d\x00\xf2\xff", between=frame(b"\xfe\x00")[:-1])
    rig = on_pty(tmp_path / "reader", faults) if kind == "pty" else on_tcp(faults)
    cards = {"e00401000a1b2c3d": 1, "e00401000a1b2c3e": 3, "e00401000a1b2c3f": 3}

    def last() -> tuple[tuple[int, str], ...] | None:
        told = [one.tags for one in read(record, row) if isinstance(one, Inventory)]
        return told[-1] if told else None

    async with rig:
        await rig.plug(reader)
        async with listening(rig.address, row, antennas=(1, 3)) as record:
            await record.until(lambda: last() == ())
            for uid, antenna in cards.items():
                reader.lay(uid, antenna)
            await record.until(lambda: last() == tuple((at, uid) for uid, at in cards.items()))
            reader.lift("e00401000a1b2c3e", 3)
            await record.until(lambda: last() == ((1, "e00401000a1b2c3d"), (3, "e00401000a1b2c3f")))
