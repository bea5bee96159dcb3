"""The decks: whole, of a kind that the readers read, and for nobody's eyes but the daemon's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from daemon.access import Access, exposed, is_open_to_all
from daemon.doctor.findings import OK, WARNING, WRONG, Finding
from daemon.shipped import config_path
from daemon.table.decks import Deck, age_days, life_days
from daemon.table.fitting import kind_of

AGE_DAYS_MAX = 365  # ours, where neither the deck nor the house has a limit


def decks(
    source: Path,
    named: Mapping[str, object],
    known: Mapping[str, Deck],
    house_days: int = 0,
    now: datetime | None = None,
) -> list[Finding]:
    """What is to be said of the decks of the configuration `source`.

    `named` are its `[decks]`, a file's name or the tags themselves; `known` the decks read from
    them; `house_days` how old a deck may become, 0 for no limit. That decks are whole and readable
    has been checked with the configuration.
    """
    now = now or datetime.now(UTC)
    found = []
    for name, deck in named.items():
        own = known.get(name, Deck({}))
        kinds = sorted({kind_of(uid) or "?" for uid in own.tags})
        path = source if not isinstance(deck, str) else _path(source, deck)
        facts: dict[str, object] = {
            "count": len(own.tags), "kinds": ", ".join(kinds), "path": path,
        }  # fmt: skip
        days = age_days(own.record, now)
        limit = life_days(own.record, house_days) or AGE_DAYS_MAX
        found.append(_file(name, path, facts, _days(path, now) if days is None else days, limit))
    return found


def secrets(access: Access) -> list[Finding]:
    """What is to be said of the broker's secrets, by what they are."""
    return [
        Finding(WRONG, "secret", "secret-open", what, {"path": path})
        for what, path in exposed(access)
    ]


def _file(name: str, path: Path, facts: dict[str, object], days: int, days_max: int) -> Finding:
    if path.resolve().is_relative_to(config_path()):
        return Finding(WARNING, "deck", "deck-example", name, facts)
    if is_open_to_all(path):
        return Finding(WRONG, "deck", "deck-open", name, facts)
    facts |= {"days": days, "most": days_max}
    if days > days_max:
        return Finding(WARNING, "deck", "deck-old", name, facts)
    return Finding(OK, "deck", "deck-ok", name, facts)


def _path(source: Path, name: str) -> Path:
    beside = source.parent / name
    return beside if beside.exists() else config_path(name)


def _days(path: Path, now: datetime) -> int:
    try:
        return max(0, int((now.timestamp() - path.stat().st_mtime) // 86_400))
    except OSError:
        return 0
