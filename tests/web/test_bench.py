"""The bench of the screens runs: every way is measured, and so is the memory."""

from __future__ import annotations

import re
import subprocess
import sys

LONG_S = 240
SMALL = ("--tables", "3", "--screens", "3", "--pages", "2", "--seconds", "4", "--minutes", "1")


def test_every_way_to_a_screen_is_measured_and_the_services_memory() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.screens", *SMALL],
        capture_output=True, text=True, timeout=LONG_S, check=False,
    )  # fmt: skip
    assert not ran.returncode, ran.stderr
    for way in ("least that could", "raw stream of the floor", "DOM of /floor", "DOM of /wall"):
        assert re.search(rf"{way}( +[\d.]+){{3}} +[\d.]+x +\d+\n", ran.stdout), way
    assert re.search(r"RSS [\d.]+ MiB half-way, [\d.]+ MiB at the end", ran.stdout)
