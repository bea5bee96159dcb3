"""What is written and what comes back: a line of an alert as columns, and what its lines add up to.

Pure: the same lines in any order, and any of them twice, add up to the same rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from daemon.floor.views import AUDIENCES_OF, ActSeen, Role, Transition

EYES: Mapping[str, frozenset[str]] = {
    "floor": frozenset({"floor"}),
    "maintenance": frozenset({"maintenance"}),
    "staff": frozenset({"floor", "maintenance"}),
    "all": frozenset({"floor", "maintenance", "surveillance", "log"}),
}
"""The audiences seen together: what an alert is to one pair of eyes, it need not be to another."""

CARD = re.compile(r"[2-9TJQKA][cdhs]")
CARDS_MAX = 52
TEXT_MAX = 512
ACT_MAX = 64
PAYLOAD_MAX = 256 * 1024
TITLE_MAX = 200
LANGUAGES_MAX = 8
NUMBER_MAX = 2**62
DECIDED_MAX_MS = 86_400_000  # no deadline of a table's is further off
AHEAD_MAX_MS = 600_000
BEHIND_MAX_MS = 366 * 86_400_000  # no table holds a line back for longer
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Columns = dict[str, Any]


def eyes_of(role: Role) -> str | None:
    """Whose eyes a role looks with; None for a wall, which has no history."""
    if role == "wall":
        return None
    return next(eyes for eyes, seen in EYES.items() if seen == AUDIENCES_OF[role])


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRow:
    """An alert as its lines add up for one pair of eyes.

    `raised_ms` is when the table knew, by its own clock, and where that is unknown when the floor
    heard it; `answer_ms` from there to the first acknowledgement, or to a ruling without any.
    `called` says that it was ever for people, not for the log alone; `gone` that its later lines
    are for others.
    `window_missed`: the ruling could still change when it came, and no more when it was
    acknowledged. `titles` by language. `dealer` is None where it may not be told.
    """

    site: str
    alert: str
    table: str
    hand: str
    street: str
    irregularity: str
    severity: str
    state: str
    audience: str
    revision: int
    level: int
    called: bool
    gone: bool
    at_ms: int | None
    raised_ms: int
    told_ms: int
    acknowledged_by: str | None
    acknowledged_ms: int | None
    answer_ms: int | None
    window_missed: bool
    verdict: str | None
    closed_by: str | None
    closed_ms: int | None
    dealer: str | None
    subject: str
    cards: Sequence[str]
    titles: Mapping[str, str]

    @property
    def key(self) -> str:
        """What its screen names it by."""
        return f"{self.site}/{self.table}/{self.alert}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """One line of an alert, as the table said it."""

    revision: int
    audience: str
    state: str
    severity: str
    told_ms: int
    late: bool
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsRow:
    """How many hands ended at a table within an hour that begins at `hour_ms`."""

    site: str
    table: str
    hour_ms: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelvingRow:
    """That somebody put an alert out of sight."""

    site: str
    table: str
    alert: str
    by: str
    until_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """Who did what at a screen."""

    number: int
    at_ms: int
    login: str
    role: str
    what: str
    about: str
    outcome: str


# --- into the database ----------------------------------------------------------------------------


def milliseconds(moment: datetime) -> int:
    """Since 1970; a moment without a zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = aware - EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def clean(text: str | None, most: int = TEXT_MAX) -> str | None:
    """A text that both databases take: no NUL, no half of a surrogate pair, not endless."""
    if text is None:
        return None
    cut = text[:most].replace("\0", "")
    return cut.encode("utf-8", "replace").decode("utf-8")


def columns(line: Transition) -> Columns:
    """A line as its row; of the payload only what is of the right kind, it may say anything."""
    said = _said(line.payload)
    at_ms = None if line.at is None else milliseconds(line.at)
    window, shelved, closed = (_table(said, key) for key in ("window", "shelved", "closed"))
    is_open = window.get("open")
    audience = line.audience if line.audience in EYES["all"] else "surveillance"
    return {
        "site": clean(line.site),
        "table_name": clean(line.table),
        "alert": clean(line.alert),
        "revision": bounded(line.revision),
        "audience": audience,
        "irregularity": clean(line.irregularity),
        "severity": clean(line.severity),
        "state": clean(line.state),
        "hand": clean(line.hand),
        "street": clean(line.street),
        "at_ms": at_ms,
        "known_ms": _known_ms(said, at_ms),
        "told_ms": milliseconds(line.told),
        "late": line.late,
        "level": min(max(line.level, 0), 1000),
        "window_open": is_open if isinstance(is_open, bool) else None,
        "acknowledged_by": clean(line.acknowledged_by),
        "acknowledged_ms": _since(line.acknowledged_at),
        "shelved_by": _text(shelved, "by"),
        "shelved_until_ms": _moment(shelved, "until"),
        "verdict": clean(line.verdict),
        "closed_by": _text(closed, "by"),
        "closed_ms": _moment(closed, "at"),
        "dealer": clean(line.dealer),
        "subject": _text(said, "subject") or "",
        "cards": _cards(said),
        "titles": _titles(said),
        "payload": line.payload if len(line.payload) <= PAYLOAD_MAX else b"",
    }


def act_columns(site: str, table: str, alert: str, told_ms: int, act: ActSeen) -> Columns:
    """An act since a fault as its row."""
    return {
        "site": clean(site),
        "table_name": clean(table),
        "alert": clean(alert),
        "at_ms": bounded(act["at_ms"]),
        "seat": bounded(act["seat"] or 0),
        "act": clean(act["act"], ACT_MAX),
        "told_ms": told_ms,
    }


