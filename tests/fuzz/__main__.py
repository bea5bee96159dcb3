"""`python -m tests.fuzz [--engine own|atheris] [--seconds N] [--seed N] [DRIVER ...]`.

Broken bytes for every decoder: noise for a quarter of the time, then frames that one of two engines
spoils. `atheris` is guided by the branches that a decoder takes, `own` by the seed alone; without
`--engine` it is atheris where that is installed. Says how far each driver came, and ends with 1 and
the bytes where a law of `tests.fuzz.laws` does not hold.
"""

from __future__ import annotations

import argparse
import platform
import secrets
import sys
from time import monotonic

from tests.fuzz import guided, own
from tests.fuzz.frames import ROWS

NOISE_SHARE = 0.25  # of the time
ENGINES = {"own": own.cases, "atheris": guided.guided}
WORDS = {
    "own": "engine own: frames spoilt by the seed",
    "atheris": "engine atheris: guided by the branches that a decoder takes",
}


def chosen(asked: str | None, *, is_there: bool) -> tuple[str, str]:
    """The engine that runs (atheris `is_there` or not), and what is said of it.

    Raises ValueError where the one asked for is not there.
    """
    absent = f"no atheris for Python {platform.python_version()} in this environment"
    if asked == "atheris" and not is_there:
        raise ValueError(f"{absent}: requirements/fuzz.txt has it")
    name = asked or ("atheris" if is_there else "own")
    return name, WORDS[name] if is_there else f"{WORDS[name]} ({absent})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("drivers", nargs="*", metavar="DRIVER")
    asked = parser.parse_args()
    names = asked.drivers or list(ROWS)
    if unknown := set(names) - set(ROWS):
        parser.error(f"no such driver: {', '.join(sorted(unknown))}; known: {', '.join(ROWS)}")
    try:
        engine, what = chosen(asked.engine, is_there=guided.is_there())
    except ValueError as error:
        parser.error(str(error))
    print(what)
    seed = secrets.randbelow(1 << 31) + 1 if asked.seed is None else asked.seed
    print(f"seed {seed} (again with --seed {seed})", flush=True)
    began_s = monotonic()
    own.noise(names, seed, asked.seconds * NOISE_SHARE)
    return 0 if ENGINES[engine](names, seed, began_s + asked.seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
