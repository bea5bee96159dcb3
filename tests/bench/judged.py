"""Hands judged a second by `floorcall judge`, beside PokerKit's replay of the same hands."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

from pokerkit import Automation, NoLimitTexasHoldem

from daemon.demo.dealing import lawful
from daemon.demo.real_hands import deal_of
from daemon.table import events
from tests.bench.product import program
from tests.hands.loader import Recorded, lawful_hands

RUNS = 3
TABLE = b'{"event":"table","table":"bench"}\n'
BREAK_MS = 5_000
STACK = 10_000  # what every seat of the Pluribus hands began with
AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


def chosen(count: int) -> list[Recorded]:
    """`count` recorded hands of six seats with every card and every amount known, over and over."""
    known = [hand for hand in lawful_hands() if hand["source"] == "pluribus"]
    return list(islice(cycle(known), count))


def written(hands: list[Recorded]) -> bytes:
    """The hands as dealing events, one after the other at one table."""
    rng = random.Random(1)
    dealt: list[events.DealingEvent] = []
    for hand in hands:
        at_ms = dealt[-1].at_ms + BREAK_MS if dealt else 0
        dealt += lawful(deal_of(hand, rng), rng, at_ms=at_ms)
    return TABLE + b"".join(events.write(event) + b"\n" for event in dealt)


def judge(path: Path) -> float:
    """Seconds of one `floorcall judge`, its start included."""
    began = time.perf_counter()
    judged = subprocess.run([program(), "judge", str(path)], capture_output=True, check=True)
    took = time.perf_counter() - began
    if judged.stdout:
        sys.stderr.write(f"note: alerts on lawful hands: {judged.stdout[:300]!r}\n")
    return took


def replay(hand: Recorded) -> None:
    """One hand through PokerKit's state machine, burns by hand, showdown by itself."""
    blinds = tuple(blind["live"] for blind in hand["blinds"])
    order = hand["deal_order"]
    state = NoLimitTexasHoldem.create_state(
        AUTOMATIC, True, 0, blinds, max(blinds), STACK, len(order)
    )
    for seat in order:
        state.deal_hole("".join(hand["hole"][str(seat)]))
    for _, _, action, amount in hand["actions"]:
        match action:
            case "deal":
                state.burn_card("??")
                state.deal_board("".join(amount))
            case "fold":
                state.fold()
            case "check" | "call":
                state.check_or_call()
            case "bet" | "raise":
                state.complete_bet_or_raise_to(amount)


def replay_all(hands: list[Recorded]) -> float:
    began = time.perf_counter()
    for hand in hands:
        replay(hand)
    return time.perf_counter() - began


def median(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(RUNS))


def table(count: int) -> Iterator[str]:
    """The figures as lines of text."""
    hands = chosen(count)
    stream = written(hands)
    with tempfile.TemporaryDirectory() as name:
        path, empty = Path(name, "hands.events"), Path(name, "empty.events")
        path.write_bytes(stream)
        empty.write_bytes(TABLE)
        started_s = median(lambda: judge(empty))
        judged_s = median(lambda: judge(path)) - started_s
    replayed_s = median(lambda: replay_all(hands))
    lines = stream.count(b"\n")
    yield f"{count} real hands, {lines} dealing events, median of {RUNS} runs"
    yield f"{'':<34}{'hands/s':>9}{'events/s':>10}{'start s':>9}"
    yield (
        f"{'floorcall judge':<34}{count / judged_s:>9.0f}{lines / judged_s:>10.0f}{started_s:>9.2f}"
    )
    yield f"{'PokerKit, replay':<34}{count / replayed_s:>9.0f}"
    yield f"{'ratio':<34}{replayed_s / judged_s:>8.2f}x"
