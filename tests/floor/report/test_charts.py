"""The charts of a report: pictures that say in words what they show, and obey no name."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC
from itertools import pairwise

import pytest

from daemon.floor.history import Archive
from daemon.floor.report.charts import CHAR, CHARTS, NARROW, WIDTH, Bar, Chart, charts, drawn, svg
from daemon.floor.report.figures import Figures, figures
from daemon.floor.report.words import Speech, speech
from tests.floor.history.lines import OPENED_MS
from tests.floor.report.shifts import hostile_figures

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("width", [NARROW, WIDTH])
@pytest.mark.parametrize("alone", [False, True])
def test_every_chart_is_a_picture_with_a_title_and_says_in_words_what_it_shows(
    whole: Figures, spoken: Speech, alone: bool, width: int
) -> None:
    made = charts(whole, spoken)
    assert [chart.name for chart in made] == list(CHARTS)
    for chart in made:
        root = ET.fromstring(svg(chart, alone=alone, width=width))
        assert root.get("role") == "img"
        ids = str(root.get("aria-labelledby")).split()
        named = {node.get("id"): node.text for node in root if node.get("id")}
        assert named[ids[0]] == chart.title
        assert all(bar.said in str(named[ids[1]]) for bar in chart.bars if bar.value)
        drawn = [node.text for node in root.iter(f"{SVG}text")]
        assert all(bar.said in drawn for bar in chart.bars if bar.value)


def test_the_longest_bar_is_that_of_the_most(whole: Figures) -> None:
    chart = CHARTS["irregularities"](whole, speech("en", UTC))
    widths = [float(str(r.get("width"))) for r in ET.fromstring(svg(chart)).iter(f"{SVG}rect")]
    assert widths == sorted(widths, reverse=True)
    assert widths[1] == pytest.approx(widths[0] * 3 / 4, abs=0.1)


def test_a_chart_takes_no_name_for_markup(archive: Archive) -> None:
    for chart in charts(hostile_figures(archive), speech("en", UTC)):
        root = ET.fromstring(svg(chart))
        assert {node.tag.removeprefix(SVG) for node in root.iter()} <= {
            "svg", "title", "desc", "rect", "line", "text",
        }  # fmt: skip


@pytest.mark.parametrize("width", [NARROW, WIDTH])
def test_nothing_of_a_chart_stands_beside_its_picture(
    archive: Archive, whole: Figures, spoken: Speech, width: int
) -> None:
    for chart in [*charts(whole, spoken), *charts(hostile_figures(archive), spoken)]:
        at = drawn(chart, width)
        for box in at.boxes:
            assert 0 <= box.x <= box.x + box.width <= width
            assert 0 <= box.y <= box.y + box.height <= at.height
        for mark in at.marks:
            wide = len(mark.text) * CHAR
            left = mark.x - {"start": 0, "middle": wide / 2, "end": wide}[mark.anchor]
            assert -10 <= left <= left + wide <= width + 10


def test_a_chart_of_nothing_is_a_picture_too(spoken: Speech) -> None:
    empty = figures([], [], [], since_ms=OPENED_MS, until_ms=OPENED_MS + 3_600_000)
    for chart in charts(empty, spoken):
        ET.fromstring(svg(chart))


def test_a_year_of_days_has_names_only_where_there_is_room() -> None:
    year_ms = 366 * 86_400_000
    many = figures([], [], [], since_ms=OPENED_MS - year_ms, until_ms=OPENED_MS)
    chart = CHARTS["hours"](many, speech("en", UTC))
    labels = [t.text for t in ET.fromstring(svg(chart)).iter(f"{SVG}text")]
    assert len(chart.bars) == 367
    assert 5 < len(labels) < 15


@pytest.mark.parametrize("count", [1, 2, 7, 8, 12, 24, 72, 367, 400])
@pytest.mark.parametrize("width", [NARROW, WIDTH])
def test_no_word_of_a_chart_lies_on_another_however_many_bars_are_alike(
    count: int, width: int
) -> None:
    bars = [Bar("30 Nov", 1234, "1,234") for _ in range(count)]
    at = drawn(Chart("hours", "", "", bars, upright=True), width)
    for kind in ("label", "value"):
        spans = [
            (mark.x - len(mark.text) * CHAR / 2, mark.x + len(mark.text) * CHAR / 2)
            for mark in at.marks
            if mark.kind == kind
        ]
        assert spans
        assert all(left >= end for (_, end), (left, _) in pairwise(spans))
        assert all(0 <= left <= right <= width for left, right in spans)
