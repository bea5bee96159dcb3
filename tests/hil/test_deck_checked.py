"""`floorcall deck verify` and `list` as they are installed, at simulated readers on ptys."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.table.cards import DECK
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.rig import on_pty
from tests.hil.technician import (
    BLUE,
    ISO15693,
    RED,
    felt,
    technician,
    write_deck,
    write_table,
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path, felt(tmp_path))


async def test_a_whole_deck_on_the_reader_is_good_and_ends_the_check(
    tmp_path: Path, table: Path
) -> None:
    write_deck(tmp_path / "red.toml", RED)
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("verify", "--config", table, "--deck", "red", "--sensor", "felt")
        async with technician(*args, reader=reader, rig=rig) as one:
            one.lay(*RED.values())
            assert await one.end() == 0
    assert one.heard[-1] == "Deck red: 52 of 52."


async def test_missing_cards_are_named_and_foreign_tags_counted(
    tmp_path: Path, table: Path
) -> None:
    write_deck(tmp_path / "red.toml", RED)
    write_deck(tmp_path / "blue.toml", BLUE)
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("verify", "--config", table, "--deck", "red", "--sensor", "felt")
        async with technician(*args, reader=reader, rig=rig) as one:
            one.lay(*[RED[card] for card in DECK if card not in ("Td", "3h")], BLUE["3h"])
            one.reader.lay("04ffffffffff01", 2)
            await one.says("50 of 52")
            await one.polled()
            one.say("")
            assert await one.end() == 1
    assert one.heard[-4:] == [
        "Deck red: 50 of 52.",
        "2 missing: Td, 3h",
        "Of deck blue: 1",
        "Not of any deck: 1",
    ]


async def test_a_deck_that_is_not_enrolled_or_not_usable_cannot_be_checked(
    tmp_path: Path, table: Path
) -> None:
    async with technician("verify", "--config", table, "--deck", "red") as one:
        assert await one.end() == 1
    assert one.heard == ["red: not enrolled"]
    (tmp_path / "red.toml").write_text(f'{RED["2c"]} = "2c"\n')
    where = ("--port", tmp_path / "port", "--driver", "pn532", "--file", tmp_path / "red.toml")
    async with technician("verify", *where) as one:
        assert await one.end() == 78
    assert one.heard[-1] == "  must have 52 different tags, has 1: none for 51 cards"


async def test_a_deck_that_is_not_usable_does_not_stop_the_list(tmp_path: Path) -> None:
    seat = {**felt(tmp_path), "name": "seat-1", "driver": "pn532", "antennas": '{"1" = "seat:1"}'}
    table = write_table(tmp_path, felt(tmp_path), seat | {"port": str(tmp_path / "seat")})
    table.write_text(table.read_text().replace("blue =", 'pink = "pink.toml"\nblue ='))
    write_deck(tmp_path / "pink.toml", ISO15693)
    write_deck(tmp_path / "blue.toml", BLUE)
    write_deck(tmp_path / "red.toml", RED)
    text = (tmp_path / "red.toml").read_text()
    (tmp_path / "red.toml").write_text(text.replace(f'{RED["Td"]} = "Td"\n', ""))
    async with technician("list", "--config", table) as one:
        assert await one.end() == 78
    rows = [line.split() for line in one.heard[1:4]]
    assert rows[0] == ["red", "-", "-", "-", "-", "-", "not", "usable"]
    assert rows[1] == ["pink", "-", "-", "-", "-", "-", "not", "usable"]
    assert rows[2][:3] == ["blue", "52", "iso14443a"]
    reader = "sensors[1] (seat-1), a pn532, reads iso14443a"
    assert one.heard[4:] == [
        "decks.red  red.toml: must have 52 different tags, has 51: none for Td",
        f"decks.pink  pink.toml: its tags are iso15693; {reader}",
    ]


async def test_list_and_check_warn_of_a_deck_older_than_the_house_allows(tmp_path: Path) -> None:
    table = write_table(tmp_path, felt(tmp_path), house="deck_life_days = 90")
    write_deck(tmp_path / "red.toml", RED)
    write_deck(tmp_path / "blue.toml", BLUE)
    old = (tmp_path / "blue.toml").read_text() + "enrolled = 2020-01-31T12:00:00Z\npersons = 2\n"
    (tmp_path / "blue.toml").write_text(old)
    async with technician("list", "--config", table) as one:
        assert await one.end() == 0
    assert one.heard[0].split() == ["deck", "cards", "tags", "enrolled", "age", "persons"]
    assert one.heard[1].split() == ["red", "52", "iso14443a", "-", "-", "-"]
    row = one.heard[2].split()
    assert (row[:4], row[-1]) == (["blue", "52", "iso14443a", "2020-01-31"], "2")
    assert one.heard[3] == (
        "decks.red  does not tell when it was enrolled; the house allows 90 days"
    )
    assert one.heard[4].startswith("decks.blue  was enrolled ")
    assert one.heard[4].endswith(" days ago; the house allows 90")
    async with technician(table, command="check") as checker:
        assert await checker.end() == 0
    assert [line.strip() for line in checker.heard if "decks." in line] == one.heard[3:5]
