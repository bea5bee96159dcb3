"""A TOML document as typed tables: every mistake in keys and types at once, each with its path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Struct

from daemon.rules.mistakes import masked, unknown
from daemon.rules.mistakes import name as path_part

Mistake = tuple[str, str]
Mistakes = Iterator[Mistake]


def shaped(value: object, kind: object, path: str, found: list[Mistake]) -> object:
    """The value as `kind`, or None after adding every mistake in it to `found`."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        if not isinstance(value, dict):
            found.append((path, "must be a table"))
            return None
        return _shaped_table(value, kind, path, found)
    try:
        return msgspec.convert(value, type=kind)
    except (msgspec.ValidationError, ValueError) as error:
        what, _, at = str(error).partition(" - at `$")
        where = re.sub(r"^\[\.\.\.\]", "", at.rstrip("`"))
        found.append((path + masked(where), masked(what[0].lower() + what[1:])))
        return None


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
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
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
