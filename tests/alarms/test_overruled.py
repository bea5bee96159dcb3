"""The floor's word on one alert: the rest of the hand is judged without that remedy alone."""

from __future__ import annotations

import json

from daemon.alarms.alert import line
from daemon.table import events as dealing
from tests.judge.hands import checked, dealt, ended, exposed, premature, won
from tests.judge.streams import Stream, judge
from tests.laws.line import SOAK, judged, judgement, told
from tests.laws.schema import watched
from tests.laws.streams import hands

HANDS = 10_000 if SOAK else 150


def _ruled(stream, irregularity, subject, ruling="stands"):
    alert = f"t:judge:1:1:{irregularity}:{subject}"
    return stream.say("floor-ruled", ruling=ruling, alert=alert)


def _new(lines):
    return [(a["irregularity"], a["subject"]) for a in lines if a["revision"] == 1]


def _last(lines, irregularity):
    return [a for a in lines if a["irregularity"] == irregularity][-1]


def _early_flop():
    return dealt().act("call", 1).flop()


def _to_the_turn(stream):
    return checked(stream.act("call", 2).act("check", 3)).burn().board("Td")


def test_a_street_that_was_no_fault_is_played_on_from():
    ruled = judge(won(_to_the_turn(_ruled(_early_flop(), "flop-premature", "flop"))))
    assert _new(ruled) == [("burn-premature", "burn"), ("flop-premature", "flop")]
    alert = _last(ruled, "flop-premature")
    assert (alert["state"], alert["final"]) == ("raised", True)
    assert {step["state"] for step in alert["remedy"]} == {"due", "later"}
    unruled = judge(won(_to_the_turn(_early_flop())))
    assert ("remedy-no-option", "flop") in _new(unruled)


def test_the_rest_of_the_hand_is_judged():
    stream = checked(_to_the_turn(_ruled(_early_flop(), "flop-premature", "flop"))).board("Jc")
    assert ("river-no-burn", "river") in _new(judge(stream))


def test_it_is_final_at_once_and_says_no_more_in_this_hand():
    lines = judge(won(_to_the_turn(_ruled(_early_flop(), "flop-premature", "flop"))))
    at = next(n for n, a in enumerate(lines) if a["irregularity"].startswith("flop") and a["final"])
    assert not [a for a in lines[at + 1 :] if a["irregularity"] == "flop-premature"]


def test_what_another_alert_wants_stays_due():
    def early():
        """A flop while seats 2 and 3 owe, and with Kd, exposed and replaced, not yet burned."""
        return exposed().deal(2, 3, 1).pitch(3).act("call", 1).board("Ah", "7c", "2s")

    def left(lines):
        alert = _last(lines, "deal-single-card-exposed")
        return [step["step"] for step in alert["remedy"] if step["state"] != "done"]

    for ruling, others in (("stands", []), ("other", ["close", "flop-without-burn"])):
        stream = _ruled(early(), "flop-premature", "flop", ruling)
        lines = judge(stream)
        assert _last(lines, "flop-premature")["final"]
        assert left(lines) == ["exposed-to-burn", *others]
        assert left(judge(stream.move("Kd", "burn"))) == others
    lines = judge(_ruled(early(), "deal-single-card-exposed", "seat-3"))
    assert _last(lines, "deal-single-card-exposed")["final"]
    assert {step["state"] for step in _last(lines, "flop-premature")["remedy"]} == {"due", "later"}


def test_a_misdeal_that_is_none_leaves_the_deal_to_go_on_from_where_it_is():
    stream = _ruled(Stream("t").start().pitch(3), "deal-wrong-first-seat", "deal")
    stream = stream.deal(1, 2, 3, 1, 2).act("call", 1)
    assert _new(judge(won(stream))) == [("deal-wrong-first-seat", "deal")]
    stream = _ruled(Stream("t").start().pitch(3), "deal-wrong-first-seat", "deal")
    stream = stream.deal(1, 2, 3, 1, 2).act("call", 1).flop()
    assert ("flop-premature", "flop") in _new(judge(stream))


def test_a_deal_whose_rounds_are_mixed_up_is_left_unjudged():
    stream = Stream("t").start().pitch(3).pitch(3).pitch(3)
    stream = _ruled(stream, "deal-wrong-first-seat", "deal").deal(1, 2, 1, 2).act("call", 1).flop()
    assert {a for a, _ in _new(judge(stream))} == {"deal-wrong-first-seat"}


def test_the_same_fault_after_it_is_another_alert():
    stream = dealt().say("card-exposed", place="seat:2", by="dealer", card=None)
    lines = judge(stream)
    (found,) = {(a["irregularity"], a["subject"]) for a in lines}
    again = _ruled(stream, *found).say("card-exposed", place="seat:2", by="dealer", card=None)
    names = {a["id"] for a in judge(again)}
    assert len(names) <= 2


def test_no_key_takes_the_floors_word_back():
    stream = _ruled(_early_flop(), "flop-premature", "flop")
    taken_back = stream.say("retracted", of="floor-ruled")
    assert ("remedy-no-option", "flop") not in _new(judge(won(_to_the_turn(taken_back))))


def test_it_holds_when_the_hand_is_judged_again_without_a_key():
    stream = _ruled(_early_flop(), "flop-premature", "flop").say("floor-called")
    again = stream.say("retracted", of="floor-called")
    assert ("remedy-no-option", "flop") not in _new(judge(won(_to_the_turn(again))))


def test_a_word_on_no_alert_of_this_hand_changes_nothing():
    plain = [a for a in judge(ended(premature())) if a.pop("evidence")]
    for alert in ("nobody", "t:judge:0:1:turn-premature:turn"):
        stream = premature().say("floor-ruled", 0, ruling="other", alert=alert)
        assert [a for a in judge(ended(stream)) if a.pop("evidence")] == plain


def test_wherever_the_floor_rules_the_lines_obey_the_format():
    ruled = 0
    for rng, one in hands("overruled", HANDS):
        batches = judged(one.events, one.betting).batches
        spots = [
            (at, alert)
            for at, batch in enumerate(batches)
            for alert in map(json.loads, batch)
            if alert["state"] == "raised" and not alert["final"]
        ]
        if not spots:
            continue
        at, alert = rng.choice(spots)
        at = rng.randint(at, len(batches) - 1)
        word = dealing.FloorRuled(at_ms=one.events[at].at_ms, ruling="other", alert=alert["id"])
        stream = [*one.events[: at + 1], word, *one.events[at + 1 :]]
        judge_ = judgement()
        judge_.take(dealing.TableBegan(table="t", betting=one.betting), 1)
        wrong = watched(judge_, stream, line).wrong
        assert not wrong, "\n".join([told(stream, one.betting), *wrong])
        ruled += 1
    assert ruled > HANDS // 2
