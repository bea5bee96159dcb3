"""Alerts as the line judges them, made up; and what a register makes of them, in time."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.alarms.alert import Alert, RemedyStep, Text, Window
from daemon.alarms.register import Register
from daemon.orders import Command
from daemon.rules.parameters import Parameters

OPENED = "2026-11-29T20:13:31Z"


def alert(name="a", at_ms=0, **changes):
    """The first line of an alert, critical and for the floor."""
    return Alert(**{
        "id": f"t:j:1:1:{name}:turn", "revision": 1, "table": "t", "hand": "1",
        "irregularity": name, "state": "raised", "final": False, "seen": True,
        "severity": "critical", "audience": "floor", "street": "flop", "subject": "turn",
        "seats": (3,), "cards": (), "at_ms": at_ms, "known_ms": at_ms, "at": None,
        "rulebook": "r", "cite": "c", "unconfirmed": False, "window": Window("unlimited", True),
        "remedy": (RemedyStep("close", "due"),), "text": {"en": Text("t", "r", ("s",))},
        "evidence": (1,), **changes,
    })  # fmt: skip


class Floor:
    """A register, and all that it has said; each alert judged keeps its own revisions."""

    def __init__(self, **house):
        self.register = Register(Parameters(**house), OPENED)
        self.lines = []
        self.now_ms = 0
        self.events = []
        self._judged = {}

    def judge(self, one, **changes):
        """The line judges: a new alert, or a changed one by its first."""
        before = self._judged.get(one.id)
        if before is not None:
            one = replace(before, revision=before.revision + 1, **changes)
        self._judged[one.id] = one
        return self._told(self.register.take([one], self.now_ms))

    def wait(self, s):
        """Let time pass: what is due at this very moment is still to come."""
        self.now_ms += round(s * 1000)
        return self._told(self.register.pass_time(self.now_ms))

    def order(self, command, one=None, *, via="", **fields):
        """A person's command, at the alert's present revision unless told otherwise."""
        if one is not None:
            fields = {"alert": one.id, "revision": self.last(one).revision, **fields}
        asked = Command(command=command, **{"by": "anna", **fields})
        lines, event = self.register.obey(asked, self.now_ms, via)
        self.events += [event] if event else []
        return self._told(lines)

    @property
    def answer(self):
        return self.register.answer

    def last(self, one):
        return [line for line in self.lines if line.id == one.id][-1]

    def _told(self, lines):
        self.lines += lines
        return lines


def states(lines):
    return [(line.irregularity, line.revision, line.state) for line in lines]
