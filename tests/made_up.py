"""What a line of a test's own making says of its hand and of its alarms, in the right form."""

from __future__ import annotations

from daemon.alarms.key_figures import KeyFigures
from daemon.payloads import AlarmFigures, Coverage, HandView
from daemon.rules.parameters import Parameters


def figures() -> AlarmFigures:
    """Of a table where nothing has happened."""
    return KeyFigures(Parameters()).payload(0, standing=0, stale=0)


def coverage() -> Coverage:
    """Of a table that spots nothing."""
    return {
        "v": 1, "rulebook": "robert-classic", "spots": [], "called": [], "unseen": [], "never": [],
        "silent": [], "text": {"en": {}},
    }  # fmt: skip


def hand(name: str) -> HandView:
    """A hand of this name, at its beginning."""
    places = {"stub": 52, "seats": 0, "board": 0, "burn": 0, "aside": 0, "muck": 0}
    return {
        "v": 1, "hand": name, "deal": 1, "street": "deal", "button": 1, "seats_in": [1, 2],
        "places": places, "public": [], "due": [], "acts": [], "seen": True,
    }  # fmt: skip
