"""What is wrong with a rulebook or a file of texts: every mistake with its file, table and key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct, inspect

SHOWN_MAX = 48
LISTED_MIN = 5  # so many words and more are listed, fewer are joined by "or"
# A tag's number, which no message repeats: who takes a deck's file for another has written it here.
_TAG = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8,24}(?![0-9A-Za-z])")
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class Source(Struct, frozen=True):
    """A file's parsed tables, with the name it goes by in messages."""

    file: str
    tables: dict[str, Any]


class Mistake(Struct, frozen=True):
    """One thing that is wrong: `table` and `key` are empty where the whole file is meant."""

    file: str
    table: str
    key: str
    text: str

    @property
    def path(self) -> str:
        """Where in the file, such as `turn-premature.severity`."""
        return ".".join(name(part) for part in (self.table, self.key) if part)


class BookError(Exception):
    """Rules or texts that cannot be used, with all of their mistakes in the order of the files."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(listing(self.mistakes))


class Margin(Struct, frozen=True):
    """The margin of a table in a file: where its mistakes are noted as it is read."""

    file: str
    mistakes: list[Mistake]
    table: str = ""

    def note(self, key: str, text: str) -> None:
        """A mistake at this key, or in the table itself where the key is empty."""
        self.mistakes.append(Mistake(self.file, self.table, key, text))

    def of(self, key: str) -> Margin:
        """The margin of a table within this one."""
        return Margin(self.file, self.mistakes, f"{self.table}.{key}" if self.table else key)

    def tables(self, value: object) -> dict[str, Any]:
        """The table's items; none, and a note, where it is no table."""
        if isinstance(value, dict):
            return value
        self.note("", f"must be a table, is {shown(value)}")
        return {}

    def taken(self, key: str, value: object, kind: Any) -> Any:  # noqa: ANN401
        """The value as `kind` (a type msgspec knows) has it; None, and a note, where it has not."""
        try:
            return msgspec.convert(value, kind)
        except (msgspec.ValidationError, ValueError):  # the latter: a number too long to print
            self.note(key, must_be(kind, value))
            return None


def listing(mistakes: Iterable[Mistake]) -> str:
    """All mistakes as people read them: each file once, one line a mistake."""
    files: dict[str, list[Mistake]] = {}
    for mistake in mistakes:
        files.setdefault(mistake.file, []).append(mistake)
    lines = []
    for file, found in files.items():
        lines.append(f"{file} is not usable:")
        width = max(len(mistake.path) for mistake in found)
        told = (f"  {mistake.path:<{width}}  {mistake.text}".rstrip() for mistake in found)
        lines += dict.fromkeys(told)
    return "\n".join(lines)


def name(word: str) -> str:
    """A key as it may be printed: a strange one quoted and cut, a tag's number left out."""
    word = masked(word)
    return word if all(_PLAIN.fullmatch(part) for part in word.split(".")) else shown(word)


def shown(value: object) -> str:
    """A value as it may be printed: quoted, on one line, cut; tables and lists by their size."""
    match value:
        case dict():
            return f"a table of {len(value)}"
        case list():
            return f"a list of {len(value)}"
        case str():
            text = repr(masked(value)[:SHOWN_MAX])
        case bool():
            text = str(value).lower()
        case int() if value.bit_length() > SHOWN_MAX:
            text = "a number far too large"
        case _:
            text = masked(str(value))
    return text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…"


def masked(text: str) -> str:
    """The text with everything that may be a tag's number left out."""
    return _TAG.sub("(a number)", text)


def unknown(word: str, what: str, known: Iterable[str]) -> str:
    """That a word is not one of those known, and which was perhaps meant."""
    near = difflib.get_close_matches(word[:SHOWN_MAX], list(known), n=1)
    hint = f"; perhaps {near[0]}" if near else ""
    return f"{shown(word)} is not {what}{hint}"


def must_be(kind: Any, value: object) -> str:  # noqa: ANN401
    """What a value may be (`kind` is a type msgspec knows), and what it is."""
    return f"must be {_expected(inspect.type_info(kind))}, is {shown(value)}"


def _expected(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(extra_json_schema={"description": str(words)}):
            return words
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            told = [shown(value) for value in values]
            return " or ".join(told) if len(told) < LISTED_MIN else f"one of {', '.join(told)}"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number{_bounds(low, high)}"
        case inspect.FloatType(ge=low, le=high):
            return f"a number{_bounds(low, high)}"
        case inspect.StrType(min_length=None, max_length=None):
            return "text"
        case inspect.StrType(min_length=low, max_length=high):
            return f"one line of {low} to {high} characters"
        case inspect.DictType():
            return "a table"
        case inspect.VarTupleType(min_length=low, max_length=high):
            return f"a list{_many(low, high)}"
        case inspect.UnionType(types=kinds):
            floats = any(isinstance(kind, inspect.FloatType) for kind in kinds)
            idle = (inspect.NoneType, inspect.IntType) if floats else inspect.NoneType
            return " or ".join(_expected(kind) for kind in kinds if not isinstance(kind, idle))
        case _:
            raise AssertionError(kind)


def _many(low: int | None, high: int | None) -> str:
    if high is None:
        return f" of {low} or more" if low else ""
    return f" of {low} to {high}" if low else f" of {high} at most"


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" from {low} to {high}"
