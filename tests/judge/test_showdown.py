"""The undeclared board, judged from tabled hands alone."""

from __future__ import annotations

import pytest

from tests.judge.hands import NO_BETTING, ended, rivered
from tests.judge.streams import Stream, judge

ROYAL = ("Ah", "Kh", "Qh", "Jh", "Th")


def shown_down(board=ROYAL, **table):
    """All three checked it down: seat 2 has 2c 2d, seat 3 3c 3d, the button 4c 4d."""
    stream = Stream("t", **table).start()
    for seat, card in zip((2, 3, 1) * 2, ("2c", "3c", "4c", "2d", "3d", "4d"), strict=True):
        stream.pitch(seat, card)
    stream.act("call", 1, 2).act("check", 3).burn("9s").board(*board[:3])
    for burn, card in zip(("9d", "8d"), board[3:], strict=True):
        stream.act("check", 2, 3, 1).burn(burn).board(card)
    return stream.act("check", 2, 3, 1)


def tabled(stream, seat=2, cards=("2c", "2d")):
    return stream.say("hand-tabled", seat=seat, cards=list(cards))


def guilty(stream):
    lines = judge(stream)
    assert {line["irregularity"] for line in lines} <= {"showdown-board-undeclared"}
    return sorted({line["subject"] for line in lines})


def test_a_seat_that_mucks_undeclared_while_the_board_plays_is_told_when_the_pot_goes():
    stream = tabled(shown_down()).muck(3)
    assert guilty(stream) == []
    stream.say("pot-pushed", seats=[2, 1])
    (line,) = judge(stream)
    assert (line["subject"], line["seats"], line["street"]) == ("seat-3", [3], "showdown")
    assert (line["severity"], line["audience"], line["remedy"]) == ("medium", "floor", [])
    assert (line["at_ms"], line["cards"]) == (stream.now_ms, [])


def test_or_when_the_hand_ends():
    assert guilty(tabled(shown_down()).muck(3).end()) == ["seat-3"]


def test_each_seat_that_mucked_is_told():
    assert guilty(ended(tabled(shown_down()).muck(3, 1))) == ["seat-1", "seat-3"]


def test_a_muck_may_be_told_as_an_act():
    assert guilty(ended(tabled(shown_down().act("fold", 3)))) == ["seat-3"]


def test_declared_it_is_quiet():
    stream = shown_down().say("board-declared", seat=3)
    assert guilty(ended(tabled(stream).muck(3))) == []


def test_a_better_hand_on_the_table_makes_it_quiet():
    board = ("Ah", "Kh", "Qh", "Jh", "8s")
    assert guilty(ended(tabled(shown_down(board)).muck(3))) == []


def test_a_tabled_hand_that_only_ties_the_board_does_not():
    board = ("Ac", "Kd", "Qh", "Js", "9h")
    stream = tabled(shown_down(board), cards=("2c", "3h"))
    assert guilty(ended(stream.muck(3))) == ["seat-3"]


def test_nobody_tabled_is_quiet():
    assert guilty(ended(shown_down().muck(3, 1))) == []


def test_a_seat_that_tabled_its_own_hand_has_thrown_nothing_away():
    stream = tabled(tabled(shown_down()), 3, ("3c", "3d")).muck(3)
    assert guilty(ended(stream)) == []


def test_one_seat_left_is_uncontested():
    stream = rivered().act("check", 2).act("bet", 3).act("fold", 1, 2).muck(1, 2)
    assert guilty(stream.say("pot-pushed", seats=[3])) == []


@pytest.mark.parametrize("pushed", [True, False])
def test_tabled_by_key_alone_is_judged_only_when_the_pot_is_pushed(pushed):
    stream = shown_down().say("hand-tabled", seat=2).muck(3)
    if pushed:
        stream.say("pot-pushed", seats=[2])
    assert guilty(stream.end()) == (["seat-3"] if pushed else [])


@pytest.mark.parametrize("missing", ["declare", "tabled"])
def test_it_is_off_where_a_word_or_a_tabled_hand_may_have_been_missed(missing):
    senses = {"identity", "place", "board", "muck", "declare", "tabled"} - {missing}
    assert guilty(ended(tabled(shown_down(sees=sorted(senses))).muck(3))) == []


def test_it_is_off_where_nothing_is_known_of_the_betting():
    assert guilty(ended(tabled(shown_down(**NO_BETTING)).muck(3))) == []


def test_a_pot_that_was_keyed_by_mistake_is_withdrawn():
    stream = tabled(shown_down()).muck(3).say("pot-pushed", seats=[2])
    stream.say("retracted", of="pot-pushed")
    assert [line["state"] for line in judge(stream)] == ["raised", "withdrawn"]
