"""The fields of an alert: id, subject, phase, seats, window."""

from __future__ import annotations

import re

import pytest

from daemon.rules.vocabulary import AUDIENCES, SEVERITIES
from tests.judge.streams import FLOP, Stream, judge, last, steps


def dealt(**table):
    return Stream("t", **table).start().deal()


def called(**table):
    return dealt(**table).act("call", 1, 2).act("check", 3)


def flopped(**table):
    return called(**table).flop()


def premature():
    """Seats 3 and 1 still owe on the flop."""
    return flopped().act("check", 2).burn("8s").board("Td")


ID = re.compile(r"t:judge:[A-Za-z0-9._-]+:[0-9]+:[a-z-]+:[a-z0-9-]+(:[2-9])?")
PHASES = {"deck", "deal", "preflop", "flop", "turn", "river", "showdown"}
SUBJECTS = {"deck", "deal", "burn", "board", "stub", "pot", "flop", "turn", "river"}


def many_faults():
    yield (
        flopped()
        .act("bet", 3, amount=10)
        .act("all-in", 1)
        .act("call", 2)
        .board("Td")
        .act("call", 3)
    )
    yield premature().move("Td", "stub").shuffle().act("check", 3, 1).board("2d")
    yield Stream("t").start(ready=False).pitch(2)
    yield Stream("t").start().pitch(2).pitch(3, face="up").pitch(1, face="up")
    yield dealt().pitch(3).wait(9000).say("tick")
    yield Stream("t").start().pitch(2).pitch(7)
    yield called().board(*FLOP)
    yield flopped().board("Kd").say("floor-called")
    yield called(betting={"level": "none"}).flop().move("Ah", "off").wait(9000).say("tick")
    yield dealt().say("card-moved", card="2c", from_="stub", to="board", face="up")


@pytest.mark.parametrize("stream", list(many_faults()))
def test_the_fields_of_every_line_are_those_of_the_contract(stream):
    lines = judge(stream)
    assert lines
    for line in lines:
        assert ID.fullmatch(line["id"])
        assert line["id"].split(":")[4:6] == [line["irregularity"], line["subject"]]
        assert line["subject"] in SUBJECTS or re.fullmatch(r"seat-([1-9]|10)", line["subject"])
        assert line["street"] in PHASES
        assert line["severity"] in SEVERITIES
        assert line["audience"] in AUDIENCES
        assert line["at_ms"] <= line["known_ms"]
        assert line["seen"] is True
        assert set(line["window"]) == {"kind", "open"}
        assert line["evidence"] == sorted(set(line["evidence"]))
        assert all(1 <= seat <= 10 for seat in line["seats"])
        assert line["acknowledged"] is None
        assert line["shelved"] is None


def test_the_subject_of_a_fault_about_one_seat_is_the_seat():
    assert last(judge(Stream("t").start().pitch(2).pitch(3).pitch(7))).keys() == {
        "deal-unentitled-seat"
    }
    (line,) = judge(Stream("t").start().pitch(2).pitch(3).pitch(7))
    assert (line["subject"], line["seats"], line["street"]) == ("seat-7", [7], "deal")


def test_a_fault_of_the_deck_is_of_the_phase_deck():
    (line,) = judge(Stream("t").start(ready=False).pitch(2))
    assert (line["irregularity"], line["subject"], line["street"]) == (
        "cut-skipped", "deck", "deck",
    )  # fmt: skip


# -- the window ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("betting", "acts", "is_open"),
    [
        ({}, [], True),
        ({}, [1], True),
        ({}, [1, 2], False),
        ({"level": "acts", "source": "dealer"}, [], None),
        ({"level": "closes"}, [], None),
        ({"level": "none"}, [], None),
    ],
)
def test_the_window_of_a_misdeal_is_open_shut_or_unknown(betting, acts, is_open):
    stream = Stream("t", betting=betting).start().deal(3, 1, 2, 3, 1, 2).act("call", *acts)
    line = last(judge(stream))["deal-wrong-first-seat"]
    assert line["window"] == {"kind": "substantial-action", "open": is_open}


def test_posts_are_no_substantial_action():
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2).act("post", 2, 3)
    assert last(judge(stream))["deal-wrong-first-seat"]["window"]["open"] is True


def test_acts_out_of_turn_are_no_substantial_action():
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2).act("call", 1)
    stream.act("call", 2, in_turn=False)
    assert last(judge(stream))["deal-wrong-first-seat"]["window"]["open"] is True


@pytest.mark.parametrize("acts", [0, 1])
def test_the_window_of_a_burn_fault_shuts_with_any_act_on_that_card(acts):
    stream = flopped().act("check", 2, 3, 1).board("Td").act("check", *(2, 3)[:acts])
    line = last(judge(stream))["turn-no-burn"]
    assert line["window"] == {"kind": "any-action", "open": not acts}
    remedy = [step for step, _ in steps(line)]
    assert remedy == (
        ["close", "double-burn", "river"] if acts else ["board-to-top", "burn", "turn"]
    )


def test_collected_after_substantial_action_is_too_late():
    line = last(judge(dealt().act("call", 1, 2).say("misdeal-declared").collect()))
    assert line["remedy-misdeal-too-late"]["audience"] == "floor"
    in_time = dealt().act("call", 1).say("misdeal-declared").collect()
    assert judge(in_time) == []


def test_where_the_window_is_unknown_a_late_misdeal_is_a_medium_doubt():
    stream = dealt(betting={"level": "acts", "source": "dealer"}).act("call", 1, 2)
    line = last(judge(stream.say("misdeal-declared").collect()))["remedy-misdeal-too-late"]
    assert line["doubt"] == {"instead": "window-unknown"}
    assert line["severity"] == "medium"
