"""Messages held against the contract; `python -m tests.contract` writes docs/asyncapi.json anew.

Every message that a test receives from a daemon goes through `checked`: it stands at one of the
topics of docs/asyncapi.json, and its payload has the form of that topic and no field beside it.
Where a test makes up what a table says, that table is of the site `MADE_UP`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec

from daemon import __version__
from daemon.contract import CHANNELS, NOTHING, Channel, as_json, document, schemas

MADE_UP = "made-up"
DOCS = Path(__file__).parents[1] / "docs"

_ROOT = re.compile(r"floorcall/v1/([^/]+)/[^/]+/")
_PATTERNS = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", each.levels)), each) for each in CHANNELS]


def checked(topic: str, payload: bytes) -> None:
    """Hold a message against the contract; what people say to a table is held by the table."""
    root = _ROOT.match(topic)
    assert root is not None, f"{topic}: no topic of a table"
    if root[1] == MADE_UP:
        return
    channel = channel_of(topic[root.end() :])
    assert channel is not None, f"{topic}: is told nowhere"
    if channel.heard:
        return
    kind = channel.messages[0] if payload else NOTHING
    assert kind in channel.messages, f"{topic}: is empty"
    wrong = faults(kind, payload)
    assert not wrong, f"{topic}: {'; '.join(wrong)}: {payload!r}"


@lru_cache(4096)
def channel_of(levels: str) -> Channel | None:
    """The channel of a topic, of which these levels stand below the table's own."""
    return next((each for pattern, each in _PATTERNS if pattern.fullmatch(levels)), None)


def faults(message: str, payload: bytes) -> list[str]:
    """What is wrong with a payload of this kind."""
    if message == NOTHING:
        return ["is not empty"] if payload else []
    said = msgspec.json.decode(payload)
    return [
        f"{'.'.join(map(str, each.instance_path)) or 'all of it'}: {each.message}"
        for each in _validator(message).iter_errors(said)
    ]


@cache
def _validator(message: str) -> Any:
    return jsonschema_rs.validator_for(closed(schemas()[message]))


def closed(schema: Any) -> Any:
    """The same schema, under which no object has a field that it does not tell of."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {"additionalProperties": False} if {"type", "properties"} <= schema.keys() else {}
    return {key: closed(value) for key, value in schema.items()} | shut


def files() -> dict[Path, bytes]:
    """What stands in docs, by file."""
    written = {DOCS / "asyncapi.json": document(__version__)}
    written |= {DOCS / "schemas" / f"{name}.json": each for name, each in schemas().items()}
    return {path: as_json(each) for path, each in written.items()}


if __name__ == "__main__":
    for file, text in files().items():
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
