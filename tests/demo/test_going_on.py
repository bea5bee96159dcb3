"""A line made anew goes on where another one ended: a restart in mid-hand after a whole evening."""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime
from itertools import islice

import msgspec
import pytest
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.demo.dealers import hands
from daemon.edges.journal import (
    Care,
    Journal,
    Seal,
    new_pair,
    open_journal,
    opened,
    part_path,
    read_journal,
    verify,
    with_private,
)
from daemon.pipeline import Pipeline
from daemon.replay import Replay, unsaid
from daemon.signals import PortBack, PortLost, Tick
from daemon.transcript import Header, Published
from tests.demo.staged import StagedTable, books

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
TABLES = 12 if SOAK else 2
HANDS = 60 if SOAK else 8
TICK_MS = 250
PRIVATE, PUBLIC = new_pair()
HEADER = Header(
    table="poker-1", site="demo", opened="", version="0.1.0",
    rulebook="robert-classic", config="table.toml", digest="ab12",
)  # fmt: skip


def signals_of(table, number):
    """What the ports of a table bring while hands of every kind are dealt."""
    for events in islice(hands("going on", number, len(table.devices.seats)), HANDS):
        yield from table.signals(events)


def in_time(signals):
    """The same with times that go on from one hand to the next, as one clock would tell them."""
    start_ms = last_ms = 0
    for signal in signals:
        if start_ms + signal.at_ms < last_ms:
            start_ms = last_ms + 1000
        last_ms = start_ms + signal.at_ms
        yield replace(signal, at_ms=last_ms)


@pytest.mark.parametrize("number", range(TABLES))
def test_a_line_made_of_what_is_carried_says_what_the_old_one_says(number, tmp_path):
    table = StagedTable(tmp_path, f"carried {number}", 6)
    old, new, hand, made = table.line, None, None, 0
    looked_ms = 0
    for signal in in_time(signals_of(table, number)):
        said = [line(alert) for alert in old.step(signal)]
        if new is not None:
            assert [line(alert) for alert in new.step(signal)] == said, (hand, signal.at_ms)
        if signal.at_ms < looked_ms + TICK_MS:
            continue
        looked_ms = signal.at_ms
        now = old.hand_view()["hand"]
        if now != hand and (carried := old.carried()) is not None:
            new, made = Pipeline(replace(table.layout, carried=carried), *books()), made + 1
        hand = now
    assert made > HANDS / 2


class Daemon:
    """What the daemon does with a journal and a line, without its ports and its broker."""

    def __init__(self, folder, layout, seal, told):
        self.told = told
        kept = folder / "memory"
        seal = Seal(PUBLIC, kept) if seal else None
        header = replace(HEADER, sealed=seal.told if seal else "")
        opening = open_journal(folder / "journal", header, datetime.now(UTC), kept)
        self.opening = opening
        self.name, self.start_ms = opening.header.name, opening.header.at_ms
        fitted = replace(layout, opened=opening.header.opened, carried=opening.carried)
        self.line = Pipeline(fitted, *books())
        self.journal = Journal(
            folder / "journal", opening.header, lines=opening.lines, seal=seal,
            care=Care(size_max=60_000),
        )  # fmt: skip
        said = {entry.line for entry in opening.entries if isinstance(entry, Published)}
        for alert in unsaid(self.line, list(opening.entries), said):
            self._publish(self.start_ms, alert)

    def _publish(self, at_ms, alert):
        self.journal.published(at_ms, line(alert))
        self.told.append((at_ms, alert))

    def last_words(self):
        """Of each alert that was published before this run's line began."""
        since_ms = self.opening.header.since
        return {alert.id: line(alert) for at_ms, alert in self.told if at_ms <= since_ms}

    def step(self, signal):
        self.journal.signal(signal)
        for alert in self.line.step(signal):
            self._publish(signal.at_ms, alert)
        self.journal.write(signal.at_ms)
        if isinstance(signal, Tick):
            view = self.line.hand_view()
            self.journal.hand(signal.at_ms, view["hand"], self.line.carried)


@pytest.mark.parametrize("is_sealed", [False, True])
@pytest.mark.parametrize("number", range(TABLES))
def test_after_restarts_at_any_moment_a_replay_gives_what_was_published(
    number, is_sealed, tmp_path
):
    rng = random.Random(f"restarts {number}")
    table = StagedTable(tmp_path, f"restarts {number}", 6)
    told = []
    daemon = Daemon(tmp_path, table.layout, is_sealed, told)
    offset_ms = restarts = built = most = 0
    for signal in in_time(signals_of(table, number)):
        if rng.random() < 0.0005:
            daemon.journal.close(signal.at_ms + offset_ms, words=None)  # its death, to the file
            daemon = Daemon(tmp_path, table.layout, is_sealed, told)
            restarts += 1
            if daemon.opening.header.since is not None:
                assert daemon.opening.standing == tuple(daemon.last_words().values())
            built += daemon.opening.header.since is not None
            most = max(most, len(daemon.opening.entries))
            offset_ms = daemon.start_ms - signal.at_ms
            for sensor in table.layout.sensors:
                daemon.step(PortLost(daemon.start_ms, sensor.name))
                daemon.step(PortBack(daemon.start_ms, sensor.name))
        daemon.step(replace(signal, at_ms=signal.at_ms + offset_ms))
    daemon.journal.close(signal.at_ms + offset_ms)
    first = part_path(tmp_path / "journal", daemon.name, 1)
    (verdict,) = verify([first])
    assert verdict.parts > 2
    assert restarts > 5
    assert built > restarts / 2
    if is_sealed:
        (tmp_path / "plain.journal").write_bytes(
            b"".join(words + b"\n" for words in opened(first, with_private(PRIVATE)))
        )
        first = tmp_path / "plain.journal"
    entries = list(read_journal(first))
    assert most < len(entries) / 2
    fitted = replace(table.layout, opened=daemon.opening.header.opened)
    again = Replay(lambda carried: Pipeline(replace(fitted, carried=carried), *books()))
    replayed = [line(alert) for entry in entries for alert in again.take(entry)]
    published = [entry.line for entry in entries if isinstance(entry, Published)]
    assert replayed == published
    assert len({msgspec.json.decode(words)["id"] for words in published}) > 1
