"""What a camera and chip readers add to a hand beside the readers, the keys and the shoe."""

from __future__ import annotations

import pytest

from tests.judge.hands import ended, flopped
from tests.judge.streams import Stream, judge


def early_turn():
    """Td fell as the turn while seats 3 and 1 owe; a reader saw it, which sees no faces."""
    return flopped().act("check", 2).burn("8s").board("Td", face="unknown")


def turn(stream):
    return [line for line in judge(stream) if line["irregularity"] == "turn-premature"]


def test_a_board_card_whose_face_is_read_is_named_at_once():
    (plain,) = turn(early_turn())
    first, named = turn(early_turn().say("card-turned", 300, card="Td", face="up", place="board"))
    assert plain["cards"] == first["cards"] == []
    assert named["cards"] == ["Td"]
    assert named["known_ms"] == plain["known_ms"]


def test_without_one_it_is_named_two_seconds_after_it_lay_there():
    assert turn(early_turn().wait(2000).say("tick", 0))[-1]["cards"] == []
    assert turn(early_turn().wait(2001).say("tick", 0))[-1]["cards"] == ["Td"]


SIGHTS = {
    "a face": ("card-turned", {"card": "Kd", "face": "up", "place": "board"}),
    "chips": ("chips-moved", {"seat": 2, "change": "came"}),
    "a face at a seat": ("card-exposed", {"place": "seat:2", "by": "unknown", "sure": False}),
}


@pytest.mark.parametrize("sight", SIGHTS)
def test_what_a_camera_or_chip_reader_sees_does_not_say_where_a_strayed_card_was_due(sight):
    def strayed(*, seen):
        stream = Stream("t").start().pitch(2, "9s").board("Kd", face="unknown")
        if seen:
            name, facts = SIGHTS[sight]
            stream.say(name, 100, **facts)
        return ended(stream.move("Kd", "seat:3").deal(1, 2, 3, 1))

    def story(lines):
        found = {line["id"]: line for line in lines}
        return [(line["irregularity"], line["subject"], line["state"]) for line in found.values()]

    plain, other = story(judge(strayed(seen=False))), story(judge(strayed(seen=True)))
    assert [one for one in other if one[0] != "deal-card-flashed"] == plain


def test_a_face_that_may_have_been_seen_at_a_seat_is_the_same_with_a_doubt_and_without():
    def glimpsed(**facts):
        stream = Stream("t").start().pitch(2, "9s").pitch(3, "Kd")
        return judge(stream.say("card-exposed", place="seat:3", sure=False, **facts).deal(1, 2))

    assert glimpsed() == glimpsed(doubt={"instead": "camera-other-card"})
