"""The gate: every request passes here, and nothing else decides who may go where.

    host  ->  who it is  ->  whether he may  ->  that it is his own doing  ->  what he sends  ->  on

Each step lets it pass or raises Refusal. What each address needs stands in the table of routes.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response

from daemon.edges import logs
from daemon.floor.history.asking import NotAllowed
from daemon.floor.history.database import HistoryError
from daemon.floor.people.door import with_token
from daemon.floor.people.passwords import Crowded
from daemon.floor.people.people import LOGIN, Refused
from daemon.floor.people.sessions import csrf_of
from daemon.floor.web import house as at
from daemon.floor.web.call import Call, Endpoint, Web
from daemon.floor.web.pages import refused
from daemon.floor.web.refusals import Refusal
from daemon.floor.web.routes import JSON, Route
from daemon.floor.web.wrong import misfits

BODY_MAX = 16 * 1024
BODY_S = 15.0
FIELDS_MAX = 50
DOOR = "floorcall-door"  # what holds the CSRF token of the form to sign in with
BROWSER = "floorcall-browser"  # what tells a browser in which somebody has signed in before
BROWSER_S = 400 * 86_400  # no browser keeps a cookie for longer

FORM = "application/x-www-form-urlencoded"

log = logs.get("web")


class Gate:
    """One address with the gate before it: an endpoint for starlette."""

    def __init__(self, web: Web, route: Route, endpoint: Endpoint) -> None:
        self._web = web
        self._route = route
        self._endpoint = endpoint

    async def __call__(self, request: Request) -> Response:
        """What the address answers, or why it does not."""
        call = Call(web=self._web, request=request, route=self._route, client="?")
        try:
            return await self._through(call)
        except Refusal as no:
            return refusal(call, no)
        except Refused as no:
            return refusal(call, Refusal(no.word, no.wait_s))
        except Crowded:
            return refusal(call, Refusal("crowded", 2.0))
        except NotAllowed:
            return refusal(call, Refusal("no-dealers"))
        except HistoryError:
            return refusal(call, Refusal("history", 5.0))

    async def _through(self, call: Call) -> Response:
        came = addressed(call)
        new = await identify(call)
        allow(call)
        body = await proven(call, came)
        call.asked = read_query(call)
        call.sent = read_body(call, body)
        answer = self._endpoint(call)
        response: Response = await answer if isinstance(answer, Awaitable) else answer
        if new:
            give_session(call, response, new)
        return response


# --- host, and who it is --------------------------------------------------------------------------


def addressed(call: Call) -> str:
    """The Host header, if it names this service; whose request it is goes into the call."""
    house, headers = call.web.house, call.request.headers
    client = call.request.client
    peer = client.host if client else None
    call.client = at.client_of(house, peer, headers.getlist("x-forwarded-for"))
    local = call.request.scope.get("server") or (None, None)
    if len(headers.getlist("host")) != 1 or not at.is_ours(house, headers["host"], local[0]):
        raise Refusal("host")
    if house.demo:
        here = at.address_of(peer)
        if here is None or not here.is_loopback:
            raise Refusal("elsewhere")
    return headers["host"]


async def identify(call: Call) -> str:
    """Whose session it is, if any; the token of one that has just begun, or ""."""
    web = call.web
    recognise(call)
    if web.house.demo and call.session is None and call.route.who is not None:
        begun = web.people.welcome()
    elif web.house.identity:
        named = named_by_proxy(call)
        if named is None or (call.account is not None and call.account.login == named):
            return ""
        begun = await web.people.trust(named)
    else:
        return ""
    call.token, call.session, call.account = begun.token, begun.session, begun.account
    return begun.token


def recognise(call: Call) -> None:
    """Whose session the browser's cookie is, if anybody's."""
    call.token = cookie(call.request, call.web.house.cookie)
    found = call.web.people.who(call.token) if call.token else None
    if found is not None:
        call.session, call.account = found


def named_by_proxy(call: Call) -> str | None:
    """Who the proxy says it is; None where nobody need be known. Others have no word."""
    house = call.web.house
    client = call.request.client
    if call.route.who is None:
        return None
    if not at.is_trusted(house, client.host if client else None):
        raise Refusal("proxy")
    told = call.request.headers.getlist(house.identity)
    if len(told) != 1 or not told[0].strip():
        raise Refusal("not-known")
    if not call.web.people.is_open:
        raise Refusal("starting", 2.0)
    named = told[0].strip().lower()
    if not LOGIN.fullmatch(named):
        raise Refusal("not-known")
    return named


def allow(call: Call) -> None:
    """Whether he may be here."""
    route, account = call.route, call.account
    if route.who is None:
        return
    if account is None:
        raise Refusal("sign-in" if call.web.people.is_open else "starting")
    if call.must_change and not route.early:
        raise Refusal("password-first")
    if account.role not in route.who:
        raise Refusal("not-allowed")


# --- that it is his own doing ---------------------------------------------------------------------


async def proven(call: Call, host: str) -> bytes:
    """The body of a change that comes from a page of ours; nothing is looked at of others."""
    if call.route.method == "GET":
        return b""
    headers = call.request.headers
    if not at.is_same_origin(call.web.house, headers.get("origin", ""), host):
        raise Refusal("origin")
    is_form = call.route.kind == "form"
    kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
    if call.route.takes is not None and kind != (FORM if is_form else JSON):
        raise Refusal("media")
    body = await read(call.request)
    token = fields(body).get("csrf", "") if is_form else headers.get("x-csrf-token", "")
    if call.route.who is None:
        call.token = cookie(call.request, call.web.house.cookie_named(DOOR))
    wanted = csrf_of(call.token) if call.token else ""
    if not wanted or not hmac.compare_digest(token.encode(), wanted.encode()):
        raise Refusal("expired" if call.route.who is None else "csrf")
    return body


async def read(request: Request) -> bytes:
    """The whole body, of a bounded size, in a bounded time."""
    parts: list[bytes] = []
    length = 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                length += len(part)
                if length > BODY_MAX:
                    raise Refusal("too-large")
                parts.append(part)
    except TimeoutError:
        raise Refusal("too-slow") from None
    except ClientDisconnect:
        raise Refusal("malformed") from None
    return b"".join(parts)


# --- what he sends --------------------------------------------------------------------------------


def fields(body: bytes) -> dict[str, str]:
    """A form's fields, the last of each name; none where it is no form."""
    try:
        told = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"
        )
    except (UnicodeDecodeError, ValueError):
        raise Refusal("malformed") from None
    return dict(told)


