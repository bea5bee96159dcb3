"""The life of an alert: held, self-corrected, wrong, void, final, taken over."""

from __future__ import annotations

import pytest

from tests.judge.streams import FLOP, Stream, brief, judge, last, steps

STATES = {"later", "due", "done", "wrong", "void", "unseen"}


def dealt(**table):
    return Stream("t", **table).start().deal()


def called(**table):
    return dealt(**table).act("call", 1, 2).act("check", 3)


def flopped(**table):
    return called(**table).flop()


def premature():
    """Seats 3 and 1 still owe on the flop."""
    return flopped().act("check", 2).burn("8s").board("Td")


def ended(stream):
    return stream.say("pot-pushed", seats=[2]).end()


def won(stream):
    return ended(stream.act("fold", 3, 1))


def only(lines, irregularity):
    return [line for line in lines if line["irregularity"] == irregularity]


# -- held ----------------------------------------------------------------------------------------


def test_a_fault_that_may_still_be_put_right_prints_nothing():
    assert judge(dealt().pitch(2)) == []


def test_put_right_in_time_it_is_one_low_log_line_and_its_remedy_is_followed():
    stream = dealt().pitch(2, "Ks").move("Ks", "burn", after_ms=2000)
    (line,) = judge(stream)
    assert brief([line]) == [("deal-extra-card-first-player", "seat-2", "raised")]
    assert (line["severity"], line["audience"], line["self_corrected"]) == ("low", "log", True)
    assert line["known_ms"] == line["at_ms"] + 2000
    assert steps(line)[0] == ("extra-to-burn", "done")
    stream.act("call", 1, 2).act("check", 3).board(*FLOP)
    assert last(judge(stream))["deal-extra-card-first-player"]["state"] == "remedied"


def test_an_event_exactly_at_the_deadline_is_in_time():
    stream = dealt().pitch(2, "Ks").move("Ks", "burn", after_ms=5000)
    assert judge(stream)[0]["self_corrected"] is True


def test_a_deadline_before_an_event_fires_first_at_its_own_time():
    stream = dealt().pitch(2, "Ks").move("Ks", "burn", after_ms=5001)
    first, second = judge(stream)
    assert first["known_ms"] == first["at_ms"] + 5000
    assert (first["severity"], first["audience"]) == ("medium", "floor")
    assert "self_corrected" not in first
    assert steps(first)[0] == ("extra-to-burn", "due")
    assert steps(second)[0] == ("extra-to-burn", "done")


def test_the_next_due_step_decides_what_is_held():
    stream = Stream("t").start().pitch(2).pitch(2).pitch(3)
    (line,) = judge(stream)
    assert brief([line]) == [("deal-out-of-sequence", "deal", "raised")]
    assert (line["at_ms"], line["known_ms"]) == (stream.now_ms - 1000, stream.now_ms)


@pytest.mark.parametrize("ender", ["hand-ended", "hand-started"])
def test_the_hand_end_decides_all_that_is_held(ender):
    facts = {"hand": "2", "button": 2, "seats": [1, 2, 3]} if ender == "hand-started" else {}
    (line,) = judge(dealt().pitch(2).say(ender, **facts))
    assert brief([line]) == [("deal-extra-card-first-player", "seat-2", "raised!")]
    assert line["known_ms"] == line["at_ms"] + 1000


def test_a_face_that_was_seen_is_never_self_corrected():
    stream = flopped().act("check", 2, 3, 1).board("Td").move("Td", "stub", after_ms=500)
    first = judge(stream)[0]
    assert brief([first]) == [("turn-no-burn", "turn", "raised")]
    assert first["known_ms"] == first["at_ms"]
    assert "self_corrected" not in first


def test_an_id_of_audience_log_without_a_remedy_is_never_held():
    (line,) = judge(flopped().burn("8s"))
    assert brief([line]) == [("burn-premature", "burn", "raised")]
    assert line["known_ms"] == line["at_ms"]
    assert line["remedy"] == []


# -- misdeals eased ------------------------------------------------------------------------------


def first_exposed():
    return Stream("t").start().pitch(2, "Kd", face="up")


def severities(stream):
    return [line["severity"] for line in judge(stream)]


def test_an_exposed_first_card_is_medium_while_the_dealer_may_put_it_right():
    assert severities(first_exposed()) == ["medium"]


def test_it_is_critical_when_dealing_goes_on():
    assert severities(first_exposed().pitch(3)) == ["medium", "critical"]


def test_it_is_critical_when_his_time_has_passed():
    assert severities(first_exposed().wait(15_001).say("tick", 0)) == ["medium", "critical"]
    assert severities(first_exposed().wait(15_000).say("tick", 0)) == ["medium"]


