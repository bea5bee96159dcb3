"""What the lines of an alert add up to, whatever order they come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.history import Database, statements
from daemon.floor.history import tables as made
from daemon.floor.history.rows import added_up, columns
from daemon.floor.views import AUDIENCES_OF, Transition
from tests.floor.history.lines import OPENED, OPENED_MS, line


def row(eyes: str, *lines: Transition) -> dict[str, Any] | None:
    found = [one for one in added_up(columns(each) for each in lines) if one["eyes"] == eyes]
    assert len(found) <= 1
    return found[0] if found else None


def some(eyes: str, *lines: Transition) -> dict[str, Any]:
    found = row(eyes, *lines)
    assert found is not None
    return found


OPEN, SHUT, UNTOLD = ({"window": {"kind": "any-action", "open": it}} for it in (True, False, None))


def test_the_newest_line_says_how_an_alert_stands() -> None:
    first, last = line(revision=1, state="raised"), line(revision=7, state="remedied")
    assert some("floor", last, first)["state"] == "remedied"
    assert some("floor", last, first)["revision"] == 7


def test_the_time_to_acknowledge_is_the_tables_own_from_when_it_knew() -> None:
    told = line(revision=1, at_s=0, told_s=500, said={"known_ms": 2000})
    looked = line(revision=2, at_s=0, told_s=600, acknowledged_s=11)
    found = some("floor", told, looked)
    assert found["raised_ms"] == OPENED_MS + 2000
    assert found["answer_ms"] == 9000


def test_without_a_clock_at_the_table_the_floors_counts() -> None:
    told = line(revision=1, at=None, told_s=3)
    looked = line(revision=2, at=None, told_s=21, acknowledged_by="anna")
    found = some("floor", told, looked)
    assert (found["raised_ms"], found["answer_ms"]) == (OPENED_MS + 3000, 18_000)


def test_without_any_clock_that_was_there_nobody_knows_how_long_it_took() -> None:
    told = line(revision=1, at=None, told_s=3)
    looked = line(revision=2, at=None, told_s=2100, acknowledged_by="anna", late=True)
    found = some("floor", told, looked)
    assert (found["acknowledged_by"], found["answer_ms"]) == ("anna", None)


@pytest.mark.parametrize("off_s", [86_400, -500 * 86_400])
def test_a_table_whose_clock_cannot_be_right_is_not_believed(off_s: int) -> None:
    found = some("floor", line(at_s=off_s, told_s=5))
    assert found["raised_ms"] == OPENED_MS + 5000


def test_the_first_acknowledgement_counts_though_it_fell_away() -> None:
    lines = [
        line(revision=1),
        line(revision=2, acknowledged_s=10, acknowledged_by="anna"),
        line(revision=3, severity="critical"),
        line(revision=4, acknowledged_s=70, acknowledged_by="bruno"),
    ]
    found = some("floor", *lines)
    assert (found["acknowledged_by"], found["answer_ms"]) == ("anna", 10_000)


def closing(at_s: int, by: str = "bruno") -> dict[str, Any]:
    return {"closed": {"by": by, "at": (OPENED + timedelta(seconds=at_s)).isoformat()}}


def test_who_ruled_without_acknowledging_first_has_acknowledged_by_that() -> None:
    lines = [line(revision=1, said=OPEN), line(revision=2, said=SHUT | closing(40))]
    found = some("floor", *lines)
    assert (found["acknowledged_by"], found["answer_ms"]) == ("bruno", 40_000)
    assert found["acknowledged_ms"] == OPENED_MS + 40_000
    assert found["window_missed"] is False  # he may have been there all the time
    earlier = line(revision=2, acknowledged_s=10, acknowledged_by="anna")
    found = some("floor", line(revision=1), earlier, line(revision=3, said=closing(40)))
    assert (found["acknowledged_by"], found["answer_ms"]) == ("anna", 10_000)


def test_what_closed_by_itself_nobody_has_acknowledged() -> None:
    found = some("floor", line(revision=1), line(revision=2, state="closed"))
    assert (found["acknowledged_by"], found["answer_ms"]) == (None, None)


@pytest.mark.parametrize(
    ("before", "then", "is_missed"),
    [
        (OPEN, SHUT, True),
        (OPEN, OPEN, False),
        (SHUT, SHUT, False),
        (UNTOLD, SHUT, False),
        (OPEN, UNTOLD, False),
    ],
    ids=["shut meanwhile", "still open", "never open", "nobody knew", "nobody knows"],
)
def test_a_window_is_missed_where_it_shut_between_the_alert_and_whoever_looked(
    before: dict[str, Any], then: dict[str, Any], is_missed: bool
) -> None:
    lines = [line(revision=1, said=before), line(revision=2, said=then, acknowledged_s=9)]
    assert some("floor", *lines)["window_missed"] is is_missed


def test_nobody_missed_a_window_of_what_nobody_acknowledged() -> None:
    lines = [line(revision=1, said=OPEN), line(revision=2, said=SHUT)]
    assert some("floor", *lines)["window_missed"] is False


def test_what_surveillance_alone_was_told_is_nothing_to_the_floor() -> None:
    lines = [line(revision=1, audience="surveillance")]
    assert row("floor", *lines) is None
    assert row("staff", *lines) is None
    assert some("all", *lines)["audience"] == "surveillance"


def test_an_alert_that_went_to_others_stands_to_the_floor_as_it_last_saw_it() -> None:
    lines = [
        line(revision=1, audience="floor", severity="high"),
        line(revision=2, audience="maintenance", severity="medium", state="withdrawn"),
    ]
    seen = some("floor", *lines)
    assert (seen["state"], seen["severity"], seen["gone"]) == ("raised", "high", True)
    assert some("maintenance", *lines)["state"] == "withdrawn"
    assert (some("all", *lines)["revision"], some("all", *lines)["gone"]) == (2, False)


def test_what_was_ever_for_the_log_alone_called_nobody() -> None:
    assert some("all", line(audience="log"))["called"] is False
    assert some("all", line(audience="log"), line(revision=2))["called"] is True


def test_the_last_verdict_and_who_closed_it_are_told() -> None:
    said = {"closed": {"by": "anna", "at": "2026-11-30T20:05:00.000Z"}}
    found = some("floor", line(), line(revision=2, verdict="none", state="closed", said=said))
    assert (found["verdict"], found["closed_by"]) == ("none", "anna")
    assert found["closed_ms"] == OPENED_MS + 300_000


AUDIENCES = sorted(AUDIENCES_OF["surveillance"])


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Transition], list[Transition]]:
    """The lines of some alerts; the same again in any order, any of them any number of times."""
    lines = [
        line(
            f"a{alert}",
            revision,
            at_s=alert,
            told_s=alert + revision,
            audience=draw(st.sampled_from(AUDIENCES)),
            severity=draw(st.sampled_from(["critical", "high", "medium", "low"])),
            acknowledged_s=draw(st.none() | st.integers(0, 500)),
            verdict=draw(st.sampled_from([None, "upheld", "none"])),
            said=draw(st.sampled_from([OPEN, SHUT, UNTOLD])),
        )
        for alert in range(draw(st.integers(1, 3)))
        for revision in range(1, draw(st.integers(1, 5)) + 1)
    ]
    copies = [
        line(one.alert, one.revision, at_s=0, late=True, audience="surveillance", told_s=9999)
        for one in lines
    ]
    late = [_late(one, copy) for one, copy in zip(lines, copies, strict=True)]
    again = draw(st.lists(st.sampled_from([*lines, *late]), max_size=20))
    return lines, draw(st.permutations([*lines, *again]))


def _late(one: Transition, copy: Transition) -> Transition:
    """The same line, coming late as surveillance's copy."""
    return replace(one, late=True, told=copy.told, audience="surveillance")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("shelf")
    database = Database(f"sqlite:///{folder / 'history.db'}")
    database.bring_up()
    yield database
    database.close()


NUMBERS = count()


@given(histories(), st.data())
def test_lines_in_any_order_and_any_number_of_times_give_the_same_rows(
    shelf: Database, lines: tuple[list[Transition], list[Transition]], data: st.DataObject
) -> None:
    once, again = lines
    first, second = f"s{next(NUMBERS)}", f"s{next(NUMBERS)}"
    written(shelf, first, [once])
    groups, left = [], list(again)
    while left:
        size = data.draw(st.integers(1, len(left)))
        groups.append(left[:size])
        left = left[size:]
    written(shelf, second, groups)
    for table in (made.transition, made.alert):
        assert told(shelf, table, first) == told(shelf, table, second)


def written(shelf: Database, site: str, groups: list[list[Transition]]) -> None:
    for group in groups:
        with shelf.writing() as connection:
            work = [statements.Line(replace(one, site=site)) for one in group]
            statements.write(connection, work)


def told(shelf: Database, table: sa.Table, site: str) -> list[tuple[Any, ...]]:
    columns = [column for column in table.c if column.name not in ("number", "site")]
    with shelf.reading() as connection:
        found = connection.execute(sa.select(*columns).where(table.c.site == site))
        return sorted((tuple(one) for one in found), key=repr)
