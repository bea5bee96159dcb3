"""Faults of the deal: exposed cards, extra cards, wrong seats, the cut, a fouled deck."""

from __future__ import annotations

import pytest

from tests.judge.hands import dealt, exposed, flopped
from tests.judge.streams import FLOP, Stream, judge, last, steps

REDEAL = ["collect", "shuffle", "cut", "deal"]
SM_1 = ["deal", "replace", "exposed-to-burn", "close", "flop-without-burn"]
SM_3 = ["extra-to-burn", "close", "flop-without-burn"]


def found(stream):
    return last(judge(stream))


def only(stream):
    lines = found(stream)
    assert len(lines) == 1, list(lines)
    return next(iter(lines.values()))


def named(line):
    return [step for step, _ in steps(line)]


# -- exposed -------------------------------------------------------------------------------------


def test_the_first_card_off_the_deck_exposed_is_a_misdeal():
    line = only(Stream("t").start().pitch(2, "Kd", face="up"))
    assert (line["irregularity"], line["subject"]) == ("deal-first-card-exposed", "seat-2")
    assert (line["seats"], line["cards"], named(line)) == ([2], ["Kd"], REDEAL)


@pytest.mark.parametrize("told", ["pitched up", "camera", "key"])
def test_a_card_is_exposed_by_its_pitch_a_camera_or_a_key(told):
    stream = Stream("t").start().pitch(2).pitch(3, "Kd", face="up" if "up" in told else "down")
    if told == "camera":
        stream.say("card-exposed", place="seat:3", card="Kd", by="dealer")
    if told == "key":
        stream.say("card-exposed", place="seat:3", by="dealer")
    line = only(stream)
    assert (line["irregularity"], named(line)) == ("deal-single-card-exposed", SM_1)
    assert line["cards"] == ([] if told == "key" else ["Kd"])


def test_the_same_card_exposed_twice_is_one():
    stream = exposed().say("card-exposed", place="seat:3", card="Kd", by="dealer")
    assert only(stream)["irregularity"] == "deal-single-card-exposed"


def test_by_whom_unknown_is_a_doubt_for_maintenance_and_its_remedy_no_false_alarm():
    stream = Stream("t").start().pitch(2).pitch(3, "Kd")
    stream.say("card-exposed", place="seat:3", card="Kd")
    line = only(stream)
    assert line["doubt"] == {"instead": "player-turned"}
    assert line["audience"] == "maintenance"
    stream.deal(1, 2, 3, 1, 3).move("Kd", "burn")
    stream.act("call", 1, 2).act("check", 3).board(*FLOP).act("check", 2)
    assert only(stream)["irregularity"] == "deal-single-card-exposed"


def test_a_card_taken_away_with_no_key_is_a_doubt_for_maintenance():
    stream = Stream("t").start().pitch(2).pitch(3, "Kd").move("Kd", "aside").deal(1, 2, 3)
    line = only(stream)
    assert (line["irregularity"], line["subject"]) == ("deal-replacement-undue", "seat-3")
    assert line["doubt"] == {"instead": "exposure-unkeyed"}
    assert (line["audience"], line["cards"]) == ("maintenance", [])


@pytest.mark.parametrize("asked", [{"seat": 3}, {}])
def test_the_floor_key_brings_a_flash_to_the_floor(asked):
    stream = Stream("t").start().pitch(2).pitch(3, "Kd")
    stream.say("card-exposed", place="seat:3", sure=False)
    line = only(stream)
    assert (line["irregularity"], line["audience"]) == ("deal-card-flashed", "log")
    line = only(stream.say("floor-called", **asked))
    assert (line["irregularity"], line["audience"]) == ("deal-card-flashed", "floor")
    assert line["severity"] == "medium"


def test_the_floor_key_of_another_seat_leaves_a_flash_in_the_log():
    stream = Stream("t").start().pitch(2).pitch(3, "Kd")
    stream.say("card-exposed", place="seat:3", sure=False).say("floor-called", seat=2)
    assert only(stream)["audience"] == "log"


