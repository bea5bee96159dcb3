"""What the tests of the technician's commands share: a table on ptys, and `floorcall doctor`."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.table.cards import DECK
from drivers.simulated.csl1 import Shoe
from drivers.simulated.device import Device
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.rig import Rig, on_pty

PROGRAM = (sys.executable, "-m", "daemon")
SOON_S = 90
ALL_OF_IT_S = 30
UIDS = [f"04{number:012x}" for number in range(52)]
DECK_FILE = "".join(f'{uid} = "{card}"\n' for uid, card in zip(UIDS, DECK, strict=True))

# What root may do against the modes of files, it shall not do here; others may not anyway.
AS_ORDINARY = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
)

CONFIG = """
site = "venezia"
table = "poker-12"
seat_count = 9
languages = ["en"]
[broker]
urls = [{urls}]
{broker}
[journal]
folder = "{folder}/journal"
[[sensors]]
name = "shoe"
driver = "csl1"
port = "{shoe}"
[[sensors]]
name = "felt"
driver = "feig"
port = "{felt}"
antennas = {{ "1" = "board", "2" = "burn" }}
[[sensors]]
name = "seat-1"
driver = "pn532"
port = "{seat}"
antennas = {{ "1" = "seat:1" }}
[decks]
red = "deck.toml"
"""


@dataclass(frozen=True)
class Told:
    """What a command said, its status, and how long it took."""

    status: int | None
    said: str
    errors: str
    took_s: float

    def rows(self, part: str) -> list[tuple[str, str]]:
        """The findings of this part, as (level, what)."""
        rows, here = [], ""
        for line in self.said.splitlines()[2:]:
            if line.startswith("  ") and line[2:3].strip():
                level, _, rest = line[2:].partition("  ")
                name, _, what = rest.strip().partition("  ")
                if what.strip():
                    here = name
                else:  # the same part as above
                    what = name
                if here == part:
                    rows.append((level, what.strip()))
        return rows


async def called(
    *args: object, by: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> Told:
    """Run `floorcall`, by way of `by`."""
    began_s = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *by, *PROGRAM, *map(str, args),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=os.environ | (env or {}),
    )  # fmt: skip
    said, errors = await asyncio.wait_for(process.communicate(), SOON_S)
    took_s = time.monotonic() - began_s
    told = Told(process.returncode, said.decode(), errors.decode(), took_s)
    assert "Traceback" not in told.errors, told.errors
    assert not any(uid in told.said + told.errors for uid in UIDS)
    return told


@dataclass
class Bench:
    """A table's devices, their rigs and the configuration that names them."""

    folder: Path
    shoe: Device
    felt: SimulatedFeig
    seat: SimulatedPn532
    rigs: dict[str, Rig]

    @property
    def config(self) -> Path:
        return self.folder / "table.toml"

    @property
    def journals(self) -> Path:
        return self.folder / "journal" / "poker-12"

    def tty(self, name: str) -> str:
        """The terminal's own name, as in `pts/3`."""
        return str(Path(self.rigs[name].address).readlink()).removeprefix("/dev/")

    def configure(self, *urls: str, broker: str = "", **ports: object) -> Path:
        """Write the configuration; `ports` in the place of the devices' own."""
        given = {name: rig.address for name, rig in self.rigs.items()}
        text = CONFIG.format(
            urls=", ".join(f'"{url}"' for url in urls or ("mqtt://127.0.0.1:1",)),
            broker=broker, folder=self.folder, **(given | ports),
        )  # fmt: skip
        self.config.write_text(text)
        (self.folder / "deck.toml").write_text(DECK_FILE)
        (self.folder / "deck.toml").chmod(0o640)
        return self.config


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with AsyncExitStack() as stack:
        devices: dict[str, Device] = {
            "shoe": Shoe(), "felt": SimulatedFeig(), "seat": SimulatedPn532(),
        }  # fmt: skip
        rigs = {}
        for name, device in devices.items():
            rigs[name] = await stack.enter_async_context(on_pty(tmp_path / name))
            await rigs[name].plug(device)
        shoe, felt, seat = devices.values()
        yield Bench(tmp_path, shoe, felt, seat, rigs)  # type: ignore[arg-type]


@asynccontextmanager
async def running(config: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """`floorcall run` on this configuration; ended as systemd ends it."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "run", "--config", str(config),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.communicate(), SOON_S)
