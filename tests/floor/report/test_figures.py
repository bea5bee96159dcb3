"""The figures of a shift that was counted by hand, whatever order its rows come in."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.history import Archive, Database, HandsRow, Scribe
from daemon.floor.report.figures import SLOTS_MAX, Answers, Verdicts, figures
from daemon.floor.report.shift import Cancelled, alerts, shift
from daemon.floor.views import Role
from tests.floor.history.lines import OPENED_MS
from tests.floor.report.shifts import HOUR_S, SHIFT_S, shift_of, write

HOUR_MS = HOUR_S * 1000


def test_tables_stand_as_people_count_them() -> None:
    hands = [
        HandsRow(site="roma", table=table, hour_ms=OPENED_MS, count=1)
        for table in ("poker-10", "poker-9", "bar", "poker-2")
    ]
    made = figures([], hands, [], since_ms=OPENED_MS, until_ms=OPENED_MS + 1)
    assert [one.table for one in made.tables] == ["bar", "poker-2", "poker-9", "poker-10"]


def test_the_whole_shift_is_counted(archive: Archive) -> None:
    found = shift(archive, shift_of("supervise"), UTC)
    assert (found.alerts, found.hands) == (8, 80)
    assert found.per_hour == 2.0
    assert found.per_100_hands == 10.0
    assert found.severities == {"critical": 4, "high": 3, "medium": 1, "low": 0}


def test_the_hours_are_the_clocks_and_the_empty_ones_are_there(archive: Archive) -> None:
    found = shift(archive, shift_of("supervise"), UTC)
    assert [(slot.since_ms - OPENED_MS, slot.alerts) for slot in found.slots] == [
        (0, 5), (HOUR_MS, 2), (2 * HOUR_MS, 0), (3 * HOUR_MS, 1),
    ]  # fmt: skip
    assert found.slot_s == HOUR_S


def test_the_commonest_irregularity_comes_first(archive: Archive) -> None:
    found = shift(archive, shift_of("supervise"), UTC)
    assert [(k.irregularity, k.alerts, k.share, k.per_100_hands) for k in found.kinds] == [
        ("turn-premature", 4, 0.5, 5.0),
        ("burn-missing", 3, 0.375, 3.75),
        ("deal-card-exposed", 1, 0.125, 1.25),
    ]
    assert found.kinds[0].verdicts == Verdicts(1, 1, 1, pytest.approx(1 / 3))


def test_the_times_to_acknowledge_are_median_nine_in_ten_and_worst(archive: Archive) -> None:
    found = shift(archive, shift_of("supervise"), UTC)
    # 10, 15, 20, 30, 40, 90, 400: the fourth, the seventh of seven, the last; one was never.
    assert found.answers == Answers(7, 1, 30_000, 400_000, 400_000)
    assert found.answer_counts == [2, 2, 1, 1, 0, 1]


def test_the_false_ones_are_those_that_a_supervisor_called_none(archive: Archive) -> None:
    found = shift(archive, shift_of("supervise"), UTC)
    assert found.verdicts == Verdicts(upheld=3, none=1, other=1, false_share=0.2)


def test_each_table_has_figures_of_its_own(archive: Archive) -> None:
    first, second = shift(archive, shift_of("supervise"), UTC).tables
    assert (first.table, first.alerts, first.hands, first.per_100_hands) == ("poker-1", 5, 50, 10)
    assert (second.table, second.alerts, second.hands, second.per_100_hands) == (
        "poker-2", 3, 30, 10,
    )  # fmt: skip
    assert first.answers == Answers(5, 0, 20_000, 40_000, 40_000)
    assert second.answers == Answers(2, 1, 245_000, 400_000, 400_000)
    assert (first.verdicts.none, second.verdicts.none) == (1, 0)


def test_surveillance_sees_what_each_supervisor_did(archive: Archive) -> None:
    found = shift(archive, shift_of("surveillance"), UTC)
    assert found.alerts == 10  # with maintenance's and its own; the log's called nobody
    assert found.people is not None
    anna, niccolo = found.people
    assert asdict(anna) == {
        "name": "Anna", "acknowledged": 5, "median_ms": 15_000, "too_late": 1,
        "shelved": 0, "closed": 3, "closed_none": 0,
    }  # fmt: skip
    assert asdict(niccolo) == {
        "name": "Niccolò", "acknowledged": 3, "median_ms": 90_000, "too_late": 1,
        "shelved": 1, "closed": 2, "closed_none": 1,
    }  # fmt: skip


@pytest.mark.parametrize("role", ["supervise", "maintain", "administer"])
def test_nobody_else_sees_figures_of_supervisors(archive: Archive, role: Role) -> None:
    assert shift(archive, shift_of(role), UTC).people is None


def test_administrators_see_dealers_where_the_house_allows_it(
    archive: Archive, shelf: Database
) -> None:
    found = shift(archive, shift_of("administer"), UTC)
    assert found.dealers is not None
    assert [(one.dealer, one.alerts, one.verdicts.none) for one in found.dealers] == [
        ("d1", 7, 0), ("d2", 2, 1),
    ]  # fmt: skip
    assert found.dealers[1].commonest == [("turn-premature", 2)]
    assert shift(Archive(shelf), shift_of("administer"), UTC).dealers is None
    for role in ("supervise", "maintain", "surveillance"):
        assert shift(archive, shift_of(role), UTC).dealers is None


def test_a_shift_is_the_same_in_postgresql(database: Database, archive: Archive) -> None:
    scribe = Scribe(database)
    write(scribe)
    assert scribe.close()
    own = Archive(database, dealers=True)
    for role in ("supervise", "surveillance", "administer", "maintain"):
        assert shift(own, shift_of(role), UTC) == shift(archive, shift_of(role), UTC)


@given(st.data())
def test_rows_in_any_order_give_the_same_figures(archive: Archive, data: st.DataObject) -> None:
    question = shift_of("surveillance")
    rows, hands = list(archive.alerts(question)), archive.hands(question)
    told = {"since_ms": OPENED_MS, "until_ms": OPENED_MS + SHIFT_S * 1000, "people": True}
    shelvings = archive.shelvings(question)
    once = figures(rows, hands, shelvings, **told)
    shuffled = data.draw(st.permutations(rows)), data.draw(st.permutations(hands))
    assert figures(*shuffled, shelvings, **told) == once


def test_a_shift_in_which_nothing_happened_has_figures_too() -> None:
    found = figures([], [], [], since_ms=0, until_ms=HOUR_MS)
    assert (found.alerts, found.per_100_hands, found.verdicts.false_share) == (0, None, None)
    assert found.answers == Answers(0, 0, None, None, None)
    assert [slot.alerts for slot in found.slots] == [0]


def test_days_are_the_houses_own_though_one_has_twenty_five_hours(archive: Archive) -> None:
    rome = ZoneInfo("Europe/Rome")
    since, until = datetime(2026, 10, 23, tzinfo=rome), datetime(2026, 10, 28, tzinfo=rome)
    found = figures(
        [], [], [], since_ms=round(since.timestamp() * 1000),
        until_ms=round(until.timestamp() * 1000), zone=rome,
    )  # fmt: skip
    begins = [datetime.fromtimestamp(slot.since_ms / 1000, rome) for slot in found.slots]
    assert [(one.day, one.hour) for one in begins] == [(day, 0) for day in range(23, 28)]


def test_of_a_time_without_end_the_last_days_are_there() -> None:
    found = figures([], [], [], since_ms=0, until_ms=OPENED_MS)
    assert len(found.slots) == SLOTS_MAX + 1
    assert found.slots[-1].since_ms == OPENED_MS - 20 * HOUR_MS


def test_a_long_report_says_how_far_it_is_and_ends_when_nobody_wants_it(archive: Archive) -> None:
    told: list[tuple[int, int]] = []
    assert len(list(alerts(archive, shift_of("supervise"), lambda *far: told.append(far)))) == 8
    assert told == [(0, 8), (8, 8)]

    def unwanted(done: int, of: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        shift(archive, shift_of("supervise"), UTC, unwanted)
