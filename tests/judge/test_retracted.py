"""A key undone: what never was is withdrawn, what appears is told, what is open is held again."""

from __future__ import annotations

import pytest

from tests.judge.hands import closed, dealt, flopped, premature, won
from tests.judge.streams import Stream, judge, last


def only(lines, irregularity):
    return [line for line in lines if line["irregularity"] == irregularity]


def names(lines):
    """What is told last of each alert, by the end of its id."""
    return {line["id"].split(":", 4)[4]: line["state"] for line in lines}


def test_what_never_was_is_withdrawn():
    stream = Stream("t").start().pitch(2).pitch(3)
    stream.say("card-exposed", place="seat:3", by="dealer").say("retracted", of="card-exposed")
    stream.deal(1, 2, 3, 1).act("call", 1, 2).act("check", 3).flop()
    (line,) = last(judge(won(stream))).values()
    assert (line["irregularity"], line["state"]) == ("deal-single-card-exposed", "withdrawn")


def test_what_appears_has_its_own_time_and_is_known_with_the_retraction():
    stream = flopped().act("check", 2, 3, 1).burn("8s").board("Td")
    fell_ms = stream.now_ms
    turn = last(judge(stream.say("retracted", of="acted")))["turn-premature"]
    assert (turn["at_ms"], turn["known_ms"]) == (fell_ms, fell_ms + 1000)
    assert turn["seats"] == [1]


def test_a_repeat_that_takes_the_name_of_what_never_was_is_known_with_the_retraction():
    stream = dealt().say("card-exposed", place="seat:3", sure=False)
    stream.say("claimed", seat=3, what="exposed")
    claimed_ms = stream.now_ms
    stream.say("retracted", of="card-exposed")
    told = {line["id"]: line for line in judge(stream)}
    times = [(one["at_ms"], one["known_ms"]) for one in told.values() if one["state"] == "raised"]
    assert times == [(claimed_ms, stream.now_ms)]


def test_an_act_retracted_before_the_card_is_owed_again():
    stream = flopped().act("check", 2, 3, 1).say("retracted", of="acted").burn("8s").board("Td")
    assert last(judge(stream))["turn-premature"]["seats"] == [1]


@pytest.mark.parametrize("of", ["betting-closed", "floor-called", "no-such-event"])
def test_retracting_what_never_came_changes_nothing(of):
    assert judge(won(closed().say("retracted", of=of).flop().act("check", 2, 3, 1))) == []


def test_what_appears_again_after_a_retraction_is_a_new_alert():
    stream = premature().say("retracted", of="card-moved")
    stream.lies.pop("Td")
    lines = judge(stream.board("Td"))
    states = {}
    for line in lines:
        assert (states.get(line["id"]), line["state"]) != ("withdrawn", "raised")
        states[line["id"]] = line["state"]
    turns = {line["id"] for line in only(lines, "turn-premature")}
    assert sorted(name.split(":", 4)[4] for name in turns) == [
        "turn-premature:turn", "turn-premature:turn:2",
    ]  # fmt: skip


def test_a_second_retraction_leaves_what_was_known_when():
    stream = flopped().act("check", 2, 3, 1).burn("8s").board("Td")
    stream.say("retracted", of="acted").say("retracted", of="acted")
    known = [line["known_ms"] for line in only(judge(stream), "turn-premature")]
    assert known == sorted(known)


def test_another_fault_does_not_stand_by_the_name_of_one_that_never_was():
    stream = Stream("t").start().pitch(2).pitch(1).say("floor-ruled", ruling="plays").pitch(2)
    assert names(judge(stream)) == {"deal-out-of-sequence:deal": "raised"}
    stream.pitch(3, "Ks").say("retracted", of="floor-ruled", after_ms=0)
    assert names(judge(stream)) == {"deal-out-of-sequence:deal": "withdrawn"}  # Ks is held
    stream.say("card-exposed", place="seat:3", card="Ks", by="player").pitch(1)
    assert names(judge(stream)) == {
        "deal-out-of-sequence:deal": "withdrawn",
        "player-exposed-own-card:seat-3": "raised",
        "deal-out-of-sequence:deal:2": "raised",
    }


def test_what_waits_again_after_a_retraction_is_told_anew_when_it_stands():
    stream = Stream("t").start().deal(2, 3, 1).pitch(2, "Ks").deal(3, 1).move("Ks", "seat:3")
    stream.act("call", 1).say("retracted", of="acted")
    assert names(judge(stream)) == {"card-passed:seat-3": "withdrawn"}
    states = names(judge(stream.act("call", 1)))
    assert states == {"card-passed:seat-3": "withdrawn", "card-passed:seat-3:2": "raised"}


def test_what_an_undone_key_had_decided_may_still_be_put_right():
    stream = dealt().pitch(2, "Ks", after_ms=0).say("misdeal-declared", after_ms=1000)
    assert names(judge(stream)) == {"deal-extra-card-first-player:seat-2": "raised"}
    stream.say("retracted", of="misdeal-declared", after_ms=0)
    put_right = judge(stream.move("Ks", "burn", after_ms=2000))
    assert names(put_right)["deal-extra-card-first-player:seat-2"] == "withdrawn"
    (line,) = [one for one in put_right if "self_corrected" in one]
    assert line["id"].endswith(":seat-2:2")
    assert line["audience"] == "log"
