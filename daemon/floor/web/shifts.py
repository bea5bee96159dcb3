"""The report as the web wants it: `exports.Reports` made of the history and the report's parts."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from datetime import tzinfo
from typing import IO, Any, BinaryIO, cast

from daemon import __version__
from daemon.floor.history.asking import Archive, Question
from daemon.floor.report import told
from daemon.floor.report.charts import charts, svg
from daemon.floor.report.printed import printed
from daemon.floor.report.sheet import sheet
from daemon.floor.report.shift import alerts, shift
from daemon.floor.report.words import Speech, speech
from daemon.floor.report.zone import house_zone


class Shifts:
    """Reports out of an archive; hours and days are `zone`'s, the house's own."""

    def __init__(self, archive: Archive, zone: tzinfo | None = None) -> None:
        self._archive = archive
        self._zone = zone or house_zone()

    def figures(self, question: Question, language: str) -> dict[str, Any]:
        """The figures and charts of a shift."""
        return told.report(shift(self._archive, question, self._zone), self._speech(language))

    def write(  # noqa: PLR0913 - what a file is made of
        self,
        question: Question,
        *,
        form: str,
        language: str,
        chart: str,
        to: IO[bytes],
        progress: Callable[[int, int], None],
    ) -> None:
        """The same as a file: a sheet, a page to print, or one chart."""
        speaks = self._speech(language)
        match form:
            case "csv":
                dealers = self._archive.tells_dealers(question.role)
                encode = codecs.getincrementalencoder("utf-8")().encode
                rows = alerts(self._archive, question, progress)
                for line in sheet(rows, speaks, dealers=dealers):
                    to.write(encode(line))
            case "pdf":
                shown = ", ".join((*question.sites, *question.tables)) or "-"
                printed(
                    cast("BinaryIO", to),
                    shift(self._archive, question, self._zone, progress),
                    self._archive.alerts(question),
                    speaks,
                    shown=shown,
                    made=f"floorcall {__version__}",
                    progress=progress,
                )
            case _:
                drawn = charts(shift(self._archive, question, self._zone, progress), speaks)
                found = next((one for one in drawn if one.name == chart), drawn[0])
                to.write(svg(found, alone=True).encode())

    def _speech(self, language: str) -> Speech:
        return speech(language, self._zone)
