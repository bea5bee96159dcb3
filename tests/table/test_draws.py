from __future__ import annotations

import pytest

from drivers import readings
from tests.table.felt import FELT, KEYS, SEATS, SHOE, Felt, timed


def test_a_draw_is_told_at_once_and_its_landing_as_soon_as_it_is_seen():
    felt = Felt()
    felt.draw("As")
    assert felt.take() == ["draw 1 As"]
    felt.lay("seat:2", "As")
    felt.wait(200)
    assert timed(felt.events) == []
    assert felt.wait(1500) == []


def test_landings_are_told_in_the_order_of_the_draws():
    felt = Felt()
    felt.draw("As", "Kd", "2c")
    felt.take()
    felt.lay("seat:4", "2c")
    assert felt.wait(300) == []
    felt.lay("seat:3", "Kd")
    assert felt.wait(300) == []
    felt.lay("seat:2", "As")
    assert felt.wait(300) == ["As stub>seat:2", "Kd stub>seat:3", "2c stub>seat:4"]


def test_a_draw_that_never_lands_is_off_at_its_deadline_and_holds_nobody_up_any_longer():
    felt = Felt()
    felt.wait(100)
    felt.draw("As", "Kd")
    felt.take()
    felt.lay("seat:3", "Kd")
    assert felt.wait(1500) == []
    assert felt.interpreter.deadline() == 1600
    felt.events = felt.interpreter.advance(1601)
    assert timed(felt.events) == ["1600 As stub>off", "1600 Kd stub>seat:3"]
    felt.take()
    felt.lay("seat:2", "As")
    assert felt.wait(300) == ["As off>seat:2"]


def test_a_landing_exactly_at_the_deadline_is_in_time():
    felt = Felt()
    felt.draw("As")
    felt.wait(1300)
    felt.lay("seat:2", "As")
    assert felt.wait(200) == ["As stub>seat:2"]
    assert felt.now_ms == 1500


def test_a_landed_card_that_has_moved_on_while_it_waited_is_followed():
    felt = Felt()
    felt.draw("As", "Kd")
    felt.lay("board", "Kd")
    felt.wait(500)
    felt.lay("aside", "Kd")
    felt.wait(500)
    felt.lay("burn", "As")
    assert felt.wait(300) == ["As stub>burn", "Kd stub>board", "Kd board>aside"]


def test_an_unreadable_draw_gets_its_name_from_the_tag_that_lands_undrawn():
    felt = Felt()
    felt.draw(None, "Kd", None)
    assert felt.take() == ["draw 1 ?1", "draw 2 Kd", "draw 3 ?2"]
    felt.lay("seat:3", "Kd")
    assert felt.wait(300) == []
    felt.lay("seat:2", "As")
    assert felt.wait(300) == ["?1 is As", "As stub>seat:2", "Kd stub>seat:3"]
    felt.lay("seat:4", "2c")
    assert felt.wait(300) == ["?2 is 2c", "2c stub>seat:4"]


def test_a_tag_taken_for_an_unreadable_draw_is_given_to_the_draw_of_its_name():
    felt = Felt()
    felt.draw("Qh", None)
    felt.lay("seat:2", "As")
    felt.wait(300)
    felt.draw("As")
    felt.take()
    felt.lay("seat:1", "Qh")
    assert felt.wait(300) == ["Qh stub>seat:1"]
    felt.lay("seat:3", "Kd")
    assert felt.wait(300) == ["?1 is Kd", "Kd stub>seat:3", "As stub>seat:2"]


def test_an_unreadable_draw_that_never_lands_keeps_its_number_and_may_be_seen_late():
    felt = Felt()
    felt.draw(None)
    felt.take()
    assert felt.wait(1600) == ["?1 stub>off"]
    felt.lay("board", "As")
    assert felt.wait(300) == ["?1 is As", "As off>board"]


def test_a_card_of_another_deck_is_odd_and_is_no_tag_of_this_one():
    felt = Felt()
    felt.draw(None, foreign=True)
    assert felt.take() == ["draw 1 ?1", "?1 odd other-deck"]
    felt.lay("board", "As")
    assert felt.wait(1600) == ["?1 stub>off"]
    assert felt.wait(1600) == ["As stub>board (not-drawn-by-shoe)"]


def test_a_card_that_the_shoe_never_drew_is_waited_for_and_then_a_doubt():
    felt = Felt()
    felt.lay("seat:2", "As")
    assert felt.wait(1700) == []
    felt.now_ms += 1
    felt.events = felt.interpreter.advance(felt.now_ms)
    assert timed(felt.events) == ["1700 As stub>seat:2 (not-drawn-by-shoe)"]


