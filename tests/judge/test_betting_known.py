"""What may be concluded from the betting: independent acts, closes, the dealer's own keys, none."""

from __future__ import annotations

import pytest

from tests.judge.hands import (
    CLOSES,
    DEALERS,
    NO_BETTING,
    closed,
    dealt,
    ended,
    flopped,
    premature,
    redealt,
)
from tests.judge.streams import FLOP, Stream, judge, last, steps

DEALERS_CLOSES = {"betting": {"level": "closes", "source": "dealer"}}


def found(stream):
    return {name: line for name, line in last(judge(stream)).items() if name != "burn-premature"}


def turn(stream):
    return found(stream).get("turn-premature")


# -- independent acts ----------------------------------------------------------------------------


def test_with_independent_acts_a_round_closes_by_acts_alone():
    assert turn(premature())["seats"] == [3, 1]
    assert found(flopped().act("check", 2, 3, 1).burn().board("Td")) == {}


def test_a_close_that_disagrees_is_a_doubt_which_stays_with_the_floor():
    line = turn(flopped().act("check", 2).say("betting-closed").burn("8s").board("Td"))
    assert line["doubt"] == {"instead": "acts-disagree"}
    assert (line["severity"], line["audience"]) == ("critical", "floor")


def test_its_remedy_is_followed_all_the_same():
    stream = flopped().act("check", 2).say("betting-closed").burn("8s").board("Td")
    stream = redealt(stream).move("Td", "stub").shuffle().board("2d")
    assert turn(ended(stream))["state"] == "remedied"


@pytest.mark.parametrize(
    ("acts", "owing"),
    [
        ([], [2, 3, 1]),
        ([("check", 2)], [3, 1]),
        ([("check", 2), ("bet", 3)], [1, 2]),
        ([("bet", 2), ("call", 3)], [1]),
        ([("bet", 2), ("raise", 3), ("call", 1)], [2]),
        ([("bet", 2), ("fold", 3)], [1]),
    ],
)
def test_the_seats_are_those_that_owe_in_the_order_in_which_they_are_due(acts, owing):
    stream = flopped()
    for action, seat in acts:
        stream.act(action, seat)
    assert turn(stream.burn("8s").board("Td"))["seats"] == owing


@pytest.mark.parametrize(("seats", "owing"), [((1, 2), [2]), ((1, 2, 3), [3])])
def test_the_big_blinds_option_is_owed(seats, owing):
    opener, *others = (1,) if len(seats) == 2 else (1, 2)
    stream = dealt(seats).act("call", opener, *others).flop()
    assert found(stream)["flop-premature"]["seats"] == owing


def test_a_straddlers_option_is_owed():
    stream = dealt((1, 2, 3, 4), straddles={"4": 4}).act("call", 1, 2, 3).flop()
    assert found(stream)["flop-premature"]["seats"] == [4]


def test_without_a_small_blind_the_big_blinds_option_is_owed():
    stream = Stream("t").start("1", (1, 3, 7), 5, small_blind=None, big_blind=7).deal()
    assert found(stream.act("call", 1, 3).flop())["flop-premature"]["seats"] == [7]


def test_heads_up_the_button_acts_last_after_the_flop():
    stream = flopped(seats=(1, 2)).burn("8s").board("Td")
    assert turn(stream)["seats"] == [2, 1]


def test_an_all_in_that_tops_the_bet_opens_the_round_again():
    stream = flopped().act("bet", 2, amount=10).act("all-in", 3, amount=11)
    assert turn(stream.act("call", 1, amount=11).burn("8s").board("Td"))["seats"] == [2]


def test_an_all_in_without_an_amount_is_a_raise_and_the_street_carries_a_doubt():
    stream = flopped().act("check", 2).act("bet", 3, amount=10).act("all-in", 1).act("call", 2)
    line = turn(stream.burn("8s").board("Td"))
    assert line["doubt"] == {"instead": "all-in-call"}
    assert (line["seats"], line["audience"]) == ([3], "maintenance")


def test_in_turn_is_believed_where_it_is_given():
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2).act("call", 1, 2, in_turn=False)
    assert found(stream)["deal-wrong-first-seat"]["window"]["open"] is True
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2).act("call", 2, 1, in_turn=True)
    assert found(stream)["deal-wrong-first-seat"]["window"]["open"] is False


