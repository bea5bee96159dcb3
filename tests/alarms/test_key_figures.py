"""Key figures: what people are asked to bear, counted as the page on topics says."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from daemon.alarms.key_figures import TIMES_MAX, WINDOW_MS, KeyFigures
from daemon.orders import ERRORS
from daemon.rules.parameters import Parameters
from tests.alarms.alerts import Floor, alert

MINUTE_MS = 60_000
TOPICS = (Path(__file__).parents[2] / "docs" / "topics.md").read_text("utf-8")


def _figures(floor):
    return floor.register.key_figures(floor.now_ms)


def test_nothing_yet_is_no_division_by_nothing():
    figures = _figures(Floor())
    assert figures["alerts"] == figures["standing"] == 0
    assert figures["per_100_hands"] is figures["commonest"] is figures["withdrawn"] is None
    assert figures["acknowledged"] == {"count": 0, "median_ms": None, "worst_ms": None}


def test_only_what_the_floor_is_called_for_counts():
    floor = Floor()
    for audience in ("floor", "maintenance", "surveillance", "log"):
        floor.judge(alert(audience, audience=audience))
    for _ in range(4):
        floor.register.figures.hand_over(0)
    figures = _figures(floor)
    assert (figures["alerts"], figures["hands"], figures["per_100_hands"]) == (1, 4, 25.0)
    assert figures["commonest"] == {"irregularity": "floor", "share": 1.0}
    assert figures["standing"] == 3


def test_a_doubt_that_is_gone_calls_the_floor_then():
    floor, one = Floor(), alert(audience="maintenance")
    floor.judge(one)
    assert _figures(floor)["alerts"] == 0
    floor.judge(one, audience="floor")
    floor.judge(one, seats=())
    assert _figures(floor)["alerts"] == 1


def test_the_time_to_acknowledge_runs_from_the_raising():
    floor = Floor()
    for number, wait_s in enumerate((10, 20, 25)):
        one = alert(f"n{number}")
        floor.judge(one)
        floor.wait(wait_s)
        floor.order("acknowledge", one)
    assert _figures(floor)["acknowledged"] == {"count": 3, "median_ms": 20_000, "worst_ms": 25_000}


def test_withdrawn_escalated_chattering_and_stale():
    floor = Floor()
    false, taken_over, grave = alert("false"), alert("lesser"), alert("grave")
    for one in (false, taken_over, grave):
        floor.judge(one)
    floor.judge(false, state="withdrawn")
    floor.judge(false, final=True)
    floor.judge(taken_over, state="withdrawn", superseded_by=grave.id)
    for number in range(5):
        floor.judge(alert("x", id=f"x:{number}"))
    floor.wait(1_000)
    figures = _figures(floor)
    assert figures["alerts"] == 3 + 2
    assert figures["withdrawn"] == 0.2
    assert (figures["chattering"], figures["repeats"]) == (1, 3)
    assert figures["escalated"] == 3  # each once, however often it was raised
    floor.wait(24 * 3600 - 1_000)
    assert _figures(floor)["stale"] == 0
    floor.wait(0.001)
    assert _figures(floor)["stale"] == figures["standing"] == 4


def test_a_flood_begins_above_ten_in_ten_minutes_and_ends_below_five():
    figures, house = KeyFigures(Parameters()), Parameters()
    for number in range(10):
        figures.raised(number * MINUTE_MS, "x")
    assert not figures.payload(9 * MINUTE_MS, 0, 0)["flood"]
    figures.raised(9 * MINUTE_MS + 1, "x")
    payload = figures.payload(9 * MINUTE_MS + 2, 0, 0)
    assert (payload["flood"], payload["flood_ms"]) == (True, 9 * MINUTE_MS + 1)
    assert figures.troubles(9 * MINUTE_MS + 2)[0].startswith("alerts: flood")
    assert figures.payload(16 * MINUTE_MS - 1, 0, 0)["flood"]  # five in ten minutes
    assert not figures.payload(16 * MINUTE_MS, 0, 0)["flood"]
    assert house.flood_end_in_10_min == 5


def test_over_budget_is_a_word_for_the_status_until_the_shift_has_passed():
    figures = KeyFigures(Parameters())
    for number in range(5):
        assert figures.troubles(number * MINUTE_MS) == ()
        figures.raised(number * MINUTE_MS, "x")
    assert figures.troubles(5 * MINUTE_MS) == ("alerts: over budget, more than 4.8 in 8 h",)
    assert figures.troubles(WINDOW_MS) == ()
    none = KeyFigures(Parameters(budget_in_10_min=0))
    for _ in range(9):
        none.raised(0, "x")
    assert none.troubles(1) == ()


def test_what_is_older_than_a_shift_is_forgotten_and_weeks_stay_small():
    figures = KeyFigures(Parameters())
    for minute in range(3 * 7 * 24 * 60):
        at_ms = minute * MINUTE_MS
        figures.raised(at_ms, f"x{minute % 7}")
        figures.acknowledged(at_ms, minute)
        figures.hand_over(at_ms)
    payload = figures.payload(at_ms, 0, 0)
    assert (payload["alerts"], payload["hands"], payload["window_ms"]) == (480, 480, WINDOW_MS)
    for _ in range(3 * TIMES_MAX):
        figures.raised(at_ms, "y")
    assert figures.payload(at_ms, 0, 0)["alerts"] == TIMES_MAX


def test_the_page_on_topics_shows_all_of_it_and_every_errors_word():
    section = TOPICS[TOPICS.index("## figures") : TOPICS.index("## command")]
    (shown,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    payload = _figures(Floor())
    assert list(msgspec.json.decode(shown)) == list(payload)
    told = {word for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
            for word in re.findall(r"`(\w+)`", row)}  # fmt: skip
    assert told == payload.keys() - {"v"}
    section = TOPICS[TOPICS.index("## answer") : TOPICS.index("## Who may read what")]
    words = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert words[-len(ERRORS) :] == list(ERRORS)
