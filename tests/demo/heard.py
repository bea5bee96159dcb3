"""A floor's view fed with what a table would publish, hand by hand, in virtual time."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
from rich.console import Console

from daemon.alarms.alert import line
from daemon.demo.evening import evening
from daemon.demo.floor_view import FloorView
from daemon.demo.mischief import incident
from daemon.demo.show import Fitted, Lines, screen
from daemon.demo.words import Vocabulary
from daemon.messages import Announcer, Topics
from tests.contract import checked
from tests.demo.staged import OPENED, StagedTable, books

TABLE = "poker-1"


class Heard:
    """A floor's view fed with what a table would publish while a hand is judged."""

    def __init__(self, folder, lang="en", name=TABLE, view=None):
        self.view = view or FloorView()
        self._name = name
        self.say = Vocabulary(lang, books()[1])
        self.console = Console(file=io.StringIO(), width=100, height=60, record=True)
        self.lines = Lines(self.console, self.say)
        self.table = StagedTable(folder, f"screen {name}")
        self._topics = Topics("demo", name)
        self._announcer = Announcer(self._topics)
        self._take(self._topics.at("status"), b'{"state":"online"}')
        self._take(self._topics.at("sensors", "shoe"), b'{"state":"ok"}')

    def deal(self, events, until=None):
        """Deal up to the event before `until` becomes true of the alerts so far."""
        for signal in self.table.signals(events):
            alerts = self.table.line.step(signal)
            for alert in alerts:
                for message in self._announcer.messages(alert, line(alert)):
                    checked(message.topic, message.payload)
                    self._take(message.topic, message.payload)
            view = self.table.line.hand_view()
            self._take(self._topics.at("hand"), msgspec.json.encode(view))
            if until is not None and any(until(alert) for alert in alerts):
                return

    def drawn(self, width=100, after_s=0, height=60):
        """The screen, so many seconds after the last alert was raised."""
        raised = [alert["at"] for table in self.view.tables.values() for alert in table.present()]
        now = datetime.fromisoformat(max(raised, default=OPENED)) + timedelta(seconds=after_s)
        console = Console(file=io.StringIO(), width=width, height=height)
        console.print(Fitted(screen(self.view, self.say, width, now, "foot"), self.say))
        return console.file.getvalue()

    def written(self):
        return self.console.file.getvalue()

    def _take(self, topic, payload):
        alert = self.view.take(topic, payload)
        if alert is not None:
            self.lines.take(self._name, alert)


def premature_turn(rng, hand="7"):
    """A hand with a premature turn, put right to the end."""
    for deal in evening(rng, 9):
        happened = incident("turn-premature", "right", replace(deal, hand=hand), rng)
        if happened is not None and len(happened.events) > 70:
            return happened.events
    raise AssertionError
