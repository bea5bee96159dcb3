"""Where the figures of a report lead: to the alerts in the history that they are made of."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from msgspec import to_builtins

from daemon.floor.web import forms

SLOWER_MAX_S = 86_400


def linked(report: dict[str, Any], asked: forms.ReportAsked) -> dict[str, Any]:
    """The report with an address in `history` for each of its rows, and in `links` for its figures.

    Times are those of the report, the rest is as it was asked. A length of time leads to what took
    so long or longer, and to what nobody has acknowledged.
    """
    every = {name: one for name, one in to_builtins(asked).items() if one not in ("", None)}
    every |= {"from": report["from"], "to": report["to"]}

    def leads(**more: object) -> str:
        return f"/history?{urlencode(every | more)}"

    for kind in report["irregularities"]:
        kind["history"] = leads(irregularity=kind["irregularity"])
    for table in report["tables"]:
        table["history"] = leads(site=table["site"], table=table["table"])
    for one in report.get("people", ()):
        one["history"] = leads(by=one["name"])
    for one in report.get("dealers", ()):
        one["history"] = leads(dealer=one["dealer"])
    answers = report["acknowledged"]
    slower = {
        name: leads(slower_s=str(min(max(answers[f"{name}_ms"] - 1, 0) // 1000, SLOWER_MAX_S)))
        for name in ("median", "p90", "worst")
        if answers[f"{name}_ms"] is not None
    }
    return report | {
        "links": {
            "alerts": leads(),
            "unanswered": leads(slower_s="never"),
            **slower,
            **{f"severity.{name}": leads(severity=name) for name in report["severities"]},
            **{name: leads(verdict=name) for name in ("upheld", "none", "other")},
        }
    }
