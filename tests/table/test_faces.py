"""Faces: a camera beside readers. What it adds, and what it never may: move a card, name a hidden
one.
"""

from __future__ import annotations

import pytest

from daemon.table.events import CardExposed, CardMoved, CardTurned, DealingEvent
from daemon.table.layout import Sensor
from drivers.readings import Face, FacesSeen
from tests.table.felt import KEYS, POLL_MS, SHOE, WITHOUT_SHOE, Felt, told

CAMERA = Sensor(name="eye", driver="camera", senses=("face",))
PICTURE_POLLS = 2  # a picture each 200 ms


class Watched(Felt):
    """A felt with a camera over it: `up` are the faces that it sees, (card, zone) to how sure."""

    def __init__(self, sensors=WITHOUT_SHOE) -> None:
        super().__init__((*sensors, CAMERA))
        self.up: dict[tuple[str, str], int] = {}
        self.blind = False

    def show(self, zone: str, *cards: str, sure: int = 97) -> None:
        for card in cards:
            self.up[card, zone] = sure

    def hide(self) -> None:
        self.up.clear()

    def let_pass(self, polls: int) -> None:
        for _ in range(polls):
            super().let_pass(1)
            if self.now_ms // POLL_MS % PICTURE_POLLS == 0 and not self.blind:
                faces = tuple(Face(card, zone, sure) for (card, zone), sure in self.up.items())
                self.say("eye", FacesSeen(faces))

    def faced(self, ms: int) -> list[str]:
        """What the camera made known in that time, in words, without what moved."""
        self.let_pass(ms // POLL_MS)
        events, self.events = self.events, []
        return [said(event) for event in events if not isinstance(event, CardMoved)]


def said(event: DealingEvent) -> str:
    doubt = f" ({event.doubt.instead})" if event.doubt else ""
    match event:
        case CardTurned(card=card, face=face, place=place):
            return f"{card} {face} {place}{doubt}"
        case CardExposed(card=card, place=place, by=by, sure=sure):
            return f"{card if sure else 'unsure'} at {place} by {by}{doubt}"
        case _:
            return told([event])[0]


@pytest.fixture
def felt() -> Watched:
    """Seat 4 has 6c and Ks, the board Ah Kd 2s, the burns 7c; nothing was seen of faces."""
    felt = Watched()
    felt.lay("seat:4", "6c", "Ks")
    felt.lay("board", "Ah", "Kd", "2s")
    felt.lay("burn", "7c")
    felt.wait(1000)
    return felt


# --- two witnesses that agree ---


def test_a_board_card_whose_face_is_read_is_turned_up_and_told_once(felt):
    felt.show("board", "Ah", "Kd", "2s")
    assert sorted(felt.faced(3000)) == ["2s up board", "Ah up board", "Kd up board"]
    assert felt.faced(60_000) == []


def test_a_board_card_is_turned_up_once_four_of_five_pictures_have_shown_it(felt):
    felt.show("board", "Ah")
    assert felt.faced(600) == []
    assert felt.faced(200) == ["Ah up board"]


def test_a_slot_of_the_board_is_the_board(felt):
    felt.show("board:1", "Ah")
    assert felt.faced(1000) == ["Ah up board"]


def test_a_face_that_the_camera_saw_before_the_reader_did_is_told_when_both_have():
    felt = Watched()
    felt.show("board", "Td")
    assert felt.wait(5000) == []
    felt.lay("board", "Td")
    felt.let_pass(2)
    assert [told([event])[0] for event in felt.events] == ["Td stub>board", "card-turned"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("seat:4", "Ks at seat:4 by unknown"),
        ("burn", "7c up burn"),
    ],
)
def test_elsewhere_a_face_lies_a_second_before_it_counts(felt, place, words):
    felt.show(place, words[:2])
    assert felt.faced(1000) == []
    assert felt.faced(400) == [words]


