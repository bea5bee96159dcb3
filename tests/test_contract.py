"""The contract for other programs: written down as it is, sound, and strict enough to be kept."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from daemon import __version__, cli, contract
from daemon.contract import CHANNELS, FORMS, NOTHING, document, schemas
from daemon.edges.mqtt import calling
from daemon.orders import ERRORS, NEEDS, Command, read
from daemon.payloads import Due
from tests import made_up
from tests.contract import DOCS, MADE_UP, checked, closed, faults, files

BELOW = "floorcall/v1/venezia/poker-12"
META = Path(__file__).parent / "asyncapi" / "3.0.0.json.gz"


def example(page: str, title: str) -> bytes:
    """The example of a payload below a heading of a page."""
    text = (DOCS / page).read_text("utf-8").partition(f"\n{title}\n")[2]
    return text.partition("```json\n")[2].partition("```")[0].encode()


EXAMPLES = {
    "status": example("topics.md", "## status"),
    "sensor": example("topics.md", "## sensors"),
    "hand": example("topics.md", "## hand"),
    "coverage": example("topics.md", "## coverage"),
    "event": example("topics.md", "## events"),
    "alert": example("alerts.md", ""),
    "record": example("alerts.md", ""),
    "figures": example("topics.md", "## figures"),
    "command": example("topics.md", "## command"),
    "answer": example("topics.md", "## answer"),
}


def within(part: Any) -> Iterator[dict[str, Any]]:
    """Every object within, itself included."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from within(each)


def at(whole: Any, ref: str) -> Any:
    """What a reference leads to; KeyError where it leads nowhere."""
    for level in ref.removeprefix("#/").split("/"):
        whole = whole[level]
    return whole


# --- the files ----------------------------------------------------------------------------------


def test_the_files_say_what_the_types_say() -> None:
    for path, text in files().items():
        assert path.read_bytes() == text, f"{path.name}: write it anew: python -m tests.contract"
    assert set((DOCS / "schemas").iterdir()) == set(files()) - {DOCS / "asyncapi.json"}


def test_the_command_prints_the_same() -> None:
    for args, name in (((), "asyncapi"), (("--schema", "alert"), "schemas/alert")):
        printed = CliRunner().invoke(cli.main, ["contract", *args], catch_exceptions=False)
        assert printed.stdout_bytes == (DOCS / f"{name}.json").read_bytes()


# --- the document -------------------------------------------------------------------------------


def test_the_document_is_asyncapi_3() -> None:
    meta = jsonschema_rs.validator_for(json.loads(gzip.decompress(META.read_bytes())))
    assert [each.message for each in meta.iter_errors(document(__version__))] == []
    other = document(__version__)
    other["operations"]["status"]["bindings"]["mqtt"]["qos"] = 7
    assert not meta.is_valid(other)


def test_every_reference_leads_somewhere_and_every_component_is_referred_to() -> None:
    written = document(__version__)
    refs = {each["$ref"] for each in within(written) if isinstance(each.get("$ref"), str)}
    for ref in refs:
        assert at(written, ref)
    for kind, parts in written["components"].items():
        assert {f"#/components/{kind}/{name}" for name in parts} <= refs


def test_every_parameter_of_an_address_is_told_and_no_other() -> None:
    for channel in document(__version__)["channels"].values():
        assert set(re.findall(r"{(\w+)}", channel["address"])) == set(channel["parameters"])


def test_what_is_said_of_the_connection_is_what_the_link_does() -> None:
    assert contract.KEEPALIVE_S == calling.KEEPALIVE_S
    assert contract.PACKET_BYTES_MAX == calling.PACKET_BYTES_MAX


# --- the schemas --------------------------------------------------------------------------------

# AsyncAPI reads a schema as draft 7 does: what the two read otherwise must not be in it.
ALIKE = frozenset(
    "$ref title description type properties required additionalProperties enum const default anyOf "
    "allOf if then items minItems maxItems uniqueItems minimum maximum minLength maxLength pattern "
    "propertyNames".split()
)


def keywords(schema: Any) -> Iterator[str]:
    """Every keyword of a schema, its parts' too; names of properties are none."""
    for key, value in schema.items():
        yield key
        parts = value.values() if key in ("properties", "$defs") else value
        parts = [parts] if isinstance(parts, dict) else parts
        if not isinstance(parts, str | int | None) and key not in ("required", "enum", "default"):
            for part in parts:
                yield from keywords(part)


@pytest.mark.parametrize("name", FORMS)
def test_a_schema_is_one_and_reads_alike_in_both_drafts(name: str) -> None:
    schema = schemas()[name]
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(json.loads(EXAMPLES[name]))
    assert set(keywords(schema)) - {"$schema", "$defs"} <= ALIKE


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_its_own_words_for_what_it_is(name: str) -> None:
    for form in FORMS[name]:
        assert form.__doc__
        assert not form.__doc__.startswith(f"{form.__name__}(")


