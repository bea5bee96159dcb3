"""What people report of readers under felts: resting cards, stacks, quick hands, half numbers."""

from __future__ import annotations

import pytest

from daemon.table.events import CardMoved
from drivers.readings import Inventory
from tests.table.felt import FELT, UID, WITH_SHOE, WITHOUT_SHOE, Felt, told


def moved(felt: Felt) -> list[str]:
    return told([event for event in felt.events if isinstance(event, CardMoved)])


def dealt(felt: Felt, place: str, *cards: str) -> None:
    """Out of the shoe and onto the felt, in a moment each."""
    for card in cards:
        felt.draw(card)
        felt.lay(place, card)
    felt.let_pass(6)


@pytest.mark.parametrize("polls", [1, 2, 20])
def test_a_card_that_lies_still_is_one_event_however_often_it_is_read(polls: int) -> None:
    felt = Felt()
    dealt(felt, "board", "As")
    lying = Inventory(((1, UID["As"]),))
    for _ in range(600):
        felt.let_pass(1)
        for _ in range(polls):
            felt.now_ms += 1
            felt.say("felt", lying)
    assert moved(felt) == ["As stub>board"]


def test_a_board_card_that_is_lifted_and_laid_back_after_three_seconds_is_three_events() -> None:
    felt = Felt()
    dealt(felt, "board", "As")
    felt.lift("As")
    felt.let_pass(30)
    felt.lay("board", "As")
    felt.let_pass(30)
    assert moved(felt) == ["As stub>board", "As board>off", "As off>board"]


def test_two_cards_to_one_seat_within_150_ms_are_two_events() -> None:
    felt = Felt()
    felt.draw("As")
    felt.let_pass(1)
    felt.draw("Kd")
    felt.let_pass(1)
    felt.lay("seat:4", "As", "Kd")
    felt.let_pass(6)
    assert moved(felt) == ["As stub>seat:4", "Kd stub>seat:4"]


def test_one_card_at_a_seat_and_200_ms_later_on_the_board_is_two_events() -> None:
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    felt.let_pass(3)
    felt.lay("board", "As")
    felt.let_pass(30)
    assert moved(felt) == ["As stub>seat:4", "As seat:4>board"]


@pytest.mark.parametrize("place", ["burn", "muck"])
def test_of_stacked_cards_any_may_go_unread_and_no_event_comes_of_it(place: str) -> None:
    """Two of a stack are read, three doubtful: a pile's identities are never complete."""
    felt = Felt()
    dealt(felt, place, "As", "Kd", "2c")
    before = moved(felt)
    for unread in ("As", "Kd", "2c", "Kd", "As"):
        felt.lift(unread)
        felt.let_pass(20)
        felt.lay(place, unread)
        felt.let_pass(20)
    assert before == [f"{card} stub>{place}" for card in ("As", "Kd", "2c")]
    assert moved(felt) == before


@pytest.mark.parametrize(
    "half", [UID["As"][:-2], UID["As"][2:] + "00", UID["As"][:6], "00" * 7, UID["As"][::-1]]
)
def test_half_a_number_or_a_turned_one_is_no_card_and_is_counted(half: str) -> None:
    felt = Felt()
    for _ in range(50):
        felt.say("felt", Inventory(((1, half),)))
        felt.now_ms += 100
    assert moved(felt) == []
    assert sum(felt.interpreter.figures.totals().values()) > 0


def test_a_reader_of_the_board_that_is_gone_and_back_tells_no_card_twice() -> None:
    felt = Felt(WITH_SHOE)
    dealt(felt, "board", "As", "Kd", "2c")
    before = moved(felt)
    felt.lose(FELT.name)
    felt.let_pass(50)
    felt.regain(FELT.name)
    felt.let_pass(10)
    assert moved(felt) == before
