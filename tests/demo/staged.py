"""Hands dealt through a demo table's devices in virtual time, and what the line says of them."""

from __future__ import annotations

import random
from functools import cache

from msgspec.structs import replace

from daemon.demo.stage import Stage
from daemon.demo.table_fit import Devices, configuration, decks, write_configuration
from daemon.demo.telling import as_sensed
from daemon.demo.virtual import VirtualTable
from daemon.edges.books import read_books
from daemon.edges.settings import layout, read_settings
from daemon.pipeline import Judgement, Pipeline
from daemon.table.interpreter import Interpreter

RULEBOOK = "robert-classic"
OPENED = "2026-11-29T20:13:31Z"
SPEED = 50
TABLE = "poker-1"


@cache
def books():
    return read_books(RULEBOOK)


class StagedTable:
    """A table whose alerts are kept: the last of each id.

    Nobody acknowledges anything here, so that only what is withdrawn closes: it is kept as such.
    """

    def __init__(self, folder, seed, seat_count=10, betting=None):
        self.rng = random.Random(seed)
        both = decks(self.rng)
        self.devices = Devices(seat_count)
        ports = {name: f"/dev/serial/{name}" for name in self.devices.named()}
        path = folder / "table.toml"
        write_configuration(path, configuration(TABLE, "mqtt://127.0.0.1:1883", ports, both))
        fitted = layout(read_settings(path), OPENED)
        self.layout = replace(fitted, betting=betting) if betting else fitted
        self.alerts = {}
        self.line = Pipeline(self.layout, *books())
        self._virtual = VirtualTable(self.layout, self.devices.named(), self._take)
        self._stage = Stage(self.devices, both, self.rng, SPEED)

    def deal(self, events):
        """Deal a hand; return what stands of its alerts at the end, by id."""
        self.alerts.clear()
        self._virtual.perform(self._stage.play(events))
        return dict(self.alerts)

    def signals(self, events):
        """What the ports bring while a hand is dealt, for whoever steps the line himself."""
        came = []
        table = VirtualTable(self.layout, self.devices.named(), came.append)
        for wait in self._stage.play(events):
            table.perform((wait,))
            yield from came
            came.clear()

    def judged(self, events):
        """The same of the dealing events themselves, without what the sensors cannot tell."""
        line, last = Judgement(*books(), self.layout.languages, journal=None), {}
        for event in [Interpreter(self.layout).opening(), *as_sensed(events)]:
            last |= {alert.id: alert for alert in line.take(event)}
        return last

    def _take(self, signal):
        for alert in self.line.step(signal):
            closed = alert.state == "closed"
            self.alerts[alert.id] = replace(alert, state="withdrawn") if closed else alert


def story(alert):
    """All of an alert that does not hang on times."""
    remedy = [(step.step, step.state) for step in alert.remedy]
    return (alert.irregularity, alert.state, alert.final, alert.subject, alert.seats, remedy)
