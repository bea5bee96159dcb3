"""What noisy readers cost: false alerts in clean hands, and irregularities that go unfound."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import Pool

from daemon.demo.dealers import tellable
from daemon.demo.dealing import lawful
from daemon.demo.mischief import MISCHIEF, incident, injected, kinds
from daemon.demo.real_hands import deal_of
from daemon.table.events import HandStarted
from tests.budget.air import Noise
from tests.budget.table import NoisyTable
from tests.hands.loader import lawful_hands, recorded_hands

FALSE_PER_THOUSAND_MAX = 1.0
FOUND_PERCENT_MIN = 99.5
MISSED_ONCE = 1  # no share is told by one hand of a few
CLEAN_SHARE = 0.5  # of all hands; the others have an irregularity each
SLICE = 100  # clean hands that one table deals, one after the other


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be dealt: so many hands, in this noise, at this pace, by this seed."""

    hands: int = 20_000
    noise: Noise = field(default_factory=Noise)
    speed: float = 4
    seed: str = "budget"


@dataclass(slots=True)
class Row:
    """One irregularity: how often dealt, how often found, what else was told in those hands."""

    dealt: int = 0
    found: int = 0
    beside: Counter[str] = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Budget:
    """The figures of a plan; `false` are alerts in clean hands, those for the log left out."""

    clean: int = 0
    false: Counter[tuple[str, str]] = field(default_factory=Counter)
    false_in: list[str] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)

    @property
    def false_per_thousand(self):
        return 1000 * self.false.total() / self.clean if self.clean else 0.0

    def broken(self):
        """What is over the budget, in words."""
        found = []
        if self.false_per_thousand > FALSE_PER_THOUSAND_MAX:
            found.append(f"{self.false_per_thousand:.2f} false alerts per 1,000 clean hands")
        for name, row in self.rows.items():
            missed = row.dealt - row.found
            if missed > MISSED_ONCE and 100 * row.found < FOUND_PERCENT_MIN * row.dealt:
                found.append(f"{name}: {row.found} of {row.dealt} found")
        return found

    def add(self, other):
        self.clean += other.clean
        self.false += other.false
        self.false_in += other.false_in
        for name, row in other.rows.items():
            mine = self.rows.setdefault(name, Row())
            mine.dealt += row.dealt
            mine.found += row.found
            mine.beside += row.beside
            mine.odd += row.odd


def told_kinds():
    """Every mischief with a handling that a demo table finds by its own name, near misses too."""
    return [kind for kind in kinds() if tellable(*kind)]


def jobs(plan):
    """What can be dealt apart from each other: slices of clean hands, and kinds of mischief."""
    clean = round(plan.hands * CLEAN_SHARE)
    for at in range(0, clean, SLICE):
        yield plan, None, at // SLICE, min(SLICE, clean - at)
    ways: dict[str, list[tuple[str, str]]] = {}
    for kind in told_kinds():
        ways.setdefault(injected(*kind), []).append(kind)
    for of_one in ways.values():
        share = -(-(plan.hands - clean) // len(ways))
        for number, kind in enumerate(of_one):
            yield plan, kind, number, share // len(of_one) + (number < share % len(of_one))


def dealt(job):
    """One job's figures."""
    plan, kind, number, count = job
    return _clean(plan, number, count) if kind is None else _incidents(plan, *kind, count)


def measure(plan, workers, heed=lambda _budget: None):
    """The figures of the whole plan; `heed` is shown them as they grow."""
    budget = Budget()
    with Pool(workers) as pool:
        for part in pool.imap_unordered(dealt, jobs(plan)):
            budget.add(part)
            heed(budget)
    return budget


def _clean(plan, number, count):
    seed = f"{plan.seed} clean {number}"
    rng, budget = random.Random(seed), Budget()
    table = NoisyTable(seed, plan.noise, plan.speed)
    hands = lawful_hands()
    for _ in range(count):
        recorded = rng.choice(hands)
        _count_false(budget, table.deal(lawful(deal_of(recorded, rng), rng)), recorded["id"])
    return budget


def _count_false(budget, alerts, hand):
    budget.clean += 1
    told = [alert for alert in alerts.values() if alert.audience != "log"]
    budget.false.update((alert.irregularity, alert.audience) for alert in told)
    budget.false_in += [hand] if told else []


def _incidents(plan, name, handling, count):
    budget, near_miss = Budget(), handling in MISCHIEF[name].near_misses
    row = Row() if near_miss else budget.rows.setdefault(injected(name, handling), Row())
    for hand, happened in _hands_with(plan, name, handling, count):
        seats = max(max(*e.seats, e.button) for e in happened.events if isinstance(e, HandStarted))
        seed = f"{plan.seed} {name} {handling} {hand}"
        wide = 10 if name == "deal-unentitled-seat" else seats
        table = NoisyTable(seed, plan.noise, plan.speed, wide, happened.table.betting)
        alerts = table.deal(happened.events)
        if near_miss:
            _count_false(budget, alerts, f"{hand} {name} {handling}")
            continue
        names = {a.irregularity for a in alerts.values() if a.state != "withdrawn"}
        row.dealt += 1
        row.found += (is_found := injected(name, handling) in names)
        loud = {a.irregularity for a in alerts.values() if a.audience != "log"}
        beside = sorted(loud - set(happened.found))
        row.beside.update(beside)
        if beside or not is_found:
            what = ", ".join([*([] if is_found else ["not found"]), *beside])
            row.odd.append(f"{hand} {name} / {handling}: {what}")
    return budget


def _hands_with(plan, name, handling, count):
    """So many hands with room for this mischief; recorded hands come again where there are few."""
    hands = list(recorded_hands())
    random.Random(f"{plan.seed} {name} {handling}").shuffle(hands)
    left, turn = count, 0
    while left:
        before = left
        for recorded in hands:
            rng = random.Random(f"{recorded['id']} {name} {handling} {turn}")
            happened = incident(name, handling, deal_of(recorded, rng), rng)
            if happened is not None and left:
                left -= 1
                yield f"{recorded['id']}/{turn}", happened
            if not left:
                return
        if left == before:
            return
        turn += 1
