"""Faults of burns and board, and of the remedies they need."""

from __future__ import annotations

import pytest

from tests.judge.hands import (
    DEALERS,
    NO_BETTING,
    checked,
    closed,
    dealt,
    ended,
    flopped,
    turned,
)
from tests.judge.streams import FLOP, judge, last, steps


def found(stream):
    lines = last(judge(stream))
    lines.pop("burn-premature", None)
    return lines


def only(stream):
    lines = found(stream)
    assert len(lines) == 1, list(lines)
    return next(iter(lines.values()))


def over(stream):
    """All but seat 2 fold, which has the pot."""
    return ended(stream.act("fold", 3, 1))


def named(line):
    return [step for step, _ in steps(line)]


# -- the flop ------------------------------------------------------------------------------------

SM_4 = ["return-board", "close", "shuffle", "cut", "flop-without-burn"]
SM_4B = ["return-board", "close", "shuffle", "cut", "burn", "flop"]


@pytest.mark.parametrize(("burned", "remedy"), [(True, SM_4), (False, SM_4B)])
def test_a_premature_flop_is_raised_at_its_first_card(burned, remedy):
    stream = dealt().act("call", 1)
    if burned:
        stream.burn()
    first = found(stream.board("Ah"))["flop-premature"]
    assert (first["at_ms"], first["seats"], first["cards"]) == (stream.now_ms, [2, 3], ["Ah"])
    assert (first["severity"], named(first)) == ("critical", remedy)
    whole = found(stream.board("7c", "2s"))["flop-premature"]
    assert (whole["at_ms"], whole["cards"]) == (first["at_ms"], list(FLOP))
    assert whole["id"] == first["id"]


@pytest.mark.parametrize("returned", ["first", "last"])
@pytest.mark.parametrize("burned", [True, False])
def test_a_premature_flop_is_redealt(burned, returned):
    stream = dealt().act("call", 1)
    if burned:
        stream.burn()
    stream.board(*FLOP)
    if returned == "last":
        stream.act("call", 2).act("check", 3)
    for card in FLOP:
        stream.move(card, "stub", after_ms=100)
    if returned == "first":
        stream.act("call", 2).act("check", 3)
    stream.shuffle()
    if not burned:
        stream.burn()
    stream.board("Td", "4h", "Jc")
    assert only(over(stream))["state"] == "remedied"


def test_the_same_cards_may_come_again_after_the_shuffle():
    stream = dealt().act("call", 1).flop()
    for card in FLOP:
        stream.move(card, "stub", after_ms=100)
    stream.act("call", 2).act("check", 3).shuffle().board(*FLOP)
    assert only(stream)["state"] == "remedied"


@pytest.mark.parametrize("after_ms", [100, 6000])
def test_a_fourth_flop_card_is_an_overfull_flop(after_ms):
    line = only(closed().burn().board(*FLOP).board("Kd", after_ms=after_ms))
    assert (line["irregularity"], line["street"]) == ("flop-overcount", "flop")
    assert line["cards"] == [*FLOP, "Kd"]
    assert named(line) == ["return-board", "shuffle", "cut", "flop-without-burn"]


def test_later_it_is_the_turn_without_a_burn():
    line = only(closed().burn().board(*FLOP).board("Kd", after_ms=6001))
    assert line["irregularity"] == "turn-premature"
    assert named(line)[-2:] == ["burn", "river"]


def test_a_fifth_card_makes_it_graver():
    lines = found(closed().burn().board(*FLOP, "Kd", "Ks"))
    assert set(lines) == {"flop-overcount", "flop-overcount-5plus"}
    assert lines["flop-overcount"]["superseded_by"] == lines["flop-overcount-5plus"]["id"]
    assert lines["flop-overcount-5plus"]["cards"] == [*FLOP, "Kd", "Ks"]


def test_an_overfull_flop_is_redealt():
    stream = closed().burn().board(*FLOP, "Kd")
    for card in (*FLOP, "Kd"):
        stream.move(card, "stub", after_ms=100)
    assert only(stream.shuffle().board("Td", "4h", "Jc"))["state"] == "remedied"


