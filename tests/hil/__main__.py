"""`python -m tests.hil [NAME ...]`: perform the scenarios on ptys and keep their bytes anew."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.conftest import Broker, running_broker
from tests.hil.line import journal_beside
from tests.hil.performed import cases, keep, performed

TABLES = 10  # at once


async def record(names: list[str], folder: Path, broker: Broker) -> None:
    turns = asyncio.Semaphore(TABLES)

    async def one(name: str) -> None:
        async with turns:
            own = folder / name
            own.mkdir()
            outcome = await performed(name, cases()[name], "pty", own, broker)
            keep(name, journal_beside(own / "table.toml"), f"{name}-pty")
            print(name, "seen" if outcome.seen else "unseen", *outcome.found())

    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(one(name))


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, running_broker(Path(folder)) as broker:
        asyncio.run(record(names or list(cases()), Path(folder), broker))


if __name__ == "__main__":
    main(sys.argv[1:])
