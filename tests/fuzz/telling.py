"""A law that does not hold: which, with which bytes, and as few of them as still show it."""

from __future__ import annotations

import sys
from random import Random

from tests.fuzz.frames import ROWS
from tests.fuzz.laws import Broken, must_hold

Seed = str | bytes


def fails(name: str, chunks: list[bytes], good: bytes, seed: Seed) -> str | None:
    """Which law does not hold, None where all do."""
    try:
        must_hold(ROWS[name], chunks, good, Random(seed))
    except Exception as wrong:  # noqa: BLE001 - that a decoder raises nothing is a law, too
        return str(wrong) if isinstance(wrong, Broken) else f"{type(wrong).__name__}: {wrong}"
    return None


def smallest(name: str, chunks: list[bytes], good: bytes, seed: Seed) -> list[bytes]:
    """The same failure in fewer bytes."""
    law = str(fails(name, chunks, good, seed)).partition(":")[0]
    size = max(map(len, chunks), default=0)
    while size:
        for number, chunk in enumerate(chunks):
            at = 0
            while at < len(chunk):
                shorter = chunk[:at] + chunk[at + size :]
                fewer = [*chunks[:number], shorter, *chunks[number + 1 :]]
                if str(fails(name, fewer, good, seed)).partition(":")[0] == law:
                    chunks, chunk = fewer, shorter  # noqa: PLW2901 - what is left of it
                else:
                    at += size
        size //= 2
    return [chunk for chunk in chunks if chunk]


def tell(name: str, chunks: list[bytes], good: bytes, seed: Seed, wrong: str) -> None:
    """All of it on standard error."""
    print(f"{name}: {wrong}\n  seed {seed!r}", file=sys.stderr)
    for chunk in smallest(name, chunks, good, seed):
        print(f"  {chunk.hex()}", file=sys.stderr)
    print(f"  then {good.hex()}", file=sys.stderr)
