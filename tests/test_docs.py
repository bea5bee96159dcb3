"""The pages for people, held against the program they tell of."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import msgspec
import pytest
from msgspec import Struct
from msgspec.structs import fields

from daemon import cli, payloads
from daemon.alarms.alert import Alert, RemedyStep, Text, Window, line
from daemon.alarms.dealt import Told
from daemon.alarms.judgement import Judgement
from daemon.contract import CHANNELS
from daemon.edges.books import read_books
from daemon.edges.settings import Document, SensorFit, read_settings
from daemon.orders import ERRORS, NEEDS, Answer, Command
from daemon.shipped import config_path
from daemon.table.events import Betting, DealingEvent, Sense, read
from daemon.table.layout import Presence
from daemon.table.lines import LineReader
from daemon.transcript import Header, Reader

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
TURN = DOCS / "examples" / "premature-turn.jsonl"
EVENTS = {kind.__struct_config__.tag: kind for kind in get_args(DealingEvent)}

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_WORD = re.compile(r"`([^`]+)`")
_FILE = re.compile(r"`((?:daemon|drivers|config|docs|requirements|systemd|tests)/[\w./@-]*)`")
_COMMAND = re.compile(r"(?<![\w-])(?:floorcall|python -m daemon)((?: +[^\s`]+)+)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next of its rank or a higher one."""
    head = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert head is not None, f"no heading {title}"
    rest = text[head.end() :]
    end = re.search(rf"^#{{1,{len(head[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def rows(text: str) -> list[list[str]]:
    """The tables' rows as cells, without their heads."""
    cells = [line_.strip("|").split("|") for line_ in text.splitlines() if line_.startswith("|")]
    ruled = {at for at, row in enumerate(cells) if set("".join(row)) <= set("- ")}
    heads = ruled | {at - 1 for at in ruled}
    return [[cell.strip() for cell in row] for at, row in enumerate(cells) if at not in heads]


def first_words(text: str) -> set[str]:
    """The words in code in the first column of the tables."""
    return {word for row in rows(text) for word in _WORD.findall(row[0])}


def fences(text: str, language: str) -> list[str]:
    return [body for kind, body in _FENCE.findall(text) if kind == language]


def anchors(path: Path) -> set[str]:
    """Where a link into this page may lead, as GitHub names headings."""
    heads = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@cache
def judged() -> tuple[tuple[int, Alert], ...]:
    """The alerts of the premature turn, each with the line that brought it."""
    book, texts = read_books("robert-classic", ["en"])
    judgement, reader = Judgement(book, texts, ("en",)), LineReader()
    found = []
    for number, text in enumerate(TURN.read_bytes().splitlines(), 1):
        event = reader.take(text)
        assert event is not None
        found += [(number, alert) for alert in judgement.take(event, number)]
    return tuple(found)


# --- events -------------------------------------------------------------------------------------


def literals(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    for part in get_args(kind) if get_origin(kind) is not Literal else ():
        yield from literals(part)


def in_code(cell: str) -> set[str]:
    return set(_WORD.findall(re.sub(r"\([^)]*\)", "", cell)))


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_is_told_with_its_fields_and_their_words(name: str) -> None:
    table = {row[0].strip("`"): row for row in rows(section(page("events.md"), "Events"))}
    _, required, optional, _ = table[name]
    of_all = {"at_ms", "doubt"}
    told = [field for field in fields(EVENTS[name]) if field.encode_name not in of_all]
    assert in_code(required) == {field.encode_name for field in told if field.required}
    assert in_code(optional) == {field.encode_name for field in told if not field.required}
    for field in told:
        words = set(literals(field.type))
        if words != set(get_args(Sense)):
            assert words <= set(_WORD.findall(required + optional)), field.encode_name


def test_no_event_is_told_that_there_is_not() -> None:
    table = rows(section(page("events.md"), "Events"))
    assert {row[0].strip("`") for row in table} == set(EVENTS)


def test_senses_and_the_words_of_betting_are_all_told() -> None:
    assert first_words(section(page("events.md"), "Senses")) == set(get_args(Sense))
    words = {word for field in fields(Betting) for word in literals(field.type)}
    assert first_words(section(page("events.md"), "Betting")) == words


def test_something_is_judged_by_every_event() -> None:
    looked_for = {
        alias.name
        for module in ("course/follow.py", "alarms/judgement.py")
        for node in ast.walk(ast.parse((ROOT / "daemon" / module).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert [name for name, kind in EVENTS.items() if kind.__name__ not in looked_for] == []


def test_the_examples_lines_are_dealing_events() -> None:
    lines = TURN.read_text("utf-8").splitlines()
    assert [read(text) for text in lines]
    for body in fences(page("events.md"), "jsonl"):
        assert body.strip() in "\n".join(lines)


def test_the_premature_turn_is_judged_as_the_page_tells() -> None:
    before: dict[str, list[str]] = {}
    told = []
    for number, alert in judged():
        states = [step.state for step in alert.remedy]
        old = before.get(alert.id, ["later"] * len(states))
        news = [s for s, was in zip(alert.remedy, old, strict=True) if s.state != was]
        before[alert.id] = states
        steps = " · ".join(f"{step.step} {step.state}" for step in news)
        state = f"{alert.state}, final" if alert.final else alert.state
        told.append([str(number), f"`{alert.irregularity}`", str(alert.revision), state, steps])
    assert rows(section(page("events.md"), "A premature turn")) == told


# --- alerts and topics --------------------------------------------------------------------------


def test_the_alert_shown_is_the_premature_turns_first_word() -> None:
    (shown,) = fences(page("alerts.md"), "json")
    first = next(alert for _, alert in judged() if alert.irregularity == "turn-premature")
    assert msgspec.json.decode(shown) == msgspec.json.decode(line(first))
    assert msgspec.json.decode(shown, type=Alert) == first


def test_every_field_of_an_alert_is_told() -> None:
    told = section(page("alerts.md"), "Fields")
    assert first_words(told) == {field.name for field in fields(Alert)}
    within = {field.name for kind in (Window, RemedyStep, Text) for field in fields(kind)}
    assert within <= set(_WORD.findall(told))


def test_every_doubt_told_of_is_one_that_the_program_has() -> None:
    sources = "\n".join(p.read_text("utf-8") for p in sorted((ROOT / "daemon").rglob("*.py")))
    for doubt in first_words(section(page("alerts.md"), "Doubts")):
        assert f'"{doubt}"' in sources, doubt


def published() -> set[str]:
    """The first level of each topic."""
    return {channel.levels.partition("/")[0] for channel in CHANNELS}


@pytest.mark.parametrize("path", [DOCS / "topics.md", ROOT / "README.md"], ids=name_of)
def test_every_topic_is_told(path: Path) -> None:
    title = "Topics"
    table = rows(section(path.read_text("utf-8"), title).partition("\n## ")[0])
    topics = {_WORD.findall(row[0])[0].partition("/")[0] for row in table}
    assert topics == published()


def keys_of(payload: Any) -> set[str]:
    """The fields of a payload but for its version."""
    return set(get_type_hints(payload)) - {"v"}


def example(title: str) -> dict[str, Any]:
    (shown,) = fences(section(page("topics.md"), title), "json")
    return dict(msgspec.json.decode(shown))


@pytest.mark.parametrize(
    ("title", "payload", "others"),
    [
        ("status", payloads.Status, set()),
        ("hand", payloads.HandView, set()),
        ("coverage", payloads.Coverage, set()),
        ("events", Told, set()),
        ("figures", payloads.AlarmFigures, set()),
        ("answer", Answer, set(ERRORS)),
    ],
)
def test_every_field_of_a_payload_is_told_and_shown(
    title: str, payload: Any, others: set[str]
) -> None:
    assert first_words(section(page("topics.md"), title)) == keys_of(payload) | others
    assert set(example(title)) == keys_of(payload) | {"v"}


def test_a_sensor_is_told_and_shown_and_so_are_those_at_seats() -> None:
    told = first_words(section(page("topics.md"), "sensors"))
    assert keys_of(payloads.SensorState) | keys_of(payloads.SeatsState) <= told
    assert set(example("sensors")) == keys_of(payloads.SensorState) | {"v"}


def test_what_payloads_have_within_is_told_too() -> None:
    for title, part in (
        ("sensors", payloads.AntennaReads), ("hand", payloads.Due), ("hand", payloads.ActTold),
        ("coverage", payloads.Unspotted), ("figures", payloads.Commonest),
        ("figures", payloads.Acknowledged),
    ):  # fmt: skip
        told = section(page("topics.md"), title)
        assert [name for name in keys_of(part) if f"`{name}`" not in told] == []
    assert set(example("sensors")["antennas"]["1"]) == keys_of(payloads.AntennaReads)
    assert set(example("hand")["places"]) == keys_of(payloads.Counts)


def test_every_command_of_people_is_told_with_what_it_needs() -> None:
    table = {_WORD.findall(row[0])[0]: row for row in rows(section(page("topics.md"), "command"))}
    for command, needs in NEEDS.items():
        assert set(needs) <= set(_WORD.findall(table[command][1])), command
    assert keys_of(Command) - {"command", "verdict", "state"} <= first_words(
        section(page("topics.md"), "command")
    )


def test_every_kind_of_noise_is_told() -> None:
    kinds = set()
    for path in sorted((ROOT / "daemon" / "table").glob("*.py")):
        kinds |= set(re.findall(r'\.note\(\w+, "([a-z-]+)"\)', path.read_text("utf-8")))
    assert len(kinds) > 5
    assert kinds - {"unknown-sensor"} <= first_words(section(page("topics.md"), "sensors"))


def test_the_hand_is_told_as_it_is_sent() -> None:
    book, texts = read_books("robert-classic", ["en"])
    judgement, reader = Judgement(book, texts, ("en",)), LineReader()
    for text in TURN.read_bytes().splitlines()[:21]:
        event = reader.take(text)
        assert event is not None
        judgement.take(event)
    assert example("hand") == msgspec.json.decode(msgspec.json.encode(judgement.hand_view()))


# --- journal, configuration, log ----------------------------------------------------------------


def test_the_journals_example_is_a_journal() -> None:
    (shown,) = fences(page("journal.md"), "")
    reader = Reader()
    entries = [entry for text in shown.splitlines() for entry in reader.take(text)]
    kinds = [type(entry).__name__ for entry in entries]
    assert kinds == [
        "PortBack",
        *["Chunk"] * 6,
        "PortLost",
        "Order",
        "Published",
        "Remark",
        "Carried",
        "Remark",
    ]
    signs = {text.split()[0] for text in shown.splitlines()}
    assert first_words(page("journal.md").partition("\n## ")[0]) == signs
    header = section(page("journal.md"), "The header")
    assert first_words(header) == {field.name for field in fields(Header)}


def configured(kind: Any, before: str = "") -> Iterator[str]:
    """Every key of the configuration, the ones of a table below its name."""
    for field in fields(kind):
        yield field.name
        part = SensorFit if field.name == "sensors" else field.type
        parts = [one for one in (part, *get_args(part)) if isinstance(one, type)]
        for one in parts:
            if issubclass(one, Struct):
                yield from configured(one, field.name)


def test_the_example_configuration_shows_every_key() -> None:
    text = config_path("table.example.toml").read_text("utf-8")
    for key in dict.fromkeys(configured(Document)):
        assert re.search(rf"^(# )?(\[+{key}\]+|{key} = )|[{{,] {key} = ", text, re.MULTILINE), key
    assert {"seen", "window", "misses"} == {field.name for field in fields(Presence)}


def test_the_example_configuration_is_usable_as_it_stands() -> None:
    assert read_settings(config_path("table.example.toml")).sensors


def test_what_the_page_says_of_the_log_is_in_the_program() -> None:
    sources = "\n".join(p.read_text("utf-8") for p in sorted((ROOT / "daemon").rglob("*.py")))
    for phrase in first_words(section(page("operation.md"), "The log")):
        assert f'("{phrase}"' in sources, phrase


# --- links, files, commands ---------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_and_every_file_named_is_there(path: Path) -> None:
    text = path.read_text("utf-8")
    for link in _LINK.findall(text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for name in _FILE.findall(text):
        assert (ROOT / name).exists() or name.endswith("-"), name


def test_every_page_that_the_program_points_to_is_there() -> None:
    for folder in ("daemon", "drivers", "config", "systemd"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".toml", ".service", ".conf", ".acl", ".rules"}:
                for name in re.findall(r"docs/[\w-]+\.md", path.read_text("utf-8")):
                    assert (ROOT / name).exists(), f"{name_of(path)}: {name}"


def commands() -> list[tuple[str, str]]:
    """Every command line shown, with the file that shows it."""
    found = []
    for path in [*PAGES, config_path("table.example.toml")]:
        for text in path.read_text("utf-8").splitlines():
            shown = text.startswith(("    ", "#")) and "`" not in text
            for part in [text] if shown else _WORD.findall(text):
                found += [(name_of(path), args.strip()) for args in _COMMAND.findall(part)]
    return found


@pytest.mark.parametrize(("where", "args"), commands())
def test_every_command_line_shown_parses(where: str, args: str) -> None:
    name, *rest = shlex.split(args.partition(" #")[0])
    if name.startswith("-"):
        assert name in {"--version", "--help", "-h"}, where
        return
    command = cli.main.commands[name]
    while isinstance(command, click.Group) and rest:
        name, *rest = rest
        command = command.commands[name]
    if "[" in args:
        known = {option for one in command.params for option in one.opts}
        assert set(re.findall(r"--[a-z-]+", args)) <= known, where
        return
    try:
        command.make_context(name, rest)
    except click.MissingParameter:
        assert not rest, f"{where}: {args}"  # a command that is only spoken of


def test_every_command_is_told_somewhere() -> None:
    assert {args.split()[0] for _, args in commands()} >= set(cli.main.commands)
