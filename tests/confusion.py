"""What was injected into real hands against what was found: `python -m tests.confusion` prints it.

Each row is an irregularity, injected with each of its handlings into recorded hands (seeded). On
the diagonal are the hands in which it was found, and nothing that its handling does not bring
about; whatever else was found stands behind, by its name.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass, field

from daemon.demo.mischief import incident, kinds
from daemon.demo.real_hands import deal_of
from daemon.rules.vocabulary import IDS
from tests.hands.judged import found
from tests.hands.loader import lawful_hands

HANDS_EACH = 50
SEED = "confusion"


@dataclass(slots=True)
class Row:
    """How often one irregularity was injected, found, and what else was found with it."""

    injected: int = 0
    found: int = 0
    beside: Counter[str] = field(default_factory=Counter)


def confusion(hands_each=HANDS_EACH, seed=SEED):
    """A row for every irregularity that can be injected, in the order of a hand."""
    handlings = Counter(name.split()[0] for name, _ in kinds())
    rows = {name: Row() for name in IDS if handlings[name]}
    for name, handling in kinds():
        irregularity = name.split()[0]
        row = rows[irregularity]
        share = -(-hands_each // handlings[irregularity])
        for happened in _incidents(name, handling, share, seed):
            seen = {alert.irregularity for alert in found(*_told(happened)).values()}
            row.injected += 1
            row.found += irregularity in seen or not happened.found
            if happened.stated:
                row.beside.update(seen - set(happened.found))
    return rows


def _told(happened):
    return happened.events, happened.betting, happened.rulebook


def _incidents(name, handling, count, seed):
    """So many hands with this mischief; the recorded hands in an order of its own."""
    hands = list(lawful_hands())
    random.Random(f"{seed} {name} {handling}").shuffle(hands)
    for recorded in hands:
        if not count:
            return
        rng = random.Random(f"{recorded['id']} {name} {handling}")
        happened = incident(name, handling, deal_of(recorded, rng), rng)
        if happened is not None:
            count -= 1
            yield happened


def off_the_diagonal(rows):
    """What is not as it should be, in words."""
    wrong = []
    for name, row in rows.items():
        if row.found < row.injected:
            wrong.append(f"{name}: not found in {row.injected - row.found} of {row.injected} hands")
        wrong += [f"{name}: {other} in {times} hands" for other, times in row.beside.items()]
    return wrong


def printed(rows):
    """The table as text: injected, how often, found by its own name, what else."""
    lines = [f"{'injected':34}{'hands':>6}{'found':>7}  found besides"]
    for name, row in rows.items():
        others = ", ".join(f"{other} {times}" for other, times in sorted(row.beside.items()))
        lines.append(f"{name:34}{row.injected:6}{row.found:7}  {others or '-'}")
    hands = sum(row.injected for row in rows.values())
    on = sum(row.found for row in rows.values()) - sum(row.beside.total() for row in rows.values())
    lines.append(f"{len(rows)} irregularities of {len(IDS)}, {hands} hands, {on} on the diagonal")
    return "\n".join(lines)


def main():
    """Prints the table; status 1 where anything lies off the diagonal or came too seldom."""
    rows = confusion()
    print(printed(rows))
    wrong = off_the_diagonal(rows)
    for name, row in rows.items():
        if row.injected < HANDS_EACH:
            wrong.append(f"{name}: room in {row.injected} hands only")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