@pytest.mark.parametrize("place", ["aside", "muck"])
def test_a_face_set_aside_or_mucked_is_seen_by_all(place):
    felt = Watched()
    felt.lay(place, "Jc")
    felt.wait(500)
    felt.show(place, "Jc")
    assert felt.faced(2000) == [f"Jc up {place}"]


def test_a_card_that_was_out_of_sight_and_comes_up_again_is_turned_again(felt):
    felt.show("board", "Ah")
    felt.faced(2000)
    felt.hide()
    felt.faced(1000)  # a hand reached over it
    felt.show("board", "Ah")
    assert felt.faced(2000) == []
    felt.hide()
    felt.faced(2400)
    felt.show("board", "Ah")
    assert felt.faced(2000) == ["Ah up board"]


def test_a_card_that_was_seen_and_comes_back_to_its_place_is_told_again(felt):
    felt.show("board", "Ah")
    felt.faced(2000)
    felt.lay("aside", "Ah")
    assert felt.faced(1000) == []
    felt.lay("board", "Ah")
    assert felt.faced(1000) == ["Ah up board"]


# --- a camera alone ---


def test_no_face_moves_a_card():
    felt = Watched()
    felt.show("board", "Ah", "Kd", "2s")
    felt.show("seat:4", "7c", "8c")
    assert felt.wait(60_000) == []


def test_a_face_read_where_the_readers_know_another_card_names_none_and_is_a_doubt(felt):
    felt.show("seat:4", "Jd")
    assert felt.faced(4800) == []
    assert felt.faced(1000) == ["unsure at seat:4 by unknown (camera-other-card)"]
    felt.show("board", "Ah", "Kd", "Jc")
    assert felt.faced(6000)[2:] == ["unsure at board by unknown (camera-other-card)"]
    assert felt.interpreter.figures.totals() == {"face-unsure": 2}
    assert felt.faced(60_000) == []


def test_a_doubt_that_is_gone_can_come_again_only_as_another_sight(felt):
    felt.show("board", "Jc")
    assert len(felt.faced(6000)) == 1
    felt.hide()
    felt.faced(3000)
    felt.show("board", "Jc")
    assert len(felt.faced(6000)) == 1


def test_more_faces_than_cards_are_one_that_the_reader_missed_and_no_doubt(felt):
    felt.show("board", "Ah", "Kd", "2s", "Td")
    assert len(felt.faced(20_000)) == 3


@pytest.mark.parametrize("seat", [3, 5])
def test_a_card_of_the_next_seat_is_neither_told_nor_doubted(felt, seat):
    felt.lay(f"seat:{seat}", "9s", "8s")
    felt.wait(1000)
    felt.show(f"seat:{seat}", "Ks")
    assert felt.faced(20_000) == []


def test_the_seats_are_a_ring_for_who_is_next():
    felt = Watched()
    felt.lay("seat:1", "9s")
    felt.lay("seat:10", "Ks")
    felt.wait(1000)
    felt.show("seat:1", "Ks")
    assert felt.faced(20_000) == []


# --- what a camera takes for another ---


@pytest.mark.parametrize(("lies", "read"), [("6h", "9h"), ("6h", "6d"), ("6h", "9d"), ("Kd", "Kh")])
def test_red_suits_and_sixes_and_nines_agree_without_a_name_and_without_a_doubt(lies, read):
    felt = Watched()
    felt.lay("board", lies)
    felt.lay("seat:4", lies[0] + "c", "As")
    felt.wait(1000)
    felt.show("board", read)
    assert felt.faced(20_000) == []
    felt.lift(lies)
    felt.lay("seat:5", lies)
    felt.wait(5000)
    felt.hide()
    felt.wait(3000)
    felt.show("seat:5", read)
    assert felt.faced(20_000) == ["unsure at seat:5 by unknown"]