def test_a_card_that_shoe_and_reader_name_differently_is_one_card_with_a_doubt():
    felt = Felt()
    felt.draw("Kd")
    felt.lay("seat:2", "As")
    felt.wait(300)
    felt.draw("2c")
    felt.lay("seat:3", "2c")
    felt.wait(1100)
    assert felt.wait(600) == ["As stub>seat:2 (shoe-read-other)", "2c stub>seat:3"]
    felt.draw("Kd")
    felt.lay("seat:4", "Kd")
    assert felt.wait(500) == ["draw 3 Kd", "Kd stub>seat:4"]
    felt.draw("As")  # it should have said so first
    assert felt.wait(3000) == ["draw 4 As"]


def test_of_two_undrawn_cards_nobody_can_say_which_the_shoe_misread():
    felt = Felt()
    felt.draw("Kd")
    felt.lay("seat:2", "As")
    felt.lay("seat:3", "2c")
    assert sorted(felt.wait(4000)[1:]) == [
        "2c stub>seat:3 (not-drawn-by-shoe)",
        "As stub>seat:2 (not-drawn-by-shoe)",
        "Kd stub>off",
    ]


def test_nor_where_the_card_lay_there_before_the_draw_or_draws_may_be_missing():
    felt = Felt()
    felt.lay("seat:2", "As")
    felt.wait(500)
    felt.draw("Kd")
    assert felt.wait(4000)[1:] == ["As stub>seat:2 (not-drawn-by-shoe)", "Kd stub>off"]
    felt.say("shoe", readings.EventsLost(4, 4))
    felt.take()
    felt.draw("9h")
    felt.lay("seat:3", "2c")
    assert felt.wait(4000)[1:] == ["9h stub>off", "2c stub>seat:3"]


def test_an_undrawn_card_in_passing_is_never_told():
    felt = Felt()
    for place in ("seat:2", "board", "nowhere", "muck", "stub"):
        felt.lay(place, "As")
        assert felt.wait(1300) == []
    assert felt.wait(3000) == []


@pytest.mark.parametrize(("card", "told"), [("As", []), (None, ["?1 is As"])])
def test_a_draw_told_after_its_landing_is_that_landing(card, told):
    felt = Felt()
    felt.lay("seat:2", "As")
    felt.wait(1000)
    felt.draw(card)
    assert felt.take()[1:] == [*told, "As stub>seat:2"]


def test_a_draw_told_when_the_doubt_was_spoken_is_no_second_card():
    felt = Felt()
    felt.lay("seat:2", "As")
    assert felt.wait(2000) == ["As stub>seat:2 (not-drawn-by-shoe)"]
    felt.draw("As")
    assert felt.wait(2000) == ["draw 1 As"]


@pytest.mark.parametrize("gap", [readings.EventsLost(4, 4), readings.Missing(4, 4)])
def test_after_lost_events_an_undrawn_card_proves_nothing_until_the_next_load(gap):
    felt = Felt()
    felt.say("shoe", gap)
    felt.take()
    felt.lay("seat:2", "As")
    assert felt.wait(1800) == ["As stub>seat:2"]
    felt.say("shoe", readings.ShoeLoaded(51))
    felt.lay("seat:3", "Kd")
    assert felt.wait(1800) == ["Kd stub>seat:3 (not-drawn-by-shoe)"]


def test_without_its_shoe_a_table_tells_landings_as_they_are_seen():
    felt = Felt()
    felt.lose("shoe")
    felt.take()
    felt.lay("seat:2", "As")
    assert felt.wait(200) == ["As stub>seat:2"]


def test_a_card_drawn_before_the_shoe_was_lost_lands_all_the_same():
    felt = Felt()
    felt.draw(None, "Kd")
    felt.lose("shoe")
    felt.take()
    felt.lay("seat:3", "Kd")
    felt.lay("seat:2", "As")
    assert felt.wait(300) == []
    assert felt.wait(1600) == ["?1 stub>off", "Kd stub>seat:3", "As stub>seat:2"]


def test_without_a_shoe_a_card_that_two_antennas_contend_for_keeps_its_turn():
    felt = Felt((SEATS, FELT, KEYS), ghost=lambda place, _: "seat:3" if place == "seat:2" else None)
    felt.lay("seat:2", "As")
    felt.wait(300)
    felt.lay("seat:4", "Kd")
    assert felt.wait(300) == []
    felt.ghost = None
    assert felt.wait(300) == ["As stub>seat:2", "Kd stub>seat:4"]
    felt.lay("nowhere", "As", "Kd")
    felt.lay("board", "2c")
    assert felt.wait(300) == ["2c stub>board"]


