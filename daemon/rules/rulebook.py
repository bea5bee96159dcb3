"""A card room's rules as data: parameters, and one ruling per irregularity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daemon.rules import written
from daemon.rules.mistakes import BookError, Margin, Mistake, Source
from daemon.rules.parameters import Parameters
from daemon.rules.remedies import edited, silenced
from daemon.rules.vocabulary import (
    FACTS,
    IDS,
    STEPS,
    UNSEEN,
    Audience,
    BettingLevel,
    Severity,
    WindowKind,
)
from daemon.rules.written import Row, Written

__all__ = ["FACTS", "IDS", "STEPS", "Parameters", "Rulebook", "Ruling", "Variant", "build"]


class Ruling(Struct, frozen=True, kw_only=True):
    """What the book says about one irregularity, its parameters applied.

    `first_severity` holds until dealing or action goes on, `after_severity` and `after_remedy` once
    the window is closed (None: nothing changes). `grace_ms` None is the parameter
    `self_correction_s`; 0 is never held back. `needs` lists sets of senses, any of which will do;
    empty needs nothing. `fact` is the fact this ruling was chosen by, None for the plain one;
    `books` are the rulebook's name and those it extends, the latest first: whose words tell it.
    """

    id: str
    enabled: bool = True
    severity: Severity
    first_severity: Severity | None = None
    after_severity: Severity | None = None
    audience: Audience
    window: WindowKind
    cite: str
    remedy: tuple[str, ...]
    after_remedy: tuple[str, ...] | None = None
    unconfirmed: bool = False
    grace_ms: int | None = None
    shadow: bool = False
    needs: tuple[tuple[str, ...], ...] = ()
    betting: BettingLevel = "none"
    when: tuple[Variant, ...] = ()
    fact: str | None = None
    books: tuple[str, ...] = ()


class Variant(Struct, frozen=True):
    """The ruling as it stands where a fact holds; what it does not override it has taken over."""

    fact: str
    ruling: Ruling


class Rulebook(Struct, frozen=True, kw_only=True):
    """One card room's rules: `name` is the file's name, `title` what people call the text.

    `rulings` has every id of `IDS`.
    """

    name: str
    title: str
    parameters: Parameters
    rulings: dict[str, Ruling]

    def ruling(self, irregularity: str, facts: frozenset[str] = frozenset()) -> Ruling:
        """The ruling under these facts: the first variant whose fact holds, else the plain one."""
        ruling = self.rulings[irregularity]
        for variant in ruling.when:
            if variant.fact in facts:
                return variant.ruling
        return ruling


def build(
    name: str,
    chain: Sequence[Source],
    house: Source | None = None,
    mistakes: Sequence[Mistake] = (),
) -> Rulebook:
    """The rulebook `name`, from the files of its `extends` with the first ancestor first.

    `house` is the `[house]` table of a table's configuration: parameters, which override by name.
    `mistakes` were made in finding the files; where there are any, what a file leaves out is not
    held against it. Raises BookError with all mistakes of all files.
    """
    found: list[Mistake] = []
    read = [written.read(source, found) for source in chain]
    whole = Written()
    for later in read:
        whole = _extended(whole, later)
    if house is not None:
        margin = Margin(house.file, found, "house")
        whole.parameters |= written.parameters(margin, house.tables)
    if not mistakes:
        _complete(whole, Margin(chain[-1].file, found))
    if mistakes or found:
        raise BookError([*mistakes, *found])
    parameters = Parameters(**whole.parameters)
    books = (name, *(_stem(source.file) for source in reversed(chain[:-1])))
    return Rulebook(
        name=name,
        title=whole.title or name,
        parameters=parameters,
        rulings={id_: _ruling(id_, whole.rows[id_], parameters, books) for id_ in IDS},
    )


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".toml")


def _extended(older: Written, newer: Written) -> Written:
    rows = dict(older.rows)
    for irregularity, row in newer.rows.items():
        rows[irregularity] = _row_extended(rows.get(irregularity, {}), row)
    return Written(
        title=older.title if newer.title is None else newer.title,
        parameters=older.parameters | newer.parameters,
        rows=rows,
    )


def _row_extended(older: Row, newer: Row) -> Row:
    when = dict(older.get("when", {}))
    for fact, changes in newer.get("when", {}).items():
        if changes is None:
            when.pop(fact, None)
        else:
            when[fact] = when.get(fact, {}) | changes
    return older | newer | {"when": when}


def _complete(whole: Written, margin: Margin) -> None:
    if whole.title is None:
        margin.note("name", "is missing: what people call this text")
    for irregularity in IDS:
        row = whole.rows.get(irregularity)
        if row is None:
            margin.note(irregularity, "has no table; `enabled = false` is how a text is silent")
            continue
        for key in written.REQUIRED:
            if key not in row:
                margin.of(irregularity).note(key, "is missing")
        if irregularity in UNSEEN and row.get("enabled", True):
            margin.of(irregularity).note("enabled", f"must be false: {UNSEEN[irregularity]}")


def _ruling(irregularity: str, row: Row, parameters: Parameters, books: tuple[str, ...]) -> Ruling:
    keys = {key: row[key] for key in row if key != "when"}
    if silenced(irregularity, parameters):
        keys["enabled"] = False
    plain = Ruling(id=irregularity, books=books, **keys)
    variants = tuple(
        Variant(fact, _edited(replace(plain, fact=fact, **changes), parameters))
        for fact, changes in row["when"].items()
    )
    return replace(_edited(plain, parameters), when=variants)


def _edited(ruling: Ruling, parameters: Parameters) -> Ruling:
    changes: dict[str, Any] = {"remedy": edited(ruling.id, ruling.remedy, parameters)}
    if ruling.after_remedy is not None:
        changes["after_remedy"] = edited(ruling.id, ruling.after_remedy, parameters)
    return replace(ruling, **changes)
