"""Each scenario on ptys, over TCP and out of recorded bytes: what is told is the same each time."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.conftest import Broker
from tests.hil.performed import (
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
CASES = cases()
# Over TCP all of them in a soak; otherwise those in which the line itself ends or is spoilt.
OVER_TCP = {name for name in CASES if SOAK or not name.startswith(("shoe-gap", "losses", "clean"))}


@pytest.mark.parametrize("name", CASES)
async def test_a_scenario_is_told_the_same_on_ptys_over_tcp_and_out_of_recorded_bytes(
    name: str, tmp_path: Path, broker: Broker
) -> None:
    case = CASES[name]
    told = {}
    async with asyncio.TaskGroup() as group:
        for kind in ("pty", "tcp") if name in OVER_TCP else ("pty",):
            (tmp_path / kind).mkdir()
            run = performed(name, case, kind, tmp_path / kind, broker)
            told[kind] = group.create_task(run)
    for kind, task in told.items():
        outcome, which = task.result(), f"{kind}: {case.title}"
        assert outcome.found() == expected(case), which
        assert outcome.seen == is_seen(case), which
        assert outcome == replayed(name, tmp_path, whole), which


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
