"""The register: what people and time make of an alert (docs/alerts.md, What people do)."""

from __future__ import annotations

from msgspec import UNSET

from daemon.alarms.alert import STANDING_MAX
from daemon.orders import ERRORS
from daemon.table.events import FloorRuled, TableState
from tests.alarms.alerts import Floor, alert, states


def _raised(floor=None, **changes):
    floor, one = floor or Floor(), alert(**changes)
    floor.judge(one)
    return floor, one


# --- acknowledged ---


def test_who_acknowledges_stands_in_the_alert_with_the_time_on_the_wall():
    floor, one = _raised()
    floor.now_ms = 65_500
    (line,) = floor.order("acknowledge", one, id="c1")
    assert line.acknowledged == {"by": "anna", "at": "2026-11-29T20:14:36.500Z"}
    assert (line.revision, line.state) == (2, "raised")
    assert floor.answer.ok
    assert (floor.answer.id, floor.answer.alert, floor.answer.revision) == ("c1", one.id, 2)


def test_steps_windows_and_a_lower_severity_leave_an_acknowledgement():
    floor, one = _raised()
    floor.order("acknowledge", one)
    for changes in ({"severity": "high"}, {"seats": ()}, {"state": "remedied"}, {"final": False}):
        floor.judge(one, **changes)
    assert floor.last(one).acknowledged


def test_a_graver_alert_is_acknowledged_no_more():
    graver = (
        {"severity": "critical"},
        {"audience": "surveillance"},
        {"severity": "critical", "state": "remedied"},
    )
    for changes in graver:
        floor, one = _raised(severity="high")
        floor.order("acknowledge", one)
        floor.order("shelve", one, minutes=5, text="later")
        (line,) = floor.judge(one, **changes)
        assert (line.acknowledged, line.shelved) == (None, None), changes


def test_so_is_one_that_comes_back_from_remedied():
    floor, one = _raised()
    floor.judge(one, state="remedied")
    floor.order("acknowledge", one)
    (line,) = floor.judge(one, state="raised")
    assert line.acknowledged is None


def test_an_audience_that_need_not_know_any_more_takes_nothing_back():
    floor, one = _raised()
    floor.order("acknowledge", one)
    (line,) = floor.judge(one, audience="log", severity="low")
    assert line.acknowledged


# --- refused ---


def test_every_refusal_has_its_word_and_harms_nothing():
    floor, one = _raised()
    other = alert("b")
    floor.judge(other)
    floor.judge(other, state="withdrawn", final=True)
    quiet = alert("c", audience="log")
    floor.judge(quiet)
    floor.order("acknowledge", one)
    before = len(floor.lines)
    refused = [
        (("acknowledge", None, {"alert": "nobody", "revision": 1}), "unknown-alert", UNSET),
        (("acknowledge", one, {"revision": 1}), "stale", 2),
        (("note", one, {"revision": 3, "text": "x"}), "stale", 2),
        (("acknowledge", one, {}), "acknowledged", 2),
        (("unshelve", one, {}), "not-shelved", 2),
        (("shelve", one, {"minutes": 61, "text": "x"}), "too-long", 2),
        (("close", other, {"verdict": "none"}), "closed", 3),
        (("acknowledge", quiet, {}), "closed", 1),
        (("dance", one, {}), "unknown-command", 2),
    ]
    for (name, about, fields), word, revision in refused:
        assert floor.order(name, about, **fields) == []
        assert (floor.answer.ok, floor.answer.error, floor.answer.revision) == (
            False, word, revision,
        )  # fmt: skip
        assert word in ERRORS
    assert len(floor.lines) == before
    assert floor.events == []


def test_a_command_that_comes_twice_is_carried_out_once_and_answered_twice():
    floor, one = _raised()
    first = floor.order("note", one, revision=1, text="x", id="c1"), floor.answer
    again = floor.order("note", one, revision=1, text="x", id="c1"), floor.answer
    assert len(first[0]) == 1
    assert again == ([], first[1])
    assert floor.order("note", one, revision=1, text="x", id="c1", via="berta") == []
    assert floor.answer.error == "stale"  # another one's command


# --- closed ---


def test_upheld_closes_it_and_its_steps_go_on_ticking_in_the_log():
    floor, one = _raised()
    (line,) = floor.order("close", one, verdict="upheld")
    assert (line.state, line.verdict, line.final, line.standing) == (
        "closed",
        "upheld",
        False,
        False,
    )
    assert line.closed == {"by": "anna", "at": "2026-11-29T20:13:31.000Z"}
    assert line.note is UNSET
    (line,) = floor.judge(one, state="remedied", seats=(1,))
    assert (line.state, line.seats, line.revision) == ("closed", (1,), 3)
    (line,) = floor.judge(one, final=True)
    assert (line.state, line.final) == ("closed", True)
    assert floor.judge(one, seats=()) == []
    assert floor.events == []


