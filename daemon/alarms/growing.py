"""Faults that grow, or turn out smaller, with what comes next."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.alarms.life import Life
from daemon.course.course import Departure
from daemon.course.steps import SIZE
from daemon.rules.naming import Irregularity


def is_no_more(departure: Departure, first: Irregularity) -> bool:
    """Whether the run is known already, or none yet: the same card was put back and laid again."""
    known = first.id == "streets-premature-multiple"
    return known or set(departure.cards) <= set(first.cards)


def whole_run(departure: Departure, first: Irregularity) -> Departure:
    """A premature street and what was run out after it, as one."""
    return replace(
        departure,
        street=first.subject,
        phase=first.street,
        seats=first.seats,
        cards=first.cards + departure.cards,
        numbers=first.numbers + departure.numbers,
        facts=frozenset({first.subject}),
        ticket=0,
        face_seen=True,
    )


def many(departure: Departure, what: Irregularity) -> Departure | None:
    """A flop of five cards or more is no overcount by one any more."""
    if what.id != "flop-overcount" or len(what.cards) <= SIZE["flop"] + 1:
        return None
    return replace(departure, due="many", ticket=0, street="flop", cards=what.cards)


def part_of_flop(life: Life) -> Departure | None:
    """A premature flop of which only one or two cards were laid."""
    what = life.what
    if what.id != "flop-premature" or life.state == "withdrawn" or life.doubt:
        return None
    if len(what.cards) >= SIZE["flop"]:
        return None
    return Departure(
        what="board",
        due="partial",
        at_ms=what.at_ms,
        numbers=what.numbers,
        street="flop",
        phase=what.street,
        seats=what.seats,
        cards=what.cards,
        facts=what.facts,
        home=what.home,
        face_seen=what.face_seen,
    )
