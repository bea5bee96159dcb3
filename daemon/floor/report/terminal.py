"""The report in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from daemon.floor.report.charts import Chart, charts
from daemon.floor.report.figures import Figures
from daemon.floor.report.tables import Sheet, sheets
from daemon.floor.report.words import Speech

BAR_MAX = 30
IN_CHARTS = ("hours", "answers")  # what no table says


def page(figures: Figures, speech: Speech, shown: str) -> RenderableType:
    """The whole report for rich's console; nothing in it is taken for rich's markup."""
    return Group(*_parts(figures, speech, shown))


def _parts(figures: Figures, speech: Speech, shown: str) -> Iterator[RenderableType]:
    since, until = speech.moment(figures.since_ms), speech.moment(figures.until_ms)
    yield Text(f"{speech('heading')}: {speech('period', since=since, until=until)}", style="bold")
    yield Text(speech("shown", what=_plain(shown)))
    yield Text("")
    if not (figures.alerts or figures.hands):
        yield Text(speech("nothing"))
        return
    yield _figures(figures, speech)
    for chart in charts(figures, speech):
        if chart.name in IN_CHARTS and chart.bars:
            yield _chart(chart)
    for sheet in sheets(figures, speech):
        if sheet.rows:
            yield _sheet(sheet)


def _figures(figures: Figures, speech: Speech) -> Table:
    answers, ruled = figures.answers, figures.verdicts
    told = {
        "alerts": speech.number(figures.alerts),
        "per_hour": speech.number(figures.per_hour, 1),
        "hands": speech.number(figures.hands),
        "per_100_hands": speech.number(figures.per_100_hands, 2),
        "median": speech.span(answers.median_ms),
        "p90": speech.span(answers.p90_ms),
        "worst": speech.span(answers.worst_ms),
        "unanswered": speech.number(answers.unanswered),
        "false_share": speech.share(ruled.false_share),
    }
    table = Table.grid(padding=(0, 2))
    for name, value in told.items():
        table.add_row(Text(speech(f"figure.{name}")), Text(value, style="bold"))
    return table


def _chart(chart: Chart) -> RenderableType:
    most = max(bar.value for bar in chart.bars) or 1
    table = Table.grid(padding=(0, 1))
    for bar in chart.bars:
        drawn = "█" * round(BAR_MAX * bar.value / most)
        table.add_row(Text(_plain(bar.label)), Text(f"{drawn} {bar.said}".strip()))
    return Group(Text(""), Text(chart.title, style="bold"), Padding(table, (0, 0, 0, 2)))


def _sheet(sheet: Sheet) -> RenderableType:
    table = Table(
        title=Text(sheet.title),
        title_justify="left",
        title_style="bold",
        box=None,
        collapse_padding=True,
    )
    for place, (head, is_number) in enumerate(zip(sheet.heads, sheet.numbers, strict=True)):
        side: Literal["left", "right"] = "right" if is_number else "left"
        cells = [head, *(row[place] for row in sheet.rows if is_number)]
        widest = max(len(word) for cell in cells for word in cell.split() or [""])
        table.add_column(Text(head), justify=side, overflow="fold", min_width=widest)
    for row in sheet.rows:
        table.add_row(*(Text(_plain(cell)) for cell in row))
    return Group(Text(""), table)


def _plain(text: str) -> str:
    """No table's name gives orders to a terminal."""
    return "".join(char if char.isprintable() else "�" for char in text)
