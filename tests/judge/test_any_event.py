"""Every event of the format, at any moment of a hand: taken in, and the alerts keep their laws."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daemon.alarms.alert import line as as_line
from daemon.edges.books import read_books
from daemon.pipeline import Judgement
from daemon.table.events import DealingEvent, Tick, write
from daemon.table.lines import LineReader
from tests.judge.hands import checked, closed, dealt, ended, exposed, premature, redealt, rivered
from tests.judge.streams import FLOP

CARDS = st.sampled_from([*FLOP, "Td", "Jc", "8s", "4h", "?1", "?2", "2c", "3c"])
PLACES = st.sampled_from([
    "stub", "seat:1", "seat:2", "seat:3", "seat:9", "board", "board:4", "board:2/1", "burn",
    "aside", "muck", "off",
])  # fmt: skip
SEATS = st.integers(1, 4)
SENSES = st.lists(st.sampled_from(["burn", "board", "muck", "cut", "place"]), min_size=1)
FACES = st.sampled_from(["up", "down", "unknown"])

FIELDS = {
    "hand-started": {"hand": st.sampled_from(["1", "2"]), "button": SEATS,
                     "seats": st.just([1, 2, 3])},
    "hand-ended": {},
    "deck-shuffled": {},
    "deck-cut": {},
    "deck-counted": {"count": st.integers(0, 52), "of": st.sampled_from(["deck", "stub"])},
    "deck-changed": {"deck": st.just("blue")},
    "card-drawn": {"card": CARDS, "n": st.integers(1, 52)},
    "card-moved": {"card": CARDS, "from": PLACES, "to": PLACES, "face": FACES},
    "card-turned": {"card": CARDS, "face": FACES},
    "card-exposed": {"place": PLACES, "by": st.sampled_from(["dealer", "player", "unknown"])},
    "card-boxed": {"card": CARDS},
    "card-odd": {"card": CARDS, "kind": st.sampled_from(["joker", "back", "marked"])},
    "card-identified": {"card": st.sampled_from(["?1", "?2"]), "is": st.just("Td")},
    "cards-scrambled": {"place": PLACES},
    "cards-collected": {"left": st.dictionaries(CARDS, PLACES, max_size=1)},
    "stub-state": {"state": st.sampled_from(["held", "down", "dropped", "disordered", "rebuilt"])},
    "acted": {"seat": SEATS, "all_in": st.booleans(), "action": st.sampled_from(
        ["post", "fold", "check", "call", "bet", "raise", "all-in"])},
    "betting-closed": {},
    "retracted": {"of": st.sampled_from(["acted", "card-moved", "betting-closed", "deck-cut"])},
    "board-declared": {"seat": SEATS},
    "hand-tabled": {"seat": SEATS, "cards": st.sampled_from([[], ["2c", "3c"]])},
    "claimed": {"seat": SEATS, "what": st.just("extra")},
    "pot-pushed": {"seats": st.lists(SEATS, max_size=2)},
    "bets-returned": {},
    "floor-called": {},
    "misdeal-declared": {},
    "premature-called": {},
    "floor-ruled": {"ruling": st.sampled_from(["stands", "misdeal", "redeal", "plays", "other"])},
    "button-moved": {"to": SEATS},
    "boards-agreed": {"boards": st.integers(1, 3)},
    "chips-moved": {"seat": SEATS, "change": st.sampled_from(["came", "left"])},
    "dealer-changed": {"dealer": st.just("k7")},
    "table-state": {"state": st.sampled_from(["open", "paused"])},
    "sensor-lost": {"senses": SENSES},
    "sensor-back": {"senses": SENSES},
    "tick": {},
}  # fmt: skip

HANDS = [
    ended(checked(rivered())),
    ended(redealt(premature()).move("Td", "stub").shuffle().board("2d")),
    ended(exposed().deal(2, 3, 1, 3).move("Kd", "burn").act("call", 1, 2).act("check", 3)),
    ended(dealt().pitch(2, "Ks").move("Ks", "burn").act("call", 1, 2).act("check", 3)),
]
ALLOWED = {
    ("raised", "raised"), ("raised", "remedied"), ("raised", "withdrawn"),
    ("remedied", "remedied"), ("withdrawn", "withdrawn"),
}  # fmt: skip
FINISHED = {"done", "void", "unseen"}
BOOK, TEXTS = read_books("robert-classic")


def event_of(name):
    return st.fixed_dictionaries({"event": st.just(name), **FIELDS[name]})


def judged(lines):
    """(the line, its alerts) for each line of the stream, and for each deadline before it."""
    judgement, reader = Judgement(BOOK, TEXTS, ("en",)), LineReader()
    for number, line in enumerate(lines, 1):
        event = reader.take(json.dumps(line).encode())
        while (due_ms := judgement.hand and judgement.hand.deadline_ms()) is not None:
            if due_ms >= event.at_ms:
                break
            passed = Tick(at_ms=due_ms + 1)
            yield json.loads(write(passed)), told_in(judgement.take(passed, number))
        yield line, told_in(judgement.take(event, number))


def told_in(alerts):
    return [json.loads(as_line(alert)) for alert in alerts]


def mixed(hand, where, events):
    """The hand with these events let in after some of its lines, at the times of those."""
    lines = list(hand.lines)
    for number, event in zip(where, events, strict=True):
        at = 1 + number % len(lines)
        lines.insert(at, {"at_ms": lines[at - 1].get("at_ms", 0), **event})
    return lines


def check_line(line, before, event):
    """One printed line against the one before it of the same alert, None for the first."""
    if before is None:
        assert (line["state"], line["revision"]) == ("raised", 1)
    else:
        assert line["revision"] == before["revision"] + 1
        retracted = event["event"] == "retracted"
        assert not before["final"] or (retracted and line["state"] == "withdrawn")
        undone = retracted and before["state"] == "remedied"
        assert undone or (before["state"], line["state"]) in ALLOWED
        told = {"revision": None, "evidence": None}
        assert {**line, **told} != {**before, **told}
    states = {step["state"] for step in line["remedy"]}
    assert line["state"] != "remedied" or (states and states <= FINISHED)
    assert line["at_ms"] <= line["known_ms"] <= event.get("at_ms", line["known_ms"])
    assert line["evidence"] == sorted(set(line["evidence"]))
    assert all(1 <= seat <= 10 for seat in line["seats"])


def check_laws(stream):
    last = {}
    for event, lines in judged(stream):
        assert [line["revision"] > 1 for line in lines] == sorted(
            line["revision"] > 1 for line in lines
        )
        names = [line["id"] for line in lines]
        assert all(names.count(name) <= 1 + (name not in last) for name in names)
        for line in lines:
            check_line(line, last.get(line["id"]), event)
            last[line["id"]] = line
        for line in lines:
            assert line.get("superseded_by", line["id"]) in last
            assert line.get("remedy_of", line["id"]) in last


def test_every_event_of_the_format_is_here():
    kinds = {str(kind.__struct_config__.tag) for kind in get_args(DealingEvent)}
    assert set(FIELDS) == kinds - {"table"}


def test_what_is_due_late_is_told_at_the_time_that_it_is_known():
    """A flop of two cards lies long enough to be seen; only the next burn says that it was all."""
    short = closed().burn("8s").board("Ah", "7c", face="unknown").move("8s", "board")
    check_laws(ended(short.wait(5000).burn()).lines)


@pytest.mark.parametrize("name", FIELDS)
@settings(max_examples=10, deadline=None)
@given(hand=st.sampled_from(HANDS), where=st.integers(0, 60), choice=st.data())
def test_an_event_at_any_moment_does_no_harm(name, hand, where, choice):
    check_laws(mixed(hand, [where], [choice.draw(event_of(name))]))


@example(
    hand=HANDS[2],
    told=[
        (7, {"event": "card-exposed", "place": "seat:2", "by": "dealer"}),
        (44, {"event": "card-exposed", "place": "seat:1", "by": "unknown"}),
    ],
)
@example(  # what is final never was, once its key is taken back
    hand=HANDS[0],
    told=[
        (8, {"event": "cards-collected", "left": {}}),
        (13, {"event": "retracted", "of": "deck-cut"}),
    ],
)
@example(  # a deadline passes, and then the event brings the next step
    hand=HANDS[1],
    told=[
        (0, {"event": "bets-returned"}),
        (17, {"event": "cards-collected", "left": {}}),
        (20, {"event": "card-boxed", "card": "Jc"}),
    ],
)
@settings(max_examples=150, deadline=None)
@given(
    hand=st.sampled_from(HANDS),
    told=st.lists(
        st.tuples(st.integers(0, 60), st.sampled_from(sorted(FIELDS)).flatmap(event_of)),
        min_size=1,
        max_size=8,
    ),
)
def test_events_at_any_moments_do_no_harm(hand, told):
    check_laws(mixed(hand, [at for at, _ in told], [event for _, event in told]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(FIELDS)).flatmap(event_of), max_size=60))
def test_a_stream_without_rhyme_or_reason_does_no_harm(events):
    check_laws([{"at_ms": 100 * n, **event} for n, event in enumerate(events)])


@settings(max_examples=40, deadline=None)
@given(hand=st.sampled_from(HANDS), lines=st.sets(st.integers(1, 60), max_size=5))
def test_lines_left_out_do_no_harm(hand, lines):
    check_laws([line for n, line in enumerate(hand.lines) if n not in lines or n < 2])