@pytest.mark.parametrize("card", ["6h", "9s", "Kd", "Ah"])
@pytest.mark.parametrize("other", ["6d", "9h", "6s", "Kh", "Ad", "2c"])
def test_a_face_easily_misread_names_no_hole_card_whatever_lies_beside_it(card, other):
    felt = Watched()
    felt.lay("seat:4", card, other)
    felt.wait(1000)
    felt.show("seat:4", card)
    assert felt.faced(20_000) == ["unsure at seat:4 by unknown"]


@pytest.mark.parametrize("place", ["burn", "muck", "aside"])
def test_nor_does_it_where_other_cards_lie_face_down(place):
    felt = Watched()
    felt.lay(place, "6h", "2c")
    felt.wait(1000)
    felt.show(place, "6h")
    assert felt.faced(20_000) == []
    felt.show(place, "2c")
    assert felt.faced(2000) == [f"2c up {place}"]


def test_on_the_board_all_cards_are_named_soon_and_so_are_those_that_look_alike():
    felt = Watched()
    felt.lay("board", "6h", "9h", "6d")
    felt.wait(1000)
    felt.show("board", "6h", "9h")
    assert felt.faced(20_000) == ["6h up board", "9h up board"]


@pytest.mark.parametrize("pair", [("Tc", "Ts"), ("Ks", "Kc")])
def test_black_suits_are_told_apart(pair):
    felt = Watched()
    felt.lay("seat:4", *pair)
    felt.wait(1000)
    felt.show("seat:4", *pair)
    assert len(felt.faced(2000)) == 2


# --- what is no face lying face up ---


def test_a_hole_card_in_a_hand_that_lifts_it_is_no_face_that_was_shown(felt):
    felt.lift("Ks")
    felt.wait(1000)
    felt.show("seat:4", "Ks")
    assert felt.faced(20_000) == []
    felt.lay("seat:4", "Ks")
    assert felt.faced(1000) == ["Ks at seat:4 by unknown"]


def test_a_face_in_passing_or_that_the_camera_is_not_sure_of_is_none(felt):
    for _ in range(20):
        felt.show("board", "Ah")
        felt.wait(400)
        felt.hide()
        felt.wait(400)
    assert felt.faced(100) == []
    felt.show("board", "Ah", sure=79)
    assert felt.faced(20_000) == []


def test_an_old_picture_is_no_witness_of_what_lies_there_now():
    felt = Watched()
    felt.show("board", "Td")
    felt.wait(2000)
    felt.blind = True
    felt.wait(1400)
    felt.lay("board", "Td")
    assert felt.faced(3000) == []


def test_what_a_lost_camera_saw_is_forgotten():
    felt = Watched()
    felt.show("board", "Td")
    felt.wait(2000)
    felt.lose("eye")
    felt.lay("board", "Td")
    felt.blind = True
    assert felt.faced(1000) == ["sensor-lost eye "]  # the dealer's keys tell of faces, too


@pytest.mark.parametrize("zone", ["stub", "off", "bet:4", "seat:11", "SEAT:4", "", "the floor"])
def test_faces_in_the_stub_or_in_no_zone_of_the_table_are_only_counted(zone):
    felt = Watched()
    felt.lay("board", "Td")
    felt.wait(1000)
    felt.show(zone, "Td")
    assert felt.faced(2000) == []
    assert felt.interpreter.figures.totals()["unknown-zone"] == 10
    assert felt.interpreter._faces._sights == {"eye": {}}


def test_without_readers_at_the_seats_the_shoes_word_names_no_card_there():
    board = Sensor(name="felt", driver="feig", places={1: "board"}, senses=("identity", "board"))
    felt = Watched((SHOE, board, KEYS))
    felt.draw("9h")
    felt.wait(3000)
    felt.show("seat:4", "9h")
    assert felt.faced(20_000) == []
    felt.draw("Td")
    felt.lay("board", "Td")
    felt.show("board", "Td")
    assert felt.faced(2000)[-1:] == ["Td up board"]
