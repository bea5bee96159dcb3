"""An irregularity in its life, as the floor sees it: the alert, and its public JSON form."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from daemon.payloads import (
    PHASES,
    Card,
    Doubt,
    Moment,
    Note,
    Number,
    Ordinal,
    Seat,
    Shelving,
    Signed,
    Word,
    one_of,
    told,
)
from daemon.rules.vocabulary import AUDIENCES, SEVERITIES, WINDOWS

STANDING_MAX = 500  # alerts of one table that stand at one time


class Window(Struct, frozen=True):
    """Until when the ruling may still change: `open` is None where that cannot be told."""

    kind: Annotated[str, one_of(*WINDOWS)]
    open: bool | None


class RemedyStep(Struct, frozen=True):
    """A step of the remedy and how it stands: later, due, done, wrong, void or unseen."""

    step: Word
    state: Annotated[str, one_of("later", "due", "done", "wrong", "void", "unseen")]


class Text(Struct, frozen=True):
    """What people read, in one language."""

    title: str
    ruling: str
    remedy: tuple[str, ...]


class Alert(Struct, frozen=True, kw_only=True):
    """One alert at one revision; the fields are the public format (docs/alerts.md)."""

    v: Annotated[int, one_of(1)] = 1
    id: str
    revision: Ordinal
    table: str
    hand: str
    irregularity: Word
    state: Annotated[str, one_of("raised", "remedied", "withdrawn", "closed")]
    final: bool
    seen: bool
    acknowledged: Signed | None = None
    shelved: Shelving | None = None
    severity: Annotated[str, one_of(*SEVERITIES)]
    audience: Annotated[str, one_of(*AUDIENCES)]
    street: Annotated[str, one_of(*PHASES)]
    subject: Word
    seats: tuple[Seat, ...]
    cards: tuple[Card, ...]
    at_ms: Number
    known_ms: Number
    at: Moment | None
    rulebook: str
    cite: str
    unconfirmed: bool
    window: Window
    remedy: tuple[RemedyStep, ...]
    text: dict[str, Text]
    evidence: Annotated[tuple[Ordinal, ...], told(maxItems=1000, uniqueItems=True)]
    superseded_by: str | UnsetType = UNSET
    remedy_of: str | UnsetType = UNSET
    doubt: Doubt | UnsetType = UNSET
    self_corrected: bool | UnsetType = UNSET
    level: Annotated[int, told(minimum=2, maximum=5)] | UnsetType = UNSET
    count: Ordinal | UnsetType = UNSET
    verdict: Annotated[str, one_of("upheld", "none", "other")] | UnsetType = UNSET
    closed: Signed | UnsetType = UNSET
    note: Note | UnsetType = UNSET
    let_go: bool | UnsetType = UNSET
    dealer: str | UnsetType = UNSET

    @property
    def standing(self) -> bool:
        """Whether it stands: not closed, not only for the log; final and withdrawn is closed."""
        is_closed = self.state == "closed" or (self.final and self.state == "withdrawn")
        return not is_closed and self.audience != "log"


class Record(Alert, frozen=True, kw_only=True):
    """An alert as recorders get it: `late` where it tells what was, and not what is."""

    late: Literal[True] | UnsetType = UNSET


_encoder = msgspec.json.Encoder()


def line(alert: Alert) -> bytes:
    """The alert as one line of JSON, without the line's end; the same bytes wherever it goes."""
    return _encoder.encode(alert)
