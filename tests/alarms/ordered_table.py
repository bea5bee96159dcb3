"""A table dealt through its devices, with a floor that answers what it is told."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.orders import Command
from daemon.pipeline import Pipeline
from daemon.signals import Order
from tests.demo.staged import StagedTable, books

WORDS = (
    ("acknowledge", {}),
    ("close", {"verdict": "upheld"}),
    ("close", {"verdict": "none"}),
    ("close", {"verdict": "other", "text": "plays on"}),
    ("shelve", {"minutes": 1, "text": "seen"}),
    ("note", {"text": "seen"}),
    ("unshelve", {}),
)


class OrderedTable(StagedTable):
    """`floor` is shown every line and may order something; `signals_` is all that came in."""

    def __init__(self, folder, seed, floor):
        self.signals_, self.lines, self.answers = [], [], []
        self._floor = floor
        folder.mkdir(exist_ok=True)
        super().__init__(folder, seed)

    def _take(self, signal):
        self.signals_.append(signal)
        told = self.line.step(signal)
        self.lines += told
        self.alerts |= {alert.id: alert for alert in told}
        if isinstance(signal, Order):
            self.answers.append(self.line.answer)
        for alert in told:
            if (command := self._floor(alert)) is not None:
                self._take(Order(signal.at_ms, command, "floor-2"))

    def last(self, irregularity):
        return [alert for alert in self.lines if alert.irregularity == irregularity][-1]


def stepped(layout, signals):
    """What a line anew says to these signals."""
    pipeline = Pipeline(layout, *books())
    return [line(alert) for signal in signals for alert in pipeline.step(signal)]


def about(alert, command, **fields):
    return Command(command=command, alert=alert.id, revision=alert.revision, by="anna", **fields)


def quarrelsome(seed):
    """A floor that orders anything of anything, half of it nonsense."""
    rng = Random(f"floor/{seed}")

    def floor(alert):
        if rng.random() < 0.4:
            return None
        command, fields = rng.choice(WORDS)
        order = about(alert, command, id=rng.choice(("", "c1")), **fields)
        return replace(order, revision=order.revision + 1) if rng.random() < 0.2 else order

    return floor
