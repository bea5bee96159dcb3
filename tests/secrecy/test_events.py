"""Dealing events go to the broker where they are asked for, and nowhere else."""

from __future__ import annotations

import json

from tests.secrecy.pairs import evening
from tests.secrecy.played import Script
from tests.secrecy.rig import VirtualDaemon
from tests.secrecy.tables import Fit, Table


def told(folder, *, events):
    """The messages of an evening at a table that tells its dealing events, or not."""
    one = evening("told", rough=False)
    daemon = VirtualDaemon(folder, Table("told", Fit(one.table.fit.seat_count, events=events)))
    try:
        for hand in one.hands[:3]:
            script = Script(hand)
            daemon.deal(hand.events, script)
            script.over(daemon)
    finally:
        daemon.close()
    return [left.what for left in daemon.left if left.way == "mqtt"]


def test_none_are_told_unless_the_configuration_says_so(tmp_path):
    assert not [m for m in told(tmp_path, events=False) if m["topic"].endswith("/events")]


def test_they_are_told_once_in_their_order_and_never_kept_by_the_broker(tmp_path):
    events = [m for m in told(tmp_path, events=True) if m["topic"].endswith("/events")]
    assert not any(message["retain"] or message["sure"] for message in events)
    said = [json.loads(message["payload"]) for message in events]
    assert [each["seq"] for each in said] == list(range(1, len(said) + 1))
    names = [each["what"]["event"] for each in said]
    assert {"hand-started", "card-moved", "card-identified", "hand-ended"} <= set(names)
    assert not {"sensor-lost", "sensor-back", "tick", "table"} & set(names)
    times = [each["what"]["at_ms"] for each in said]
    assert times == sorted(times)
