"""Where an operator sits down in vain: ports, files and keyboards that are not there."""

from __future__ import annotations

import asyncio
import os
import pty
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.edges.deckfile import Part
from daemon.enrol.desk import LASTING_MS, _Watch
from daemon.enrol.enrolment import ORDER
from drivers.port.reasons import BUSY, HUNG_UP, MISSING
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.rig import on_pty
from tests.hil.technician import ISO15693, PROGRAM, RED, SOON_S, technician, write_deck


def at(port: object, file: Path) -> tuple[object, ...]:
    return ("--port", port, "--driver", "pn532", "--file", file)


def kept(folder: Path, count: int) -> None:
    part = Part(folder / "red.toml")
    part.keep([(card, RED[card]) for card in ORDER[:count]], [])
    part.close()


# --- ports ---


@pytest.mark.parametrize(
    ("command", "more", "words"),
    [
        ("enrol", (), "busy: something else has it open (floorcall, pid "),
        ("verify", (), "busy: something else has it open (floorcall, pid "),
        ("enrol", ("--lang", "it"), "occupata da un altro programma (floorcall, pid "),
    ],
)
async def test_a_port_that_another_has_ends_it_with_his_name(
    tmp_path: Path, command: str, more: tuple[str, ...], words: str
) -> None:
    write_deck(tmp_path / "red.toml", RED)
    async with on_pty(tmp_path / "port") as rig:
        await rig.plug(SimulatedPn532())
        sniffed = (rig.address, "--driver", "pn532")
        async with technician(*sniffed, command="sniff") as other:
            await other.says("open")
            where = at(rig.address, tmp_path / "red.toml")
            async with technician(command, *where, *more) as one:
                assert await one.end() == 1
            assert one.heard[-1].startswith(f"{rig.address}: {words}{other.process.pid})")


async def test_what_can_never_be_a_port_ends_it_and_what_was_laid_is_kept(tmp_path: Path) -> None:
    (tmp_path / "port").touch()
    kept(tmp_path, 5)
    async with technician("enrol", *at(tmp_path / "port", tmp_path / "red.toml")) as one:
        assert await one.end() == 1
    assert "5 of 52 are kept; the same command goes on with them." in one.heard
    assert one.heard[-1].startswith(f"{tmp_path}/port: not a serial port.")


async def test_a_port_that_comes_is_waited_for(tmp_path: Path) -> None:
    kept(tmp_path, 51)
    reader = SimulatedPn532()
    async with on_pty(tmp_path / "port") as rig:
        where = at(rig.address, tmp_path / "red.toml")
        async with technician("enrol", *where, reader=reader, rig=rig) as one:
            await one.says("Reader not there: missing. Waiting for it.")
            await rig.plug(reader)
            await one.says("Reader there.")
            one.lay(RED["As"])
            assert await one.end() == 0


@pytest.mark.parametrize("command", ["enrol", "verify"])
@pytest.mark.parametrize(
    ("port", "words"),
    [
        ("listen://0.0.0.0", "must be listen://HOST:PORT, with a port from 1 to 65535"),
        ("socket://192.168.3.12:70000", "must be socket://HOST:PORT, with a port"),
        ("tcp://192.168.3.12:10001", "tcp:// is not understood: a path, socket://HOST:PORT or"),
    ],
)
async def test_an_address_that_is_malformed_is_refused_at_once(
    tmp_path: Path, command: str, port: str, words: str
) -> None:
    write_deck(tmp_path / "red.toml", RED)
    async with technician(command, *at(port, tmp_path / "red.toml")) as one:
        assert await one.end() == 2
    assert f"--port: {words}" in " ".join(" ".join(one.heard).split())
    assert not (tmp_path / "red.toml.part").exists()


@dataclass
class Told:
    """A dialogue that notes what it is told of the port."""

    troubles: list[str | None] = field(default_factory=list)

    def port(self, trouble: str | None) -> None:
        self.troubles.append(trouble)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def watch(told: Told) -> _Watch:
    return _Watch(told, str.upper)  # type: ignore[arg-type]


