"""What people ask of the past: alerts, the report of a shift, the audit; all of it in threads."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from starlette.responses import Response, StreamingResponse

from daemon.floor.history.asking import PAGE_MAX, Key, Question
from daemon.floor.history.rows import AuditRow
from daemon.floor.report import told
from daemon.floor.web import forms
from daemon.floor.web.asked import of_a_shift, of_the_history
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.exports import MEDIA, Export, pieces
from daemon.floor.web.links import linked
from daemon.floor.web.refusals import Refusal

PAGES_MAX = 20  # of the audit, that are looked through for one person


async def known(call: Call) -> Response:
    """What the history can be asked for by name, as his role may know."""
    names = await asyncio.to_thread(call.web.archive.names, call.role)
    kinds = [
        forms.KindSeen(name, names.title(name, call.language)) for name in names.irregularities
    ]
    kinds.sort(key=lambda kind: (kind.title.casefold(), kind.irregularity))
    return json_of(forms.NamesSeen(list(names.tables), kinds))


async def history(call: Call) -> Response:
    """A page of alerts, as his role may see them."""
    asked: forms.HistoryAsked = call.asked
    question = await of_the_history(call, asked)
    after = key_of(asked.after)
    page = await asyncio.to_thread(call.web.archive.page, question, after, asked.limit)
    alerts = [told.alert(row) for row in page.rows]
    return json_of(forms.HistorySeen(alerts, None if page.then is None else text_of(page.then)))


async def report(call: Call) -> Response:
    """The figures of a shift."""
    asked: forms.ReportAsked = call.asked
    question = await of_a_shift(call, asked)
    if call.web.reckoned.is_full:
        raise Refusal("too-many", 5.0)
    async with call.web.reckoned:
        figures = await asyncio.to_thread(call.web.reports.figures, question, call.language)
    return json_of(linked(figures, asked))


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


async def export(call: Call) -> Response:
    """Begin to make a file."""
    sent: forms.ExportSent = call.sent
    if not call.web.export_pace.allows(call.opened.token, call.web.now_s()):
        raise Refusal("slow-down", 10.0)
    question = await of_a_shift(call, sent)
    made = call.web.exports.begin(call.opened, sent, question, call.language)
    call.audit("export", _about(sent, question), "begun")
    return json_of(made.seen)


def _about(sent: forms.ExportSent, question: Question) -> str:
    """What a file is of, for the audit."""
    period = f"{told.moment(question.since_ms)} - {told.moment(question.until_ms)}"
    asked = {name: one for name, one in msgspec.to_builtins(sent).items() if one}
    named = [f"{name}={asked[name]}" for name in asked if name not in {"format", "from", "to"}]
    return " ".join([sent.format, period, *named])


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


# --- where a page ends ----------------------------------------------------------------------------


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
