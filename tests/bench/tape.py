"""What a table says in some hands: messages with their times, to be played for any table.

Dealt hands, one of them with a fault that is put right; at each hand's end somebody closes what
still stands of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import msgspec

from daemon.alarms.alert import Alert, line
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import incident
from daemon.demo.outcome import RIGHT
from daemon.edges.books import read_books
from daemon.messages import Announcer, Topics
from daemon.pipeline import Judgement
from daemon.rules.coverage import coverage
from daemon.table.events import Betting, DealingEvent, TableBegan
from tests.bench.script import SITE

TABLE, JOURNAL = "TABLE", "JOURNAL"
BOOK = "robert-classic"
TOPICS = Topics(SITE, TABLE)
BETTING = Betting(level="acts")
SENSES = frozenset({"place", "board", "burn", "stub", "identity", "order", "keys"})
FAULT = "turn-premature"
LAWFUL = 9  # hands
SEATS = 9
BETWEEN_HANDS_MS = 20_000
CLOSED_MS = 10_000  # after a hand's end
BEAT_MS = 10_000  # a table says so often that it lives
SINCE = "2026-12-01T19:00:00Z"


@dataclass(frozen=True, slots=True)
class Said:
    """A message and its time since the beginning."""

    at_ms: int
    topic: str
    payload: bytes
    retain: bool = True

    def of(self, table: str, turn: int = 0) -> Said:
        """The same of this table, where the tape is played for the turn-th time."""
        topic, payload = self.topic, self.payload
        for name, own in ((TABLE, table), (JOURNAL, str(turn))):
            topic = topic.replace(name, own)
            payload = payload.replace(name.encode(), own.encode())
        return replace(self, topic=topic, payload=payload)


def recorded() -> tuple[list[Said], int]:
    """The tape, and how long it is in milliseconds."""
    judgement = Judgement(*read_books(BOOK), ("en", "it"), journal=JOURNAL)
    judgement.take(TableBegan(table=TABLE, betting=BETTING))
    announcer = Announcer(TOPICS)
    said: list[Said] = []
    shown, end_ms = b"", 0
    for events in _hands(random.Random("tape")):
        stands: dict[str, Alert] = {}
        for event in events:
            for alert in judgement.take(event):
                stands[alert.id] = alert
                said += _told(announcer, alert, event.at_ms)
            view = msgspec.json.encode(judgement.hand_view())
            if view != shown:
                shown = view
                said.append(Said(event.at_ms, TOPICS.at("hand"), view))
        end_ms = events[-1].at_ms + BETWEEN_HANDS_MS
        for alert in stands.values():
            if alert.state != "closed":
                closed = msgspec.structs.replace(
                    alert, state="closed", final=True, revision=alert.revision + 1
                )
                said += _told(announcer, closed, events[-1].at_ms + CLOSED_MS)
    return said, end_ms


def _hands(rng: random.Random) -> Iterator[list[DealingEvent]]:
    deals = evening(rng, SEATS)
    happened = None
    while happened is None:
        happened = incident(FAULT, RIGHT, next(deals), rng)
    events = happened.events
    yield events
    for deal in islice(deals, LAWFUL):
        events = lawful(deal, rng, events[-1].at_ms + BETWEEN_HANDS_MS)
        yield events


def _told(announcer: Announcer, alert: Alert, at_ms: int) -> Iterator[Said]:
    for message in announcer.messages(alert, line(alert)):
        yield Said(at_ms, message.topic, message.payload, message.retain)


def furniture() -> list[Said]:
    """What a table says of itself at the beginning."""
    rows = coverage(read_books(BOOK)[0], SENSES, BETTING)
    spots = [row.id for row in rows if row.how == "spotted"]
    told = {
        "coverage": {"v": 1, "spots": spots, "called": [], "unseen": [], "text": {}},
        "sensors/felt": {"v": 1, "state": "ok", "since": SINCE},
        "hand": {"v": 1, "hand": None},
    }
    others = [Said(0, TOPICS.at(kind), msgspec.json.encode(what)) for kind, what in told.items()]
    return [beat(0), *others]


def beat(at_ms: int) -> Said:
    """The table lives."""
    said = {
        "v": 1, "state": "online", "boot": "b", "seq": at_ms // BEAT_MS, "version": "0.1.0",
        "rulebook": BOOK, "table_state": "open", "since": SINCE, "at": SINCE, "beat_ms": at_ms,
        "troubles": [],
    }  # fmt: skip
    return Said(at_ms, TOPICS.at("status"), msgspec.json.encode(said))
