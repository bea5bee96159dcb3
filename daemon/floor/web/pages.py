"""The pages: a frame for each, filled by its template; what they show they ask for themselves."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader
from starlette.responses import HTMLResponse, RedirectResponse, Response

from daemon.floor.people.passwords import LENGTH_MIN
from daemon.floor.people.sessions import csrf_of
from daemon.floor.web import forms
from daemon.floor.web.call import Call, json_of
from daemon.floor.web.me import me_of
from daemon.floor.web.refusals import Refusal
from daemon.floor.web.routes import FIRST
from daemon.floor.web.words import words
from daemon.floor.web.wrong import in_words

NOTHING: dict[str, Any] = dict.fromkeys(
    ("key", "at_site", "at_table", "to", "login", "must_change", "password_min")
)
"""What only some pages are given stands empty on the others."""

TEMPLATES = Path(__file__).with_name("templates")


@cache
def environment(root: Path = TEMPLATES) -> Environment:
    """Templates in which every text is escaped."""
    made = Environment(
        loader=FileSystemLoader(root), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        auto_reload=False,
    )  # fmt: skip
    made.globals.clear()
    return made


def page(call: Call, name: str, *, status: int = 200, **more: Any) -> Response:  # noqa: ANN401
    """The page of this name; `more` is what its template is given beside the frame."""
    given = NOTHING | frame(call, name) | {"status": status} | more
    return HTMLResponse(environment().get_template(f"{name}.html").render(given), status)


def frame(call: Call, name: str) -> dict[str, Any]:
    """What every template is given: `contexts.Frame`."""
    account, house = call.account, call.web.house
    language = call.language
    return {
        "page": name,
        "lang": language,
        "theme": account.theme if account and account.theme else "auto",
        "static": call.web.assets.root,
        "site": house.site,
        "version": house.version,
        "csrf": csrf_of(call.token) if call.token else "",
        "me": msgspec.to_builtins(me_of(call)) if account else None,
        "undo_s": house.undo_s,
        "shelve_max_min": house.shelve_max_min,
        "mistakes": [],
        "dealers": bool(account) and call.web.archive.tells_dealers(call.role),
        "words": words(language),
    }


def refused(call: Call, no: Refusal, *, as_page: bool) -> Response:
    """No, in words."""
    if as_page:
        return page(call, "refused", status=no.status, mistakes=[no.word])
    wrong = in_words(call.language, no.wrong)
    said = " ".join(one.words for one in wrong) or call.told(no.word)
    return json_of(forms.Refusal(no.word, said, wrong), no.status)


# --- the addresses --------------------------------------------------------------------------------


def first(call: Call) -> Response:
    """To where this role begins."""
    return RedirectResponse("/wall" if call.web.house.demo else FIRST[call.role], 303)


def plain(name: str) -> Any:  # noqa: ANN401 - an Endpoint
    """The address of a page that is the same for everybody who may see it."""
    return lambda call: page(call, name)


def alert_page(call: Call) -> Response:
    """The list of alerts with one before it; one that is not there is told by the page itself."""
    return page(call, "floor", key=call.request.path_params["key"][:400])


def floor_page(call: Call) -> Response:
    """The list of alerts."""
    return page(call, "floor", key="")


def table_page(call: Call) -> Response:
    """One table, which the page asks for."""
    at = call.request.path_params
    return page(call, "table", at_site=at["site"][:64], at_table=at["table"][:64])


def password_page(call: Call) -> Response:
    """The form to change one's own password."""
    no_passwords(call)
    return password_form(call)


def password_form(call: Call, *, status: int = 200, mistakes: tuple[str, ...] = ()) -> Response:
    """That form, with what was wrong."""
    more = {"must_change": call.known.must_change, "password_min": LENGTH_MIN}
    return page(call, "password", status=status, mistakes=list(mistakes), **more)


def no_passwords(call: Call) -> None:
    """Refuse where a proxy, or the demo, says who is there."""
    if not call.has_passwords:
        raise Refusal("by-proxy")
