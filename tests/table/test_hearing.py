"""A card is given up only while the readers that could see it are heard."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.table.draws import LANDING_MS
from daemon.table.hearing import PATIENCE_MS, POLLS
from tests.table.felt import FELT, SEATS, Felt, timed

DRAWN_MS = 300


def drawn(*cards: str) -> Felt:
    """A felt that has been heard for a while, and these cards out of the shoe."""
    felt = Felt()
    felt.let_pass(DRAWN_MS // 100)
    felt.draw(*cards)
    felt.take()
    return felt


def unheard(felt: Felt, sensor: str, polls: int) -> None:
    """So many polls of this sensor do not come; its port is as good as ever."""
    felt._deaf.add(sensor)
    felt.let_pass(polls)
    felt._deaf.discard(sensor)


def test_a_card_that_lands_while_its_reader_is_not_heard_has_landed():
    felt = drawn("As")
    felt.let_pass(1)
    felt.lay("board", "As")
    unheard(felt, FELT.name, 16)
    felt.let_pass(3)
    assert timed(felt.events) == ["2200 As stub>board"]


def test_with_every_reader_heard_it_is_given_up_at_its_deadline():
    felt = drawn("As")
    felt.let_pass(30)
    assert timed(felt.events) == [f"{DRAWN_MS + LANDING_MS} As stub>off"]


def test_behind_a_gap_it_is_given_up_when_three_polls_have_not_seen_it():
    felt = drawn("As")
    felt.let_pass(2)
    unheard(felt, SEATS.name, 18)
    felt.let_pass(30)
    heard_ms = DRAWN_MS + 2100
    assert timed(felt.events) == [f"{heard_ms + 100 * (POLLS - 1)} As stub>off"]


def test_slow_readers_are_given_their_polls():
    felt = drawn("As")
    unheard(felt, FELT.name, 5)
    felt.let_pass(1)
    felt.lay("board", "As")
    for _ in range(2):
        unheard(felt, FELT.name, 5)
        felt.let_pass(1)
    assert timed(felt.events) == ["2100 As stub>board"]


def test_a_gap_without_end_is_not_waited_for_any_longer():
    felt = drawn("As")
    felt.let_pass(2)
    unheard(felt, FELT.name, 60)
    assert timed(felt.events) == [f"{DRAWN_MS + 200 + PATIENCE_MS} As stub>off"]


def test_a_reader_that_is_lost_is_not_waited_for():
    felt = drawn("As")
    unheard(felt, FELT.name, 20)
    felt.lose(FELT.name)
    felt.let_pass(1)
    assert timed(felt.events)[1:] == [f"{DRAWN_MS + 2000} As stub>off"]


def test_a_card_in_passage_does_not_hurry_it():
    felt = drawn("Kd")
    felt.lay("seat:3", "Kd")
    felt.let_pass(5)
    felt.lift("Kd")
    felt.lay("board", "Kd")
    felt.let_pass(4)
    felt.draw("As")
    felt.take()
    felt.lay("burn", "As")
    unheard(felt, FELT.name, 16)
    felt.let_pass(30)
    assert [words.split(" ", 1)[1] for words in timed(felt.events)] == [
        "Kd seat:3>board",
        "As stub>burn",
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 20), st.sampled_from([FELT.name, SEATS.name, ""])), max_size=6
    ),
    st.frozensets(st.integers(0, 9000), max_size=60),
)
def test_ticks_change_nothing_whoever_is_not_heard(gaps, ticks):
    told = []
    for some in (frozenset(), ticks):
        felt = Felt(ticks=some)
        felt.draw("As", "Kd", "2c")
        for number, (polls, sensor) in enumerate(gaps):
            if number == 1:
                felt.lay("board", "Kd")
            unheard(felt, sensor, polls)
        felt.let_pass(40)
        told.append(timed(felt.events))
    assert told[0] == told[1]
    times = [int(words.split()[0]) for words in told[0]]
    assert times == sorted(times)
