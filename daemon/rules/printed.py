"""A rulebook on paper: as people read it, and as programs do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec

from daemon.rules.rulebook import Rulebook, Ruling
from daemon.rules.texts import Texts

WIDTH = 88
DOT = " · "

_encoder = msgspec.json.Encoder()


def as_json(rulebook: Rulebook, texts: Texts) -> bytes:
    """The rulebook in the public form of `rules --json`: one object, without the line's end."""
    return _encoder.encode(
        {
            "v": 1,
            "rulebook": rulebook.name,
            "parameters": rulebook.parameters,
            "irregularities": [_row(ruling, texts) for ruling in rulebook.rulings.values()],
        }
    )


def _row(ruling: Ruling, texts: Texts) -> dict[str, Any]:
    return {
        "id": ruling.id,
        "enabled": ruling.enabled,
        "severity": ruling.severity,
        "audience": ruling.audience,
        "window": ruling.window,
        "cite": ruling.cite,
        "unconfirmed": ruling.unconfirmed,
        "needs": ruling.needs,
        "betting": ruling.betting,
        "remedy": ruling.remedy,
        "text": {
            language: dict(
                zip(("title", "ruling", "remedy"), texts.text(language, ruling), strict=True)
            )
            for language in texts.languages
        },
    }


def page(rulebook: Rulebook, texts: Texts, language: str) -> str:
    """The rulebook as people of this language read it: plain text, its last line ended."""
    lines = [rulebook.title, rulebook.name]
    for ruling in rulebook.rulings.values():
        lines += ["", *_article(ruling, texts, language)]
    lines += ["", texts.word(language, "page", "parameters")]
    settings: dict[str, object] = msgspec.to_builtins(rulebook.parameters)
    width = max(map(len, settings))
    lines += [f"  {name:<{width}}  {_setting(value)}" for name, value in settings.items()]
    return "\n".join(lines) + "\n"


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _article(ruling: Ruling, texts: Texts, language: str) -> Iterator[str]:
    title, says, remedy = texts.text(language, ruling)
    yield title
    yield DOT.join((ruling.id, *_marks(ruling, texts, language)))
    yield from _paragraph(says, "  ")
    if remedy:
        yield from _steps(remedy)
    else:
        yield f"  {texts.word(language, 'page', 'none')}"
    yield from _late(ruling, texts, language, "  ")
    for variant in ruling.when:
        yield from _variant(ruling, variant.ruling, texts, language)


def _marks(ruling: Ruling, texts: Texts, language: str) -> Iterator[str]:
    if not ruling.enabled:
        yield texts.word(language, "page", "silent")
    severities = [ruling.first_severity, ruling.severity, ruling.after_severity]
    yield " → ".join(texts.word(language, "severity", one) for one in severities if one)
    yield texts.word(language, "audience", ruling.audience)
    yield texts.word(language, "window", ruling.window)
    yield ruling.cite
    for mark in ("unconfirmed", "shadow"):
        if getattr(ruling, mark):
            yield texts.word(language, "page", mark)


def _variant(plain: Ruling, variant: Ruling, texts: Texts, language: str) -> Iterator[str]:
    _, says, remedy = texts.text(language, variant)
    marks = tuple(_marks(variant, texts, language))
    heading = [texts.word(language, "fact", variant.fact or "")]
    if marks != tuple(_marks(plain, texts, language)):
        heading += marks
    yield f"  {DOT.join(heading)}:"
    if says != texts.text(language, plain)[1]:
        yield from _paragraph(says, "    ")
    if variant.remedy != plain.remedy:
        yield from _steps(remedy)
    if variant.after_remedy != plain.after_remedy:
        yield from _late(variant, texts, language, "    ")


def _late(ruling: Ruling, texts: Texts, language: str, indent: str) -> Iterator[str]:
    if ruling.after_remedy is None:
        return
    heading = texts.word(language, "page", "late")
    if not ruling.after_remedy:
        yield f"{indent}{heading}: {texts.word(language, 'page', 'stands')}"
        return
    yield f"{indent}{heading}:"
    yield from _steps(texts.text(language, ruling, ruling.after_remedy)[2])


def _steps(steps: tuple[str, ...]) -> Iterator[str]:
    for number, step in enumerate(steps, start=1):
        yield f"    {number:>2}  {step}"


def _paragraph(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
