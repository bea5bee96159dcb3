"""Names of people, as they stand under what they do: no two look alike.

A table is told who acted by this name alone, so two who share one could not be told apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import replace

from daemon.floor.people.accounts import Account
from daemon.orders import NAME_MAX

# fmt: off
LIKE = str.maketrans({
    # Cyrillic letters that look like Latin ones, small or as capitals
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "н": "h", "і": "i", "ј": "j",  # noqa: RUF001
    "к": "k", "ӏ": "l", "м": "m", "о": "o", "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "у": "y",  # noqa: RUF001
    "ү": "y", "ԝ": "w", "х": "x",  # noqa: RUF001
    # and Greek ones
    "α": "a", "β": "b", "ε": "e", "η": "h", "ι": "i", "κ": "k", "μ": "m", "ν": "n", "ο": "o",  # noqa: RUF001
    "ρ": "p", "τ": "t", "υ": "y", "χ": "x", "ζ": "z",  # noqa: RUF001
    "ı": "i", "ɑ": "a", "ɡ": "g",  # noqa: RUF001
    # letters that show nothing
    "\u115f": "", "\u1160": "",
})
# fmt: on


def look(name: str) -> str:
    """How a name looks: its letters and digits, however they are written; "" for none at all.

    Capitals, spaces, signs, wide or raised letters and those of other alphabets that look the same
    make no difference.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(one for one in plain if unicodedata.category(one)[0] in "LN").translate(LIKE)


def is_name(name: str) -> bool:
    """Whether somebody can be told by it at all."""
    return name.isprintable() and len(name) <= NAME_MAX and bool(look(name))


def is_taken(name: str, others: Iterable[Account]) -> bool:
    """Whether one of them has a name that looks like this one."""
    wanted = look(name)
    return any(look(each.name) == wanted for each in others)


def free(name: str, others: Collection[Account]) -> str:
    """This name, or with the first number behind it that makes it look like nobody else's."""
    number, found = 1, name[:NAME_MAX]
    while is_taken(found, others):
        number += 1
        behind = f" {number}"
        found = name[: NAME_MAX - len(behind)].rstrip() + behind
    return found


def told_apart(everybody: Collection[Account]) -> dict[str, str]:
    """New names, by login, for those who came later than somebody of the same."""
    named = {each.login: each for each in everybody}
    changed: dict[str, str] = {}
    seen: set[str] = set()
    for account in sorted(everybody, key=lambda each: (each.made_ms, each.login)):
        if look(account.name) in seen:
            changed[account.login] = name = free(account.name, list(named.values()))
            named[account.login] = replace(account, name=name)
        seen.add(look(named[account.login].name))
    return changed
