"""Coming and going: the form to sign in with, signing out, another password."""

from __future__ import annotations

import secrets

from starlette.responses import RedirectResponse, Response

from daemon.floor.history.database import HistoryError
from daemon.floor.people.passwords import Crowded
from daemon.floor.people.people import Refused
from daemon.floor.web import forms, gate, pages
from daemon.floor.web.call import LANGUAGE, Call
from daemon.floor.web.house import is_inside
from daemon.floor.web.refusals import WORDS, Refusal
from daemon.floor.web.words import LANGUAGES


def login_page(call: Call) -> Response:
    """The form; whoever is signed in needs none."""
    asked: forms.LoginAsked = call.asked
    if call.account is not None or call.web.house.demo:
        return RedirectResponse(onward(asked.to), 303)
    pages.no_passwords(call)
    call.at_door = asked.lang if asked.lang in LANGUAGES else ""
    answer = login_form(call, to=asked.to, mistake="expired" if asked.again else "")
    if call.at_door:
        gate.set_cookie(call, answer, LANGUAGE, call.at_door)
    return answer


def login_form(
    call: Call, *, to: str = "", login: str = "", mistake: str = "", status: int = 200
) -> Response:
    """The form with a token of its own, so that no other page can sign somebody in."""
    door = call.web.house.cookie_named(gate.DOOR)
    call.token = gate.cookie(call.request, door)
    fresh = not call.token or len(call.token) > 64
    if fresh:
        call.token = secrets.token_urlsafe(24)
    mistakes = [mistake] if mistake else []
    answer = pages.page(call, "login", status=status, to=to, login=login, mistakes=mistakes)
    if fresh:
        gate.set_cookie(call, answer, door, call.token)
    return answer


async def login(call: Call) -> Response:
    """A new session for whoever knows the password; the browser's old one ends."""
    pages.no_passwords(call)
    if not call.web.people.is_open:
        raise Refusal("starting", 2.0)
    sent: forms.SignIn = call.sent
    held = gate.cookie(call.request, call.web.house.cookie_named(gate.BROWSER))
    try:
        begun = await call.web.people.sign_in(sent.login, sent.password, call.client, held)
    except (Refused, Crowded, HistoryError) as no:
        word, wait_s = _why(no)
        if word not in {"slow-down", "crowded"}:  # or whoever must wait would fill the audit
            call.audit("login", f"from {call.client}", f"refused: {word}", login=sent.login)
        answer = login_form(call, to=sent.to, login=sent.login, mistake=word, status=WORDS[word][0])
        if wait_s:
            answer.headers["retry-after"] = str(max(1, round(wait_s)))
        return answer
    if call.session is not None:
        call.web.people.end([call.session], "logout")
    call.session, call.account = begun.session, begun.account
    call.audit("login", f"from {call.client}", "done")
    to = "/password" if begun.account.must_change else onward(sent.to)
    answer = RedirectResponse(to, 303)
    gate.give_session(call, answer, begun.token)
    gate.know_browser(call, answer, begun.browser)
    gate.set_cookie(call, answer, call.web.house.cookie_named(gate.DOOR), "")
    await call.web.people.settle()
    return answer


def _why(no: Exception) -> tuple[str, float]:
    match no:
        case Refused():
            return no.word, no.wait_s
        case Crowded():
            return "crowded", 2.0
        case _:
            return "history", 5.0


async def logout(call: Call) -> Response:
    """This session ends, or all of his."""
    sent: forms.SignOut = call.sent
    people = call.web.people
    mine = people.sessions.of(call.known.login) if sent.everywhere else [call.opened]
    if call.web.house.demo:
        mine = [call.opened]
    people.end(mine, "logout")
    call.audit("logout", "everywhere" if sent.everywhere else "", "done")
    answer = RedirectResponse("/login", 303)
    gate.set_cookie(call, answer, call.web.house.cookie, "")
    await people.settle()
    return answer


async def password(call: Call) -> Response:
    """Another password: all sessions end, and this browser has a new one."""
    pages.no_passwords(call)
    sent: forms.NewPassword = call.sent
    people = call.web.people
    try:
        begun = await people.new_password(call.known.login, sent.old, sent.new, sent.again)
    except (Refused, Crowded, HistoryError) as no:
        word, _ = _why(no)
        call.audit("password", "", f"refused: {word}")
        return pages.password_form(call, status=WORDS[word][0], mistakes=(word,))
    call.session, call.account = begun.session, begun.account
    call.audit("password", "", "done")
    answer = RedirectResponse("/", 303)
    gate.give_session(call, answer, begun.token)
    gate.know_browser(call, answer, begun.browser)
    await people.settle()
    return answer


def onward(to: str) -> str:
    """Where somebody wanted to go, if it is here; else to his first page."""
    return to if is_inside(to) and not to.startswith("/login") else "/"
