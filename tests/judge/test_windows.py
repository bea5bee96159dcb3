"""Until when a ruling may still change, and who is told once it may not."""

from __future__ import annotations

import pytest

from tests.judge.hands import CLOSES, closed, dealt, ended, flopped
from tests.judge.streams import Stream, judge, last

TDA = ("--rulebook", "tda-2024")


def found(stream, *options):
    return last(judge(stream, *options))


def exposed_in(table=None, seats=(1, 2, 3, 4, 5, 6)):
    """The third card off the deck was exposed; all have their cards, the replacement, too."""
    stream = Stream("t", **(table or {})).start("1", seats)
    first, second, third, *rest = stream.order()
    stream.deal(first, second).pitch(third, "Kd", face="up").deal(*rest, *stream.order())
    return stream.pitch(third).move("Kd", "burn")


def window(stream, *options):
    return found(stream, *options)["deal-single-card-exposed"]["window"]


# Posted blinds never count; seats 4, 5 and 6 act first (TDA 2024 rule 36).
@pytest.mark.parametrize(
    ("acts", "is_open"),
    [
        (["fold", "fold"], True),
        (["raise"], True),
        (["call", "fold"], False),
        (["raise", "fold"], False),
        (["fold", "fold", "fold"], False),
    ],
)
def test_substantial_action_by_the_tda(acts, is_open):
    stream = exposed_in()
    for seat, action in zip((4, 5, 6), acts, strict=False):
        stream.act(action, seat)
    assert window(stream, *TDA) == {"kind": "substantial-action", "open": is_open}


@pytest.mark.parametrize(("acts", "is_open"), [(["fold"], True), (["fold", "fold"], False)])
def test_substantial_action_by_roberts_is_any_two_acts_in_turn(acts, is_open):
    stream = exposed_in()
    for seat, action in zip((4, 5), acts, strict=False):
        stream.act(action, seat)
    assert window(stream)["open"] is is_open


def test_an_act_out_of_turn_is_no_substantial_action():
    stream = exposed_in().act("call", 4).act("call", 6, in_turn=False)
    assert window(stream)["open"] is True


def test_where_only_closes_are_seen_it_cannot_be_told():
    assert window(exposed_in(CLOSES).act("call", 4, 5, 6))["open"] is None


def test_a_window_until_the_hand_is_over_shuts_with_the_hand():
    stream = flopped().act("bet", 2).act("fold", 1).say("pot-pushed", seats=[2])
    assert found(stream)["pot-pushed-early"]["window"]["open"] is True
    line = found(stream.end())["pot-pushed-early"]
    assert (line["final"], line["window"]["open"]) == (True, False)


def round_of_six():
    """The flop of six lies, seat 2 is due."""
    stream = dealt((1, 2, 3, 4, 5, 6)).act("call", 4, 5, 6, 1, 2).act("check", 3)
    return stream.flop()


def test_a_seat_that_could_check_may_have_tapped_and_maintenance_is_told():
    line = found(round_of_six().act("check", 2, 4, 5, 6))["player-skipped"]
    assert (line["doubt"], line["audience"]) == ({"instead": "silent-check"}, "maintenance")
    assert line["seats"] == [3]


def test_a_seat_that_faced_a_bet_has_lost_its_turn_after_three_acts():
    stream = round_of_six().act("bet", 2).act("call", 4, 5)
    assert found(stream) == {}
    line = found(stream.act("call", 6))["player-skipped"]
    assert "doubt" not in line
    assert (line["severity"], line["audience"], line["window"]["open"]) == ("high", "floor", False)
    assert [step["step"] for step in line["remedy"]] == ["floor"]
    assert len(line["evidence"]) == 3


def test_by_the_tda_it_may_speak_up_until_there_was_time():
    stream = round_of_six().act("bet", 2).act("call", 4, 5)
    line = found(stream, *TDA)["player-skipped"]
    assert line["window"] == {"kind": "skipped", "open": True}
    assert [step["step"] for step in line["remedy"]] == ["close"]
    line = found(stream.wait(3000).act("call", 6), *TDA)["player-skipped"]
    assert line["window"]["open"] is False
    assert [step["step"] for step in line["remedy"]] == ["floor"]


def test_by_the_tda_the_time_to_speak_passes_without_a_further_act():
    stream = round_of_six().act("bet", 2).act("call", 4, 5)
    until_ms = stream.now_ms + 3000 - 1000  # from the first act behind the seat
    line = found(stream.wait(2000).say("tick"), *TDA)["player-skipped"]
    assert (stream.now_ms > until_ms, line["window"]["open"]) == (True, False)
    assert [step["step"] for step in line["remedy"]] == ["floor"]


def test_by_the_tda_a_word_at_the_last_moment_is_in_time():
    stream = round_of_six().act("bet", 2).act("call", 4, 5)
    line = found(stream.act("call", 3, after_ms=2000), *TDA)["player-skipped"]
    assert line["window"]["open"] is True


def test_chips_of_two_seats_before_a_replacement_concern_the_floor():
    stream = Stream("t").start("1", (1, 2, 3, 4)).deal(2, 3, 4).pitch(1, "Kd", face="up")
    stream.deal(2, 3, 4, 1).act("call", 4)
    line = found(stream)["action-before-deal-complete"]
    assert (line["severity"], line["audience"], line["seats"]) == ("low", "log", [4])
    line = found(stream.act("call", 1))["action-before-deal-complete"]
    assert (line["severity"], line["audience"], line["seats"]) == ("medium", "floor", [1, 4])
    assert line["revision"] == 2


def test_a_misdeal_without_a_ground_says_that_it_may_not_have_been_seen():
    line = found(dealt().say("misdeal-declared"), *TDA)["misdeal-unfounded"]
    assert line["doubt"] == {"instead": "ground-unseen"}
    assert line["subject"] == "deal"
    stream = dealt().act("call", 1).say("misdeal-declared").collect().shuffle().deal()
    assert set(found(ended(stream), *TDA)) <= {"misdeal-unfounded", "pot-pushed-early"}


def test_the_floor_may_rule_a_hand_dead_and_the_round_goes_on_without_it():
    stream = closed().flop().act("bet", 2).say("floor-ruled", ruling="dead", seat=3)
    assert found(stream.act("call", 1).burn().board("Td")) == {}


def test_the_floor_may_let_a_hand_play_that_was_fetched_back():
    stream = dealt((1, 2, 3, 4)).act("fold", 4).muck(4)
    cards = [card for card, place in stream.lies.items() if place == "muck"]
    for card in cards:
        stream.move(card, "seat:4")
    assert found(stream)["hand-retrieved-from-muck"]["state"] == "raised"
    stream.say("floor-ruled", ruling="plays", seat=4).act("call", 1, 2).act("check", 3).flop()
    lines = found(stream.act("check", 2, 3).burn().board("Td"))
    assert lines["hand-retrieved-from-muck"]["state"] == "remedied"
    assert lines["turn-premature"]["seats"] == [4, 1]
