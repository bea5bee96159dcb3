"""What people ask of the history: alerts by all that a shift is looked at by, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import RowMapping

from daemon.floor.history.database import Database
from daemon.floor.history.names import Names, names_in
from daemon.floor.history.rows import (
    EYES,
    AlertRow,
    AuditRow,
    HandsRow,
    LineRow,
    ShelvingRow,
    bounded,
    clean,
    eyes_of,
)
from daemon.floor.history.tables import act as acts
from daemon.floor.history.tables import alert, audit, hands, transition
from daemon.floor.views import ActSeen, Role

PAGE_MAX = 500
LINES_MAX = 1000
VALUES_MAX = 200
ACTS_MAX = 200  # as many as the floor keeps of an alert that stands

Key = tuple[int, str, str]
"""Where a page ends: `raised_ms`, site and alert of its last row."""

_TOLD = {"table": "table_name"}
_COLUMNS = [alert.c[_TOLD.get(name, name)].label(name) for name in AlertRow.__dataclass_fields__]


class NotAllowed(Exception):  # noqa: N818 - it is what it says
    """This role may not ask that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which alerts: of `since_ms` up to before `until_ms`, and any of each that is named.

    `answer`: took at least and at most so long until it was acknowledged, in milliseconds;
    `answered` False asks for those that nobody acknowledged. `called` leaves out what stood in the
    log only. `slower_ms` asks for those that took longer or that nobody acknowledged, `by` for
    those that this person was the first to acknowledge, or closed. `dealer` is
    a pseudonym, or a name where those are told.
    """

    role: Role
    since_ms: int
    until_ms: int
    sites: Sequence[str] = ()
    tables: Sequence[str] = ()
    irregularities: Sequence[str] = ()
    severities: Sequence[str] = ()
    states: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    answer_min_ms: int | None = None
    answer_max_ms: int | None = None
    answered: bool | None = None
    slower_ms: int | None = None
    called: bool = True
    by: str | None = None
    dealer: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the alerts, the newest first; `then` is where the next page begins, if any does."""

    rows: Sequence[AlertRow]
    then: Key | None


