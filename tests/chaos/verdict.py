"""What must be so when all is healed, read from what the run has left behind."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from daemon.alarms.alert import line
from daemon.edges.journal import read_header, read_journal
from daemon.edges.journal.files import SUFFIX
from daemon.edges.outbox.shelf import FILE
from daemon.edges.settings import Settings, layout
from daemon.messages import Announcer, Topics
from daemon.pipeline import Pipeline
from daemon.replay import Replay
from daemon.transcript import Published
from tests.chaos.broker import stripped

OF_THE_WORLD = ("broker", "journal", "outbox", "figures", "messages lost")

Key = tuple[str, str, int]
Got = dict[Key, bytes]


@dataclass(frozen=True, slots=True)
class Truth:
    """What journals and outbox say was published, by audience, id and revision."""

    told: Got
    twice: list[str]
    unsent: int


def keys(words: bytes, topics: Topics) -> Iterator[Key]:
    """For whom this alert's line is: its audience, and surveillance."""
    said = msgspec.json.decode(words)
    for message in Announcer(topics).recorded(words):
        yield message.topic.rpartition("/")[2], said["id"], said["revision"]


def truth(folder: Path, topics: Topics, *, is_over: bool) -> Truth:
    """The `=` lines of all journals of the run, and what the outbox holds once it is let go."""
    rows = list(_rows(folder)) if is_over else []
    said = [*_published(folder), *(payload for payload, _ in rows)]
    pairs = [(key, words) for words in said for key in keys(words, topics)]
    told = dict(reversed(pairs))
    twice = [f"two different ones are {key}" for key, words in pairs if told[key] != words]
    return Truth(told, twice, sum(not confirmed for _, confirmed in rows))


def _published(folder: Path) -> Iterator[bytes]:
    for path in _journals(folder):
        for entry in read_journal(path):
            if isinstance(entry, Published):
                yield entry.line


def _journals(folder: Path) -> list[Path]:
    """The first parts, the one last written to at the end; the files' own times are never set.

    Nothing is in the file of a run that began and ended on a full disk.
    """
    firsts = [path for path in folder.glob(f"*{SUFFIX}") if "." not in path.stem]
    written = [path for path in firsts if path.stat().st_size]
    return sorted(written, key=lambda path: path.stat().st_mtime_ns)


def _rows(folder: Path) -> Iterator[tuple[bytes, bool]]:
    """Each message on the shelf, and whether the broker has confirmed it."""
    with closing(sqlite3.connect(folder / FILE)) as file:
        for payload, at_ms in file.execute("SELECT payload, confirmed_ms FROM message"):
            yield payload, at_ms is not None


def missing(told: Got, got: Got) -> list[str]:
    return [f"the recorder has no {key}" for key in told if key not in got]


def altered(told: Got, got: Got) -> list[str]:
    return [
        f"the recorder has other words for {key}"
        for key, words in told.items()
        if key in got and stripped(got[key]) != words
    ]


def invented(told: Got, got: Got, blind: Iterable[bytes]) -> list[str]:
    """What stands in no journal; allowed is what a run decided that was ended on a full disk."""
    known = set(blind)
    return [
        f"the recorder has {key}, which no journal has"
        for key, payload in got.items()
        if key not in told and stripped(payload) not in known
    ]


def disordered(timely: dict[str, list[bytes]], decided: list[bytes]) -> list[str]:
    """Audiences of which something that is not said to be late came before an earlier one."""
    places = {words: place for place, words in reversed(list(enumerate(decided)))}
    found = []
    for audience, came in timely.items():
        order = [places[payload] for payload in came if payload in places]
        if order != sorted(order):
            found.append(f"{audience}: out of order")
    return found


def standing(settings: Settings, books: tuple) -> tuple[dict[str, bytes], list[str]]:
    """What stands in the daemon: the last journal once more through the line.

    Second, how its replay differs from what it says was published.
    """
    path = _journals(settings.journal_folder)[-1]
    header = read_header(path)
    entries = list(read_journal(path))
    topics = Topics(settings.document.site, settings.document.table)
    announcer = Announcer(topics)
    replay = Replay(lambda carried: Pipeline(layout(settings, header.opened, carried), *books))
    stands: dict[str, bytes] = {}
    lines = set()
    for entry in entries:
        for alert in replay.take(entry):
            lines.add(line(alert))
            for message in announcer.messages(alert, line(alert)):
                if message.retain:
                    stands[message.topic] = message.payload
    published = {entry.line for entry in entries if isinstance(entry, Published)}
    differs = [f"{len(published ^ lines)} lines of the journal replayed are others"]
    return {t: words for t, words in stands.items() if words}, differs * (published != lines)


def wrongly_retained(stands: dict[str, bytes], there: dict[str, bytes], topics: Topics) -> list:
    root = topics.at("alerts", "")
    there = {topic: words for topic, words in there.items() if topic.startswith(root)}
    return [
        f"{topic} is {'missing' if topic not in there else 'not'} what stands"
        for topic in stands.keys() | there.keys()
        if stands.get(topic) != there.get(topic)
    ]


def unlike(status: bytes, state: str) -> list[str]:
    """How this status differs from `state`, at a table whose broker and disk are well."""
    said = msgspec.json.decode(status)
    ill = [words for words in said.get("troubles", []) if words.startswith(OF_THE_WORLD)]
    wrong = [f"status: {words}" for words in ill]
    return wrong if said.get("state") == state else [*wrong, f"status is not {state}: {said}"]
