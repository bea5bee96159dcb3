"""A sense that is not there, or is lost in mid-hand, never turns into an accusation."""

from __future__ import annotations

from random import Random

import pytest

from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.real_hands import deal_of
from daemon.table import events as dealing
from daemon.table.events import DEFAULT_SENSES, SensorBack, SensorLost, TableBegan
from daemon.table.places import plain
from tests.hands.loader import lawful_hands
from tests.laws.line import SOAK, judgement, told

HANDS = 1000 if SOAK else 40
FELT = ("board", "burn", "aside")
SENSES = (*FELT, "cut", "shuffle", "tabled", "declare", "face", "floor", "pot")


def _sense(event):
    """The sense that tells of the event, None for those of seats, muck and acts."""
    match event:
        case dealing.CardMoved(source=source, to=to):
            return next((at for at in FELT if at in (plain(to), plain(source))), None)
        case dealing.CardTurned():
            return "board"
        case dealing.CardExposed():
            return "face"
        case dealing.DeckCut():
            return "cut"
        case dealing.DeckShuffled():
            return "shuffle"
        case dealing.HandTabled():
            return "tabled"
        case dealing.PotPushed():
            return "pot"
        case _:
            return None


def _unseen(events, lost):
    return [event for event in events if _sense(event) not in lost]


def _lawful(rng):
    if rng.random() < 0.5:
        return lawful(deal_of(rng.choice(lawful_hands()), rng), rng)
    return lawful(next(evening(rng, rng.randint(2, 10))), rng)


def _said(events, **table):
    judge = judgement()
    judge.take(TableBegan(table="t", **table), 1)
    return [alert for event in events for alert in judge.take(event)]


def _two(sense, rng):
    return (sense, rng.choice(SENSES))


@pytest.mark.parametrize("sense", SENSES)
def test_a_table_without_a_sense_accuses_nobody_of_what_it_cannot_see(sense):
    rng = Random(f"without {sense}")
    for _ in range(HANDS):
        lost = _two(sense, rng)
        events = _unseen(_lawful(rng), lost)
        sees = tuple(sorted(DEFAULT_SENSES.difference(lost)))
        assert not _said(events, sees=sees), f"{lost}\n{told(events)}"


@pytest.mark.parametrize("sense", SENSES)
def test_a_sense_lost_in_mid_hand_and_back_or_not_accuses_nobody(sense):
    rng = Random(f"losing {sense}")
    for _ in range(HANDS):
        events, lost = _lawful(rng), _two(sense, rng)
        gone = rng.randrange(len(events))
        back = rng.randrange(gone, len(events)) if rng.random() < 0.6 else len(events)
        stream = [
            *events[:gone],
            SensorLost(at_ms=events[gone].at_ms, senses=lost),
            *_unseen(events[gone:back], lost),
        ]
        if back < len(events):
            stream += [SensorBack(at_ms=events[back].at_ms, senses=lost), *events[back:]]
        assert not _said(stream), told(stream)


def test_a_hand_of_a_table_that_is_not_open_is_never_judged():
    rng = Random("paused")
    for _ in range(HANDS):
        events = _lawful(rng)
        spoilt = [event for event in events if rng.random() < 0.7]
        closed = dealing.TableState(at_ms=0, state=rng.choice(("paused", "closed", "maintenance")))
        assert not _said([closed, *spoilt]), told([closed, *spoilt])


CONSOLE = ("floor", "declare", "tabled", "face", "shuffle", "cut", "pot")
KEYED = (dealing.Acted, dealing.BettingClosed, dealing.BetsReturned)


def test_a_console_lost_in_mid_hand_takes_the_betting_with_it():
    rng = Random("losing the console")
    for _ in range(4 * HANDS):
        events = _lawful(rng)
        gone = rng.randrange(1, len(events))
        back = rng.randrange(gone, len(events)) if rng.random() < 0.8 else len(events)
        missed = [one for one in _unseen(events[gone:back], CONSOLE) if not isinstance(one, KEYED)]
        stream = [
            *events[:gone],
            SensorLost(at_ms=events[gone].at_ms, senses=CONSOLE),
            *missed,
        ]
        if back < len(events):
            stream += [SensorBack(at_ms=events[back].at_ms, senses=CONSOLE), *events[back:]]
        assert not _said(stream), told(stream)
