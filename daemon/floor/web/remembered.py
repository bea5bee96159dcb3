"""One alert of the past: as it was last told, and every line of it, as a role may see them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.responses import Response

from daemon.floor import forms
from daemon.floor.history.changes import changes
from daemon.floor.history.database import HistoryError
from daemon.floor.history.rows import LineRow
from daemon.floor.reduced import SEES_HANDS, told_alert
from daemon.floor.report.told import moment
from daemon.floor.views import AlertView, Past, PastLine, Payload
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.refusals import Refusal

LINES_MAX = 200  # an alert in earnest has some ten


async def past(call: Call) -> Response:
    """One alert, as the floor knows it or as the history does, whichever knows more."""
    key = call.asked.key
    known = call.web.floor.alert(call.role, key)
    try:
        found = await asyncio.to_thread(_remembered, call, key)
    except HistoryError:
        if known is None:
            raise
        return json_of(Past(view=known, lines=[], earlier=False, written=False))
    if found is None and known is None:
        raise Refusal("unknown-alert")
    if found is None:
        assert known is not None
        return json_of(Past(view=known, lines=[], earlier=False, written=True))
    if known is not None and _revision(known) >= _revision(found["view"]):
        acts = found["view"]["acts"]
        found["view"] = {**known, "acts": max(known["acts"], acts, key=len)}
    return json_of(found)


def _remembered(call: Call, key: str) -> Past | None:
    """What the history has of it for this role; None for nothing. Waits for the database."""
    site, _, rest = key.partition("/")
    table, _, name = rest.partition("/")
    if not (site and table and name):
        return None
    rows = call.web.archive.lines(call.role, site, name, table, LINES_MAX + 1)
    if not rows:
        return None
    said = [_said(row) for row in rows]
    view = AlertView(
        key=key,
        site=site,
        table=table,
        live=False,
        received=moment(rows[-1].told_ms) or "",
        alert=told_alert(call.role, said[-1], dealers=call.web.house.dealer_identity),
        acts=call.web.archive.acts(site, table, name) if call.role in SEES_HANDS else [],
        found=False,
        pending=None,
    )
    is_earlier = len(rows) > LINES_MAX
    lines = _lines(rows, said)[1 if is_earlier else 0 :]
    return Past(view=view, lines=lines, earlier=is_earlier, written=True)


def _lines(rows: Sequence[LineRow], said: Sequence[Payload]) -> list[PastLine]:
    before: Payload | None = None
    found = []
    for row, payload in zip(rows, said, strict=True):
        found.append(
            PastLine(
                revision=row.revision,
                told=moment(row.told_ms) or "",
                late=row.late,
                state=row.state,
                severity=row.severity,
                audience=row.audience,
                changes=changes(before, payload),
            )
        )
        before = payload
    return found


def _said(row: LineRow) -> Payload:
    """What the table said; what its columns have where that cannot be read."""
    columns = {"state": row.state, "severity": row.severity}
    return columns | (forms.read("log", row.payload) or {}) | {"revision": row.revision}


def _revision(view: AlertView) -> int:
    return forms.number(view["alert"], "revision") or 0
