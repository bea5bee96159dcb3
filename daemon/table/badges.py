"""Dealers' badges: which UID has which of the house's keys; no message names a badge or a key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from daemon.table.decks import is_uid

_KEY = re.compile(r"[A-Za-z0-9_-]{1,16}")


def badge_keys(badges: Mapping[str, object] | bytes) -> tuple[dict[str, str], list[str]]:
    """Badges (UID in lower-case hex to the dealer's key) and all mistakes, in their order.

    `UID = "key"`, or the TOML file of that. A badge on 125 kHz has 5 bytes. The key is the house's
    own, never a name.
    """
    try:
        entries = tomllib.loads(badges.decode()) if isinstance(badges, bytes) else badges
    except ValueError:  # its words could repeat a badge
        return {}, ["is not TOML in UTF-8"]
    keys: dict[str, str] = {}
    mistakes = []
    for number, (written, key) in enumerate(entries.items(), 1):
        uid = written.lower()
        if not is_uid(uid):
            mistakes.append(f"badge {number}: not a badge's UID: 4 to 12 bytes, in hex digits only")
        elif uid in keys:
            mistakes.append(f"badge {number}: the same badge as one before")
        elif not isinstance(key, str) or not _KEY.fullmatch(key):
            mistakes.append(f"badge {number}: a key is 1 to 16 letters, digits, - or _, as in d7")
        else:
            keys[uid] = key
    return keys, mistakes
