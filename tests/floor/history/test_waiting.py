"""What is not written yet: in order, bounded, and whoever says most loses first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.history.statements import Deed, Hands, Line, Work
from daemon.floor.history.waiting import LIGHT, Waiting, weight_of, whose_is
from tests.floor.history import lines

DEED = Deed(at_ms=1, login="mara", role="supervise", what="close", about="x", outcome="done")


def line(revision: int, table: str = "poker-1", payload: bytes = b"{}") -> Line:
    return Line(lines.line(revision=revision, table=table, payload=payload))


def test_what_waits_is_taken_in_its_order() -> None:
    waiting = Waiting(100)
    work: list[Work] = [line(1), DEED, line(1, "poker-2"), Hands("house", "poker-1", 0, 3)]
    assert [waiting.put(one) for one in work] == [0, 0, 0, 0]
    assert list(waiting) == work
    assert waiting.take(3) == work[:3]
    assert (len(waiting), waiting.take(9), len(waiting)) == (1, work[3:], 0)


def test_a_table_that_says_very_much_loses_its_own_lines_and_nobody_elses() -> None:
    waiting = Waiting(10)
    kept: list[Work] = [DEED, line(1), line(2)]
    for one in kept:
        waiting.put(one)
    lost = sum(waiting.put(line(number, "evil")) for number in range(1000))
    assert lost == 1000 - 7
    assert list(waiting) == [*kept, *(line(number, "evil") for number in range(993, 1000))]


def test_heavy_lines_are_bounded_by_their_weight() -> None:
    waiting = Waiting(1000, bytes_max=500_000)
    waiting.put(line(1))
    for number in range(100):
        waiting.put(line(number, "evil", b"x" * 48_000))
        assert sum(map(weight_of, waiting)) <= 500_000
    assert len(waiting) == 1 + 500_000 // (48_000 + LIGHT)


def test_what_is_under_way_counts_too() -> None:
    waiting = Waiting(10)
    assert [waiting.put(line(number), besides=8) for number in range(3)] == [0, 0, 1]


TABLES = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.one_of(TABLES, st.integers(1, 9)), max_size=60))
def test_nothing_is_lost_but_what_is_counted_and_all_of_it_comes_in_order(steps) -> None:
    waiting, put, taken, lost = Waiting(12, 9000), 0, [], 0
    for step in steps:
        if isinstance(step, int):
            taken += waiting.take(step)
        else:
            put += 1
            lost += waiting.put(line(put, step, b"x" * (put * 37 % 900)))
    taken += waiting.take(99)
    revisions = [one.transition.revision for one in taken]
    assert len(taken) + lost == put
    assert revisions == sorted(revisions)
    assert (waiting._weights, waiting._by_whom, waiting._bytes) == ({}, {}, 0)
    assert {whose_is(one) for one in taken} <= {("roma", name) for name in "abc"}
