"""What was injected into real hands against what was found: `python -m tests.confusion` prints it.

Each row is an irregularity, injected in every way there is into recorded hands (seeded). On the
diagonal are the hands in which it was found by its own name, and nothing that it does not bring
about; whatever else was found stands behind, by its name. A fault in a remedy is injected on top of
the fault that is remedied, and that one is found, too.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from daemon.demo.mischief import MISCHIEF, Incident, incident, injected, kinds
from daemon.demo.real_hands import deal_of
from daemon.rules.vocabulary import IDS, UNSEEN
from tests.hands.judged import found_in
from tests.hands.loader import lawful_hands

HANDS_EACH = 50
SEED = "confusion"
# Irregularities that no recorded hand can be injected with, and why.
NOT_INJECTED = UNSEEN


@dataclass(slots=True)
class Row:
    """How often an irregularity was injected, and found; its near misses; what else was found."""

    injected: int = 0
    found: int = 0
    near_misses: int = 0
    beside: Counter[str] = field(default_factory=Counter)


def confusion(hands_each: int = HANDS_EACH, seed: str = SEED) -> dict[str, Row]:
    """A row for every irregularity that can be injected, in the order of a hand."""
    ways = Counter(injected(*kind) for kind in kinds() if not is_near_miss(*kind))
    rows = {name: Row() for name in IDS if ways[name]}
    for name, handling in kinds():
        irregularity = injected(name, handling)
        row = rows[irregularity]
        share = -(-hands_each // ways[irregularity])
        for happened in incidents(name, handling, share, seed):
            seen = {alert.irregularity for alert in found_in(happened).values()}
            if happened.found:
                row.injected += 1
                row.found += irregularity in seen
            else:
                row.near_misses += 1
            row.beside.update(seen - set(happened.found))
    return rows


def is_near_miss(name: str, handling: str) -> bool:
    """Whether nothing is found in it."""
    return handling in MISCHIEF[name].near_misses


def incidents(name: str, handling: str, count: int, seed: str) -> Iterator[Incident]:
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


def off_the_diagonal(rows: dict[str, Row]) -> list[str]:
    """What is not as it should be, in words."""
    wrong = []
    for name, row in rows.items():
        if row.found < row.injected:
            wrong.append(f"{name}: not found in {row.injected - row.found} of {row.injected} hands")
        wrong += [f"{name}: {other} in {times} hands" for other, times in row.beside.items()]
    return wrong


def printed(rows: dict[str, Row]) -> str:
    """The table as text: injected, found by its own name, near misses, what else was found."""
    lines = [f"{'injected':34}{'hands':>6}{'found':>7}{'near misses':>13}  found besides"]
    for name, row in rows.items():
        others = ", ".join(f"{other} {times}" for other, times in sorted(row.beside.items()))
        counts = f"{row.injected:6}{row.found:7}{row.near_misses or '-':>13}"
        lines.append(f"{name:34}{counts}  {others or '-'}")
    hands = sum(row.injected for row in rows.values())
    on = sum(row.found for row in rows.values()) - sum(row.beside.total() for row in rows.values())
    lines.append(f"{len(rows)} irregularities of {len(IDS)}, {hands} hands, {on} on the diagonal")
    lines += [f"not injected: {name}: {reason}" for name, reason in NOT_INJECTED.items()]
    return "\n".join(lines)


def main() -> int:
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
