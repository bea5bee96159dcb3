"""What every stream of alert lines obeys, whatever the events were (docs/topics.md)."""

from __future__ import annotations

import json
import re

from daemon.rules.vocabulary import IDS, STEPS
from daemon.table.events import HandEnded, HandStarted, Retracted, Tick
from tests.contract import faults

STATES = {"raised", "remedied", "withdrawn"}
MOVES = {("raised", "raised"), ("raised", "remedied"), ("raised", "withdrawn"),
         ("remedied", "remedied"), ("withdrawn", "withdrawn")}  # fmt: skip
STEP_STATES = {"later", "due", "done", "wrong", "void", "unseen"}
STREETS = {"deck", "deal", "preflop", "flop", "turn", "river", "showdown"}
SUBJECT = re.compile(r"deck|seat-([1-9]|10)|deal|flop|turn|river|board|burn|stub|pot|table|preflop")
CARD = re.compile(r"[2-9TJQKA][cdhs]")


class Register:
    """All lines of one stream; `wrong` says what was against the format."""

    def __init__(self):
        self.last: dict[str, dict] = {}
        self.wrong: list[str] = []
        self._order: list[str] = []

    def take(self, batch, now_ms, *, retracted=False, hand_over=False, begins=False):
        """The lines of one event or of one deadline, printed at `now_ms`.

        A hand that begins ends the one before; what is found at its beginning is its own.
        """
        first = []
        lines = [json.loads(told) for told in batch]
        self.wrong += [f"{told!r}: {what}" for told in batch for what in faults("alert", told)]
        for number, alert in enumerate(lines):
            name = alert["id"]
            before = self.last.get(name)
            self._one(alert, now_ms)
            if before is None:
                first.append(name)
                self._order.append(name)
                self._say(alert, alert["revision"] == 1, "its first revision is not 1")
                self._say(alert, alert["state"] == "raised", "its first line is not raised")
                at_first = all(one["revision"] == 1 for one in lines[:number])
                self._say(alert, at_first, "a new alert comes behind an update")
            else:
                self._next(before, alert, retracted=retracted)
            self.last[name] = alert
        self._lines(lines, first, retracted=retracted)
        self._pointers(lines)
        if hand_over:
            for name, alert in self.last.items():
                ended = alert["final"] or (begins and name in first)
                self._say(alert, ended, "not final at the hand's end")

    def _say(self, alert, holds, what):
        if not holds:
            self.wrong.append(f"{alert['id']} revision {alert['revision']}: {what}")

    def _one(self, alert, now_ms):
        steps = [step["state"] for step in alert["remedy"]]
        say = self._say
        say(alert, alert["state"] in STATES, "its state")
        say(alert, set(steps) <= STEP_STATES, "a step's state")
        say(alert, {step["step"] for step in alert["remedy"]} <= set(STEPS), "a step's name")
        say(alert, alert["irregularity"] in IDS, "its irregularity")
        say(alert, alert["street"] in STREETS, f"its street {alert['street']}")
        say(alert, SUBJECT.fullmatch(alert["subject"]), f"its subject {alert['subject']}")
        say(alert, alert["severity"] in {"critical", "high", "medium", "low"}, "its severity")
        say(alert, alert["audience"] in {"floor", "surveillance", "maintenance", "log"}, "audience")
        say(alert, all(map(CARD.fullmatch, alert["cards"])), f"its cards {alert['cards']}")
        say(alert, len(set(alert["cards"])) == len(alert["cards"]), "names a card twice")
        say(alert, 0 < len(alert["evidence"]) <= 1000, "its evidence")
        evidence = alert["evidence"]
        say(alert, evidence == sorted(set(evidence)), f"evidence twice or unsorted {evidence}")
        say(alert, alert["at_ms"] <= alert["known_ms"], "known before it happened")
        say(alert, alert["known_ms"] <= now_ms, "known in time to come")
        if alert["state"] == "remedied":
            say(alert, set(steps) <= {"done", "void", "unseen"}, f"remedied with steps {steps}")
            say(alert, steps, "remedied without a remedy")
        of_its_own = "remedy-misdeal-too-late"  # of a misdeal that nothing called for
        if alert["irregularity"].startswith("remedy-") and alert["irregularity"] != of_its_own:
            say(alert, alert.get("remedy_of"), "a remedy's fault without its remedy")
        if "superseded_by" in alert:
            say(alert, alert["state"] == "withdrawn", "superseded and not withdrawn")

    def _next(self, before, alert, *, retracted):
        say = self._say
        say(
            alert, alert["revision"] == before["revision"] + 1, "its revision does not count by one"
        )
        move = (before["state"], alert["state"])
        say(alert, move in MOVES or retracted, f"goes from {move[0]} to {move[1]}")
        say(
            alert,
            not before["final"] or retracted,
            f"changes once it is final{_changed(before, alert)}",
        )
        say(alert, set(before["cards"]) <= set(alert["cards"]), "a name once told is gone")
        say(alert, alert["at_ms"] == before["at_ms"] or retracted, "its time changes")
        say(alert, alert["known_ms"] == before["known_ms"] or retracted, "known anew")
        if move == ("withdrawn", "withdrawn") and not retracted:
            what = _changed(before, alert)
            say(alert, what in ("", " (final)"), f"withdrawn and changes{what}")
        for at, was, step in _steps_changed(before, alert) if not retracted else ():
            say(alert, was != "wrong", "a wrong step is right again")
            # A stub that was shuffled before the cards were in it has to be shuffled once more; a
            # street that turns out to have come too early was not dealt.
            anew = any(s["state"] == "done" for s in alert["remedy"][:at])
            anew = anew or alert["remedy"][at]["step"].startswith(("flop", "turn", "river"))
            say(alert, was != "done" or step == "wrong" or anew, "a step done is undone")
        say(alert, _changed(before, alert), "nothing in it has changed")

    def _lines(self, lines, first, *, retracted):
        names = [one["id"] for one in lines]
        for alert in lines:
            most = 2 if alert["id"] in first else 1
            self._say(alert, names.count(alert["id"]) <= most, "more lines than one")
        updates = [one["id"] for one in lines if one["revision"] > 1]
        ranked = sorted(updates, key=self._order.index)
        if lines and not retracted:
            self._say(lines[-1], updates == ranked, "updates not in order of raising")

    def _pointers(self, lines):
        for alert in lines:
            for key in ("superseded_by", "remedy_of"):
                to = alert.get(key)
                self._say(alert, to is None or to in self.last, f"{key} points to {to}: never told")


