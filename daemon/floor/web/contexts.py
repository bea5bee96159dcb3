"""What each page's template is given, and what the browser's scripts send: one place for both.

Addresses of the pages: `/` (to the first page of the role), `/login`, `/wall`, `/floor`, `/tables`,
`/tables/<site>/<table>`, `/history`, `/report`, `/settings`, `/people`, `/audit`, `/help`; files of
`static/` below `/static/`. Every form posts to its page's own address with the hidden field `csrf`;
every script sends the header `x-csrf-token`.

    GET  /live?screen=<id>   server-sent events: News, `event` its kind, `data` its view
    POST /api/act            Act as JSON                       -> Outcome
    POST /api/undo           {"id"}                            -> Outcome
    POST /api/chain          {"screen", "number"}              -> {"ok": true}
    GET  /api/alert?key=     one alert, also a closed one      -> AlertView, 404

All addresses stand in docs/screens-api.md. A refusal of the interface is `{"error", "words"}`; a
401 sends the screen to `/login`.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from daemon.floor.views import Person, Role


class Frame(TypedDict):
    """What every template is given.

    `page` is its name, the file without `.html`. `notices` are keys of `[notice]` in the words,
    told at the top, such as `saved`; `mistakes` are keys of `[mistake]`, told as such.
    `navigation` are the pages that the role may open. `words` is what `words.words(lang)` gives.
    """

    page: str
    lang: str  # en, it
    theme: str  # auto, light, dark
    sound: bool
    site: str
    version: str
    csrf: str
    person: Person | None
    navigation: list[str]
    undo_s: float
    shelve_max_min: int
    notices: list[str]
    mistakes: list[str]
    words: dict[str, Any]


class Login(TypedDict):
    """`login.html`: posts `login`, `password`, `next`; `?lang=it` changes its language."""

    next: str
    login: str


class Table(TypedDict):
    """`table.html`: the rest comes live."""

    at_site: str
    at_table: str


class Row(TypedDict):
    """A transition in the history, as the role may see it."""

    told: str  # UTC, ISO
    at: str | None
    site: str
    table: str
    hand: str
    alert: str
    title: str
    severity: str
    state: str
    acknowledged_by: str | None
    answer_s: float | None
    verdict: str | None
    level: int
    late: bool
    dealer: str | None


class History(TypedDict):
    """`history.html`: a form by GET with the fields of `query`, and what it found.

    `query`: `table`, `since`, `until` (local `YYYY-MM-DDTHH:MM`), `irregularity`, `severity`,
    `answer` (seconds at least), `dealer` (only where `dealers` is true). `next_page` is the
    address of what follows, or empty.
    """

    query: dict[str, str]
    tables: list[str]
    irregularities: list[tuple[str, str]]  # name and title
    rows: list[Row]
    next_page: str
    dealers: bool


class Figure(TypedDict):
    """A figure of the report: its name and what it says, in the reader's language."""

    name: str
    value: str


class Picture(TypedDict):
    """A chart: SVG without script or style, and the same as a table for whoever cannot see it."""

    title: str
    svg: str
    head: list[str]
    rows: list[list[str]]


class Report(TypedDict):
    """`report.html`: `since`, `until` and `dealer` by GET; exports are linked from it.

    `exports` are addresses by the word that names them: `csv`, `pdf`.
    """

    query: dict[str, str]
    figures: list[Figure]
    charts: list[Picture]
    exports: dict[str, str]
    dealers: bool


class Settings(TypedDict):
    """`settings.html`: posts `language`, `theme`, `sound`; or `old`, `new`, `again` with `what`.

    `what` is `screen` or `password`.
    """

    languages: list[tuple[str, str]]  # "it", "Italiano"
    may_change_password: bool


class Account(TypedDict):
    """Somebody who may log in."""

    login: str
    name: str
    role: Role
    active: bool
    last_seen: str | None


class People(TypedDict):
    """`people.html`, for administrators.

    Posts `what`: `add` (`login`, `name`, `role`), `role` (`login`, `role`), `password` (`login`),
    `switch` (`login`). `made` is who was given a new password, shown this once.
    """

    accounts: list[Account]
    roles: list[Role]
    made: NotRequired[tuple[str, str] | None]


class Deed(TypedDict):
    """A line of the audit."""

    at: str
    login: str
    role: str
    what: str
    about: str
    outcome: str


class Audit(TypedDict):
    """`audit.html`: the latest first; `login` and `since` by GET."""

    query: dict[str, str]
    deeds: list[Deed]
    next_page: str


class Refused(TypedDict):
    """`refused.html`: any answer of 4xx and 5xx to a person; `status` is its number."""

    status: int
