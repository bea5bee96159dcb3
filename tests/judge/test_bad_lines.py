"""Lines that are no dealing event: refused with file, line and field, and never repeated."""

from __future__ import annotations

import json
import re

import pytest

from tests.judge.streams import judge, run

STARTED = '{"at_ms":0,"event":"hand-started","hand":"1","button":1,"seats":[1,2,3]}\n'


def hand(**facts):
    return {"hand": "1", "button": 1, "seats": [1, 2], **facts}


def moved(**facts):
    return {"card": "Td", "from": "stub", "to": "seat:2", **facts}


MISSING = [
    ("hand-started", {"button": 1, "seats": [1, 2]}, "hand"),
    ("hand-started", {"hand": "1", "seats": [1, 2]}, "button"),
    ("hand-started", {"hand": "1", "button": 1}, "seats"),
    ("deck-counted", {}, "count"),
    ("deck-changed", {}, "deck"),
    ("card-drawn", {"card": "Td"}, "n"),
    ("card-drawn", {"n": 1}, "card"),
    ("card-moved", {"from": "stub", "to": "burn"}, "card"),
    ("card-moved", {"card": "Td", "to": "burn"}, "from"),
    ("card-moved", {"card": "Td", "from": "stub"}, "to"),
    ("card-turned", {"card": "Td"}, "face"),
    ("card-exposed", {"card": "Td"}, "place"),
    ("card-boxed", {}, "card"),
    ("card-odd", {"card": "?1"}, "kind"),
    ("card-identified", {"card": "?7"}, "is"),
    ("stub-state", {}, "state"),
    ("acted", {"action": "call"}, "seat"),
    ("acted", {"seat": 1}, "action"),
    ("retracted", {}, "of"),
    ("board-declared", {}, "seat"),
    ("hand-tabled", {}, "seat"),
    ("claimed", {"seat": 1}, "what"),
    ("pot-pushed", {}, "seats"),
    ("floor-ruled", {}, "ruling"),
    ("button-moved", {}, "to"),
    ("boards-agreed", {}, "boards"),
    ("dealer-changed", {}, "dealer"),
    ("table-state", {}, "state"),
    ("sensor-lost", {}, "senses"),
    ("sensor-back", {}, "senses"),
]

