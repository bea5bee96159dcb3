"""An irregularity in its life, as the floor sees it: the alert, and its public JSON form."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

STANDING_MAX = 500  # alerts of one table that stand at one time


class Window(Struct, frozen=True):
    """Until when the ruling may still change: `open` is None where that cannot be told."""

    kind: str
    open: bool | None


class RemedyStep(Struct, frozen=True):
    """A step of the remedy and how it stands: later, due, done, wrong, void or unseen."""

    step: str
    state: str


class Text(Struct, frozen=True):
    """What people read, in one language."""

    title: str
    ruling: str
    remedy: tuple[str, ...]


class Alert(Struct, frozen=True, kw_only=True):
    """One alert at one revision; the fields are the public format (docs/alerts.md)."""

    v: int = 1
    id: str
    revision: int
    table: str
    hand: str
    irregularity: str
    state: str
    final: bool
    seen: bool
    acknowledged: dict[str, Any] | None = None
    shelved: dict[str, Any] | None = None
    severity: str
    audience: str
    street: str
    subject: str
    seats: tuple[int, ...]
    cards: tuple[str, ...]
    at_ms: int
    known_ms: int
    at: str | None
    rulebook: str
    cite: str
    unconfirmed: bool
    window: Window
    remedy: tuple[RemedyStep, ...]
    text: dict[str, Text]
    evidence: tuple[int, ...]
    superseded_by: str | UnsetType = UNSET
    remedy_of: str | UnsetType = UNSET
    doubt: dict[str, str] | UnsetType = UNSET
    self_corrected: bool | UnsetType = UNSET
    level: int | UnsetType = UNSET
    count: int | UnsetType = UNSET
    verdict: str | UnsetType = UNSET
    closed: dict[str, Any] | UnsetType = UNSET
    note: dict[str, Any] | UnsetType = UNSET
    let_go: bool | UnsetType = UNSET

    @property
    def standing(self) -> bool:
        """Whether it stands: not closed, not only for the log; final and withdrawn is closed."""
        is_closed = self.state == "closed" or (self.final and self.state == "withdrawn")
        return not is_closed and self.audience != "log"


_encoder = msgspec.json.Encoder()


def line(alert: Alert) -> bytes:
    """The alert as one line of JSON, without the line's end; the same bytes wherever it goes."""
    return _encoder.encode(alert)
