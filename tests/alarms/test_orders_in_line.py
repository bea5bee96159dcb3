"""Orders in the line: from a sensor's bytes and a person's word to what leaves, and back again."""

from __future__ import annotations

import json
from random import Random

import pytest
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.orders import Command
from daemon.pipeline import Pipeline
from daemon.signals import Order, Tick
from daemon.transcript import Header, Reader, Scribe, signals
from tests.alarms.ordered_table import OrderedTable, about, quarrelsome, stepped
from tests.demo.staged import books
from tests.laws.line import SOAK
from tests.laws.streams import hand

TABLES = 40 if SOAK else 2
HEADER = Header(
    table="poker-1", site="s", opened="2026-11-29T20:13:31Z", version="0", rulebook="r",
    config="c", digest="",
)  # fmt: skip


def _only(irregularity, command, **fields):
    """A floor that orders this once the first time it is told of that."""

    def floor(alert):
        is_it = alert.irregularity == irregularity and alert.revision == 1
        return about(alert, command, **fields) if is_it else None

    return floor


def _premature_turn(folder, floor, handling="right"):
    for seed in range(50):
        table = OrderedTable(folder / str(seed), seed, floor)
        told = hand(Random(f"orders/{seed}"), ("turn-premature", handling))
        table.deal(told.events)
        if any(alert.irregularity == "turn-premature" for alert in table.lines):
            return table
    raise AssertionError("no premature turn in fifty hands")


def test_acknowledged_and_put_right_it_closes_by_itself_at_the_hands_end(tmp_path):
    table = _premature_turn(tmp_path, _only("turn-premature", "acknowledge"))
    alert = table.last("turn-premature")
    assert (alert.state, alert.final, alert.acknowledged["by"]) == ("closed", True, "anna")
    assert {step.state for step in alert.remedy} <= {"done", "unseen", "void"}
    assert all(answer.ok for answer in table.answers)
    mine = [a for a in table.lines if a.id == alert.id]
    assert [a.revision for a in mine] == list(range(1, len(mine) + 1))


def _nobody(_):
    """A floor that looks at nothing."""


def test_unacknowledged_it_stands_when_put_right_and_is_raised_again_until_then(tmp_path):
    table = _premature_turn(tmp_path, _nobody)
    alert = table.last("turn-premature")
    assert (alert.state, alert.final, alert.standing) == ("remedied", True, True)
    first = next(a for a in table.lines if a.id == alert.id)
    begun = [signal for signal in table.signals_ if signal.at_ms <= first.known_ms]
    due_ms = first.known_ms + 30_000

    def levels(*ticks):
        told = map(json.loads, stepped(table.layout, [*begun, *map(Tick, ticks)]))
        return [a["level"] for a in told if a["id"] == alert.id and "level" in a]

    assert levels(due_ms) == []
    assert levels(due_ms + 1) == [2]
    assert levels(due_ms + 60_001) == [2, 3]


def test_upheld_it_is_closed_and_ticks_on(tmp_path):
    table = _premature_turn(tmp_path, _only("turn-premature", "close", verdict="upheld"))
    first, *_, last = [a for a in table.lines if a.state == "closed"]
    assert first.remedy != last.remedy
    assert {step.state for step in last.remedy} <= {"done", "unseen", "void"}


def test_no_irregularity_and_the_dealer_who_goes_on_is_not_accused(tmp_path):
    table = _premature_turn(
        tmp_path, _only("turn-premature", "close", verdict="none"), handling="ignored"
    )
    alert = table.last("turn-premature")
    assert (alert.state, alert.verdict, alert.final) == ("closed", "none", True)
    after = table.lines[table.lines.index(alert) + 1 :]
    assert not [a for a in after if a.irregularity.startswith("remedy-")]


def test_a_table_that_is_paused_judges_nothing_until_it_is_open(tmp_path):
    table = OrderedTable(tmp_path, 1, _nobody)
    table._take(Order(0, Command(command="table-state", state="paused", by="anna")))
    assert table.line.hand_view()["table_state"] == "paused"
    assert table.answers[-1].ok
    table.deal(hand(Random("paused"), ("turn-premature", "right")).events)
    assert not [a for a in table.lines if a.subject != "table"]
    now_ms = table.signals_[-1].at_ms
    table._take(Order(now_ms, Command(command="table-state", state="open", by="anna")))
    assert table.line.hand_view()["table_state"] == "open"


def _evening(folder, seed):
    table = OrderedTable(folder, seed, quarrelsome(seed))
    rng = Random(f"evening/{seed}")
    while not table.answers:
        for _ in range(3):
            table.deal(hand(rng).events)
    return table


@pytest.mark.parametrize("seed", range(TABLES))
def test_a_replay_of_the_journal_gives_the_same_alerts_byte_for_byte(seed, tmp_path):
    table = _evening(tmp_path, seed)
    scribe, reader = Scribe(), Reader()
    journal = scribe.header(HEADER)
    for signal in table.signals_:
        journal += scribe.signal(signal)
    journal += scribe.flush()
    entries = [entry for words in journal for entry in reader.take(words)]
    last = Tick(table.signals_[-1].at_ms)
    replayed = stepped(table.layout, [*signals(entries), last])
    assert replayed == [line(alert) for alert in table.lines]


@pytest.mark.parametrize("seed", range(TABLES))
def test_ticks_among_signals_and_orders_change_no_byte(seed, tmp_path):
    table = _evening(tmp_path, seed)
    rng = Random(f"ticks/{seed}")
    tickless = [signal for signal in table.signals_ if not isinstance(signal, Tick)]
    ticking = tickless[:1]
    for signal in tickless[1:]:
        if rng.random() < 0.5:
            ticking.append(Tick(rng.randint(ticking[-1].at_ms, signal.at_ms)))
        ticking.append(signal)
    last = Tick(table.signals_[-1].at_ms)
    plain = stepped(table.layout, [*tickless, last])
    assert plain == [line(alert) for alert in table.lines]
    assert stepped(table.layout, [*ticking, last]) == plain


def test_an_order_on_an_alert_of_another_journal_hits_no_alert_like_it(tmp_path):
    table = _premature_turn(tmp_path, _nobody)
    alert = table.last("turn-premature")
    later = Pipeline(replace(table.layout, opened="2026-11-30T20:13:31Z"), *books())
    again = [told for signal in table.signals_ for told in later.step(signal)]
    (same,) = {told.id for told in again if told.irregularity == "turn-premature"}
    assert same != alert.id
    assert later.step(Order(table.signals_[-1].at_ms, about(alert, "acknowledge"), "floor")) == []
    assert later.answer.error == "unknown-alert"