def test_two_exposed_cards_are_a_misdeal_that_takes_the_single_one_over():
    lines = found(exposed().pitch(2, "Ks", face="up"))
    assert set(lines) == {"deal-single-card-exposed", "deal-multiple-cards-exposed"}
    assert lines["deal-single-card-exposed"]["state"] == "withdrawn"
    assert named(lines["deal-multiple-cards-exposed"]) == REDEAL
    assert lines["deal-multiple-cards-exposed"]["subject"] == "deal"


def test_heads_up_the_second_card_is_not_the_first():
    line = only(Stream("t").start(seats=(1, 2)).pitch(2).pitch(1, face="up"))
    assert line["irregularity"] == "deal-single-card-exposed"


@pytest.mark.parametrize("where", ["burn", "aside, then burn", "stub, then burn"])
def test_the_exposed_card_may_lie_anywhere_until_it_is_the_one_burn(where):
    stream = exposed().deal(2, 3, 1, 3)
    for place in where.split(", then "):
        stream.move("Kd", place)
    line = only(stream.act("call", 1, 2).act("check", 3).board(*FLOP))
    assert line["state"] == "remedied"
    assert {state for _, state in steps(line)} == {"done"}


def test_the_button_may_get_two_cards_in_a_row():
    stream = Stream("t").start().deal(2, 3, 1, 2, 3).pitch(1, "Kd", face="up").pitch(1)
    stream.move("Kd", "burn").act("call", 1, 2).act("check", 3).board(*FLOP)
    assert only(stream)["state"] == "remedied"


def test_the_replacement_at_the_first_seat_is_no_extra_card():
    stream = Stream("t").start().deal(2, 3, 1).pitch(2, "Kd", face="up").deal(3, 1, 2)
    stream.move("Kd", "burn").act("call", 1, 2).act("check", 3).board(*FLOP)
    line = only(stream)
    assert (line["irregularity"], line["state"]) == ("deal-single-card-exposed", "remedied")


def test_replaced_in_mid_deal_is_wrong_and_remedies_nothing():
    lines = found(exposed().pitch(3).pitch(2))
    assert lines["deal-replacement-wrong"]["subject"] == "seat-3"
    assert lines["deal-single-card-exposed"]["state"] != "remedied"


def test_never_replaced_is_wrong_when_the_flop_lies():
    stream = exposed().deal(2, 3, 1).act("call", 1, 2).act("check", 3).burn("Kd").board(*FLOP)
    line = found(stream)["deal-replacement-wrong"]
    assert (line["subject"], line["seats"]) == ("seat-3", [3])


def test_an_exposed_replacement_is_a_misdeal():
    line = found(exposed().deal(2, 3, 1).pitch(3, "Ks", face="up"))["deal-replacement-exposed"]
    assert (line["severity"], line["cards"], named(line)) == ("critical", ["Ks"], REDEAL)


@pytest.mark.parametrize("burned", [True, False])
def test_the_exposed_card_kept_is_named_when_the_flop_lies(burned):
    stream = exposed().deal(2, 3, 1, 3).act("call", 1, 2).act("check", 3)
    assert "deal-exposed-card-kept" not in found(stream)
    if burned:
        stream.burn()
    lines = found(stream.board(*FLOP).act("check", 2))
    assert set(lines) == {"deal-single-card-exposed", "deal-exposed-card-kept"}
    line = lines["deal-exposed-card-kept"]
    assert (line["subject"], line["seats"], line["cards"]) == ("seat-3", [3], ["Kd"])
    assert dict(steps(lines["deal-single-card-exposed"]))["exposed-to-burn"] == "wrong"


def test_a_second_burn_beside_the_exposed_card_is_one_too_many():
    stream = exposed().deal(2, 3, 1, 3).move("Kd", "burn").act("call", 1, 2).act("check", 3)
    assert "flop-multiple-burns" in found(stream.flop())


def test_the_exposed_card_in_the_muck_is_no_second_burn():
    stream = exposed().deal(2, 3, 1, 3).move("Kd", "muck").act("call", 1, 2).act("check", 3)
    assert "flop-multiple-burns" not in found(stream.flop().act("check", 2))


def test_a_hole_card_seen_once_the_flop_lies_is_no_fault_of_the_deal():
    assert found(flopped().say("card-exposed", place="seat:3", by="dealer")) == {}


