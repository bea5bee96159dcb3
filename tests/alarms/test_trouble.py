"""Trouble with sensors: one alert for the table, whatever their number, and none for a wiggle."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.alarms.alert import line
from daemon.pipeline import Pipeline
from daemon.signals import PortBack, PortLost, Tick
from daemon.table.layout import Layout, Sensor
from tests.demo.staged import books
from tests.laws.line import SOAK

LAYOUT = Layout(
    table="t", site="s", seat_count=3, opened="2026-11-29T20:13:31Z",
    sensors=(
        Sensor("felt", "feig", {1: "board", 2: "burn"}, ("board", "burn")),
        Sensor("keys", "keypad", {}, ("floor",)),
        *(Sensor(f"s{n}", "pn532", {1: f"seat:{n}"}, ("place",)) for n in (1, 2, 3)),
    ),
)  # fmt: skip


def _told(*signals):
    """What the line says, with the time of the signal that brought it."""
    pipeline = Pipeline(LAYOUT, *books())
    return [(signal.at_ms, alert) for signal in signals for alert in pipeline.step(signal)]


def _short(told):
    return [(at, a.irregularity, a.revision, a.state, a.count) for at, a in told]


def test_a_sensor_that_stays_away_is_told_once_with_the_time_it_went():
    assert not _told(PortLost(1_000, "felt"), Tick(6_000), PortBack(6_000, "felt"), Tick(90_000))
    told = _told(PortLost(1_000, "felt"), Tick(6_000), Tick(6_001), Tick(90_000))
    assert _short(told) == [(6_001, "sensor-silent", 1, "raised", 1)]
    ((_, alert),) = told
    assert alert.id == "t:20261129T201331Z:-:0:sensor-silent:table"
    assert (alert.at_ms, alert.known_ms, alert.at) == (1_000, 6_000, "2026-11-29T20:13:32.000Z")
    assert (alert.audience, alert.subject, alert.cards, alert.seats) == (
        "maintenance", "table", (), (),
    )  # fmt: skip
    assert set(alert.text) == {"en", "it"}
    assert all(text.title and text.ruling for text in alert.text.values())


def test_a_wiggle_is_worth_no_alert():
    assert _told(PortLost(1_000, "felt"), PortBack(3_000, "felt"), Tick(99_000)) == []


def test_each_sensor_has_its_own_time():
    told = _told(
        PortLost(1_000, "felt"), PortLost(1_001, "keys"), Tick(6_001), PortBack(6_001, "keys"),
        Tick(90_000),
    )  # fmt: skip
    assert _short(told) == [(6_001, "sensor-silent", 1, "raised", 1)]


def test_all_are_one_alert_that_counts_them_and_seats_count_as_one():
    signals = [PortLost(n, sensor.name) for n, sensor in enumerate(LAYOUT.sensors)]
    told = _told(*signals, Tick(20_000), PortBack(21_000, "keys"), Tick(40_000),
                 PortBack(41_000, "felt"), PortBack(41_001, "s1"), PortBack(41_002, "s2"),
                 Tick(60_000), PortBack(61_000, "s3"), Tick(80_000))  # fmt: skip
    assert _short(told) == [
        (20_000, "sensor-silent", 1, "raised", 1),
        (20_000, "sensor-silent", 2, "raised", 2),
        (20_000, "sensor-silent", 3, "raised", 3),
        (40_000, "sensor-silent", 4, "raised", 2),
        (60_000, "sensor-silent", 5, "raised", 1),
        (80_000, "sensor-silent", 6, "remedied", 1),
    ]
    assert told[-1][1].final


def test_one_that_comes_and_goes_is_one_alert_and_the_next_takes_the_place_of_what_is_over():
    told = _told(
        PortLost(0, "felt"), Tick(6_000), PortBack(7_000, "felt"), PortLost(9_000, "felt"),
        PortBack(30_000, "felt"), Tick(36_000), PortLost(40_000, "felt"), Tick(46_000),
    )  # fmt: skip
    assert _short(told) == [
        (6_000, "sensor-silent", 1, "raised", 1),
        (36_000, "sensor-silent", 2, "remedied", 1),
        (46_000, "sensor-silent", 1, "raised", 1),
        (46_000, "sensor-silent", 3, "closed", 1),
    ]
    assert told[-2][1].id == told[0][1].id + ":2" == told[-1][1].superseded_by


moves = st.lists(
    st.tuples(
        st.sampled_from([1, 250, 4_999, 5_000, 5_001, 30_000]),
        st.sampled_from([PortLost, PortBack]),
        st.sampled_from([sensor.name for sensor in LAYOUT.sensors]),
    ),
    max_size=30,
)


@settings(max_examples=5_000 if SOAK else 100)
@given(moves, st.lists(st.integers(0, 300_000), max_size=20))
def test_ticks_change_nothing_and_one_stands_at_a_time(happened, ticks):
    at_ms, signals = 0, []
    for after_ms, kind, name in happened:
        at_ms += after_ms
        signals.append(kind(at_ms, name))
    signals.append(Tick(at_ms + 60_000))
    ticking = sorted([*signals, *map(Tick, ticks)], key=lambda signal: signal.at_ms)
    ticking = [signal for signal in ticking if signal.at_ms <= at_ms + 60_000]
    plain = [line(alert) for _, alert in _told(*signals)]
    assert [line(alert) for _, alert in _told(*ticking)] == plain
    standing = {}
    for alert in map(json.loads, plain):
        standing.pop(alert["id"], None)
        if alert["state"] != "closed":
            standing[alert["id"]] = alert
        assert len(standing) <= 2  # the new one is told before the old one is closed
        assert alert["hand"] == "-"


def test_which_seats_reader_is_lost_is_told_by_nothing():
    def told(name):
        signals = (PortLost(1_000, name), Tick(9_000), PortBack(20_000, name), Tick(30_000))
        return [line(alert) for _, alert in _told(*signals)]

    assert told("s1") == told("s2") == told("s3")
    assert len(told("s1")) == 2
