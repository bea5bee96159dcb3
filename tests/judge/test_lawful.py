"""What a lawful table does is never an alert."""

from __future__ import annotations

import pytest

from tests.judge.hands import checked, closed, dealt, ended, flopped, rivered, turned, won
from tests.judge.streams import FLOP, Stream, judge, last


def run_out(stream):
    return ended(stream.flop().burn().board("Td").burn().board("Jc"))


def quiet(stream):
    return judge(stream) == []


def logged(stream):
    """What was found, all of it for the log."""
    alerts = judge(stream)
    assert {alert["audience"] for alert in alerts} == {"log"}
    return sorted({alert["irregularity"] for alert in alerts})


@pytest.mark.parametrize("seats", range(2, 11))
def test_a_hand_played_to_its_showdown(seats):
    for button in {1, seats}:
        stream = checked(rivered(seats=range(1, seats + 1), button=button))
        stream.say("hand-tabled", seat=button, cards=["Kc", "Kh"])
        assert quiet(ended(stream))


def test_a_walk():
    assert quiet(dealt().act("fold", 1, 2).say("pot-pushed", seats=[3]).end())
    assert quiet(dealt().act("fold", 1, 2).end())
    assert quiet(dealt().act("fold", 1, 2).muck(1, 2).end())


def test_blinds_chop():
    assert quiet(dealt().act("fold", 1, 2, 3).end())


def test_the_big_blind_checks_his_option():
    assert quiet(dealt().act("call", 1, 2).act("check", 3).flop())


def test_the_big_blind_raises_and_all_call():
    assert quiet(dealt().act("call", 1, 2).act("raise", 3).act("call", 1, 2).flop())


@pytest.mark.parametrize("amounts", [True, False])
def test_an_all_in_run_out(amounts):
    amount = {"amount": 100} if amounts else {}
    stream = dealt().act("fold", 1).act("all-in", 2, **amount)
    assert quiet(run_out(stream.act("call", 3, all_in=True, **amount)))


@pytest.mark.parametrize("amounts", [True, False])
def test_an_all_in_called_by_one_with_chips_left(amounts):
    amount = {"amount": 100} if amounts else {}
    stream = dealt().act("fold", 1).act("all-in", 2, **amount).act("call", 3, **amount)
    assert quiet(run_out(stream))


def test_three_all_in_for_different_amounts():
    stream = dealt().act("call", 1).act("raise", 2, amount=50, all_in=True)
    assert quiet(run_out(stream.act("all-in", 3, amount=80).act("all-in", 1, amount=30)))


@pytest.mark.parametrize("amount", [9, 10])
def test_an_all_in_that_does_not_top_the_bet_opens_nothing(amount):
    stream = flopped().act("bet", 2, amount=10).act("all-in", 3, amount=amount)
    assert quiet(stream.act("call", 1, amount=10).burn().board("Td"))


@pytest.mark.parametrize(
    ("facts", "folds"),
    [
        ({"all_in": [1, 2, 3]}, []),
        ({"all_in": [1, 2], "antes": {"1": 1, "2": 1, "3": 1}}, []),
        ({"all_in": [2]}, [1]),
        ({"all_in": [2], "blinds": {"2": 1, "3": 2}}, [1]),
        ({"all_in": [3], "blinds": {"2": 1, "3": 1}}, [1]),
        ({"all_in": [1], "antes": {"1": 1, "2": 1, "3": 1}}, [2]),
        ({"seats": (1, 2), "all_in": [1]}, []),
        ({"seats": (1, 2), "all_in": [1], "blinds": {"1": 1, "2": 2}}, []),
        ({"seats": (1, 2), "all_in": [2], "blinds": {"1": 1, "2": 1}}, []),
    ],
)
def test_all_in_from_a_blind_or_an_ante_nobody_owes(facts, folds):
    assert quiet(run_out(dealt(**facts).act("fold", *folds)))


def test_a_side_pot_beside_a_small_blind_that_is_all_in():
    stream = dealt(all_in=[2]).act("call", 1).act("check", 3).flop()
    for card in ("Td", "Jc"):
        stream.act("check", 3, 1).burn().board(card)
    assert quiet(ended(stream.act("check", 3, 1)))


def test_a_dead_button():
    stream = Stream("t").start("1", (1, 3, 7), 5, small_blind=7, big_blind=1).deal()
    stream.act("call", 3, 7).act("check", 1).flop()
    assert quiet(stream.act("check", 7, 1, 3).burn().board("Td"))


def test_no_small_blind():
    stream = Stream("t").start("1", (1, 3, 7), 5, small_blind=None, big_blind=7).deal()
    stream.act("call", 1, 3).act("check", 7).flop()
    assert quiet(stream.act("check", 7, 1, 3).burn().board("Td"))


