"""Faults inside a remedy, each by its own name, and the other ways in which it may be done."""

from __future__ import annotations

import pytest

from tests.judge.hands import dealt, ended, exposed, premature, redealt, won
from tests.judge.streams import FLOP, judge, last, steps


def found(stream):
    lines = last(judge(stream))
    lines.pop("burn-premature", None)
    return lines


def only(stream):
    lines = found(stream)
    assert len(lines) == 1, list(lines)
    return next(iter(lines.values()))


# -- faults inside the remedy --------------------------------------------------------------------


def no_option():
    return premature().act("check", 3, 1).burn("4h").board("Jc")


def too_early_card():
    return premature().move("Td", "aside").burn("4h").board("Jc")


def too_early_shuffle():
    stream = premature().move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc")
    return stream.move("Td", "stub").shuffle()


def burn_missing():
    return premature().move("Td", "aside").act("check", 3, 1).board("Jc")


def not_returned():
    return redealt(premature()).shuffle().board("2d")


def played():
    return redealt(premature()).move("Td", "board", "up")


def no_shuffle():
    return redealt(premature()).move("Td", "stub").say("deck-cut").board("2d")


def no_cut():
    return redealt(premature()).move("Td", "stub").say("deck-shuffled").board("2d")


def burned():
    return redealt(premature()).move("Td", "stub").shuffle().burn("Ks").board("2d")


def burns_in():
    return redealt(premature()).move("Td", "stub").move("4h", "stub").shuffle()


def muck_in():
    stream = redealt(premature()).act("fold", 2).muck(2)
    card = next(card for card, place in stream.lies.items() if place == "muck")
    return stream.move("Td", "stub").move(card, "stub").shuffle()


def to_the_muck():
    return premature().move("Td", "muck")


def other_house():
    return premature().move("Td", "stub").shuffle()


def seen_in_the_shuffle():
    stream = redealt(premature()).move("Td", "stub")
    return stream.say("card-exposed", place="stub", card="Qs", by="dealer")


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        (no_option, "remedy-no-option"),
        (too_early_card, "remedy-too-early"),
        (too_early_shuffle, "remedy-too-early"),
        (burn_missing, "remedy-burn-missing"),
        (not_returned, "remedy-aside-not-returned"),
        (played, "remedy-aside-played"),
        (no_shuffle, "remedy-no-shuffle"),
        (no_cut, "remedy-no-cut"),
        (burned, "remedy-burned-when-forbidden"),
        (burns_in, "remedy-burns-reshuffled"),
        (muck_in, "remedy-muck-reshuffled"),
        (to_the_muck, "remedy-wrong-branch"),
        (other_house, "remedy-wrong-branch"),
        (seen_in_the_shuffle, "remedy-shuffle-exposed"),
    ],
)
def test_a_fault_inside_the_remedy_has_a_name_of_its_own(told, fault):
    lines = found(told())
    assert set(lines) == {"turn-premature", fault}
    line, parent = lines[fault], lines["turn-premature"]
    assert line["remedy_of"] == parent["id"]
    assert (line["severity"], line["audience"], line["subject"]) == ("high", "floor", "turn")
    assert "wrong" in {state for _, state in steps(parent)}
    assert parent["state"] == "raised"


def test_drawn_again_after_the_shuffle_the_card_is_lawful():
    stream = redealt(premature()).move("Td", "stub").shuffle().board("Td")
    assert only(won(stream))["state"] == "remedied"


def test_the_early_river_may_be_laid_aside_after_the_round_too():
    stream = premature().act("check", 3, 1).move("Td", "aside").burn("4h").board("Jc")
    stream.act("check", 2, 3, 1).move("Td", "stub").shuffle().board("2d")
    assert only(won(stream))["state"] == "remedied"


def test_a_card_that_was_never_shown_is_never_named():
    for told in (burns_in, muck_in, burned):
        for line in judge(told()):
            assert set(line["cards"]) <= {*FLOP, "Td", "Jc", "2d"}


# -- other ways ----------------------------------------------------------------------------------


def test_set_aside_by_way_of_the_stub():
    stream = redealt(premature().move("Td", "stub")).move("Td", "stub").shuffle().board("2d")
    assert only(won(stream))["state"] == "remedied"


@pytest.mark.parametrize("ruling", ["stands", "other"])
def test_the_floors_ruling_ends_the_remedy(ruling):
    stream = premature().say("floor-called")
    stream.say("floor-ruled", ruling=ruling, irregularity="turn-premature")
    if ruling == "stands":
        stream.act("check", 3, 1).act("check", 2, 3, 1).burn("4h").board("Jc")
    else:
        stream.move("Td", "stub").shuffle().act("check", 3, 1).board("2d")
    assert set(found(won(stream))) == {"turn-premature"}


def test_after_the_floors_ruling_the_hand_is_judged_as_if_there_were_no_remedy():
    stream = premature().say("floor-ruled", ruling="other").move("Td", "stub").shuffle()
    stream.act("check", 3, 1).board("2d").act("check", 2, 3).burn().board("Jc")
    assert set(found(ended(stream))) >= {"turn-premature", "river-premature"}


@pytest.mark.parametrize("kind", ["exposed", "extra"])
def test_a_flop_that_does_not_count_leaves_the_other_remedy_alone(kind):
    if kind == "exposed":
        stream = exposed().deal(2, 3, 1, 3).move("Kd", "burn")
    else:
        stream = dealt().pitch(2, "Ks").wait(6000).move("Ks", "burn")
    stream.act("call", 1, 2).board(*FLOP)
    for card in FLOP:
        stream.move(card, "stub", after_ms=100)
    lines = found(won(stream.act("check", 3).shuffle().board("4h", "Jc", "2d")))
    assert len(lines) == 2
    assert {line["state"] for line in lines.values()} == {"remedied"}
