"""The line from dealing events to what leaves the process, for laws about its bytes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from daemon.alarms.alert import line
from daemon.alarms.dealt import Dealt, Seen
from daemon.edges.books import read_books
from daemon.pipeline import Judgement
from daemon.table.events import Betting, TableBegan, Tick, write

SOAK = "FLOORCALL_SOAK" in os.environ


@cache
def _books(rulebook):
    return read_books(rulebook)


def judgement(languages=("en",), rulebook="robert-classic"):
    return Judgement(*_books(rulebook), languages)


@dataclass(slots=True)
class Left:
    """What left: each event's lines, the view of the hand after it, and what is told of it."""

    batches: list[list[bytes]] = field(default_factory=list)
    views: list[bytes] = field(default_factory=list)
    events: list[list[bytes]] = field(default_factory=list)

    @property
    def lines(self):
        return list(chain.from_iterable(self.batches))

    def alerts(self):
        return [json.loads(told) for told in self.lines]


def judged(stream, betting=Betting(), numbers=None, *, opened=None):  # noqa: B008
    """All that leaves because of the stream; `numbers` are what evidence calls the events."""
    judge, left, dealt = judgement(), Left(), Dealt()
    judge.take(TableBegan(table="t", betting=betting, opened=opened), 1)
    for at, event in enumerate(stream):
        alerts = judge.take(event, numbers[at] if numbers else at + 2)
        left.batches.append([line(alert) for alert in alerts])
        left.views.append(json.dumps(judge.hand_view()).encode())
        now = seen(judge)
        told_of = dealt.take([(event, now)], now, event.at_ms)
        left.events.append([write(each) for each in told_of])
    return left


def seen(judge):
    """Which cards all have seen by now, and where those out of the stub lie."""
    course = judge.hand and judge.hand.course
    return Seen(course.public, course.felt.lies) if course else Seen()


def deadlines(stream, betting=Betting()):  # noqa: B008
    """Every time at which something was due to change by the mere passing of time."""
    judge, found = judgement(), set()
    judge.take(TableBegan(table="t", betting=betting), 1)
    for at, event in enumerate(stream):
        while judge.hand and (due := judge.hand.deadline_ms()) is not None and due < event.at_ms:
            found.add(due)
            judge.take(Tick(at_ms=due + 1))
        judge.take(event, at + 2)
    return sorted(found)


def told(stream, betting=Betting()):  # noqa: B008
    """The stream as `judge` reads it."""
    return "\n".join(
        write(event).decode() for event in [TableBegan(table="t", betting=betting), *stream]
    )
