"""What somebody asks of the past, as a question: its time checked, its names found.

All that is wrong with it is refused at once, each field in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from daemon.floor.history.asking import Question
from daemon.floor.history.names import Names
from daemon.floor.order import counted
from daemon.floor.web import forms
from daemon.floor.web.call import Call
from daemon.floor.web.refusals import Refusal, Wrong
from daemon.floor.web.wrong import cut

SHIFT = timedelta(hours=8)
PERIOD_MAX = timedelta(days=366)
BEGIN = datetime(1, 1, 1, tzinfo=UTC)
EVER = datetime(1971, 1, 1, tzinfo=UTC)
NEVER = datetime(9000, 1, 1, tzinfo=UTC)
LISTED_MAX = 12

Meant = dict[str, tuple[str, ...]]


async def of_the_history(call: Call, asked: forms.HistoryAsked) -> Question:
    """Which alerts: all of them where nothing is said. Raises Refusal."""
    since = asked.since or BEGIN
    until = asked.until or datetime.now(UTC) + timedelta(minutes=1)
    return await _question(call, asked, since, until, list(_order(since, until)))


async def of_a_shift(call: Call, asked: forms.PastAsked) -> Question:
    """Which shift: the last eight hours where nothing is said. Raises Refusal.

    Figures are of a year at most; a sheet has as many alerts as there are.
    """
    until = asked.until or datetime.now(UTC)
    since = asked.since or max(until, EVER + SHIFT) - SHIFT
    is_sheet = isinstance(asked, forms.ExportSent) and asked.format == "csv"
    wrong = [*_order(since, until), *([] if is_sheet else _length(since, until))]
    return await _question(call, asked, since, until, wrong)


async def _question(
    call: Call, asked: forms.PastAsked, since: datetime, until: datetime, wrong: list[Wrong]
) -> Question:
    meant = await _meant(call, asked, wrong)
    _people_only_where_told(call, asked)
    return Question(
        role=call.role,
        since_ms=milliseconds(since),
        until_ms=milliseconds(until),
        sites=meant["site"],
        tables=meant["table"],
        irregularities=meant["irregularity"],
        severities=some(asked.severity),
        verdicts=some(asked.verdict),
        slower_ms=asked.slower_s * 1000 if isinstance(asked.slower_s, int) else None,
        answered=False if asked.slower_s == "never" else None,
        by=asked.by or None,
        dealer=asked.dealer or None,
    )


def _order(since: datetime, until: datetime) -> Iterator[Wrong]:
    if since >= until:
        yield Wrong("from", "order")


def _length(since: datetime, until: datetime) -> Iterator[Wrong]:
    if since < EVER or until - since > PERIOD_MAX:
        yield Wrong("from", "long")
    if until > NEVER:
        yield Wrong("to", "long")


async def _meant(call: Call, asked: forms.PastAsked, wrong: list[Wrong]) -> Meant:
    """The names that are meant; raises Refusal with these where anything is wrong."""
    said = {"site": asked.site, "table": asked.table, "irregularity": asked.irregularity}
    meant: Meant = dict.fromkeys(said, ())
    word = "period" if wrong else "unknown-name"
    if any(said.values()):
        names = await asyncio.to_thread(call.web.archive.names, call.role)
        known = {
            "site": names.sites,
            "table": names.tables,
            "irregularity": [names.title(one, call.language) for one in names.irregularities],
        }
        for name, one in said.items():
            meant[name] = _FIND[name](names, one) if one else ()
            if one and not meant[name]:
                wrong.append(_unknown(name, one, known[name]))
    if wrong:
        raise Refusal(word, wrong=wrong)
    return meant


_FIND: dict[str, Callable[[Names, str], tuple[str, ...]]] = {
    "site": Names.sites_meant,
    "table": Names.tables_meant,
    "irregularity": Names.irregularities_meant,
}


def _unknown(field: str, said: str, known: Sequence[str]) -> Wrong:
    listed = "; ".join(map(cut, sorted(known, key=counted)[:LISTED_MAX]))
    more = "; …" if len(known) > LISTED_MAX else ""
    says = {"said": cut(said), "known": f"{listed}{more}"}
    return Wrong(field, "unknown" if known else "unknown-none", says)


def _people_only_where_told(call: Call, asked: forms.PastAsked) -> None:
    """Refuse, or write down that somebody looks at one dealer."""
    if asked.by and call.role != "surveillance":
        raise Refusal("not-allowed")
    if not asked.dealer:
        return
    allowed = call.web.archive.tells_dealers(call.role)
    call.audit("dealer", asked.dealer, "looked at" if allowed else "refused: no-dealers")
    if not allowed:
        raise Refusal("no-dealers")


def milliseconds(moment: datetime) -> int:
    """Since 1970; what cannot be counted is beyond every alert."""
    try:
        return int(moment.timestamp() * 1000)
    except (OverflowError, ValueError):
        return 0


def some(text: str) -> tuple[str, ...]:
    """One that is asked for, or any."""
    return (text,) if text else ()
