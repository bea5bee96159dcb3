"""The recorded hands of this folder, as they lie in hands.jsonl.gz."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

HANDS = Path(__file__).parent / "hands.jsonl.gz"
Recorded = dict[str, Any]


@cache
def recorded_hands() -> tuple[Recorded, ...]:
    """Every hand, in the order of the file (by id)."""
    with gzip.open(HANDS) as lines:
        return tuple(msgspec.json.decode(line) for line in lines)


def lawful_hands() -> tuple[Recorded, ...]:
    """Every hand that raises nothing at any table: without those that folded face up."""
    return tuple(hand for hand in recorded_hands() if "fold_and_show" not in hand["tags"])
