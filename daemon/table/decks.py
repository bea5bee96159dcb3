"""A deck's tags: which UID is which card, checked whole; no message names a tag or a card."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from daemon.table.cards import CARDS, DECK

_UID = re.compile(r"[0-9a-f]{8,24}")  # 4 to 12 bytes: ISO 14443 has 4, 7 or 10, ISO 15693 has 8


def deck_tags(deck: Mapping[str, object] | bytes) -> tuple[dict[str, str], list[str]]:
    """Tags (UID in lower-case hex to card) and all mistakes, in the order of the entries.

    A deck is a table `UID = "card"`, or the TOML file of one. An entry is told by its number in the
    deck: its name is a tag.
    """
    try:
        entries = tomllib.loads(deck.decode()) if isinstance(deck, bytes) else deck
    except ValueError:  # its words could repeat a tag
        return {}, ["is not TOML in UTF-8"]
    tags: dict[str, str] = {}
    mistakes = []
    first: dict[str, int] = {}
    for number, (key, card) in enumerate(entries.items(), 1):
        uid = key.lower()
        if not _UID.fullmatch(uid) or len(uid) % 2:
            mistakes.append(f"tag {number}: not a tag's UID: 4 to 12 bytes, in hex digits only")
        elif uid in first:
            mistakes.append(f"tag {number}: the same tag as {first[uid]}")
        elif not isinstance(card, str) or card not in CARDS:
            mistakes.append(f"tag {number}: is given no card; a card is rank and suit, as in Td")
        else:
            tags[uid] = card
        first.setdefault(uid, number)
    if not mistakes:
        mistakes = _whole(tags)
    return tags, mistakes


def _whole(tags: Mapping[str, str]) -> list[str]:
    mistakes = []
    if len(tags) != len(DECK):
        mistakes.append(f"must have {len(DECK)} different tags, has {len(tags)}")
    elif len(set(tags.values())) != len(DECK):
        missing = len(DECK) - len(set(tags.values()))
        mistakes.append(f"{missing} cards have no tag, others have two")
    lengths = sorted({len(uid) // 2 for uid in tags})
    if len(lengths) > 1:
        mistakes.append(f"mixes UIDs of {' and '.join(map(str, lengths))} bytes")
    return mistakes
