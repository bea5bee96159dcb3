"""The alerts of a shift as a sheet of comma-separated values, line by line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator

from daemon.floor.history.rows import AlertRow
from daemon.floor.report.words import Speech

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")  # noqa: RUF001 - these are they
_BLANK = " \u00a0\u200b\u2000\u3000\ufeff"
_DIVIDED = re.compile(r"(?s)(?<=.)([;,\t\r\n][\s\"']*)(?=[=+\-@|%＝＋－＠])")  # noqa: RUF001
BOM = "\ufeff"  # without it a spreadsheet takes no accent for what it is

Cell = Callable[[AlertRow, Speech], object]

# fmt: off
COLUMNS: dict[str, Cell] = {
    "site":            lambda row, _: row.site,
    "table":           lambda row, _: row.table,
    "raised":          lambda row, speech: _moment(row.raised_ms, speech),
    "title":           lambda row, speech: speech.title(row.titles, row.irregularity),
    "irregularity":    lambda row, _: row.irregularity,
    "severity":        lambda row, speech: speech.named("severity", row.severity),
    "state":           lambda row, speech: speech.named("state", row.state),
    "audience":        lambda row, speech: speech.named("audience", row.audience),
    "hand":            lambda row, _: row.hand,
    "street":          lambda row, speech: speech.named("street", row.street),
    "subject":         lambda row, _: row.subject,
    "cards":           lambda row, _: " ".join(row.cards),
    "level":           lambda row, _: row.level,
    "acknowledged_by": lambda row, _: row.acknowledged_by or "",
    "acknowledged":    lambda row, speech: _moment(row.acknowledged_ms, speech),
    "answer":          lambda row, speech: _seconds(row.answer_ms, speech),
    "too_late":        lambda row, speech: speech("yes") if row.window_missed else "",
    "verdict":         lambda row, speech: speech.named("verdict", row.verdict or "") or "",
    "closed_by":       lambda row, _: row.closed_by or "",
    "closed":          lambda row, speech: _moment(row.closed_ms, speech),
    "dealer":          lambda row, _: row.dealer or "",
    "alert":           lambda row, _: row.alert,
}
# fmt: on


def sheet(rows: Iterable[AlertRow], speech: Speech, *, dealers: bool = False) -> Iterator[str]:
    """The sheet's lines, the first its heading; of each row nothing is kept.

    Cells and decimals are divided as the language's spreadsheets expect it, and no cell is taken
    for a formula.
    """
    columns = {name: cell for name, cell in COLUMNS.items() if dealers or name != "dealer"}
    written = io.StringIO()
    writer = csv.writer(written, delimiter=speech("cells"), lineterminator="\r\n")
    writer.writerow([speech(f"column.{name}") for name in columns])
    yield BOM + written.getvalue()
    for row in rows:
        written.seek(0)
        written.truncate()
        writer.writerow([harmless(cell(row, speech)) for cell in columns.values()])
        yield written.getvalue()


def harmless(cell: object) -> str:
    """A cell that a spreadsheet takes for text: an apostrophe before what begins like a formula.

    So it is behind whatever another language's spreadsheet takes for the end of a cell.
    """
    text = _DIVIDED.sub(r"\1'", str(cell).replace("\0", ""))
    return f"'{text}" if text.lstrip(_BLANK).startswith(FORMULA) else text


def _moment(at_ms: int | None, speech: Speech) -> str:
    return "" if at_ms is None else speech.at(at_ms).isoformat(sep=" ")


def _seconds(span_ms: int | None, speech: Speech) -> str:
    return "" if span_ms is None else f"{span_ms / 1000:.1f}".replace(".", speech("decimal"))
