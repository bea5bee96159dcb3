"""Senses a table has, has not, or loses; what is judged meanwhile."""

from __future__ import annotations

import pytest

from tests.judge.hands import checked, closed, dealt, ended, flopped, premature, redealt, won
from tests.judge.streams import FLOP, Stream, judge, last, steps


def found(stream):
    lines = last(judge(stream))
    lines.pop("burn-premature", None)
    return lines


def table(*senses):
    return {"sees": list(senses)}


# -- absent --------------------------------------------------------------------------------------


def test_a_burn_that_cannot_be_seen_is_not_missed():
    senses = table("place", "board", "face", "identity")
    assert found(closed(table=senses).board(*FLOP).wait(9000).say("tick")) == {}


def test_an_event_that_came_is_always_believed():
    senses = table("place", "board", "face", "identity")
    stream = checked(flopped(table=senses)).burn().burn().board("Td")
    assert set(found(stream)) == {"turn-multiple-burns"}


def test_without_sees_the_cut_is_sensed_and_the_stub_is_not():
    assert "cut-skipped" in found(Stream("t").start(ready=False).pitch(2))
    stream = redealt(premature()).move("Td", "stub").shuffle().board("2d")
    assert found(stream)["turn-premature"]["state"] == "remedied"


@pytest.mark.parametrize(
    ("senses", "missed"), [(("shuffle",), "remedy-no-shuffle"), (("cut",), "remedy-no-cut")]
)
def test_a_shuffle_or_cut_is_missed_only_where_it_is_sensed(senses, missed):
    for sees, names in ((senses, {"turn-premature", missed}), ((), {"turn-premature"})):
        fitted = table("place", "board", "burn", "aside", "face", *sees)
        stream = redealt(premature(table=fitted)).move("Td", "stub").board("2d")
        assert set(found(stream)) == names


def test_a_set_aside_that_cannot_be_seen_is_not_wrong():
    stream = closed(table=table("board")).board(*FLOP).act("check", 2).board("Td")
    stream.move("Td", "off").act("check", 3, 1).board("Jc").act("check", 2, 3, 1).board("2d")
    lines = found(stream)
    assert set(lines) == {"turn-premature"}
    assert lines["turn-premature"]["state"] == "remedied"


def test_a_return_that_cannot_be_seen_is_not_missed():
    stream = redealt(premature(table=table("board", "burn"))).board("2d")
    assert set(found(stream)) == {"turn-premature"}


# -- lost ----------------------------------------------------------------------------------------


def test_a_sense_lost_takes_its_irregularities_out_of_judgement_at_once():
    stream = checked(flopped()).say("sensor-lost", senses=["burn"], sensor="felt")
    assert found(stream.board("Td").wait(9000).say("tick")) == {}


def test_back_it_judges_from_the_next_hand_on():
    stream = checked(flopped()).say("sensor-lost", senses=["burn"])
    stream.say("sensor-back", senses=["burn"]).board("Td").wait(9000)
    assert found(stream) == {}
    won(stream).start("2", button=2).deal().act("call", 2, 3).act("check", 1).board(*FLOP)
    assert set(found(stream)) == {"flop-no-burn"}
    assert found(stream)["flop-no-burn"]["seen"] is True


def test_other_senses_go_on_judging():
    stream = flopped().say("sensor-lost", senses=["muck"]).act("check", 2).burn().board("Td")
    assert set(found(stream)) == {"turn-premature"}


def test_alerts_of_the_present_hand_say_that_it_was_not_seen_whole():
    stream = premature().say("sensor-lost", senses=["muck"])
    assert found(stream)["turn-premature"]["seen"] is False
    stream.say("sensor-back", senses=["muck"]).move("Td", "aside")
    assert found(stream)["turn-premature"]["seen"] is False


def test_a_sense_still_lost_makes_the_next_hand_unseen_too():
    stream = ended(premature().say("sensor-lost", senses=["muck"]))
    stream.start("2", button=2).deal().act("call", 2).flop()
    assert found(stream)["flop-premature"]["seen"] is False


def test_lost_and_back_between_hands_is_no_loss():
    stream = Stream("t").say("sensor-lost", senses=["burn"]).say("sensor-back", senses=["burn"])
    stream.start().deal().act("call", 1, 2).act("check", 3).board(*FLOP)
    assert set(found(stream)) == {"flop-no-burn"}


def test_a_loss_before_the_hand_is_lost_in_the_hand():
    stream = Stream("t").say("sensor-lost", senses=["burn"]).start().deal()
    assert found(stream.act("call", 1, 2).act("check", 3).board(*FLOP)) == {}


# -- the table's state ---------------------------------------------------------------------------


def test_what_came_while_paused_is_not_raised_afterwards():
    stream = flopped().say("table-state", state="paused").act("check", 2).burn().board("Td")
    stream.say("table-state", state="open").wait(9000).say("tick")
    assert "turn-premature" not in found(stream)


def test_a_table_is_open_until_it_is_told_otherwise():
    assert found(Stream("t").start().pitch(3)) != {}
    assert found(Stream("t").say("table-state", state="closed").start().pitch(3)) == {}


# -- the least that is known of the betting ------------------------------------------------------


def test_steps_that_cannot_be_seen_say_so():
    senses = table("place", "board", "burn", "face")
    line = found(closed(table=senses).board(*FLOP))["flop-no-burn"]
    assert {step for step, state in steps(line) if state == "unseen"} == {"shuffle", "cut"}
    assert found(dealt()) == {}


@pytest.mark.parametrize("sense", ["burn", "shuffle"])
def test_a_step_whose_sense_was_lost_is_unseen(sense):
    stream = premature().move("Td", "aside").say("sensor-lost", senses=[sense]).act("check", 3, 1)
    if sense != "burn":
        stream.burn("4h")
    stream.board("Jc").act("check", 2, 3, 1).move("Td", "stub")
    if sense != "shuffle":
        stream.say("deck-shuffled")
    lines = found(won(stream.say("deck-cut").board("2d")))
    assert set(lines) == {"turn-premature"}
    assert lines["turn-premature"]["state"] == "remedied"
    assert dict(steps(lines["turn-premature"]))[sense] == "unseen"


def test_a_return_nobody_could_see_is_not_missed():
    stream = redealt(premature()).move("Td", "off").shuffle().board("2d")
    assert set(found(stream)) == {"turn-premature"}


def test_still_aside_it_was_not_returned():
    assert "remedy-aside-not-returned" in found(redealt(premature()).shuffle().board("2d"))
