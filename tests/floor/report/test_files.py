"""A report as a sheet, as paper and in a terminal: whole, in its language, harmless."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from daemon.floor.history import AlertRow, Archive
from daemon.floor.report import told
from daemon.floor.report.charts import CHARTS
from daemon.floor.report.figures import Figures, figures
from daemon.floor.report.lettering import Lettering, lettering, lettering_of
from daemon.floor.report.printed import LISTED_MAX, printed
from daemon.floor.report.sheet import BOM, COLUMNS, harmless, sheet
from daemon.floor.report.shift import Cancelled, shift
from daemon.floor.report.terminal import page
from daemon.floor.report.words import LANGUAGES, Speech, speech
from daemon.shipped import config_path
from tests.floor.history.lines import OPENED_MS
from tests.floor.report.shifts import ROME, SHIFT_S, hostile_figures, hostile_rows, shift_of

# --- words ----------------------------------------------------------------------------------------


def keys(words: Any, path: str = "") -> Iterator[str]:
    for key, below in words.items():
        if isinstance(below, dict):
            yield from keys(below, f"{path}{key}.")
        else:
            yield f"{path}{key}"


def test_both_languages_have_the_same_words_of_a_report() -> None:
    tables = [
        tomllib.loads(config_path("screens", f"{language}.toml").read_text("utf-8"))["report"]
        for language in LANGUAGES
    ]
    assert list(keys(tables[0])) == list(keys(tables[1]))


@pytest.mark.parametrize(
    ("language", "number", "share", "moment"),
    [
        ("en", "1,234.50", "12.5 %", "30 Nov 2026, 21:00"),
        ("it", "1.234,50", "12,5 %", "30 nov 2026, 21:00"),
    ],
)
def test_numbers_and_dates_are_written_as_the_language_does(
    language: str, number: str, share: str, moment: str
) -> None:
    spoken = speech(language, ROME)
    assert spoken.number(1234.5, 2) == number
    assert spoken.share(0.125) == share
    assert spoken.moment(OPENED_MS) == moment


@pytest.mark.parametrize(
    ("span_ms", "said"),
    [(0, "0 s"), (59_400, "59 s"), (60_000, "1 min"), (125_000, "2 min 05 s"),
     (3_780_000, "1 h 03 min"), (None, "\u2013")],
)  # fmt: skip
def test_a_span_is_told_to_the_second(span_ms: int | None, said: str) -> None:
    assert speech("en", UTC).span(span_ms) == said


# --- the sheet ------------------------------------------------------------------------------------


def cells(archive: Archive, spoken: Speech, **more: Any) -> list[list[str]]:
    text = "".join(sheet(archive.alerts(shift_of("supervise")), spoken, **more))
    assert text.startswith(BOM)
    return list(csv.reader(io.StringIO(text.removeprefix(BOM)), delimiter=spoken("cells")))


def test_a_sheet_has_a_line_for_each_alert_the_newest_first(
    archive: Archive, spoken: Speech
) -> None:
    head, *lines = cells(archive, spoken)
    names = [name for name in COLUMNS if name != "dealer"]
    assert head == [spoken(f"column.{name}") for name in names]
    assert len(lines) == 8
    newest = dict(zip(names, lines[0], strict=True))
    assert newest["table"] == "poker-1"
    assert newest["raised"] == "2026-12-01 00:59:59+01:00"
    assert newest["answer"] == f"15{spoken('decimal')}0"
    assert newest["cards"] == "Td As"


def test_a_sheet_names_dealers_only_for_whom_they_are_told(
    archive: Archive, spoken: Speech
) -> None:
    assert spoken("column.dealer") not in cells(archive, spoken)[0]
    assert spoken("column.dealer") in cells(archive, spoken, dealers=True)[0]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_whatever_a_cell_says_it_is_one_cell(archive: Archive, texts: list[str]) -> None:
    (row,) = list(archive.alerts(shift_of("supervise")))[:1]
    rows = [replace(row, table=text, hand=text) for text in texts]
    written = "".join(sheet(rows, speech("en", UTC))).removeprefix(BOM)
    lines = list(csv.reader(io.StringIO(written, newline="")))
    assert len(lines) == len(texts) + 1
    assert {len(line) for line in lines} == {len(COLUMNS) - 1}
    for text, line in zip(texts, lines[1:], strict=True):
        assert line[1] == harmless(text)
        assert not line[1].lstrip().startswith(("=", "+", "-", "@"))


def test_a_sheet_keeps_nothing_of_the_rows_that_went_by(archive: Archive) -> None:
    (row,) = list(archive.alerts(shift_of("supervise")))[:1]
    taken = []

    def endless() -> Iterator[AlertRow]:
        while True:
            taken.append(1)
            yield row

    lines = sheet(endless(), speech("en", UTC))
    for _ in range(5):
        next(lines)
    assert len(taken) == 4


def test_moments_that_no_calendar_has_end_no_report(archive: Archive, tmp_path: Path) -> None:
    (row,) = list(archive.alerts(shift_of("supervise")))[:1]
    rows = [
        replace(row, acknowledged_ms=at_ms, closed_ms=at_ms, at_ms=at_ms, answer_ms=abs(at_ms))
        for at_ms in (-62_135_596_800_000, 253_402_300_799_999)
    ]
    for language in LANGUAGES:
        for zone in (ROME, UTC, ZoneInfo("America/Los_Angeles")):
            assert len(list(sheet(rows, speech(language, zone)))) == 3
    assert [told.alert(row)["closed"][-1] for row in rows] == ["Z", "Z"]
    made = figures(rows, [], [], since_ms=OPENED_MS, until_ms=OPENED_MS + SHIFT_S * 1000)
    assert paper(made, rows, speech("en", ROME), tmp_path)


# --- paper ----------------------------------------------------------------------------------------


def paper(figures: Figures, rows: list[AlertRow], spoken: Speech, folder: Path) -> str:
    """The text of all pages, as poppler reads it."""
    path = folder / "report.pdf"
    with path.open("wb") as file:
        printed(file, figures, rows, spoken, shown="roma", made="floorcall")
    read = subprocess.run(["pdftotext", "-layout", str(path), "-"], check=True, capture_output=True)
    return read.stdout.decode()


def test_a_printed_report_says_all_of_the_shift(
    archive: Archive, whole: Figures, spoken: Speech, tmp_path: Path
) -> None:
    rows = list(archive.alerts(shift_of("surveillance")))
    text = paper(whole, rows, spoken, tmp_path)
    for words in (
        spoken("heading"),
        spoken("section.people"),
        spoken("section.tables"),
        spoken("page", page=1),
        "Niccolò",
        "30 nov 2026, 21:00" if spoken.language == "it" else "30 Nov 2026, 21:00",
        "perché così" if spoken.language == "it" else "Turn too early",
        "10♦",
        "A♠",
    ):
        assert words in text
    for make in CHARTS.values():
        assert make(whole, spoken).title in text


def test_a_printed_report_takes_no_name_for_markup(archive: Archive, tmp_path: Path) -> None:
    text = paper(hostile_figures(archive), hostile_rows(archive), speech("en", ROME), tmp_path)
    assert "<script>alert(1)</script>" in text.replace("\n", "")
    assert "&amp;" in text


def test_a_printed_report_lists_the_newest_and_says_that_there_are_more(
    archive: Archive, tmp_path: Path
) -> None:
    (row,) = list(archive.alerts(shift_of("supervise")))[:1]
    rows = [replace(row, alert=f"a{number}") for number in range(LISTED_MAX + 5)]
    made = figures(rows, [], [], since_ms=OPENED_MS, until_ms=OPENED_MS + SHIFT_S * 1000)
    text = paper(made, rows, speech("en", ROME), tmp_path)
    assert "The newest 1,000 of 1,005 alerts" in text


def test_a_printed_report_says_how_far_it_is_and_ends_when_nobody_wants_it(
    archive: Archive, whole: Figures, tmp_path: Path
) -> None:
    rows = list(archive.alerts(shift_of("supervise")))
    far: list[tuple[int, int]] = []
    made = {"shown": "", "made": ""}
    printed(
        io.BytesIO(), whole, rows, speech("en", ROME), **made,
        progress=lambda done, of: far.append((done, of)),
    )  # fmt: skip
    assert far[-1][0] == far[-1][1]
    assert [done for done, _ in far] == sorted(done for done, _ in far)

    def unwanted(done: int, of: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        printed(io.BytesIO(), whole, rows, speech("en", ROME), **made, progress=unwanted)


def test_suits_and_accents_are_there_without_any_font_of_the_system(tmp_path: Path) -> None:
    own = lettering_of("Vera.ttf", "VeraBd.ttf")
    assert own.marked("perché 10♦") == 'perché 10<font name="Symbol">♦</font>'
    assert own.bare("è ♠") == "è ?"


def test_letters_escape_what_is_markup() -> None:
    letters: Lettering = lettering()
    assert letters.marked("<b>&") == "&lt;b&gt;&amp;"
    assert letters.marked("a\x00\x1b") == "a  "


# --- terminal and JSON ----------------------------------------------------------------------------


def shown(figures: Figures, spoken: Speech) -> str:
    console = Console(width=100, file=io.StringIO(), force_terminal=False)
    console.print(page(figures, spoken, "roma"))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_terminal_shows_the_same_figures(whole: Figures, spoken: Speech) -> None:
    text = shown(whole, spoken)
    for words in ("Niccolò", spoken("section.people"), spoken("figure.false_share"), "20"):
        assert words in text


def test_the_terminal_obeys_no_name(archive: Archive) -> None:
    text = shown(hostile_figures(archive), speech("en", ROME))
    assert "\x1b" not in text
    assert "[bold]x[/bold]" in text


def test_the_figures_for_programs_are_json_with_moments_in_utc(
    whole: Figures, spoken: Speech
) -> None:
    said = json.loads(json.dumps(told.report(whole, spoken)))
    assert said["from"] == "2026-11-30T20:00:00.000Z"
    assert said["acknowledged"]["median_ms"] == 25_000
    assert [one["name"] for one in said["people"]] == ["Anna", "Niccolò"]
    assert [one["name"] for one in said["charts"]] == list(CHARTS)


def test_the_figures_for_programs_have_dealers_only_for_whom_they_are_told(
    archive: Archive, whole: Figures, spoken: Speech
) -> None:
    assert "dealers" not in told.report(whole, spoken)
    own = told.report(shift(archive, shift_of("administer"), ROME), spoken, pictures=False)
    assert "people" not in own
    assert "charts" not in own
    assert [one["dealer"] for one in own["dealers"]] == ["d1", "d2"]


def test_an_alert_for_programs_has_its_key_and_moments(archive: Archive) -> None:
    (row,) = list(archive.alerts(shift_of("supervise")))[-1:]
    said = json.loads(json.dumps(told.alert(row)))
    assert said["key"] == "roma/poker-1/a0"
    assert said["raised"] == "2026-11-30T20:01:00.000Z"
    assert said["acknowledged"] == "2026-11-30T20:01:10.000Z"
    assert (said["answer_ms"], said["cards"]) == (10_000, ["Td", "As"])
