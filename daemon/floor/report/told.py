"""A report for programs and for pages: figures and alerts as JSON has them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from daemon.floor.history.rows import AlertRow
from daemon.floor.report.charts import NARROW, charts, svg
from daemon.floor.report.figures import ANSWER_LIMITS_MS, Figures, Kind, TableFigures, Verdicts
from daemon.floor.report.words import Speech

KINDS_MAX = 200


def moment(at_ms: int | None) -> str | None:
    """UTC, to the millisecond, as alerts have it."""
    if at_ms is None:
        return None
    seconds, rest = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03}Z"


def alert(row: AlertRow) -> dict[str, Any]:
    """One alert of the past; moments are UTC, `answer_ms` how long until it was acknowledged."""
    same = (
        "key site table alert hand street irregularity severity state audience revision level "
        "called gone subject acknowledged_by answer_ms window_missed verdict closed_by dealer"
    )
    return {
        **{name: getattr(row, name) for name in same.split()},
        "titles": dict(row.titles),
        "cards": list(row.cards),
        "at": moment(row.at_ms),
        "raised": moment(row.raised_ms),
        "told": moment(row.told_ms),
        "acknowledged": moment(row.acknowledged_ms),
        "closed": moment(row.closed_ms),
    }


def report(figures: Figures, speech: Speech, *, pictures: bool = True) -> dict[str, Any]:
    """The figures of a shift; with `pictures` each chart has `svg`, and `narrow` for a phone."""
    told: dict[str, Any] = {
        "v": 1,
        "from": moment(figures.since_ms),
        "to": moment(figures.until_ms),
        "alerts": figures.alerts,
        "per_hour": _rounded(figures.per_hour),
        "hands": figures.hands,
        "per_100_hands": _rounded(figures.per_100_hands),
        "severities": dict(figures.severities),
        "slot_s": figures.slot_s,
        "slots": [{"from": moment(s.since_ms), "alerts": s.alerts} for s in figures.slots],
        "irregularities": [_kind(kind, speech) for kind in figures.kinds[:KINDS_MAX]],
        "acknowledged": _answers(figures),
        "verdicts": _verdicts(figures.verdicts),
        "tables": [_table(table) for table in figures.tables],
    }
    if figures.people is not None:
        told["people"] = [asdict(one) for one in figures.people]
    if figures.dealers is not None:
        told["dealers"] = [
            {
                "dealer": one.dealer,
                "alerts": one.alerts,
                "verdicts": _verdicts(one.verdicts),
                "commonest": [{"irregularity": n, "alerts": count} for n, count in one.commonest],
            }
            for one in figures.dealers
        ]
    if pictures:
        told["charts"] = [
            {
                "name": chart.name,
                "title": chart.title,
                "says": chart.says,
                "svg": svg(chart),
                "narrow": svg(chart, width=NARROW),
            }
            for chart in charts(figures, speech)
        ]
    return told


def _kind(kind: Kind, speech: Speech) -> dict[str, Any]:
    return {
        "irregularity": kind.irregularity,
        "title": speech.title(kind.titles, kind.irregularity),
        "alerts": kind.alerts,
        "share": _rounded(kind.share),
        "per_100_hands": _rounded(kind.per_100_hands),
        "verdicts": _verdicts(kind.verdicts),
    }


def _answers(figures: Figures) -> dict[str, Any]:
    counted = zip(ANSWER_LIMITS_MS, figures.answer_counts, strict=True)
    return {
        **asdict(figures.answers),
        "counts": [{"up_to_ms": limit, "alerts": count} for limit, count in counted],
    }


def _verdicts(ruled: Verdicts) -> dict[str, Any]:
    return {**asdict(ruled), "false_share": _rounded(ruled.false_share)}


def _table(table: TableFigures) -> dict[str, Any]:
    return {
        "site": table.site,
        "table": table.table,
        "alerts": table.alerts,
        "hands": table.hands,
        "per_100_hands": _rounded(table.per_100_hands),
        "acknowledged": table.answers.count,
        "unanswered": table.answers.unanswered,
        "median_ms": table.answers.median_ms,
        "p90_ms": table.answers.p90_ms,
        "worst_ms": table.answers.worst_ms,
        "verdicts": _verdicts(table.verdicts),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
