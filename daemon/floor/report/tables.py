"""The tables of a report, in words: the same on paper and in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daemon.floor.report.figures import Figures
from daemon.floor.report.words import Speech

KINDS_MAX = 40


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in words: `numbers` are columns that stand to the right, `widths` shares of one."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[bool]
    widths: Sequence[float]


def sheets(figures: Figures, speech: Speech) -> list[Sheet]:
    """Every table of a report that is for whom the figures are, in their order."""
    made = (make(figures, speech) for make in SHEETS)
    return [sheet for sheet in made if sheet is not None]


def _severities(figures: Figures, speech: Speech) -> Sheet:
    rows = [
        (speech.named("severity", name), speech.number(count), speech.share(_of(count, figures)))
        for name, count in figures.severities.items()
    ]
    return _sheet(speech, "severities", "severity alerts share", rows, "0.3 0.12 0.12")


def _of(count: int, figures: Figures) -> float | None:
    return count / figures.alerts if figures.alerts else None


def _kinds(figures: Figures, speech: Speech) -> Sheet:
    rows = [
        (
            speech.title(kind.titles, kind.irregularity),
            speech.number(kind.alerts),
            speech.share(kind.share),
            speech.number(kind.per_100_hands, 2),
            speech.number(kind.verdicts.none),
            speech.share(kind.verdicts.false_share),
        )
        for kind in figures.kinds[:KINDS_MAX]
    ]
    columns = "title alerts share per_100_hands none false_share"
    return _sheet(speech, "irregularities", columns, rows, "0.46 0.1 0.1 0.12 0.12 0.1")


def _tables(figures: Figures, speech: Speech) -> Sheet:
    has_sites = len({one.site for one in figures.tables}) > 1
    rows = [
        (
            f"{one.site} / {one.table}" if has_sites else one.table,
            speech.number(one.alerts),
            speech.number(one.hands),
            speech.number(one.per_100_hands, 2),
            speech.span(one.answers.median_ms),
            speech.span(one.answers.p90_ms),
            speech.span(one.answers.worst_ms),
            speech.number(one.answers.unanswered),
            speech.number(one.verdicts.none),
        )
        for one in figures.tables
    ]
    columns = "table alerts hands per_100_hands median p90 worst unanswered none"
    widths = "0.22 0.08 0.08 0.1 0.11 0.11 0.11 0.08 0.11"
    return _sheet(speech, "tables", columns, rows, widths)


def _people(figures: Figures, speech: Speech) -> Sheet | None:
    if figures.people is None:
        return None
    rows = [
        (
            one.name,
            speech.number(one.acknowledged),
            speech.span(one.median_ms),
            speech.number(one.too_late),
            speech.number(one.shelved),
            speech.number(one.closed),
            speech.number(one.closed_none),
        )
        for one in figures.people
    ]
    columns = "name acknowledged median too_late shelved closed closed_none"
    return _sheet(speech, "people", columns, rows, "0.28 0.14 0.12 0.12 0.1 0.1 0.14")


def _dealers(figures: Figures, speech: Speech) -> Sheet | None:
    if figures.dealers is None:
        return None
    titles = {kind.irregularity: kind.titles for kind in figures.kinds}
    rows = [
        (
            one.dealer,
            speech.number(one.alerts),
            speech.number(one.verdicts.none),
            "; ".join(
                f"{speech.title(titles[name], name)} {speech.number(count)}"
                for name, count in one.commonest
            ),
        )
        for one in figures.dealers
    ]
    return _sheet(speech, "dealers", "dealer alerts none commonest", rows, "0.16 0.1 0.14 0.6")


SHEETS: tuple[Callable[[Figures, Speech], Sheet | None], ...] = (
    _severities, _kinds, _tables, _people, _dealers,
)  # fmt: skip

IN_WORDS = frozenset("severity title table name dealer commonest".split())
"""Columns that hold words; all others hold numbers."""


def _sheet(
    speech: Speech, section: str, columns: str, rows: Sequence[Sequence[str]], widths: str
) -> Sheet:
    names = columns.split()
    return Sheet(
        speech(f"section.{section}"),
        [speech(f"column.{name}") for name in names],
        rows,
        [name not in IN_WORDS for name in names],
        [float(width) for width in widths.split()],
    )
