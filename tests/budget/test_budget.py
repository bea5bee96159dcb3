"""A part of `make budget`: noisy readers raise no false alarm and hide no irregularity."""

from __future__ import annotations

import os

from tests.budget.__main__ import printed
from tests.budget.air import Noise
from tests.budget.measure import Plan, measure
from tests.budget.table import NoisyTable

SOAK = "FLOORCALL_SOAK" in os.environ
PLAN = Plan() if SOAK else Plan(hands=300, speed=8)
WORKERS = 1  # pytest's own are beside it


def test_the_budget_is_kept():
    budget = measure(PLAN, WORKERS)
    print("\n".join([*printed(PLAN, budget), *budget.false_in]))
    assert budget.clean >= 0.5 * PLAN.hands
    assert all(row.dealt for row in budget.rows.values())
    assert not budget.broken()


def test_the_figures_can_tell_a_bad_table_from_a_good_one():
    blind = Plan(hands=80, noise=Noise(misreads=0.9), speed=50)
    false, *unfound = measure(blind, WORKERS).broken()
    assert false.endswith("false alerts per 1,000 clean hands")
    assert unfound


def test_the_same_seed_is_the_same_table():
    plan = Plan(hands=20, speed=50, noise=Noise(misreads=0.2, ghosts=0.2))
    assert measure(plan, 1) == measure(plan, 2)
    assert NoisyTable("a", plan.noise, 50).deal([]) == {}
