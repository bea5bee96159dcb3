"""What a hostile table may say: nothing of it raises, and none of it grows without end."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor import forms
from daemon.floor.picture import TABLES_MAX, Picture
from daemon.floor.standing import acts_of
from daemon.floor.table import SENSORS_MAX, STANDING_BYTES_MAX, STANDING_MAX
from tests.floor.said import SITE, alert, at, hand, line, status, topic


def heard(known, kind, payload, *, s=0.0, **more):
    retained, table = more.get("retained", False), more.get("table", "poker-1")
    return known.take(topic(*kind, table=table), payload, retained=retained, now=at(s))


# --- hostile tables ------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=8), below),
    max_leaves=12,
)
KNOWN_KEYS = st.sampled_from(sorted({key for form in forms.FORMS.values() for key in form}))
HOSTILE = (
    st.binary(max_size=64)
    | st.dictionaries(KNOWN_KEYS, ANYTHING, max_size=8).map(
        lambda said: msgspec.json.encode(said, enc_hook=str) if _can(said) else b"{"
    )
    | st.dictionaries(KNOWN_KEYS, ANYTHING, max_size=3).map(
        lambda said: msgspec.json.encode(alert() | said) if _can(said) else b"["
    )
    | st.integers(1, 4000).map(lambda deep: b"[" * deep + b"]" * deep)
    | st.integers(1, 2000).map(lambda deep: b'{"a":' * deep + b"1" + b"}" * deep)
)
KINDS = st.sampled_from(
    [("status",), ("sensors", "felt"), ("hand",), ("figures",), ("coverage",), ("answer",)]
    + [("alerts", audience, alert()["id"]) for audience in forms.HEARD_AUDIENCES]
    + [("log", audience) for audience in forms.HEARD_AUDIENCES]
)


def _can(said) -> bool:
    try:
        msgspec.json.encode(said)
    except (OverflowError, ValueError, UnicodeEncodeError):
        return False
    return True


@given(st.lists(st.tuples(KINDS, HOSTILE, st.booleans()), max_size=20))
def test_nothing_that_a_table_says_raises_and_all_of_it_can_be_told(messages) -> None:
    known = Picture([SITE])
    for s, (kind, payload, retained) in enumerate(messages):
        heard(known, kind, payload, s=s, retained=retained)
    known.pass_time(at(100))
    known.settled(at(101))
    for table in known.tables():
        msgspec.json.encode([table.said_of, table.sensors])
        for standing in table.alerts.standing():
            msgspec.json.encode([copy.payload for copy in standing.copies.values()])


@given(st.text(max_size=60) | st.lists(st.text(max_size=9), max_size=9).map("/".join))
def test_no_topic_raises(name: str) -> None:
    known = Picture([SITE])
    known.take(name, b"{}", retained=False, now=at())
    known.take(f"floorcall/v1/{name}", b"{}", retained=True, now=at())


@pytest.mark.parametrize("name", ["a\u202eb", "a\u2066b", "a\x9b31m", "a\u200bb", "x" * 300])
def test_a_table_whose_name_hides_something_is_none(name: str) -> None:
    known = Picture([SITE])
    heard(known, ("status",), status(), table=name)
    assert list(known.tables()) == []


@pytest.mark.parametrize("kind", forms.BYTES_MAX)
def test_a_payload_heavier_than_any_of_its_kind_is_not_read(kind: str) -> None:
    said = {"x": "a" * forms.BYTES_MAX[kind]}
    assert forms.read(kind, line(**said)) is None
    assert forms.read(kind, line(x="a")) == {"x": "a"}


def test_a_known_key_of_the_wrong_type_counts_as_left_out_and_an_unknown_one_passes() -> None:
    said = forms.read("alerts", line(**alert(seats="all", severity=["high"], new={"a": 1})))
    assert said is not None
    assert "seats" not in said
    assert "severity" not in said
    assert said["new"] == {"a": 1}


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63), 10**30])
def test_a_number_that_a_browser_cannot_have_is_no_payload(number: int) -> None:
    assert forms.read("status", f'{{"beat_ms":{number}}}'.encode()) is None


def test_a_payload_of_more_parts_than_any_of_its_kind_is_none() -> None:
    inside = forms.PARTS_MAX - 1
    assert forms.read("alerts", line(x=[0] * inside)) is not None
    assert forms.read("alerts", line(x=[0] * (inside + 1))) is None
    assert forms.read("alerts", line(x=[[[0]] * 1500] * 2)) is None
    deep: object = 0
    for _ in range(forms.DEEP_MAX - 1):
        deep = [deep]
    assert forms.read("alerts", line(x=deep)) is not None
    assert forms.read("alerts", line(x=[deep])) is None


def test_the_acts_of_a_hand_are_read_once_however_many_alerts_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = Picture([SITE])
    for number in range(50):
        heard(known, ("alerts", "floor", alert(number)["id"]), line(**alert(number)))
    read = []

    def counted(told):
        read.append(told)
        return acts_of(told)

    monkeypatch.setattr("daemon.floor.table.acts_of", counted)
    acts = [{"at_ms": 5000 + number, "seat": 1, "act": "raise"} for number in range(300)]
    heard(known, ("hand",), hand("12", acts))
    assert len(read) == 1
    (first, *_) = known.table(SITE, "poker-1").alerts.standing()
    assert [one["at_ms"] for one in first.acts] == [5240 + number for number in range(60)]


def test_tables_and_what_stands_of_each_are_bounded() -> None:
    known = Picture([SITE])
    for number in range(TABLES_MAX + 20):
        heard(known, ("status",), status(), table=f"t{number}")
    assert len(list(known.tables())) == TABLES_MAX
    for number in range(SENSORS_MAX + 20):
        heard(known, ("sensors", f"s{number}"), line(v=1), table="t1")
    assert len(known.table(SITE, "t1").sensors) == SENSORS_MAX


def test_a_table_that_lets_too_much_stand_loses_what_stood_longest() -> None:
    known = Picture([SITE])
    for number in range(STANDING_MAX + 5):
        said = alert(number)
        heard(known, ("alerts", "floor", said["id"]), line(**said))
    standing = list(known.table(SITE, "poker-1").alerts.standing())
    assert len(standing) == STANDING_MAX
    assert standing[0].id == alert(5)["id"]


def test_heavy_alerts_are_bounded_by_their_weight() -> None:
    known = Picture([SITE])
    for number in range(400):
        said = alert(number, stuff="x" * 40_000)
        heard(known, ("alerts", "floor", said["id"]), line(**said))
    standing = list(known.table(SITE, "poker-1").alerts.standing())
    assert sum(one.weight for one in standing) <= STANDING_BYTES_MAX
    assert len(standing) > 100


def test_a_copy_that_is_the_same_weighs_nothing() -> None:
    known = Picture([SITE])
    for audience in ("floor", "surveillance"):
        heard(known, ("alerts", audience, alert()["id"]), line(**alert()))
    (standing,) = known.table(SITE, "poker-1").alerts.standing()
    assert standing.copies["floor"] is standing.copies["surveillance"]
    assert standing.weight == len(line(**alert()))
