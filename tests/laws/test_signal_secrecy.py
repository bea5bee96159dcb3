"""Non-interference from bytes to bytes: the same evening with the unseen cards exchanged."""

from __future__ import annotations

import json
from random import Random

import pytest
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.messages import Announcer, Topics
from daemon.table import events as dealing
from daemon.table.places import plain
from tests.demo.staged import StagedTable
from tests.laws.line import SOAK
from tests.laws.secrecy import Publicity, exchanged
from tests.laws.streams import KINDS, hand

TABLES = 60 if SOAK else 2
HANDS = 3  # of one table, one after the other


def _sensed(events):
    """The stream, event for event, with no face but the board's: keys name no card."""
    for event in events:
        match event:
            case dealing.CardMoved(to=to):
                yield replace(event, face="up" if plain(to) == "board" else "unknown")
            case dealing.CardTurned():
                yield replace(event, face="unknown")
            case dealing.CardExposed():
                yield replace(event, card=None)
            case dealing.HandTabled():
                yield replace(event, cards=())
            case _:
                yield event


def _swept(events):
    """The hand with its cards brought in at its end: else they lie about in the next one."""
    last = events[-1]
    if any(isinstance(event, dealing.CardsCollected) for event in events[-3:]):
        return events
    return [*events[:-1], dealing.CardsCollected(at_ms=last.at_ms), last]


class _Watched(StagedTable):
    """A staged table; `left` is all that leaves it, with the time at which it left."""

    def __init__(self, folder, seed):
        self.left, self._view = [], None
        self._announcer = Announcer(Topics("s", "t"))
        folder.mkdir()
        super().__init__(folder, seed)

    def _take(self, signal):
        for alert in self.line.step(signal):
            payload = line(alert)
            self.left.append((signal.at_ms, payload))
            self.left += [
                (message.topic, message.payload, message.retain)
                for message in self._announcer.messages(alert, payload)
            ]
        view = json.dumps(self.line.hand_view()), self.line.counts
        if view != self._view:
            self.left.append((signal.at_ms, view))
        self._view = view


def _everything(folder, seed, hands):
    table = _Watched(folder, seed)
    for events in hands:
        table.deal(events)
    return table.left


@pytest.mark.parametrize("seed", range(TABLES))
def test_nothing_that_leaves_depends_on_a_tag_that_nobody_has_seen(seed, tmp_path):
    rng = Random(f"signals/{seed}")
    hands = []
    while len(hands) < HANDS:
        kind = None if rng.random() < 0.2 else rng.choice(KINDS)
        one = hand(rng, kind)
        if "duplicate" not in one.name:
            hands.append(_swept(one.events))
    others = [exchanged(events, rng, Publicity(list(_sensed(events)))) for events in hands]
    assert all(other != events for events, other in zip(hands, others, strict=True))
    before = _everything(tmp_path / "a", seed, hands)
    after = _everything(tmp_path / "b", seed, others)
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert one == other
