"""The words of the screens: config/screens/<language>.toml, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from daemon.shipped import config_path

LANGUAGES = ("en", "it")


@cache
def words(language: str) -> dict[str, Any]:
    """All words in this language, by their tables; English where it is not known."""
    known = language if language in LANGUAGES else LANGUAGES[0]
    text = config_path("screens", f"{known}.toml").read_text("utf-8")
    return tomllib.loads(text)


def languages() -> list[tuple[str, str]]:
    """Each language: its sign and what it calls itself."""
    return [(sign, str(words(sign)["language"])) for sign in LANGUAGES]