def read_query(call: Call) -> object:
    """The query as the type that the address asks for."""
    params = call.request.query_params
    if len(params.multi_items()) > FIELDS_MAX:
        raise Refusal("malformed")
    return as_type({key: value for key, value in params.items() if value}, call.route.asks)


def read_body(call: Call, body: bytes) -> object:
    """The body as the type that the address takes."""
    kind = call.route.takes
    if kind is None:
        return None
    if call.route.kind == "form":
        return as_type(fields(body), kind)
    try:
        told = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Refusal("malformed") from None
    return as_type(told, kind, strict=True)


def as_type(told: Any, kind: type[msgspec.Struct], *, strict: bool = False) -> object:  # noqa: ANN401
    """What was told as a type; else Refusal with the fields that are to blame.

    Without `strict` texts count as the numbers that they are.
    """
    try:
        return msgspec.convert(told, kind, strict=strict)
    except (msgspec.ValidationError, ValueError, OverflowError):
        wrong = misfits(told, kind, strict=strict) if isinstance(told, Mapping) else ()
        raise Refusal("malformed", wrong=tuple(wrong)) from None


# --- cookies and refusals -------------------------------------------------------------------------


def cookie(request: Request, name: str) -> str:
    """A cookie's value, "" without one."""
    return request.cookies.get(name, "")


def give_session(call: Call, response: Response, token: str) -> None:
    """Into the browser, for it alone: no script reads it, no other site sends it.

    A person's lasts as long as his browser runs; a wall's browser may be started anew.
    """
    age_s = None if call.account is None else call.web.people.cookie_s(call.account.role)
    set_cookie(call, response, call.web.house.cookie, token, age_s)


def know_browser(call: Call, response: Response, token: str) -> None:
    """From now on this browser is one in which he has signed in."""
    name = call.web.house.cookie_named(BROWSER)
    held = with_token(cookie(call.request, name), token)
    set_cookie(call, response, name, held, BROWSER_S)


def set_cookie(
    call: Call, response: Response, name: str, value: str, age_s: float | None = None
) -> None:
    """A cookie, for as long as the browser runs if no age is given; one without a value goes."""
    response.set_cookie(
        name, value, path="/", secure=call.web.house.secure, httponly=True, samesite="strict",
        max_age=0 if not value else None if age_s is None else int(age_s),
    )  # fmt: skip


def refusal(call: Call, no: Refusal) -> Response:
    """No: to a page's reader by a page, or the way to where he can help it; to scripts by JSON."""
    page = call.route.kind in {"page", "form"}
    if page and call.route.method == "GET" and no.word == "sign-in":
        path = call.request.url.path
        query = f"?{call.request.url.query}" if call.request.url.query else ""
        response: Response = RedirectResponse(f"/login?to={quote(path + query, safe='/')}", 303)
    elif page and call.route.method == "GET" and no.word == "password-first":
        response = RedirectResponse("/password", 303)
    elif no.word == "expired":
        response = RedirectResponse("/login?again=1", 303)
    else:
        response = refused(call, no, as_page=page)
    if no.wait_s:
        response.headers["retry-after"] = str(max(1, round(no.wait_s)))
    return response