@pytest.mark.parametrize("straddler", [4, 1])
def test_a_straddler_has_the_last_word(straddler):
    straddles = {str(straddler): 4}
    stream = dealt((1, 2, 3, 4), blinds={"2": 1, "3": 2}, straddles=straddles)
    opener = straddler % 4 + 1
    others = [(opener + n - 1) % 4 + 1 for n in range(3)]
    assert quiet(stream.act("call", *others).act("check", straddler).flop())


def test_antes_and_posts_are_no_acts():
    stream = dealt(antes={"1": 1, "2": 1, "3": 1}).act("post", 2, amount=1)
    stream.act("post", 3, amount=2).act("call", 1, 2).act("check", 3)
    assert quiet(checked(stream.flop()).burn().board("Td"))


def straddled():
    """Seat 1 straddled behind both blinds, and is all-in by it; only its key says so."""
    stream = Stream("t").start(seats=(1, 2, 3, 4), button=2)
    stream.act("post", 3, amount=5).act("post", 4, amount=10)
    return stream.act("post", 1, amount=20, all_in=True)


def called(stream):
    """Dealt, and all call the straddle; who straddled has no chips left to act with."""
    return stream.deal().act("call", 2, 3, 4).flop()


def test_a_straddle_that_a_key_told_stays_when_the_hand_is_dealt_anew():
    assert quiet(called(straddled()))
    stream = straddled().pitch(3, "Kd", face="up").say("misdeal-declared").collect().shuffle()
    assert [*last(judge(called(stream)))] == ["deal-first-card-exposed"]


def test_chips_given_back_may_be_put_up_again():
    stream = straddled().pitch(3, "Kd").move("Kd", "seat:4", from_="stub").say("floor-called")
    stream.say("bets-returned").say("deck-changed", deck="second").shuffle()
    stream.act("post", 3, amount=5).act("post", 4, amount=10).act("post", 1, amount=20, all_in=True)
    assert [*last(judge(called(stream)))] == ["deck-duplicate-card"]


def test_a_deal_order_of_its_own():
    assert quiet(Stream("t").start(deal_order=[3, 1, 2]).deal(3, 1, 2, 3, 1, 2))


def test_a_dead_seat_is_dealt_in_and_killed():
    stream = dealt(dead_seats=[3]).muck(3).act("call", 1).act("check", 2).flop()
    assert quiet(stream.act("check", 2, 1).burn().board("Td"))


def test_a_player_who_shows_his_own_card_is_noted_in_the_log():
    stream = Stream("t").start().pitch(2, "Kd")
    stream.say("card-exposed", place="seat:2", card="Kd", by="player").deal(3, 1, 2, 3, 1)
    assert logged(stream.act("call", 1, 2).act("check", 3).flop()) == ["player-exposed-own-card"]


def test_an_exposure_that_is_not_sure_is_noted_in_the_log():
    stream = dealt().say("card-exposed", place="seat:3", by="dealer", sure=False)
    assert logged(stream.act("call", 1, 2).act("check", 3).flop()) == ["deal-card-flashed"]


def folded(stream, how):
    """Seat 3 folds: told as an act, as its cards, or as both."""
    for part in how.split():
        stream.act("fold", 3) if part == "act" else stream.muck(3)
    return stream


@pytest.mark.parametrize("how", ["act", "cards", "act cards", "cards act"])
def test_a_fold_is_seen_as_an_act_or_as_cards_or_as_both(how):
    stream = folded(flopped().act("bet", 2), how).act("call", 1).burn().board("Td")
    assert quiet(stream.act("check", 2, 1).burn().board("Jc"))


@pytest.mark.parametrize("how", ["act", "cards", "act cards", "cards act"])
def test_a_fold_with_nothing_to_call_is_a_fold(how):
    assert quiet(folded(flopped().act("check", 2), how).act("check", 1).burn().board("Td"))


def test_an_act_between_the_two_cards_of_a_fold():
    stream = flopped().act("bet", 2)
    one, other = (card for card, place in stream.lies.items() if place == "seat:3")
    stream.move(one, "muck").act("fold", 3).move(other, "muck")
    assert quiet(stream.act("call", 1).burn().board("Td"))


@pytest.mark.parametrize("how", ["cards", "act cards"])
def test_a_fold_may_slide_over_the_board(how):
    stream = flopped().act("bet", 2)
    if "act" in how:
        stream.act("fold", 3)
    for card in [card for card, place in stream.lies.items() if place == "seat:3"]:
        stream.move(card, "board", after_ms=100).move(card, "muck", after_ms=100)
    assert quiet(stream.act("call", 1).burn().board("Td"))


def test_a_hand_tabled_beside_the_board():
    stream = checked(rivered())
    cards = [card for card, place in stream.lies.items() if place == "seat:3"]
    for card in cards:
        stream.move(card, "board", "up")
    assert quiet(ended(stream.say("hand-tabled", seat=3, cards=cards)))


def test_an_act_out_of_turn_is_an_act():
    assert quiet(flopped().act("check", 2).act("check", 1, in_turn=False).act("check", 3).burn())
    assert quiet(flopped().act("check", 1).act("check", 2, 3).burn().board("Td"))