def _said(payload: bytes) -> Columns:
    if len(payload) > PAYLOAD_MAX:
        return {}
    try:
        said = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _table(said: Columns, key: str) -> Columns:
    found = said.get(key)
    return found if isinstance(found, dict) else {}


def _text(said: Columns, key: str) -> str | None:
    found = said.get(key)
    return clean(found) if isinstance(found, str) else None


def _since(moment: datetime | None) -> int | None:
    return None if moment is None else milliseconds(moment)


def _moment(said: Columns, key: str) -> int | None:
    found = said.get(key)
    if not isinstance(found, str):
        return None
    try:
        return milliseconds(msgspec.convert(found, datetime))
    except (msgspec.ValidationError, OverflowError):
        return None


def _known_ms(said: Columns, at_ms: int | None) -> int | None:
    """When the table knew: as long after it became wrong as its own two stamps say."""
    wrong, known = said.get("at_ms"), said.get("known_ms")
    if at_ms is None or type(wrong) is not int or type(known) is not int:
        return at_ms
    return at_ms + min(max(known - wrong, 0), DECIDED_MAX_MS)


def bounded(number: int) -> int:
    """A number that both databases take."""
    return min(max(number, -NUMBER_MAX), NUMBER_MAX)


def _cards(said: Columns) -> str:
    found = said.get("cards")
    cards = found[:CARDS_MAX] if isinstance(found, list) else []
    return " ".join(card for card in cards if isinstance(card, str) and CARD.fullmatch(card))


def _titles(said: Columns) -> str:
    texts = _table(said, "text")
    told = {
        str(clean(language, 16)): clean(text["title"], TITLE_MAX)
        for language, text in list(texts.items())[:LANGUAGES_MAX]
        if isinstance(text, dict) and isinstance(text.get("title"), str)
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


# --- what the lines add up to ---------------------------------------------------------------------


def added_up(lines: Iterable[Mapping[str, Any]]) -> list[Columns]:
    """All lines of one alert as its rows of `alert`: one for each pair of eyes that see any."""
    ordered = sorted(lines, key=lambda line: line["revision"])
    seen = {eyes: [one for one in ordered if one["audience"] in EYES[eyes]] for eyes in EYES}
    return [_seen_by(eyes, known, ordered[-1]) for eyes, known in seen.items() if known]


def _seen_by(eyes: str, lines: Sequence[Mapping[str, Any]], newest: Mapping[str, Any]) -> Columns:
    first, last = lines[0], lines[-1]
    taken = next((line for line in lines if _taken(line) is not None), None)
    by, acknowledged_ms = (taken and _taken(taken)) or (None, None)
    ruled = next((line for line in reversed(lines) if line["verdict"] is not None), None)
    closed = next((line for line in lines if line["closed_by"] is not None), None)
    copied = "site alert table_name hand street irregularity severity state audience revision"
    shown = "dealer subject cards titles"
    return {
        "eyes": eyes,
        **{name: last[name] for name in (*copied.split(), *shown.split())},
        "at_ms": first["at_ms"],
        "level": max(line["level"] for line in lines),
        "called": any(line["audience"] != "log" for line in lines),
        "gone": newest["revision"] > last["revision"],
        "raised_ms": _raised_ms(first),
        "told_ms": min(line["told_ms"] for line in lines),
        "last_told_ms": max(line["told_ms"] for line in lines),
        "acknowledged_by": by,
        "acknowledged_ms": taken["told_ms"]
        if taken and acknowledged_ms is None
        else acknowledged_ms,
        "answer_ms": taken and _answer_ms(first, taken, acknowledged_ms),
        "window_missed": _is_missed(first, taken),
        "verdict": ruled and ruled["verdict"],
        "closed_by": closed and closed["closed_by"],
        "closed_ms": closed and closed["closed_ms"],
    }


def _raised_ms(first: Mapping[str, Any]) -> int:
    """By the table's clock, unless it is unknown or cannot be right: then by the floor's."""
    told_ms, known_ms = int(first["told_ms"]), first["known_ms"]
    if known_ms is None or not -BEHIND_MAX_MS <= known_ms - told_ms <= AHEAD_MAX_MS:
        return told_ms
    return int(known_ms)


def _taken(line: Mapping[str, Any]) -> tuple[str, int | None] | None:
    """Who took it and when, by the table's clock: who acknowledged it, or ruled without that."""
    for what in ("acknowledged", "closed"):
        if line[f"{what}_by"] is not None:
            return line[f"{what}_by"], line[f"{what}_ms"]
    return None


def _answer_ms(
    first: Mapping[str, Any], taken: Mapping[str, Any], acknowledged_ms: int | None
) -> int | None:
    """How long it took, by one clock: the table's where it has one, else the floor's."""
    if first["known_ms"] is not None and acknowledged_ms is not None:
        return max(acknowledged_ms - int(first["known_ms"]), 0)
    if first["late"] or taken["late"]:
        return None  # the floor heard of it when it was over
    return max(int(taken["told_ms"] - first["told_ms"]), 0)


def _is_missed(first: Mapping[str, Any], taken: Mapping[str, Any] | None) -> bool:
    """Whether the ruling could change when it was told, and no more when somebody looked."""
    if taken is None or taken["acknowledged_by"] is None:
        return False  # who ruled may have been there all the time
    return first["window_open"] is True and taken["window_open"] is False