def test_four_face_down_and_the_top_one_back_at_once_is_low():
    stream = closed().burn().board(*FLOP, "Kd", face="down").move("Kd", "stub")
    line = only(stream)
    assert (line["severity"], line["audience"], named(line)) == ("low", "log", ["board-to-top"])
    assert line["cards"] == []


def test_after_an_all_in_close_a_fourth_card_is_the_turn_without_a_burn():
    stream = dealt().act("fold", 1).act("all-in", 2, amount=9)
    stream.act("call", 3, amount=9, all_in=True).burn().board(*FLOP, "Kd")
    assert only(stream)["irregularity"] == "turn-no-burn"


# -- burns ---------------------------------------------------------------------------------------


def test_an_early_burn_is_that_streets_burn():
    stream = flopped().burn("8s").act("check", 2, 3, 1).board("Td")
    assert found(over(checked(stream))) == {}


def test_an_early_burn_put_back_and_burned_in_time_is_one_burn():
    stream = flopped().burn("8s").move("8s", "stub", after_ms=500).act("check", 2, 3, 1)
    assert found(stream.burn("8s").board("Td")) == {}


def test_an_early_burn_and_another_are_two():
    stream = flopped().burn("8s").act("check", 2, 3, 1).burn("4h").board("Td")
    assert only(stream)["irregularity"] == "turn-multiple-burns"


def test_the_time_between_burn_and_card_is_the_dealers():
    assert found(checked(flopped()).burn().wait(60_000).board("Td")) == {}


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_a_street_without_a_burn(street):
    stream, cards = {
        "flop": (closed(), FLOP),
        "turn": (checked(flopped()), ("Td",)),
        "river": (checked(turned()), ("Jc",)),
    }[street]
    line = only(stream.board(*cards))
    assert (line["irregularity"], line["subject"]) == (f"{street}-no-burn", street)
    assert (line["severity"], line["street"]) == ("high", street)
    assert line["cards"] == list(cards)


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_a_street_with_two_burns(street):
    stream, cards = {
        "flop": (closed(), FLOP),
        "turn": (checked(flopped()), ("Td",)),
        "river": (checked(turned()), ("Jc",)),
    }[street]
    line = only(stream.burn().burn().board(*cards))
    assert (line["irregularity"], line["subject"]) == (f"{street}-multiple-burns", street)


def test_a_second_burn_put_back_at_once_disturbs_nobody():
    stream = checked(flopped()).burn("8s").burn("4h").move("4h", "stub").board("4h")
    line = only(stream)
    assert (line["severity"], line["self_corrected"]) == ("low", True)


def test_no_burn_face_down_and_put_right_at_once_disturbs_nobody():
    stream = checked(flopped()).board("Td", face="down").move("Td", "stub").burn("Td").board("4h")
    line = only(stream)
    assert (line["audience"], line["self_corrected"]) == ("log", True)


def test_a_turn_without_a_burn_is_put_right_before_any_act():
    stream = checked(flopped()).board("Td").move("Td", "stub").burn("Td").board("4h")
    assert only(stream)["state"] == "remedied"


@pytest.mark.parametrize("burns", [2, 1])
def test_acted_upon_the_next_street_makes_up_with_two_burns(burns):
    stream = checked(checked(flopped()).board("Td").wait(6000))
    for _ in range(burns):
        stream.burn()
    lines = found(ended(stream.board("Jc")))
    assert lines["turn-no-burn"]["state"] == ("remedied" if burns == 2 else "raised")
    assert "river-no-burn" not in lines
    if burns == 1:
        assert lines["remedy-burn-missing"]["remedy_of"] == lines["turn-no-burn"]["id"]


def test_two_burns_acted_upon_the_extra_one_is_the_next_burn():
    stream = checked(flopped()).burn("8s").burn("4h").board("Td").act("check", 2)
    stream.move("4h", "stub").act("check", 3, 1).burn("4h").board("Jc")
    assert only(over(stream))["state"] == "remedied"


def test_once_the_river_is_acted_upon_nothing_is_left_to_do():
    line = only(checked(turned()).board("Jc").act("check", 2))
    assert (line["irregularity"], named(line)) == ("river-no-burn", [])
    assert line["state"] == "raised"