def test_declared_in_time_it_stays_medium():
    stream = first_exposed().say("misdeal-declared", 15_000).wait(60_000).collect().shuffle()
    assert set(severities(stream.deal())) == {"medium"}


# -- steps ---------------------------------------------------------------------------------------


def test_a_step_is_wrong_when_a_later_one_is_done_without_it():
    stream = premature().move("Td", "aside").act("check", 3, 1).board("Jc")
    lines = judge(stream)
    fault = last(lines)["remedy-burn-missing"]
    parent = last(lines)["turn-premature"]
    assert fault["remedy_of"] == parent["id"]
    assert fault["subject"] == parent["subject"]
    assert dict(steps(parent))["burn"] == "wrong"


def test_a_remedy_with_a_wrong_step_never_becomes_remedied():
    stream = premature().move("Td", "aside").act("check", 3, 1).board("Jc")
    stream.act("check", 2, 3, 1).move("Td", "stub").shuffle().board("2d")
    lines = judge(ended(stream))
    assert {line["state"] for line in only(lines, "turn-premature")} == {"raised"}
    assert last(lines)["turn-premature"]["final"] is True


def test_an_empty_remedy_never_becomes_remedied():
    lines = judge(won(flopped().burn("8s").act("check", 2, 3, 1).board("Td")))
    assert brief(lines) == [
        ("burn-premature", "burn", "raised"),
        ("burn-premature", "burn", "raised!"),
    ]


def test_wrong_and_put_back_in_time_never_was():
    stream = premature().move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc")
    stream.act("check", 2, 3, 1).move("Td", "stub").shuffle()
    stream.burn("Ks").move("Ks", "stub", after_ms=2000).board("2d")
    lines = last(judge(ended(stream)))
    assert lines["turn-premature"]["state"] == "remedied"
    fault = lines["remedy-burned-when-forbidden"]
    assert (fault["severity"], fault["audience"], fault["self_corrected"]) == ("low", "log", True)


def test_a_burn_that_stays_is_named_and_the_step_behind_it_is_wrong():
    stream = premature().move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc")
    stream.act("check", 2, 3, 1).move("Td", "stub").shuffle().burn("Ks").board("2d")
    lines = last(judge(ended(stream)))
    assert lines["remedy-burned-when-forbidden"]["severity"] == "high"
    assert lines["turn-premature"]["state"] == "raised"


def test_steps_are_void_when_one_hand_is_left_and_it_is_remedied():
    turn = last(judge(premature().move("Td", "aside").act("fold", 3, 1)))["turn-premature"]
    assert turn["state"] == "remedied"
    assert [state for _, state in steps(turn)] == ["done", *["void"] * 8]


def test_with_a_wrong_step_the_abort_remedies_nothing():
    stream = premature().move("Td", "aside").act("check", 3, 1).board("Jc").act("fold", 2, 3)
    turn = last(judge(stream))["turn-premature"]
    assert turn["state"] == "raised"
    assert dict(steps(turn))["burn"] == "wrong"


def test_steps_open_at_the_hands_end_stay_as_they_are():
    before = last(judge(premature().move("Td", "aside")))["turn-premature"]
    after = last(judge(premature().move("Td", "aside").say("hand-ended")))["turn-premature"]
    assert steps(after) == steps(before)
    assert (after["state"], after["final"]) == ("raised", True)


def test_a_step_that_cannot_be_seen_is_passed_over_and_does_not_prevent_remedied():
    stream = Stream("t", sees=["board", "burn", "aside", "place", "identity", "face"]).start()
    stream.deal().act("call", 1, 2).act("check", 3).flop().act("check", 2).burn("8s").board("Td")
    stream.move("Td", "aside").act("check", 3, 1).burn("4h").board("Jc").act("check", 2, 3, 1)
    stream.move("Td", "stub").board("2d")
    turn = last(judge(stream))["turn-premature"]
    assert turn["state"] == "remedied"
    assert dict(steps(turn)) | {"shuffle": "unseen", "cut": "unseen"} == dict(steps(turn))


def test_close_and_set_aside_are_due_together():
    turn = last(judge(premature()))["turn-premature"]
    assert steps(turn)[:3] == [("set-aside", "due"), ("close", "due"), ("burn", "later")]
    other = last(judge(premature().act("check", 3, 1)))["turn-premature"]
    assert steps(other)[:3] == [("set-aside", "due"), ("close", "done"), ("burn", "later")]


def test_every_step_has_a_state_of_the_contract():
    stream = premature().move("Td", "stub").shuffle().act("check", 3, 1).board("2d")
    for line in judge(stream):
        assert {state for _, state in steps(line)} <= STATES


