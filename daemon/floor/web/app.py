"""The web put together: the table of routes, an endpoint for each, the gate before them.

headers  ->  router  ->  gate  ->  endpoint
"""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Way
from starlette.types import ASGIApp

from daemon.floor.history.asking import Archive
from daemon.floor.people.limits import Pace
from daemon.floor.people.people import People
from daemon.floor.people.sessions import Session
from daemon.floor.report.made import Reports
from daemon.floor.views import Floor, History
from daemon.floor.web import api, live, me, openapi, pages, past, remembered, signing
from daemon.floor.web.assets import Assets, read_assets
from daemon.floor.web.call import Call, Endpoint, Queue, Web, json_of
from daemon.floor.web.exports import Exports
from daemon.floor.web.gate import Gate, recognise
from daemon.floor.web.headers import Headers
from daemon.floor.web.house import House
from daemon.floor.web.refusals import of_status
from daemon.floor.web.routes import ROUTES
from daemon.floor.web.speech import Speech
from daemon.floor.web.streams import Streams

ACTS, ACTS_S = 30, 10.0
EXPORTS, EXPORTS_S = 10, 60.0

# fmt: off
ENDPOINTS: dict[str, Endpoint] = {
    "login_page":     signing.login_page,
    "login":          signing.login,
    "logout":         signing.logout,
    "password_page":  pages.password_page,
    "password":       signing.password,
    "first":          pages.first,
    "wall":           pages.plain("wall"),
    "floor":          pages.floor_page,
    "alert_page":     pages.alert_page,
    "tables":         pages.plain("tables"),
    "table_page":     pages.table_page,
    "history_page":   pages.plain("history"),
    "report_page":    pages.plain("report"),
    "settings_page":  pages.plain("settings"),
    "people_page":    pages.plain("people"),
    "audit_page":     pages.plain("audit"),
    "help_page":      pages.plain("help"),
    "live":           live.live,
    "alert":          api.alert,
    "past":           remembered.past,
    "coverage":       api.coverage,
    "act":            api.act,
    "undo":           api.undo,
    "chain":          api.chain,
    "me":             me.me,
    "change_me":      me.change_me,
    "known":          past.known,
    "history":        past.history,
    "report":         past.report,
    "export":         past.export,
    "export_state":   past.export_state,
    "export_end":     past.export_end,
    "export_file":    past.export_file,
    "people":         api.people,
    "person_made":    api.person_made,
    "person_changed": api.person_changed,
    "person_reset":   api.person_reset,
    "audit":          past.audit,
    "static":         api.static,
    "health":         api.health,
    "openapi":        lambda _: json_of(openapi.document()),
}
# fmt: on


def make_web(  # noqa: PLR0913 - what every address works with
    *,
    floor: Floor,
    history: History,
    archive: Archive,
    reports: Reports,
    people: People,
    house: House,
    assets: Assets | None = None,
    now_s: Callable[[], float] = time.monotonic,
) -> Web:
    """What every address works with; `people` tell its streams and files of sessions that end."""
    streams, exports = Streams(), Exports(reports)

    def over(sessions: list[Session], reason: str) -> None:
        streams.end(sessions, reason)
        exports.end_of(sessions)

    people.ended = over
    return Web(
        floor=floor,
        history=history,
        archive=archive,
        reports=reports,
        people=people,
        house=house,
        assets=assets or read_assets(),
        streams=streams,
        speech=Speech(),
        exports=exports,
        acts=Pace(ACTS, ACTS_S),
        export_pace=Pace(EXPORTS, EXPORTS_S),
        reckoned=Queue(),
        now_s=now_s,
    )


def make_app(web: Web) -> ASGIApp:
    """The application; `web.streams.shut()` and `web.exports.close()` before it ends."""
    ways = [
        Way(row.path, _endpoint(Gate(web, row, ENDPOINTS[row.name])), methods=[row.method])
        for row in ROUTES
    ]
    faults = {HTTPException: _unknown(web), Exception: _broken(web)}
    app = Starlette(routes=ways, exception_handlers=faults)
    app.router.redirect_slashes = False  # it would lead to whatever name the request was sent to
    return Headers(app, web.house)


def _endpoint(gate: Gate) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        return await gate(request)

    return endpoint


def _call(web: Web, request: Request) -> Call:
    return Call(web=web, request=request, route=ROUTES[-1], client="?")


def _unknown(web: Web) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        as_page = "text/html" in request.headers.get("accept", "")
        call = _call(web, request)
        if as_page:  # in the language of who is there, with his pages to go on to
            recognise(call)
        found = pages.refused(call, of_status(error.status_code), as_page=as_page)
        found.status_code = error.status_code
        found.headers.update(error.headers or {})
        return found

    return answer


def _broken(web: Web) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, _error: Exception) -> Response:  # the server writes it down
        return pages.refused(_call(web, request), of_status(500), as_page=False)

    return answer
