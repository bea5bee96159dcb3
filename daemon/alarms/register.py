"""The register: every alert that stands before people, and what they and time make of it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from daemon.alarms.alert import STANDING_MAX, Alert
from daemon.alarms.carried import Entered
from daemon.alarms.chatter import Chatter, cause_of
from daemon.alarms.key_figures import KeyFigures
from daemon.alarms.ordered import Word, carried_out, refusal
from daemon.alarms.standing import (
    Standing,
    clocked,
    covers,
    ends_by_itself,
    judged_anew,
    raised_again,
    unshelved,
    view,
)
from daemon.orders import Answer, Command
from daemon.payloads import AlarmFigures
from daemon.rules.parameters import Parameters
from daemon.table.events import DealingEvent, FloorRuled, TableState

QUIET_MAX = 500  # alerts that do not stand and may still change: those of a hand, with room
ANSWERS_MAX = 64
HOUR_MS = 3_600_000
TABLE = "table"  # the subject of what is the matter with the table itself: one of a kind stands


class Register:
    """What the floor makes of one table's alerts.

    Takes what is judged, people's commands and the passing of time, each with its own time, which
    never falls; gives the alerts as they leave, their revisions counted 1, 2, 3. `answer` is what
    the last command is answered with, `due_ms` when something changes by the mere passing of time
    (None: never). `opened` is the journal's opening.
    """

    def __init__(self, house: Parameters, opened: str | None) -> None:
        self.answer: Answer | None = None
        self.figures = KeyFigures(house)
        self.due_ms: int | None = None
        self._house = house
        self._opened = opened
        self._chatter = Chatter(house.chatter_per_min)
        self._standing: OrderedDict[str, Standing] = OrderedDict()
        self._quiet: OrderedDict[str, Standing] = OrderedDict()
        self._dues: dict[str, int] = {}  # of those that stand and change with time alone: when
        self._answers: OrderedDict[tuple[str, Command], Answer] = OrderedDict()

    def take(self, alerts: list[Alert], at_ms: int) -> list[Alert]:
        """What is judged of some alerts at that time, as it is to leave: new ones first."""
        lines: list[Alert] = []
        for alert in alerts:
            lines += self._judged(alert, at_ms)
            lines += self._let_go(at_ms)
        return sorted(lines, key=lambda line: line.revision > 1)

    def pass_time(self, to_ms: int) -> list[Alert]:
        """Let the deadlines before `to_ms` pass, each at its own time."""
        lines: list[Alert] = []
        while (due_ms := self.due_ms) is not None and due_ms < to_ms:
            for one in [one for one in self._standing.values() if one.due_ms == due_ms]:
                again = one.back_ms is None
                if again and one.level == 1 and _disturbs(one.said):
                    self.figures.escalated(due_ms)
                lines += self._keep(raised_again(one) if again else unshelved(one), due_ms)
        return lines

    def obey(
        self, command: Command, at_ms: int, via: str = ""
    ) -> tuple[list[Alert], DealingEvent | None]:
        """Carry a command out, or refuse it; its lines, and what of it the table must know.

        `via` is by which name it came. One that came twice, as MQTT may bring it, is answered the
        same and carried out once.
        """
        asked = (via, command)
        if command.id and asked in self._answers:
            self.answer = self._answers[asked]
            return [], None
        one = self._one(command.alert)
        lines: list[Alert] = []
        event: DealingEvent | None = None
        error: str | None = None
        if command.command == "table-state" and command.state is not None:
            event = TableState(at_ms=at_ms, state=command.state)
        elif (error := refusal(one, command, self._house)) is None and one is not None:
            lines, event = self._carry_out(one, Word(command, at_ms, self._opened))
        self.answer = self._answers[asked] = self._answered(command, error)
        if len(self._answers) > ANSWERS_MAX:
            self._answers.popitem(last=False)
        return lines, event

    def carried(self, now_ms: int) -> Entered:
        """What a register made anew must know: what has changed for the last time, it need not."""
        quiet = [one for one in self._quiet.values() if one.into or not one.judged.final]
        return Entered((*self._standing.values(), *quiet), self._chatter.carried(now_ms))

    def go_on(self, entered: Entered) -> None:
        """Go on from there."""
        for one in entered.entries:
            self._enter(one)
        self._chatter.go_on(entered.runs)

    def key_figures(self, now_ms: int) -> AlarmFigures:
        """The payload of `figures` (docs/topics.md)."""
        stale_ms = now_ms - self._house.stale_h * HOUR_MS
        stale = sum(one.since_ms < stale_ms for one in self._standing.values())
        return self.figures.payload(now_ms, len(self._standing), stale)

    # --- what is judged -----------------------------------------------------------------------

    def _judged(self, alert: Alert, at_ms: int) -> list[Alert]:
        before = self._one(alert.id)
        if before is None:  # a later line of one unknown is of one that was let go
            return self._raised(alert, at_ms) if alert.revision == 1 else []
        if before.is_over:
            return []
        is_news = alert.state == "withdrawn" and before.judged.state != "withdrawn"
        if is_news and alert.superseded_by is UNSET and _disturbs(before.said):
            self.figures.withdrawn(at_ms)
        after = judged_anew(before, alert, at_ms)
        return self._keep(after, at_ms) + self._uncovered(alert.id, at_ms)

    def _raised(self, alert: Alert, at_ms: int) -> list[Alert]:
        one = Standing(judged=alert, since_ms=at_ms)
        if alert.subject == TABLE:
            return self._superseded(alert, at_ms) + self._keep(one, at_ms)
        first = self._chatter.first(alert, at_ms) if one.stands else ""
        above = self._standing.get(first)
        if above is not None and covers(above, alert):
            self.figures.repeated(at_ms, cause_of(alert))
            lines = self._keep(replace(one, into=first), at_ms)
            return lines + self._keep(replace(above, count=above.count + 1), at_ms)
        if first:
            self._chatter.begin(alert)
        return self._keep(one, at_ms)

    def _superseded(self, alert: Alert, at_ms: int) -> list[Alert]:
        """What was the matter with the table before is over, and need not be met any more."""
        lines = []
        for one in list(self._standing.values()):
            if cause_of(one.judged) == cause_of(alert):
                judged = replace(one.judged, superseded_by=alert.id)
                lines += self._keep(replace(one, judged=judged, ended=True), at_ms)
        return lines

    def _let_go(self, at_ms: int) -> list[Alert]:
        """The oldest that is final makes room; where none is, the oldest."""
        lines: list[Alert] = []
        while len(self._standing) > STANDING_MAX:
            every = list(self._standing.values())
            oldest = next((one for one in every if one.judged.final), every[0])
            lines += self._keep(replace(oldest, ended=True, let_go=True), at_ms)
            lines += self._uncovered(oldest.judged.id, at_ms)
        return lines

    def _uncovered(self, name: str, at_ms: int) -> list[Alert]:
        """What collapsed into an alert comes out again where that cannot stand for it any more."""
        above = self._one(name)
        if above is None or above.count == 1:
            return []
        lines = []
        for one in [one for one in self._quiet.values() if one.into == name]:
            if one.judged.state == "raised" and not covers(above, one.judged):
                lines += self._keep(replace(one, into="", since_ms=at_ms), at_ms)
        return lines

    # --- what people order --------------------------------------------------------------------

    def _carry_out(self, one: Standing, word: Word) -> tuple[list[Alert], DealingEvent | None]:
        command, at_ms = word.command, word.at_ms
        if command.command == "acknowledge" and _disturbs(one.said):
            self.figures.acknowledged(at_ms, at_ms - one.since_ms)
        lines = self._keep(carried_out(one, word), at_ms)
        if command.command != "close" or command.verdict == "upheld":
            return lines, None
        ruling: Literal["stands", "other"] = "stands" if command.verdict == "none" else "other"
        return lines, FloorRuled(at_ms=at_ms, ruling=ruling, alert=command.alert)

    def _answered(self, command: Command, error: str | None) -> Answer:
        one = self._one(command.alert)
        return Answer(
            id=command.id,
            ok=error is None,
            error=UNSET if error is None else error,
            alert=command.alert or UNSET,
            revision=one.said.revision if one and one.said else UNSET,
        )

    # --- the entries --------------------------------------------------------------------------

    def _one(self, name: str) -> Standing | None:
        return self._standing.get(name) or self._quiet.get(name)

    def _keep(self, one: Standing, at_ms: int) -> list[Alert]:
        """Enter it as it is now; its lines, where there is news of it."""
        lines: list[Alert] = []
        ends = ends_by_itself(one)
        if not ends or one.said is None or one.said.state != one.judged.state:
            one = self._said(one, at_ms, lines)
        if ends:
            one = self._said(replace(one, ended=True), at_ms, lines)
        self._enter(clocked(one, at_ms, self._house))
        return lines

    def _said(self, one: Standing, at_ms: int, lines: list[Alert]) -> Standing:
        now, before = view(one), one.said
        if before is not None and replace(now, evidence=before.evidence) == before:
            return one
        now = replace(now, revision=now.revision + 1)
        if _disturbs(now) and not _disturbs(before):
            self.figures.raised(at_ms, now.irregularity)
        lines.append(now)
        return replace(one, said=now)

    def _enter(self, one: Standing) -> None:
        name = one.judged.id
        into, other, due_ms = self._standing, self._quiet, one.due_ms
        if not one.stands:
            into, other, due_ms = other, into, None
        other.pop(name, None)
        into[name] = one
        if len(self._quiet) > QUIET_MAX:
            self._quiet.popitem(last=False)
        if due_ms is None:
            self._dues.pop(name, None)
        else:
            self._dues[name] = due_ms
        self.due_ms = min(self._dues.values(), default=None)


def _disturbs(alert: Alert | None) -> bool:
    """Whether it is before the eyes of the floor."""
    return alert is not None and alert.audience == "floor" and alert.standing
