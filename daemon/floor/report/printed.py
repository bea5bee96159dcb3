"""The report as a file to print: a PDF of A4 pages with figures, charts, tables and alerts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO

from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    LongTable,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from daemon.floor.history.rows import AlertRow
from daemon.floor.report.charts import Chart, charts, drawn
from daemon.floor.report.figures import Figures
from daemon.floor.report.lettering import Lettering, lettering
from daemon.floor.report.shift import Progress, unheard
from daemon.floor.report.tables import Sheet, sheets
from daemon.floor.report.words import EMPTY, Speech

CELL_MAX = 300  # a cell that is longer than a page cannot be laid out
LISTED_MAX = 1000  # thirty pages: more belongs into a sheet
MARGIN = 16 * mm
ROOM = 30 * mm  # a table begins where its heads and a few rows have room
WIDTH = A4[0] - 2 * MARGIN
INK = colors.HexColor("#1b1b1b")
PALE = colors.HexColor("#5a5a5a")
RULE = colors.HexColor("#c4c4c4")
BAND = colors.HexColor("#f3f3f3")
BARS = colors.HexColor("#2563a8")

ALERT_WIDTHS = (0.175, 0.085, 0.24, 0.075, 0.085, 0.14, 0.09, 0.11)


def printed(  # noqa: PLR0913 - what is on it, and where it goes
    file: BinaryIO,
    figures: Figures,
    rows: Iterable[AlertRow],
    speech: Speech,
    *,
    shown: str,
    made: str,
    progress: Progress = unheard,
) -> None:
    """Write the report into `file`; of the rows the first `LISTED_MAX` are listed.

    `shown` says which alerts they are, `made` when and by what it was made. `progress` is told of
    pieces laid out, and may end it by raising.
    """
    letters = lettering()
    page = _Page(letters, speech, shown=shown, made=made)
    story = page.story(figures, list(islice(rows, LISTED_MAX)))
    document = BaseDocTemplate(
        file,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN + 6 * mm,
        title=speech("heading"),
        author="floorcall",
        lang=speech.language,
    )
    frame = Frame(
        MARGIN, MARGIN + 6 * mm, WIDTH, A4[1] - 2 * MARGIN - 6 * mm,
        leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0,
    )  # fmt: skip
    document.addPageTemplates(PageTemplate("page", [frame], onPage=page.foot))
    pieces = len(story)
    document.setProgressCallBack(_Laid(pieces, progress))
    document.build(story)
    progress(pieces, pieces)


class _Laid:
    """How many pieces are laid out: reportlab takes some apart, and counts those anew."""

    def __init__(self, pieces: int, progress: Progress) -> None:
        self._pieces = pieces
        self._progress = progress
        self._most = 0

    def __call__(self, kind: str, number: object) -> None:
        if kind == "PROGRESS":
            self._most = min(max(self._most, int(str(number))), self._pieces)
            self._progress(self._most, self._pieces)


class _Page:
    """How this report looks on paper."""

    def __init__(self, letters: Lettering, speech: Speech, *, shown: str, made: str) -> None:
        self._letters = letters
        self._speech = speech
        self._shown = shown
        self._made = made
        plain = {"fontName": letters.plain, "textColor": INK}
        bold = {"fontName": letters.bold, "textColor": INK}
        self._styles = {
            "title": ParagraphStyle("title", **bold, fontSize=18, leading=22, spaceAfter=2),
            "section": ParagraphStyle(
                "section", **bold, fontSize=12, leading=15, spaceBefore=12, spaceAfter=4
            ),
            "text": ParagraphStyle("text", **plain, fontSize=9, leading=12),
            "cell": ParagraphStyle("cell", **plain, fontSize=7.5, leading=9.5),
            "number": ParagraphStyle("number", **plain, fontSize=7.5, leading=9.5, alignment=2),
            "head": ParagraphStyle("head", **bold, fontSize=7.5, leading=9.5),
            "head-number": ParagraphStyle(
                "head-number", **bold, fontSize=7.5, leading=9.5, alignment=2
            ),
            "figure": ParagraphStyle("figure", **bold, fontSize=14, leading=18),
            "name": ParagraphStyle("name", **plain, fontSize=7.5, leading=9.5),
        }

    def story(self, figures: Figures, rows: Sequence[AlertRow]) -> list[Flowable]:
        """All pieces of the report, in their order."""
        say = self._speech
        period = say(
            "period", since=say.moment(figures.since_ms), until=say.moment(figures.until_ms)
        )
        story: list[Flowable] = [
            self._text(say("heading"), "title"),
            self._text(period, "text"),
            self._text(say("shown", what=self._shown), "text"),
            Spacer(0, 4 * mm),
            self._figures(figures),
        ]
        story += [self._chart(chart) for chart in charts(figures, say) if chart.bars]
        for sheet in sheets(figures, say):
            story += self._sheet(sheet)
        return [*story, *self._alerts(figures, rows)]

    def foot(self, canvas: Any, document: Any) -> None:  # noqa: ANN401 - reportlab has no types
        """What stands at the foot of each page."""
        canvas.saveState()
        canvas.setFont(self._letters.plain, 7.5)
        canvas.setFillColor(PALE)
        canvas.drawString(MARGIN, MARGIN, self._letters.bare(self._made))
        number = self._speech("page", page=document.page)
        canvas.drawRightString(A4[0] - MARGIN, MARGIN, number)
        canvas.restoreState()

    def _text(self, text: str, style: str) -> Paragraph:
        cut = text if len(text) <= CELL_MAX else f"{text[: CELL_MAX - 1]}…"
        return Paragraph(self._letters.marked(cut), self._styles[style])

    def _figures(self, figures: Figures) -> Table:
        """The figures of the whole, four in a row, each above its name."""
        say, answers, ruled = self._speech, figures.answers, figures.verdicts
        told = {
            "alerts": say.number(figures.alerts),
            "per_hour": say.number(figures.per_hour, 1),
            "hands": say.number(figures.hands),
            "per_100_hands": say.number(figures.per_100_hands, 2),
            "median": say.span(answers.median_ms),
            "p90": say.span(answers.p90_ms),
            "worst": say.span(answers.worst_ms),
            "unanswered": say.number(answers.unanswered),
            "upheld": say.number(ruled.upheld),
            "none": say.number(ruled.none),
            "other": say.number(ruled.other),
            "false_share": say.share(ruled.false_share),
        }
        cells = [
            [self._text(value, "figure"), self._text(say(f"figure.{name}"), "name")]
            for name, value in told.items()
        ]
        lines = [cells[start : start + 4] for start in range(0, len(cells), 4)]
        return Table(
            lines, colWidths=[WIDTH / 4] * 4,
            style=[
                ("BOX", (0, 0), (-1, -1), 0.5, RULE), ("INNERGRID", (0, 0), (-1, -1), 0.5, RULE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ],
        )  # fmt: skip

    def _chart(self, chart: Chart) -> Flowable:
        at = drawn(chart, WIDTH)
        drawing = Drawing(at.width, at.height)
        for box in at.boxes:
            y = at.height - box.y - box.height
            drawing.add(Rect(box.x, y, box.width, box.height, fillColor=BARS, strokeColor=None))
        if at.ground_y is not None:
            y = at.height - at.ground_y
            drawing.add(Line(0, y, at.width, y, strokeColor=RULE))
        for mark in at.marks:
            drawing.add(
                String(
                    mark.x, at.height - mark.y, self._letters.bare(mark.text),
                    fontName=self._letters.plain, fontSize=7.5, fillColor=INK,
                    textAnchor=mark.anchor,
                )
            )  # fmt: skip
        title = self._text(chart.title, "section")
        return KeepTogether([title, drawing, self._text(chart.says, "name")])

    def _sheet(self, sheet: Sheet) -> list[Flowable]:
        if not sheet.rows:
            return []
        widths = [WIDTH * share for share in sheet.widths]
        heads = [
            self._text(head, "head-number" if is_number else "head")
            for head, is_number in zip(sheet.heads, sheet.numbers, strict=True)
        ]
        lines = [
            [
                self._text(cell, "number" if is_number else "cell")
                for cell, is_number in zip(row, sheet.numbers, strict=True)
            ]
            for row in sheet.rows
        ]
        return [
            CondPageBreak(ROOM),
            self._text(sheet.title, "section"),
            _long([heads, *lines], widths),
        ]

    def _alerts(self, figures: Figures, rows: Sequence[AlertRow]) -> list[Flowable]:
        """The list of alerts, the newest first."""
        say = self._speech
        title = self._text(say("section.alerts"), "section")
        if not rows:
            return [title, self._text(say("nothing"), "text")]
        names = "raised table title cards severity acknowledged_by took verdict".split()
        heads = [self._text(say(f"column.{name}"), "head") for name in names]
        lines = [[self._text(cell, "cell") for cell in self._alert(row)] for row in rows]
        story: list[Flowable] = [CondPageBreak(ROOM), title]
        if figures.alerts > len(rows):
            shown, every = say.number(len(rows)), say.number(figures.alerts)
            story.append(self._text(say("listed_some", shown=shown, all=every), "name"))
        return [*story, _long([heads, *lines], [WIDTH * share for share in ALERT_WIDTHS])]

    def _alert(self, row: AlertRow) -> list[str]:
        say = self._speech
        return [
            say.moment_s(row.raised_ms),
            row.table,
            say.title(row.titles, row.irregularity),
            " ".join(say.card(card) for card in row.cards) or EMPTY,
            say.named("severity", row.severity),
            row.acknowledged_by or EMPTY,
            say.span(row.answer_ms),
            say.named("verdict", row.verdict),
        ]


def _long(lines: list[list[Paragraph]], widths: Sequence[float]) -> LongTable:
    """A table that goes on over pages, its heads on each of them."""
    return LongTable(
        lines, colWidths=list(widths), repeatRows=1, hAlign="LEFT",
        style=[
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, INK),
            ("LINEBELOW", (0, 1), (-1, -1), 0.25, RULE),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [None, BAND]),
            ("LEFTPADDING", (0, 0), (-1, -1), 3), ("RIGHTPADDING", (0, 0), (-1, -1), 3),
            ("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ],
    )  # fmt: skip
