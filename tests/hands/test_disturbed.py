"""Recorded hands with what happens at any table in passing: nobody is called for it."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from daemon.demo.dealing import lawful
from daemon.demo.real_hands import deal_of
from daemon.table import events as dealing
from daemon.table.places import OFF, plain
from tests.hands.judged import RULEBOOKS, found, told
from tests.hands.loader import lawful_hands
from tests.laws.line import SOAK

SEED = 20261201
HANDS = 2000 if SOAK else 60
KNOWN = (dealing.Betting(), dealing.Betting("acts", "dealer"), dealing.Betting("none"))
BOOKS_OWN = {"showdown-allin-not-tabled"}  # recorded hands show what their rooms asked for


def lifted(rng, at_ms, lying):
    """One card, or all of one place, off the antenna and back: squared, looked at, unread."""
    there = sorted({plain(at) for at in lying.values()})
    place = "board" if "board" in there and rng.random() < 0.7 else rng.choice(there)
    cards = [card for card, at in lying.items() if plain(at) == place]
    cards = cards if rng.random() < 0.5 else [rng.choice(cards)]
    back_ms = at_ms + rng.choice((150, 800, 3000))
    away = [_moved(card, lying[card], OFF, at_ms) for card in cards]
    return [*away, *(_moved(card, OFF, lying[card], back_ms) for card in cards)]


def _moved(card, source, to, at_ms):
    return dealing.CardMoved(at_ms=at_ms, card=card, source=source, to=to, face="unknown")


def turned(rng, at_ms, lying):
    """A board card flips over and is put right."""
    board = [card for card, at in lying.items() if plain(at) == "board"]
    if not board:
        return []
    turn = dealing.CardTurned(at_ms=at_ms, card=rng.choice(board), face="down", place="board")
    return [turn, replace(turn, at_ms=at_ms + 400, face="up")]


def called(_rng, at_ms, _lying):
    """The floor is called, over something that no sensor knows of."""
    return [dealing.FloorCalled(at_ms=at_ms)]


def pause(_rng, at_ms, _lying):
    """Everybody thinks, or talks, for ten minutes."""
    return [dealing.Tick(at_ms=at_ms + 600_000)]


def disturbed(stream, happening, rng):
    """The hand with this in the middle of it, and all that follows later by as much.

    One time in two it happens right after a card came on the board.
    """
    laid = [at for at, e in enumerate(stream, 1) if plain(getattr(e, "to", "")) == "board"]
    at = rng.choice(laid) if laid and rng.random() < 0.5 else rng.randrange(3, len(stream) - 2)
    lying = {e.card: e.to for e in stream[:at] if isinstance(e, dealing.CardMoved)}
    began_ms = stream[at - 1].at_ms
    between = happening(rng, began_ms + 50, lying) if lying else []
    later_ms = (between[-1].at_ms if between else began_ms) - began_ms + 50
    rest = [replace(event, at_ms=event.at_ms + later_ms) for event in stream[at:]]
    return [*stream[:at], *between, *rest]


@pytest.mark.parametrize("happening", [lifted, turned, called, pause])
def test_what_happens_in_passing_calls_no_floor(happening):
    rng = random.Random(f"{happening.__name__} {SEED}")
    hands = list(lawful_hands())
    for _ in range(HANDS):
        stream = list(lawful(deal_of(rng.choice(hands), rng), rng, at_ms=0))
        stream = disturbed(stream, happening, rng)
        alerts = found(stream, rng.choice(KNOWN), rng.choice(RULEBOOKS)).values()
        floor = {a.irregularity for a in alerts if (a.audience, a.state) == ("floor", "raised")}
        assert floor <= BOOKS_OWN, told(stream)
