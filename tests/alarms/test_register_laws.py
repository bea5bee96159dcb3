"""Laws of the register: whatever is judged, ordered and waited for, in whatever order."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.alarms.register import Register
from daemon.orders import ERRORS, Command
from daemon.rules.parameters import Parameters
from tests.alarms.alerts import OPENED, alert
from tests.laws.line import SOAK

EXAMPLES = 20_000 if SOAK else 400
HOUSE = Parameters(escalate_critical_s=3, escalate_high_s=7, shelve_max_min=2, chatter_per_min=3)
NAMES = ("x", "y", "table")
MOVES = {("raised", "raised"), ("raised", "remedied"), ("raised", "withdrawn"),
         ("raised", "closed"), ("remedied", "remedied"), ("remedied", "raised"),
         ("remedied", "withdrawn"), ("remedied", "closed"), ("withdrawn", "withdrawn"),
         ("withdrawn", "closed"), ("closed", "closed")}  # fmt: skip


@dataclass(frozen=True)
class Raise:
    name: str
    severity: str
    audience: str


@dataclass(frozen=True)
class Change:
    """The line judges an alert anew: which one, and what of it."""

    which: int
    severity: str | None = None
    audience: str | None = None
    state: str | None = None
    final: bool = False


@dataclass(frozen=True)
class Say:
    """A person's word on an alert, `late` revisions after the one he has before him."""

    which: int
    command: str
    late: int = 0
    verdict: str | None = None
    minutes: int = 1
    name: str = ""


@dataclass(frozen=True)
class Wait:
    ms: int


severities = st.sampled_from(["critical", "high", "medium", "low"])
audiences = st.sampled_from(["floor", "floor", "surveillance", "maintenance", "log"])
which = st.integers(0, 7)
steps = st.one_of(
    st.builds(Raise, st.sampled_from(NAMES), severities, audiences),
    st.builds(
        Change, which, st.none() | severities, st.none() | audiences,
        st.sampled_from([None, None, "remedied", "withdrawn", "raised"]), st.booleans(),
    ),
    st.builds(
        Say, which,
        st.sampled_from(["acknowledge", "close", "shelve", "unshelve", "note", "table-state", "?"]),
        st.sampled_from([0, 0, 0, 0, 1, -1]),
        st.sampled_from(["upheld", "none", "other"]),
        st.integers(0, 3), st.sampled_from(["", "", "c1", "c2"]),
    ),
    st.builds(Wait, st.sampled_from([1, 999, 3_000, 3_001, 6_000, 7_000, 60_000, 130_000])),
)  # fmt: skip


@dataclass
class Played:
    """What a register said to some steps: lines by step, answers, and the line's last words."""

    batches: list[list] = field(default_factory=list)
    answers: list = field(default_factory=list)
    judged: list = field(default_factory=list)

    @property
    def lines(self):
        return [one for batch in self.batches for one in batch]


def _played(happened, ticks=()):
    register, played, now_ms = Register(HOUSE, OPENED), Played(), 0
    ticks = iter(ticks)
    for step in happened:
        if isinstance(step, Wait):
            then_ms = now_ms + step.ms
            told = []
            while (at_ms := next(ticks, then_ms)) < then_ms:
                told += register.pass_time(max(now_ms, at_ms))
            now_ms = then_ms
            played.batches.append(told + register.pass_time(now_ms))
        elif isinstance(step, Say):
            played.batches.append(_said(register, step, played, now_ms))
        else:
            one = _judged(step, played.judged, now_ms)
            played.batches.append(register.take([one], now_ms) if one else [])
    return played


def _judged(step, judged, now_ms):
    if isinstance(step, Raise):
        number = len(judged)
        subject = "table" if step.name == "table" else "turn"
        made = alert(step.name, now_ms, id=f"t:{number}", subject=subject,
                     severity=step.severity, audience=step.audience)  # fmt: skip
        judged.append(made)
        return made
    if not judged:
        return None
    before = judged[step.which % len(judged)]
    if before.final:
        return None
    wanted = {"severity": step.severity, "audience": step.audience, "state": step.state}
    changes = {key: value for key, value in wanted.items() if value}
    if before.state == "withdrawn":
        changes = {}
    after = replace(before, revision=before.revision + 1, final=step.final, **changes)
    judged[step.which % len(judged)] = after
    return after


def _said(register, step, played, now_ms):
    last = {one.id: one for one in played.lines}
    names = [one.id for one in played.judged]
    about = names[step.which % len(names)] if names else "nobody"
    revision = last[about].revision + step.late if about in last else 1
    command = Command(
        command=step.command, alert=about, revision=max(revision, 0), by="anna", text="why",
        verdict=step.verdict, minutes=step.minutes, id=step.name,
        state="paused" if step.command == "table-state" else None,
    )  # fmt: skip
    lines, _ = register.obey(command, now_ms)
    played.answers.append(register.answer)
    return lines


happenings = st.lists(steps, max_size=40)


@settings(max_examples=EXAMPLES)
@given(happenings)
def test_every_alert_lives_as_the_format_says(happened):
    last = {}
    played = _played(happened)
    for now in played.lines:
        before = last.get(now.id)
        last[now.id] = now
        if before is None:
            assert (now.revision, now.state) == (1, "raised")
            continue
        assert now.revision == before.revision + 1
        assert (before.state, now.state) in MOVES
        assert replace(now, revision=0, evidence=()) != replace(before, revision=0, evidence=())
        if before.state == "closed":
            assert before.verdict == "upheld"
            assert not before.final
        levels = [1 if not isinstance(one.level, int) else one.level for one in (before, now)]
        assert levels[1] in (levels[0], levels[0] + 1, 1)
        if now.state == "closed":
            event(f"closed {now.verdict}")


@settings(max_examples=EXAMPLES)
@given(happenings)
def test_a_refusal_has_a_word_and_changes_nothing(happened):
    played = _played(happened)
    orders = [
        (batch, step)
        for batch, step in zip(played.batches, happened, strict=True)
        if isinstance(step, Say)
    ]
    for (batch, step), answer in zip(orders, played.answers, strict=True):
        if answer.ok:
            assert batch or step.command in ("shelve", "note", "table-state") or step.name
        else:
            assert answer.error in ERRORS
            assert not batch


@settings(max_examples=EXAMPLES)
@given(happenings, st.lists(st.integers(0, 400_000), max_size=30))
def test_ticks_anywhere_change_nothing_and_a_replay_is_the_same(happened, ticks):
    plain = _played(happened)
    ticking = _played(happened, sorted(ticks))
    assert [line(one) for one in ticking.lines] == [line(one) for one in plain.lines]
    assert ticking.answers == plain.answers
    assert [line(one) for one in _played(happened).lines] == [line(one) for one in plain.lines]


@settings(max_examples=EXAMPLES)
@given(happenings)
def test_nothing_critical_is_hidden_but_behind_its_like_that_stands_raised(happened):
    last = {}
    for batch in _played(happened).batches:
        last |= {now.id: now for now in batch}
        for now in last.values():
            if now.subject == "table" or not now.superseded_by or now.severity != "critical":
                continue
            above = last[now.superseded_by]
            ruled = isinstance(above.verdict, str)
            stands = (above.severity, above.state, above.standing) == ("critical", "raised", True)
            assert now.state != "raised" or ruled or stands
            event("hidden")


@settings(max_examples=EXAMPLES // 4)
@given(happenings)
def test_every_line_is_an_alert_that_can_be_read_back(happened):
    for now in _played(happened).lines:
        assert msgspec.json.decode(line(now), type=type(now)) == now
