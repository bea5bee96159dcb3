"""Cards in passage: folds and burns that slide over antennas on their way."""

from __future__ import annotations

import pytest

from tests.table.felt import WITHOUT_SHOE, Felt, timed


@pytest.mark.parametrize("home", ["seat:4", "muck"])
@pytest.mark.parametrize("over", ["board", "seat:5"])
def test_a_card_in_passage_over_the_board_or_another_seat_is_no_event(home, over):
    felt = Felt(WITHOUT_SHOE)
    felt.lay(home, "As")
    felt.wait(500)
    felt.lay(over, "As")
    assert felt.wait(1200) == []
    felt.lay("muck", "As")
    assert felt.wait(3000) == (["As seat:4>muck"] if home == "seat:4" else [])


def test_a_card_that_stays_has_moved_at_its_deadline_and_not_at_the_next_poll():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    felt.wait(500)
    felt.lay("board", "As")
    assert felt.wait(1800) == []  # there after 300 ms: the seat's antenna must miss it thrice
    felt.now_ms += 77
    felt.events += felt.interpreter.advance(felt.now_ms)
    assert timed(felt.events) == ["2300 As seat:4>board"]


def test_a_card_that_leaves_exactly_at_the_deadline_was_in_passage():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("seat:4", "As")
    felt.wait(500)
    felt.lay("board", "As")
    felt.wait(1500)
    felt.lift("As")
    assert felt.wait(300) == []
    assert felt.now_ms == 2300
    assert felt.wait(3000) == []


def test_of_two_seats_that_read_a_card_for_good_the_better_one_gets_it_with_a_doubt():
    def first_both(_place, poll):
        return "seat:5" if poll < 30 or poll % 2 else None

    felt = Felt(WITHOUT_SHOE, ghost=first_both)
    felt.lay("seat:5", "As")
    assert felt.wait(500) == ["As stub>seat:5"]
    felt.lay("seat:4", "As")
    assert felt.wait(3000) == []  # both hit alike: the card stays where it was
    assert felt.wait(9000) == ["As seat:5>seat:4 (neighbour-antenna)"]


def test_a_burn_at_a_seat_is_there_once_its_own_antenna_reads_it_no_more():
    felt = Felt(WITHOUT_SHOE)
    felt.lay("burn", "As")
    felt.wait(500)
    felt.lay("seat:4", "As")
    assert felt.wait(1700) == []  # it may be on its way past the seat
    assert felt.wait(600) == ["As burn>seat:4"]


def test_a_burn_that_a_seat_reads_beside_its_own_antenna_is_there_with_a_doubt():
    def both(_place, poll):
        return "burn" if poll < 30 or poll % 2 else None

    felt = Felt(WITHOUT_SHOE, ghost=both)
    felt.lay("burn", "As")
    felt.wait(500)
    felt.lay("seat:4", "As")
    assert felt.wait(12_000) == ["As burn>seat:4 (neighbour-antenna)"]
