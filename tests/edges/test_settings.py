"""The table's configuration: what is right is read, and all that is wrong is told at once."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from daemon.edges.settings import Settings, SettingsError, layout, read_settings, remarks
from daemon.shipped import config_path
from daemon.table.cards import DECK
from daemon.table.layout import Presence
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


def test_a_right_configuration_becomes_the_layout_of_the_table(tmp_path: Path) -> None:
    settings = read(tmp_path, GOOD)
    table = layout(settings, "2026-11-29T20:13:31Z")
    assert (table.table, table.site, table.seat_count) == ("poker 12 - Süd", "venezia", 9)
    felt, shoe = table.sensors
    assert felt.places == {1: "seat:4", 2: "board", 3: "burn"}
    assert felt.senses == ("identity", "place", "board", "burn")
    assert felt.presence == Presence(seen=1, window=5, misses=4)
    assert shoe.senses == ("order", "count")
    assert len(table.tags) == 52
    assert table.decks == ("red",)
    assert settings.document.house == {"self_correction_s": 3}
    assert settings.client == "floorcall-venezia-poker 12 - Süd"


def test_every_mistake_is_told_at_once_with_its_path_in_the_order_of_the_file(
    tmp_path: Path,
) -> None:
    text = """
tabel = "x"
site = "a/b"
seat_count = 11
rulebook = "hoyle"
languages = ["en", "xx"]
[broker]
urls = ["http://x", "mqtt://anna:Zq9-secret@x"]
[betting]
level = "guess"
[[sensors]]
name = "felt"
driver = "acme-flet"
port = "/dev/ttyUSB0"
[[sensors]]
name = "felt"
driver = "acme-felt"
port = "/dev/../dev/ttyUSB0"
antennas = {"1" = "seat:4", "01" = "seat:5", "5" = "board", "2" = "bord"}
presence = {seen = 6}
[[sensors]]
driver = "acme-shoe"
port = "/dev/ttyUSB1"
antennas = {"1" = "seat:1"}
[decks]
red = "missing.toml"
[house]
self_corection_s = 3
misdeal_s = -5
"""
    found = mistakes(tmp_path, text)
    assert [path for path, _ in found] == [
        "tabel", "site", "seat_count", "rulebook", "languages", "broker.urls[0]", "broker.urls[1]",
        "betting.level", "sensors[0].driver", "sensors[1].name", "sensors[1].port",
        "sensors[1].antennas.01", "sensors[1].antennas.5", "sensors[1].antennas.2",
        "sensors[1].presence", "sensors[2].name", "sensors[2].antennas", "decks.red",
        "house.self_corection_s", "house.misdeal_s", "table",
    ]  # fmt: skip
    said = dict(found)
    assert said["sensors[0].driver"] == ("'acme-flet' is not a driver; known: acme-felt, acme-shoe")
    assert said["sensors[1].antennas.01"] == "antenna 1 is placed twice (seat:4, seat:5)"
    assert (
        said["house.self_corection_s"]
        == "'self_corection_s' is not a parameter; perhaps self_correction_s"
    )
    assert said["tabel"] == "'tabel' is not a key here; perhaps table"
    assert "Zq9-secret" not in str(found)


def test_the_message_is_a_heading_and_an_aligned_line_for_each_mistake(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as found:
        read(tmp_path, GOOD.replace("seat_count = 9", "seat_count = 11").replace('"felt"', '"f/t"'))
    head, first, second = str(found.value).splitlines()
    assert head == f"{tmp_path}/table.toml is not usable:"
    assert first.startswith("  seat_count       expected `int` <= 10")
    assert second.startswith("  sensors[0].name  ")


@pytest.mark.parametrize(
    "name", ["A+B", "Table #1", "a/b", " VIP", "", "x" * 65, "$SYS", "a\\u0000"]
)
def test_a_name_that_cannot_be_a_topic_is_refused(tmp_path: Path, name: str) -> None:
    found = mistakes(tmp_path, GOOD.replace("poker 12 - Süd", name))
    assert [path for path, _ in found] == ["table"]


def test_an_antenna_at_a_seat_the_table_does_not_have_is_refused(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace("seat:4", "seat:10"))
    assert found == [("sensors[0].antennas.1", "seat:10 is beyond the table's 9 seats")]


def test_two_names_of_one_device_are_one_port(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    (tmp_path / "by-id").symlink_to("tty")
    text = GOOD.replace("/dev/serial/by-id/felt", f"{tmp_path}/tty")
    text = text.replace("socket://127.0.0.1:7000", f"{tmp_path}/by-id")
    assert mistakes(tmp_path, text) == [("sensors[1].port", "is the port of sensors[0] too")]


def decked(folder: Path, deck: str) -> list[str]:
    text = GOOD.replace("red.toml", "deck.toml")
    (folder / "deck.toml").write_text(deck)
    return [what for path, what in mistakes(folder, text) if path == "decks.red"]


def test_a_deck_must_have_52_different_tags_of_one_length(tmp_path: Path) -> None:
    lines = DECK_FILE.splitlines(keepends=True)
    assert decked(tmp_path, "".join(lines[:-1])) == ["must have 52 different tags, has 51"]
    assert decked(tmp_path, "".join([*lines[:-1], 'a0ffffffff = "As"\n'])) == [
        "mixes UIDs of 4 and 5 bytes"
    ]
    assert decked(tmp_path, "".join([*lines[:-1], 'a0ffffff = "2c"\n'])) == [
        "1 cards have no tag, others have two"
    ]
    assert decked(tmp_path, "".join([*lines, 'A0000000 = "2c"\n'])) == ["tag 53: the same tag as 1"]


@pytest.mark.parametrize("uid", ["12E5", "1_000", "NO", "0x1F", '"12:34:56"', "04E1000"])
def test_what_is_no_uid_is_refused_by_its_number_and_never_repeated(
    tmp_path: Path, uid: str
) -> None:
    found = decked(tmp_path, f'{uid} = "As"\n' + DECK_FILE)
    assert found == ["tag 1: not a tag's UID: 4 to 12 bytes, in hex digits only"]


def test_a_uid_with_leading_zeros_stays_the_text_that_it_is(tmp_path: Path) -> None:
    deck = DECK_FILE.replace("a0000000", "00123456")
    (tmp_path / "deck.toml").write_text(deck.replace("a0000001", "12E50000"))
    tags = read(tmp_path, GOOD.replace("red.toml", "deck.toml")).tags
    assert (tags["00123456"], tags["12e50000"]) == ("2c", "2d")


def test_a_deck_can_stand_in_the_configuration_itself(tmp_path: Path) -> None:
    text = GOOD.replace('[decks]\nred = "red.toml"', f"[decks.red]\n{DECK_FILE}")
    assert len(read(tmp_path, text).tags) == 52


def test_a_reader_that_cannot_read_the_decks_tags_is_refused_with_the_reason(tmp_path):
    deck = "".join(f'e0040100{n:08x} = "{card}"\n' for n, card in enumerate(DECK))
    (tmp_path / "blue.toml").write_text(deck)
    found = mistakes(tmp_path, GOOD.replace("red.toml", "blue.toml"))
    why = "acme-felt reads iso14443a; the decks are iso15693"
    assert found == [("sensors[0].driver", why)]


def test_antennas_that_read_no_cards_are_spots_and_need_no_deck(tmp_path: Path) -> None:
    cards, spots = '"1" = "seat:4", "2" = "board", "3" = "burn"', '"1" = "bet:4", "2" = "badge"'
    text = GOOD.replace(cards, spots)
    felt = read(tmp_path, text.replace('[decks]\nred = "red.toml"\n', "")).sensors[0]
    assert (felt.places, felt.spots) == ({}, {1: "bet:4", 2: "badge"})
    assert felt.antennas == (1, 2)
    assert felt.senses == ("chips",)
    beyond = mistakes(tmp_path, text.replace("bet:4", "bet:10"))
    assert beyond == [("sensors[0].antennas.1", "bet:10 is beyond the table's 9 seats")]


def test_what_is_not_said_of_presence_is_as_the_driver_has_it(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD).sensors[0].presence == Presence(seen=1, window=5, misses=4)
    found = mistakes(tmp_path, GOOD.replace("{seen = 1}", "{window = 2}"))
    assert [path for path, _ in found] == ["sensors[0].presence"]


def test_how_long_a_tag_is_held_can_be_said_of_a_device_that_holds_tags(tmp_path: Path) -> None:
    held = GOOD.replace("{seen = 1}", "{held_ms = 2500}")
    found = mistakes(tmp_path, held)
    assert found == [("sensors[0].presence.held_ms", "acme-felt says itself when a tag has gone")]
    path = tmp_path / "table.toml"
    drivers = (dataclasses.replace(RFID, polled=False, held_ms=1000), SHOE)
    assert read_settings(path, drivers).sensors[0].held_ms == 2500
    path.write_text(GOOD)
    assert read_settings(path, drivers).sensors[0].held_ms == 1000


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "/dev/ttyACM12", "/dev/input/event3"])
def test_a_port_by_its_number_is_remarked_on(tmp_path: Path, port: str) -> None:
    assert not remarks(read(tmp_path, GOOD), DRIVERS)
    found = remarks(read(tmp_path, GOOD.replace("/dev/serial/by-id/felt", port)), DRIVERS)
    assert [path for path, _ in found] == ["sensors[0].port"]


def test_an_antenna_where_its_device_tells_too_few_tags_apart_lends_nothing(tmp_path: Path) -> None:
    two = dataclasses.replace(RFID, senses=("identity", "place", "board"))
    (tmp_path / "red.toml").write_text(DECK_FILE)
    (tmp_path / "table.toml").write_text(GOOD)
    settings = read_settings(tmp_path / "table.toml", (two, SHOE))
    assert settings.sensors[0].senses == ("identity", "place", "board")
    found = remarks(settings, (two, SHOE))
    what = "acme-felt tells too few tags apart for burn: not judged"
    assert found == [("sensors[0].antennas.3", what)]


def test_a_reader_of_tags_needs_a_deck(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace('red = "red.toml"', ""))
    assert found == [("sensors[0]", "reads tags, but [decks] names no deck")]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xfe", "is not UTF-8 (byte 1)"),
        (b"site = [", "is not TOML: "),
    ],
)
def test_a_file_that_cannot_be_read_is_said_to_be_one(
    tmp_path: Path, content: bytes | None, what: str
) -> None:
    if content is not None:
        (tmp_path / "t.toml").write_bytes(content)
    with pytest.raises(SettingsError) as found:
        read_settings(tmp_path / "t.toml", DRIVERS)
    assert str(found.value).splitlines()[1].strip().startswith(f"(file)  {what}")


@pytest.mark.parametrize(
    "text",
    ["sensors = 3", "sensors = [1, {}]", "broker = []", "decks = 7", "house = 'x'",
     "[[sensors]]\nantennas = []\npresence = 'x'\nname = 1\nport = []", "languages = 4",
     f"seat_count = {10**400}", f"seat_count = {'9' * 5000}", "seat_count = " + "[" * 3000,
     "[decks]\nred = 3\nblue = []", "[staff]\nbadges = 3", "staff = []", "staff = 'x'",
     "rulebook = 3", "languages = [[]]", "broker = {urls = [1]}"],
)  # fmt: skip
def test_a_wrong_type_anywhere_is_a_mistake_and_no_crash(tmp_path: Path, text: str) -> None:
    assert mistakes(tmp_path, text)


def test_a_credential_of_systemd_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = GOOD.replace("[broker]", '[broker]\nusername = "t12"\npassword_file = "mqtt"')
    assert mistakes(tmp_path, text) == [
        ("broker.password_file", "cannot be read: No such file or directory")
    ]
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "mqtt").write_text("x")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    read(tmp_path, text)


def test_the_digest_changes_with_the_file_and_with_its_decks(tmp_path: Path) -> None:
    first = read(tmp_path, GOOD).digest
    assert read(tmp_path, GOOD + "# more\n").digest != first
    (tmp_path / "deck.toml").write_text(DECK_FILE + "# more\n")
    text = GOOD.replace("red.toml", "deck.toml")
    second = read(tmp_path, text).digest
    (tmp_path / "deck.toml").write_text(DECK_FILE)
    assert read(tmp_path, text).digest != second


def test_what_ships_is_found_through_one_function() -> None:
    assert config_path("table.example.toml").is_file()


def test_where_decks_are_still_to_be_enrolled_one_without_a_file_is_no_mistake(
    tmp_path: Path,
) -> None:
    text = GOOD.replace("[decks]", '[decks]\nblue = "blue.toml"')
    assert mistakes(tmp_path, text) == [
        ("decks.blue", "blue.toml is not there: floorcall deck enrol makes it")
    ]
    settings = read_settings(tmp_path / "table.toml", DRIVERS, unread=())
    assert list(settings.decks) == ["red"]
    assert list(settings.document.decks) == ["blue", "red"]
    (tmp_path / "red.toml").write_text("rubbish")
    assert read_settings(tmp_path / "table.toml", DRIVERS, unread=("red",)).decks == {}
    with pytest.raises(SettingsError):
        read_settings(tmp_path / "table.toml", DRIVERS, unread=("blue",))


def test_a_deck_that_a_reader_cannot_read_is_refused_unless_it_is_enrolled_anew(
    tmp_path: Path,
) -> None:
    iso15693 = "".join(f'e00401{n:010x} = "{card}"\n' for n, card in enumerate(DECK))
    table = tmp_path / "table.toml"
    table.write_text(GOOD)
    (tmp_path / "red.toml").write_text(iso15693)
    with pytest.raises(SettingsError, match="acme-felt reads iso14443a; the decks are iso15693"):
        read_settings(table, DRIVERS)
    assert read_settings(table, DRIVERS, unread=("red",)).decks == {}


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
        assert mistakes(tmp_path, text) == [("sensors[1].port", what)]


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
