"""What tables say, made up: topics and payloads, and a floor's clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from daemon.floor.instant import Instant

SITE = "house"
START = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)


def topic(*levels: str, table: str = "poker-1", site: str = SITE) -> str:
    return "/".join(("floorcall/v1", site, table, *levels))


def at(s: float = 0.0) -> Instant:
    return Instant(START + timedelta(seconds=s), 1000.0 + s)


def line(**said: Any) -> bytes:
    return msgspec.json.encode(said)


def status(state: str = "online", **more: Any) -> bytes:
    said = {"v": 1, "state": state, "boot": "b", "seq": 1, "version": "0.1.0"}
    said |= {"rulebook": "robert-classic", "table_state": "open", "troubles": [], "beat_ms": 1}
    return msgspec.json.encode(said | {"since": "2026-12-01T19:00:00Z"} | more)


def alert(
    number: int = 1, revision: int = 1, audience: str = "floor", **more: Any
) -> dict[str, Any]:
    """An alert as a table says it."""
    name = f"poker-1:20261201T190000Z:12:1:turn-premature:{number}"
    return {
        "v": 1, "id": name, "revision": revision, "table": "poker-1", "hand": "12",
        "irregularity": "turn-premature", "state": "raised", "final": False, "seen": True,
        "acknowledged": None, "shelved": None, "severity": "high", "audience": audience,
        "street": "turn", "subject": "turn", "seats": [3, 4], "cards": ["Td"], "at_ms": 5000,
        "known_ms": 5000, "at": "2026-12-01T19:59:58.000Z", "rulebook": "robert-classic",
        "cite": "robert 14.9", "unconfirmed": False,
        "window": {"kind": "any-action", "open": True},
        "remedy": [{"step": "set-aside", "state": "due"}],
        "text": {"en": {"title": "Turn too early", "ruling": "Out of play.", "remedy": ["Aside"]}},
        "evidence": [19],
    } | more  # fmt: skip


def hand(name: str | None = "12", acts: list[dict[str, Any]] | None = None) -> bytes:
    if name is None:
        return line(v=1, hand=None)
    said = {"v": 1, "hand": name, "deal": 1, "street": "flop", "button": 1, "seats_in": [1, 2]}
    return msgspec.json.encode(said | {"public": [], "due": [], "seen": True, "acts": acts or []})
