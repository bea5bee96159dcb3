"""What people ask of the past: alerts, the report of a shift, the audit; all of it in threads."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response, StreamingResponse

from daemon.floor.history.asking import PAGE_MAX, Key, Question
from daemon.floor.history.rows import AuditRow
from daemon.floor.report import told
from daemon.floor.web import forms
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.exports import MEDIA, Export, pieces
from daemon.floor.web.refusals import Refusal

SHIFT = timedelta(hours=8)
PERIOD_MAX = timedelta(days=366)
EVER = datetime(1971, 1, 1, tzinfo=UTC)
PAGES_MAX = 20  # of the audit, that are looked through for one person
NEVER = datetime(9000, 1, 1, tzinfo=UTC)


async def history(call: Call) -> Response:
    """A page of alerts, as his role may see them."""
    asked: forms.HistoryAsked = call.asked
    now = datetime.now(UTC)
    since_ms = milliseconds(asked.since or EVER)
    until_ms = milliseconds(asked.until or now + timedelta(minutes=1))
    question = Question(
        role=call.role,
        since_ms=since_ms,
        until_ms=until_ms,
        sites=some(asked.site),
        tables=some(asked.table),
        irregularities=some(asked.irregularity),
        severities=some(asked.severity),
        verdicts=some(asked.verdict),
        slower_ms=None if asked.slower_s is None else asked.slower_s * 1000,
        dealer=asked.dealer or None,
    )
    if asked.dealer:
        dealers_only_where_told(call, asked.dealer)
    after = key_of(asked.after)
    page = await asyncio.to_thread(call.web.archive.page, question, after, asked.limit)
    alerts = [told.alert(row) for row in page.rows]
    return json_of(forms.HistorySeen(alerts, None if page.then is None else text_of(page.then)))


async def report(call: Call) -> Response:
    """The figures of a shift."""
    asked: forms.ReportAsked = call.asked
    question = shift_of(call, asked)
    figures = await asyncio.to_thread(call.web.reports.figures, question, call.language)
    return json_of(figures)


async def audit(call: Call) -> Response:
    """A page of the audit, the newest first."""
    asked: forms.AuditAsked = call.asked
    rows, more = await asyncio.to_thread(_deeds, call, asked)
    seen = [
        {
            "number": row.number,
            "at": told.moment(row.at_ms),
            "login": row.login,
            "role": row.role,
            "what": row.what,
            "about": row.about,
            "outcome": row.outcome,
        }
        for row in rows
    ]
    return json_of(forms.AuditSeen(seen, more))


def _deeds(call: Call, asked: forms.AuditAsked) -> tuple[list[AuditRow], int | None]:
    """So many rows, of one person if he is named, and where what is older begins, if any is."""
    found: list[AuditRow] = []
    before = asked.before
    for _ in range(PAGES_MAX):
        page = call.web.archive.audit(call.role, before)
        for row in page:
            if not asked.login or row.login == asked.login:
                found.append(row)
                if len(found) == asked.limit:
                    return found, row.number
        if len(page) < PAGE_MAX:
            return found, None
        before = page[-1].number
    return found, before


# --- reports as files --------------------------------------------------------------------------


def export(call: Call) -> Response:
    """Begin to make a file."""
    sent: forms.ExportSent = call.sent
    if not call.web.export_pace.allows(call.opened.token, call.web.now_s()):
        raise Refusal("slow-down", 10.0)
    made = call.web.exports.begin(call.opened, sent, shift_of(call, sent), call.language)
    call.audit("export", sent.format, "begun")
    return json_of(made.seen)


def export_state(call: Call) -> Response:
    """How far it is."""
    return json_of(_found(call).seen)


def export_end(call: Call) -> Response:
    """Stop it, or throw it away."""
    call.web.exports.end(_found(call))
    return json_of(forms.Done())


def export_file(call: Call) -> Response:
    """The file."""
    found = _found(call)
    if found.state != "ready":
        raise Refusal("not-ready")
    call.audit("export", found.form, "fetched")
    found.file.seek(0, 2)
    headers = {
        "content-disposition": f'attachment; filename="{found.name}"',
        "content-length": str(found.file.tell()),
    }
    return StreamingResponse(pieces(found), media_type=MEDIA[found.form], headers=headers)


def _found(call: Call) -> Export:
    return call.web.exports.find(call.request.path_params["id"], call.opened)


# --- what is asked --------------------------------------------------------------------------------


def shift_of(call: Call, asked: forms.ReportAsked | forms.ExportSent) -> Question:
    """What is asked of a report, its time bounded; looking at a dealer is written down."""
    until = asked.until or datetime.now(UTC)
    since = asked.since or max(until, EVER + SHIFT) - SHIFT
    if not EVER <= since < until <= NEVER or until - since > PERIOD_MAX:
        raise Refusal("period")
    if asked.dealer:
        dealers_only_where_told(call, asked.dealer)
    return Question(
        role=call.role,
        since_ms=milliseconds(since),
        until_ms=milliseconds(until),
        sites=some(asked.site),
        tables=some(asked.table),
        dealer=asked.dealer or None,
    )


def dealers_only_where_told(call: Call, dealer: str) -> None:
    """Refuse, or write down that somebody looks at one dealer."""
    allowed = call.web.archive.tells_dealers(call.role)
    call.audit("dealer", dealer, "looked at" if allowed else "refused: no-dealers")
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


def text_of(key: Key) -> str:
    """Where a page ends, to be sent back."""
    return msgspec.json.encode(key).decode()


def key_of(text: str) -> Key | None:
    """The same read back; Refusal for what we never said."""
    if not text:
        return None
    try:
        key: Any = msgspec.json.decode(text, type=Key)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Refusal("malformed") from None
    if not -(2**62) < key[0] < 2**62:
        raise Refusal("malformed")
    return tuple(key)