WRONG = [
    ("card-moved", moved(card="Zz"), "card"),
    ("card-moved", moved(card="10h"), "card"),
    ("card-moved", moved(card="TD"), "card"),
    ("card-moved", moved(card=5), "card"),
    ("card-moved", moved(to="seat:0"), "to"),
    ("card-moved", moved(to="seat:11"), "to"),
    ("card-moved", moved(to="seat:03"), "to"),
    ("card-moved", moved(to="board:6"), "to"),
    ("card-moved", moved(**{"from": "pocket"}), "from"),
    ("card-moved", moved(face="sideways"), "face"),
    ("card-moved", moved(by="ghost"), "by"),
    ("card-exposed", {"place": "table"}, "place"),
    ("card-identified", {"card": "?7", "is": "?8"}, "is"),
    ("card-identified", {"card": "Td", "is": "Jc"}, "card"),
    ("acted", {"seat": 0, "action": "call"}, "seat"),
    ("acted", {"seat": 11, "action": "call"}, "seat"),
    ("acted", {"seat": "1", "action": "call"}, "seat"),
    ("acted", {"seat": 1.5, "action": "call"}, "seat"),
    ("acted", {"seat": 1, "action": "limp"}, "action"),
    ("acted", {"seat": 1, "action": "call", "amount": -1}, "amount"),
    ("acted", {"seat": 1, "action": "call", "amount": "2"}, "amount"),
    ("hand-started", hand(hand=""), "hand"),
    ("hand-started", hand(hand="a/b"), "hand"),
    ("hand-started", hand(hand="x" * 33), "hand"),
    ("hand-started", hand(hand=12), "hand"),
    ("hand-started", hand(button=0), "button"),
    ("hand-started", hand(seats=[]), "seats"),
    ("hand-started", hand(seats=[1, 1]), "seats"),
    ("hand-started", hand(seats=[1, 11]), "seats"),
    ("hand-started", hand(deal_order=[2]), "deal_order"),
    ("hand-started", hand(dead_seats=[7]), "dead_seats"),
    ("hand-started", hand(game="omaha"), "game"),
    ("hand-started", hand(small_blind=11), "small_blind"),
    ("hand-started", {**hand(), "break": "yes"}, "break"),
    ("floor-ruled", {"ruling": "perhaps"}, "ruling"),
    ("sensor-lost", {"senses": ["smell"]}, "senses"),
    ("table-state", {"state": "asleep"}, "state"),
    ("boards-agreed", {"boards": 0}, "boards"),
    ("card-drawn", {"card": "Td", "n": 0}, "n"),
    ("deck-cut", {"doubt": "x"}, "doubt"),
    ("deck-cut", {"doubt": {}}, "doubt"),
    ("hand-started", hand(hand="a\n"), "hand"),
    ("card-moved", moved(card="Td\n"), "card"),
    ("card-moved", moved(to="burn\n"), "to"),
    ("hand-started", hand(blinds={"11": 1}), "blinds"),
    ("hand-started", hand(blinds={"1": -1}), "blinds"),
    ("hand-started", hand(antes={"1": "x"}), "antes"),
    ("hand-started", hand(straddles={"1": None}), "straddles"),
    ("cards-collected", {"left": {"Zz": "board"}}, "left"),
    ("cards-collected", {"left": {"Td": "floor"}}, "left"),
    ("hand-tabled", {"seat": 1, "cards": ["Zz"]}, "cards"),
    ("pot-pushed", {"seats": [0]}, "seats"),
    ("deck-counted", {"count": -1}, "count"),
]


def refusal(event, facts):
    result = run(STARTED + json.dumps({"at_ms": 1, "event": event, **facts}) + "\n")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    return result.stderr


@pytest.mark.parametrize(("event", "facts", "field"), MISSING)
def test_a_required_field_that_is_missing_is_named(event, facts, field):
    assert refusal(event, facts) == f"stdin:2: {field}: is missing\n"


@pytest.mark.parametrize(("event", "facts", "field"), WRONG)
def test_a_field_that_is_wrong_is_named(event, facts, field):
    assert re.match(rf"stdin:2: {field}[\[.:]", refusal(event, facts))


@pytest.mark.parametrize("field", ["at_ms", "event"])
def test_every_line_has_an_event_and_a_time(field):
    line = {"at_ms": 1, "event": "tick"}
    del line[field]
    result = run(json.dumps(line))
    assert (result.exit_code, result.stderr) == (1, f"stdin:1: {field}: is missing\n")


@pytest.mark.parametrize("at_ms", [-1, 1.5, "1", None, True])
def test_a_time_is_a_whole_number_of_milliseconds(at_ms):
    result = run(json.dumps({"at_ms": at_ms, "event": "tick"}))
    assert result.exit_code == 1
    assert result.stderr.startswith("stdin:1: at_ms: ")


def test_time_never_runs_backwards():
    result = run('{"at_ms":5,"event":"tick"}\n{"at_ms":4,"event":"tick"}\n')
    assert result.exit_code == 1
    assert result.stderr.startswith("stdin:2: at_ms: ")


def test_time_may_stand_still():
    assert run('{"at_ms":5,"event":"tick"}\n{"at_ms":5,"event":"tick"}\n').exit_code == 0


@pytest.mark.parametrize(
    "line", ["hello", "[1,2]", "5", "null", '"x"', '{"at_ms":1', '{"at_ms":1,"event":"tick"} x']
)
def test_what_is_no_object_of_json_is_refused_with_its_line(line):
    result = run(STARTED + line + "\n")
    assert result.exit_code == 1
    assert result.stderr.startswith("stdin:2: ")


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_a_line_as_deep_as_a_well_is_refused_or_ignored_and_never_the_end(depth):
    deep = f'{{"at_ms":1,"event":"tick","x":{"[" * depth}{"]" * depth}}}'
    result = run(STARTED + deep + "\n")
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(STARTED.encode() + b'{"at_ms":1,"event":"\xff\xfe"}\n')
    result = run("", files=[path])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{path}:2: ")


