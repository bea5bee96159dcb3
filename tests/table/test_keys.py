from __future__ import annotations

import pytest

from daemon.table.events import (
    Acted,
    BetsReturned,
    BettingClosed,
    BoardDeclared,
    CardExposed,
    CardsCollected,
    DeckChanged,
    DeckCut,
    DeckShuffled,
    FloorCalled,
    HandEnded,
    HandStarted,
    HandTabled,
    MisdealDeclared,
    PotPushed,
    PrematureCalled,
    Retracted,
    TableState,
    read,
    write,
)
from daemon.table.keys import _KEYS, Keys
from drivers.readings import KeyPressed

AT = 700

# fmt: off
SAID = [
    (KeyPressed("post", 2, amount=1),        Acted(at_ms=AT, seat=2, action="post", amount=1)),
    (KeyPressed("fold", 4),                  Acted(at_ms=AT, seat=4, action="fold")),
    (KeyPressed("check", 4),                 Acted(at_ms=AT, seat=4, action="check")),
    (KeyPressed("call", 9, all_in=True),     Acted(at_ms=AT, seat=9, action="call", all_in=True)),
    (KeyPressed("bet", 1, amount=50),        Acted(at_ms=AT, seat=1, action="bet", amount=50)),
    (KeyPressed("raise", 1, amount=250),     Acted(at_ms=AT, seat=1, action="raise", amount=250)),
    (KeyPressed("all-in", 3),                Acted(at_ms=AT, seat=3, action="all-in", all_in=True)),
    (KeyPressed("betting-closed"),           BettingClosed(at_ms=AT)),
    (KeyPressed("exposed", 5),               CardExposed(at_ms=AT, place="seat:5", by="dealer")),
    (KeyPressed("exposed-by-player", 5),     CardExposed(at_ms=AT, place="seat:5", by="player")),
    (KeyPressed("board-declared", 6),        BoardDeclared(at_ms=AT, seat=6)),
    (KeyPressed("tabled", 6),                HandTabled(at_ms=AT, seat=6)),
    (KeyPressed("floor"),                    FloorCalled(at_ms=AT)),
    (KeyPressed("floor", 2),                 FloorCalled(at_ms=AT, seat=2)),
    (KeyPressed("misdeal", 2),               MisdealDeclared(at_ms=AT, seat=2)),
    (KeyPressed("premature"),                PrematureCalled(at_ms=AT)),
    (KeyPressed("shuffle"),                  DeckShuffled(at_ms=AT)),
    (KeyPressed("cut"),                      DeckCut(at_ms=AT)),
    (KeyPressed("hand-over"),                HandEnded(at_ms=AT)),
    (KeyPressed("pot", seats=(2, 9)),        PotPushed(at_ms=AT, seats=(2, 9))),
    (KeyPressed("bets-returned"),            BetsReturned(at_ms=AT)),
    (KeyPressed("bets-returned", seats=(3,)), BetsReturned(at_ms=AT, seats=(3,))),
    (KeyPressed("collected"),                CardsCollected(at_ms=AT)),
    (KeyPressed("deck-changed", text="blue"), DeckChanged(at_ms=AT, deck="blue")),
    (KeyPressed("table-open"),               TableState(at_ms=AT, state="open")),
    (KeyPressed("table-paused"),             TableState(at_ms=AT, state="paused")),
    (KeyPressed("table-closed"),             TableState(at_ms=AT, state="closed")),
    (
        KeyPressed("new-hand", 3, seats=(1, 2, 3, 5), blinds=(5, 1), text="118"),
        HandStarted(at_ms=AT, hand="118", button=3, seats=(1, 2, 3, 5),
                    small_blind=5, big_blind=1),
    ),
    (
        KeyPressed("new-hand", 3, seats=(1, 2), blinds=(0, 1), text="a.B-7"),
        HandStarted(at_ms=AT, hand="a.B-7", button=3, seats=(1, 2),
                    small_blind=None, big_blind=1),
    ),
    (
        KeyPressed("new-hand", 3, seats=(1, 2)),
        HandStarted(at_ms=AT, hand="1", button=3, seats=(1, 2)),
    ),
]
# fmt: on


@pytest.mark.parametrize(("key", "event"), SAID, ids=[key.key for key, _ in SAID])
def test_each_key_says_its_event_in_the_public_format(key, event):
    said = Keys(9).press(key, AT)
    assert said == event
    assert read(write(said)) == event


def test_the_table_above_has_every_key():
    assert {key.key for key, _ in SAID} == set(_KEYS)


@pytest.mark.parametrize(
    "key",
    [
        KeyPressed("dance", 3),
        KeyPressed("fold"),
        KeyPressed("fold", 10),
        KeyPressed("fold", 0),
        KeyPressed("exposed"),
        KeyPressed("bet", 3, amount=-1),
        KeyPressed("floor", 12),
        KeyPressed("pot"),
        KeyPressed("pot", seats=(3, 3)),
        KeyPressed("pot", seats=(3, 11)),
        KeyPressed("new-hand", 3),
        KeyPressed("new-hand", seats=(1, 2)),
        KeyPressed("new-hand", 3, seats=(1, 2), blinds=(1,)),
        KeyPressed("new-hand", 3, seats=(1, 2), blinds=(1, 10)),
        KeyPressed("new-hand", 3, seats=(1, 2), text="a hand"),
        KeyPressed("new-hand", 3, seats=(1, 2), text="x" * 33),
        KeyPressed("undo"),
    ],
)
def test_a_key_whose_fields_make_no_sense_says_nothing(key):
    assert Keys(9).press(key, AT) is None


def test_hands_without_a_name_are_numbered_on_from_the_last_number():
    keys = Keys(9)
    named = [None, None, "118", None, "final", None]
    hands = [keys.press(KeyPressed("new-hand", 1, seats=(1, 2), text=t), AT) for t in named]
    assert [hand.hand for hand in hands] == ["1", "2", "118", "119", "final", "120"]


def test_undo_takes_back_each_key_of_the_hand_once_the_last_first():
    keys = Keys(9)
    keys.press(KeyPressed("cut"), AT)
    keys.press(KeyPressed("new-hand", 1, seats=(1, 2)), AT)
    keys.press(KeyPressed("fold", 1), AT)
    keys.press(KeyPressed("nonsense"), AT)
    keys.press(KeyPressed("floor"), AT)
    undone = [keys.press(KeyPressed("undo"), AT) for _ in range(4)]
    assert undone == [
        Retracted(at_ms=AT, of="floor-called"),
        Retracted(at_ms=AT, of="acted"),
        Retracted(at_ms=AT, of="hand-started"),
        None,
    ]


def test_hands_are_numbered_on_from_where_another_line_was() -> None:
    keys = Keys(9)
    keys.go_on(12)
    started = keys.press(KeyPressed("new-hand", 3, seats=(1, 2)), AT)
    assert isinstance(started, HandStarted)
    assert (started.hand, keys.number) == ("13", 13)
