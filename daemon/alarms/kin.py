"""How irregularities of a hand stand to each other, and to what comes next."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.alarms.life import Life
from daemon.course import plan
from daemon.course.course import Course
from daemon.course.steps import SIZE
from daemon.rules.naming import Irregularity
from daemon.table import places

# A hand has a handful of irregularities; past these a repeat is only more evidence of the last one.
REPEATS_MAX = 3
LIVES_MAX = 40
EVIDENCE_MAX = 32


def known(what: Irregularity, lives: Mapping[int, Life], course: Course) -> Life | None:
    """The same fault that still stands, if there is one."""
    for life in lives.values():
        if _key(life.what) != _key(what) or life.what.parent != what.parent:
            continue
        if life.final or life.state == "withdrawn" or life.self_corrected:
            continue
        if what.parent or (life.what.remedy and _is_open(life, course)):
            return life
    return _last_of_many(what, lives, course)


def _key(what: Irregularity) -> tuple[str, str, int]:
    return what.id, what.subject, what.deal


def _is_open(life: Life, course: Course) -> bool:
    marks = course.marks.get(life.what.ticket, ("open",))
    return any(mark in ("open", "wrong") for mark in marks)


def _last_of_many(what: Irregularity, lives: Mapping[int, Life], course: Course) -> Life | None:
    """The latest alert of its kind once there are more than a hand can have."""
    alike = [life for life in lives.values() if life.what.id == what.id]
    if len(alike) >= REPEATS_MAX * len(course.deal_order):
        return alike[-1]
    return alike[-1] if alike and len(lives) >= LIVES_MAX else None


def is_finished(life: Life, course: Course) -> bool:
    """Whether its remedy was done, or owed no more."""
    marks = course.marks.get(life.what.ticket, ())
    return bool(marks) and not any(mark in ("open", "wrong") for mark in marks)


def ordinal(what: Irregularity, lives: Mapping[int, Life]) -> int:
    """Which of its name in this deal this one is, from 1."""
    return 1 + sum(_key(life.what) == _key(what) for life in lives.values())


def says_the_same(what: Irregularity, lesser: Irregularity) -> bool:
    """Whether the graver one is about the same deal, street or round as the lesser."""
    if what.id.startswith("deal-") or what.subject == lesser.subject:
        return True
    return lesser.id == "burn-premature" and lesser.street == what.street


def is_offer(life: Life) -> bool:
    """Medium severity means that the dealer may fix it; so he may leave the misdeal, too."""
    return life.what.is_misdeal and life.what.ruling.severity == "medium"


def is_doubtful(life: Life) -> bool:
    """Whether the hand is followed as if nothing were wrong, until the doubt is gone."""
    return bool(life.doubt) and life.doubt != "acts-disagree"


def evidence(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of both, each once and in order; the first ones where they are too many."""
    return tuple(sorted({*one, *other}))[:EVIDENCE_MAX]


def is_next_step(course: Course, to: str) -> bool:
    """Whether a draw to that place is a next step: no card too many, no further card of a street.

    A card to a seat takes a step only while pitches, or a replacement, are owed.
    """
    if places.plain(to) == places.BOARD:
        return course.dealing is None
    return places.seat_of(to) is None or plan.find(course, "pitch", "replace") >= 0


def is_shown_soon(course: Course) -> bool:
    """Whether a whole street lies there whose faces nobody has told."""
    part_of_flop = course.street in ("deal", "preflop") and len(course.unturned) < SIZE["flop"]
    return bool(course.unturned) and not course.dealing and not part_of_flop
