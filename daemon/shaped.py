"""A TOML document as typed tables: every mistake in keys and types at once, each with its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Struct

from daemon.rules.mistakes import must_be, unknown
from daemon.rules.mistakes import name as path_part

Mistake = tuple[str, str]
Mistakes = Iterator[Mistake]


class SettingsError(Exception):
    """A configuration is not usable: every mistake as (path, what), in the order of the file."""

    def __init__(self, source: Path, mistakes: Sequence[Mistake]) -> None:
        super().__init__(source, mistakes)
        self.source = source
        self.mistakes = tuple(mistakes)

    def __str__(self) -> str:
        width = max(len(path) for path, _ in self.mistakes)
        lines = [f"  {path:<{width}}  {what}" for path, what in self.mistakes]
        return "\n".join([f"{self.source} is not usable:", *lines])


def shaped(value: object, kind: object, path: str, found: list[Mistake]) -> object:
    """The value as `kind`, or None after adding every mistake in it to `found`."""
    bare = _bare(kind)
    if isinstance(bare, type) and issubclass(bare, Struct):
        if not isinstance(value, dict):
            found.append((path, "must be a table"))
            return None
        return _shaped_table(value, bare, path, found)
    try:
        return msgspec.convert(value, type=kind)
    except (msgspec.ValidationError, ValueError):
        found += _within(value, kind, path) or [(path, must_be(kind, value))]
        return None


def _within(value: object, kind: object, path: str) -> list[Mistake]:
    """The mistakes in the items of a list, or in the keys and values of a table."""
    found: list[Mistake] = []
    bare = _bare(kind)
    if get_origin(bare) is tuple and isinstance(value, list):
        for number, item in enumerate(value):
            shaped(item, get_args(bare)[0], f"{path}[{number}]", found)
    elif get_origin(bare) is dict and isinstance(value, dict):
        key_kind, item_kind = get_args(bare)
        for key, item in value.items():
            shaped(key, key_kind, _below(path, key), found)
            shaped(item, item_kind, _below(path, key), found)
    return found


def _bare(kind: object) -> object:
    """The kind without its bounds, and without None, which no TOML says."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    kinds = [one for one in get_args(kind) if one is not NoneType]
    return _bare(kinds[0]) if get_origin(kind) is UnionType and len(kinds) == 1 else kind


def _shaped_table(
    table: dict[str, Any], kind: type[Struct], path: str, found: list[Mistake]
) -> object:
    before = len(found)
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    taken: dict[str, object] = {}
    for key, value in table.items():
        here = _below(path, key)
        if key not in fields:
            found.append((here, unknown(key, "a key here", fields)))
        elif (rows := _rows(fields[key].type)) and isinstance(value, list) and value:
            taken[key] = tuple(
                shaped(row, rows, f"{here}[{n}]", found) for n, row in enumerate(value)
            )
        else:
            taken[key] = shaped(value, fields[key].type, here, found)
    missing = [name for name, field in fields.items() if field.required and name not in table]
    found += [(_below(path, name), "is missing") for name in missing]
    return kind(**taken) if len(found) == before else None


def _rows(kind: object) -> type[Struct] | None:
    """What each item of an array of tables is, None where the field is no such array."""
    bare = _bare(kind)
    item = get_args(bare)[0] if get_origin(bare) is tuple else None
    return item if isinstance(item, type) and issubclass(item, Struct) else None


def _below(path: str, key: str) -> str:
    return f"{path}.{path_part(key)}" if path else path_part(key)


def in_file_order(found: list[Mistake], written: dict[str, Any]) -> list[Mistake]:
    """The mistakes, each once, as their paths stand in what was written."""
    place = {path: number for number, path in enumerate(_paths(written, ""))}

    def line(mistake: Mistake) -> int:
        path = mistake[0]
        while path not in place and path:
            path = re.sub(r"(\.|^)[^.\[\]]*$|\[[^\]]*\]$", "", path)
        return place.get(path, len(place))

    return sorted(dict.fromkeys(found), key=line)


def _paths(value: object, path: str) -> Iterator[str]:
    if path:
        yield path
    match value:
        case dict():
            for key, below in value.items():
                yield from _paths(below, _below(path, key))
        case list():
            for number, below in enumerate(value):
                yield from _paths(below, f"{path}[{number}]")
        case _:
            pass
