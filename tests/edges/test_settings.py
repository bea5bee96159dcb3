"""The table's configuration: what is right is read, and all that is wrong is told at once."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from daemon.edges.settings import layout, read_settings
from daemon.shaped import SettingsError
from daemon.shipped import config_path
from daemon.table.cards import DECK
from daemon.table.events import Sense
from daemon.table.layout import Presence
from tests.edges.tables import DECK_FILE, DRIVERS, GOOD, mistakes, read


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
        "betting.level", "sensors[0].driver (felt)", "sensors[1].name (felt)",
        "sensors[1].port (felt)", "sensors[1].antennas.01 (felt)", "sensors[1].antennas.5 (felt)",
        "sensors[1].antennas.2 (felt)", "sensors[1].presence (felt)", "sensors[2].name",
        "sensors[2].antennas", "decks.red",
        "house.self_corection_s", "house.misdeal_s", "table",
    ]  # fmt: skip
    said = dict(found)
    assert said["sensors[0].driver (felt)"] == (
        "'acme-flet' is not a driver; perhaps acme-felt; known: acme-felt, acme-shoe"
    )
    assert said["sensors[1].antennas.01 (felt)"] == "antenna 1 is placed twice (seat:4, seat:5)"
    assert (
        said["house.self_corection_s"]
        == "'self_corection_s' is not a parameter; perhaps self_correction_s"
    )
    assert said["tabel"] == "'tabel' is not a key here; perhaps table"
    assert "Zq9-secret" not in str(found)


@pytest.mark.parametrize(
    ("good", "bad", "path", "what"),
    [
        ('"venezia"', "7", "site", "must be text, is 7"),
        ("seat_count = 9", 'seat_count = "9"', "seat_count",
         "must be a whole number from 2 to 10, is '9'"),
        ('"mqtt://127.0.0.1"', "1883", "broker.urls[0]", "must be text, is 1883"),
        ("seat_count = 9", "languages = []", "languages",
         "must be a list of 1 or more, is a list of 0"),
        ("seat_count = 9", 'game = "Cash"', "game", "must be 'cash' or 'tournament', is 'Cash'"),
        ('name = "felt"', 'name = "felt 1"', "sensors[0].name ('felt 1')",
         "must be 1 to 32 of A-Z a-z 0-9 . _ -, is 'felt 1'"),
        ('"1" = "seat:4"', '"1" = 4', "sensors[0].antennas.1 (felt)", "must be text, is 4"),
        ("{seen = 1}", "{seen = true}", "sensors[0].presence.seen (felt)",
         "must be a whole number, is true"),
        ("presence = {seen = 1}", 'senses = ["order", "count", "odor"]',
         "sensors[0].senses[2] (felt)",
         f"must be one of {', '.join(map(repr, sorted(get_args(Sense))))}, is 'odor'"),
        ('red = "red.toml"', 'red = "red.toml"\nblue = 1234567890', "decks.blue",
         "must be text or a table, is (a number)"),
        ("self_correction_s = 3", "self_correction_s = -3", "house.self_correction_s",
         "must be a number from 0 to 86400, is -3"),
    ],
)  # fmt: skip
def test_a_mistake_says_what_may_stand_there(good, bad, path, what, tmp_path: Path) -> None:
    assert mistakes(tmp_path, GOOD.replace(good, bad, 1)) == [(path, what)]


def test_the_message_is_a_heading_and_an_aligned_line_for_each_mistake(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as found:
        read(tmp_path, GOOD.replace("seat_count = 9", "seat_count = 11").replace('"felt"', '"f/t"'))
    head, first, second = str(found.value).splitlines()
    assert head == f"{tmp_path}/table.toml is not usable:"
    assert first.startswith("  seat_count               must be a whole number from 2 to 10, is 11")
    assert second.startswith(
        "  sensors[0].name ('f/t')  must be 1 to 32 of A-Z a-z 0-9 . _ -, is 'f/t'"
    )


@pytest.mark.parametrize(
    "name", ["A+B", "Table #1", "a/b", " VIP", "", "x" * 65, "$SYS", "a\\u0000"]
)
def test_a_name_that_cannot_be_a_topic_is_refused(tmp_path: Path, name: str) -> None:
    found = mistakes(tmp_path, GOOD.replace("poker 12 - Süd", name))
    assert [path for path, _ in found] == ["table"]


def decked(folder: Path, deck: str) -> list[str]:
    text = GOOD.replace("red.toml", "deck.toml")
    (folder / "deck.toml").write_text(deck)
    return [what for path, what in mistakes(folder, text) if path == "decks.red"]


def test_a_deck_must_have_52_different_tags_of_one_length(tmp_path: Path) -> None:
    lines = DECK_FILE.splitlines(keepends=True)
    assert decked(tmp_path, "".join(lines[:-1])) == [
        "deck.toml: must have 52 different tags, has 51: none for As"
    ]
    assert decked(tmp_path, "".join([*lines[:-1], 'a0ffffffff = "As"\n'])) == [
        "deck.toml: mixes UIDs of 4 and 5 bytes"
    ]
    assert decked(tmp_path, "".join([*lines[:-1], 'a0ffffff = "2c"\n'])) == [
        "deck.toml: must have a tag for each card, has none for As, several for 2c"
    ]
    assert decked(tmp_path, "".join([*lines, 'A0000000 = "2c"\n'])) == [
        "deck.toml: tag 53: the same tag as 1"
    ]


@pytest.mark.parametrize("uid", ["12E5", "1_000", "NO", "0x1F", '"12:34:56"', "04E1000"])
def test_what_is_no_uid_is_refused_by_its_number_and_never_repeated(
    tmp_path: Path, uid: str
) -> None:
    found = decked(tmp_path, f'{uid} = "As"\n' + DECK_FILE)
    assert found == ["deck.toml: tag 1: not a tag's UID: 4 to 12 bytes, in hex digits only"]


def test_a_uid_with_leading_zeros_stays_the_text_that_it_is(tmp_path: Path) -> None:
    deck = DECK_FILE.replace("a0000000", "00123456")
    (tmp_path / "deck.toml").write_text(deck.replace("a0000001", "12E50000"))
    tags = read(tmp_path, GOOD.replace("red.toml", "deck.toml")).tags
    assert (tags["00123456"], tags["12e50000"]) == ("2c", "2d")


def test_a_deck_can_stand_in_the_configuration_itself(tmp_path: Path) -> None:
    text = GOOD.replace('[decks]\nred = "red.toml"', f"[decks.red]\n{DECK_FILE}")
    assert len(read(tmp_path, text).tags) == 52


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
    with pytest.raises(SettingsError, match=r"its tags are iso15693; .*acme-felt, reads iso14443a"):
        read_settings(table, DRIVERS)
    assert read_settings(table, DRIVERS, unread=("red",)).decks == {}
