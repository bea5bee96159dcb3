"""What the line finds in a stream of dealing events."""

from __future__ import annotations

from collections import Counter
from functools import cache

from daemon.edges.books import read_books
from daemon.pipeline import Judgement
from daemon.table.events import Betting, TableBegan, write

RULEBOOK = "robert-classic"


@cache
def judgement():
    """The line from dealing events to alerts; a table's first event begins it anew."""
    book, texts = read_books(RULEBOOK)
    return Judgement(book, texts, ("en", "it"))


def found(stream, betting=Betting()):  # noqa: B008 the default is frozen
    """The last line of every alert raised in the stream, by the alert's id."""
    line, last = judgement(), {}
    for number, event in enumerate([TableBegan(table="poker-1", betting=betting), *stream], 1):
        last |= {alert.id: alert for alert in line.take(event, number)}
    return last


def states(alerts):
    """How often each irregularity ended in each state."""
    return Counter((alert.irregularity, alert.state) for alert in alerts.values())


def told(stream):
    """The stream as it is read, for the message of a failed test."""
    return "\n".join(write(event).decode() for event in stream)
