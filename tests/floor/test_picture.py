"""The picture: each transition once whatever comes how often, what stands, and hostile tables."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.lines import HELD_S
from daemon.floor.picture import (
    ActsHeard,
    AlertChanged,
    Answered,
    HandsEnded,
    Picture,
    TableChanged,
    TableGone,
)
from daemon.floor.table import LATELY_S
from daemon.floor.views import Transition
from tests.floor.said import SITE, alert, at, hand, line, status, topic

KEY = f"{SITE}/poker-1/{alert()['id']}"


def picture(**more):
    return Picture([SITE], **more)


def heard(known, kind, payload, *, s=0.0, **more):
    retained, table = more.get("retained", False), more.get("table", "poker-1")
    return known.take(topic(*kind, table=table), payload, retained=retained, now=at(s))


def raised(known, said=None, *, s=0.0, retained=False):
    """An alert as a table tells it: retained and as a line, and surveillance's copy of both."""
    said = said or alert()
    payload = line(**said)
    changes = []
    for audience in (said["audience"], "surveillance"):
        changes += heard(known, ("alerts", audience, said["id"]), payload, s=s, retained=retained)
        changes += heard(known, ("log", audience), payload, s=s)
    return changes


def transitions(changes):
    return [change for change in changes if isinstance(change, Transition)]


# --- transitions ---------------------------------------------------------------------------------

LINES = [
    (number, revision, audience)
    for number, audience in ((1, "floor"), (2, "maintenance"), (3, "surveillance"), (4, "log"))
    for revision in (1, 2, 3)
]


@given(
    st.lists(st.tuples(st.sampled_from(LINES), st.booleans(), st.integers(0, 3)), max_size=60),
    st.randoms(use_true_random=False),
)
def test_in_whatever_order_lines_come_each_transition_is_told_once(
    order: list[tuple[tuple[int, int, str], bool, int]], chance: random.Random
) -> None:
    known = picture()
    told = []
    said = set()
    for (number, revision, audience), late, how in order:
        words = alert(number, revision, audience) | ({"late": True} if late else {})
        payload = line(**words)
        ways = [("log", "surveillance"), ("alerts", "surveillance", words["id"])]
        if audience in ("floor", "maintenance"):
            ways += [("log", audience), ("alerts", audience, words["id"])]
        chance.shuffle(ways)
        for way in ways:
            for _ in range(how if way[0] == "alerts" else 1 + how):
                told += heard(known, way, payload, retained=way[0] == "alerts")
        said.add((words["id"], revision, audience))
    told += known.pass_time(at(HELD_S + 1))
    found = Counter((one.alert, one.revision, one.audience) for one in transitions(told))
    assert found == Counter(said)


def test_a_copy_whose_own_line_never_came_is_kept_for_surveillance_alone() -> None:
    known = picture()
    heard(known, ("status",), status())
    assert transitions(heard(known, ("log", "surveillance"), line(**alert()))) == []
    (one,) = transitions(known.pass_time(at(HELD_S)))
    assert one.audience == "surveillance"
    assert one.told == at().at
    (again,) = transitions(heard(known, ("log", "floor"), line(**alert()), s=60))
    assert again.audience == "floor"
    assert transitions(heard(known, ("log", "floor"), line(**alert()), s=61)) == []


def test_a_transition_has_what_its_line_says() -> None:
    known = picture()
    said = alert(
        revision=4, state="closed", verdict="none", level=3, late=True,
        acknowledged={"by": "Anna", "at": "2026-12-01T20:00:01.000Z"},
    )  # fmt: skip
    (one,) = transitions(heard(known, ("log", "floor"), line(**said)))
    assert (one.site, one.table, one.hand, one.street) == (SITE, "poker-1", "12", "turn")
    assert (one.state, one.verdict, one.level, one.late) == ("closed", "none", 3, True)
    assert one.acknowledged_by == "Anna"
    assert one.acknowledged_at is not None
    assert one.at is not None
    assert one.at.second == 58
    assert one.payload == line(**said)


