"""A camera on real lines, dirty and cut up, through port and decoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers import camera
from drivers.readings import Face, FacesSeen, Garbled, Reading
from drivers.simulated.camera import SimulatedCamera
from drivers.simulated.rig import Faults, on_pty, on_tcp
from tests.hil.record import Record, listening

FAULTS = Faults(piece_bytes=7, before=b'{"v":1,"cards":[{"car', between=b"\xff\x00{", after=b"{")
BOARD = ("Ah", "Kd", "2s")


def pictures(record: Record) -> list[FacesSeen]:
    return [one for one in read(record) if isinstance(one, FacesSeen)]


def read(record: Record) -> list[Reading]:
    return camera.DRIVER.decoder().feed(bytes(record.heard))


@pytest.mark.parametrize("kind", ["pty", "tcp"])
async def test_faces_come_over_a_bad_line(kind: str, tmp_path: Path) -> None:
    eye = SimulatedCamera(picture_ms=20)
    rig = on_pty(tmp_path / "eye", FAULTS) if kind == "pty" else on_tcp(FAULTS)
    whole = FacesSeen(tuple(Face(card, "board", 97) for card in BOARD))
    async with rig:
        await rig.plug(eye)
        async with listening(rig.address, camera.DRIVER) as record:
            await record.until(lambda: FacesSeen(()) in pictures(record))
            for card in BOARD:
                eye.lay(card, "board")
            await record.until(lambda: pictures(record)[-3:] == [whole] * 3)
            assert any(isinstance(one, Garbled) for one in read(record))


async def test_a_camera_that_was_pulled_and_put_back_is_read_on(tmp_path: Path) -> None:
    eye = SimulatedCamera(picture_ms=20)
    async with on_pty(tmp_path / "eye") as rig:
        await rig.plug(eye)
        async with listening(rig.address, camera.DRIVER) as record:
            await record.until(lambda: bool(pictures(record)))
            await rig.replug()
            await record.until(lambda: record.news == ["back", "hung up", "back"])
            eye.lay("As", "seat:4")
            seen = FacesSeen((Face("As", "seat:4", 97),))
            await record.until(lambda: seen in pictures(record))