# -- extra cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["burn", "stub, then burn", "aside, then burn"])
def test_the_extra_card_of_the_first_player_is_the_burn(where):
    stream = dealt().pitch(2, "Ks").wait(6000)
    for place in where.split(", then "):
        stream.move("Ks", place)
    line = only(stream.act("call", 1, 2).act("check", 3).board(*FLOP))
    assert (line["irregularity"], line["subject"]) == ("deal-extra-card-first-player", "seat-2")
    assert (named(line), line["state"]) == (SM_3, "remedied")
    assert line["cards"] == []


def test_an_extra_card_that_is_kept_is_wrong_and_one_burn_is_not_two():
    stream = dealt().pitch(2, "Ks").act("call", 1, 2).act("check", 3).flop().act("check", 2)
    lines = found(stream)
    assert "flop-multiple-burns" not in lines
    assert dict(steps(lines["deal-extra-card-first-player"]))["extra-to-burn"] == "wrong"


def test_the_last_card_off_the_deck_to_another_seat_is_the_burn_too():
    line = only(dealt().pitch(3, "Ks").wait(6000).say("tick"))
    assert (line["irregularity"], line["subject"]) == ("deal-extra-card-other", "seat-3")
    assert (named(line), line["unconfirmed"]) == (SM_3, True)


@pytest.mark.parametrize("seat", [2, 1])
def test_two_extra_cards_are_a_misdeal(seat):
    line = only(dealt().pitch(2).pitch(seat))
    assert (line["irregularity"], line["subject"]) == ("deal-multiple-extra-cards", "deal")
    assert (line["severity"], named(line)) == ("critical", REDEAL)


# -- seats and sequence --------------------------------------------------------------------------


def test_the_first_card_to_the_wrong_seat():
    line = only(Stream("t").start().pitch(3))
    assert (line["irregularity"], line["subject"]) == ("deal-wrong-first-seat", "deal")
    assert (line["seats"], named(line)) == ([3], REDEAL)


def test_heads_up_the_button_is_dealt_last():
    assert found(Stream("t").start(seats=(1, 2)).deal(2, 1, 2, 1)) == {}
    assert "deal-wrong-first-seat" in found(Stream("t").start(seats=(1, 2)).pitch(1))


def test_a_card_out_of_sequence_moved_to_its_seat_at_once_disturbs_nobody():
    stream = Stream("t").start().pitch(2).pitch(2, "Ks").move("Ks", "seat:3").deal(1, 2, 3, 1)
    line = only(stream)
    assert (line["irregularity"], line["audience"]) == ("deal-out-of-sequence", "log")
    assert line["self_corrected"] is True


def test_a_card_out_of_sequence_is_critical_when_dealing_goes_on():
    line = only(Stream("t").start().pitch(2).pitch(2).pitch(3))
    assert (line["irregularity"], line["severity"]) == ("deal-out-of-sequence", "critical")


def test_a_seat_that_is_not_in_the_hand():
    line = only(Stream("t").start().pitch(2).pitch(3).pitch(7))
    assert (line["irregularity"], line["subject"]) == ("deal-unentitled-seat", "seat-7")
    assert (line["severity"], named(line)) == ("high", REDEAL)


# -- the cut -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "skipped"),
    [
        (["deck-shuffled"], True),
        (["deck-cut", "deck-shuffled"], True),
        ([], True),
        (["deck-shuffled", "deck-cut"], False),
        (["deck-cut"], False),
    ],
)
def test_the_cut_is_skipped_when_the_first_card_leaves_without_one(events, skipped):
    stream = Stream("t").start(ready=False)
    for event in events:
        stream.say(event)
    assert set(found(stream.pitch(2))) == ({"cut-skipped"} if skipped else set())


def test_where_the_cut_is_not_sensed_it_is_not_missed():
    assert found(Stream("t", sees=["place", "board", "face"]).start(ready=False).deal()) == {}


# -- a fouled deck -------------------------------------------------------------------------------


def fouled(**table):
    stream = dealt(table=table)
    return stream.say("card-moved", card="2c", from_="stub", to="board", face="up")