def test_without_a_shoe_a_card_that_goes_away_again_holds_nobody_up():
    felt = Felt((SEATS, FELT, KEYS), ghost=lambda place, _: "seat:3" if place == "seat:2" else None)
    felt.lay("seat:2", "As")
    felt.wait(300)
    felt.lay("nowhere", "As")
    felt.lay("seat:4", "Kd")
    assert felt.wait(500) == ["Kd stub>seat:4"]


def test_where_nothing_sees_a_landing_a_draw_is_not_waited_for():
    for sensors in ((SHOE, KEYS), (SHOE, KEYS, SEATS)):
        felt = Felt(sensors)
        if SEATS in sensors:
            felt.lose("seats")
            felt.take()
        felt.draw("As")
        assert felt.wait(5000) == ["draw 1 As"]


def test_a_draw_from_before_the_readers_were_back_is_no_doubt():
    felt = Felt((SHOE, SEATS, KEYS))
    felt.lose("seats")
    felt.draw("As")
    felt.lay("seat:2", "As")
    felt.wait(5000)
    felt.regain("seats")
    felt.take()
    assert felt.wait(300) == ["As stub>seat:2"]


def test_a_card_pushed_back_is_in_the_stub_and_nobody_waits_for_it():
    felt = Felt()
    felt.draw("As", "Kd")
    felt.take()
    felt.lay("seat:3", "Kd")
    felt.wait(300)
    felt.say("shoe", readings.CardPushedBack(1))
    assert felt.take() == ["Kd stub>seat:3"]
    assert felt.wait(3000) == []
    felt.drawn = 0
    felt.draw("As")
    felt.lay("seat:2", "As")
    assert felt.wait(300) == ["draw 1 As", "As stub>seat:2"]


@pytest.mark.parametrize("card", ["As", None])
def test_a_card_pushed_back_too_late_goes_back_to_the_stub(card):
    felt = Felt()
    felt.draw(card)
    name = card or "?1"
    assert felt.wait(1600)[1:] == [f"{name} stub>off"]
    felt.say("shoe", readings.CardPushedBack(1))
    assert felt.take() == [f"{name} off>stub"]


@pytest.mark.parametrize(
    ("restart", "told"),
    [
        (readings.ShoeLoaded(45), []),
        (readings.Shuffled("done", 45), ["deck-shuffled", "deck-counted"]),
    ],
)
def test_drawing_restarts_with_a_load_or_a_shuffle(restart, told):
    felt = Felt()
    felt.draw("As", "Kd", None)
    felt.lay("seat:3", "Kd")
    felt.wait(300)
    felt.take()
    felt.say("shoe", restart)
    assert felt.take() == ["Kd stub>seat:3", *told]
    assert felt.wait(3000) == []
    felt.lay("seat:2", "As")
    assert felt.wait(1800) == ["As stub>seat:2 (not-drawn-by-shoe)"]


def test_a_card_drawn_again_after_a_reshuffle_came_back_to_the_stub_unseen():
    felt = Felt((SHOE, SEATS, FELT, KEYS))
    felt.draw("As")
    felt.lay("board", "As")
    felt.wait(300)
    felt.lift("As")
    felt.wait(500)
    felt.say("shoe", readings.ShoeLoaded(40))
    felt.take()
    felt.draw("As")
    assert felt.take() == ["As off>stub", "draw 2 As"]
    felt.lay("board", "As")
    assert felt.wait(300) == ["As stub>board"]


@pytest.mark.parametrize("key", ["collected", "hand-over"])
def test_what_waits_for_a_draw_when_the_cards_are_brought_in_is_not_told_later(key):
    felt = Felt()
    felt.lay("seat:2", "As")
    felt.wait(500)
    felt.press(key)
    felt.take()
    assert felt.wait(3000) == []


def test_a_name_drawn_twice_is_a_second_card_that_leaves_the_stub():
    felt = Felt()
    felt.draw("As")
    felt.lay("seat:2", "As")
    felt.wait(500)
    felt.draw("As")
    assert felt.wait(1600) == ["draw 2 As", "As stub>off"]
    felt.lift("As")
    felt.lay("muck", "As")
    assert felt.wait(500) == ["As seat:2>muck"]


def test_a_flood_of_draws_stays_bounded():
    felt = Felt()
    for _ in range(5000):
        felt.draw(None)
        felt.drawn = 0
    assert len(felt.interpreter._movements._draws._open) == 120


def test_a_card_that_lies_and_is_drawn_anew_had_gone_back_into_the_stub_unseen():
    felt = Felt()
    felt.draw("As")
    felt.lay("burn", "As")
    felt.wait(300)
    felt.take()
    felt.lift("As")
    felt.draw("As")
    assert felt.take() == ["draw 2 As"]
    felt.lay("board", "As")
    assert felt.wait(300) == ["As burn>stub", "As stub>board"]
    assert felt.wait(3000) == []