# -- closes --------------------------------------------------------------------------------------


def test_with_closes_the_key_closes_the_round():
    stream = dealt(table=CLOSES).say("betting-closed").flop()
    assert turn(stream.burn("8s").board("Td"))["audience"] == "floor"
    stream = dealt(table=CLOSES).say("betting-closed").flop().say("betting-closed")
    assert found(stream.burn("8s").board("Td")) == {}


def test_with_closes_the_remedy_is_followed_by_closes():
    stream = dealt(table=CLOSES).say("betting-closed").flop().burn("8s").board("Td")
    stream.move("Td", "aside").say("betting-closed").burn("4h").board("Jc").say("betting-closed")
    assert turn(stream.move("Td", "stub").shuffle().board("2d"))["state"] == "remedied"


def test_with_closes_everybody_all_in_needs_no_key():
    assert found(dealt(table=CLOSES, all_in=[1, 2, 3]).flop().burn().board("Td")) == {}


# -- the dealer's own keys -----------------------------------------------------------------------


@pytest.fixture
def missed():
    """Seats 3 and 1 owe by the dealer's keys when the turn comes."""
    return premature(table=DEALERS)


def test_from_the_dealers_own_keys_it_is_a_doubt_for_maintenance(missed):
    line = turn(missed)
    assert line["doubt"] == {"instead": "key-missed"}
    assert line["audience"] == "maintenance"


@pytest.mark.parametrize("audience", ["floor", "surveillance"])
def test_a_house_says_who_sees_what_is_in_doubt(missed, tmp_path, audience):
    house = tmp_path / "house.toml"
    house.write_text(
        f'name = "house"\nextends = "robert-classic"\n[parameters]\ndoubt_audience = "{audience}"\n'
    )
    line = last(judge(missed, "--rulebook", str(house)))["turn-premature"]
    assert line["doubt"] == {"instead": "key-missed"}
    assert line["audience"] == audience


def test_with_the_dealers_closes_too():
    stream = dealt(table=DEALERS_CLOSES).say("betting-closed").flop().burn("8s").board("Td")
    assert turn(stream)["doubt"] == {"instead": "key-missed"}


@pytest.mark.parametrize(
    "proof",
    [
        lambda stream: stream.say("floor-called"),
        lambda stream: stream.say("premature-called"),
        lambda stream: stream.act("check", 3),
        lambda stream: stream.act("check", 1),
        lambda stream: stream.move("Td", "aside"),
        lambda stream: stream.move("Td", "stub"),
    ],
    ids=["floor", "premature", "act of 3", "act of 1", "aside", "stub"],
)
def test_corroborated_it_goes_to_the_floor_stamped_with_the_card(missed, proof):
    fell_ms = missed.now_ms
    line = turn(proof(missed))
    assert "doubt" not in line
    assert (line["severity"], line["audience"], line["at_ms"]) == ("critical", "floor", fell_ms)


@pytest.mark.parametrize("seat", [2])
def test_an_act_that_belongs_to_the_new_round_proves_nothing(missed, seat):
    assert turn(missed.act("check", seat))["doubt"] == {"instead": "key-missed"}


def test_a_board_card_taken_back_when_one_hand_is_left_proves_nothing(missed):
    lines = found(missed.act("fold", 3, 1).move("Td", "aside"))
    assert "board-card-withdrawn" not in lines


def test_corroborated_the_remedy_is_followed(missed):
    stream = redealt(missed).move("Td", "stub").shuffle().board("2d")
    assert turn(ended(stream))["state"] == "remedied"


def pressed():
    """The dealer pressed closed while, by his keys, seats 3 and 1 owed."""
    stream = closed(table=DEALERS).say("betting-closed").flop().act("check", 2)
    return stream.say("betting-closed").burn("8s").board("Td")


def test_a_pressed_close_proves_no_premature_street():
    assert found(pressed()) == {}


