from __future__ import annotations

import pytest

from daemon.table.figures import Figures
from daemon.table.layout import Layout, Presence, Sensor
from daemon.table.presence import Tags

A, B = "04aa", "04bb"


def tags(presence: Presence | None = None) -> Tags:
    rule = presence or Presence()
    sensors = (
        Sensor(name="seats", driver="pn532", places={3: "seat:3", 4: "seat:4"}, presence=rule),
        Sensor(name="felt", driver="feig", places={1: "board", 3: "muck"}, presence=rule),
    )
    fitted = Layout(table="t", site="s", seat_count=9, sensors=sensors, tags={A: "As", B: "Kd"})
    return Tags(fitted, Figures(fitted))


def noise(there: Tags) -> dict[str, int]:
    return there._figures.totals()


def places(polls: str, there: Tags, antenna: int = 3) -> str:
    """The place after each poll of the seats (`x` hit, `.` miss), as its seat or `-`."""
    found = []
    for poll in polls:
        there.poll("seats", ((antenna, A),) if poll == "x" else ())
        place = there.place(A)
        found.append(place[-1] if place else "-")
    return "".join(found)


@pytest.mark.parametrize(
    ("polls", "found"),
    [
        ("x", "-"),
        ("xx", "-3"),
        ("x.x", "--3"),
        ("x..x..x", "-------"),
        ("xxx.", "-333"),
        ("xxx..x", "-33333"),
        ("xxx...", "-3333-"),
        ("x.x.x.x.x.", "--33333333"),
        ("xx...x", "-333--"),
        ("xx...xx", "-333--3"),
    ],
)
def test_a_tag_is_there_after_two_of_three_polls_and_gone_after_three_misses(polls, found):
    assert places(polls, tags()) == found


@pytest.mark.parametrize(
    ("rule", "polls", "found"),
    [
        (Presence(seen=1, window=1, misses=1), "x.x", "3-3"),
        (Presence(seen=3, window=5, misses=4), "x.x.x....", "----3333-"),
    ],
)
def test_each_sensor_has_its_own_presence(rule, polls, found):
    assert places(polls, tags(rule)) == found


def test_a_poll_of_one_sensor_says_nothing_of_another():
    there = tags()
    places("xx", there)
    for _ in range(10):
        assert there.poll("felt", ()) == []
    assert there.place(A) == "seat:3"


def test_changes_are_told_once():
    there = tags()
    told = [there.poll("seats", hits) for hits in (((3, A),), ((3, A),), ((3, A),), (), (), ())]
    assert told == [[], [A], [], [], [], [A]]


def test_a_tag_that_moves_is_at_its_new_antenna_when_the_old_one_has_missed_it_three_times():
    there = tags()
    places("xxxxx", there)
    assert places("xxxx", there, antenna=4) == "3344"
    assert noise(there).get("ghost", 0) == 0


def test_a_neighbour_that_overhears_gets_nothing_and_is_counted_once():
    there = tags()
    places("xxxx", there)
    for poll in range(60):
        ghost = () if poll % 4 == 3 else ((4, A),)
        own = () if poll % 5 == 2 else ((3, A),)
        assert there.poll("seats", own + ghost) == []
    assert there.place(A) == "seat:3"
    assert noise(there).get("ghost", 0) == 1


def test_of_two_antennas_that_come_up_together_the_one_that_leads_has_the_tag():
    there = tags()
    ghost, both, own = ((3, A),), ((3, A), (4, A)), ((4, A),)
    told = [there.poll("seats", hits) for hits in (ghost, both, own, both, own, own)]
    assert told == [[], [], [], [], [], [A]]
    assert there.place(A) == "seat:4"


def test_antennas_that_never_differ_are_not_waited_for_without_end():
    there = tags()
    for _ in range(8):
        there.poll("seats", ((3, A), (4, A)))
    assert there.place(A) == "seat:3"
    assert there.contested(A)
    assert noise(there).get("ghost", 0) == 1


def test_a_neighbour_that_came_first_loses_the_tag_to_the_antenna_that_hits_more():
    there = tags()
    places("xx", there)
    for poll in range(30):
        there.poll("seats", ((4, A), (3, A)) if poll % 2 else ((4, A),))
    assert there.place(A) == "seat:4"


def test_what_a_neighbour_overheard_before_the_card_was_lifted_is_no_arrival():
    there = tags()
    places("xxxx", there)
    both = ((3, A), (4, A))
    told = [there.poll("seats", hits) for hits in (both, both, (), (), ())]
    assert told == [[], [], [], [], [A]]
    assert there.place(A) is None


def test_tags_of_no_deck_and_antennas_of_no_place_are_counted_and_nothing_else():
    there = tags()
    for _ in range(3):
        assert there.poll("seats", ((3, "04ff"), (9, A))) == []
    assert noise(there) == {"unknown-tag": 3, "unknown-antenna": 3}


def test_a_lost_sensor_keeps_its_tags_until_it_is_back_and_misses_them():
    there = tags()
    places("xx", there)
    there.lost("seats")
    assert there.place(A) == "seat:3"
    assert places("..x", there) == "333"
    assert places("...", there) == "33-"


def test_another_antenna_takes_the_tag_of_a_lost_sensor():
    there = tags()
    places("xxxx", there)
    there.lost("seats")
    there.poll("felt", ((1, A),))
    assert there.poll("felt", ((1, A),)) == [A]
    assert there.place(A) == "board"
