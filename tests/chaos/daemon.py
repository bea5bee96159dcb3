"""The daemon as a process of its own, with a walls' clock that is set from outside.

    python -m tests.chaos.daemon TABLE.TOML CLOCK

The file CLOCK holds by how many seconds the clock is wrong. What the line decides is told on
standard output before anybody else hears of it: `<monotonic ns> <the alert's line>`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.alarms.alert import line
from daemon.app import serve
from daemon.edges import logs
from daemon.edges.books import read_books
from daemon.edges.settings import read_settings
from daemon.pipeline import Pipeline


class Aloud(Pipeline):
    """The line, which says what it decides."""

    def step(self, signal):
        alerts = super().step(signal)
        for alert in alerts:
            sys.stdout.buffer.write(b"%d %b\n" % (time.monotonic_ns(), line(alert)))
            sys.stdout.buffer.flush()
        return alerts


def main(configuration, clock):
    settings = read_settings(configuration)
    book, texts = read_books(settings.rulebook, settings.document.languages)
    logs.configure("info")

    def wall():
        return datetime.now(UTC) + timedelta(seconds=float(clock.read_text()))

    asyncio.run(serve(settings, lambda layout: Aloud(layout, book, texts), wall=wall))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