def test_none_and_other_end_it_and_tell_the_table():
    for verdict, ruling in (("none", "stands"), ("other", "other")):
        floor, one = _raised()
        (line,) = floor.order("close", one, verdict=verdict, text="seat 3 was all-in")
        assert (line.state, line.final, line.verdict) == ("closed", True, verdict)
        assert line.note["text"] == "seat 3 was all-in"
        assert floor.judge(one, seats=(9,)) == []
        assert floor.events == [FloorRuled(at_ms=0, ruling=ruling, alert=one.id)]
        floor.order("acknowledge", one)
        assert floor.answer.error == "closed"


def test_it_closes_by_itself_once_it_is_final_acknowledged_and_remedied():
    for order in ("raf", "arf", "rfa", "far"):
        floor, one = _raised()
        for what in order:
            assert floor.last(one).state != "closed"
            match what:
                case "r":
                    floor.judge(one, state="remedied")
                case "f":
                    floor.judge(one, final=True)
                case _:
                    floor.order("acknowledge", one)
        assert floor.last(one).state == "closed", order
        assert [line.revision for line in floor.lines] == list(range(1, len(floor.lines) + 1))


def test_what_is_remedied_stands_until_somebody_has_acknowledged_it():
    floor, one = _raised()
    floor.judge(one, state="remedied", final=True)
    assert floor.last(one).standing
    assert states(floor.order("acknowledge", one)) == [("a", 3, "closed")]


def test_withdrawn_and_final_closes_and_the_withdrawal_is_told_first():
    floor, one = _raised()
    assert states(floor.judge(one, state="withdrawn", final=True)) == [
        ("a", 2, "withdrawn"),
        ("a", 3, "closed"),
    ]
    floor, one = _raised()
    floor.judge(one, state="withdrawn")
    assert states(floor.judge(one, final=True)) == [("a", 3, "closed")]


def test_raised_and_final_stands_for_a_person_to_close():
    floor, one = _raised()
    floor.judge(one, final=True)
    floor.order("acknowledge", one)
    assert floor.last(one).standing


def test_what_stands_is_bounded_and_what_is_let_go_says_so():
    floor = Floor(chatter_per_min=1000)
    first, second = alert("first"), alert("second")
    floor.judge(first)
    floor.judge(second)
    floor.judge(second, final=True)
    for number in range(STANDING_MAX - 2):
        floor.judge(alert(f"n{number}"))
    told, closed = floor.judge(alert("one-too-many"))
    assert told.irregularity == "one-too-many"
    assert (closed.id, closed.state, closed.let_go) == (second.id, "closed", True)
    (_, closed) = floor.judge(alert("and-another"))
    assert (closed.id, closed.state) == (first.id, "closed")
    assert floor.judge(first, seats=(1, 2)) == []


# --- notes, the table ---


def test_a_note_is_signed():
    floor, one = _raised()
    (line,) = floor.order("note", one, text="player disagrees")
    assert line.note == {"by": "anna", "at": "2026-11-29T20:13:31.000Z", "text": "player disagrees"}


def test_the_tables_state_is_told_to_the_table():
    floor = Floor()
    floor.order("table-state", state="paused", id="s")
    assert floor.events == [TableState(at_ms=0, state="paused")]
    assert (floor.answer.ok, floor.answer.id, floor.answer.alert) == (True, "s", UNSET)


# --- raised again ---


def test_nobody_looks_and_it_is_raised_again_each_time_after_twice_as_long():
    for severity, first_s in (("critical", 30), ("high", 120)):
        floor, _ = _raised(severity=severity)
        at_s = 0
        for level in (2, 3, 4, 5):
            at_s += first_s * 2 ** (level - 2)
            assert floor.wait(at_s - floor.now_ms / 1000) == []  # due now, and still in time
            (line,) = floor.wait(0.001)
            assert (line.level, line.state, line.revision) == (level, "raised", level)
        assert floor.wait(10**6) == []


def test_whoever_acknowledges_at_the_last_moment_is_in_time():
    floor, one = _raised()
    floor.wait(30)
    floor.order("acknowledge", one)
    assert floor.wait(10**6) == []


def test_what_is_not_grave_or_put_right_or_closed_is_not_raised_again():
    for changes in ({"severity": "medium"}, {"severity": "low"}, {"audience": "log"}):
        floor, one = _raised(**changes)
        assert floor.wait(10**6) == []
    for changes in ({"state": "remedied"}, {"state": "withdrawn"}, {"severity": "medium"}):
        floor, one = _raised()
        floor.judge(one, **changes)
        assert floor.wait(10**6) == []
    floor, one = _raised()
    floor.order("close", one, verdict="upheld")
    assert floor.wait(10**6) == []
    floor, one = _raised(Floor(escalate_critical_s=0))
    assert floor.wait(10**6) == []


