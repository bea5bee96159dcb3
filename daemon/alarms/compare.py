"""Compare what stands with what was last told: the alerts that are news."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.alarms.alert import Alert, RemedyStep, Text, Window
from daemon.alarms.identity import wall_clock
from daemon.alarms.life import Life
from daemon.course.course import Course
from daemon.course.plan import standing
from daemon.rules.texts import Texts

_FINISHED = frozenset({"done", "void", "unseen"})


class Desk(Struct, frozen=True):
    """What every alert of a table says alike."""

    table: str
    journal: str
    opened: str | None
    rulebook: str
    texts: Texts
    languages: tuple[str, ...]
    tells_dealer: bool = False


def remedy_states(life: Life, course: Course) -> tuple[RemedyStep, ...]:
    """The remedy's steps and how each stands."""
    ticket, remedy = life.what.ticket, life.what.remedy
    marks = course.marks.get(ticket)
    if marks is None or course.remedies.get(ticket) != remedy:
        marks = ("open",) * len(remedy)
    return _steps(remedy, marks)


@lru_cache(maxsize=512)
def _steps(remedy: tuple[str, ...], marks: tuple[str, ...]) -> tuple[RemedyStep, ...]:
    """Many lines of alerts say the same of their remedies."""
    states = standing(remedy, marks)
    return tuple(RemedyStep(step, state) for step, state in zip(remedy, states, strict=True))


def is_remedied(steps: tuple[RemedyStep, ...]) -> bool:
    """Whether the sensors saw the remedy done: all of it, none of it wrong."""
    states = {step.state for step in steps}
    return bool(states) and states <= _FINISHED and states != {"unseen"}


def view(life: Life, lives: Mapping[int, Life], course: Course, desk: Desk) -> Alert:
    """The alert as it stands now, at revision 0."""
    what, ruling = life.what, life.what.ruling
    steps = remedy_states(life, course)
    state = "remedied" if life.state == "raised" and is_remedied(steps) else life.state
    above = lives.get(life.superseded_by)
    parent = lives.get(what.parent)
    return Alert(
        id=life.name,
        revision=0,
        table=desk.table,
        hand=course.hand,
        irregularity=what.id,
        state=state,
        final=life.final,
        seen=not course.felt.blind,
        severity=life.severity,
        audience=life.audience,
        street=what.street,
        subject=what.subject,
        seats=what.seats,
        cards=life.shown,
        at_ms=what.at_ms,
        known_ms=life.known_ms,
        at=wall_clock(desk.opened, what.at_ms),
        rulebook=desk.rulebook,
        cite=ruling.cite,
        unconfirmed=ruling.unconfirmed,
        window=Window(ruling.window, life.window_open),
        remedy=steps,
        text=_texts(life, desk),
        evidence=what.numbers,
        superseded_by=above.name if above else UNSET,
        remedy_of=parent.name if parent else UNSET,
        doubt={"instead": life.doubt} if life.doubt else UNSET,
        self_corrected=True if life.self_corrected else UNSET,
        dealer=course.felt.dealer if desk.tells_dealer and course.felt.dealer else UNSET,
    )


def _texts(life: Life, desk: Desk) -> dict[str, Text]:
    written = {}
    for language in desk.languages:
        title, ruling, steps = desk.texts.text(language, life.what.ruling, life.what.remedy)
        written[language] = Text(title, ruling, steps)
    return written


def changes(views: list[Alert], told: dict[str, Alert], *, undone: bool = False) -> list[Alert]:
    """What is new or differs from what was told last: new alerts first, then updates.

    `told` is brought up to date and keeps the order of raising. The first line of an alert always
    says `raised`; one that is final or withdrawn only ever becomes final. `undone` says that a
    mistake at the keys was taken back, so that a remedy may be open again.
    """
    first, later = [], []
    ranks = {name: rank for rank, name in enumerate(told)}
    for alert in sorted(views, key=lambda view: ranks.get(view.id, len(ranks))):
        before = told.get(alert.id)
        if before is not None:
            alert = _from(before, alert, undone=undone)  # noqa: PLW2901 - some of it changes no more
        if before is None:
            last = alert.final and alert.state == "raised"  # else a second line says the end of it
            before = replace(alert, state="raised", final=last, revision=1, superseded_by=UNSET)
            first.append(before)
        named = tuple(card for card in alert.cards if card not in before.cards)
        now = replace(alert, revision=before.revision, cards=before.cards + named)
        if replace(now, evidence=before.evidence) != before:
            now = replace(now, revision=before.revision + 1)
            later.append(now)
        told[alert.id] = now
    return first + later


def _from(before: Alert, alert: Alert, *, undone: bool) -> Alert:
    """The alert as it may follow what was told: nothing comes back from a last word.

    What is final stands, unless it never was (a key was undone); what was remedied stays remedied.
    """
    if before.final and alert.state == "withdrawn":
        return replace(before, state="withdrawn")
    if before.final or before.state == "withdrawn":
        return replace(before, final=before.final or alert.final)
    if before.state == "remedied" and alert.state != "remedied" and not undone:
        return replace(alert, state="remedied", remedy=before.remedy, superseded_by=UNSET)
    return alert


def missing(views: list[Alert], told: dict[str, Alert]) -> list[Alert]:
    """What was told and is not there any more, as it was told last."""
    there = {alert.id for alert in views}
    return [before for name, before in told.items() if name not in there]