def mutilated(said: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The payload with one thing wrong in it, each in turn."""
    yield "one field more", {**said, "surplus": 1}
    for name, value in said.items():
        yield f"{name} left out", {key: each for key, each in said.items() if key != name}
        yield f"{name} otherwise", {**said, name: [] if isinstance(value, dict) else {"x": 1}}
        if isinstance(value, dict):
            yield f"{name} with more", {**said, name: {**value, "surplus": {}}}
        if name not in {"id", "boot", "version", "rulebook", "table", "hand", "cite"}:
            if isinstance(value, str):
                yield f"{name} unknown", {**said, name: "No such word"}
            if type(value) is int:
                yield f"{name} negative", {**said, name: -1}


@pytest.mark.parametrize("name", ["status", "sensor", "hand", "alert", "figures"])
def test_nothing_wrong_in_a_payload_is_passed_over(name: str) -> None:
    said = json.loads(EXAMPLES[name])
    assert faults(name, EXAMPLES[name]) == []
    for what, words in mutilated(said):
        assert faults(name, json.dumps(words).encode()), what


def test_receivers_may_pass_over_what_they_do_not_know() -> None:
    for name, schema in schemas().items():
        said = {**json.loads(EXAMPLES[name]), "of_later": 1}
        assert jsonschema_rs.validator_for(schema).is_valid(said)
        assert not jsonschema_rs.validator_for(closed(schema)).is_valid(said)


def test_only_a_record_may_be_late() -> None:
    late = EXAMPLES["alert"].rstrip()[:-1] + b',"late":true}'
    assert faults("record", late) == []
    assert faults("alert", late)


def test_a_due_step_may_be_of_no_seat() -> None:
    step: Due = {"step": "burn"}
    assert faults("hand", msgspec.json.encode({**made_up.hand("1"), "due": [step]})) == []


# --- commands and answers -----------------------------------------------------------------------

texts = st.sampled_from(["", " ", "anna", "poker-12:j:12:1:turn-premature:turn", "x" * 600])
numbers = st.sampled_from([-1, 0, 1, 60, 1440, 1441, 10**9, 10**9 + 1])
orders = st.fixed_dictionaries(
    {},
    optional={
        "v": st.sampled_from([1, 2]),
        "command": st.sampled_from([*NEEDS, "reboot", ""]),
        "alert": texts,
        "revision": numbers,
        "by": texts,
        "verdict": st.sampled_from(["upheld", "none", "other", "maybe", None]),
        "text": texts,
        "minutes": numbers,
        "state": st.sampled_from(["open", "paused", "closed", "maintenance", "ajar", None]),
        "id": texts,
        "colour": texts,
    },
)


@given(orders)
def test_a_command_is_read_where_it_has_the_form_and_only_there(order: dict[str, Any]) -> None:
    is_formed = jsonschema_rs.validator_for(schemas()["command"]).is_valid(order)
    assert isinstance(read(json.dumps(order).encode()), Command) == is_formed


def test_every_error_is_told_in_the_answers_form() -> None:
    assert schemas()["answer"]["properties"]["error"]["enum"] == list(ERRORS)


# --- the tests' own eye -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        (f"{BELOW}/status", EXAMPLES["status"]),
        (f"{BELOW}/sensors/felt", EXAMPLES["sensor"]),
        (f"{BELOW}/sensors/felt", b""),
        (f"{BELOW}/alerts/floor/x", EXAMPLES["alert"]),
        (f"{BELOW}/alerts/floor/self-test", b""),
        (f"{BELOW}/log/surveillance", EXAMPLES["record"]),
        (f"{BELOW}/log/log/self-test", b""),
        (f"{BELOW}/answer/tablet", EXAMPLES["answer"]),
        (f"{BELOW}/command", b"what people say is for the table to judge"),
        (f"floorcall/v1/{MADE_UP}/x/status", b"so is this for the test that made it up"),
    ],
)
def test_what_is_in_order_passes(topic: str, payload: bytes) -> None:
    checked(topic, payload)


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("elsewhere/status", EXAMPLES["status"]),
        (f"{BELOW}/elsewhere", EXAMPLES["status"]),
        (f"{BELOW}/events", b"{}"),
        (f"{BELOW}/status", EXAMPLES["hand"]),
        (f"{BELOW}/status", b""),
        (f"{BELOW}/log/floor", b""),
        (f"{BELOW}/log/floor/self-test", EXAMPLES["record"]),
        (f"{BELOW}/answer", EXAMPLES["answer"].replace(b'"stale"', b'"tired"')),
    ],
)
def test_what_is_not_is_seen(topic: str, payload: bytes) -> None:
    with pytest.raises(AssertionError, match=re.escape(topic)):
        checked(topic, payload)


def test_every_kind_of_message_goes_somewhere() -> None:
    assert {name for each in CHANNELS for name in each.messages} == {*FORMS, NOTHING}
