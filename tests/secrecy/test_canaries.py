"""The proofs can fail: each leak put in on purpose is found by them."""

from __future__ import annotations

import pytest

from tests.secrecy.canaries import LOUD, QUIET
from tests.secrecy.pairs import both, evening
from tests.secrecy.rig import Parts, difference
from tests.secrecy.test_search import searched

EVERY = LOUD | QUIET


@pytest.mark.parametrize("leak", EVERY)
def test_the_pairs_find_a_leak(leak, tmp_path):
    assert difference(*both(tmp_path, evening("canary", rough=True), EVERY[leak]))


@pytest.mark.parametrize("leak", LOUD)
def test_the_search_finds_a_leak_that_has_a_name(leak, tmp_path):
    _, _, cards, tags, _ = searched(tmp_path / "t", "canary", 2, LOUD[leak]).search.found[0]
    assert tags if "tag" in leak else cards


def test_without_a_leak_neither_finds_anything(tmp_path):
    assert not difference(*both(tmp_path, evening("canary", rough=True), Parts()))
    assert not searched(tmp_path / "t", "canary", 2).search.found
