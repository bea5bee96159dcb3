from __future__ import annotations

import random
from collections import Counter
from itertools import islice

import pytest
from pokerkit import Automation, NoLimitTexasHoldem, StandardHighHand

from daemon.demo.deal import STREETS
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening, lawful_evening
from daemon.demo.mischief import MISCHIEF, incident, kinds
from daemon.demo.ranking import strength
from daemon.demo.real_hands import deal_of
from daemon.rules.vocabulary import IDS, UNSEEN
from daemon.table import events as dealing
from daemon.table.cards import DECK
from tests.hands.loader import lawful_hands, recorded_hands
from tests.hands.stream import check

SMALL_BLIND, BIG_BLIND, PLENTY = 5, 10, 100_000


def _sampled(seed, count):
    return random.Random(seed).sample(recorded_hands(), count)


def test_the_selection_is_large_and_each_hand_has_its_own_id():
    hands = recorded_hands()
    assert len(hands) >= 6000
    assert len({hand["id"] for hand in hands}) == len(hands)
    assert len(lawful_hands()) < len(hands)


def test_a_recorded_hand_deals_its_own_cards():
    for recorded in _sampled(1, 400):
        deal = deal_of(recorded, random.Random(recorded["id"]))
        assert sorted(deal.deck) == sorted(DECK)
        assert list(deal.board_cards()) == recorded["board"]
        for seat, cards in recorded["hole"].items():
            assert set(deal.hole(int(seat))) == set(cards)


def test_every_recorded_hand_becomes_a_well_formed_stream():
    for recorded in _sampled(2, 1500):
        rng = random.Random(recorded["id"])
        check(lawful(deal_of(recorded, rng), rng))


def test_the_same_seed_deals_the_same_events():
    recorded = recorded_hands()[77]
    twice = [lawful(deal_of(recorded, random.Random(5)), random.Random(6)) for _ in range(2)]
    assert twice[0] == twice[1]


def test_the_best_tabled_hand_of_a_recorded_showdown_is_among_the_winners():
    known = [
        hand
        for hand in recorded_hands()
        if hand["showdown"] and not {"showdown_hole_unknown", "multiway_all_in"} & set(hand["tags"])
    ]
    for recorded in known:
        deal = deal_of(recorded, random.Random(0))
        board = deal.board_cards()
        value = {seat: strength([*deal.hole(seat), *board]) for seat in deal.survivors()}
        best = {seat for seat in value if value[seat] == max(value.values())}
        assert best <= set(recorded["result"]["winners"]), recorded["id"]


def test_hands_are_ranked_as_pokerkit_ranks_them():
    rng = random.Random(3)
    for _ in range(1500):
        cards = rng.sample(DECK, 9)
        first, second, board = cards[:2], cards[2:4], cards[4:]
        ours = strength(first + board), strength(second + board)
        theirs = [
            StandardHighHand.from_game("".join(hole), "".join(board)) for hole in (first, second)
        ]
        assert (ours[0] > ours[1]) == (theirs[0] > theirs[1])
        assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])


@pytest.mark.parametrize("seat_count", range(2, 11))
def test_an_evening_is_well_formed_and_its_times_never_fall(seat_count):
    now_ms = 0
    for stream in islice(lawful_evening(random.Random(seat_count), seat_count), 60):
        check(stream)
        assert stream[0].at_ms >= now_ms
        now_ms = stream[-1].at_ms


def _pokerkit_of(deal):
    """PokerKit's game of the deal; who never runs out of chips has plenty."""
    order = deal.deal_order
    paid = Counter({seat: deal.antes.get(seat, 0) for seat in order})
    spent = set(deal.all_in)
    for street in STREETS:
        put = {**deal.blinds, **deal.straddles} if street == "preflop" else {}
        put |= {act.seat: act.amount for act in deal.acts[street] if act.amount is not None}
        paid.update(put)
        spent |= {act.seat for act in deal.acts[street] if act.all_in}
    blinds = [SMALL_BLIND, BIG_BLIND, 2 * BIG_BLIND][: 3 if deal.straddles else 2]
    return NoLimitTexasHoldem.create_state(
        (
            Automation.ANTE_POSTING, Automation.BET_COLLECTION,
            Automation.BLIND_OR_STRADDLE_POSTING,
            Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING,
            Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING,
            Automation.CHIPS_PUSHING, Automation.CHIPS_PULLING,
        ),
        ante_trimming_status=True,
        raw_antes=dict.fromkeys(range(len(order)), 1) if deal.antes else 0,
        raw_blinds_or_straddles=blinds,
        min_bet=BIG_BLIND,
        raw_starting_stacks=[paid[seat] + (0 if seat in spent else PLENTY) for seat in order],
        player_count=len(order),
    )  # fmt: skip


def _replay(deal):
    """False where PokerKit finds a raise too small to be reopened; asserts turn and end."""
    game = _pokerkit_of(deal)
    for act in (act for street in STREETS for act in deal.acts[street]):
        assert game.actor_index is not None
        assert deal.deal_order[game.actor_index] == act.seat
        match act.word:
            case "fold":
                if not game.can_fold():
                    return False
                game.fold()
            case "check" | "call":
                game.check_or_call()
            case _:
                if not game.can_complete_bet_or_raise_to(act.amount):
                    return False
                game.complete_bet_or_raise_to(act.amount)
    assert not game.status
    return True


@pytest.mark.filterwarnings("ignore")
def test_pokerkit_asks_the_same_seats_to_act_in_a_random_evening():
    agreed = tried = 0
    for seed in range(9):
        for deal in islice(evening(random.Random(seed), seed + 2), 25):
            if deal.small_blind is None:
                continue
            tried += 1
            agreed += _replay(deal)
    assert agreed > 0.8 * tried


def test_there_is_a_mischief_for_every_irregularity_that_one_hand_can_show():
    found = {name.split()[0] for name in MISCHIEF}
    assert found == {name for name in IDS if not name.startswith("remedy-")} - set(UNSEEN)
    for name, handling in kinds():
        for recorded in _sampled(4, 60):
            rng = random.Random(recorded["id"])
            made = incident(name, handling, deal_of(recorded, rng), rng)
            found |= set(made.found) if made else set()
    assert found == set(IDS) - set(UNSEEN)


@pytest.mark.parametrize(("name", "handling"), list(kinds()))
def test_every_mischief_is_a_well_formed_stream(name, handling):
    made = 0
    for recorded in _sampled(5, 120):
        rng = random.Random(recorded["id"] + handling)
        happened = incident(name, handling, deal_of(recorded, rng), rng)
        if happened:
            made += 1
            check(happened.events, doubles=name == "deck-duplicate-card")
    assert made


def test_without_betting_knowledge_no_act_is_told():
    for recorded in _sampled(6, 60):
        rng = random.Random(1)
        happened = incident("board-card-withdrawn", "right", deal_of(recorded, rng), rng)
        if happened:
            assert happened.table.betting.level == "none"
            assert not [e for e in happened.events if isinstance(e, dealing.Acted)]
