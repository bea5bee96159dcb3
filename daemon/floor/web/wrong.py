"""Which fields of what is asked or sent cannot be taken, and why, in the reader's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from daemon.floor.web import forms
from daemon.floor.web.refusals import Wrong
from daemon.floor.web.words import words

SAID_MAX = 64
LABELS = {"slower_s": "slower", "verdict": "outcome"}
"""Fields that people know by another of `[history]` than their own name."""


def misfits(told: Mapping[str, Any], kind: type[Struct], *, strict: bool) -> Iterator[Wrong]:
    """Every field that is not of its type. Of what was written there moments alone are repeated."""
    for one in msgspec.structs.fields(kind):
        name = one.encode_name
        if name not in told:
            if one.required:
                yield Wrong(name, "missing")
            continue
        try:
            msgspec.convert(told[name], one.type, strict=strict)
        except (msgspec.ValidationError, ValueError, OverflowError):
            is_moment = one.type == forms.Moment | None
            said = {"said": cut(str(told[name]))} if is_moment else {}
            yield Wrong(name, "moment" if is_moment else "form", said)


def cut(said: str) -> str:
    """Somebody's text as it is repeated to him: of bounded length, nothing that hides."""
    return "".join(letter if letter.isprintable() else "?" for letter in said[:SAID_MAX])


def in_words(language: str, wrong: Iterable[Wrong]) -> list[forms.WrongSeen]:
    """The same for people, each by the name that its field has on the screen."""
    every = words(language)
    return [
        forms.WrongSeen(
            one.field, f"{_label(every, one.field)}: {every['wrong'][one.what].format(**one.says)}"
        )
        for one in wrong
    ]


def _label(every: Mapping[str, Any], field: str) -> str:
    return str(every["history"].get(LABELS.get(field, field), field))
