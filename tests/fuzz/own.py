"""The own engine: good frames spoilt by seed, as far as the time goes; and noise for everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from time import monotonic

from tests.fuzz.frames import ROWS, frames, repeatable
from tests.fuzz.laws import bounded, heals, must_hold, weight
from tests.fuzz.mutations import spoilt
from tests.fuzz.telling import fails, tell

NOISE_BYTES = 16 << 20
PIECE_BYTES = 1 << 16
NOISE_SHORTEST = 1 << 20  # a driver hears at least so much, whatever the time


def cases(names: Sequence[str], seed: int, until_s: float) -> bool:
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
                tell(name, chunks, good, own, fails(name, chunks, good, own) or repr(wrong))
                return False
            counts[name] += 1
            healed[name] = max(healed[name], bytes_)
        number += 1
    for name in names:
        print(f"{name:17} {counts[name]:7} cases, healed within {healed[name]} bytes")
    return True


def noise(names: Sequence[str], seed: int, for_s: float) -> None:
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
