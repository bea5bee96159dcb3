"""A device out of a recording: its bytes with their times, whatever it is asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.recorded import Recorded

SAID = [(1000, b"a"), (1000, b"b"), (1150, b"c"), (1400, b"d")]


def played(device: Recorded, at_ms: int) -> list[tuple[int, bytes]]:
    """What it says from now on, woken when it wants to be."""
    said = []
    while device.next_ms is not None:
        at_ms = max(at_ms, device.next_ms)
        said.append((at_ms, device.wake(at_ms)))
    return said


def test_it_waits_for_the_first_question_and_then_keeps_its_times():
    device = Recorded(SAID)
    assert device.wake(50) == b""
    assert device.next_ms is None
    assert device.hear(b"poll", 500) == b"ab"
    assert played(device, 500) == [(650, b"c"), (900, b"d")]
    assert device.is_over


def test_for_a_host_that_asks_nothing_it_begins_when_it_is_plugged_in():
    device = Recorded(SAID, asked_first=False)
    assert device.next_ms == 0
    assert played(device, 70) == [(70, b"ab"), (220, b"c"), (470, b"d")]


def test_it_can_be_played_faster():
    device = Recorded(SAID, asked_first=False, speed=10)
    assert played(device, 0) == [(0, b"ab"), (15, b"c"), (40, b"d")]


def test_one_that_said_nothing_says_nothing():
    device = Recorded([])
    assert device.is_over
    assert device.hear(b"poll", 0) == b""
    assert device.next_ms is None


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=4)), max_size=30),
    st.lists(st.tuples(st.integers(0, 6000), st.binary(max_size=3)), max_size=30),
)
def test_whatever_it_is_asked_it_says_all_of_it_in_order_and_never_too_early(said, asked):
    said = sorted(said, key=lambda one: one[0])
    device, heard = Recorded(said), b""
    begun_ms = None
    for at_ms, question in sorted(asked, key=lambda one: one[0]):
        if question and begun_ms is None:
            begun_ms = at_ms
        heard += device.hear(question, at_ms)
        due = 0 if begun_ms is None else sum(
            when - said[0][0] <= at_ms - begun_ms for when, _ in said
        )  # fmt: skip
        assert heard == b"".join(one for _, one in said[:due])
    heard += device.hear(b"last", 10_000)
    heard += b"".join(one for _, one in played(device, 10_000))
    assert heard == b"".join(one for _, one in said)
