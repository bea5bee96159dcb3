"""`floorcall deck enrol` as it is installed, at simulated readers on ptys."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
from pathlib import Path

import msgspec
import pytest

from daemon.edges.deckfile import Part
from daemon.edges.settings import read_settings
from daemon.enrol.enrolment import ORDER
from daemon.table.cards import DECK
from daemon.table.decks import read_deck
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.rig import on_pty
from tests.hil.technician import (
    BLUE,
    ISO15693,
    PROGRAM,
    RED,
    SOON_S,
    felt,
    technician,
    uids,
    write_deck,
    write_table,
)

SOAK = "FLOORCALL_SOAK" in os.environ
LAID_BEFORE = 0 if SOAK else 42  # of 52: each takes 0.4 s


def seat(folder: Path) -> dict[str, str]:
    return {
        "name": "seat-1", "driver": "pn532", "port": str(folder / "seat"),
        "antennas": '{"1" = "seat:1"}',
    }  # fmt: skip


def kept(folder: Path, cards: dict[str, str], count: int) -> None:
    """An enrolment of the red deck that was interrupted after so many cards."""
    part = Part(folder / "red.toml")
    part.keep([(card, cards[card]) for card in ORDER[:count]], [])
    part.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def map_of(path: Path) -> dict[str, str]:
    deck, mistakes = read_deck(path.read_bytes())
    assert mistakes == []
    return {card: uid for uid, card in deck.tags.items()}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path, felt(tmp_path))


async def test_a_deck_is_enrolled_card_by_card_at_a_reader_without_a_table(tmp_path: Path) -> None:
    reader, file = SimulatedPn532(), tmp_path / "red.toml"
    kept(tmp_path, RED, LAID_BEFORE)
    async with on_pty(tmp_path / "port") as rig:
        await rig.plug(reader)
        where = ("--port", rig.address, "--driver", "pn532", "--file", file)
        async with technician("enrol", *where, reader=reader, rig=rig) as one:
            await one.obey(RED, 52 - LAID_BEFORE)
            assert await one.end() == 0
    assert map_of(file) == RED
    assert file.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["red.toml", "red.toml.log"]
    assert f"{LAID_BEFORE + 1:>2} of 52  " in "\n".join(one.heard)
    assert "52 of 52  As (ace of spades)" in one.heard


async def test_two_decks_of_a_table_are_enrolled_and_none_has_a_card_of_the_other(
    tmp_path: Path, table: Path
) -> None:
    write_deck(tmp_path / "blue.toml", BLUE)
    kept(tmp_path, RED, 50)
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("enrol", "--config", table, "--sensor", "felt", "--deck", "red")
        async with technician(*args, reader=reader, rig=rig) as one:
            await one.says("50 of 52 were enrolled before")
            await one.says("Lay Ks (king of spades).")
            one.lay(BLUE["Ks"])
            await one.says("That card belongs to deck blue.")
            one.lay(RED["2c"])
            await one.says("That card is enrolled already.")
            one.lay(RED["Ks"], RED["As"])
            await one.says("More than one new card lies there.")
            one.lay("0411223344556677889a")
            await one.says("another kind of tag")
            one.lay(RED["Ks"])
            await one.says("51 of 52  Ks")
            one.say("undo")
            await one.says("Ks (king of spades) is taken back.")
            one.say("missing")
            await one.says("2 missing: Ks As")
            one.lay()
            await one.polled()
            one.lay(RED["Ks"])
            await one.says("Lay As")
            one.add(RED["As"])
            assert await one.end() == 0
    assert map_of(tmp_path / "red.toml") == RED
    assert not (tmp_path / "red.toml.part").exists()
    settings = read_settings(table)
    assert len(settings.tags) == 104


async def test_cards_are_laid_in_any_order_and_named_in_italian(
    tmp_path: Path, table: Path
) -> None:
    kept(tmp_path, RED, 49)
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("enrol", "--config", table, "--deck", "red", "--by-name", "--lang", "it")
        async with technician(*args, "--antenna", 2, reader=reader, rig=rig) as one:
            one.antenna = 2
            await one.says("Posare una carta.")
            for card in ("As", "Qs"):
                one.lay(RED[card])
                await one.says("Che carta è?")
                one.say(card)
            await one.says("51 di 52  Qs (donna di picche)")
            one.say("ks")
            await one.says("Posare Ks (re di picche).")
            one.lay(RED["Ks"])
            assert await one.end() == 0
    assert map_of(tmp_path / "red.toml") == RED


async def test_an_enrolment_killed_in_the_middle_goes_on_and_gives_the_same_map(
    tmp_path: Path, table: Path
) -> None:
    write_deck(tmp_path / "red.toml", uids(0xC100_0000_0000))
    kept(tmp_path, RED, 40)
    before = (tmp_path / "red.toml").read_bytes()
    reader = SimulatedFeig()
    args = ("enrol", "--config", table, "--sensor", "felt", "--deck", "red")
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        for count in (44, 48):
            async with technician(*args, reader=reader, rig=rig) as one:
                one.lay()
                await one.obey(RED, 4)
                await one.says(f"{count} of 52  ")
                one.process.kill()
                assert await one.end() == -signal.SIGKILL
            assert (tmp_path / "red.toml").read_bytes() == before
            assert (tmp_path / "red.toml.part").stat().st_mode & 0o777 == 0o600
        async with technician(*args, reader=reader, rig=rig) as one:
            one.lay()
            await one.says("48 of 52 were enrolled before")
            await one.obey(RED, 4)
            assert await one.end() == 0
    assert map_of(tmp_path / "red.toml") == RED


@pytest.mark.parametrize("how", ["quit", signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_an_enrolment_that_is_left_is_kept_and_the_deck_stays_as_it_was(
    tmp_path: Path, table: Path, how: str | int
) -> None:
    kept(tmp_path, RED, 5)
    async with technician("enrol", "--config", table, "--deck", "red") as one:
        await one.says("Reader not there: missing.")
        one.say(how) if isinstance(how, str) else one.process.send_signal(how)
        assert await one.end() == 1
    assert "5 of 52 are kept" in one.heard[-1]
    assert not (tmp_path / "red.toml").exists()
    async with technician("list", "--config", table) as one:
        assert await one.end() == 0
    assert one.heard[1].endswith("enrolment interrupted at 5 of 52")
    assert one.heard[2].endswith("not enrolled")


async def test_two_persons_lay_and_check_and_their_names_go_to_the_record_only(
    tmp_path: Path, table: Path
) -> None:
    kept(tmp_path, RED, 51)
    reader = SimulatedFeig()
    args = ("enrol", "--config", table, "--deck", "red", "--two-persons", "--sample", 3)
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        async with technician(*args, "--life-days", 90, reader=reader, rig=rig) as one:
            await one.says("Who lays the deck?")
            one.say("Anna Rossi")
            await one.obey(RED, 1)
            await one.says("Who checks it?")
            one.say("anna rossi")
            await one.says("not that of who laid the deck")
            one.lay()
            await one.polled()
            one.say("Bruno")
            await one.obey(RED, 3)
            assert await one.end() == 0
    text = (tmp_path / "red.toml").read_text()
    assert "Anna" not in text
    assert "Bruno" not in text
    assert "life_days = 90\npersons = 2\n" in text
    log = tmp_path / "red.toml.log"
    assert log.stat().st_mode & 0o777 == 0o600
    record = msgspec.json.decode(log.read_bytes())
    assert (record["laid_by"], record["checked_by"]) == (["Anna Rossi"], "Bruno")
    assert not any(uid in log.read_text() for uid in RED.values())


async def test_a_check_that_fails_writes_nothing(tmp_path: Path, table: Path) -> None:
    shifted = dict(zip(DECK, [*list(RED.values())[1:], RED["2c"]], strict=True))
    kept(tmp_path, shifted, 52)
    reader = SimulatedFeig()
    args = ("enrol", "--config", table, "--deck", "red", "--two-persons")
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        async with technician(*args, reader=reader, rig=rig) as one:
            one.say("Anna")
            one.say("Bruno")
            asked = await one.says("Check 1 of 13")
            card = asked.split("lay ")[1][:2]
            one.lay(RED[card])
            await one.says(f"That is not what was enrolled as {card}")
            one.lay()
            await one.polled()
            one.lay(RED[card])
            assert await one.end() == 1
    assert "Nothing is written" in one.heard[-1]
    assert names(tmp_path) == ["table.toml"]


async def test_a_deck_that_one_of_the_readers_cannot_read_is_refused(tmp_path: Path) -> None:
    table = write_table(tmp_path, felt(tmp_path), seat(tmp_path))
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("enrol", "--config", table, "--deck", "red", "--sensor", "felt")
        async with technician(*args, reader=reader, rig=rig) as one:
            await one.says("Lay 2c")
            one.lay(ISO15693["2c"])
            await one.says("Sensor seat-1 cannot read this kind of tag.")
            one.say("quit")
            assert await one.end() == 1
    assert not (tmp_path / "red.toml.part").exists()


async def test_a_reader_pulled_and_put_back_costs_no_card(tmp_path: Path, table: Path) -> None:
    kept(tmp_path, RED, 50)
    reader = SimulatedFeig()
    async with on_pty(tmp_path / "felt") as rig:
        await rig.plug(reader)
        args = ("enrol", "--config", table, "--deck", "red")
        async with technician(*args, reader=reader, rig=rig) as one:
            await one.obey(RED, 1)
            await one.says("51 of 52")
            await rig.unplug()
            await one.says("Reader not there")
            await rig.replug()
            await one.says("Reader there.")
            one.lay(RED["As"])
            assert await one.end() == 0
    assert map_of(tmp_path / "red.toml") == RED


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--deck", "green"), "names no file for deck green"),
        (("--deck", "red", "--sensor", "seat"), "--sensor: a reader of cards is needed: felt"),
        (("--deck", "red", "--antenna", "7"), "--antenna: felt reads cards on: 1, 2"),
        (("--deck", "red", "--port", "/dev/x"), "give --config and --deck"),
        ((), "give --config and --deck"),
    ],
)
async def test_wrong_usage_is_told(table: Path, args: tuple[str, ...], words: str) -> None:
    async with technician("enrol", "--config", table, *args) as one:
        assert await one.end() == 2
    assert words in " ".join(" ".join(one.heard).split())


async def test_it_speaks_and_listens_at_a_terminal(tmp_path: Path, table: Path) -> None:
    near, far = pty.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, "enrol", "--config", str(table), "--deck", "red", stdin=far, stdout=far
        )
        os.write(near, b"missing\nquit\n")
        assert await asyncio.wait_for(process.wait(), SOON_S) == 1
        assert b"52 missing: 2c 3c 4c" in os.read(near, 4096)
    finally:
        os.close(near)
        os.close(far)
    assert not (tmp_path / "red.toml.part").exists()
