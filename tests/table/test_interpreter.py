from __future__ import annotations

import pytest

from daemon.table.events import Betting, TableBegan
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Layout, Sensor
from drivers import readings
from drivers.readings import Inventory, KeyPressed
from tests.table.felt import FELT, SHOE, UID, WITHOUT_SHOE, Felt, layout

# --- cards without a shoe ---


def test_a_card_from_the_stub_counts_at_once_wherever_it_lands():
    for place in ("seat:4", "board", "burn", "aside", "muck"):
        felt = Felt(WITHOUT_SHOE)
        felt.lay("stub", "As")
        assert felt.wait(500) == []
        felt.lay(place, "As")
        felt.wait(400)
        felt.lay(place, "Kd")
        assert felt.wait(200) == [f"Kd stub>{place}"]


def test_faces_and_hands_are_unknown_to_a_reader():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("board", "As")
    felt.wait(200)
    interpreter = Interpreter(layout(WITHOUT_SHOE))
    poll = Inventory(((1, UID["As"]),))
    interpreter.take("felt", poll, 100)
    (moved,) = interpreter.take("felt", poll, 200)
    assert (moved.face, moved.by, moved.at_ms) == ("unknown", "unknown", 200)


def test_undealt_cards_on_the_stub_antenna_are_never_told():
    felt = Felt()
    felt.lay("stub", *UID)
    assert felt.wait(2000) == []
    felt.lift(*UID)
    assert felt.wait(3000) == []


def test_a_hole_card_that_is_lifted_and_laid_down_again_makes_no_event():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    assert felt.wait(300) == ["As stub>seat:4"]
    felt.lift("As")
    assert felt.wait(5000) == []
    felt.lay("seat:4", "As")
    assert felt.wait(5000) == []


@pytest.mark.parametrize(
    ("places", "events"),
    [
        (["board", None], ["As stub>board", "As board>off"]),
        (["board", None, "board"], ["As stub>board", "As board>off", "As off>board"]),
        (["board", None, "aside"], ["As stub>board", "As board>off", "As off>aside"]),
        (["board", "aside", "stub"], ["As stub>board", "As board>aside", "As aside>stub"]),
        (["board", "muck"], ["As stub>board", "As board>muck"]),
        (["burn", None, "burn"], ["As stub>burn"]),
        (["burn", None, "stub"], ["As stub>burn", "As burn>stub"]),
        (["muck", None], ["As stub>muck"]),
        (["aside", None, "burn"], ["As stub>aside", "As aside>burn"]),
        (["seat:4", None, "muck"], ["As stub>seat:4", "As seat:4>muck"]),
        (["seat:4", "burn"], ["As stub>seat:4", "As seat:4>burn"]),
        (["seat:4", "stub", "seat:5"], ["As stub>seat:4", "As seat:4>stub", "As stub>seat:5"]),
        (["burn", "seat:5"], ["As stub>burn", "As burn>seat:5"]),
        (["seat:4", "board"], ["As stub>seat:4", "As seat:4>board"]),
        (["seat:4", "seat:5"], ["As stub>seat:4", "As seat:4>seat:5"]),
        (["muck", "board"], ["As stub>muck", "As muck>board"]),
        (["muck", "seat:5"], ["As stub>muck", "As muck>seat:5"]),
    ],
)
def test_a_card_goes_from_its_last_place_to_the_next(places, events):
    felt = Felt(WITHOUT_SHOE)
    seen = []
    for place in places:
        felt.lay(place or "nowhere", "As")
        seen += felt.wait(3000)
    assert seen == events


# --- where a hand begins and ends ---


def test_a_new_hand_finds_every_card_in_the_stub_but_those_moved_since_the_last_one():
    felt = Felt(WITHOUT_SHOE)
    felt.new_hand()
    felt.lay("seat:4", "As")
    felt.lay("board", "Kd")
    felt.wait(500)
    felt.press("hand-over")
    felt.lay("muck", "2c")
    felt.wait(500)
    felt.new_hand()
    felt.take()
    felt.lay("aside", "As", "Kd", "2c")
    assert felt.wait(500) == ["As stub>aside", "2c muck>aside", "Kd stub>aside"]


def test_a_new_hand_ends_the_one_that_is_still_open():
    felt = Felt(WITHOUT_SHOE)
    for _ in range(2):
        felt.new_hand()
        felt.lay("seat:4", "As")
        assert felt.wait(500)[-1] == "As stub>seat:4"
        felt.lift("As")
        felt.wait(500)


