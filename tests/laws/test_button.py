"""A whole evening's buttons: moving or dead, players come and go; the wrong one is told."""

from __future__ import annotations

import random

import pytest

from daemon.table import events as dealing
from daemon.table.cards import DECK
from tests.hands.judged import found_at

HANDS = 120


class Ring:
    """A tournament table with a dead button: the big blind always moves to the player due."""

    def __init__(self, rng, dead):
        self.rng = rng
        self.dead = dead
        self.players = list(range(1, 10))
        self.button, self.small, self.big = 1, 2, 3
        self.out = []

    def after(self, seat):
        """The next player's seat clockwise."""
        later = [player for player in self.players if player > seat]
        return (later or self.players)[0]

    def move(self):
        """Somebody busts or sits down now and then; then the blinds and the button move."""
        self.changed = False
        if len(self.players) > 4 and self.rng.random() < 0.15:
            self.out.append(self.players.pop(self.rng.randrange(len(self.players))))
            self.changed = True
        elif self.out and self.rng.random() < 0.1 and not self.dead:
            self.players = sorted([*self.players, self.out.pop()])
            self.changed = True
        if self.dead:
            self.button, self.small = self.small, self.big
            self.big = self.after(self.big)
        else:
            self.button = self.after(self.button)
            self.small = self.after(self.button)
            self.big = self.after(self.small)


def hand(ring, number, at_ms, button):
    """One hand in which all fold to the big blind."""
    seats = tuple(ring.players)
    order = sorted(seats, key=lambda seat: (seat - button - 1) % 10)
    small = ring.small if ring.small in seats else None
    yield dealing.DeckShuffled(at_ms=at_ms)
    yield dealing.DeckCut(at_ms=at_ms + 100)
    yield dealing.HandStarted(
        at_ms=at_ms + 200,
        hand=str(number),
        button=button,
        seats=seats,
        small_blind=small,
        big_blind=ring.big,
        game="tournament",
    )
    for at, seat in enumerate((*order, *order)):
        at_ms += 300
        yield dealing.CardMoved(at_ms=at_ms, card=DECK[at], source="stub", to=f"seat:{seat}")
    first = order.index(ring.big) + 1
    for seat in (*order[first:], *order[:first]):
        if seat != ring.big:
            at_ms += 1000
            yield dealing.Acted(at_ms=at_ms, seat=seat, action="fold")
    yield dealing.PotPushed(at_ms=at_ms + 500, seats=(ring.big,))
    yield dealing.CardsCollected(at_ms=at_ms + 900)
    yield dealing.HandEnded(at_ms=at_ms + 1000)


def evening(ring, wrong=()):
    """Hands one after the other; in those of these numbers the button stays where it was."""
    at_ms, button = 0, ring.button
    yield dealing.TableBegan(table="poker-1")
    for number in range(1, HANDS + 1):
        if number > 1:
            ring.move()
        button = button if number in wrong else ring.button
        events = list(hand(ring, number, at_ms + 5000, button))
        yield from events
        at_ms = events[-1].at_ms


@pytest.mark.parametrize("seed", range(12))
def test_a_dead_button_is_where_it_should_be(seed):
    ring = Ring(random.Random(seed), dead=True)
    assert found_at(evening(ring), "tda-2024") == {}


@pytest.mark.parametrize("rulebook", ["robert-classic", "robert"])
@pytest.mark.parametrize("seed", range(6))
def test_a_moving_button_is_where_it_should_be(seed, rulebook):
    ring = Ring(random.Random(seed), dead=False)
    assert found_at(evening(ring), rulebook) == {}


@pytest.mark.parametrize("rulebook", ["robert-classic", "tda-2024"])
def test_a_button_that_did_not_move_is_told_where_the_same_players_play_on(rulebook):
    ring = Ring(random.Random(3), dead=False)
    ring.rng.random = lambda: 1.0  # nobody comes or goes
    found = found_at(evening(ring, wrong=(40, 80)), rulebook)
    told = [(alert.irregularity, alert.hand) for alert in found.values()]
    # How the next hand makes good for it differs from room to room: it is not judged.
    assert told == [("deal-button-misplaced", "40"), ("deal-button-misplaced", "80")]
