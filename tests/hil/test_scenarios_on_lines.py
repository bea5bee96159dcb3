"""Each scenario on ptys, over TCP and out of recorded bytes: what is told is the same each time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.conftest import Broker
from tests.hil.performed import (
    Outcome,
    bytewise,
    cases,
    expected,
    is_seen,
    performed,
    recording,
    replayed,
    whole,
)

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
TABLES = 10  # that run at once
CASES = cases()
# Over TCP all of them in a soak; otherwise those in which the line itself ends or is spoilt.
OVER_TCP = {name for name in CASES if SOAK or not name.startswith(("shoe-gap", "losses", "clean"))}
RUNS = [
    *((name, "pty") for name in CASES),
    *((name, "tcp") for name in CASES if name in OVER_TCP),
]


async def test_every_scenario_is_told_the_same_on_ptys_over_tcp_and_out_of_recorded_bytes(
    tmp_path: Path, broker: Broker
) -> None:
    waiting = list(RUNS)
    outcomes: dict[tuple[str, str], Outcome] = {}

    async def table() -> None:
        while waiting:
            name, kind = waiting.pop()
            folder = tmp_path / f"{name}-{kind}"
            folder.mkdir()
            outcomes[name, kind] = await performed(name, CASES[name], kind, folder, broker)

    async with asyncio.TaskGroup() as group:
        for _ in range(TABLES):
            group.create_task(table())
    for (name, kind), outcome in outcomes.items():
        case = f"{name} {kind}: {CASES[name].title}"
        assert outcome.found() == expected(CASES[name]), case
        assert outcome.seen == is_seen(CASES[name]), case
        assert outcome == replayed(name, tmp_path, whole), case


@pytest.mark.parametrize("cut", [whole, bytewise], ids=["whole", "bytewise"])
@pytest.mark.parametrize("name", CASES)
def test_recorded_bytes_are_told_as_their_scenario_says_in_any_cut(
    name: str, cut: object, tmp_path: Path
) -> None:
    outcome = replayed(name, tmp_path, cut)
    assert outcome.found() == expected(CASES[name])
    assert outcome.seen == is_seen(CASES[name])
    assert outcome == replayed(name, tmp_path, whole)


def test_every_recording_is_of_a_scenario() -> None:
    kept = sorted(recording("x").parent.glob("*.journal.gz"))
    assert kept == sorted(map(recording, CASES))