# -- misdeals ------------------------------------------------------------------------------------


def test_a_misdeal_is_remedied_and_later_faults_are_the_next_deals_own():
    stream = Stream("t").start().pitch(3).collect().shuffle().deal().pitch(2).wait(6000)
    lines = judge(stream.say("tick"))
    assert last(lines)["deal-wrong-first-seat"]["state"] == "remedied"
    later = last(lines)["deal-extra-card-first-player"]
    assert later["id"].split(":")[3] == "2"


def test_the_deal_step_rises_at_the_collecting_and_is_done_with_the_first_pitch():
    stream = Stream("t").start().pitch(3).collect().shuffle().pitch(2)
    lines = only(judge(stream), "deal-wrong-first-seat")
    assert steps(lines[-2])[-1] == ("deal", "due")
    assert steps(lines[-1])[-1] == ("deal", "done")
    assert lines[-1]["state"] == "remedied"


@pytest.mark.parametrize("goes_on", ["burn", "board", "window"])
def test_playing_on_makes_the_alert_final_at_once(goes_on):
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2)
    if goes_on == "window":
        stream.act("call", 1, 2)
    elif goes_on == "burn":
        stream.burn()
    else:
        stream.board("Td")
    assert brief(judge(stream))[-1] == ("deal-wrong-first-seat", "deal", "raised!")


@pytest.mark.parametrize(
    ("extra", "due"), [(False, []), (True, ["floor", "kill-hand"])], ids=["order", "count"]
)
def test_once_substantial_action_shut_a_misdeal_the_ruling_after_it_is_told(extra, due):
    if extra:
        stream, name = dealt().pitch(1).pitch(1), "deal-multiple-extra-cards"
    else:
        stream, name = Stream("t").start().deal(3, 1, 2, 3, 1, 2), "deal-wrong-first-seat"
    open_still = last(judge(stream.wait(9000).act("call", 1)))[name]
    assert [step for step, _ in steps(open_still)] == ["collect", "shuffle", "cut", "deal"]
    shut = last(judge(stream.act("call", 2)))[name]
    assert (shut["state"], shut["final"], shut["window"]["open"]) == ("raised", True, False)
    assert [step for step, _ in steps(shut)] == due


def test_later_faults_of_a_hand_that_was_played_on_are_not_judged():
    stream = Stream("t").start().deal(3, 1, 2, 3, 1, 2).act("call", 1, 2).flop().board("Td")
    assert set(last(judge(ended(stream)))) == {"deal-wrong-first-seat"}


def test_what_happens_before_the_collecting_is_not_judged_again():
    stream = Stream("t").start().pitch(3).pitch(3).pitch(3, face="up").pitch(7)
    assert set(last(judge(stream))) == {"deal-wrong-first-seat"}


def test_the_misdeal_key_may_be_missing():
    stream = dealt().collect().shuffle().deal().act("call", 1, 2).act("check", 3).flop()
    assert judge(won(stream.act("check", 2, 3, 1).burn().board("Td"))) == []


# -- final ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ender", ["hand-ended", "hand-started"])
def test_final_comes_with_the_hands_end(ender):
    facts = {"hand": "2", "button": 2, "seats": [1, 2, 3]} if ender == "hand-started" else {}
    lines = judge(premature().say(ender, **facts))
    assert all(line["final"] for line in last(lines).values())
    assert not any(line["final"] for line in lines[:-2])


def test_after_the_hands_end_nothing_changes_an_alert():
    stream = premature().say("hand-ended")
    count = len(judge(stream))
    stream.move("Td", "aside").say("deck-shuffled").say("sensor-lost", senses=["board"])
    assert len(judge(stream.wait(60_000).say("tick"))) == count


def test_told_and_remedied_by_the_hands_end_it_is_final_in_the_last_of_its_lines():
    lines = judge(dealt().pitch(2).act("fold", 1, 2).say("hand-ended"))
    about = ("deal-extra-card-first-player", "seat-2")
    assert brief(lines) == [(*about, "raised"), (*about, "remedied!")]


# -- taken over ----------------------------------------------------------------------------------


def test_one_exposed_card_becomes_several():
    stream = Stream("t").start().pitch(2).pitch(3, face="up").pitch(1, face="up")
    lines = last(judge(stream))
    one, several = lines["deal-single-card-exposed"], lines["deal-multiple-cards-exposed"]
    assert (one["state"], one["superseded_by"]) == ("withdrawn", several["id"])
    assert several["state"] == "raised"


def test_one_extra_card_becomes_two_and_the_held_one_was_never_told():
    stream = dealt().pitch(2).pitch(3)
    assert brief(judge(stream)) == [("deal-multiple-extra-cards", "deal", "raised")]