def test_after_the_burn_of_an_exposed_card_none_is_missing():
    stream = dealt().pitch(2, "Ks").wait(6000).move("Ks", "burn")
    stream.act("call", 1, 2).act("check", 3).board(*FLOP)
    assert set(found(stream)) == {"deal-extra-card-first-player"}


# -- the premature river -------------------------------------------------------------------------


def test_a_premature_river_has_no_would_be_card():
    stream = turned().act("check", 2).burn("8s").board("Jc")
    line = only(stream)
    assert (line["irregularity"], line["subject"]) == ("river-premature", "river")
    assert (line["seats"], line["street"]) == ([3, 1], "turn")
    stream.move("Jc", "aside").act("check", 3, 1).move("Jc", "stub").shuffle().board("2d")
    assert only(ended(checked(stream)))["state"] == "remedied"


def test_without_a_burn_the_redealt_river_is_burned_for():
    stream = turned().act("check", 2).board("Jc")
    assert named(only(stream))[-2:] == ["burn", "river"]
    stream.move("Jc", "aside").act("check", 3, 1).move("Jc", "stub").shuffle().burn().board("2d")
    assert only(stream)["state"] == "remedied"


def test_the_sixth_card_of_two_flops_that_lie_there_may_be_taken_away():
    stream = dealt(table=NO_BETTING).board(*FLOP, face="down").act("check", 2)
    stream.board("Td", "Jc", "8s").move("8s", "off")
    assert found(stream)["flop-no-burn"]["state"] == "raised"


def test_a_turn_that_came_early_after_all_leaves_the_ruling_on_the_flop_as_it_became():
    stream = dealt(table=DEALERS).board(*FLOP, face="down").act("fold", 1).board("Jc")
    assert named(found(stream)["flop-no-burn"]) == ["close", "double-burn", "turn"]
    lines = found(stream.act("call", 2))
    assert named(lines["flop-no-burn"]) == ["close", "double-burn", "turn"]
    assert "doubt" not in lines["turn-premature"]


# -- what is public ------------------------------------------------------------------------------


def test_a_card_laid_face_up_is_named_at_once():
    assert only(checked(flopped()).board("Td"))["cards"] == ["Td"]


def test_without_a_face_reading_it_is_named_two_seconds_after_its_street():
    stream = checked(flopped()).board("Td", face=None)
    assert only(stream)["cards"] == []
    assert only(stream.wait(2000).say("tick", 0))["cards"] == []
    assert only(stream.say("tick", 1))["cards"] == ["Td"]


def test_or_at_the_next_act():
    stream = checked(flopped()).board("Td", face=None).act("check", 2, after_ms=100)
    assert only(stream)["cards"] == ["Td"]


def test_a_fold_seen_by_its_cards_alone_names_none_for_they_may_come_late():
    stream = checked(flopped()).board("Td", face=None).muck(2)
    assert only(stream)["cards"] == []
    assert only(stream.say("acted", 100, seat=2, action="fold"))["cards"] == ["Td"]


def test_face_down_never_until_it_is_turned():
    stream = checked(flopped()).board("Td", face="down").wait(9000).act("check", 2)
    assert only(stream)["cards"] == []
    assert only(stream.say("card-turned", card="Td", face="up"))["cards"] == ["Td"]


@pytest.mark.parametrize("street", ["flop", "turn"])
def test_two_burns_do_not_hide_a_premature_street(street):
    if street == "flop":
        stream = dealt().act("call", 1).burn().burn().board(*FLOP)
    else:
        stream = flopped().act("check", 2).burn().burn().board("Td")
    lines = found(stream)
    early = lines.pop(f"{street}-premature")
    assert (early["state"], early["severity"]) == ("raised", "critical")
    assert {line.get("superseded_by") for line in lines.values()} <= {early["id"]}


def test_the_river_does_not_join_the_burn_fault_of_the_turn():
    stream = dealt().act("fold", 1).act("all-in", 2, amount=9)
    stream.act("call", 3, amount=9, all_in=True).flop().burn().burn().board("Td").burn().board("Jc")
    assert found(ended(stream))["turn-multiple-burns"]["cards"] == ["Td"]