def test_collected_cards_are_in_the_stub_and_undone_they_never_left_their_places():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    felt.wait(500)
    felt.press("collected")
    felt.press("undo")
    felt.take()
    felt.lay("muck", "As")
    assert felt.wait(500) == ["As seat:4>muck"]
    felt.press("collected")
    felt.take()
    felt.lay("aside", "As")
    assert felt.wait(500) == ["As stub>aside"]


def test_a_wash_that_left_a_card_unseen_leaves_it_in_the_stub_once_the_deck_is_shuffled():
    felt = Felt(WITHOUT_SHOE)
    felt.press("hand-over")
    felt.take()
    felt.lay("seat:4", "As")
    felt.lay("seat:5", "Kd")
    assert felt.wait(500) == ["As stub>seat:4", "Kd stub>seat:5"]
    felt.lift("As")
    felt.wait(500)
    felt.press("shuffle")
    assert felt.take() == ["As seat:4>stub", "deck-shuffled"]


def test_a_card_whose_taking_is_noticed_only_after_the_shuffle_went_into_it():
    felt = Felt()
    felt.new_hand()
    felt.lay("board", "Ks")
    felt.wait(3000)
    felt.press("hand-over")
    felt.lift("Ks")
    felt.press("shuffle")
    assert felt.wait(1000) == ["hand-ended", "deck-shuffled", "Ks board>stub"]
    felt.draw("Ks")
    felt.lay("seat:2", "Ks")
    assert felt.wait(1000) == ["draw 1 Ks", "Ks stub>seat:2"]


@pytest.mark.parametrize("shuffled", ["act", "before the hand", "in the hand", "draw"])
def test_a_shuffle_in_mid_hand_moves_no_hole_card_that_a_player_holds_in_his_hands(shuffled):
    felt = Felt()
    if shuffled == "before the hand":
        felt.press("shuffle")
    felt.new_hand()
    if shuffled == "in the hand":
        felt.press("shuffle")
    if shuffled == "draw":
        felt.draw("As")
    felt.lay("seat:4", "As")
    felt.wait(2000)
    if shuffled == "act":
        felt.press("check", seat=1)
    felt.lift("As")
    felt.wait(500)
    felt.take()
    felt.press("shuffle")
    assert felt.take() == ["deck-shuffled"]


def test_cards_of_one_poll_and_one_place_are_told_by_where_they_come_from():
    felt = Felt(WITHOUT_SHOE)
    felt.new_hand(button=2)
    felt.lay("seat:1", "2c")
    felt.lay("seat:3", "As")
    felt.wait(500)
    felt.lay("stub", "2c", "As")
    assert felt.wait(500) == ["As seat:3>stub", "2c seat:1>stub"]


def test_cards_of_one_poll_are_told_as_a_lawful_deal_would_bring_them():
    felt = Felt(WITHOUT_SHOE)
    felt.new_hand(button=2)
    felt.lay("burn", "2c")
    felt.lay("seat:1", "As")
    felt.lay("seat:3", "Kd")
    felt.take()
    assert felt.wait(200) == ["Kd stub>seat:3", "As stub>seat:1", "2c stub>burn"]


# --- senses ---


def test_the_opening_tells_what_the_sensors_see():
    betting = Betting(level="closes", source="dealer")
    fitted = Layout(
        table="poker-12",
        site="venezia",
        seat_count=9,
        sensors=(SHOE, FELT),
        decks=("red", "blue"),
        betting=betting,
        opened="2026-11-29T20:13:31Z",
        rulebook="robert",
    )
    assert Interpreter(fitted).opening() == TableBegan(
        table="poker-12",
        site="venezia",
        seat_count=9,
        sees=("order", "identity", "board", "burn", "muck", "aside", "stub"),
        betting=betting,
        decks=("red", "blue"),
        opened="2026-11-29T20:13:31Z",
        rulebook="robert",
    )


def test_a_lost_sensor_takes_the_senses_that_no_other_lends_and_brings_them_back():
    felt = Felt()
    felt.lose("felt")
    felt.lose("felt")
    felt.lose("seats")
    felt.regain("felt")
    felt.lose("nobody")
    felt.lose("shoe")
    felt.regain("seats")
    felt.regain("seats")
    assert felt.take() == [
        "sensor-lost felt board+burn+muck+aside+stub",
        "sensor-lost seats place",
        "sensor-back felt board+burn+muck+aside+stub",
        "sensor-lost shoe order",
        "sensor-back seats place",
    ]


