"""A whole lawful hand at ten seats, as sensors that flicker and overhear tell it."""

from __future__ import annotations

from random import Random

import pytest

from daemon.table.cards import DECK
from drivers import readings
from tests.table.felt import WITH_SHOE, WITHOUT_SHOE, Felt

BUTTON = 7
SEATS = [8, 9, 10, 1, 2, 3, 4, 5, 6, 7]
PITCH_MS = 400


class Dealer:
    """Deals by the clock and writes down what must be told: groups, each in any order within."""

    def __init__(self, seed: int, *, shoe: bool) -> None:
        self.chance = Random(seed)
        self.shoe = shoe
        self.dropped: dict[str, int] = {}
        self.deck = list(DECK)
        self.chance.shuffle(self.deck)
        self.felt = Felt(
            WITH_SHOE if shoe else WITHOUT_SHOE, dropout=self._dropout, ghost=self._ghost
        )
        self.expected: list[set[str]] = []
        self.draws: list[str] = []
        self.hands: dict[int, list[str]] = {seat: [] for seat in SEATS}
        self._to_land: list[tuple[int, str, str]] = []

    def _dropout(self, card: str, poll: int) -> bool:
        """One poll in six is missed, never two in a row."""
        if self.dropped.get(card) == poll - 1 or self.chance.random() > 1 / 6:
            return False
        self.dropped[card] = poll
        return True

    def _ghost(self, place: str, _poll: int) -> str | None:
        """The seat to the right overhears one poll in ten."""
        if not place.startswith("seat:") or self.chance.random() > 0.1:
            return None
        return f"seat:{int(place[5:]) % 10 + 1}"

    def wait(self, ms: int) -> None:
        for _ in range(ms // 100):
            self.felt.let_pass(1)
            for due_ms, card, place in [*self._to_land]:
                if due_ms <= self.felt.now_ms:
                    self.felt.lay(place, card)
                    self._to_land.remove((due_ms, card, place))

    def deal(self, place: str) -> str:
        """The top card to a place: 200 to 600 ms on its way from a shoe, at once from the hand."""
        card = self.deck.pop(0)
        flight_ms = 0
        if self.shoe:
            self.felt.draw(card)
            self.draws.append(f"draw {52 - len(self.deck)} {card}")
            flight_ms = self.chance.choice([200, 300, 400, 600])
        self._to_land.append((self.felt.now_ms + flight_ms, card, place))
        self.expected.append({f"{card} stub>{place}"})
        self.wait(PITCH_MS)
        return card

    def press(self, key: str, event: str, **fields) -> None:
        self.felt.press(key, **fields)
        self.expected.append({event})
        self.wait(600)

    def fold(self, seat: int) -> None:
        """The cards slide over the board to the muck."""
        cards = self.hands.pop(seat)
        self.press("fold", "acted", seat=seat)
        for place in ("nowhere", "board", "nowhere", "muck"):
            self.felt.lay(place, *cards)
            self.wait(400)
        self.expected.append({f"{card} seat:{seat}>muck" for card in cards})
        self.wait(600)

    def betting(self, acts: str) -> None:
        for act in acts.split(", "):
            seat, action = act.split()
            if action == "fold":
                self.look(int(seat))
                self.fold(int(seat))
            else:
                self.press(action, "acted", seat=int(seat))

    def look(self, seat: int) -> None:
        self.felt.lift(*self.hands[seat])
        self.wait(1000)
        self.felt.lay(f"seat:{seat}", *self.hands[seat])

    def street(self, cards: int) -> list[str]:
        self.press("betting-closed", "betting-closed")
        self.wait(1500)
        self.deal("burn")
        self.wait(800)
        board = [self.deal("board") for _ in range(cards)]
        self.wait(1500)
        return board

    def hand(self) -> None:
        self.felt.press("new-hand", seat=BUTTON, seats=tuple(sorted(SEATS)))
        self.expected.append({"hand-started"})
        if self.shoe:
            self.felt.say("shoe", readings.ShoeLoaded(52))
        self.press("shuffle", "deck-shuffled")
        self.press("cut", "deck-cut")
        for _ in range(2):
            for seat in SEATS:
                self.hands[seat].append(self.deal(f"seat:{seat}"))
        self.wait(2000)
        self.betting(
            "10 call, 1 fold, 2 fold, 3 fold, 4 call, 5 call, 6 call, 7 call, 8 call, 9 check"
        )
        board = self.street(3)
        self.betting("8 fold, 9 fold, 10 check, 4 fold, 5 fold, 6 check, 7 check")
        board += self.street(1)
        self.betting("10 check, 6 fold, 7 check")
        board += self.street(1)
        self.betting("10 check, 7 check")
        self.press("tabled", "hand-tabled", seat=10)
        self.press("pot", "pot-pushed", seats=(10,))
        self.press("collected", "cards-collected")
        self.felt.lay("nowhere", *board)
        self.wait(2000)
        self.felt.lay("stub", *DECK)
        self.wait(2000)
        self.press("hand-over", "hand-ended")
        self.wait(3000)


@pytest.mark.parametrize("shoe", [True, False], ids=["shoe", "no shoe"])
@pytest.mark.parametrize("seed", range(8))
def test_a_lawful_hand_is_told_as_it_was_dealt(seed, shoe):
    dealer = Dealer(seed, shoe=shoe)
    dealer.hand()
    told = dealer.felt.take()
    assert [word for word in told if word.startswith("draw")] == dealer.draws
    others = iter([word for word in told if not word.startswith("draw")])
    in_groups = [{next(others, "nothing") for _ in group} for group in dealer.expected]
    assert [*in_groups, *others] == dealer.expected
    for draw in dealer.draws:
        card = draw.split()[-1]
        assert told.index(draw) < next(i for i, w in enumerate(told) if w.startswith(f"{card} "))
