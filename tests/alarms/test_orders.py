"""Commands of people: what is read, and what is refused with which word."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.orders import ERRORS, NAME_MAX, PAYLOAD_MAX, TEXT_MAX, Answer, Command, read

ACKNOWLEDGE = {"v": 1, "command": "acknowledge", "alert": "t:j:1:1:x:y", "revision": 3,
               "by": "anna", "id": "c1"}  # fmt: skip


def _read(**changes):
    return read(json.dumps({**ACKNOWLEDGE, **changes}).encode())


@pytest.mark.parametrize(
    "fields",
    [
        {"command": "acknowledge"},
        {"command": "close", "verdict": "upheld"},
        {"command": "close", "verdict": "none", "text": "nessuna irregolarità"},
        {"command": "close", "verdict": "other", "text": "seat 4 keeps its card"},
        {"command": "shelve", "minutes": 10, "text": "reader is being changed"},
        {"command": "unshelve"},
        {"command": "note", "text": "player in seat 2 disagrees"},
        {"command": "table-state", "state": "paused", "alert": "", "revision": 0},
    ],
)
def test_every_command_is_read_as_it_was_written(fields):
    wanted = ACKNOWLEDGE | fields
    assert _read(**fields) == Command(**wanted)


def test_fields_of_later_versions_are_passed_over():
    assert _read(colour="green", more={"of": ["it"]}) == Command(**ACKNOWLEDGE)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"command": "reboot"}, "unknown-command"),
        ({"command": ""}, "unknown-command"),
        ({"command": 7}, "malformed"),
        ({"v": 2}, "malformed"),
        ({"by": ""}, "incomplete"),
        ({"by": "  "}, "incomplete"),
        ({"by": "an\nna"}, "malformed"),
        ({"by": "anna\u202e"}, "malformed"),
        ({"by": "x" * (NAME_MAX + 1)}, "malformed"),
        ({"by": None}, "malformed"),
        ({"alert": ""}, "incomplete"),
        ({"revision": 0}, "incomplete"),
        ({"revision": -1}, "malformed"),
        ({"revision": 10**30}, "malformed"),
        ({"revision": "3"}, "malformed"),
        ({"revision": True}, "malformed"),
        ({"command": "close"}, "incomplete"),
        ({"command": "close", "verdict": "perhaps"}, "malformed"),
        ({"command": "shelve", "minutes": 10}, "incomplete"),
        ({"command": "shelve", "text": "why"}, "incomplete"),
        ({"command": "shelve", "text": "why", "minutes": -5}, "malformed"),
        ({"command": "shelve", "text": "why", "minutes": 1e300}, "malformed"),
        ({"command": "note", "text": "x" * (TEXT_MAX + 1)}, "malformed"),
        ({"command": "note", "text": "bell \a"}, "malformed"),
        ({"command": "note", "text": "\ud800"}, "malformed"),
        ({"command": "table-state"}, "incomplete"),
        ({"command": "table-state", "state": "ajar"}, "malformed"),
        ({"id": "c\0"}, "malformed"),
    ],
)
def test_what_is_wrong_is_told_by_one_word(fields, word):
    assert _read(**fields) == word


@pytest.mark.parametrize(
    ("payload", "word"),
    [
        (b"", "malformed"),
        (b"null", "malformed"),
        (b"[]", "malformed"),
        (b'{"command":"acknowledge"', "malformed"),
        (b'{"command":"\xff"}', "malformed"),
        ("{}".encode("utf-16"), "malformed"),
        (b"[" * PAYLOAD_MAX, "malformed"),
        (b'{"x":' * (PAYLOAD_MAX // 5), "malformed"),
        (b'{"x":' + b"[" * (PAYLOAD_MAX - 5), "malformed"),
        (b" " * PAYLOAD_MAX + b"{}", "too-large"),
        (b"0" * 1_000_000, "too-large"),
    ],
    ids=range(11),
)
def test_no_payload_breaks_the_reading(payload, word):
    assert read(payload) == word


jsons = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
nearly = st.fixed_dictionaries(
    {}, optional={name: jsons | st.just(ACKNOWLEDGE.get(name, "close"))
                  for name in Command.__struct_fields__}
)  # fmt: skip


@given(
    st.one_of(
        st.binary(max_size=2 * PAYLOAD_MAX),
        jsons.map(lambda value: json.dumps(value).encode()),
        nearly.map(lambda value: json.dumps(value).encode()),
    )
)
@example(b'{"command":"note","text":"\\ud800","by":"a"}')
def test_any_payload_is_a_command_or_a_known_word(payload):
    told = read(payload)
    assert isinstance(told, Command) or told in ERRORS
    if isinstance(told, Command):
        assert all(getattr(told, name).isprintable() for name in ("by", "id", "text", "alert"))
        assert read(msgspec.json.encode(told)) == told


def test_an_answer_says_only_what_there_is_to_say():
    refused = Answer(id="c1", ok=False, error="stale", revision=4)
    assert msgspec.json.decode(msgspec.json.encode(refused)) == {
        "v": 1, "id": "c1", "ok": False, "error": "stale", "revision": 4,
    }  # fmt: skip