def test_a_dealer_nobody_may_know_is_in_no_byte_of_what_is_remembered() -> None:
    said = alert() | {"dealer": "d-7f3a"}
    (kept,) = transitions(heard(picture(dealers=True), ("log", "floor"), line(**said)))
    (left,) = transitions(heard(picture(), ("log", "floor"), line(**said)))
    assert kept.dealer == "d-7f3a"
    assert left.dealer is None
    assert b"7f3a" in kept.payload
    assert b"7f3a" not in left.payload


# --- what stands ---------------------------------------------------------------------------------


def test_an_alert_stands_until_its_topic_is_cleared_and_is_known_for_a_while() -> None:
    known = picture()
    said = alert()
    assert AlertChanged(KEY) in raised(known, said)
    table = known.table(SITE, "poker-1")
    assert [one.key for one in table.alerts.standing()] == [KEY]
    for audience in ("floor", "surveillance"):
        assert AlertChanged(KEY) in heard(known, ("alerts", audience, said["id"]), b"", s=5)
    assert list(table.alerts.standing()) == []
    closed = line(**alert(revision=2, state="closed", verdict="upheld"))
    assert AlertChanged(KEY) in heard(known, ("log", "floor"), closed, s=5)
    found = table.alerts.find(said["id"])
    assert found.latest({"floor"}) is None
    assert found.latest({"floor"}, stands=False).payload["verdict"] == "upheld"
    heard(known, ("status",), status(), s=LATELY_S + 6)
    known.pass_time(at(LATELY_S + 6))
    assert table.alerts.find(said["id"]) is None


def test_surveillances_copy_of_what_it_has_seen_is_no_news() -> None:
    known = picture()
    changes = raised(known)
    assert changes.count(AlertChanged(KEY)) == 1
    known = picture()
    said = alert()
    heard(known, ("status",), status())
    first = heard(known, ("alerts", "surveillance", said["id"]), line(**said))
    then = heard(known, ("alerts", "floor", said["id"]), line(**said))
    assert (first, then) == ([AlertChanged(KEY)], [AlertChanged(KEY)])


def test_an_older_revision_changes_nothing() -> None:
    known = picture()
    raised(known, alert(revision=3, severity="critical"))
    changes = raised(known, alert(revision=2, severity="low"), s=1)
    assert len(transitions(changes)) == 1
    assert not any(isinstance(change, AlertChanged) for change in changes)
    copy = known.table(SITE, "poker-1").alerts.find(alert()["id"]).latest({"floor"})
    assert copy.payload["severity"] == "critical"


def test_what_is_no_longer_retained_after_a_reconnection_is_gone() -> None:
    known = picture()
    known.begin(at())
    heard(known, ("status",), status(), retained=True)
    heard(known, ("sensors", "felt"), line(v=1, state="ok"), retained=True)
    raised(known, alert(1), retained=True)
    raised(known, alert(2), retained=True)
    assert known.settled(at(1)) == []
    known.begin(at(60))
    heard(known, ("status",), status(), s=60, retained=True)
    raised(known, alert(2), s=60, retained=True)
    changes = known.settled(at(61))
    assert AlertChanged(KEY) in changes
    assert TableChanged(SITE, "poker-1", frozenset({"sensors"})) in changes
    assert [one.id for one in known.table(SITE, "poker-1").alerts.standing()] == [alert(2)["id"]]


def test_a_table_of_which_nothing_is_retained_any_more_is_no_table() -> None:
    known = picture()
    known.begin(at())
    heard(known, ("status",), status(), retained=True)
    known.begin(at(60))
    assert TableGone(SITE, "poker-1") in known.settled(at(61))
    assert known.table(SITE, "poker-1") is None


def test_a_late_line_changes_nothing_of_the_present_picture() -> None:
    known = picture()
    raised(known, alert(revision=1))
    before = known.table(SITE, "poker-1").alerts.find(alert()["id"]).latest({"floor"})
    changes = heard(known, ("log", "floor"), line(**alert(revision=9, late=True)))
    assert len(transitions(changes)) == 1
    assert not any(isinstance(change, AlertChanged) for change in changes)
    assert known.table(SITE, "poker-1").alerts.find(alert()["id"]).latest({"floor"}) is before


