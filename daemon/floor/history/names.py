"""What stands in the history by name, and which of it somebody means by a word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from daemon.floor.history.tables import alert, hands
from daemon.floor.order import counted

NAMES_MAX = 500  # of each kind; a rulebook has some hundred irregularities


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Sites, tables, and irregularities with their titles by language, `NAMES_MAX` of each."""

    sites: Sequence[str]
    tables: Sequence[str]
    irregularities: Mapping[str, Mapping[str, str]]

    def title(self, irregularity: str, language: str) -> str:
        """What an irregularity is called in this language, in English, or by its id."""
        titles = self.irregularities[irregularity]
        return titles.get(language) or titles.get("en") or irregularity

    def sites_meant(self, said: str) -> tuple[str, ...]:
        """The site of this name; none where there is none."""
        return _meant(said, dict.fromkeys(self.sites, ()), by_parts=False)

    def tables_meant(self, said: str) -> tuple[str, ...]:
        """The table of this name, else those that have it in their names."""
        return _meant(said, dict.fromkeys(self.tables, ()))

    def irregularities_meant(self, said: str) -> tuple[str, ...]:
        """That of this id or title, in whatever language, else those that have it in theirs."""
        titles = {name: tuple(texts.values()) for name, texts in self.irregularities.items()}
        return _meant(said, titles)


def _meant(
    said: str, named: Mapping[str, tuple[str, ...]], *, by_parts: bool = True
) -> tuple[str, ...]:
    """The keys that are said, by themselves or by another name of theirs; what fits whole alone.

    Where there may be more than are listed, what is said is taken for one of those.
    """
    if said in named:
        return (said,)
    word = said.strip().casefold()
    folded = {key: [one.casefold() for one in (key, *others)] for key, others in named.items()}
    found = tuple(key for key, every in folded.items() if word in every)
    if not found and by_parts and word:
        found = tuple(key for key, every in folded.items() if any(word in one for one in every))
    return found or ((said,) if len(named) >= NAMES_MAX else ())


def names_in(connection: Connection, eyes: str) -> Names:
    """The names of all that these eyes may see, and of every table that ended a hand."""
    seen = alert.c.eyes == eyes
    titled = _each(
        connection, alert.c.irregularity, alert.c.raised_ms, [seen, alert.c.called], alert.c.titles
    )
    sites = {name for (name,) in _each(connection, alert.c.site, alert.c.alert, [seen])}
    tables = {name for (name,) in _each(connection, alert.c.table_name, alert.c.raised_ms, [seen])}
    dealt = [name for (name,) in _each(connection, hands.c.site, hands.c.table_name, [])]
    for site in dealt:
        own = [hands.c.site == site]
        ended = _each(connection, hands.c.table_name, hands.c.hour_ms, own)
        tables.update(name for (name,) in ended)
    return Names(
        sites=sorted(sites.union(dealt)),
        tables=sorted(tables, key=counted)[:NAMES_MAX],
        irregularities={name: json.loads(titles) for name, titles in reversed(titled)},
    )


def _each(
    connection: Connection,
    column: sa.Column[str],
    newest: sa.Column[Any],
    tests: Iterable[sa.ColumnElement[bool]],
    *more: sa.Column[Any],
) -> list[sa.Row[Any]]:
    """The newest row of each value of this column, from its last value to its first.

    Each is one step into the index of `column` and `newest`, however many rows stand between.
    """
    asked = sa.select(column, *more).where(*tests).limit(1)
    asked = asked.order_by(column.desc(), newest.desc())
    found: list[sa.Row[Any]] = []
    while len(found) < NAMES_MAX:
        further = asked.where(column < found[-1][0]) if found else asked
        row = connection.execute(further).first()
        if row is None:
            break
        found.append(row)
    return found
