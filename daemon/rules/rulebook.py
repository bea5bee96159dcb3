"""A card room's rules as data: parameters, and one ruling per irregularity."""

from __future__ import annotations

from msgspec import Struct

from daemon.rules.parameters import Parameters
from daemon.rules.vocabulary import FACTS, IDS, STEPS, Audience, BettingLevel, Severity, WindowKind

__all__ = ["FACTS", "IDS", "STEPS", "Parameters", "Rulebook", "Ruling", "Variant"]


class Ruling(Struct, frozen=True, kw_only=True):
    """What the book says about one irregularity, its parameters applied.

    `first_severity` holds until dealing or action goes on, `after_severity` and `after_remedy` once
    the window is closed (None: nothing changes). `grace_ms` None is the parameter
    `self_correction_s`; 0 is never held back. `needs` lists sets of senses, any of which will do;
    empty needs nothing. `fact` is the fact this ruling was chosen by, None for the plain one.
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
