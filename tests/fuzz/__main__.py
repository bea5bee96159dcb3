"""`python -m tests.fuzz [--seconds N] [--seed N] [DRIVER ...]`: spoilt frames for every decoder.

Says how many cases each driver took and how many bytes of good frames it needed to heal at most;
ends with 1 and the bytes where a law of `tests.fuzz.laws` does not hold.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections import Counter
from random import Random
from time import monotonic

from tests.fuzz.frames import ROWS, frames, repeatable
from tests.fuzz.laws import Broken, bounded, heals, must_hold, weight
from tests.fuzz.mutations import spoilt

NOISE_BYTES = 16 << 20
PIECE_BYTES = 1 << 16
NOISE_SHARE = 0.25  # of the time
NOISE_SHORTEST = 1 << 20  # a driver hears at least so much, whatever the time


def fails(name: str, chunks: list[bytes], good: bytes, seed: str) -> str | None:
    """Which law does not hold, None where all do."""
    try:
        must_hold(ROWS[name], chunks, good, Random(seed))
    except Exception as wrong:  # noqa: BLE001 - that a decoder raises nothing is a law, too
        return str(wrong) if isinstance(wrong, Broken) else f"{type(wrong).__name__}: {wrong}"
    return None


def smallest(name: str, chunks: list[bytes], good: bytes, seed: str) -> list[bytes]:
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


def cases(names: list[str], seed: int, until_s: float) -> bool:
    """Spoilt frames for one driver after the other until then; out: whether all laws held."""
    counts, healed = Counter[str](), Counter[str]()
    number = 0
    while monotonic() < until_s:
        for name in names:
            own = f"{seed} {name} {number}"
            rng = Random(own)
            chunks = spoilt(frames(name), rng)
            good = rng.choice(repeatable(name))
            try:
                bytes_ = must_hold(ROWS[name], chunks, good, Random(own))
            except Exception as wrong:  # noqa: BLE001 - that a decoder raises nothing is a law, too
                told(name, chunks, good, own, wrong)
                return False
            counts[name] += 1
            healed[name] = max(healed[name], bytes_)
        number += 1
    for name in names:
        print(f"{name:17} {counts[name]:7} cases, healed within {healed[name]} bytes")
    return True


def told(name: str, chunks: list[bytes], good: bytes, own: str, wrong: Exception) -> None:
    print(f"{name}: {type(wrong).__name__}: {wrong}\n  seed {own!r}", file=sys.stderr)
    for chunk in smallest(name, chunks, good, own):
        print(f"  {chunk.hex()}", file=sys.stderr)
    print(f"  then {good.hex()}", file=sys.stderr)


def noise(names: list[str], seed: int, for_s: float) -> None:
    """Noise for every driver, `NOISE_BYTES` if there is time; raises what a law raises."""
    for name in names:
        row, rng = ROWS[name], Random(f"{seed} {name}")
        decoder, heaviest, fed = row.decoder(), 0, 0
        until_s = monotonic() + for_s / len(names)
        while fed < NOISE_BYTES and (monotonic() < until_s or fed < NOISE_SHORTEST):
            decoder.feed(rng.randbytes(PIECE_BYTES))
            fed += PIECE_BYTES
            bounded(decoder)
            heaviest = max(heaviest, weight(decoder))
        heals(row, decoder, repeatable(name)[0])
        print(f"{name:17} {fed >> 20:4} MB of noise, {heaviest} bytes kept at most")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("drivers", nargs="*", metavar="DRIVER")
    asked = parser.parse_args()
    names = asked.drivers or list(ROWS)
    if unknown := set(names) - set(ROWS):
        parser.error(f"no such driver: {', '.join(sorted(unknown))}; known: {', '.join(ROWS)}")
    seed = secrets.randbelow(1 << 32) if asked.seed is None else asked.seed
    print(f"seed {seed} (again with --seed {seed})")
    began_s = monotonic()
    noise(names, seed, asked.seconds * NOISE_SHARE)
    return 0 if cases(names, seed, began_s + asked.seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
