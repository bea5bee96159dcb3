"""One rulebook file as it is written: its tables checked and taken apart, key by key."""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

from msgspec import Meta, Struct, field

from daemon.rules.mistakes import Margin, Mistake, Source, shown, unknown
from daemon.rules.parameters import Parameters
from daemon.rules.remedies import STEPS_MAX, dead_ends
from daemon.rules.vocabulary import (
    FACTS,
    IDS,
    SENSES,
    STEPS,
    Audience,
    BettingLevel,
    Severity,
    WindowKind,
)

DEFAULT = "default"
"""The word that takes back what the row, or the rulebook extended, had said."""

NEEDS_MAX = 16
TOP_KEYS = ("name", "extends", "parameters")

ONE_LINE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*\Z"
Title = Annotated[str, Meta(min_length=1, max_length=120, pattern=ONE_LINE)]
Name = Annotated[str, Meta(min_length=1, max_length=64, pattern=ONE_LINE)]
Cite = Annotated[str, Meta(min_length=1, max_length=80, pattern=ONE_LINE)]
GraceMs = Annotated[int, Meta(ge=0, le=600_000)]

KINDS: dict[str, Any] = {
    "enabled": bool,
    "severity": Severity,
    "first_severity": Severity,
    "after_severity": Severity,
    "audience": Audience,
    "window": WindowKind,
    "cite": Cite,
    "unconfirmed": bool,
    "grace_ms": GraceMs,
    "shadow": bool,
    "betting": BettingLevel,
}
REMEDIES = frozenset({"remedy", "after_remedy"})
ROW_KEYS = frozenset({*KINDS, *REMEDIES, "needs", "when"})
VARIANT_KEYS = ROW_KEYS - {"enabled", "shadow", "needs", "betting", "when"}
OPTIONAL = frozenset({"first_severity", "after_severity", "after_remedy", "grace_ms"})
REQUIRED = ("severity", "audience", "window", "cite", "remedy")

_PARAMETER_KINDS = get_type_hints(Parameters, include_extras=True)

Row = dict[str, Any]


class Written(Struct):
    """What a file says.

    A value None takes back what an extended rulebook says, or stands where a mistake was noted:
    what is wrong is not missing too.
    """

    title: str | None = None
    extends: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)


def read(source: Source, mistakes: list[Mistake]) -> Written:
    """The file's tables, taken apart; what is wrong is added to `mistakes`."""
    margin = Margin(source.file, mistakes)
    written = Written()
    for key, value in source.tables.items():
        match key:
            case "name":
                written.title = margin.taken(key, value, Title) or ""
            case "extends":
                written.extends = margin.taken(key, value, Name)
            case "parameters":
                written.parameters = parameters(margin.of(key), value)
            case _ if key in IDS:
                written.rows[key] = _row(margin.of(key), value)
            case _:
                margin.note(key, unknown(key, "an irregularity", (*IDS, *TOP_KEYS)))
    return written


def parameters(margin: Margin, value: object) -> dict[str, Any]:
    """The parameters of a table; what is wrong is noted in its margin and left out."""
    taken: dict[str, Any] = {}
    for key, item in margin.tables(value).items():
        kind = _PARAMETER_KINDS.get(key)
        if kind is None:
            margin.note(key, unknown(key, "a parameter", _PARAMETER_KINDS))
            continue
        good = margin.taken(key, item, kind)
        if good is not None:
            taken[key] = good
    return taken


def _row(margin: Margin, value: object) -> Row:
    if not isinstance(value, dict):
        margin.tables(value)
        return dict.fromkeys(REQUIRED)
    row = _keys(margin, value, ROW_KEYS)
    if "when" in row:
        row["when"] = _when(margin.of("when"), row["when"])
    return row


def _when(margin: Margin, value: object) -> Row:
    variants: Row = {}
    for fact, item in margin.tables(value).items():
        if fact not in FACTS:
            margin.note(fact, unknown(fact, "a fact", sorted(FACTS)))
        elif item == DEFAULT:
            variants[fact] = None
        else:
            variants[fact] = _keys(margin.of(fact), item, VARIANT_KEYS)
    return variants


def _keys(margin: Margin, value: object, known: frozenset[str]) -> Row:
    row: Row = {}
    for key, item in margin.tables(value).items():
        if key not in known:
            margin.note(key, unknown(key, "a key of this table", sorted(known)))
        elif key == "when":
            row[key] = item
        elif key in OPTIONAL and item == DEFAULT:
            row[key] = None
        else:
            row[key] = _item(margin, key, item)
    return row


def _item(margin: Margin, key: str, item: object) -> object:
    if key in REMEDIES:
        return _remedy(margin, key, item)
    if key == "needs":
        return _needs(margin, key, item)
    return margin.taken(key, item, KINDS[key])


def _remedy(margin: Margin, key: str, item: object) -> tuple[str, ...] | None:
    remedy = _words(item, STEPS_MAX)
    if remedy is None:
        margin.note(key, f"must be a list of at most {STEPS_MAX} steps, is {shown(item)}")
        return None
    wrong = [unknown(step, "a step", sorted(STEPS)) for step in remedy if step not in STEPS]
    wrong = wrong or list(dead_ends(remedy))
    for text in wrong:
        margin.note(key, text)
    return None if wrong else remedy


def _needs(margin: Margin, key: str, item: object) -> tuple[tuple[str, ...], ...] | None:
    if not isinstance(item, list) or len(item) > NEEDS_MAX:
        margin.note(key, f"must be a list of at most {NEEDS_MAX} lists of senses, is {shown(item)}")
        return None
    taken = []
    for one in item:
        senses = _words(one, NEEDS_MAX)
        if not senses:
            margin.note(key, f"must be a list of lists of senses, has {shown(one)}")
            continue
        for sense in senses:
            if sense not in SENSES:
                margin.note(key, unknown(sense, "a sense", sorted(SENSES)))
        taken.append(senses)
    return tuple(taken)


def _words(item: object, at_most: int) -> tuple[str, ...] | None:
    if not isinstance(item, list) or len(item) > at_most:
        return None
    words = tuple(word for word in item if isinstance(word, str))
    return words if len(words) == len(item) else None
