"""Time in the line: ticks change nothing, and only differences of times count."""

from __future__ import annotations

import json
from random import Random

import pytest
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.pipeline import Pipeline
from daemon.signals import Tick as TickSignal
from daemon.table.events import Tick
from tests.demo.staged import StagedTable, books
from tests.laws.line import SOAK, deadlines, judged, told
from tests.laws.streams import hand, hands

HANDS = 5000 if SOAK else 100
TABLES = 60 if SOAK else 1


def _ticking(events, betting, rng):
    """The stream with ticks anywhere, most of them just at a deadline; and the events' numbers."""
    low_ms, high_ms = events[0].at_ms, events[-1].at_ms
    times = [due + ms for due in deadlines(events, betting) for ms in (-1, 0, 1)]
    times += [rng.randint(low_ms, high_ms) for _ in range(30)]
    times += [event.at_ms for event in rng.sample(events, min(5, len(events)))]
    times = sorted(ms for ms in times if low_ms <= ms <= high_ms)
    stream, numbers = [], []
    for number, event in enumerate(events, 2):
        while times and (times[0], rng.random()) < (event.at_ms, 0.5):
            stream.append(Tick(at_ms=times.pop(0)))
            numbers.append(0)
        stream.append(event)
        numbers.append(number)
    return stream, numbers


def test_ticks_anywhere_change_no_byte():
    for rng, one in hands("ticks", HANDS):
        plain = judged(one.events, one.betting)
        stream, numbers = _ticking(one.events, one.betting, rng)
        ticking = judged(stream, one.betting, numbers)
        views = [
            view
            for view, event in zip(ticking.views, stream, strict=True)
            if not isinstance(event, Tick)
        ]
        assert ticking.lines == plain.lines, told(stream, one.betting)
        assert views == plain.views, told(stream, one.betting)


def test_later_by_any_time_is_the_same_but_for_the_times():
    for rng, one in hands("shift", HANDS):
        by_ms = rng.choice((1, 250, 12_345, 1_000_000_000))
        later = [replace(event, at_ms=event.at_ms + by_ms) for event in one.events]
        shifted = judged(later, one.betting)
        back = [
            alert | {"at_ms": alert["at_ms"] - by_ms, "known_ms": alert["known_ms"] - by_ms}
            for alert in shifted.alerts()
        ]
        plain = judged(one.events, one.betting)
        assert back == plain.alerts(), told(one.events, one.betting)
        assert [_back(view, by_ms) for view in shifted.views] == [_back(v, 0) for v in plain.views]


def _back(view, by_ms):
    """The picture of a hand whose acts were so much earlier."""
    seen = json.loads(view)
    return seen | {"acts": [act | {"at_ms": act["at_ms"] - by_ms} for act in seen.get("acts", ())]}


def test_the_clock_on_the_wall_is_the_opening_and_the_time_since():
    for _, one in hands("opened", HANDS // 5):
        known = judged(one.events, one.betting, opened="2026-11-29T20:13:31Z")
        unknown = judged(one.events, one.betting)
        for alert, dark in zip(known.alerts(), unknown.alerts(), strict=True):
            assert dark == alert | {"at": None}
            second, ms = divmod(alert["at_ms"], 1000)
            assert alert["at"].endswith(f"{(31 + second) % 60:02d}.{ms:03d}Z")


def test_a_line_of_json_says_all_that_its_alert_says():
    for _, one in hands("lines", HANDS // 5):
        for told_line in judged(one.events, one.betting).lines:
            assert json.loads(told_line)["v"] == 1
            assert b"\n" not in told_line


class _Recorded(StagedTable):
    """A staged table that keeps the signals it was brought."""

    def __init__(self, folder, seed):
        self.signals = []
        super().__init__(folder, seed)

    def _take(self, signal):
        self.signals.append(signal)
        super()._take(signal)


def _stepped(table, signals):
    line_anew = Pipeline(table.layout, *books())
    lines = [line(alert) for signal in signals for alert in line_anew.step(signal)]
    return lines, line_anew.hand_view(), line_anew.counts


@pytest.mark.parametrize("seed", range(TABLES))
def test_ticks_among_the_signals_change_no_byte(seed, tmp_path):
    rng = Random(f"ticking table {seed}")
    table = _Recorded(tmp_path, seed)
    said = [table.deal(hand(rng).events) for _ in range(3)]
    while not any(said):  # three hands may be lawful, or spoilt in what no sensor tells
        said.append(table.deal(hand(rng).events))
    tickless = [signal for signal in table.signals if not isinstance(signal, TickSignal)]
    ticking = tickless[:1]
    for signal in tickless[1:]:
        if rng.random() < 0.5:
            ticking.append(TickSignal(rng.randint(ticking[-1].at_ms, signal.at_ms)))
        ticking.append(signal)
    whole = _stepped(table, table.signals)
    assert whole[0]
    assert _stepped(table, tickless) == whole
    assert _stepped(table, ticking) == whole
