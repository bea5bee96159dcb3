"""A finding: one thing that a probe has seen, well or not, in a word that every language has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

OK, NOTE, WARNING, WRONG = "ok", "note", "warning", "wrong"
LEVELS = (OK, NOTE, WARNING, WRONG)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of a part: `what` is a key of `words`, `facts` fill its blanks.

    `part` is itself a key of `words`, `name` which one of its kind. No fact is ever a tag or a
    card.
    """

    level: str
    part: str
    what: str
    name: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether nothing is wrong; warnings are allowed."""
    return all(finding.level != WRONG for finding in findings)
