"""A demo dealer: seeded hands without end, now and then one with a mistake, put right or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, islice

from daemon.demo.board_faults import BOARD_FAULTS
from daemon.demo.deal import Deal
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import MISCHIEF, incident, kinds
from daemon.demo.outcome import CORRECTED, RIGHT
from daemon.table.events import DealingEvent

ERRS = 0.45  # how many hands have a mistake: far more than any real dealer makes, for the watching
PUT_RIGHT = 0.6  # how many mistakes are put right as the book says
# An evening's first mistakes, put right as the book says: each table begins with another of them.
OPENING = ("deal-single-card-exposed", "turn-premature", "flop-premature", "deal-out-of-sequence")
_PLAYERS_MIN = 5
_TRIES = 40  # hands looked at for one with room for the mistake

# What a table without a face reading, and with a console that names no face in the stub, finds to
# be something else or nothing.
UNTOLD = frozenset(
    [(name, "remedy-shuffle-exposed") for name in MISCHIEF]
    + [(name, CORRECTED) for name in BOARD_FAULTS if name.endswith(("-overcount", "flop-no-burn"))]
)


def tellable(name: str, handling: str) -> bool:
    """Whether a demo table, which sees every act, finds this mischief by its own name."""
    mischief = MISCHIEF[name]
    return mischief.acts_seen and mischief.at_demo and (name, handling) not in UNTOLD


def hands(seed: str, table: int, seat_count: int = 9) -> Iterator[list[DealingEvent]]:
    """The events of one hand after the other at the table of this number, from 0."""
    rng = random.Random(f"{seed} {table}")
    deals = _busy_evening(rng, seat_count)
    for turn in range(len(OPENING)):
        yield _mistaken(OPENING[(table + turn) % len(OPENING)], RIGHT, deals, rng)
    while True:
        if rng.random() < ERRS:
            yield _mistaken(*_mistake(rng), deals, rng)
        else:
            yield lawful(next(deals), rng)


def _busy_evening(rng: random.Random, seat_count: int) -> Iterator[Deal]:
    """An evening that begins with enough players for something to happen."""
    while True:
        deals = evening(rng, seat_count)
        first = next(deals)
        if len(first.deal_order) >= _PLAYERS_MIN:
            return chain((first,), deals)


def _mistaken(
    name: str, handling: str, deals: Iterator[Deal], rng: random.Random
) -> list[DealingEvent]:
    """The next hand with room for the mistake; soon enough, one without it."""
    for deal in islice(deals, _TRIES):
        happened = incident(name, handling, deal, rng)
        if happened is not None:
            return happened.events
    return lawful(next(deals), rng)


def _mistake(rng: random.Random) -> tuple[str, str]:
    known: dict[str, list[str]] = {}
    for name, handling in kinds():
        if tellable(name, handling):
            known.setdefault(name, []).append(handling)
    name = rng.choice(list(known))
    right = RIGHT in known[name] and rng.random() < PUT_RIGHT
    return name, RIGHT if right else rng.choice(known[name])
