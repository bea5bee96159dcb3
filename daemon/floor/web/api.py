"""What scripts of a page ask for and do: alerts, acts, the test alert's answer, people."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.responses import Response

from daemon.floor.people.accounts import Account
from daemon.floor.people.people import Refused
from daemon.floor.web import forms
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.refusals import Refusal


def alert(call: Call) -> Response:
    """One alert, as his role may see it."""
    found = call.web.floor.alert(call.role, call.asked.key)
    if found is None:
        raise Refusal("unknown-alert")
    return json_of(found)


def coverage(call: Call) -> Response:
    """What a table can see."""
    asked: forms.TableAsked = call.asked
    found = call.web.floor.coverage(call.role, asked.site, asked.table)
    return json_of(forms.CoverageSeen(found))


async def act(call: Call) -> Response:
    """What he wants of an alert; the floor says whether it may be, and writes down what became."""
    if not call.web.acts.allows(call.opened.token, call.web.now_s()):
        raise Refusal("slow-down", 1.0)
    sent: forms.ActSent = call.sent
    outcome = await call.web.floor.act(call.known.person, sent.as_act())
    return json_of(outcome)


async def undo(call: Call) -> Response:
    """He takes it back."""
    if not call.web.acts.allows(call.opened.token, call.web.now_s()):
        raise Refusal("slow-down", 1.0)
    outcome = await call.web.floor.undo(call.known.person, call.sent.id)
    return json_of(outcome)


def chain(call: Call) -> Response:
    """His screen has had the test alert: one that is open in his name, whatever it says."""
    sent: forms.ChainSent = call.sent
    call.web.floor.chain_seen(f"{call.known.login}/{sent.screen}", sent.number)
    return json_of(forms.Done())


def health(call: Call) -> Response:
    """That this service answers."""
    return json_of(forms.Health(ok=call.web.people.is_open))


def static(call: Call) -> Response:
    """A script or a style."""
    at = call.request.path_params
    found = call.web.assets.answer(at["version"], at["file"])
    if found is None:
        raise Refusal("not-found")
    return found


# --- people ---------------------------------------------------------------------------------------


def people(call: Call) -> Response:
    """Everybody who may sign in."""
    every = [_seen(call, account) for account in call.web.people.accounts.all()]
    return json_of(forms.PeopleSeen(every))


async def person_made(call: Call) -> Response:
    """Somebody new."""
    sent: forms.PersonSent = call.sent
    try:
        account, password = await call.web.people.make(sent.login, sent.name, sent.role)
    except Refused as no:
        call.audit("person-made", sent.login, f"refused: {no.word}")
        raise
    call.audit("person-made", f"{sent.login}: {sent.role}", "done")
    return json_of(_made(call, account, password))


async def person_changed(call: Call) -> Response:
    """Somebody otherwise than before."""
    sent: forms.PersonChange = call.sent
    told = {"name": sent.name, "role": sent.role, "disabled": sent.disabled}
    what = ", ".join(f"{name} {value}" for name, value in told.items() if value is not None)
    try:
        account = await call.web.people.change(
            sent.login, name=sent.name, role=sent.role, disabled=sent.disabled
        )
    except Refused as no:
        call.audit("person-changed", f"{sent.login}: {what}", f"refused: {no.word}")
        raise
    call.audit("person-changed", f"{sent.login}: {what}", "done")
    await call.web.people.settle()
    return json_of(_seen(call, account))


async def person_reset(call: Call) -> Response:
    """A new password for somebody."""
    login = call.sent.login
    try:
        account, password = await call.web.people.reset(login)
    except Refused as no:
        call.audit("person-reset", login, f"refused: {no.word}")
        raise
    call.audit("person-reset", login, "done")
    await call.web.people.settle()
    return json_of(_made(call, account, password))


def _made(call: Call, account: Account, password: str) -> forms.PersonMade:
    return forms.PersonMade(_seen(call, account), password if call.has_passwords else "")


def _seen(call: Call, account: Account) -> forms.PersonSeen:
    seen_ms = account.seen_ms
    return forms.PersonSeen(
        login=account.login,
        name=account.name,
        role=account.role,
        disabled=account.disabled,
        must_change=account.must_change,
        sessions=len(call.web.people.sessions.of(account.login)),
        last_seen=None if seen_ms is None else _moment(seen_ms),
    )


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
