"""The premature turn exactly as the public format tells it."""

from __future__ import annotations

import json

import pytest

from tests.judge.streams import Stream, brief, judge, last, steps

LATER = "later"
REMEDY = (
    "set-aside", "close", "burn", "turn", "close",
    "return-aside", "shuffle", "cut", "river-without-burn",
)  # fmt: skip

TOLD = """
{"at_ms":31000,"event":"acted","seat":2,"action":"check"}
{"at_ms":32000,"event":"card-moved","card":"8s","from":"stub","to":"burn","face":"down"}
{"at_ms":32600,"event":"card-moved","card":"Td","from":"stub","to":"board","face":"up"}
{"at_ms":40000,"event":"card-moved","card":"Td","from":"board","to":"aside"}
{"at_ms":42000,"event":"acted","seat":3,"action":"check"}
{"at_ms":43000,"event":"acted","seat":1,"action":"check"}
{"at_ms":45000,"event":"card-moved","card":"4h","from":"stub","to":"burn","face":"down"}
{"at_ms":45600,"event":"card-moved","card":"Jc","from":"stub","to":"board","face":"up"}
{"at_ms":50000,"event":"acted","seat":2,"action":"check"}
{"at_ms":51000,"event":"acted","seat":3,"action":"check"}
{"at_ms":52000,"event":"acted","seat":1,"action":"check"}
{"at_ms":60000,"event":"card-moved","card":"Td","from":"aside","to":"stub"}
{"at_ms":61000,"event":"deck-shuffled"}
{"at_ms":63000,"event":"deck-cut"}
{"at_ms":64000,"event":"card-moved","card":"2d","from":"stub","to":"board","face":"up"}
"""


def before(pitched=True, ready=True):
    """The hand up to the flop; without pitches and cut it begins with the interesting part."""
    stream = Stream("poker-12", site="venezia", opened="2026-11-29T20:13:31Z")
    stream.start("12", ready=ready)
    if pitched:
        stream.deal()
    return stream.act("call", 1, 2).act("check", 3).flop()


@pytest.fixture(params=[(True, True), (False, True), (False, False)])
def lines(request):
    return judge(before(*request.param).text() + TOLD.strip())


def test_the_burn_is_noted_and_taken_over_by_the_premature_turn(lines):
    assert brief(lines)[:3] == [
        ("burn-premature", "burn", "raised"),
        ("turn-premature", "turn", "raised"),
        ("burn-premature", "burn", "withdrawn"),
    ]
    burn, turn, withdrawn = lines[:3]
    assert (burn["at_ms"], burn["known_ms"], burn["audience"]) == (32000, 32000, "log")
    assert burn["severity"] == "low"
    assert withdrawn["superseded_by"] == turn["id"]
    assert withdrawn["revision"] == 2


def test_the_alert_says_what_the_format_shows(lines):
    turn = next(line for line in lines if line["irregularity"] == "turn-premature")
    shown = {
        "v": 1,
        "id": "poker-12:judge:12:1:turn-premature:turn",
        "revision": 1,
        "table": "poker-12",
        "hand": "12",
        "irregularity": "turn-premature",
        "state": "raised",
        "final": False,
        "seen": True,
        "acknowledged": None,
        "shelved": None,
        "severity": "critical",
        "audience": "floor",
        "street": "flop",
        "subject": "turn",
        "seats": [3, 1],
        "cards": ["Td"],
        "at_ms": 32600,
        "known_ms": 32600,
        "at": "2026-11-29T20:14:03.600Z",
        "rulebook": "robert-classic",
        "cite": "Hold'em irregularities 4",
        "unconfirmed": False,
        "window": {"kind": "unlimited", "open": True},
    }
    assert {key: turn[key] for key in shown} == shown
    assert list(turn)[: len(shown)] == list(shown)
    assert steps(turn) == [(step, "due" if step in ("set-aside", "close") and at < 2 else LATER)
                           for at, step in enumerate(REMEDY)]  # fmt: skip
    assert set(turn["text"]) == {"en", "it"}
    for text in turn["text"].values():
        assert set(text) == {"title", "ruling", "remedy"}
        assert len(text["remedy"]) == len(REMEDY)
        assert all(text["remedy"])


def test_each_event_of_the_remedy_ticks_its_step(lines):
    turns = [line for line in lines if line["irregularity"] == "turn-premature"]
    done = [[step for step, state in steps(line) if state == "done"] for line in turns]
    assert done == [list(REMEDY[:n]) for n in range(len(REMEDY) + 1)]
    assert [line["revision"] for line in turns] == list(range(1, len(turns) + 1))
    assert [line["state"] for line in turns] == ["raised"] * len(REMEDY) + ["remedied"]


def test_the_evidence_is_the_lines_of_the_file():
    text = before().text() + TOLD.strip()
    numbers = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if json.loads(line).get("card") in ("8s", "Td")
    ]
    assert last(judge(text))["turn-premature"]["evidence"] == numbers[:2]


def test_nothing_else_is_found(lines):
    assert set(last(lines)) == {"burn-premature", "turn-premature"}
