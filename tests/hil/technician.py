"""A technician at a simulated reader: runs `floorcall deck`, reads what it says, lays the cards."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from daemon.table.cards import DECK
from daemon.table.decks import Deck, deck_file
from drivers.simulated.rig import Rig

SOON_S = 90
FLOORCALL = (sys.executable, "-m", "daemon")
PROGRAM = (*FLOORCALL, "deck")
CARD = re.compile(r"\b([2-9TJQKA][cdhs])\b")
TABLE = """
site = "venezia"
table = "poker-12"
[broker]
urls = ["mqtt://127.0.0.1"]
{sensors}
[decks]
red = "red.toml"
blue = "blue.toml"
[house]
{house}
"""
SENSOR = """
[[sensors]]
name = "{name}"
driver = "{driver}"
port = "{port}"
antennas = {antennas}
"""


def write_table(folder: Path, *sensors: dict[str, str], house: str = "") -> Path:
    """The configuration of a table with these sensors and the decks red and blue."""
    path = folder / "table.toml"
    told = "".join(SENSOR.format(**sensor) for sensor in sensors)
    path.write_text(TABLE.format(sensors=told, house=house))
    return path


def uids(first: int, size: int = 7) -> dict[str, str]:
    """Card to UID of a deck."""
    return {card: (b"\x04" + (first + n).to_bytes(size - 1)).hex() for n, card in enumerate(DECK)}


RED, BLUE = uids(0xA100_0000_0000), uids(0xB100_0000_0000)
ISO15693 = {card: f"e0040100{n:08x}" for n, card in enumerate(DECK)}
TAGS = {*RED.values(), *BLUE.values(), *ISO15693.values()}


def felt(folder: Path) -> dict[str, str]:
    """The reader of board and muck, as `write_table` takes it."""
    return {
        "name": "felt", "driver": "feig", "port": str(folder / "felt"),
        "antennas": '{"1" = "board", "2" = "muck"}',
    }  # fmt: skip


def write_deck(path: Path, cards: dict[str, str]) -> None:
    path.write_bytes(deck_file(path.stem, Deck({cards[card]: card for card in DECK})))


@dataclass
class Technician:
    """Whoever sits there; `heard` are the lines of standard output."""

    process: asyncio.subprocess.Process
    reader: Any = None
    rig: Rig | None = None
    heard: list[str] = field(default_factory=list)
    lying: list[str] = field(default_factory=list)
    antenna: int = 1

    async def line(self) -> str:
        """The next line, empty where the program has ended."""
        line = await asyncio.wait_for(self.process.stdout.readline(), SOON_S)
        self.heard.append(line.decode().rstrip("\n"))
        return self.heard[-1]

    async def until(self, claim: Callable[[str], bool]) -> str:
        while not claim(line := await self.line()):
            assert line or not self.process.stdout.at_eof(), "\n".join(self.heard)
        return line

    async def says(self, words: str) -> str:
        return await self.until(lambda line: words in line)

    def say(self, line: str) -> None:
        self.process.stdin.write(line.encode() + b"\n")

    def lay(self, *tags: str) -> None:
        """Lay these, and take off what lies there."""
        for tag in self.lying:
            self.reader.lift(tag, self.antenna)
        self.add(*tags)

    def add(self, *tags: str) -> None:
        """Lay these beside what lies there."""
        for tag in tags:
            self.reader.lay(tag, self.antenna)
        self.lying = list(tags)
        self.rig.poke()

    async def polled(self, count: int = 5) -> None:
        """Wait until the reader was asked so often again: what was laid has been told."""
        until = self.reader.polls + count
        async with asyncio.timeout(SOON_S):
            while self.reader.polls < until:  # noqa: ASYNC110 - the reader tells nobody
                await asyncio.sleep(0.01)

    async def obey(self, cards: dict[str, str], count: int = 52) -> None:
        """Lay each card that is asked for, `count` of them."""
        for _ in range(count):
            asked = await self.until(lambda line: line.startswith(("Lay ", "Check ")))
            self.lay(cards[CARD.search(asked)[1]])

    async def end(self) -> int:
        """Read all that is said and wait for the end; the exit status."""
        told, errors = await asyncio.wait_for(self.process.communicate(), SOON_S)
        self.heard += told.decode().splitlines() + errors.decode().splitlines()
        return self.process.returncode


@asynccontextmanager
async def technician(
    *args: object, reader: Any = None, rig: Rig | None = None, command: str = "deck"
) -> AsyncIterator[Technician]:
    """The program and who sits at it; fails where a tag was shown."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *FLOORCALL, command, *map(str, args), stdin=pipe, stdout=pipe, stderr=pipe
    )
    one = Technician(process, reader, rig)
    try:
        yield one
        said = "\n".join(one.heard).lower()
        assert said
        assert not any(tag in said for tag in TAGS)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.communicate()
