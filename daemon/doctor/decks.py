"""The decks: whole, of a kind that the readers read, and for nobody's eyes but the daemon's."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from daemon.doctor.findings import OK, WARNING, WRONG, Finding
from daemon.shipped import config_path
from daemon.table.fitting import kind_of

AGE_DAYS_MAX = 365


def decks(
    source: Path,
    named: Mapping[str, object],
    deck_of: Mapping[str, str],
    secrets: Mapping[str, Path],
    now: datetime | None = None,
) -> list[Finding]:
    """What is to be said of the decks of the configuration `source`.

    `named` are its `[decks]`, a file's name or the tags themselves; `deck_of` UID to deck.
    `secrets` are other files that nobody else may read, by what they are. That decks are whole and
    readable has been checked with the configuration.
    """
    now = now or datetime.now(UTC)
    counts = Counter(deck_of.values())
    found = []
    for name, deck in named.items():
        kinds = sorted({kind_of(uid) or "?" for uid, own in deck_of.items() if own == name})
        facts: dict[str, object] = {"count": counts[name], "kinds": ", ".join(kinds)}
        path = source if not isinstance(deck, str) else _path(source, deck)
        found += _file(name, path, facts | {"path": path}, now)
    for what, path in secrets.items():
        if _is_open(path):
            found.append(Finding(WRONG, "secret", "secret-open", what, {"path": path}))
    return found


def _file(name: str, path: Path, facts: dict[str, object], now: datetime) -> list[Finding]:
    if path.resolve().is_relative_to(config_path()):
        return [Finding(WARNING, "deck", "deck-example", name, facts)]
    if _is_open(path):
        return [Finding(WRONG, "deck", "deck-open", name, facts)]
    days = _days(path, now)
    old = days > AGE_DAYS_MAX
    return [
        Finding(WARNING if old else OK, "deck", "deck-old" if old else "deck-ok", name,
                facts | {"days": days}),
    ]  # fmt: skip


def _path(source: Path, name: str) -> Path:
    beside = source.parent / name
    return beside if beside.exists() else config_path(name)


def _is_open(path: Path) -> bool:
    """Whether everybody on this machine may read it: its own mode, and those of all above it."""
    try:
        whole = path.resolve()
        above = all(folder.stat().st_mode & stat.S_IXOTH for folder in whole.parents)
        return bool(above and whole.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def _days(path: Path, now: datetime) -> int:
    try:
        return max(0, int((now.timestamp() - path.stat().st_mtime) // 86_400))
    except OSError:
        return 0
