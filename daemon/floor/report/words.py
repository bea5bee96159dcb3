"""How a report speaks: its words, and numbers, dates and spans as its language writes them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache
from typing import Any

from daemon.shipped import config_path

LANGUAGES = ("en", "it")
FIRST_S, LAST_S = -62_135_000_000, 253_402_000_000  # a few days within the years 1 and 9999
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
EMPTY = "\u2013"  # what is not known, or is of nobody


@dataclass(frozen=True, slots=True)
class Speech:
    """One language. `table` is `[report]` of config/screens/<language>.toml."""

    language: str
    table: Mapping[str, Any]
    zone: tzinfo

    def __call__(self, key: str, **parts: object) -> str:
        """The words of this key, as in `column.table`, with their parts filled in."""
        found: Any = self.table
        for step in key.split("."):
            found = found[step]
        return str(found).format(**parts)

    def named(self, table: str, key: str | None) -> str:
        """A word of a table's, as `named("severity", "high")`; the key where there is none."""
        if key is None:
            return EMPTY
        return str(self.table[table].get(key, key))

    def title(self, titles: Mapping[str, str], irregularity: str) -> str:
        """What an irregularity is called in this language, in English, or by its name."""
        return titles.get(self.language) or titles.get("en") or irregularity

    def number(self, number: float | None, digits: int = 0) -> str:
        if number is None:
            return EMPTY
        written = f"{number:,.{digits}f}"
        marks = str.maketrans({",": self("thousands"), ".": self("decimal")})
        return written.translate(marks)

    def share(self, share: float | None) -> str:
        return EMPTY if share is None else f"{self.number(share * 100, 1)} %"

    def span(self, span_ms: int | None) -> str:
        """A length of time, to the second."""
        if span_ms is None:
            return EMPTY
        seconds = round(span_ms / 1000)
        if seconds < 60:
            return f"{seconds} s"
        if seconds < 3600:
            rest = f" {seconds % 60:02} s" if seconds % 60 else ""
            return f"{seconds // 60} min{rest}"
        return f"{self.number(seconds // 3600)} h {seconds % 3600 // 60:02} min"

    def at(self, at_ms: int) -> datetime:
        """By the house's clock; what no calendar has is the last that it has."""
        return datetime.fromtimestamp(min(max(at_ms // 1000, FIRST_S), LAST_S), self.zone)

    def day(self, at_ms: int) -> str:
        at = self.at(at_ms)
        return f"{at.day} {self.table['months'][at.month - 1]} {at.year}"

    def moment(self, at_ms: int | None) -> str:
        """Day and time by the house's clock."""
        return EMPTY if at_ms is None else f"{self.day(at_ms)}, {self.at(at_ms):%H:%M}"

    def moment_s(self, at_ms: int | None) -> str:
        """The same to the second."""
        return EMPTY if at_ms is None else f"{self.day(at_ms)}, {self.at(at_ms):%H:%M:%S}"

    def card(self, card: str) -> str:
        """A card as people write it: 10♦."""
        return f"{card[0].replace('T', '10')}{SUITS[card[1]]}"


def speech(language: str, zone: tzinfo) -> Speech:
    """How a report speaks in this language, in English where it is not known."""
    known = language if language in LANGUAGES else LANGUAGES[0]
    return Speech(known, _words(known), zone)


@cache
def _words(language: str) -> Mapping[str, Any]:
    text = config_path("screens", f"{language}.toml").read_text("utf-8")
    words: Mapping[str, Any] = tomllib.loads(text)["report"]
    return words
