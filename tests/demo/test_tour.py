"""The tour: what it announces is what is found, at one table, one scene after the other."""

from __future__ import annotations

import os

import pytest

from daemon.demo.outcome import RIGHT
from daemon.demo.tour import PROGRAMME, SEATS, Titles, scenes
from daemon.demo.words import WORDS, Vocabulary
from daemon.table.events import HandStarted
from tests.demo.staged import StagedTable, books

SEED = 1
SEEDS = range(1, 60) if os.environ.get("FLOORCALL_SOAK") else (1, 2, 9)  # 2 and 9: straddles


@pytest.mark.parametrize("seed", SEEDS)
def test_every_hand_of_the_tour_is_found_to_be_what_is_announced(seed, tmp_path):
    table = StagedTable(tmp_path, f"tour {seed}", SEATS)
    for scene in scenes(seed, books()):
        found = table.deal(scene.hand) if scene.hand else {}
        hand = {event.hand for event in scene.hand if isinstance(event, HandStarted)}
        stands = [one for one in found.values() if one.state != "withdrawn" and one.hand in hand]
        named = {alert.irregularity for alert in stands}
        assert named == (frozenset() if scene.unplugged else scene.found), scene.number
        for alert in stands:
            if alert.irregularity == scene.irregularity:
                done = alert.state == "remedied" and {s.state for s in alert.remedy} == {"done"}
                assert done == (scene.handling == RIGHT), scene.number


def test_an_exposure_that_nobody_keyed_is_for_maintenance_and_not_for_the_floor(tmp_path):
    (scene,) = [one for one in scenes(SEED, books()) if one.handling == "unkeyed"]
    (alert,) = StagedTable(tmp_path, "doubt", SEATS).deal(scene.hand).values()
    assert (alert.audience, alert.doubt["instead"]) == ("maintenance", "exposure-unkeyed")


@pytest.mark.parametrize("lang", sorted(WORDS))
def test_every_scene_is_told_in_words(lang):
    titles = Titles(Vocabulary(lang, books()[1]))
    told = [titles.of(scene) for scene in scenes(SEED, books())]
    assert len(told) == 2 * len(PROGRAMME) == len(set(told))
    assert not [line for line in told if "how-" in line or "tour-" in line or "remedy-" in line]
