"""A shoe and a console on real lines, lossy, dirty and cut up, through port, decoder and talker."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers import csl1, keypad
from drivers.driver import Driver
from drivers.readings import CardDrawn, EventsLost, Garbled, KeyPressed, Reading, Started
from drivers.simulated.csl1 import Shoe
from drivers.simulated.keypad import Keypad
from drivers.simulated.rig import Faults, on_pty, on_tcp
from tests.hil.record import Record, listening

FAULTS = Faults(piece_bytes=7, before=b"\xff\x00$CARD,1,", between=b"\r\n$$\x80", after=b"$CARD,")
CARDS = ("As", "Td", "2c", "Kh", "9d", "7s")


def read(record: Record, driver: Driver) -> list[Reading]:
    return driver.decoder().feed(bytes(record.heard))


@pytest.mark.parametrize("kind", ["pty", "tcp"])
async def test_cards_come_complete_and_in_order_over_a_bad_line(kind: str, tmp_path: Path) -> None:
    shoe = Shoe()
    rig = on_pty(tmp_path / "shoe", FAULTS) if kind == "pty" else on_tcp(FAULTS)

    def drawn() -> list[str | None]:
        return [one.card for one in read(record, csl1.DRIVER) if isinstance(one, CardDrawn)]

    async with rig:
        await rig.plug(shoe)
        async with listening(rig.address, csl1.DRIVER) as record:
            await record.until(
                lambda: any(isinstance(r, Started) for r in read(record, csl1.DRIVER))
            )
            for nth, card in enumerate(CARDS):
                shoe.line.drop_next = nth % 2
                shoe.draw(card)
                rig.poke()
            await record.until(lambda: drawn() == list(CARDS))
            readings = read(record, csl1.DRIVER)
    assert any(isinstance(one, Garbled) for one in readings)
    assert not any(isinstance(one, EventsLost) for one in readings)


async def test_keys_come_over_a_pty_that_was_pulled_and_put_back(tmp_path: Path) -> None:
    pad = Keypad()
    async with on_pty(tmp_path / "pad") as rig:
        await rig.plug(pad)
        async with listening(rig.address, keypad.DRIVER) as record:
            await record.until(lambda: record.news == ["back"])
            pad.press("raise", 4, amount=250)
            rig.poke()
            await record.until(lambda: len(pressed(record)) == 1)
            await rig.replug()
            await record.until(lambda: record.news[-1] == "back" and len(record.news) == 3)
            pad.press("fold", 5)
            rig.poke()
            await record.until(lambda: len(pressed(record)) == 2)
    assert pressed(record) == [KeyPressed("raise", 4, amount=250), KeyPressed("fold", 5)]


def pressed(record: Record) -> list[Reading]:
    return [one for one in read(record, keypad.DRIVER) if isinstance(one, KeyPressed)]
