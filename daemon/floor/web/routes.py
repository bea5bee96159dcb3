"""Every address there is: who may go there, what it takes and what it answers.

The one table that the gate enforces, that `/openapi.json` is made from and that the tests walk.
What is not here is not found. `docs/screens-api.md` tells it to people.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Struct

from daemon.floor.views import MAY_ACT, ROLES, AlertView, Outcome, Past, Role
from daemon.floor.web import forms

ANYBODY = None
ALL: frozenset[Role] = frozenset(ROLES)
DESK: frozenset[Role] = ALL - {"wall"}
FLOOR: frozenset[Role] = ALL - {"maintain"}  # who sees the floor's alerts, as the wall does
REPORTS: frozenset[Role] = frozenset({"supervise", "surveillance", "administer"})
WATCH: frozenset[Role] = frozenset({"surveillance", "administer"})
HEADS: frozenset[Role] = frozenset({"administer"})

HTML = "text/html"
SSE = "text/event-stream"
JSON = "application/json"
ANY = "*/*"

FIRST: dict[Role, str] = {
    "wall": "/wall",
    "supervise": "/floor",
    "maintain": "/floor",
    "surveillance": "/floor",
    "administer": "/floor",
}
"""Where each role begins: what `/` leads to."""

Kind = Literal["page", "form", "json", "stream", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One address. `who` is None where nobody need be known; `asks` is its query, `takes` its body.

    A `form` is sent by a page and answers with a page or another address; `json` is sent by a
    script. `early` may be used before a password that must be changed is changed.
    """

    method: Literal["GET", "POST", "DELETE"]
    path: str
    name: str
    who: frozenset[Role] | None
    says: str
    kind: Kind = "json"
    asks: type[Struct] = forms.Nothing
    takes: type[Struct] | None = None
    gives: Any = None
    media: str = JSON
    early: bool = False


def page(path: str, name: str, who: frozenset[Role] | None, says: str, **more: Any) -> Route:  # noqa: ANN401
    """An address that shows a page."""
    row: dict[str, Any] = {"kind": "page", "media": HTML, **more}
    return Route(method="GET", path=path, name=name, who=who, says=says, **row)


def read(path: str, name: str, who: frozenset[Role] | None, says: str, **more: Any) -> Route:  # noqa: ANN401
    """An address that tells something to a script."""
    return Route(method="GET", path=path, name=name, who=who, says=says, **more)


def change(path: str, name: str, who: frozenset[Role] | None, says: str, **more: Any) -> Route:  # noqa: ANN401
    """An address by which a script changes something."""
    return Route(method="POST", path=path, name=name, who=who, says=says, **more)


# fmt: off
ROUTES: tuple[Route, ...] = (
    # coming and going
    page("/login", "login_page", ANYBODY, "The form to sign in with", asks=forms.LoginAsked,
         early=True),
    Route(method="POST", path="/login", name="login", who=ANYBODY, says="Sign in",
          kind="form", takes=forms.SignIn, media=HTML, early=True),
    Route(method="POST", path="/logout", name="logout", who=ALL, says="Sign out",
          kind="form", takes=forms.SignOut, media=HTML, early=True),
    page("/password", "password_page", ALL, "The form to change one's own password", early=True),
    Route(method="POST", path="/password", name="password", who=ALL,
          says="Change one's own password", kind="form", takes=forms.NewPassword, media=HTML,
          early=True),
    # pages
    page("/", "first", ALL, "To the first page of one's role"),
    page("/wall", "wall", FLOOR, "The wall: tables as tiles"),
    page("/floor", "floor", DESK, "What stands, and one alert of it"),
    page("/alerts/{key:path}", "alert_page", DESK, "One alert"),
    page("/tables", "tables", DESK, "All tables"),
    page("/tables/{site}/{table}", "table_page", DESK, "One table"),
    page("/history", "history_page", DESK, "Alerts of the past"),
    page("/report", "report_page", REPORTS, "The report of a shift"),
    page("/settings", "settings_page", ALL, "One's own language, theme and sounds"),
    page("/people", "people_page", HEADS, "Who may sign in"),
    page("/audit", "audit_page", WATCH, "Who did what at the screens"),
    page("/help", "help_page", ALL, "How to read the screens", early=True),
    # live
    read("/live", "live", ALL, "What is news, as it comes: server-sent events",
         kind="stream", media=SSE, asks=forms.LiveAsked),
    read("/api/alert", "alert", DESK, "One alert that stands or was lately closed",
         asks=forms.AlertAsked, gives=AlertView),
    read("/api/past", "past", DESK, "One alert, standing or not, and all that was said of it",
         asks=forms.AlertAsked, gives=Past),
    read("/api/coverage", "coverage", DESK, "What a table can see",
         asks=forms.TableAsked, gives=forms.CoverageSeen),
    change("/api/act", "act", MAY_ACT, "Acknowledge, close, shelve, unshelve or note",
           takes=forms.ActSent, gives=Outcome),
    change("/api/undo", "undo", MAY_ACT, "Take an act back", takes=forms.UndoSent, gives=Outcome),
    change("/api/chain", "chain", ALL, "A screen has had the test alert",
           takes=forms.ChainSent, gives=forms.Done),
    # oneself
    read("/api/me", "me", ALL, "Who is at this screen", gives=forms.Me, early=True),
    change("/api/me", "change_me", ALL, "One's own language, theme and sounds",
           takes=forms.MeSent, gives=forms.Me, early=True),
    # the past
    read("/api/known", "known", DESK, "What the history can be asked for by name",
         gives=forms.NamesSeen),
    read("/api/history", "history", DESK, "Alerts of the past",
         asks=forms.HistoryAsked, gives=forms.HistorySeen),
    read("/api/report", "report", REPORTS, "The figures of a shift",
         asks=forms.ReportAsked, gives=dict[str, Any]),
    change("/api/exports", "export", REPORTS, "Begin to make a file of a report",
           takes=forms.ExportSent, gives=forms.ExportSeen),
    read("/api/exports/{id}", "export_state", REPORTS, "How far that is", gives=forms.ExportSeen),
    Route(method="DELETE", path="/api/exports/{id}", name="export_end", who=REPORTS,
          says="Stop making it, or throw it away", gives=forms.Done),
    read("/api/exports/{id}/file", "export_file", REPORTS, "The file", kind="file", media=ANY),
    # people
    read("/api/people", "people", HEADS, "Everybody", gives=forms.PeopleSeen),
    change("/api/people", "person_made", HEADS, "A new person, with a password shown once",
           takes=forms.PersonSent, gives=forms.PersonMade),
    change("/api/people/change", "person_changed", HEADS, "Another name or role; disabled or not",
           takes=forms.PersonChange, gives=forms.PersonSeen),
    change("/api/people/reset", "person_reset", HEADS, "A new password, shown once",
           takes=forms.PersonReset, gives=forms.PersonMade),
    read("/api/audit", "audit", WATCH, "Who did what at the screens",
         asks=forms.AuditAsked, gives=forms.AuditSeen),
    # for everybody
    read("/static/{version}/{file:path}", "static", ANYBODY, "Scripts, styles and pictures",
         kind="file", media=ANY, early=True),
    read("/healthz", "health", ANYBODY, "That this service answers", gives=forms.Health,
         early=True),
    read("/openapi.json", "openapi", ANYBODY, "This table, for programs",
         gives=dict[str, Any], early=True),
)
# fmt: on


def pages_of(role: Role) -> list[str]:
    """The pages that a role may see, those of one thing left out."""
    return [
        row.path
        for row in ROUTES
        if row.kind == "page" and row.who and role in row.who and "{" not in row.path
    ]