def test_board_cards_may_be_laid_on_numbered_slots():
    stream = closed().burn()
    for slot, card in enumerate(FLOP, 1):
        stream.move(card, f"board:{slot}", "up")
    for slot, card in ((4, "Td"), (5, "Jc")):
        checked(stream).burn().move(card, f"board:{slot}", "up")
    assert quiet(ended(checked(stream)))


def test_a_board_may_be_laid_face_down_and_turned():
    stream = closed().burn().board(*FLOP, face="down")
    for card in FLOP:
        stream.say("card-turned", card=card, face="up", place="board")
    assert quiet(won(checked(stream)))


def test_a_flop_may_come_one_by_one():
    stream = closed().burn().board("Ah").wait(20_000).board("7c").wait(20_000).board("2s")
    assert quiet(checked(stream).burn().board("Td"))


def test_two_boards_one_after_the_other():
    stream = dealt().act("fold", 1).act("all-in", 2, amount=9).act("call", 3, amount=9, all_in=True)
    stream.say("boards-agreed", boards=2).flop().burn().board("Td").burn().board("Jc")
    stream.burn().move("2d", "board:2/4", "up").burn().move("4h", "board:2/5", "up")
    assert quiet(ended(stream))


def test_two_boards_street_by_street():
    stream = dealt().act("fold", 1).act("all-in", 2, amount=9).act("call", 3, amount=9, all_in=True)
    stream.say("boards-agreed", boards=2).flop().burn()
    for slot, card in enumerate(("Kd", "Ks", "Qs"), 1):
        stream.move(card, f"board:2/{slot}", "up")
    stream.burn().board("Td").burn().move("2d", "board:2/4", "up")
    stream.burn().board("Jc").burn().move("4h", "board:2/5", "up")
    assert quiet(ended(stream))


def test_a_second_run_nobody_keyed_each_card_after_its_own_burn():
    stream = dealt().act("fold", 1).act("all-in", 2, amount=9).act("call", 3, amount=9, all_in=True)
    stream.flop().burn().board("Td").burn().board("Jc").burn().board("2d").burn().board("4h")
    assert quiet(ended(stream))


@pytest.mark.parametrize("ready", ["before", "after"])
def test_shuffle_and_cut_may_come_before_the_hand(ready):
    stream = Stream("t")
    if ready == "before":
        stream.shuffle()
    assert quiet(stream.start(ready=ready == "after").deal())


def test_another_decks_shuffle_is_no_concern_of_this_hand():
    stream = Stream("t").say("deck-shuffled", deck="red").say("deck-cut", deck="red")
    stream.say("deck-shuffled", deck="blue").start(ready=False, deck="red")
    assert quiet(stream.deal())


@pytest.mark.parametrize("gathered", [True, False])
def test_the_cards_of_the_last_hand_are_dealt_again(gathered):
    stream = checked(rivered()).say("pot-pushed", seats=[2])
    if gathered:
        stream.collect()
    assert quiet(stream.say("hand-ended").start("2", button=2).deal())


def test_a_new_deck_knows_nothing_of_the_old_one():
    stream = won(turned()).say("deck-changed", deck="red", reason="push")
    assert quiet(stream.start("2", button=2).deal())


def shoe_only():
    return Stream("t", sees=["order", "shuffle", "cut", "face", "floor"]).start()


def drawn(stream, count):
    for _ in range(count):
        number = sum(line["event"] == "card-drawn" for line in stream.lines) + 1
        stream.say("card-drawn", card=stream.next(), n=number)
    return stream


def test_at_a_table_with_a_shoe_only_the_draw_is_the_pitch():
    stream = drawn(shoe_only(), 6).act("call", 1, 2).act("check", 3)
    for count in (4, 2, 2):
        checked(drawn(stream, count))
    assert quiet(ended(stream))
    exposed = drawn(shoe_only(), 1).say("card-exposed", place="seat:2", by="dealer")
    assert [line["irregularity"] for line in judge(exposed)] == ["deal-first-card-exposed"]


def test_where_places_are_sensed_a_draw_moves_nothing():
    stream = Stream("t", sees=["order", "place", "board", "burn", "face", "cut"]).start()
    for number, seat in enumerate(stream.order() * 2, 1):
        card = stream.next()
        stream.say("card-drawn", card=card, n=number).pitch(seat, card)
    assert quiet(stream.act("call", 1, 2).act("check", 3).flop())


@pytest.mark.parametrize("state", ["paused", "closed", "maintenance"])
def test_nothing_is_judged_unless_the_table_is_open(state):
    stream = flopped().say("table-state", state=state).act("check", 2).burn().board("Td")
    assert quiet(stream.wait(60_000).say("tick"))
    assert not quiet(
        flopped()
        .say("table-state", state=state)
        .say("table-state", state="open")
        .burn()
        .board("Td")
    )
