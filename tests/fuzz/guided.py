"""The engine atheris: libFuzzer looks for bytes that lead a decoder where none have led it yet.

Each driver has a process of its own (`tests.fuzz.one_driver`). What is tried begins with the
driver's good frames; half of the changes are libFuzzer's, half those of lines
(`tests.fuzz.mutations`).
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from time import monotonic

from tests.fuzz.frames import frames, repeatable
from tests.fuzz.mutations import MUTATIONS
from tests.fuzz.telling import fails, tell

INPUT_BYTES_MAX = 1500
INPUT_S_MAX = 30
RSS_MB_MAX = 1024
CUTS_MAX = 4
ROOT = Path(__file__).parents[2]

_REACHED = re.compile(r"cov: (\d+) ft: \d+(?: corp: (\d+)/)?")
_BEGUN = re.compile(r"INITED cov: (\d+)")
_TRIED = re.compile(r"stat::number_of_executed_units: (\d+)")


def is_there() -> bool:
    """Whether atheris is installed in this environment."""
    return importlib.util.find_spec("atheris") is not None


def case(name: str, said: bytes) -> tuple[list[bytes], bytes]:
    """What these bytes try: how they are cut, and the good frame behind them."""
    rng = Random(said)
    at = sorted(rng.randrange(len(said) + 1) for _ in range(rng.randrange(CUTS_MAX)))
    chunks = [said[first:last] for first, last in pairwise([0, *at, len(said)])]
    return chunks, rng.choice(repeatable(name))


def changed(
    name: str, said: bytes, size_max: int, seed: int, mutate: Callable[[bytes, int], bytes]
) -> bytes:
    """These bytes spoilt once more: by `mutate`, or as a line spoils them."""
    rng = Random(seed)
    if rng.randrange(2):
        return mutate(said, size_max)
    return rng.choice(MUTATIONS)(said, rng.choice(frames(name)), rng)[:size_max]


@dataclass(frozen=True, slots=True)
class Ended:
    """A driver's process: its status, what libFuzzer said, the bytes that broke something."""

    status: int
    told: str
    said: bytes | None = None


def guided(names: Sequence[str], seed: int, until_s: float) -> bool:
    """Every driver in its turn, one on each processor, until then; out: whether all laws held."""
    lanes = min(os.cpu_count() or 1, len(names))
    waiting = list(names)

    def turn(name: str) -> Ended:
        share = min(1.0, lanes / len(waiting))
        waiting.pop()
        return _fuzzed(name, seed, (until_s - monotonic()) * share)

    with ThreadPoolExecutor(lanes) as pool:
        ended = zip(names, pool.map(turn, names), strict=True)
        return all([_told(name, one) for name, one in ended])  # noqa: C419 - each is told


def _fuzzed(name: str, seed: int, for_s: float) -> Ended:
    with tempfile.TemporaryDirectory() as folder:
        corpus, broken = Path(folder, "corpus"), Path(folder, "broken")
        for one in (corpus, broken):
            one.mkdir()
        for number, frame in enumerate(frames(name)):
            (corpus / f"frame-{number}").write_bytes(frame)
        flags = [
            f"-max_total_time={max(1, round(for_s))}", f"-max_len={INPUT_BYTES_MAX}",
            f"-timeout={INPUT_S_MAX}", f"-rss_limit_mb={RSS_MB_MAX}", f"-seed={seed}",
            "-print_final_stats=1", f"-artifact_prefix={broken}/",
        ]  # fmt: skip
        ended = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.one_driver", name, *flags, str(corpus)],
            capture_output=True, text=True, errors="replace", cwd=ROOT, check=False,
        )  # fmt: skip
        said = next((one.read_bytes() for one in broken.iterdir()), None)
        return Ended(ended.returncode, ended.stderr, said)


def _told(name: str, ended: Ended) -> bool:
    """Say what became of one driver; out: whether its laws held."""
    if ended.status == 0:
        print(f"{name:17} {summary(ended.told)}", flush=True)
        return True
    said = ended.said or b""
    chunks, good = case(name, said)
    if why := fails(name, chunks, good, said):
        tell(name, chunks, good, said, why)
    else:  # too slow, too large, or the engine itself
        print(f"{name}: ended with {ended.status}\n{ended.told[-3000:]}", file=sys.stderr)
        print(f"  {said.hex()}", file=sys.stderr)
    return False


def summary(told: str) -> str:
    """What libFuzzer says of a run, in a line: cases, branches reached, inputs kept."""
    begun, tried = _BEGUN.search(told), _TRIED.search(told)
    reached = [(int(one[1]), int(one[2] or 0)) for one in _REACHED.finditer(told)]
    branches = max((one for one, _ in reached), default=0)
    kept = max((one for _, one in reached), default=0)
    return (
        f"{int(tried[1]) if tried else 0:7} cases, {branches} branches reached"
        f" ({begun[1] if begun else 0} by the frames alone), {kept} inputs kept"
    )
