"""Faults at random on real processes, ptys and disks; `make chaos` is the same for longer."""

from __future__ import annotations

import random
from pathlib import Path

from tests.chaos.real import Evening
from tests.chaos.weather import OF_A_TABLE, plan

SECONDS = 15


async def test_every_alert_arrives_once_whatever_goes_wrong(tmp_path: Path) -> None:
    seed = random.randrange(1 << 32)
    evening = Evening(tmp_path, seed, SECONDS)
    await evening.run()
    print(f"seed {seed}", *evening.figures.printed(), sep="\n")
    assert not evening.wrong, "\n".join([f"seed {seed}", *evening.wrong, *evening.told()])
    assert evening.figures.transitions, f"seed {seed}: no alert was raised, so nothing is proven"


def test_one_seed_is_one_plan() -> None:
    one, other = (list(plan("7", OF_A_TABLE, 600, 1.0)) for _ in range(2))
    assert one == other
    assert {fault.name for fault in one} == OF_A_TABLE.keys()