def test_an_alert_that_comes_to_another_audience_stands_where_it_went() -> None:
    known = picture()
    raised(known, alert(audience="floor"))
    heard(known, ("alerts", "floor", alert()["id"]), b"", s=1)
    raised(known, alert(audience="maintenance", revision=2), s=1)
    found = known.table(SITE, "poker-1").alerts.find(alert()["id"])
    assert found.latest({"floor"}) is None
    assert found.latest({"maintenance"}).revision == 2
    assert found.latest({"surveillance"}).revision == 2


def test_what_says_another_audience_than_its_topic_is_not_taken() -> None:
    known = picture()
    heard(known, ("status",), status())
    said = alert(audience="surveillance")
    assert heard(known, ("alerts", "floor", said["id"]), line(**said)) == []
    assert heard(known, ("log", "floor"), line(**said)) == []


# --- how a table is heard ------------------------------------------------------------------------


def state_of(known):
    return known.state(known.table(SITE, "poker-1"))


def test_a_table_is_live_while_it_says_so_stale_after_and_offline_when_it_is_said() -> None:
    known = picture()
    heard(known, ("status",), status(), retained=True)
    assert state_of(known) == "unknown"
    changed = TableChanged(SITE, "poker-1", frozenset({"state"}))
    assert changed in heard(known, ("status",), status(), s=1)
    assert state_of(known) == "live"
    assert known.pass_time(at(21)) == []
    assert changed in known.pass_time(at(21.1))
    assert state_of(known) == "stale"
    heard(known, ("status",), status(), s=22)
    assert state_of(known) == "live"
    heard(known, ("status",), status("offline"), s=23)
    assert state_of(known) == "offline"


def test_a_retained_status_that_no_beat_follows_grows_stale() -> None:
    known = picture()
    known.begin(at())
    heard(known, ("status",), status(), retained=True)
    known.pass_time(at(20.5))
    assert state_of(known) == "stale"


def test_the_alerts_of_a_table_that_is_heard_no_more_are_news() -> None:
    known = picture()
    heard(known, ("status",), status())
    raised(known)
    assert AlertChanged(KEY) in known.pass_time(at(30))


def test_hands_count_as_they_end_and_unheard_ones_by_their_numbers() -> None:
    known = picture()
    ended = []
    for s, name in enumerate(["12", "12", None, "13", "14", None, "17", "21", "2"]):
        ended += heard(known, ("hand",), hand(name), s=s)
    counts = [change.count for change in ended if isinstance(change, HandsEnded)]
    assert counts == [1, 1, 1, 4, 1]


def test_an_answer_is_handed_on() -> None:
    said = {"v": 1, "id": "c1", "ok": False, "error": "stale"}
    expected = [Answered(SITE, "poker-1", said)]
    assert heard(picture(), ("answer",), line(**said)) == expected
    assert heard(picture(), ("answer", "floor"), line(**said)) == expected


# --- acts since the fault ------------------------------------------------------------------------


def acts_of(known):
    return [act["at_ms"] for act in known.table(SITE, "poker-1").alerts.find(alert()["id"]).acts]


def act(at_ms, seat=3):
    return {"at_ms": at_ms, "seat": seat, "act": "raise"}


def test_acts_since_the_fault_grow_while_its_hand_goes_on() -> None:
    known = picture()
    heard(known, ("hand",), hand("12", [act(4000), act(5000)]))
    raised(known)
    assert acts_of(known) == [5000]
    changes = heard(known, ("hand",), hand("12", [act(5000), act(6000), act(6000, 4)]))
    assert AlertChanged(KEY) in changes
    assert ActsHeard(SITE, "poker-1", alert()["id"], [act(6000), act(6000, 4)]) in changes
    changes = heard(known, ("hand",), hand("12", [act(6000, 4), act(7000)]))
    assert ActsHeard(SITE, "poker-1", alert()["id"], [act(7000)]) in changes
    assert acts_of(known) == [5000, 6000, 6000, 7000]
    heard(known, ("hand",), hand("13", [act(8000)]))
    heard(known, ("hand",), hand("12", [act(9000)]))
    assert acts_of(known) == [5000, 6000, 6000, 7000]


def test_an_alert_may_come_before_its_hand() -> None:
    known = picture()
    heard(known, ("hand",), hand("11", [act(4900)]))
    raised(known)
    heard(known, ("hand",), hand("12", [act(5100)]))
    assert acts_of(known) == [5100]
