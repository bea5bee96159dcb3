"""`python -m tests.fuzz.one_driver NAME [FLAG ...] FOLDER`: libFuzzer, with its flags, on a driver.

It ends the process that it runs in, with its own status.
"""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["drivers"]):  # whatever imports a driver comes behind it
    from tests.fuzz.frames import ROWS
    from tests.fuzz.guided import case, changed
    from tests.fuzz.laws import must_hold


def main(name: str, flags: list[str]) -> None:
    def once(said: bytes) -> None:
        chunks, good = case(name, said)
        must_hold(ROWS[name], chunks, good, Random(said))

    def mutate(said: bytes, size_max: int, seed: int) -> bytes:
        return changed(name, bytes(said), size_max, seed, atheris.Mutate)

    atheris.Setup([name, *flags], once, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
