"""What people read, per language: titles, rulings, the steps of remedies; read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from daemon.rules.mistakes import BookError, Margin, Mistake, Source, shown, unknown
from daemon.rules.rulebook import Ruling
from daemon.rules.vocabulary import (
    AUDIENCES,
    FACTS,
    IDS,
    OF_THE_TABLE,
    SEVERITIES,
    STEPS,
    WINDOWS,
)

LENGTHS = {"title": 60, "ruling": 400}
STEP_LENGTH_MAX = 80
WORD_LENGTH_MAX = 60

WORDS: dict[str, tuple[str, ...]] = {
    "severity": SEVERITIES,
    "audience": AUDIENCES,
    "window": WINDOWS,
    "fact": tuple(sorted(FACTS)),
    "coverage": ("spotted", "called", "unseen", "nowhere", "silent", "with", "closes", "acts"),
    "page": ("parameters", "late", "stands", "none", "silent", "unconfirmed", "shadow"),
}
"""The words a page of rules is written with, besides the rules themselves."""

TOP_KEYS = ("language", "words", "steps", "books")

_PLACEHOLDER = re.compile(r"[{}]|%[sd(]|\$\w")


class Entry(Struct, frozen=True):
    """The texts of one irregularity, or of one of its facts; None or absent is as without it."""

    title: str | None = None
    ruling: str | None = None
    steps: dict[str, str] = field(default_factory=dict)


class Language(Struct, frozen=True):
    """All texts of one language; `name` is what it calls itself.

    `entries` are by irregularity, `variants` by irregularity and fact; `own` are the words of one
    rulebook, by its name, irregularity and fact ("" for the plain ruling), and go before both.
    """

    name: str
    words: dict[str, dict[str, str]]
    steps: dict[str, str]
    entries: dict[str, Entry]
    variants: dict[tuple[str, str], Entry]
    own: dict[tuple[str, str, str], Entry] = {}


class Texts(Struct, frozen=True):
    """The texts of all languages, by language key such as `en`.

    An alert is put into words anew whenever its hand goes on: `said` has what was asked for before.
    """

    languages: dict[str, Language]
    said: dict[tuple[object, ...], tuple[str, str, tuple[str, ...]]] = field(default_factory=dict)

    def text(
        self, language: str, ruling: Ruling, steps: Sequence[str] | None = None
    ) -> tuple[str, str, tuple[str, ...]]:
        """Title, ruling and remedy of this ruling; `steps` where others than its remedy stand."""
        remedy = ruling.remedy if steps is None else tuple(steps)
        asked = (language, ruling.books, ruling.id, ruling.fact, remedy)
        if (text := self.said.get(asked)) is not None:
            return text
        texts = self.languages[language]
        told = tuple(_told(texts, ruling))
        text = self.said[asked] = (
            next((entry.title for entry in told if entry.title), ""),
            next((entry.ruling for entry in told if entry.ruling), ""),
            tuple(_step(step, told, texts) for step in remedy),
        )
        return text

    def word(self, language: str, kind: str, word: str) -> str:
        """A word of the rules' page, such as the severity `high`, in this language."""
        return self.languages[language].words[kind][word]


def _step(step: str, told: Sequence[Entry], texts: Language) -> str:
    return next((entry.steps[step] for entry in told if step in entry.steps), texts.steps[step])


def _told(texts: Language, ruling: Ruling) -> Iterator[Entry]:
    """Where the ruling's words stand: those of its rulebook first, those of its fact first."""
    facts = (ruling.fact, "") if ruling.fact else ("",)
    keys = [(book, ruling.id, fact) for book in ruling.books for fact in facts]
    yield from (texts.own[key] for key in keys if key in texts.own)
    if (ruling.id, ruling.fact or "") in texts.variants:
        yield texts.variants[ruling.id, ruling.fact or ""]
    yield texts.entries[ruling.id]


def build(sources: Mapping[str, Source], mistakes: Sequence[Mistake] = ()) -> Texts:
    """The texts of the languages' files; every language must have every text.

    `mistakes` were made in finding the files. Raises BookError with all mistakes of all files.
    """
    found = list(mistakes)
    languages = {key: _language(source, found) for key, source in sources.items()}
    _own_of_all(languages, sources, found)
    if found:
        raise BookError(found)
    return Texts(languages)


def _own_of_all(
    languages: Mapping[str, Language], sources: Mapping[str, Source], mistakes: list[Mistake]
) -> None:
    """A rulebook's own words in one language but not in another: there it would be misquoted."""
    every = dict.fromkeys(key for language in languages.values() for key in language.own)
    for name, language in languages.items():
        for book, irregularity, fact in (key for key in every if key not in language.own):
            table = ".".join(("books", book, irregularity, *(("when", fact) if fact else ())))
            mistakes.append(Mistake(sources[name].file, table, "", "has no text in this language"))


