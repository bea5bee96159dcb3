"""The sensors of a configuration: where they may be fitted, and what is wrong with one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from daemon.doctor.remarks import remarks
from daemon.doctor.words import said
from daemon.edges.settings import layout, read_settings
from daemon.shaped import SettingsError
from daemon.table.cards import DECK
from daemon.table.layout import Presence
from tests.edges.tables import DECK_FILE, DRIVERS, GOOD, RFID, SHOE, mistakes, read


def test_what_does_not_hang_on_the_driver_is_told_though_that_is_not_known(tmp_path: Path) -> None:
    """It would come to light one correction later."""
    text = GOOD.replace("acme-felt", "acme-flet").replace("seat:4", "seat:10")
    text = text.replace('"2" = "board", "3"', '"0" = "bord", "90"')
    text = text.replace("{seen = 1}", "{seen = 4, window = 3}")
    assert [path for path, _ in mistakes(tmp_path, text)] == [
        "sensors[0].driver (felt)", "sensors[0].antennas.1 (felt)", "sensors[0].antennas.0 (felt)",
        "sensors[0].antennas.0 (felt)", "sensors[0].presence (felt)",
    ]  # fmt: skip
    lone = GOOD.replace("acme-felt", "acme-flet").replace("{seen = 1}", "{seen = 9}")
    assert [path for path, _ in mistakes(tmp_path, lone)] == ["sensors[0].driver (felt)"]
    without = GOOD.replace('driver = "acme-felt"\n', "").replace("seat:4", "seat:10")
    assert mistakes(tmp_path, without) == [
        ("sensors[0].driver (felt)", "is missing"),
        ("sensors[0].antennas.1 (felt)", "seat:10 is beyond the table's 9 seats"),
    ]


def test_an_antenna_at_a_seat_the_table_does_not_have_is_refused(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace("seat:4", "seat:10"))
    assert found == [("sensors[0].antennas.1 (felt)", "seat:10 is beyond the table's 9 seats")]


def test_two_names_of_one_device_are_one_port(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    (tmp_path / "by-id").symlink_to("tty")
    text = GOOD.replace("/dev/serial/by-id/felt", f"{tmp_path}/tty")
    text = text.replace("socket://127.0.0.1:7000", f"{tmp_path}/by-id")
    assert mistakes(tmp_path, text) == [
        ("sensors[1].port (shoe)", "is the port of sensors[0] (felt) too")
    ]


def test_a_reader_that_cannot_read_the_decks_tags_is_refused_with_the_reason(tmp_path):
    deck = "".join(f'e0040100{n:08x} = "{card}"\n' for n, card in enumerate(DECK))
    (tmp_path / "blue.toml").write_text(deck)
    found = mistakes(tmp_path, GOOD.replace("red.toml", "blue.toml"))
    why = "blue.toml: its tags are iso15693; sensors[0] (felt), a acme-felt, reads iso14443a"
    assert found == [("decks.red", why)]


def test_antennas_that_read_no_cards_are_spots_and_need_no_deck(tmp_path: Path) -> None:
    cards, spots = '"1" = "seat:4", "2" = "board", "3" = "burn"', '"1" = "bet:4", "2" = "badge"'
    text = GOOD.replace(cards, spots)
    felt = read(tmp_path, text.replace('[decks]\nred = "red.toml"\n', "")).sensors[0]
    assert (felt.places, felt.spots) == ({}, {1: "bet:4", 2: "badge"})
    assert felt.antennas == (1, 2)
    assert felt.senses == ("chips",)
    beyond = mistakes(tmp_path, text.replace("bet:4", "bet:10"))
    assert beyond == [("sensors[0].antennas.1 (felt)", "bet:10 is beyond the table's 9 seats")]


def test_what_is_not_said_of_presence_is_as_the_driver_has_it(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD).sensors[0].presence == Presence(seen=1, window=5, misses=4)
    found = mistakes(tmp_path, GOOD.replace("{seen = 1}", "{window = 2}"))
    assert [path for path, _ in found] == ["sensors[0].presence (felt)"]


def test_how_long_a_tag_is_held_can_be_said_of_a_device_that_holds_tags(tmp_path: Path) -> None:
    held = GOOD.replace("{seen = 1}", "{held_ms = 2500}")
    found = mistakes(tmp_path, held)
    assert found == [
        ("sensors[0].presence.held_ms (felt)", "acme-felt says itself when a tag has gone")
    ]
    path = tmp_path / "table.toml"
    drivers = (dataclasses.replace(RFID, polled=False, held_ms=1000), SHOE)
    assert read_settings(path, drivers).sensors[0].held_ms == 2500
    path.write_text(GOOD)
    assert read_settings(path, drivers).sensors[0].held_ms == 1000


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "/dev/ttyACM12", "/dev/input/event3"])
def test_a_port_by_its_number_is_remarked_on(tmp_path: Path, port: str) -> None:
    assert not remarks(read(tmp_path, GOOD), DRIVERS)
    found = remarks(read(tmp_path, GOOD.replace("/dev/serial/by-id/felt", port)), DRIVERS)
    assert [one.facts for one in found] == [{"where": "sensors[0].port (felt)", "port": port}]


def test_an_antenna_where_its_device_tells_too_few_tags_apart_lends_nothing(tmp_path: Path) -> None:
    two = dataclasses.replace(RFID, senses=("identity", "place", "board"))
    (tmp_path / "red.toml").write_text(DECK_FILE)
    (tmp_path / "table.toml").write_text(GOOD)
    settings = read_settings(tmp_path / "table.toml", (two, SHOE))
    assert settings.sensors[0].senses == ("identity", "place", "board")
    found = [said(one, "en")[0] for one in remarks(settings, (two, SHOE))]
    what = "acme-felt tells too few tags apart for burn"
    assert found == [f"sensors[0].antennas.3 (felt): {what}"]


def test_a_reader_of_tags_needs_a_deck(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace('red = "red.toml"', ""))
    assert found == [("sensors[0] (felt)", "reads tags, but [decks] names no deck")]


@pytest.mark.parametrize(
    ("port", "usable"),
    [
        ("listen://0.0.0.0:10005", True),
        ("LISTEN://[::1]:10005", True),
        ("listen://floor.example:10005", True),
        ("socket://192.168.3.12:10001", True),
        ("/dev/serial/by-id/usb-felt-if00-port0", True),
        ("rfc2217://192.168.3.12:4001", True),
        ("listen://0.0.0.0", False),
        ("listen://:10005", False),
        ("listen://0.0.0.0:0", False),
        ("listen://0.0.0.0:70000", False),
        ("listen://0.0.0.0:felt", False),
        ("listen://[::1:10005", False),
        ("socket://192.168.3.12", False),
        ("socket://", False),
        ("Socket://192.168.3.12:70000", False),
    ],
)
def test_a_network_address_that_is_malformed_is_told_with_its_path(
    port: str, usable: bool, tmp_path: Path
) -> None:
    text = GOOD.replace("socket://127.0.0.1:7000", port)
    if usable:
        assert read(tmp_path, text).document.sensors[1].port == port
    else:
        kind = port.partition(":")[0].lower()
        what = f"must be {kind}://HOST:PORT, with a port from 1 to 65535"
        assert mistakes(tmp_path, text) == [("sensors[1].port (shoe)", what)]


FEIG = """
site = "venezia"
table = "poker-12"
[broker]
urls = ["mqtt://127.0.0.1"]
[[sensors]]
name = "felt"
driver = "{driver}"
port = "listen://0.0.0.0:10005"
antennas = {{ "1" = "board", "{antenna}" = "muck" }}
[decks]
red = "red.toml"
"""


@pytest.mark.parametrize("name", ["feig-buffer", "feig-buffer-plain", "feig-notify"])
def test_the_antennas_of_a_multiplexer_can_be_placed(name: str, tmp_path: Path) -> None:
    deck = "".join(f'{0xE0040100A0000000 + n:016x} = "{card}"\n' for n, card in enumerate(DECK))
    (tmp_path / "red.toml").write_text(deck)
    (tmp_path / "table.toml").write_text(FEIG.format(driver=name, antenna=42))
    (felt,) = layout(read_settings(tmp_path / "table.toml"), "").sensors
    assert felt.places == {1: "board", 42: "muck"}
    assert not felt.polled
    assert felt.held_ms is not None
    (tmp_path / "table.toml").write_text(FEIG.format(driver="feig", antenna=42))
    with pytest.raises(SettingsError, match="42"):
        read_settings(tmp_path / "table.toml")