class Archive:
    """The history as roles may read it. Calls wait for the database: they are for threads.

    `dealers` says whether the house lets anybody ask about dealers; only who administers may then.
    `names` are theirs by pseudonym, where the house tells names. Raises NotAllowed, and HistoryGone
    where the database does not answer.
    """

    def __init__(
        self, database: Database, *, dealers: bool = False, names: Mapping[str, str] | None = None
    ) -> None:
        self._database = database
        self._dealers = dealers
        self._names = dict(names or {})

    def tells_dealers(self, role: Role) -> bool:
        return self._dealers and role == "administer"

    def names(self, role: Role) -> Names:
        """What this role can ask by name."""
        with self._database.reading() as connection:
            return names_in(connection, _eyes(role))

    def page(self, question: Question, after: Key | None = None, most: int = PAGE_MAX) -> Page:
        """At most `most` alerts, those behind `after`."""
        most = min(max(most, 1), PAGE_MAX)
        asked = (
            sa.select(*_COLUMNS)
            .where(self._wanted(question))
            .order_by(alert.c.raised_ms.desc(), alert.c.site.desc(), alert.c.alert.desc())
            .limit(most + 1)
        )
        if after is not None:
            # Spelt out beside the tuple: so both databases begin at the right place of the index.
            key = (bounded(after[0]), clean(after[1]), clean(after[2]))
            place = sa.tuple_(alert.c.raised_ms, alert.c.site, alert.c.alert)
            asked = asked.where(alert.c.raised_ms <= key[0], place < sa.tuple_(*key))
        with self._database.reading() as connection:
            found = connection.execute(asked).mappings().all()
        made = [self._alert_row(row, question.role) for row in found[:most]]
        last = made[-1] if len(found) > most else None
        return Page(made, None if last is None else (last.raised_ms, last.site, last.alert))

    def count(self, question: Question) -> int:
        """How many alerts there are of it."""
        asked = sa.select(sa.func.count()).select_from(alert).where(self._wanted(question))
        with self._database.reading() as connection:
            return int(connection.execute(asked).scalar_one())

    def alerts(self, question: Question) -> Iterator[AlertRow]:
        """All of them, the newest first, asked for page by page: nothing is held open between."""
        after: Key | None = None
        while True:
            page = self.page(question, after)
            yield from page.rows
            if page.then is None:
                return
            after = page.then

    def lines(
        self, role: Role, site: str, name: str, table: str = "", most: int = LINES_MAX
    ) -> list[LineRow]:
        """The last lines of one alert that this role may see, the oldest first.

        None if there are none; with `table` none that another table told.
        """
        line = transition.c
        asked = (
            sa.select(*(line[field] for field in LineRow.__dataclass_fields__))
            .where(
                line.site == clean(site),
                line.alert == clean(name),
                line.audience.in_(_audiences(role)),
                *_any_of(line.table_name, [table] if table else []),
            )
            .order_by(line.revision.desc())
            .limit(min(max(most, 1), LINES_MAX))
        )
        with self._database.reading() as connection:
            found = [LineRow(**row) for row in connection.execute(asked).mappings()]
        return found[::-1]

    def acts(self, site: str, table: str, alert: str) -> list[ActSeen]:
        """What was done at this table since this fault, the oldest first.

        It is for whom the hand is, and the alert.
        """
        one = acts.c
        asked = (
            sa.select(one.at_ms, one.seat, one.act)
            .where(
                one.site == clean(site),
                one.table_name == clean(table),
                one.alert == clean(alert),
            )
            .order_by(one.at_ms, one.seat, one.act)
            .limit(ACTS_MAX)
        )
        with self._database.reading() as connection:
            return [
                ActSeen(at_ms=at_ms, seat=seat or None, act=act)
                for at_ms, seat, act in connection.execute(asked)
            ]

    def hands(self, question: Question) -> list[HandsRow]:
        """The hands that ended in this time at these tables, hour by hour.

        An hour counts where it begins in this time, or the time begins in it.
        """
        _audiences(question.role)
        since_ms = bounded(question.since_ms)
        hour_ms = since_ms - since_ms % 3_600_000
        columns = (hands.c.site, hands.c.table_name, hands.c.hour_ms, hands.c["count"])
        asked = sa.select(*columns).order_by(*columns[:3])
        asked = asked.where(
            hands.c.hour_ms >= hour_ms,
            hands.c.hour_ms < bounded(question.until_ms),
            *_any_of(hands.c.site, question.sites),
            *_any_of(hands.c.table_name, question.tables),
        )
        with self._database.reading() as connection:
            return [
                HandsRow(site=site, table=table, hour_ms=hour_ms, count=count)
                for site, table, hour_ms, count in connection.execute(asked)
            ]

    def shelvings(self, question: Question) -> list[ShelvingRow]:
        """Who put which of these alerts out of sight, once for each time he did."""
        line = transition.c
        asked = (
            sa.select(
                line.site, line.table_name, line.alert, line.shelved_by, line.shelved_until_ms
            )
            .distinct()
            .join(alert, sa.and_(alert.c.site == line.site, alert.c.alert == line.alert))
            .where(
                self._wanted(question),
                line.shelved_by.is_not(None),
                line.audience.in_(_audiences(question.role)),
            )
            .order_by(line.site, line.alert, line.shelved_until_ms, line.shelved_by)
        )
        with self._database.reading() as connection:
            return [
                ShelvingRow(site=site, table=table, alert=name, by=by, until_ms=until_ms)
                for site, table, name, by, until_ms in connection.execute(asked)
            ]

    def audit(
        self, role: Role, before: int | None = None, most: int = PAGE_MAX, login: str = ""
    ) -> list[AuditRow]:
        """Who did what, the newest first; for those who administer, and surveillance.

        `before` is the number that they stay below, `login` whose deeds they are, if one's only.
        """
        if role not in ("administer", "surveillance"):
            raise NotAllowed(f"{role} may not read the audit")
        asked = sa.select(*(audit.c[field] for field in AuditRow.__dataclass_fields__))
        if before is not None:
            asked = asked.where(audit.c.number < bounded(before))
        if login:
            asked = asked.where(audit.c.login == clean(login))
        asked = asked.order_by(audit.c.number.desc()).limit(min(max(most, 1), PAGE_MAX))
        with self._database.reading() as connection:
            return [AuditRow(**row) for row in connection.execute(asked).mappings()]

    def _alert_row(self, row: RowMapping, role: Role) -> AlertRow:
        told = dict(row)
        told["titles"] = json.loads(told["titles"])
        told["cards"] = tuple(told["cards"].split())
        dealer = told["dealer"] if self.tells_dealers(role) else None
        told["dealer"] = dealer and self._names.get(dealer, dealer)
        return AlertRow(**told)

    def _wanted(self, question: Question) -> sa.ColumnElement[bool]:
        if question.dealer is not None and not self.tells_dealers(question.role):
            raise NotAllowed(f"{question.role} may not ask about dealers")
        one = alert.c
        tests: list[sa.ColumnElement[bool]] = [
            one.eyes == _eyes(question.role),
            one.raised_ms >= bounded(question.since_ms),
            one.raised_ms < bounded(question.until_ms),
            *_any_of(one.site, question.sites),
            *_any_of(one.table_name, question.tables),
            *_any_of(one.irregularity, question.irregularities),
            *_any_of(one.severity, question.severities),
            *_any_of(one.state, question.states),
            *_any_of(one.verdict, question.verdicts),
        ]
        if question.called:
            tests.append(one.called.is_(True))
        if question.answered is not None:
            tests.append((one.acknowledged_ms.is_not(None)).is_(question.answered))
        if question.answer_min_ms is not None:
            tests.append(one.answer_ms >= bounded(question.answer_min_ms))
        if question.answer_max_ms is not None:
            tests.append(one.answer_ms <= bounded(question.answer_max_ms))
        if question.slower_ms is not None:
            is_slower = one.answer_ms > bounded(question.slower_ms)
            tests.append(sa.or_(is_slower, one.acknowledged_ms.is_(None)))
        if question.by is not None:
            name = clean(question.by)
            tests.append(sa.or_(one.acknowledged_by == name, one.closed_by == name))
        if question.dealer is not None:
            told = {name: pseudonym for pseudonym, name in self._names.items()}
            tests.append(one.dealer == clean(told.get(question.dealer, question.dealer)))
        return sa.and_(*tests)


def _eyes(role: Role) -> str:
    eyes = eyes_of(role)
    if eyes is None:
        raise NotAllowed("a wall has no history")
    return eyes


def _audiences(role: Role) -> list[str]:
    return sorted(EYES[_eyes(role)])


def _any_of(column: sa.Column[Any], wanted: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    return [column.in_([clean(one) for one in wanted[:VALUES_MAX]])] if wanted else []
