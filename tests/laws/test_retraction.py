"""An undone key never was: the hand stands as it would without it."""

from __future__ import annotations

import json
import re
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.table import events as dealing
from daemon.table.events import TableBegan, name_of
from tests.laws.line import SOAK, judgement, told
from tests.laws.streams import some_hand

HANDS = 5000 if SOAK else 250
UNDONE_AFTER = 3  # at most so many events
SEATS = range(1, 7)
SLIP, UNDONE = 9000, 9001  # their numbers in the evidence
RULINGS = ("stands", "misdeal", "plays", "other")
ACTS = ("fold", "check", "call", "raise", "all-in", "post")
SLIPS = (
    lambda rng: dealing.Acted(
        at_ms=0, seat=rng.choice(SEATS), action=rng.choice(ACTS), all_in=rng.random() < 0.2
    ),
    lambda rng: dealing.HandTabled(at_ms=0, seat=rng.choice(SEATS)),
    lambda rng: dealing.BoardDeclared(at_ms=0, seat=rng.choice(SEATS)),
    lambda rng: dealing.PotPushed(at_ms=0, seats=(rng.choice(SEATS),)),
    lambda rng: dealing.CardExposed(at_ms=0, place=f"seat:{rng.choice(SEATS)}", by="dealer"),
    lambda rng: dealing.FloorRuled(at_ms=0, ruling=rng.choice(RULINGS)),
    dealing.BettingClosed(at_ms=0),
    dealing.FloorCalled(at_ms=0),
    dealing.MisdealDeclared(at_ms=0),
    dealing.PrematureCalled(at_ms=0),
    dealing.DeckShuffled(at_ms=0),
    dealing.DeckCut(at_ms=0),
    dealing.CardsCollected(at_ms=0),
    dealing.BetsReturned(at_ms=0),
)


def _slipped(events, rng):
    """The stream with a key pressed by mistake and undone a little later, as (number, event)."""
    slip = rng.choice(SLIPS)
    slip = slip if isinstance(slip, Struct) else slip(rng)
    kind = name_of(slip)
    start = next(at for at, event in enumerate(events) if isinstance(event, dealing.HandStarted))
    at = rng.randrange(start + 1, len(events))
    end = at
    for _ in range(rng.randint(0, UNDONE_AFTER)):
        over = end >= len(events) - 1 or isinstance(events[end], dealing.HandEnded)
        if not over and name_of(events[end]) != kind:
            end += 1
    slip = replace(slip, at_ms=events[at - 1].at_ms)
    undone = dealing.Retracted(at_ms=events[end - 1].at_ms, of=kind)
    numbered = list(enumerate(events, 2))
    return [*numbered[:at], (SLIP, slip), *numbered[at:end], (UNDONE, undone), *numbered[end:]]


def _judged(numbered, betting):
    """The last line of every alert, whether it was final before the retraction, and all views."""
    judge, last, settled, views = judgement(), {}, set(), {}
    judge.take(TableBegan(table="t", betting=betting), 1)
    for number, event in numbered:
        if isinstance(event, dealing.Retracted):
            settled |= {name for name, alert in last.items() if alert["final"]}
        for alert in judge.take(event, number):
            last[alert.id] = json.loads(line(alert))
        views[number] = json.dumps(judge.hand_view())
    return last, settled, views


def _standing(last, settled):
    """What stands, by its name without `:2`: all that is not withdrawn nor was final before."""
    names = {_name(name) for name in settled}
    found = {}
    for name, alert in last.items():
        if alert["state"] != "withdrawn" and _name(name) not in names:
            cut = {"id": _name(name), "revision": 0, "known_ms": 0}
            if "remedy_of" in alert:
                cut["remedy_of"] = _name(alert["remedy_of"])
            found.setdefault(_name(name), []).append(alert | cut)
    return found


def _name(name):
    """`turn-premature:turn:2` is `turn-premature:turn`; a seat's own number stays."""
    return re.sub(r"^((?:[^:]*:){4}[a-z-]+:[a-z0-9-]+):[0-9]+$", r"\1", name)


def _names_stay(clean, undone):
    """A name that was told stays told: the undone stream may know more cards."""
    for name, alerts in clean.items():
        for alert, other in zip(alerts, undone.get(name, ()), strict=False):
            if set(alert["cards"]) <= set(other["cards"]):
                other["cards"] = alert["cards"]


def test_a_key_undone_leaves_what_would_stand_without_it():
    for number in range(HANDS):
        rng = Random(f"undone/{number}")
        one = some_hand(rng)
        begun = [event for event in one.events[:-1] if isinstance(event, dealing.HandStarted)]
        if len(begun) != 1:
            continue
        stream = _slipped(one.events, rng)
        undone, settled, views = _judged(stream, one.betting)
        clean, _, clean_views = _judged(list(enumerate(one.events, 2)), one.betting)
        clean, undone = _standing(clean, settled), _standing(undone, settled)
        _names_stay(clean, undone)
        story = told([event for _, event in stream], one.betting)
        assert undone == clean, story
        numbers = [at for at, _ in stream]
        after = numbers[numbers.index(UNDONE) + 1 :]
        assert [views[at] for at in after] == [clean_views[at] for at in after], story
