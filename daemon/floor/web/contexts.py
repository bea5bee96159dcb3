"""What each page's template is given. Templates are named after their page: `wall.html`.

The pages are those of `routes.ROUTES`; `/alerts/<key>` is `floor.html` with that alert before it.
What is more than this a page asks of the interface by itself.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Frame(TypedDict):
    """What every template is given.

    `page` is its name: wall, floor, tables, table, history, report, settings, people, audit, help,
    login, password, refused. `static` is what addresses of scripts and styles begin with, the
    version in it and no slash at the end. `me` is `forms.Me` as the dictionary that it is, None
    where nobody is known. `mistakes` are keys of `[mistake]` in the words, told at the top of a
    form: `login`, `slow-down`, `short`, `differ`, `same`, `old`, `expired`.
    """

    page: str
    lang: str  # en, it
    theme: str  # auto, light, dark
    static: str
    site: str
    version: str
    csrf: str
    me: dict[str, Any] | None
    undo_s: float
    shelve_max_min: int
    mistakes: list[str]
    dealers: bool  # whether he may ask who dealt
    words: dict[str, Any]  # words.words(lang)

    key: NotRequired[str]  # floor: the alert of /alerts/<key>
    at_site: NotRequired[str]  # table: of /tables/<site>/<table>
    at_table: NotRequired[str]
    to: NotRequired[str]  # login: where he wanted to go
    login: NotRequired[str]  # login: what he wrote before
    status: NotRequired[int]  # refused: 403, 404, 500 …
    must_change: NotRequired[bool]  # password: before anything else
    password_min: NotRequired[int]  # password: its least length
