"""A demo table in noisy air: hands dealt at a person's pace, and what the line says of them.

The shoe and the console speak their real bytes. The readers hand over what they hear as readings:
eleven of them poll some seven thousand times a hand, and their bytes are tried elsewhere.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from daemon.demo.stage import Pause, Stage
from daemon.demo.table_fit import (
    CONSOLE,
    SHOE,
    Devices,
    configuration,
    decks,
    write_configuration,
)
from daemon.edges.books import read_books
from daemon.edges.settings import layout, read_settings
from daemon.pipeline import Judgement
from daemon.table.interpreter import Interpreter
from drivers import csl1, keypad
from tests.budget.air import AirDevices

RULEBOOK = "robert-classic"
OPENED = "2026-11-29T20:13:31Z"
BOTH_DECKS = decks(random.Random("budget"))


@cache
def fitted(seat_count):
    """A demo table's layout with so many seats."""
    ports = {name: f"/dev/serial/{name}" for name in Devices(seat_count).named()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        write_configuration(path, configuration("poker-1", "mqtt://127.0.0.1", ports, BOTH_DECKS))
        return layout(read_settings(path), OPENED)


@cache
def books():
    return read_books(RULEBOOK, ("en",))


class NoisyTable:
    """One table; `deal` gives the last line of every alert of a hand, by its id."""

    def __init__(self, seed, noise, speed, seat_count=10, betting=None):
        rng = random.Random(seed)
        plan = replace(fitted(seat_count), languages=("en",))
        plan = replace(plan, betting=betting) if betting else plan
        devices = AirDevices(seat_count, noise, rng)
        self._stage = Stage(devices, BOTH_DECKS, rng, speed)
        self._readers = devices.readers
        self._lines = [
            (SHOE, devices.shoe, csl1.DRIVER.decoder()),
            (CONSOLE, devices.console, keypad.DRIVER.decoder()),
        ]
        self._interpreter = Interpreter(plan)
        self._judgement = Judgement(*books(), plan.languages, journal=None)
        self._judgement.take(self._interpreter.opening())
        self._now_ms = 0
        self._alerts = {}

    def deal(self, events):
        self._alerts = {}
        for wait in self._stage.play(events):
            self._speak()
            if isinstance(wait, Pause):
                self._run_to(self._now_ms + wait.ms)
            else:
                while wait.reader.polls < wait.polls:
                    self._poll(min(self._readers, key=lambda reader: reader.next_ms))
        self._speak()
        return self._alerts

    def _run_to(self, until_ms):
        while (reader := min(self._readers, key=lambda reader: reader.next_ms)).next_ms <= until_ms:
            self._poll(reader)
        self._now_ms = until_ms

    def _poll(self, reader):
        self._now_ms = max(self._now_ms, reader.next_ms)
        for reading in reader.poll(self._now_ms):
            self._take(reader.name, reading)
        self._speak()

    def _speak(self):
        """The shoe and the console say what they have to say."""
        for name, device, decoder in self._lines:
            if device.next_ms is not None and device.next_ms <= self._now_ms:
                for reading in decoder.feed(device.wake(self._now_ms)):
                    self._take(name, reading)

    def _take(self, name, reading):
        alerts = []
        for event in self._interpreter.take(name, reading, self._now_ms):
            alerts += self._judgement.take(event)
        alerts += self._judgement.pass_time(self._now_ms)
        self._alerts |= {alert.id: alert for alert in alerts}
