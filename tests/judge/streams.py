"""Short hands written as public lines of events, and what `floorcall judge` answers to them."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from daemon.cli import main

DECK = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
BEAT_MS = 1000


class Stream:
    """A table told line by line; every event takes a second unless told otherwise.

    Cards nobody names come off the stub in an order that avoids the cards a test names.
    """

    def __init__(self, table=None, **table_facts):
        self.lines = []
        self.now_ms = 0
        self.seats, self.button = (1, 2, 3), 1
        self.lies = {}
        self._spare = iter(())
        if table is not None:
            self.lines.append({"event": "table", "table": table, **table_facts})

    def say(self, event, after_ms=BEAT_MS, **facts):
        """Any event; a trailing underscore frees a field's name (`from_`, `is_`, `break_`)."""
        self.now_ms += after_ms
        named = {key.rstrip("_"): fact for key, fact in facts.items()}
        self.lines.append({"at_ms": self.now_ms, "event": event, **named})
        return self

    def wait(self, ms):
        self.now_ms += ms
        return self

    def start(self, hand="1", seats=(1, 2, 3), button=1, *, ready=True, **facts):
        """A new hand, after the shuffle and the cut if `ready`."""
        self.seats, self.button = tuple(seats), button
        self.lies = {}
        spare = [card for card in DECK if card not in NAMED]
        self._spare = iter(spare)
        self.say("hand-started", hand=hand, button=button, seats=list(seats), **facts)
        if ready:
            self.say("deck-shuffled").say("deck-cut")
        return self

    def order(self):
        seats = sorted(self.seats)
        return [s for s in seats if s > self.button] + [s for s in seats if s <= self.button]

    def next(self):
        return next(self._spare)

    def move(self, card, to, face=None, after_ms=BEAT_MS, **facts):
        source = facts.pop("from_", None) or self.lies.get(card, "stub")
        self.lies[card] = to
        if to == "stub":
            del self.lies[card]
        if face:
            facts["face"] = face
        return self.say("card-moved", after_ms, card=card, from_=source, to=to, **facts)

    def pitch(self, seat, card=None, face="down", after_ms=BEAT_MS, **facts):
        return self.move(card or self.next(), f"seat:{seat}", face, after_ms, **facts)

    def deal(self, *seats, **facts):
        """Pitches in order: to these seats, or the whole deal."""
        for seat in seats or self.order() * 2:
            self.pitch(seat, **facts)
        return self

    def act(self, action, *seats, **facts):
        for seat in seats:
            self.say("acted", seat=seat, action=action, **facts)
        return self

    def burn(self, card=None, face="down", after_ms=BEAT_MS):
        return self.move(card or self.next(), "burn", face, after_ms)

    def board(self, *cards, face="up", after_ms=100):
        for card in cards:
            self.move(card, "board", face, after_ms)
        return self

    def flop(self, *cards, **facts):
        return self.burn().board(*(cards or FLOP), **facts)

    def muck(self, *seats, **facts):
        for seat in seats:
            for card in [c for c, place in self.lies.items() if place == f"seat:{seat}"]:
                self.move(card, "muck", "down", 200, **facts)
        return self

    def shuffle(self):
        return self.say("deck-shuffled").say("deck-cut")

    def collect(self):
        self.lies = {}
        return self.say("cards-collected")

    def end(self):
        return self.collect().say("hand-ended")

    def text(self):
        return "".join(json.dumps(line) + "\n" for line in self.lines)


FLOP = ("Ah", "7c", "2s")
NAMED = frozenset({*FLOP, "Td", "Jc", "8s", "4h", "2d", "Kd", "Ks", "Qs"})


def run(text, *options, files=()):
    """The result of `floorcall judge` on this text (standard input) or on these files."""
    return CliRunner().invoke(main, ["judge", *options, *map(str, files)], input=text)


def judge(stream, *options):
    """The alert lines, read; the exit status must be 0 and stderr empty."""
    text = stream if isinstance(stream, str) else stream.text()
    result = run(text, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return [json.loads(line) for line in result.stdout.splitlines()]


def judge_files(folder: Path, *streams, options=()):
    paths = []
    for number, stream in enumerate(streams, 1):
        path = folder / f"{number}.jsonl"
        path.write_text(stream.text())
        paths.append(path)
    result = run("", *options, files=paths)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def brief(lines):
    """(irregularity, subject, state) of each line, with a mark where it is final."""
    return [
        (line["irregularity"], line["subject"], line["state"] + "!" * line["final"])
        for line in lines
    ]


def last(lines):
    """The last line of each alert, by irregularity."""
    return {line["irregularity"]: line for line in lines}


def steps(line):
    return [(step["step"], step["state"]) for step in line["remedy"]]
