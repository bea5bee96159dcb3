from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.enrol.arrivals import PULSE_MS, SETTLE_MS, TAGS_MAX, Arrivals
from daemon.table.layout import Presence, Sensor
from drivers.readings import Beat, Inventory, TagGone, TagSeen
from tests.enrol.decks import RED, SPARE, poll

ONE, TWO, *_ = RED
POLLED = Sensor("felt", "feig", presence=Presence(2, 3, 3))


def one_by_one(held_ms: int | None) -> Sensor:
    return Sensor("felt", "x", presence=Presence(2, 3, 3), polled=False, held_ms=held_ms)


def test_a_tag_is_steady_after_some_polls_and_some_time() -> None:
    arrivals = Arrivals(POLLED)
    for at_ms in (0, 100, 200):
        arrivals.hear(poll([ONE]), at_ms)
        assert arrivals.lying(at_ms) == {ONE: False}
    assert arrivals.lying(SETTLE_MS) == {ONE: True}


def test_a_half_uid_that_is_told_once_is_never_steady() -> None:
    arrivals = Arrivals(POLLED)
    arrivals.hear(poll([SPARE, ONE]), 0)
    for at_ms in range(100, 1000, 100):
        arrivals.hear(poll([ONE]), at_ms)
        assert arrivals.lying(at_ms).get(SPARE) in {False, None}
    assert arrivals.lying(1000) == {ONE: True}


def test_a_flicker_shorter_than_the_misses_is_no_departure() -> None:
    arrivals = Arrivals(POLLED)
    for at_ms in range(0, 500, 100):
        arrivals.hear(poll([ONE]), at_ms)
    arrivals.hear(poll(), 500)
    arrivals.hear(poll(), 600)
    assert arrivals.lying(600) == {ONE: True}
    arrivals.hear(poll(), 700)
    assert arrivals.lying(700) == {}


def test_only_the_antennas_asked_for_count_and_one_tag_on_two_is_one() -> None:
    arrivals = Arrivals(POLLED, (1, 2))
    arrivals.hear(Inventory(((1, ONE), (2, ONE), (3, TWO))), 0)
    assert arrivals.lying(0) == {ONE: False}


def test_a_device_that_tells_arrivals_only_tells_a_tag_laid_again() -> None:
    arrivals = Arrivals(one_by_one(None))
    for begin_ms in (0, 10_000):
        arrivals.hear(TagSeen(1, ONE), begin_ms)
        assert arrivals.lying(begin_ms) == {ONE: False}
        assert arrivals.lying(begin_ms + SETTLE_MS) == {ONE: True}
        assert arrivals.lying(begin_ms + PULSE_MS) == {}


def test_two_tags_told_one_by_one_at_once_lie_there_together() -> None:
    arrivals = Arrivals(one_by_one(None))
    arrivals.hear(TagSeen(1, ONE), 0)
    arrivals.hear(TagSeen(1, TWO), 100)
    assert arrivals.lying(400) == {ONE: True, TWO: True}


def test_a_device_that_repeats_holds_a_tag_until_its_own_time_or_its_word() -> None:
    arrivals = Arrivals(one_by_one(2000))
    arrivals.hear(TagSeen(1, ONE), 0)
    arrivals.hear(TagSeen(1, TWO), 0)
    assert arrivals.lying(1900) == {ONE: True, TWO: True}
    arrivals.hear(TagGone(1, TWO), 1900)
    assert arrivals.lying(1900) == {ONE: True}
    assert arrivals.lying(2000) == {}


def test_a_reader_that_is_back_begins_anew() -> None:
    arrivals = Arrivals(POLLED)
    arrivals.hear(poll([ONE]), 0)
    arrivals.lost()
    assert arrivals.lying(1000) == {}


READINGS = st.one_of(
    st.builds(
        Inventory,
        st.lists(st.tuples(st.integers(1, 8), st.text("0123456789abcdef"))).map(tuple),
    ),
    st.builds(TagSeen, st.integers(1, 8), st.text()),
    st.builds(TagGone, st.integers(1, 8), st.text()),
    st.just(Beat()),
)


@given(st.lists(st.tuples(READINGS, st.integers(0, 500))), st.sampled_from([None, 0, 900]))
def test_no_readings_break_it(readings: list, held_ms: int | None) -> None:
    now_ms = 0
    for sensor in (POLLED, one_by_one(held_ms)):
        arrivals = Arrivals(sensor)
        for reading, pause_ms in readings:
            now_ms += pause_ms
            arrivals.hear(reading, now_ms)
            assert len(arrivals.lying(now_ms)) <= TAGS_MAX


def test_its_memory_is_bounded() -> None:
    arrivals = Arrivals(POLLED)
    arrivals.hear(poll(f"{n:08x}" for n in range(10 * TAGS_MAX)), 0)
    assert len(arrivals.lying(0)) == TAGS_MAX