def test_seats_are_seen_only_while_every_reader_of_seats_is_alive():
    readers = [
        Sensor(name=f"r{seat}", driver="pn532", places={1: f"seat:{seat}"}, senses=("place",))
        for seat in (1, 2)
    ]
    felt = Felt(readers)
    for step in (felt.lose, felt.regain):
        step("r1")
        step("r2")
    assert felt.take() == [
        "sensor-lost r1 place",
        "sensor-lost r2 ",
        "sensor-back r1 ",
        "sensor-back r2 place",
    ]


@pytest.mark.parametrize(
    "gap",
    [
        readings.EventsLost(3, 5),
        readings.Started("m", boot="0000beef"),
        readings.Started("", boot=""),
    ],
    ids=str,
)
def test_lost_events_and_a_restart_are_a_loss_and_a_return_in_one_breath(gap):
    felt = Felt()
    felt.say("shoe", readings.Started("m", boot="0000cafe"))
    felt.say("shoe", readings.Started("m", boot="0000cafe"))
    assert felt.take() == []
    felt.say("shoe", gap)
    assert felt.take() == ["sensor-lost shoe order+identity", "sensor-back shoe order+identity"]
    felt.say("shoe", readings.Started("m", boot=getattr(gap, "boot", "") or "0000cafe"))
    assert felt.take() == []


def test_a_board_card_taken_while_its_reader_was_lost_is_off_once_the_reader_is_back():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("board", "As", "Kd")
    felt.wait(500)
    felt.lose("felt")
    felt.lift("As")
    felt.wait(3000)
    felt.regain("felt")
    assert felt.wait(3000)[-1:] == ["As board>off"]


def test_a_card_in_passage_over_a_lost_reader_begins_anew_when_it_is_back():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    felt.wait(500)
    felt.lay("board", "As")
    felt.wait(1000)
    felt.lose("felt")
    assert felt.wait(3000) == ["sensor-lost felt board+burn+muck+aside+stub"]
    felt.regain("felt")
    felt.take()
    assert felt.wait(1600) == []
    assert felt.wait(200) == ["As seat:4>board"]


# --- noise ---


@pytest.mark.parametrize(
    ("reading", "kind"),
    [
        (readings.Garbled("bad sum", b"?"), "garbled"),
        (readings.DeviceFault(3, "error"), "device-fault"),
        (readings.Missing(3, 4), "missing"),
        (readings.CardDrawn(0, "As"), "senseless-draw"),
        (readings.CardDrawn(1001, "As"), "senseless-draw"),
        (readings.CardDrawn(1, "1s"), "senseless-draw"),
        (KeyPressed("dance"), "senseless-key"),
        (Inventory(((1, "0123"),)), "unknown-tag"),
        (readings.Acked(), None),
        (readings.Answered(2), None),
        (readings.Beat("RUN"), None),
        (readings.LidMoved(is_open=True), None),
        (readings.CutCardCame(30), None),
        (readings.ShoeEmpty(), None),
        (readings.Shuffled("start", 0), None),
        (readings.Shuffled("fail"), None),
        (readings.ShoeLoaded(52), None),
        (readings.CardPushedBack(7), None),
    ],
    ids=str,
)
def test_what_is_no_news_of_the_hand_is_no_event_and_noise_is_counted(reading, kind):
    felt = Felt()
    felt.say("shoe", reading)
    assert felt.take() == []
    assert felt.interpreter.figures.totals() == ({kind: 1} if kind else {})


def test_a_sensor_that_is_not_of_this_table_is_counted():
    felt = Felt()
    felt.say("nobody", KeyPressed("floor"))
    assert felt.take() == []
    assert felt.interpreter.figures.totals() == {"unknown-sensor": 1}


def test_a_shuffler_tells_that_it_has_shuffled_and_how_many_cards_it_counted():
    felt = Felt()
    felt.say("shoe", readings.Shuffled("done", 52))
    felt.say("shoe", readings.Shuffled("fail", 51))
    assert felt.take() == ["deck-shuffled", "deck-counted", "deck-counted"]


def test_a_poll_told_twice_is_one_poll_and_no_second_witness():
    table = Interpreter(layout(WITHOUT_SHOE))
    poll = Inventory(((1, UID["As"]),))
    for at_ms in (0, 0, 39):
        assert table.take(FELT.name, poll, at_ms) == []
    assert table.figures.totals()["repeated"] == 2
    assert table.take(FELT.name, poll, 40)