def test_a_known_card_that_leaves_the_stub_while_it_lies_elsewhere_is_a_second_one():
    line = only(fouled())
    assert (line["irregularity"], line["subject"]) == ("deck-duplicate-card", "deck")
    assert (line["severity"], line["cards"], line["seats"]) == ("critical", [], [])


def test_its_remedy_is_a_new_deck_and_all_chips_back():
    stream = fouled().say("floor-called").say("bets-returned")
    stream.say("deck-changed", deck="red", reason="fault").shuffle()
    stream.lies = {}
    line = only(stream.deal())
    assert line["state"] == "remedied"
    assert named(line) == ["floor", "refund", "deck-change", "shuffle", "cut", "deal"]


def test_without_the_floor_it_is_unsupervised():
    stream = fouled().say("bets-returned").say("deck-changed", deck="red").shuffle()
    lines = found(stream)
    assert lines["remedy-unsupervised"]["remedy_of"] == lines["deck-duplicate-card"]["id"]


def test_at_a_table_without_a_floor_key_nobody_is_missed():
    stream = fouled(sees=["identity", "place", "board", "shuffle", "cut"])
    stream.say("bets-returned").say("deck-changed", deck="red").shuffle()
    assert set(found(stream)) == {"deck-duplicate-card"}


def test_any_other_disagreement_about_a_card_is_no_second_card():
    stream = dealt().say("card-moved", card="2c", from_="seat:3", to="muck")
    assert found(stream) == {}


def test_a_nameless_card_that_gets_the_name_of_another_is_a_second_one():
    stream = Stream("t").start().pitch(2, "?1").pitch(3, "Td")
    assert set(found(stream.say("card-identified", card="?1", is_="Td"))) == {"deck-duplicate-card"}


def test_a_nameless_card_that_gets_its_name_is_followed_by_it():
    stream = flopped().act("check", 2).burn("?8").board("?9")
    stream.say("card-identified", card="?9", is_="Td").move("Td", "aside", from_="board")
    line = found(stream)["turn-premature"]
    assert dict(steps(line)[:1]) == {"set-aside": "done"}


def test_a_card_left_out_is_still_out_in_the_next_hand():
    stream = flopped().say("pot-pushed", seats=[1])
    stream.say("cards-collected", left={"Td": "seat:3"}).say("hand-ended")
    stream.start("2", button=2).deal(3, 1, 2).pitch(3, "Td", from_="stub")
    assert "deck-duplicate-card" in found(stream)


def test_a_card_nowhere_to_be_seen_lies_not_elsewhere():
    stream = flopped().act("check", 2, 3, 1).burn("8s").board("Td").move("Td", "off")
    assert found(stream.move("Td", "board", "up", from_="stub")) == {}


# -- the replacement and the burn ----------------------------------------------------------------


def shown():
    """The exposed card lies at seat 3, all others have theirs: the replacement is due."""
    return exposed().deal(2, 3, 1)


def test_a_burn_before_the_replacement():
    line = found(shown().burn("Ks").wait(6000).pitch(3))["deal-replacement-wrong"]
    assert line["subject"] == "seat-3"


def test_a_card_on_the_stub_is_not_kept_at_the_seat():
    stream = shown().pitch(3).move("Kd", "stub").act("call", 1, 2).act("check", 3)
    lines = found(stream.burn("Ks").board(*FLOP))
    assert "deal-exposed-card-kept" not in lines
    assert dict(steps(lines["deal-single-card-exposed"]))["exposed-to-burn"] == "wrong"


# -- after substantial action --------------------------------------------------------------------


def test_an_extra_card_found_too_late_kills_the_hand():
    stream = dealt().act("call", 1, 2).pitch(3, "Ks").say("floor-called")
    line = only(stream.muck(3))
    assert steps(line) == [("floor", "done"), ("kill-hand", "done")]
    assert line["state"] == "remedied"


def test_a_hand_that_is_not_killed_is_not_remedied():
    stream = dealt().act("call", 1, 2).pitch(3, "Ks").say("floor-called").act("check", 3).flop()
    line = only(stream.act("fold", 2, 1).say("pot-pushed", seats=[3]).end())
    assert (line["state"], dict(steps(line))["kill-hand"]) == ("raised", "due")
