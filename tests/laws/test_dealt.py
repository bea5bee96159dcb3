"""What is told of the dealing events: enough to follow a hand by, and no hidden card in it."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from random import Random

from msgspec.structs import replace

from daemon.alarms.dealt import Dealt, Seen
from daemon.table.cards import DECK
from daemon.table.events import CardMoved, Rival, read, write
from tests.laws.line import SOAK, judged, judgement, seen
from tests.laws.secrecy import Publicity, renamed
from tests.laws.streams import hands

HANDS = 5000 if SOAK else 150
EXAMPLE = Path(__file__).parents[2] / "docs/examples/premature-turn.jsonl"


def told(events, betting, rng=None):
    """What is told where what lies in one moment is read in any order, as `rng` has it."""
    judge, dealt, lines = judgement(), Dealt(), []
    for at_ms, run in groupby(events, key=lambda event: event.at_ms):
        moment = list(run)
        if rng and all(isinstance(event, CardMoved) for event in moment):
            rng.shuffle(moment)
        happened = []
        for event in moment:
            judge.take(event, 1)
            happened.append((event, seen(judge)))
        lines += dealt.take(happened, seen(judge), at_ms)
    return [write(event) for event in lines]


def at_once(events, rng):
    """The same hand as a slow reader has it: what moved shortly after is read in one moment."""
    moved, run, now_ms = [], set(), -1
    for event in events:
        is_move = isinstance(event, CardMoved)
        if not (is_move and run and event.card not in run and rng.random() < 0.6):
            now_ms, run = max(event.at_ms, now_ms + 1), set()
        if is_move:
            run.add(event.card)
        moved.append(replace(event, at_ms=now_ms))
    return moved


def test_cards_read_in_one_moment_are_told_in_no_order_of_their_own():
    exchanges = 0
    for rng, one in hands("moments", HANDS):
        events = at_once(one.events, rng)
        public = Publicity(events).ever
        hidden = [card for card in DECK if card not in public]
        names = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        other = [renamed(event, names) for event in events]
        mine = told(events, one.betting, Random(1))
        exchanges += other != events
        assert mine == told(other, one.betting, Random(2)), one.name
    assert exchanges > 0.9 * HANDS


def test_no_name_is_told_that_not_all_have_seen():
    for _, one in hands("event names", HANDS):
        public = Publicity(one.events)
        for line in told(one.events, one.betting):
            named = {word for word in _words(json.loads(line)) if word in DECK}
            assert named <= public.ever, line


def _words(value):
    match value:
        case str():
            yield value
        case dict():
            for key, one in value.items():
                yield from (key, *_words(one))
        case list():
            for one in value:
                yield from _words(one)


def test_a_hand_is_told_so_that_it_can_be_judged_again():
    """By whoever reads the events and has no other sensor: the same irregularities are found."""
    events = [read(line) for line in EXAMPLE.read_bytes().splitlines()]
    table, hand = events[0], events[1:]
    lines = [b'{"event":"table","table":"t"}', *told(hand, table.betting)]
    found = {alert["irregularity"] for alert in judged([read(x) for x in lines[1:]]).alerts()}
    assert "turn-premature" in found
    assert found == {alert["irregularity"] for alert in judged(hand).alerts()}


def moves(*rows, at_ms=0):
    """Moves of one moment: card, from, to."""
    return [CardMoved(at_ms=at_ms, card=card, source=a, to=b) for card, a, b in rows]


def names(dealt, events, public=(), lies=None):
    """What each card is called."""
    now = Seen(frozenset(public), lies or {})
    return [
        (e.card, getattr(e, "identity", None) or e.to)
        for e in dealt.take([(event, now) for event in events], now, 0)
    ]


def test_hidden_cards_are_numbered_as_they_leave_the_stub():
    dealt = Dealt()
    assert names(dealt, moves(("Ah", "stub", "seat:3"))) == [("?1", "seat:3")]
    assert names(dealt, moves(("2c", "stub", "burn"))) == [("?2", "burn")]
    assert names(dealt, moves(("Ah", "seat:3", "muck"))) == [("?1", "muck")]


def test_cards_that_came_together_are_told_apart_by_which_goes_first():
    for first in ("Ah", "2c"):
        dealt = Dealt()
        pair = moves(("Ah", "stub", "seat:3"), ("2c", "stub", "seat:3"))
        assert names(dealt, pair) == [("?1", "seat:3"), ("?2", "seat:3")]
        second = "2c" if first == "Ah" else "Ah"
        assert names(dealt, moves((first, "seat:3", "muck"))) == [("?1", "muck")]
        assert names(dealt, moves((second, "seat:3", "aside"))) == [("?2", "aside")]


def test_cards_that_came_together_with_other_doubts_are_told_in_no_order_of_their_own():
    """Not in that of their tags: the law of secrecy, where a shoe and a neighbour disagree."""
    came = moves(("Ah", "stub", "seat:3"), ("2c", "stub", "seat:3"))
    doubts = (Rival("not-drawn-by-shoe"), Rival("neighbour-antenna"))
    told_of = []
    for mine in (came, came[::-1]):
        now = Seen()
        happened = [(replace(e, doubt=d), now) for e, d in zip(mine, doubts, strict=True)]
        forth = Dealt().take(happened, now, 0)
        back = Dealt().take(happened[::-1], now, 0)
        assert forth == back
        told_of.append(forth)
    assert told_of[0] == told_of[1]


def test_a_card_that_all_have_seen_gets_its_name_in_that_moment():
    dealt = Dealt()
    names(dealt, moves(("Ah", "stub", "seat:3")))
    shown = names(dealt, moves(("2c", "stub", "burn"), at_ms=5), {"Ah"}, {"Ah": "seat:3"})
    assert shown == [("?2", "burn"), ("?1", "Ah")]
    assert names(dealt, moves(("Ah", "seat:3", "muck")), {"Ah"}, {"Ah": "muck"}) == [("Ah", "muck")]


def test_the_second_card_of_a_name_is_not_known_by_the_first():
    """Of a fouled deck no hidden card and no seat is told (design: secrecy)."""
    dealt = Dealt()
    names(dealt, moves(("Ah", "stub", "seat:3")))
    assert names(dealt, moves(("Ah", "stub", "board")), {"Ah"}, {"Ah": "board"})[-1] == (
        "Ah", "board",
    )  # fmt: skip
    assert names(dealt, moves(("Ah", "seat:3", "muck")), {"Ah"}, {"Ah": "board"}) == [
        ("?1", "muck")
    ]


def test_a_card_that_went_back_into_the_stub_is_a_new_one():
    dealt = Dealt()
    names(dealt, moves(("Ah", "stub", "seat:3")))
    names(dealt, moves(("Ah", "seat:3", "stub")))
    names(dealt, moves(("2c", "stub", "seat:4")))
    assert names(dealt, moves(("Ah", "stub", "seat:3"))) == [("?3", "seat:3")]