SECRETS = ("e0040150aabbccdd", "04A1B2C3D4E580", "As9h")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_message_never_repeats_a_tag_or_a_card(secret):
    for event, facts in [
        ("card-moved", moved(card=secret)),
        ("card-moved", moved(to=f"seat:{secret}")),
        ("card-exposed", {"place": "seat:1", "card": secret}),
        ("card-identified", {"card": "?1", "is": secret}),
        ("hand-tabled", {"seat": 1, "cards": [secret]}),
        (f"card-{secret}", {}),
    ]:
        assert secret not in refusal(event, facts)


def test_unknown_fields_are_ignored():
    known = STARTED + '{"at_ms":5,"event":"card-moved","card":"Td","from":"stub","to":"seat:3"}\n'
    more = known.replace('"event"', '"mood":{"dealer":["tired"]},"event"')
    assert judge(more) == judge(known)


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({}, "table"),
        ({"table": ""}, "table"),
        ({"table": "t", "seat_count": 11}, "seat_count"),
        ({"table": "t", "sees": ["smell"]}, "sees"),
        ({"table": "t", "betting": {"level": "some"}}, "betting"),
        ({"table": "t", "betting": {"source": "nobody"}}, "betting"),
    ],
)
def test_a_table_line_is_held_to_its_fields_too(facts, field):
    result = run(json.dumps({"event": "table", **facts}))
    assert result.exit_code == 1
    assert re.match(rf"stdin:1: {field}[\[.:]", result.stderr)


@pytest.mark.parametrize(
    ("event", "facts", "field"),
    [
        ("acted", {"seat": 7, "action": "call"}, "seat"),
        ("card-moved", moved(to="seat:7"), "to"),
        ("card-moved", moved(**{"from": "seat:7"}), "from"),
        ("card-exposed", {"place": "seat:7"}, "place"),
        ("hand-started", hand(blinds={"9": 1}), "blinds"),
        ("hand-started", hand(straddles={"9": 1}), "straddles"),
        ("hand-started", hand(seats=[1, 7]), "seats"),
        ("pot-pushed", {"seats": [7]}, "seats"),
        ("button-moved", {"to": 7}, "to"),
        ("cards-collected", {"left": {"Td": "seat:7"}}, "left"),
    ],
)
def test_a_seat_beyond_the_table_is_refused(event, facts, field):
    table = '{"event":"table","table":"t","seat_count":6}\n'
    result = run(table + STARTED + json.dumps({"at_ms": 1, "event": event, **facts}))
    assert result.exit_code == 1
    assert re.match(rf"stdin:3: {field}[\[.:]", result.stderr)


def test_a_time_beyond_all_reason_is_refused():
    text = '{"event":"table","table":"t","opened":"2026-11-29T20:13:31Z"}\n'
    result = run(text + STARTED.replace(":0,", ":99999999999999999999,"))
    assert result.exit_code == 1
    assert result.stderr.startswith("stdin:2: at_ms: ")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"event":"table","table":"t","opened":"yesterday"}', "opened: must be a time such as"),
        ('{"event":"table","table":"t","sees":["smell"]}', "sees[0]: must be one of aside, board"),
        ('{"event":"table","table":"t","betting":{"level":"x"}}', "one of acts, closes, none"),
        ('{"at_ms":1,"event":"table-state","state":"x"}', "one of closed, maintenance, open"),
        ('{"at_ms":1,"event":"claimed","seat":1,"what":"x"}', "one of exposed, extra, fouled"),
    ],
)
def test_a_word_that_is_not_known_brings_the_known_ones(line, what):
    answer = run(line + "\n")
    assert answer.exit_code == 1
    assert what in answer.stderr
