"""A departure that is heeded: the hand up to the alert, the remedy as it says, and the rest."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.alarms.alert import Alert
from daemon.table.events import TableBegan, Tick
from tests.exploration.dealer import Dealer
from tests.exploration.departures import Departure
from tests.exploration.hands import Row, timed
from tests.exploration.seen import folded
from tests.laws.line import judgement

# The floor's ruling is all that the book has: the hand is given up, which is as good as any.
GIVEN_UP = {"board-destroyed", "board-from-muck", "turn-overcount", "river-overcount",
            "board-card-withdrawn", "hand-fouled-by-contact", "premature-acted-on"}  # fmt: skip
NOTICED_MS = 20_000  # whoever waits so long has let every deadline pass


@dataclass(slots=True)
class Heard:
    """The line up to the first alert that has a remedy: its rows, the alert, what else was told."""

    rows: list[Row]
    alert: Alert
    told: dict[str, Alert] = field(default_factory=dict)


def heard(departure: Departure, book: str) -> Heard | None:
    """Deal the departed hand until an alert has a remedy; None where none ever has.

    The table is given time after the departure, and after the street in which it happened, so that
    it is told before the next step.
    """
    judge = judgement(rulebook=book)
    judge.take(TableBegan(table="t"), 1)
    rows: list[Row] = []
    told: dict[str, Alert] = {}
    noticed_ms = 0
    following = [row.name for row in departure.rows[1:]] + [""]
    for number, row in enumerate(departure.rows):
        rows.append(Row(row.name, row.pause_ms + noticed_ms, row.event, row.phase, row.owing))
        noticed_ms = 0
        told |= {a.id: a for a in judge.take(timed(rows)[-1], number + 2)}
        in_flop = following[number] in ("flop2", "flop3") and departure.kind != "carried"
        if number < departure.at or in_flop:
            continue
        if not _with_remedy(told):
            noticed_ms = NOTICED_MS if number == departure.at else 0
            now_ms = timed(rows)[-1].at_ms
            told |= {a.id: a for a in judge.take(Tick(at_ms=now_ms + noticed_ms))}
        if len(departure.hand.order) - len(set(folded(rows))) < 2:
            return None  # the hand is over, and nothing is owed any more
        if (alert := _with_remedy(told)) is not None:
            return Heard(rows, alert, told)
    return None


def _with_remedy(told: dict[str, Alert]) -> Alert | None:
    if any(alert.irregularity.startswith("remedy-") for alert in told.values()):
        return None
    standing = [
        a for a in told.values() if a.state == "raised" and a.remedy and not (a.final or a.doubt)
    ]
    return standing[-1] if standing else None


def words(alert: Alert) -> tuple[str, ...]:
    """The steps of the remedy that are still to be done."""
    return tuple(step.step for step in alert.remedy if step.state in ("due", "later"))


def judged(rows: list[Row], book: str, more: tuple[Row, ...] = ()) -> dict[str, Alert]:
    """The last line of every alert of these rows, and of another hand behind them."""
    judge = judgement(rulebook=book)
    judge.take(TableBegan(table="t"), 1)
    told: dict[str, Alert] = {}
    for number, event in enumerate(timed([*rows, *more]), 2):
        told |= {alert.id: alert for alert in judge.take(event, number)}
    return told


def performed(departure: Departure, one: Heard, steps: tuple[str, ...]) -> list[Row]:
    """The rows of the hand with these steps of a remedy done, and played to its end."""
    dealer = Dealer(departure, one.rows, one.alert)
    dealer.remedy(steps)
    floor_only = words(one.alert) == ("floor",)
    if floor_only and one.alert.irregularity in GIVEN_UP:
        dealer.give_up()
    else:
        dealer.play_on()
    first = dealer.rows[dealer.start]
    late = Row(first.name, first.pause_ms + NOTICED_MS, first.event, first.phase, first.owing)
    dealer.rows[dealer.start] = late
    return dealer.rows
