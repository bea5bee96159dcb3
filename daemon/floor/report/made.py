"""A report made out of a history: its figures, and the same as a sheet, on paper, as one chart."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import IO, Any, BinaryIO, Literal, cast

from daemon import __version__
from daemon.floor.history import Archive, Question
from daemon.floor.report import told
from daemon.floor.report.charts import charts, svg
from daemon.floor.report.figures import Figures
from daemon.floor.report.sheet import sheet
from daemon.floor.report.shift import Progress, alerts, shift, unheard
from daemon.floor.report.words import Speech, speech
from daemon.floor.report.zone import house_zone

Form = Literal["csv", "pdf", "svg"]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of what is asked, in one language. Calls wait for the database.

    `progress` is told how far each of them is; what it raises ends it.
    """

    archive: Archive
    question: Question
    speech: Speech
    progress: Progress = unheard

    def figures(self) -> Figures:
        """The figures of the shift."""
        return shift(self.archive, self.question, self.speech.zone, self.progress)

    def sheet(self, to: IO[bytes]) -> None:
        """The alerts, line by line."""
        dealers = self.archive.tells_dealers(self.question.role)
        encode = codecs.getincrementalencoder("utf-8")().encode
        rows = alerts(self.archive, self.question, self.progress)
        for line in sheet(rows, self.speech, dealers=dealers):
            to.write(encode(line))

    def paper(self, to: IO[bytes], now_ms: int) -> None:
        """Pages to print, made at `now_ms`."""
        from daemon.floor.report.printed import printed  # noqa: PLC0415 - reportlab is slow to come

        printed(
            cast("BinaryIO", to),
            self.figures(),
            self.archive.alerts(self.question),
            self.speech,
            shown=self.shown,
            made=self.speech("made", when=self.speech.moment(now_ms), version=__version__),
            progress=self.progress,
        )

    def chart(self, to: IO[bytes], name: str) -> None:
        """The chart of this name, the first where there is none, as a picture of its own."""
        drawn = charts(self.figures(), self.speech)
        found = next((one for one in drawn if one.name == name), drawn[0])
        to.write(svg(found, alone=True).encode())

    @property
    def shown(self) -> str:
        """Which alerts it is about."""
        asked = self.question
        named = [*asked.sites, *asked.tables, *asked.irregularities]
        named += [self.speech.named("severity", one) for one in asked.severities]
        named += [self.speech.named("verdict", one) for one in asked.verdicts]
        named += self._answered()
        named += [one for one in (asked.by, asked.dealer) if one]
        return ", ".join(named) or self.speech("everything")

    def _answered(self) -> Iterator[str]:
        """How soon they were acknowledged, where that is asked."""
        span_ms, what = self.question.slower_ms, self.speech("chart.answers")
        if span_ms is not None:
            yield f"{what}: {self.speech('chart.longer', span=self.speech.span(span_ms))}"
        if self.question.answered is False:
            yield f"{what}: {self.speech('chart.never')}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A report as a file: of which form, in which language; of a picture which `chart`."""

    form: Form
    language: str
    now_ms: int
    chart: str = ""


class Reports:
    """Reports out of an archive; hours and days are `zone`'s, the house's own."""

    def __init__(self, archive: Archive, zone: tzinfo | None = None) -> None:
        self._archive = archive
        self._zone = zone or house_zone()

    def figures(self, question: Question, language: str) -> dict[str, Any]:
        """The figures and charts of a shift, for pages."""
        speaks = speech(language, self._zone)
        return told.report(Report(self._archive, question, speaks).figures(), speaks)

    def write(self, question: Question, wanted: Wanted, to: IO[bytes], progress: Progress) -> None:
        """The same as a file."""
        speaks = speech(wanted.language, self._zone)
        made = Report(self._archive, question, speaks, progress)
        match wanted.form:
            case "csv":
                made.sheet(to)
            case "pdf":
                made.paper(to, wanted.now_ms)
            case "svg":
                made.chart(to, wanted.chart)
