"""What comes over MQTT, taken for what it may be: topics apart, payloads looked at key by key.

Anybody who may write at the broker may have written it. What is too large, too deep, or no JSON
counts as not said; a known key of the wrong type counts as left out, an unknown one passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from daemon.alarms.alert import RemedyStep, Text, Window
from daemon.floor.views import Payload
from daemon.messages import ROOT, level_mistake
from daemon.payloads import Counts, Doubt, Due, Note, Shelving, Signed

HEARD_AUDIENCES = ("floor", "maintenance", "surveillance")
"""Those that the floor listens to; surveillance has a copy of everything."""

KIB = 1024
BYTES_MAX = {
    "status": 16 * KIB,
    "sensors": 16 * KIB,
    "hand": 16 * KIB,
    "figures": 8 * KIB,
    "coverage": 96 * KIB,
    "alerts": 48 * KIB,
    "log": 48 * KIB,
    "answer": 4 * KIB,
}
"""The kinds of topic that are listened to, and what a payload of each may weigh."""

DEEP_MAX = 12
PARTS_MAX = 4000  # values in one payload: to look at each takes time that all tables share
WHOLE_MAX = 2**53  # beyond it a browser's numbers have gaps
WORD_MAX = 256
ID_MAX = 256

_LEVELS = len(f"{ROOT}/site/table/kind".split("/"))
_BELOW = {"sensors": {1}, "alerts": {2}, "log": {1}, "answer": {0, 1}}  # levels behind the kind

Act = dict[str, int | str | None]

FORMS: Mapping[str, Mapping[str, Any]] = {
    "status": {
        "state": str, "boot": str, "version": str, "rulebook": str, "table_state": str,
        "since": str, "at": str, "beat_ms": int, "troubles": list[str],
    },
    "sensors": {
        "state": str, "since": str, "hands": int, "errors": dict[str, int],
        "antennas": dict[str, dict[str, Any]], "polls": int, "missed": int,
    },
    "hand": {
        "hand": str | None, "deal": int, "street": str, "button": int | None,
        "seats_in": list[int], "places": Counts, "public": list[tuple[str, str]],
        "due": list[Due], "seen": bool, "acts": list[Act],
    },
    "figures": {
        "window_ms": int, "hands": int, "alerts": int, "per_10_min": float | None,
        "per_100_hands": float | None, "commonest": dict[str, Any] | None, "chattering": int,
        "repeats": int, "standing": int, "stale": int, "acknowledged": dict[str, int | None],
        "withdrawn": float | None, "escalated": int, "flood": bool, "flood_ms": int | None,
    },
    "coverage": {
        "rulebook": str, "never": list[str], "silent": list[str],
        "spots": list[str], "called": list[str], "unseen": list[dict[str, Any]],
        "text": dict[str, dict[str, str]],
    },
    "alerts": {
        "id": str, "revision": int, "table": str, "hand": str, "irregularity": str, "state": str,
        "final": bool, "seen": bool, "acknowledged": Signed | None, "shelved": Shelving | None,
        "severity": str, "audience": str, "street": str, "subject": str, "seats": list[int],
        "cards": list[str], "at_ms": int, "known_ms": int, "at": str | None, "rulebook": str,
        "cite": str, "unconfirmed": bool, "window": Window, "remedy": list[RemedyStep],
        "text": dict[str, Text], "evidence": list[int], "superseded_by": str, "remedy_of": str,
        "doubt": Doubt, "self_corrected": bool, "level": int, "count": int, "verdict": str,
        "closed": Signed, "note": Note, "let_go": bool, "late": bool, "dealer": str,
    },
    "answer": {"id": str, "ok": bool, "error": str, "alert": str, "revision": int},
}  # fmt: skip
"""For each kind the keys that are known, and what each must be to be kept."""


@dataclass(frozen=True, slots=True)
class Place:
    """A topic: whose it is, of which kind, and the levels below that."""

    site: str
    table: str
    kind: str
    below: tuple[str, ...] = ()


def place_of(topic: str) -> Place | None:
    """What this topic is about; None where it is none that the floor listens to."""
    levels = topic.split("/")
    if not topic.startswith(f"{ROOT}/") or len(levels) < _LEVELS:
        return None
    site, table, kind, *below = levels[_LEVELS - 3 :]
    if kind not in BYTES_MAX or len(below) not in _BELOW.get(kind, {0}):
        return None
    if level_mistake(site) or level_mistake(table):
        return None
    if not all(map(_is_level, (site, table, *below))):
        return None
    if kind in {"alerts", "log"} and below[0] not in HEARD_AUDIENCES:
        return None
    return Place(site, table, kind, tuple(below))


def read(kind: str, payload: bytes) -> Payload | None:
    """The payload of a message of this kind, None where it is none; raises nothing.

    What is known and has the wrong type is not in it.
    """
    if len(payload) > BYTES_MAX[kind]:
        return None
    try:
        said = msgspec.json.decode(payload)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not _is_plain(said):
        return None
    form = FORMS["alerts" if kind == "log" else kind]
    return {key: value for key, value in said.items() if key not in form or _fits(value, form[key])}


def written(payload: Payload) -> bytes:
    """A payload as one line of JSON."""
    return msgspec.json.encode(payload)


def words(payload: Payload, key: str, most: int = WORD_MAX) -> str:
    """The text at this key, cut; "" without any."""
    value = payload.get(key)
    return value[:most] if isinstance(value, str) else ""


def number(payload: Payload, key: str) -> int | None:
    """The whole number at this key; None without any."""
    value = payload.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def who(payload: Payload, key: str) -> tuple[str, str] | None:
    """By whom, and when as it was said, of an acknowledgement or the like at this key."""
    value = payload.get(key)
    if not isinstance(value, dict) or not isinstance(value.get("by"), str):
        return None
    return value["by"][:WORD_MAX], words(value, "at")


def _is_level(name: str) -> bool:
    return 0 < len(name) <= ID_MAX and name.isprintable()


def _fits(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, type=kind)
    except (msgspec.ValidationError, ValueError):
        return False
    return True


def _is_plain(said: dict[str, Any]) -> bool:
    """Whether it is no deeper and no more than is told, with numbers that every reader has."""
    count = 0
    level: list[Any] = [said]
    for _ in range(DEEP_MAX + 1):
        inside = [one for one in level if isinstance(one, dict | list)]
        if not all(_is_one(one) for one in level if not isinstance(one, dict | list)):
            return False
        if not inside:
            return True
        count += sum(map(len, inside))
        if count > PARTS_MAX:
            return False
        level = [below for one in inside for below in _inside(one)]
    return False


def _is_one(value: object) -> bool:
    """Whether it is a value that every reader has."""
    if isinstance(value, int):
        return -WHOLE_MAX <= value <= WHOLE_MAX
    return value is None or isinstance(value, str | float)


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value
