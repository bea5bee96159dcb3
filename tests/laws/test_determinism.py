"""The same events give the same bytes: twice, and in any process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws.line import SOAK, judged
from tests.laws.streams import hands

HANDS = 1000 if SOAK else 40
SEEDS = ("0", "1", "17", "4711", "99999", "4294967295") if SOAK else ("1", "4711")
ROOT = Path(__file__).parents[2]


def everything(count):
    """The digest of all that so many hands let out."""
    digest = hashlib.sha256()
    for _, one in hands("determinism", count):
        left = judged(one.events, one.betting)
        for told in (*left.lines, *left.views):
            digest.update(told)
    return digest.hexdigest()


def test_the_same_hands_twice_give_the_same_bytes():
    assert everything(HANDS) == everything(HANDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_hashes_does_not_matter(seed):
    program = f"from tests.laws.test_determinism import everything; print(everything({HANDS}))"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    assert said.stdout.decode().strip() == everything(HANDS)
