"""A shift whose figures anybody can count by hand, and the history that it makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from daemon.floor.history import AlertRow, Archive, Question, Scribe
from daemon.floor.report.figures import Figures, figures
from daemon.floor.views import Role, Transition
from tests.floor.history.lines import OPENED, OPENED_MS, line

ROME = ZoneInfo("Europe/Rome")
HOSTILE = (
    "<script>alert(1)</script>", "=cmd|'/c calc'!A1", "[bold]x[/bold]", "a\x1b[31mred", "\ud7ff",
    "</svg>", "&amp;", "{0.__class__}", "%s", "\r\nSet-Cookie: x", "<b>unclosed", "x" * 5000, "",
)  # fmt: skip
HOUR_S = 3600
SHIFT_S = 4 * HOUR_S
TITLES = {
    "turn-premature": {"en": "Turn too early", "it": "Turn prima del tempo: perché così"},
    "burn-missing": {"en": "Street without a burn", "it": "Street senza carta bruciata"},
    "deal-card-exposed": {"en": "Hole card exposed", "it": "Carta coperta scoperta"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One alert: when, where, what, after how many seconds somebody looked, and what he ruled."""

    at_s: int
    table: str
    irregularity: str
    severity: str
    looked_s: int | None = None
    by: str = "Anna"
    verdict: str | None = None
    audience: str = "floor"
    opens: bool | None = None
    shuts: bool | None = None
    shelved: bool = False
    dealer: str | None = "d1"


# Five alerts in the first hour, two in the second, none in the third, one in the fourth.
# fmt: off
SHIFT = (
    Case(at_s=60,     table="poker-1", irregularity="turn-premature",    severity="critical",
         looked_s=10, verdict="upheld", opens=True, shuts=True),
    Case(at_s=300,    table="poker-1", irregularity="burn-missing",      severity="high",
         looked_s=20, verdict="upheld", opens=True, shuts=False),
    Case(at_s=600,    table="poker-1", irregularity="turn-premature",    severity="critical",
         looked_s=40, by="Niccolò", verdict="none", dealer="d2"),
    Case(at_s=900,    table="poker-2", irregularity="turn-premature",    severity="critical",
         looked_s=400, by="Niccolò", verdict="other", opens=True, shuts=False, dealer="d2"),
    Case(at_s=3599,   table="poker-2", irregularity="deal-card-exposed", severity="medium"),
    Case(at_s=3600,   table="poker-2", irregularity="burn-missing",      severity="high",
         looked_s=90, by="Niccolò", shelved=True),
    Case(at_s=7000,   table="poker-1", irregularity="burn-missing",      severity="high",
         looked_s=30, verdict="upheld"),
    Case(at_s=14_399, table="poker-1", irregularity="turn-premature",    severity="critical",
         looked_s=15),
    # Beside it: maintenance's, surveillance's, one for the log alone, one before and one behind.
    Case(at_s=500,    table="poker-1", irregularity="sensor-silent",     severity="high",
         audience="maintenance", looked_s=5),
    Case(at_s=700,    table="poker-1", irregularity="collusion-signs",   severity="high",
         audience="surveillance"),
    Case(at_s=800,    table="poker-1", irregularity="burn-missing",      severity="low",
         audience="log"),
    Case(at_s=-1,     table="poker-1", irregularity="burn-missing",      severity="high"),
    Case(at_s=14_400, table="poker-1", irregularity="burn-missing",      severity="high"),
)
HANDS = {("poker-1", 0): 30, ("poker-1", 1): 20, ("poker-2", 0): 25, ("poker-2", 3): 5}
# fmt: on


def lines() -> list[Transition]:
    """What the tables told in this shift."""
    return [one for number, case in enumerate(SHIFT) for one in _lines(f"a{number}", case)]


def _lines(name: str, case: Case) -> list[Transition]:
    shared: dict[str, Any] = {
        "at_s": case.at_s,
        "table": case.table,
        "irregularity": case.irregularity,
        "severity": case.severity,
        "audience": case.audience,
        "dealer": case.dealer,
    }
    texts = {lang: {"title": text} for lang, text in TITLES.get(case.irregularity, {}).items()}
    said: dict[str, Any] = {"text": texts, "cards": ["Td", "As"]}
    told = [line(name, 1, said={**said, "window": {"open": case.opens}}, **shared)]
    if case.looked_s is not None:
        said["window"] = {"open": case.shuts}
        if case.shelved:
            said["shelved"] = {"by": case.by, "until": "2026-12-01T00:00:00.000Z"}
        shared |= {"acknowledged_s": case.at_s + case.looked_s, "acknowledged_by": case.by}
        told.append(line(name, 2, said=said, **shared))
    if case.verdict is not None:
        said["closed"] = {"by": case.by, "at": "2026-12-01T00:00:00.000Z"}
        told.append(line(name, 3, said=said, verdict=case.verdict, state="closed", **shared))
    return told


def write(scribe: Scribe) -> None:
    """Put the whole shift into a history."""
    for one in lines():
        scribe.put(one)
    for (table, hour), count in HANDS.items():
        scribe.hands("roma", table, count, OPENED + timedelta(hours=hour, minutes=30))
    assert scribe.written(60)


def shift_of(role: Role, **more: Any) -> Question:
    """The question for this shift."""
    return Question(role=role, since_ms=OPENED_MS, until_ms=OPENED_MS + SHIFT_S * 1000, **more)


def hostile_rows(archive: Archive) -> list[AlertRow]:
    """Rows whose every text is somebody's attempt."""
    (row,) = list(archive.alerts(shift_of("supervise")))[:1]
    names = "table irregularity severity state verdict acknowledged_by closed_by street".split()
    return [
        replace(row, alert=f"x{number}", titles={"en": text}, **dict.fromkeys(names, text))
        for number, text in enumerate(HOSTILE)
    ]


def hostile_figures(archive: Archive) -> Figures:
    since, until = OPENED_MS, OPENED_MS + SHIFT_S * 1000
    return figures(
        hostile_rows(archive), [], [], since_ms=since, until_ms=until, people=True, dealers=True
    )