def _steps_changed(before, alert):
    """Of the steps of the same remedy: the index, how it stood and how it stands."""
    words = [[step["step"] for step in one["remedy"]] for one in (before, alert)]
    if words[0] != words[1]:
        return []
    states = zip(before["remedy"], alert["remedy"], strict=True)
    rows = ((at, was["state"], now["state"]) for at, (was, now) in enumerate(states))
    return [row for row in rows if row[1] != row[2]]


def _changed(before, alert):
    skip = {"revision", "evidence"}
    keys = [key for key in {**before, **alert} if key not in skip
            and before.get(key) != alert.get(key)]  # fmt: skip
    return f" ({', '.join(keys)})" if keys else ""


def watched(judge, stream, line, first_number=2):
    """Take the stream, each deadline by itself; the register of all its lines.

    What is told of the hand meanwhile is held against its form too.
    """
    register = Register()
    for at, event in enumerate(stream):
        while judge.hand and (due := judge.hand.deadline_ms()) is not None and due < event.at_ms:
            register.take([line(a) for a in judge.take(Tick(at_ms=due + 1))], due + 1)
            assert judge.hand.deadline_ms() != due, "a deadline that does not pass"
        told = [line(a) for a in judge.take(event, at + first_number)]
        register.take(told, event.at_ms, retracted=isinstance(event, Retracted),
                      hand_over=isinstance(event, HandEnded | HandStarted),
                      begins=isinstance(event, HandStarted))  # fmt: skip
        register.wrong += faults("hand", json.dumps(judge.hand_view()).encode())
    return register