def test_a_graver_alert_begins_at_its_first_level():
    floor, one = _raised(severity="high")
    floor.wait(121)
    floor.wait(100)
    (line,) = floor.judge(one, severity="critical")
    assert line.level is UNSET
    (line,) = floor.wait(30.001)
    assert line.level == 2


def test_a_long_silence_raises_every_level_at_its_own_time():
    floor, one = _raised()
    once = Floor()
    once.judge(one)
    for _ in range(1000):
        floor.wait(0.5)
    once.wait(500)
    assert once.lines == floor.lines
    assert [line.level for line in once.lines] == [UNSET, 2, 3, 4, 5]


# --- shelved ---


def test_a_shelved_alert_is_silent_until_its_time_and_says_who_and_why():
    floor, one = _raised()
    floor.wait(20)
    (line,) = floor.order("shelve", one, minutes=10, text="floor is there")
    assert line.shelved == {
        "by": "anna", "until": "2026-11-29T20:23:51.000Z", "reason": "floor is there",
    }  # fmt: skip
    assert line.standing
    assert floor.wait(600) == []
    (line,) = floor.wait(0.001)
    assert (line.shelved, line.level) == (None, UNSET)
    assert floor.wait(29.999) == []
    (line,) = floor.wait(0.001)
    assert line.level == 2


def test_a_shelving_can_be_ended_and_made_longer():
    floor, one = _raised()
    floor.order("shelve", one, minutes=1, text="x")
    floor.order("shelve", one, minutes=60, text="y")
    assert floor.wait(3600) == []
    (line,) = floor.order("unshelve", one)
    assert line.shelved is None
    (line,) = floor.wait(30.001)
    assert line.level == 2


def test_another_alert_of_the_kind_is_not_shelved():
    floor, one = _raised()
    floor.order("shelve", one, minutes=60, text="x")
    other = alert(id=one.id + ":2")
    (line,) = floor.judge(other)
    assert line.shelved is None


# --- chatter ---


def _same(number, **changes):
    return alert("x", id=f"t:j:1:1:x:turn:{number}", **changes)


def test_the_third_of_a_kind_in_a_minute_is_told_with_the_first():
    floor = Floor()
    one, two, three, four = (_same(number) for number in range(4))
    floor.judge(one)
    floor.judge(two)
    floor.wait(59.999)
    third, first = floor.judge(three)
    assert (third.audience, third.superseded_by, third.standing) == ("log", one.id, False)
    assert (first.id, first.count) == (one.id, 2)
    floor.wait(60)
    (line,) = floor.judge(four)
    assert line.standing  # the run was over


def test_what_collapsed_goes_on_in_the_log_and_comes_out_when_it_gets_graver():
    floor = Floor()
    many = [_same(number, severity="high") for number in range(3)]
    for one in many:
        floor.judge(one)
    (line,) = floor.judge(many[2], seats=(1,))
    assert (line.audience, line.superseded_by) == ("log", many[0].id)
    (line,) = floor.judge(many[2], severity="critical")
    assert (line.audience, line.superseded_by, line.standing) == ("floor", UNSET, True)


def test_nothing_collapses_into_a_lesser_one_or_one_for_others_or_a_closed_one():
    for changes in ({"severity": "high"}, {"audience": "maintenance"}, {}):
        floor = Floor()
        first = _same(0, **changes)
        floor.judge(first)
        if not changes:
            floor.order("close", first, verdict="other")
        floor.judge(_same(1))
        (line,) = floor.judge(_same(2))
        assert line.standing
        third, above = floor.judge(_same(3))
        assert third.superseded_by == above.id == line.id  # which stands for them from now on


def test_what_collapsed_comes_out_when_the_first_is_less_or_over():
    for changes in ({"severity": "high"}, {"state": "withdrawn"}, {"audience": "maintenance"}):
        floor = Floor()
        many = [_same(number) for number in range(3)]
        for one in many:
            floor.judge(one)
        _, line = floor.judge(many[0], **changes)
        assert (line.id, line.audience, line.superseded_by) == (many[2].id, "floor", UNSET)
        (line,) = floor.wait(30.001)[-1:]
        assert (line.id, line.level) == (many[2].id, 2)
    floor = Floor()
    for one in many:
        floor.judge(one)
    assert len(floor.order("close", many[0], verdict="none")) == 1  # the ruling is on all of them


def test_other_subjects_are_other_causes():
    floor = Floor()
    for seat in range(1, 9):
        one = alert("x", id=f"x:{seat}", subject=f"seat-{seat}")
        assert states(floor.judge(one)) == [("x", 1, "raised")]


def test_a_flood_hides_nothing():
    floor = Floor()
    for number in range(50):
        floor.judge(alert(f"n{number}"))
    assert floor.register.key_figures(0)["flood"]
    assert all(line.standing and line.audience == "floor" for line in floor.lines)
