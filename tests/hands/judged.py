"""What the line finds in a stream of dealing events."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from daemon.edges.books import read_books
from daemon.pipeline import Judgement
from daemon.rules.mistakes import Source
from daemon.table.events import Betting, TableBegan, write

RULEBOOK = "robert-classic"
RULEBOOKS = (RULEBOOK, "robert", "tda-2024")
HOUSES = Path(__file__).parents[1] / "houses"


@cache
def judgement(rulebook=RULEBOOK, house=()):
    """The line from dealing events to alerts; a table's first event begins it anew.

    `rulebook` is a shipped one's name or that of a house in tests/houses, `house` are the house's
    parameters: name and value each.
    """
    own = HOUSES / f"{rulebook}.toml"
    name = str(own) if own.exists() else rulebook
    book, texts = read_books(name, None, Source("house", dict(house)) if house else None)
    return Judgement(book, texts, ("en", "it"))


def found(stream, betting=Betting(), rulebook=RULEBOOK):  # noqa: B008 the default is frozen
    """The last line of every alert raised in the stream, by the alert's id."""
    return found_at([TableBegan(table="poker-1", betting=betting), *stream], rulebook)


def found_in(happened):
    """The same of a hand with a mischief, at a table and by a book that can tell it."""
    return found_at([happened.table, *happened.events], happened.rulebook)


def found_at(stream, rulebook=RULEBOOK, house=()):
    """The same of a stream that begins with its table's line."""
    line, last = judgement(rulebook, house), {}
    for number, event in enumerate(stream, 1):
        last |= {alert.id: alert for alert in line.take(event, number)}
    return last


def states(alerts):
    """How often each irregularity ended in each state."""
    return Counter((alert.irregularity, alert.state) for alert in alerts.values())


def told(stream):
    """The stream as it is read, for the message of a failed test."""
    return "\n".join(write(event).decode() for event in stream)
