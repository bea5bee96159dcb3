"""Configurations that the tests of the settings begin with, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.edges.settings import Settings, read_settings
from daemon.shaped import SettingsError
from daemon.table.cards import DECK
from drivers.driver import Driver
from tests.edges.sensors import Letters

RFID = Driver(
    name="acme-felt", title="Acme felt", decoder=Letters, antennas_max=4,
    senses=("identity", "place", "board", "burn", "muck", "aside", "stub", "chips"),
    tags=("iso14443a",), presence=(3, 5, 4),
)  # fmt: skip
SHOE = Driver(name="acme-shoe", title="Acme shoe", decoder=Letters, senses=("order", "count"))
DRIVERS = (RFID, SHOE)
DECK_FILE = "".join(f'{0xA0000000 + n:08x} = "{card}"\n' for n, card in enumerate(DECK))

GOOD = """
site = "venezia"
table = "poker 12 - Süd"
seat_count = 9
[broker]
urls = ["mqtt://127.0.0.1", "mqtts://floor.example:8884"]
[[sensors]]
name = "felt"
driver = "acme-felt"
port = "/dev/serial/by-id/felt"
antennas = {"1" = "seat:4", "2" = "board", "3" = "burn"}
presence = {seen = 1}
[[sensors]]
name = "shoe"
driver = "acme-shoe"
port = "socket://127.0.0.1:7000"
[decks]
red = "red.toml"
[house]
self_correction_s = 3
"""


def read(folder: Path, text: str) -> Settings:
    (folder / "red.toml").write_text(DECK_FILE)
    (folder / "table.toml").write_text(text)
    return read_settings(folder / "table.toml", DRIVERS)


def mistakes(folder: Path, text: str) -> list[tuple[str, str]]:
    with pytest.raises(SettingsError) as found:
        read(folder, text)
    return list(found.value.mistakes)