def _language(source: Source, mistakes: list[Mistake]) -> Language:
    margin = Margin(source.file, mistakes)
    tables = source.tables
    entries, variants = _entries(margin, tables)
    return Language(
        name=_line(margin, "language", tables.get("language"), WORD_LENGTH_MAX),
        words=_words(margin.of("words"), tables.get("words", {})),
        steps=_all(margin.of("steps"), tables.get("steps", {}), sorted(STEPS), STEP_LENGTH_MAX),
        entries=entries,
        variants=variants,
        own=_own(margin.of("books"), tables.get("books", {})),
    )


def _words(margin: Margin, value: object) -> dict[str, dict[str, str]]:
    tables = margin.tables(value)
    for key in tables:
        if key not in WORDS:
            margin.note(key, unknown(key, "a table of words", WORDS))
    return {
        kind: _all(margin.of(kind), tables.get(kind, {}), words, WORD_LENGTH_MAX)
        for kind, words in WORDS.items()
    }


def _all(margin: Margin, value: object, keys: Iterable[str], length: int) -> dict[str, str]:
    """One line for every key of a fixed vocabulary, no more and no fewer."""
    keys = tuple(keys)
    table = margin.tables(value)
    _only(margin, table, keys, "a word of the rules")
    return {key: _line(margin, key, table.get(key), length) for key in keys}


def _entries(
    margin: Margin, tables: dict[str, Any]
) -> tuple[dict[str, Entry], dict[tuple[str, str], Entry]]:
    entries: dict[str, Entry] = {}
    variants: dict[tuple[str, str], Entry] = {}
    told = (*IDS, *OF_THE_TABLE)
    _only(margin, tables, (*told, *TOP_KEYS), "an irregularity")
    for irregularity in told:
        facts = _article(margin.of(irregularity), tables.get(irregularity, {}), required=True)
        entries[irregularity] = facts.pop("")
        variants |= {(irregularity, fact): entry for fact, entry in facts.items()}
    return entries, variants


def _own(margin: Margin, value: object) -> dict[tuple[str, str, str], Entry]:
    """A rulebook's own words where they differ: by its name, irregularity and fact."""
    own: dict[tuple[str, str, str], Entry] = {}
    for book, articles in margin.tables(value).items():
        at = margin.of(book)
        table = at.tables(articles)
        _only(at, table, IDS, "an irregularity")
        for irregularity in [id_ for id_ in IDS if id_ in table]:
            facts = _article(at.of(irregularity), table[irregularity], required=False)
            own |= {(book, irregularity, fact): entry for fact, entry in facts.items()}
    return own


def _article(margin: Margin, value: object, *, required: bool) -> dict[str, Entry]:
    """The texts of one irregularity by fact, "" for the plain ones."""
    table = margin.tables(value)
    _only(margin, table, (*LENGTHS, "steps", "when"), "a key of this table")
    article = {"": _entry(margin, table, required=required)}
    whens = margin.of("when")
    facts = whens.tables(table.get("when", {}))
    _only(whens, facts, sorted(FACTS), "a fact")
    for fact in facts:
        under = whens.of(fact)
        changes = under.tables(facts[fact])
        _only(under, changes, (*LENGTHS, "steps"), "a key of this table")
        article[fact] = _entry(under, changes, required=False)
    return article


def _entry(margin: Margin, table: dict[str, Any], *, required: bool) -> Entry:
    lines = {
        key: _line(margin, key, table.get(key), length)
        for key, length in LENGTHS.items()
        if required or key in table
    }
    at = margin.of("steps")
    steps = at.tables(table.get("steps", {}))
    _only(at, steps, sorted(STEPS), "a step")
    return Entry(
        title=lines.get("title"),
        ruling=lines.get("ruling"),
        steps={step: _line(at, step, steps[step], STEP_LENGTH_MAX) for step in steps},
    )


def _only(margin: Margin, table: dict[str, Any], known: Sequence[str], what: str) -> None:
    for key in table:
        if key not in known:
            margin.note(key, unknown(key, what, known))


def _line(margin: Margin, key: str, value: object, length: int) -> str:
    """One printable line; a note and no text where it is none."""
    if value is None:
        margin.note(key, "has no text")
    elif not isinstance(value, str):
        margin.note(key, f"must be a text, is {shown(value)}")
    elif not value.strip() or not value.isprintable():
        margin.note(key, f"must be one printable line, is {shown(value)}")
    elif len(value) > length:
        margin.note(key, f"is longer than {length} characters")
    elif _PLACEHOLDER.search(value):
        margin.note(key, "has a placeholder; nothing is filled in")
    else:
        return value
    return ""
