"""Non-interference: no byte that leaves depends on a card that nobody has seen."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.table.events import read
from tests.judge.hands import closed, dealt, flopped
from tests.laws.arbitrary import streams, tables
from tests.laws.line import SOAK, judged, told
from tests.laws.secrecy import Publicity, exchanged
from tests.laws.streams import KINDS, hand, hands

HANDS = 10_000 if SOAK else 150
EACH_KIND = 20 if SOAK else 1
EXAMPLES = 10_000 if SOAK else 100


def _holds(events, betting, rng):
    """Asserts that it says the same with all unseen cards exchanged; False if there are none."""
    other = exchanged(events, rng)
    if other == events:
        return False
    before, after = judged(events, betting), judged(other, betting)
    for number, event in enumerate(events):
        story = f"event {number + 1} tells\n{told(events, betting)}\n\n{told(other, betting)}"
        assert before.batches[number] == after.batches[number], story
        assert before.views[number] == after.views[number], f"{story}\n{event}"
        assert before.events[number] == after.events[number], f"{story}\n{event}"
    return True


def test_nothing_depends_on_a_card_that_is_never_public():
    exchanges = 0
    for rng, one in hands("secrecy", HANDS):
        exchanges += _holds(one.events, one.betting, rng)
    assert exchanges > 0.9 * HANDS


def test_nothing_depends_on_a_card_before_it_is_public():
    for rng, one in hands("prefix", HANDS):
        _holds(one.events[: rng.randrange(3, len(one.events))], one.betting, rng)


def test_no_mischief_tells_of_a_card_that_is_never_public():
    for kind in KINDS:
        rng = Random("/".join(kind))
        for _ in range(EACH_KIND):
            one = hand(rng, kind)
            assert _holds(one.events, one.betting, rng)


def test_only_cards_that_all_have_seen_are_named():
    for _, one in hands("names", HANDS):
        ever = Publicity(one.events).ever
        for alert in judged(one.events, one.betting).alerts():
            assert set(alert["cards"]) <= ever, told(one.events, one.betting)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), streams(), st.integers(0, 1 << 32))
def test_whatever_happens_nothing_depends_on_a_card_that_is_never_public(table, events, seed):
    _holds(events, table.betting, Random(seed))


def _public(stream):
    """The cards that the view of the hand names once the stream is told."""
    return sorted(card for card, _ in _view(stream)["public"])


def _view(stream):
    events = [read(line) for line in stream.text().splitlines()][1:]
    return json.loads(judged(events).views[-1])


def test_time_alone_shows_no_card_of_a_flop_that_is_short_of_one():
    stream = closed().burn().board("Td", face="unknown").act("check", 2)
    stream.board("Qs", face="unknown").wait(9000).say("tick")
    assert _public(stream) == ["Td"]
    stream.board("Kd", face="unknown").wait(2000).say("tick")
    assert _public(stream) == ["Kd", "Qs", "Td"]


def test_a_street_is_whole_when_its_last_card_lies_whichever_way_up():
    stream = closed().burn().board("Td", face="unknown").wait(5000).board("Qs", "Kd")
    assert _public(stream.say("tick")) == ["Kd", "Qs"]
    assert _public(stream.say("tick", 1101)) == ["Kd", "Qs", "Td"]


def test_a_card_turned_over_once_more_may_lie_face_down():
    stream = closed().burn().board("Td", "Qs", "Kd", face="unknown")
    stream.say("card-turned", 1, card="Td", face="unknown").act("check", 2)
    assert _public(stream) == ["Kd", "Qs"]


def test_a_card_whose_name_lies_elsewhere_already_shows_no_card_there():
    stream = dealt().move("?1", "board", "up").move("?1", "stub").pitch(2, "Td")
    assert _public(stream.say("card-identified", card="?1", is_="Td")) == []


def test_a_card_seen_before_it_has_a_name_is_seen_under_its_name():
    stream = dealt().move("?1", "board", "up").say("card-identified", card="?1", is_="Td")
    assert _public(stream) == ["Td"]


@pytest.mark.parametrize("to", ["burn", "seat:2"])
def test_a_card_once_seen_that_is_dealt_face_down_is_named_no_more_though_no_shuffle_is_told(to):
    stream = closed().burn().board("Td", "Qs", "Kd").move("Td", "stub").move("Td", to, "down")
    assert _public(stream) == ["Kd", "Qs"]


def test_the_board_is_told_as_it_was_laid_whatever_its_cards_are():
    stream = flopped(("Td", "2s", "Kd"))
    assert [card for card, _ in _view(stream)["public"]] == ["Td", "2s", "Kd"]


def test_nor_on_the_board_before_it_is_seen_there():
    stream = closed().burn().board("Td", "Qs", "Kd").move("Td", "stub")
    assert _public(stream.board("Td", face="unknown")) == ["Kd", "Qs"]
    assert _public(stream.act("check", 2)) == ["Kd", "Qs", "Td"]


def test_a_card_out_of_sight_when_the_stub_is_shuffled_is_named_no_more():
    stream = flopped(("Td", "Qs", "Kd")).move("Td", "off")
    assert _public(stream) == ["Kd", "Qs", "Td"]
    assert _public(stream.shuffle()) == ["Kd", "Qs"]


def test_where_two_of_a_card_are_out_its_name_stays_with_the_one_that_all_have_seen():
    stream = flopped(("Td", "Qs", "Kd")).move("Td", "seat:2", "down", from_="stub")
    assert ["Td", "board"] in _view(stream)["public"]
