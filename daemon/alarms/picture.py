"""The hand in progress as everybody may know it: counts, public cards, the steps due."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from daemon.course.course import Course
from daemon.course.plan import standing
from daemon.payloads import ActTold, Counts, Due, HandView, NoHand
from daemon.table import places
from daemon.table.events import Acted

ACTS_MAX = 40


def picture(course: Course | None, button: int | None, acts: Sequence[Acted]) -> HandView | NoHand:
    """The payload of the `hand` topic; without a hand only `hand: null`.

    `due` has the steps that may be done now, in order; `public` the cards that all have seen, where
    they lie, the board's as they came. Seats' cards are counted together with no regard to whether
    they lie on the felt. Of the acts the last `ACTS_MAX` are told.
    """
    if course is None:
        return {"v": 1, "hand": None}
    public = {card: place for card, place in course.felt.lies.items() if card in course.public}
    return {
        "v": 1,
        "hand": course.hand,
        "deal": course.deal,
        "street": course.street,
        "button": button,
        "seats_in": sorted(course.live),
        "places": _counts(course),
        "public": [[card, public[card]] for card in _ordered(public)],
        "due": _due(course),
        "acts": [_act(event) for event in acts[-ACTS_MAX:]],
        "seen": not course.felt.blind,
    }


def _counts(course: Course) -> Counts:
    """How many cards lie where; the stub has the rest."""
    counts = Counter(course.felt.lies.values())
    seats = {place: n for place, n in counts.items() if places.seat_of(place) is not None}
    return {
        "stub": 52 - sum(counts.values()),
        "seats": sum(seats.values()),
        "board": counts[places.BOARD],
        "burn": counts[places.BURN],
        "aside": counts[places.ASIDE],
        "muck": counts[places.MUCK],
    }


def _ordered(public: Mapping[str, str]) -> list[str]:
    """The board as it was laid; the rest by name, since how hands were dealt is nobody's."""
    board = [card for card, place in public.items() if place == places.BOARD]
    return board + sorted(public.keys() - set(board))


def _act(event: Acted) -> ActTold:
    return {"at_ms": event.at_ms, "seat": event.seat, "act": event.action}


def _due(course: Course) -> list[Due]:
    kinds = tuple(step.kind for step in course.plan[:16])
    states = standing(kinds, ("open",) * len(kinds))
    due: list[Due] = []
    for step, state in zip(course.plan, states, strict=False):
        if state == "due" and not step.may:
            due.append({"step": step.kind, "seat": step.seat} if step.seat else {"step": step.kind})
    return due
