"""The words of the screens: the same in every language, none too many, none missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from daemon.edges.mqtt.papers import WHOSE
from daemon.floor import troubles
from daemon.floor.acts import REASONS
from daemon.floor.views import ROLES
from daemon.floor.web.refusals import WORDS, WRONG
from daemon.floor.web.words import LANGUAGES, words
from daemon.orders import ERRORS
from daemon.payloads import PHASES
from daemon.rules.vocabulary import AUDIENCES, SENSES, SEVERITIES, WINDOWS

WEB = Path(__file__).parents[2] / "daemon" / "floor" / "web"
SOURCES = [*sorted((WEB / "static").glob("*.js")), *sorted((WEB / "templates").glob("*.html"))]
TEXT = "\n".join(path.read_text("utf-8") for path in SOURCES)

TERMS = {
    "severity": SEVERITIES, "severity_says": SEVERITIES, "decides": SEVERITIES,
    "audience": AUDIENCES, "trouble_says": troubles.KEYS, "certificate_of": WHOSE,
    "window_open": WINDOWS, "window_shut": WINDOWS, "window_unknown": WINDOWS,
    "chain_broken": ("broker", "floor", "screens"),
    "act_state": ("sending", "pending", "sent", "done", "undone"),
    "sense": (*SENSES, "acts", "closes"), "street": PHASES, "role": ROLES, "role_says": ROLES,
    "refusal": (*ERRORS, *REASONS, "unreachable"), "mistake": WORDS, "wrong": WRONG,
}  # fmt: skip
"""Tables whose words are the terms of somebody else: all of them, and no more."""

BY_TERM = (
    *TERMS, "need", "state", "verdict", "verdict_says", "decides_audience", "step", "step_says",
    "subject", "place", "betting", "table_state", "sensor_state", "error", "doubt", "act_done",
    "act_doing", "reasons", "deed", "outcome", "refused", "steps", "group",
)  # fmt: skip
"""Tables that are asked for by a term, so that no source names their keys."""


def keys(table: dict[str, Any], above: str = "") -> dict[str, str]:
    """Every key with its path, and its words."""
    found = {}
    for name, value in table.items():
        path = f"{above}{name}"
        found |= keys(value, f"{path}.") if isinstance(value, dict) else {path: str(value)}
    return found


def own(language: str) -> dict[str, str]:
    return {
        key: text for key, text in keys(words(language)).items() if not key.startswith("report.")
    }


def test_every_language_has_the_same_words() -> None:
    english = keys(words("en"))
    for language in LANGUAGES:
        assert keys(words(language)).keys() == english.keys()
        assert [key for key, text in own(language).items() if not text and "ago_" not in key] == []


def test_what_is_filled_in_is_the_same_in_every_language() -> None:
    def gaps(text: str) -> list[str]:
        return sorted(re.findall(r"\{\w+\}", text))

    english, italian = own("en"), own("it")
    assert {k for k in english if gaps(english[k]) != gaps(italian[k])} == set()


@pytest.mark.parametrize("table", TERMS)
def test_every_term_has_its_word(table: str) -> None:
    assert set(words("en")[table]) == set(TERMS[table])


def said(key: str) -> bool:
    """Whether a source asks for this key: whole, or its table by a name that it writes out."""
    table, _, name = re.sub(r"\.(one|other)$", "", key).partition(".")
    whole = rf"[\"'`]{re.escape(f'{table}.{name}')}[\"'`]|words\.{table}\.{name}\b"
    if re.search(whole, TEXT):
        return True
    # say(`table.${name}`), say(`table.part-${name}`), words.table[name]
    parts = re.findall(rf"`{table}\.([\w-]*)\$\{{|words\.{table}\[(?:\"(\w*)\" ~)?", TEXT)
    for part in (before or behind for before, behind in parts):
        rest = name.removeprefix(part)
        if name.startswith(part) and re.search(rf"[\"'\s\[,`]{re.escape(rest)}[\"'\],:`]", TEXT):
            return True
    return bool(re.search(rf"words\.{table}\[\w+ ~", TEXT) and "_title" in name)


def test_no_word_is_there_that_no_screen_says() -> None:
    asked = [key for key in own("en") if "." in key and key.split(".")[0] not in BY_TERM]
    assert [key for key in asked if not said(key)] == []


def test_no_screen_says_a_word_that_is_not_there() -> None:
    known = own("en") | keys({"report": words("en")["report"]})
    asked = set(re.findall(r"""(?:say|count)\(\s*["']([a-z_]+\.[a-z_0-9.-]+)["']""", TEXT))
    asked |= set(re.findall(r"words\.([a-z_]+\.[a-z_0-9]+)\b(?!\[)", TEXT))
    missing = {key for key in asked if key not in known and f"{key}.one" not in known}
    assert {key for key in missing if not key.startswith("report.")} == set()


def test_no_word_hides_behind_a_method_of_its_table() -> None:
    """In a template `words.help.keys` would be the dictionary's own."""
    assert [key for key in own("en") if key.split(".")[-1] in dir(dict)] == []
