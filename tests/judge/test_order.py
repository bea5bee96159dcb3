"""Cards that a remedy puts back on the stub come off again in their order, where it is known."""

from __future__ import annotations

import pytest

from tests.judge.hands import checked, closed, flopped
from tests.judge.streams import judge, last

WRONG = "remedy-wrong-branch"


def found(stream):
    return last(judge(stream))


def twice_burned(first="8s", second="4h", apart_ms=1000):
    """Two burns before the turn Td, which nobody has acted upon."""
    stream = checked(flopped()).burn(first).burn(second, after_ms=apart_ms)
    return stream.wait(6000).board("Td")


def put_back(*cards, stream=None):
    stream = stream or twice_burned()
    for card in cards:
        stream.move(card, "stub")
    return stream


@pytest.mark.parametrize(
    ("back", "then"),
    [(("Td", "4h"), "4h"), (("4h", "Td"), "4h"), (("Td", "4h"), "?9")],
    ids=["in order", "in any order, for how they lie nobody sees", "by no name"],
)
def test_the_card_that_is_due_or_one_that_nobody_knows_is_no_fault(back, then):
    assert WRONG not in found(put_back(*back).board(then))


@pytest.mark.parametrize("then", ["Td", "Jc"], ids=["the other one", "one that was not put back"])
def test_another_card_than_the_one_that_is_due_is_a_fault_in_the_remedy(then):
    line = found(put_back("Td", "4h").board(then))[WRONG]
    assert (line["severity"], line["audience"], line["subject"]) == ("high", "floor", "turn")


def test_a_card_without_a_name_is_still_one_card():
    named = put_back("Td", "?2", stream=twice_burned("?1", "?2"))
    assert WRONG not in found(named.board("?2"))
    other = put_back("Td", "?2", stream=twice_burned("?1", "?2"))
    assert WRONG in found(other.board("Td"))


@pytest.mark.parametrize("then", ["Jc", "?7"])
def test_where_the_card_that_is_due_has_no_name_another_may_be_it(then):
    assert WRONG not in found(put_back("Td", "?2", stream=twice_burned("?1", "?2")).board(then))


def test_a_card_that_gets_its_name_in_the_stub_is_known_by_it():
    stream = put_back("Td", "?2", stream=twice_burned("?1", "?2"))
    assert WRONG not in found(stream.say("card-identified", card="?2", is_="4h").board("4h"))


def test_two_burns_of_one_reading_may_have_come_in_any_order():
    stream = put_back("Td", "8s", stream=twice_burned(apart_ms=0))
    assert WRONG not in found(stream.board("8s"))
    assert WRONG in found(put_back("Td", "8s").board("8s"))


@pytest.mark.parametrize("first", ["Ah", "7c", "2s"])
def test_a_flop_has_no_order_and_what_it_leaves_over_is_next(first):
    stream = closed().burn("8s").burn("4h").wait(6000).board("Ah", "7c", "2s")
    stream = put_back("2s", "7c", "Ah", "4h", stream=stream)
    left = next(card for card in ("Ah", "7c", "2s") if card != first)
    rest = [card for card in ("Ah", "7c", "2s") if card not in (first, left)]
    redealt = checked(stream.board(first, "4h", *rest))
    assert WRONG not in found(redealt.burn(left))


def run_out(after=None):
    """Two burns before the turn Td and the river Jc upon it, with nobody left who could bet."""
    stream = flopped().act("bet", 2, all_in=True).act("call", 3, all_in=True).act("fold", 1)
    stream = stream.burn("8s").burn("4h", after_ms=1000).wait(6000).board("Td")
    return (after(stream) if after else stream.burn("5h")).board("Jc").wait(6000)


def test_a_burn_between_two_streets_comes_off_between_them_again():
    back = ("Jc", "5h", "Td", "4h")
    right = put_back(*back, stream=run_out()).board("4h").burn("Td")
    assert WRONG not in found(right.board("5h"))
    wrong = put_back(*back, stream=run_out()).board("4h").burn("Td")
    assert WRONG in found(wrong.board("Jc"))


def test_a_burn_between_two_streets_that_came_off_unread_leaves_the_order_open():
    stream = run_out(after=lambda stream: stream.move("5h", "off"))
    again = put_back("Jc", "5h", "Td", "4h", stream=stream).board("4h").burn("Td")
    assert WRONG not in found(again.board("5h"))


def test_a_shuffle_or_another_card_put_on_top_ends_what_is_known():
    assert WRONG not in found(put_back("Td", "4h").shuffle().board("Jc"))
    other = put_back("Td", "4h")
    assert WRONG not in found(other.move(next(iter(other.lies)), "stub").board("Jc"))


def test_a_draw_in_doubt_carries_its_doubt():
    stream = put_back("Td", "4h")
    stream.move("Jc", "board", "up", doubt={"instead": "camera-other-card"})
    line = found(stream)[WRONG]
    assert (line["doubt"], line["audience"]) == ({"instead": "camera-other-card"}, "maintenance")