def test_nor_does_it_clear_one_that_is_corroborated_later():
    stream = pressed()
    fell_ms = stream.now_ms
    line = turn(stream.say("floor-called"))
    assert (line["at_ms"], line["known_ms"]) == (fell_ms, fell_ms + 1000)
    assert (line["street"], line["audience"]) == ("flop", "floor")


def test_the_window_is_unknown_with_the_dealers_keys():
    stream = Stream("t", **DEALERS).start().pitch(3)
    assert found(stream)["deal-wrong-first-seat"]["window"]["open"] is None


# -- none ----------------------------------------------------------------------------------------


def test_without_betting_no_street_is_premature():
    stream = dealt(table=NO_BETTING).flop().burn().board("Td").burn().board("Jc")
    assert judge(ended(stream)) == []


def test_a_board_card_taken_back_starts_the_remedy():
    stream = dealt(table=NO_BETTING).flop().burn("8s").board("Td").move("Td", "aside")
    line = found(stream)["board-card-withdrawn"]
    assert (line["subject"], line["severity"], line["audience"]) == ("turn", "medium", "floor")
    assert [step for step, _ in steps(line)] == [
        "set-aside", "close", "burn", "turn", "close",
        "return-aside", "shuffle", "cut", "river-without-burn",
    ]  # fmt: skip
    stream.wait(6000).burn("4h").board("Jc").move("Td", "stub").shuffle().board("2d")
    line = found(ended(stream))["board-card-withdrawn"]
    assert line["state"] == "remedied"
    assert [state for step, state in steps(line) if step == "close"] == ["unseen", "unseen"]


def test_a_flop_taken_back_starts_its_own():
    stream = dealt(table=NO_BETTING).flop()
    for card in FLOP:
        stream.move(card, "stub", after_ms=100)
    stream.wait(6000).shuffle().board("2d", "4h", "Jc")
    line = found(stream)["board-card-withdrawn"]
    assert (line["subject"], line["state"]) == ("flop", "remedied")


def test_a_board_card_gone_from_its_antenna_waits_before_it_is_withdrawn():
    stream = dealt(table=NO_BETTING).flop().burn("8s").board("Td").move("Td", "off")
    gone_ms = stream.now_ms
    assert found(stream) == {}
    line = found(stream.wait(6000).say("tick"))["board-card-withdrawn"]
    assert (line["at_ms"], line["known_ms"]) == (gone_ms, gone_ms + 5000)


def test_a_board_card_squared_is_not_withdrawn():
    stream = dealt(table=NO_BETTING).flop().burn("8s").board("Td").move("Td", "off")
    assert found(stream.move("Td", "board", after_ms=3000).wait(9000).say("tick")) == {}


def test_after_the_pot_or_with_one_hand_left_nothing_is_withdrawn():
    pushed = dealt(table=NO_BETTING).flop().say("pot-pushed", seats=[2], chop=True)
    pushed.move("Ah", "aside")
    assert found(pushed.wait(9000).say("tick")) == {}
    over = flopped().act("fold", 2, 3).move("Ah", "aside")
    assert found(over.wait(9000).say("tick")) == {}


# -- doubtful flops ------------------------------------------------------------------------------


def test_a_doubtful_flop_has_all_its_cards_and_all_go_back():
    stream = dealt(table=DEALERS).act("call", 1).flop()
    assert found(stream)["flop-premature"]["cards"] == list(FLOP)
    stream.say("floor-called").move("Ah", "stub")
    assert steps(found(stream)["flop-premature"])[0] == ("return-board", "due")


def test_a_call_cannot_open_a_round():
    stream = dealt(table=DEALERS).act("call", 1).flop().act("call", 2)
    assert "doubt" not in found(stream)["flop-premature"]


def test_what_was_remedied_stays_so_when_its_street_turns_out_to_have_come_too_early():
    table = {"sees": ["burn", "place"], **NO_BETTING}
    stream = dealt(table=table).board("Td", "4h").move("4h", "aside").move("Td", "stub")
    told = judge(stream.board("Td", "Kd", "Jc").say("premature-called", 0))
    states = [line["state"] for line in told if line["irregularity"] == "board-card-withdrawn"]
    assert states == ["raised", "remedied"]
    assert "flop-premature" in {line["irregularity"] for line in told}
