"""An alert as the floor has it: what is judged, and what people and time have made of it."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from daemon.alarms.alert import Alert
from daemon.payloads import Note, Shelving, Signed
from daemon.rules.parameters import Parameters
from daemon.rules.vocabulary import SEVERITIES

LEVEL_MAX = 5
_OVER = frozenset({"none", "other"})  # verdicts after which the sensors have nothing more to say
_PUT_RIGHT = frozenset({"remedied", "withdrawn"})


class Standing(Struct, frozen=True, kw_only=True):
    """One alert of the register.

    `judged` is what the line says of it, `said` how it left last (None: not yet). `since_ms` is
    when it was raised, or got graver; `escalates_ms` when it is raised again unless somebody looks
    at it, `back_ms` when its shelving ends. `level` counts how often it was raised, `count` for how
    many of its kind it stands, itself included; `into` names the one that stands for this one.
    `ended` says that it closed by itself.
    """

    judged: Alert
    said: Alert | None = None
    since_ms: int
    acknowledged: Signed | None = None
    shelved: Shelving | None = None
    back_ms: int | None = None
    escalates_ms: int | None = None
    level: int = 1
    count: int = 1
    into: str = ""
    verdict: str | UnsetType = UNSET
    closed: Signed | UnsetType = UNSET
    note: Note | UnsetType = UNSET
    ended: bool = False
    let_go: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether it is closed, by a person or by itself."""
        return self.ended or self.verdict is not UNSET

    @property
    def is_over(self) -> bool:
        """Whether nothing can change it any more."""
        return self.is_closed and (self.ended or self.verdict in _OVER or self.judged.final)

    @property
    def stands(self) -> bool:
        """Whether people have it before them."""
        return not self.is_closed and not self.into and self.judged.audience != "log"

    @property
    def due_ms(self) -> int | None:
        """When time alone changes it; a shelved one does not escalate."""
        return self.escalates_ms if self.back_ms is None else self.back_ms


def view(one: Standing) -> Alert:
    """The alert as it is to leave, with the revision that it left with last."""
    judged = one.judged
    repeats = one.count if one.count > 1 else UNSET
    return replace(
        judged,
        revision=one.said.revision if one.said else 0,
        state="closed" if one.is_closed else judged.state,
        final=judged.final or one.is_over,
        audience="log" if one.into else judged.audience,
        acknowledged=one.acknowledged,
        shelved=one.shelved,
        superseded_by=one.into or judged.superseded_by,
        level=one.level if one.level > 1 else UNSET,
        count=repeats if judged.count is UNSET else judged.count,
        verdict=one.verdict,
        closed=one.closed,
        note=one.note,
        let_go=one.let_go or UNSET,
    )


def judged_anew(one: Standing, alert: Alert, at_ms: int) -> Standing:
    """What the line says of it now; what people said of a lesser one does not hold for it."""
    if not is_graver(one.judged, alert):
        return replace(one, judged=alert)
    return replace(
        one,
        judged=alert,
        since_ms=at_ms,
        acknowledged=None,
        shelved=None,
        back_ms=None,
        escalates_ms=None,
        level=1,
        into="",
    )


def covers(above: Standing, alert: Alert) -> bool:
    """Whether it may stand for this one too: as grave and for the same people, or ruled upon.

    Nothing critical is told by what is over.
    """
    if above.verdict is not UNSET:
        return True
    judged = above.judged
    lesser = SEVERITIES.index(alert.severity) < SEVERITIES.index(judged.severity)
    open_still = judged.state == "raised" or alert.severity != "critical"
    return above.stands and not lesser and judged.audience == alert.audience and open_still


def is_graver(before: Alert, now: Alert) -> bool:
    """Whether it is more than people knew when they acknowledged, shelved or collapsed it."""
    worse = SEVERITIES.index(now.severity) < SEVERITIES.index(before.severity)
    others = now.audience not in (before.audience, "log")
    again = before.state in _PUT_RIGHT and now.state == "raised"
    return worse or others or again or _number(now) > _number(before)


def _number(alert: Alert) -> int:
    return 1 if isinstance(alert.count, UnsetType) else alert.count


def ends_by_itself(one: Standing) -> bool:
    """Whether nobody need do anything about it any more."""
    judged = one.judged
    if not (judged.final and one.stands):
        return False
    return judged.state == "withdrawn" or (judged.state == "remedied" and bool(one.acknowledged))


def clocked(one: Standing, at_ms: int, house: Parameters) -> Standing:
    """With the time of its next raising set, if it is to be raised again and is not yet."""
    wait_ms = _wait_ms(one, house)
    if wait_ms is None:
        return one if one.escalates_ms is None else replace(one, escalates_ms=None)
    return one if one.escalates_ms is not None else replace(one, escalates_ms=at_ms + wait_ms)


def _wait_ms(one: Standing, house: Parameters) -> int | None:
    """How long it may stand at its level unless somebody looks at it; None: for ever."""
    first_s = {"critical": house.escalate_critical_s, "high": house.escalate_high_s}
    wait_s = first_s.get(one.judged.severity)
    unheeded = one.stands and one.judged.state == "raised" and not (one.acknowledged or one.shelved)
    if not wait_s or not unheeded or one.level >= LEVEL_MAX:
        return None
    return round(wait_s * 1000) << (one.level - 1)


def raised_again(one: Standing) -> Standing:
    """Nobody has looked at it."""
    return replace(one, level=one.level + 1, escalates_ms=None)


def unshelved(one: Standing) -> Standing:
    """It makes itself heard again."""
    return replace(one, shelved=None, back_ms=None, escalates_ms=None)
