"""How often somebody may try, with the time as the test has it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.people import limits
from daemon.floor.people.limits import Pace, Patience


def test_the_first_failures_cost_nothing_and_each_later_one_doubles_the_wait() -> None:
    patience = Patience(free=3, most_s=10)
    waits = []
    for _ in range(8):
        waits.append(patience.wait_s("a", 0.0))
        patience.failed("a", 0.0)
    assert waits == [0, 0, 0, 1, 2, 4, 8, 10]
    assert patience.wait_s("b", 0.0) == 0


def test_a_wait_ends_and_failures_are_forgotten() -> None:
    patience = Patience(free=1, most_s=100, forget_s=50)
    patience.failed("a", 0.0)
    patience.failed("a", 0.0)
    assert patience.wait_s("a", 1.5) == 0.5
    assert patience.wait_s("a", 2.0) == 0
    patience.failed("a", 60.0)
    assert patience.wait_s("a", 60.0) == 1


def test_the_last_failure_is_taken_back_or_all_of_them() -> None:
    patience = Patience(free=2, most_s=100)
    for _ in range(4):
        patience.failed("a", 0.0)
    patience.forgive("a", all_of_them=False)
    assert patience.wait_s("a", 0.0) == 2
    patience.forgive("a", all_of_them=True)
    assert patience.wait_s("a", 0.0) == 0
    patience.forgive("b", all_of_them=False)


def test_no_crowd_of_names_fills_the_memory() -> None:
    patience, pace = Patience(free=1, most_s=100), Pace(1, 1.0)
    for number in range(limits.KNOWN_MAX + 500):
        patience.failed(f"n{number}", 0.0)
        pace.allows(f"n{number}", 0.0)
    assert len(patience._failures) == len(pace._left) == limits.KNOWN_MAX


@given(st.lists(st.floats(0, 5), max_size=200))
def test_in_no_stretch_of_time_are_there_more_than_twice_the_pace(gaps: list[float]) -> None:
    pace, now_s, passed = Pace(10, 5.0), 0.0, []
    for gap in gaps:
        now_s += gap
        if pace.allows("a", now_s):
            passed.append(now_s)
    for first, at_s in enumerate(passed):
        assert sum(at_s <= each < at_s + 5.0 for each in passed[first:]) <= 20


def test_a_clock_that_goes_back_gives_nothing() -> None:
    pace = Pace(2, 1.0)
    assert [pace.allows("a", at_s) for at_s in (10.0, 10.0, 5.0, 5.0)] == [True, True, False, False]
