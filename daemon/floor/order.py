"""Names in the order in which people count: poker-2 before poker-10."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(\d{1,9})")


def counted(name: str) -> list[tuple[int, str]]:
    """What to sort names by."""
    return [
        (int(part) if number % 2 else 0, part) for number, part in enumerate(_NUMBER.split(name))
    ]
