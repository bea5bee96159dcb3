"""Reports: tags told one by one become polls; what is told no more is gone, or stays, as fitted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from daemon.table.layout import Layout, Presence, Sensor
from daemon.table.reports import TAGS_MAX, Reports
from drivers.readings import TagGone, TagSeen

AS, KD = "04a1b2c3d4e5f6", "04a1b2c3d4e5f7"


def reports(*sensors: Sensor) -> Reports:
    return Reports(Layout(table="t", site="s", seat_count=9, sensors=sensors))


def telling(name: str = "felt", held_ms: int | None = None, seen: int = 1) -> Sensor:
    rule = Presence(seen=seen, window=3, misses=3)
    return Sensor(name, "x", {1: "seat:1", 2: "board"}, (), rule, {}, polled=False, held_ms=held_ms)


def polls(of: Reports, told: Iterable[tuple[int, str, TagSeen | TagGone]]):
    found = []
    for at_ms, sensor, said in told:
        while (due_ms := of.due_ms) is not None and due_ms < at_ms:
            found += of.expire(due_ms)
        found += of.take(sensor, said, at_ms)
    return found


def test_a_polled_device_is_none_of_its_business():
    assert "felt" not in reports(Sensor("felt", "feig", {1: "board"}))


def test_without_a_word_of_removal_a_tag_stays_until_another_antenna_tells_it():
    told = [(0, "felt", TagSeen(1, AS)), (9_000_000, "felt", TagSeen(2, AS))]
    assert polls(reports(telling()), told) == [("felt", ((1, AS),)), ("felt", ((2, AS),))]


def test_it_leaves_another_device_too_that_held_it_for_want_of_a_word():
    told = [(0, "a", TagSeen(1, AS)), (100, "a", TagSeen(1, KD)), (900, "b", TagSeen(2, AS))]
    of = reports(telling("a"), telling("b"))
    assert polls(of, told)[2:] == [("a", ((1, KD),)), ("b", ((2, AS),))]


def test_the_devices_own_word_takes_it_away():
    told = [(0, "felt", TagSeen(1, AS)), (10, "felt", TagGone(1, AS)), (20, "felt", TagGone(1, KD))]
    assert polls(reports(telling()), told) == [("felt", ((1, AS),)), ("felt", ())]


def test_a_tag_that_is_told_no_more_is_gone_after_its_time():
    of = reports(telling(held_ms=500))
    assert polls(of, [(0, "felt", TagSeen(1, AS)), (400, "felt", TagSeen(1, AS))])
    assert of.due_ms == 900
    assert of.expire(900) == [("felt", ())]
    assert of.due_ms is None


def test_a_single_report_is_no_card_where_two_are_needed():
    of = reports(telling(held_ms=500, seen=2))
    assert polls(of, [(0, "felt", TagSeen(1, AS))]) == [("felt", ())]
    assert polls(of, [(100, "felt", TagSeen(1, AS))]) == [("felt", ((1, AS),))]


def test_reports_too_far_apart_are_not_counted_together():
    of = reports(telling(held_ms=500, seen=2))
    told = [(at_ms, "felt", TagSeen(1, AS)) for at_ms in (0, 600, 1200, 1800)]
    assert {tags for _, tags in polls(of, told)} == {()}


@pytest.mark.parametrize(("near", "far"), [(-34, -53), (None, -53)])
def test_of_two_antennas_the_one_that_tells_it_most_or_loudest_has_it(near, far):
    of = reports(telling(held_ms=500))
    told = [(0, "felt", TagSeen(1, AS, near)), (50, "felt", TagSeen(2, AS, far))]
    if near is None:
        told.append((60, "felt", TagSeen(1, AS, near)))
    assert polls(of, told)[-1] == ("felt", ((1, AS),))


def test_a_lost_device_begins_anew():
    of = reports(telling())
    of.take("felt", TagSeen(1, AS), 0)
    of.lost("felt")
    assert of.take("felt", TagSeen(1, KD), 9) == [("felt", ((1, KD),))]


def test_a_device_is_remembered_no_more_tags_than_so_many():
    of = reports(telling(held_ms=10**6))
    for at_ms in range(TAGS_MAX + 50):
        (_, tags), *_ = of.take("felt", TagSeen(1, f"{at_ms:08x}"), at_ms)
    assert len(tags) == TAGS_MAX
