"""How many cards lie where, as the rules count them: lawful hands, and faults put right."""

from __future__ import annotations

import random

import pytest

from daemon.demo.dealing import lawful
from daemon.demo.mischief import incident, kinds
from daemon.demo.outcome import RIGHT
from daemon.demo.real_hands import deal_of
from daemon.table import events as dealing
from tests.hands.judged import judgement, told
from tests.hands.loader import recorded_hands

BURNED = {0: 0, 3: 1, 4: 2, 5: 3}  # burns, by the cards on the board
HANDS = 150
TRIES = 200
PUT_RIGHT = {name for name, handling in kinds() if handling == RIGHT}
# Where the floor's ruling, or what cannot be undone, leaves a card where no other hand has one: how
# many more there are of hole cards and discards, of burns, and in the stub.
MORE = {
    "turn-overcount": {(1, 0, -1)},  # the card that the floor took off lies in the muck
    "river-overcount": {(1, 0, -1)},
    "burn-lost-in-muck": {(1, -1, 0)},  # it stays where it was swept
    "board-from-muck": {(-1, 0, 1)},  # the discard stands, and the card that was due stays undealt
    "stub-mixed-with-muck": {(-2, 0, 2), (0, -1, 1)},  # two discards, or a burn where there is none
}


def pictures(stream, betting=dealing.Betting()):  # noqa: B008 the default is frozen
    """The table when each betting round begins or the pot goes: the street and the counts.

    A round begins with the first act after the street's last card; the hand's own end counts too.
    """
    line = judgement()
    line.take(dealing.TableBegan(table="poker-1", betting=betting))
    before = None
    for event in stream:
        if isinstance(event, dealing.PotPushed) and before["hand"] is not None:
            yield before
        line.take(event)
        before = line.hand_view()


def counts(view):
    places = view["places"]
    return places["board"], places["burn"], places["aside"], places["stub"]


def dealt(view):
    """The hole cards: before the players and folded."""
    return view["places"]["seats"] + view["places"]["muck"]


def test_a_lawful_hand_ends_with_the_cards_that_the_rules_count():
    for recorded in random.Random(52).sample(recorded_hands(), HANDS):
        rng = random.Random(recorded["id"])
        deal = deal_of(recorded, rng)
        for view in pictures(lawful(deal, rng)):
            seats = len(deal.deal_order)
            board, burned, aside, stub = counts(view)
            assert dealt(view) == 2 * seats
            assert (burned, aside) == (BURNED[board], 0)
            assert stub == 52 - 2 * seats - board - burned
            assert board < 5 or stub == 44 - 2 * seats


@pytest.mark.parametrize("name", sorted(PUT_RIGHT))
def test_a_fault_put_right_leaves_the_cards_that_the_rules_count(name):
    seen = 0
    for recorded in random.Random(name).sample(recorded_hands(), TRIES):
        deal = deal_of(recorded, random.Random(recorded["id"]))
        happened = incident(name, RIGHT, deal, random.Random(recorded["id"] + name))
        if happened is None or happened.found[happened.irregularity] == "any":
            continue
        for view in pictures(happened.events, happened.table.betting):
            assert_counted(view, happened, len(deal.deal_order))
            seen += 1
        if seen > 5:
            break
    assert seen


def assert_counted(view, happened, seats):
    """After the river 44-2N and three burns, one less for each scrap, which lies aside."""
    board, burned, aside, stub = counts(view)
    odd = any(isinstance(event, dealing.CardBoxed | dealing.CardOdd) for event in happened.events)
    case = f"{happened.irregularity} {view['places']}\n{told(happened.events)}"
    if board == 5:  # before that the hand may have ended while a remedy had a card in hand
        assert odd or not aside, case
        miscounted = happened.irregularity == "hand-wrong-count-after-window"
        hole = dealt(view) if miscounted else 2 * seats
        more = (dealt(view) - hole, burned - 3, stub + aside - (44 - hole))
        assert more in MORE.get(happened.irregularity, {(0, 0, 0)}), case
