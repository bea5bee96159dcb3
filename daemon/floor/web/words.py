"""The words of the screens: config/screens/<language>.toml, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from daemon.shipped import config_path

LANGUAGES = ("en", "it")


@cache
def words(language: str) -> dict[str, Any]:
    """All words in this language, by their tables; English where it is not known.

    `steps` are the steps of a hand as the rulebooks word them.
    """
    known = language if language in LANGUAGES else LANGUAGES[0]
    told = _read("screens", known)
    told["steps"] = _read("texts", known)["steps"] | told.get("steps", {})
    return told


def languages() -> list[tuple[str, str]]:
    """Each language: its sign and what it calls itself."""
    return [(sign, str(words(sign)["language"])) for sign in LANGUAGES]


def _read(folder: str, language: str) -> dict[str, Any]:
    return tomllib.loads(config_path(folder, f"{language}.toml").read_text("utf-8"))
