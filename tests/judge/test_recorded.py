"""Recorded hands, told in every way a table may tell them, raise nothing."""

from __future__ import annotations

import random

import pytest

from tests.hands.loader import lawful_hands
from tests.judge.recorded import told
from tests.judge.streams import judge

HANDS = 150
CLOSES = {"betting": {"level": "closes"}}
DEALERS = {"betting": {"level": "acts", "source": "dealer"}}
DEALERS_CLOSES = {"betting": {"level": "closes", "source": "dealer"}}
NONE = {"betting": {"level": "none"}}
FEW = {"sees": ["place", "board", "burn", "identity"]}
ALL = {"sees": [
    "order", "identity", "place", "face", "board", "burn", "muck", "aside", "stub", "count",
    "shuffle", "cut", "floor", "declare", "tabled", "pot", "chips",
]}  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "table"),
    [
        ((), {}),
        (("no blinds",), {}),
        (("no amounts",), {}),
        (("no blinds", "no amounts", "folds as cards"), {}),
        (("all-in as act", "no end"), {}),
        (("all-in as act", "no blinds", "folds as acts"), {}),
        (("cards first", "no pot"), {}),
        (("acts and closes", "slots", "posts", "deal order"), {}),
        (("no faces",), FEW),
        ((), ALL),
        (("closes",), CLOSES),
        (("closes",), DEALERS_CLOSES),
        (("acts and closes",), DEALERS),
        ((), DEALERS),
        (("folds as cards",), NONE),
    ],
    ids=str,
)
def test_a_recorded_hand_raises_nothing_however_it_is_told(flags, table):
    hands = random.Random(f"{flags}{table}").sample(lawful_hands(), HANDS)
    text = "".join(told(recorded, *flags, table=table).text() for recorded in hands)
    assert [(line["hand"], line["irregularity"]) for line in judge(text)] == []
