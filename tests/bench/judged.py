"""Hands judged a second, beside PokerKit's replay of the same hands."""

from __future__ import annotations

from collections.abc import Iterator


def table(count: int) -> Iterator[str]:
    yield f"judge: {count} hands"
