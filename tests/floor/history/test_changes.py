"""What changed from one line of an alert to the next."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor import forms
from daemon.floor.history.changes import CHANGES_MAX, changes
from tests.floor.said import alert, line

SIGNED = {"by": "Anna Rossi", "at": "2026-12-01T20:00:03.000Z"}
SHELF = {"by": "Anna Rossi", "until": "2026-12-01T20:15:00.000Z", "reason": "training"}


def test_a_first_line_tells_its_state_and_what_was_done_by_then() -> None:
    assert changes(None, alert()) == [{"what": "state", "state": "raised"}]
    told = changes(None, alert(acknowledged=SIGNED))
    assert [one["what"] for one in told] == ["state", "acknowledged"]


def test_a_line_that_says_the_same_again_changes_nothing() -> None:
    assert changes(alert(), alert(revision=2)) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"level": 2}, {"what": "again", "level": 2}),
        ({}, {"severity": "low"}, {"what": "severity", "severity": "low"}),
        ({}, {"audience": "surveillance"}, {"what": "audience", "audience": "surveillance"}),
        ({}, {"acknowledged": SIGNED}, {"what": "acknowledged", "by": "Anna Rossi"}),
        ({}, {"closed": SIGNED}, {"what": "closed", "by": "Anna Rossi"}),
        ({}, {"verdict": "none"}, {"what": "verdict", "verdict": "none"}),
        (
            {}, {"shelved": SHELF},
            {"what": "shelved", "by": "Anna Rossi", "until": SHELF["until"], "reason": "training"},
        ),
        ({"shelved": SHELF}, {}, {"what": "unshelved"}),
        (
            {}, {"note": SIGNED | {"text": "look"}},
            {"what": "noted", "by": "Anna Rossi", "text": "look"},
        ),
        (
            {}, {"window": {"kind": "any-action", "open": False}},
            {"what": "window", "kind": "any-action", "open": False},
        ),
        (
            {}, {"remedy": [{"step": "set-aside", "state": "wrong"}]},
            {"what": "step", "number": 0, "step": "set-aside", "state": "wrong"},
        ),
        ({}, {"doubt": {"instead": "ghost"}}, {"what": "doubt", "instead": "ghost"}),
        ({}, {"superseded_by": "p:1"}, {"what": "superseded", "alert": "p:1"}),
        ({}, {"remedy_of": "p:1"}, {"what": "in_remedy", "alert": "p:1"}),
        ({}, {"seen": False}, {"what": "unseen"}),
    ],
)  # fmt: skip
def test_each_change_is_told_in_its_terms(
    before: dict[str, Any], after: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert changes(alert(**before), alert(revision=2, **after)) == [expected]


def test_another_remedy_is_told_with_how_its_steps_stand() -> None:
    other = [{"step": "burn", "state": "due"}, {"step": "turn", "state": "later"}]
    told = changes(alert(), alert(revision=2, remedy=other))
    assert [one["what"] for one in told] == ["remedy", "step"]


def test_what_a_hostile_table_changes_is_cut() -> None:
    steps = [{"step": "x" * 5000, "state": "wrong"} for _ in range(500)]
    told = changes(alert(), alert(revision=2, remedy=steps))
    assert len(told) == CHANGES_MAX
    assert max(len(str(one)) for one in told) < 1000


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
said = st.dictionaries(st.sampled_from(sorted(forms.FORMS["alerts"])), anything)


@given(said, said)
def test_no_payload_whatever_raises(one: dict[str, Any], other: dict[str, Any]) -> None:
    before, after = (forms.read("log", line(**each)) for each in (one, other))
    for told in changes(before, after or {}):
        assert told["what"]
