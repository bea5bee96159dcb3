"""Non-interference of the whole daemon: pairs of runs in virtual time, every byte compared."""

from __future__ import annotations

import pytest

from tests.laws.line import SOAK
from tests.secrecy.pairs import CALM_HANDS, ROUGH_HANDS, both, evening
from tests.secrecy.rig import difference

PAIRS = 50_000 if SOAK else 500
ROUGH = PAIRS // 8  # of these with sensors lost and the process killed
PARTS = 10  # tests, so that they share the cores
CALM_EVENINGS = -(-(PAIRS - ROUGH) // CALM_HANDS)
ROUGH_EVENINGS = -(-ROUGH // ROUGH_HANDS)


def _hold(seed, folder, *, rough):
    """Plays a pair of evenings; how many pairs of hands they were."""
    one = evening(seed, rough=rough)
    exchanged = sum(hand.events != other for hand, other in zip(one.hands, one.others, strict=True))
    assert exchanged == len(one.hands), "a hand in which nothing was exchanged proves nothing"
    folder.mkdir()
    told = difference(*both(folder, one))
    assert not told, f"{one}\n{told}"
    return exchanged


@pytest.mark.parametrize("part", range(PARTS))
def test_no_byte_that_leaves_depends_on_a_card_that_is_never_shown(part, tmp_path):
    pairs = 0
    for number in range(part, CALM_EVENINGS, PARTS):
        pairs += _hold(f"calm {number}", tmp_path / f"{number}", rough=False)
    print(f"pairs of hands of calm evenings: {pairs}")
    assert pairs == CALM_HANDS * len(range(part, CALM_EVENINGS, PARTS))


@pytest.mark.parametrize("part", range(PARTS))
def test_nor_where_sensors_are_lost_and_the_process_dies(part, tmp_path):
    pairs = 0
    for number in range(part, ROUGH_EVENINGS, PARTS):
        pairs += _hold(f"rough {number}", tmp_path / f"{number}", rough=True)
    print(f"pairs of hands of rough evenings: {pairs}")
    assert pairs == ROUGH_HANDS * len(range(part, ROUGH_EVENINGS, PARTS))