def test_udev_has_its_moment_to_give_a_new_port_its_group(watch: _Watch, told: Told) -> None:
    watch.look(MISSING, 0)
    watch.look("no permission", 60_000)
    watch.look("no permission", 60_000 + LASTING_MS - 1)
    assert not watch.is_hopeless
    watch.back()
    assert told.troubles == [MISSING.upper(), None]


def test_a_trouble_that_stays_ends_it_though_the_port_was_waited_for(watch: _Watch) -> None:
    watch.look(MISSING, 0)
    watch.look("no permission", 60_000)
    watch.look("no permission", 60_000 + LASTING_MS)
    assert (watch.is_hopeless, watch.trouble) == (True, "no permission")


def test_a_reader_that_was_there_is_waited_for_whoever_looks_at_it_meanwhile(
    watch: _Watch, told: Told
) -> None:
    watch.back()
    for at_ms, trouble in ((0, HUNG_UP), (100, BUSY), (60_000, BUSY), (61_000, None)):
        watch.look(trouble, at_ms)
    assert not watch.is_hopeless
    assert told.troubles == [None, HUNG_UP.upper(), BUSY.upper()]


# --- files and readers ---


async def test_a_folder_for_a_deck_is_refused_before_the_first_card(tmp_path: Path) -> None:
    (tmp_path / "decks").mkdir()
    async with technician("enrol", *at(tmp_path / "port", tmp_path / "decks")) as one:
        assert await one.end() == 1
    assert one.heard == [f"{tmp_path}/decks: is a folder: name a file"]
    assert not (tmp_path / "decks.part").exists()


@pytest.mark.parametrize("text", ['site = "venezia"\n', "Anna's notes\n"])
async def test_a_file_that_is_no_decks_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "table.toml").write_text(text)
    async with technician("enrol", *at(tmp_path / "port", tmp_path / "table.toml")) as one:
        assert await one.end() == 1
    assert one.heard[-1].startswith(f"{tmp_path}/table.toml: is there and is no deck's file")
    assert (tmp_path / "table.toml").read_text() == text


async def test_a_reader_that_cannot_read_the_deck_does_not_check_it(tmp_path: Path) -> None:
    write_deck(tmp_path / "red.toml", ISO15693)
    async with technician("verify", *at(tmp_path / "port", tmp_path / "red.toml")) as one:
        assert await one.end() == 2
    words = "red.toml has tags of iso15693; pn532 reads iso14443a"
    assert words in " ".join(" ".join(one.heard).split())


# --- keyboards ---


@pytest.mark.parametrize("command", ["enrol", "verify"])
async def test_end_of_file_at_a_terminal_leaves_as_quit_does(tmp_path: Path, command: str) -> None:
    kept(tmp_path, 5)
    write_deck(tmp_path / "red.toml", RED)
    near, far = pty.openpty()
    try:
        where = map(str, at(tmp_path / "port", tmp_path / "red.toml"))
        process = await asyncio.create_subprocess_exec(
            *PROGRAM, command, *where, stdin=far, stdout=asyncio.subprocess.PIPE
        )
        os.write(near, b"\x04")
        said, _ = await asyncio.wait_for(process.communicate(), SOON_S)
    finally:
        os.close(near)
        os.close(far)
    assert process.returncode == 1
    last = "5 of 52 are kept" if command == "enrol" else "52 missing: too many to name them."
    assert last in said.decode().splitlines()[-1]


async def test_where_nobody_can_type_it_goes_on_and_says_so(tmp_path: Path) -> None:
    kept(tmp_path, 51)
    reader = SimulatedPn532()
    async with on_pty(tmp_path / "port") as rig:
        await rig.plug(reader)
        where = at(rig.address, tmp_path / "red.toml")
        async with technician("enrol", *where, reader=reader, rig=rig) as one:
            one.process.stdin.close()
            await one.says("Nothing can be typed here: standard input has ended.")
            one.lay(RED["As"])
            await one.says("52 of 52")
            assert await one.end() == 0
