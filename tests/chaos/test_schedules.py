"""Evenings of faults on a simulated clock, disk and broker: nothing lost, nothing false."""

from __future__ import annotations

import os

import pytest

from tests.chaos.schedule import Schedule, evening

SEEDS = 20_000 if os.environ.get("FLOORCALL_SOAK") else 1_000
BLOCK = 100


def wrong(seed: int) -> str:
    schedule = evening(seed)
    assert schedule.life is not None
    found = {
        "missing at the recorder": schedule.missing(),
        "out of order": schedule.out_of_order(),
        "retained against what stands": schedule.wrongly_retained(),
        "not online": [] if is_online(schedule) else [schedule.status()],
        "lost in the daemon": schedule.life.outbox.lost or [],
    }
    said = "; ".join(f"{what}: {which}" for what, which in found.items() if which)
    return f"seed {seed}: {said}\n  {schedule.faults}" if said else ""


def is_online(schedule: Schedule) -> bool:
    said = schedule.status()
    return said["state"] == "online" and said["boot"] == f"b{schedule._boots}"


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
def test_every_alert_is_at_the_recorder_once_and_what_stands_stands(first: int) -> None:
    told = [said for seed in range(first, first + BLOCK) if (said := wrong(seed))]
    assert not told, "\n".join(told)


def test_one_seed_is_one_evening() -> None:
    one, other = evening(7), evening(7)
    assert one.faults == other.faults
    assert list(one.got.items()) == list(other.got.items())
