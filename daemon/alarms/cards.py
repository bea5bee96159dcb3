"""The cards an alert is about: named once they are public, renamed, forgotten in a shuffle."""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace

from daemon.alarms.life import Life
from daemon.table.cards import is_known


def shown(life: Life, public: Container[str]) -> Life:
    """With the names of its cards that are public now; those of a double are never told."""
    fresh = tuple(c for c in life.what.cards if c in public and c not in life.shown)
    named = tuple(filter(is_known, fresh))
    if not named or life.what.id == "deck-duplicate-card":
        return life
    return replace(life, shown=life.shown + named)


def renamed(life: Life, old: str, new: str) -> Life:
    """A card without a name got one."""
    what = life.what
    if old not in what.cards:
        return life
    both = (
        tuple(new if card == old else card for card in kind) for kind in (what.cards, what.burns)
    )
    cards, burns = both
    return replace(life, what=replace(what, cards=cards, burns=burns))


def buried(life: Life, lies: Container[str]) -> Life:
    """A card that was shuffled back is another card from now on: it is never named for this."""
    what = life.what
    kept = tuple(card for card in what.cards if card in lies or card in life.shown)
    return life if kept == what.cards else replace(life, what=replace(what, cards=kept))
