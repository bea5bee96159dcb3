"""Who may go where: every address, every role, and nobody at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from daemon.floor.people.passwords import weakness
from daemon.floor.views import ROLES, Role
from daemon.floor.web import openapi, refusals
from daemon.floor.web.app import ENDPOINTS
from daemon.floor.web.refusals import WORDS
from daemon.floor.web.routes import FIRST, ROUTES, Route, pages_of
from daemon.floor.web.words import LANGUAGES, words
from tests.floor.web.side import Floorside, Visitor

DOC = Path(__file__).parents[3] / "docs" / "screens-api.md"

# What makes each address answer; where it is not named, nothing is sent.
SENT: dict[str, Any] = {
    "act": {"id": "a1", "key": "house/t/1", "revision": 1, "act": "acknowledge"},
    "undo": {"id": "a1"},
    "chain": {"screen": "s1", "number": 1},
    "change_me": {"theme": "dark"},
    "export": {"format": "csv"},
    "person_made": {"login": "somebody", "name": "Somebody", "role": "wall"},
    "person_changed": {"login": "nobody", "disabled": True},
    "person_reset": {"login": "nobody"},
    "login": {"login": "supervise", "password": "no"},
    "password": {"old": "no", "new": "no", "again": "no"},
    "logout": {},
}
ASKED = {
    "live": "screen=s1",
    "alert": "key=house/t/1",
    "past": "key=house/t/1",
    "coverage": "site=house&table=t",
}
AT = {"key": "house/t/1", "site": "house", "table": "t", "id": "x", "version": "v", "file": "f.js"}


def path_of(row: Route) -> str:
    path = re.sub(r"\{(\w+)(?::path)?\}", lambda found: AT[found[1]], row.path)
    return f"{path}?{ASKED[row.name]}" if row.name in ASKED else path


async def ask(visitor: Visitor, row: Route) -> httpx.Response:
    if row.kind == "stream":
        async with visitor.http.stream("GET", path_of(row)) as answer:
            if answer.status_code != 200:
                await answer.aread()
            return answer
    match row.method, row.kind:
        case "GET", _:
            return await visitor.get(path_of(row))
        case "DELETE", _:
            return await visitor.delete(path_of(row))
        case _, "form":
            return await visitor.form(path_of(row), SENT[row.name])
        case _:
            return await visitor.post(path_of(row), SENT[row.name])


def is_let_in(row: Route, answer: httpx.Response) -> bool:
    """Whether the gate let it pass, whatever became of it behind."""
    if answer.status_code == 401:
        return False
    if answer.status_code == 303:
        return not answer.headers["location"].startswith("/login?to=")
    if answer.status_code == 403:
        if row.kind in {"page", "form"}:
            return row.name in {"login", "password"}  # the form itself, with what was wrong
        return bool(answer.json()["error"] not in {"not-allowed", "sign-in"})
    return True


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_each_role_is_let_in_where_the_table_says_and_nowhere_else(
    side: Floorside, role: Role | None
) -> None:
    wrong = []
    for row in ROUTES:
        visitor = side.visitor() if role is None else await side.signed_in(role)
        answer = await ask(visitor, row)
        expected = row.who is None or (role is not None and role in row.who)
        assert answer.status_code < 500, (row.name, answer.text)
        if is_let_in(row, answer) != expected:
            wrong.append((row.method, row.path, answer.status_code, answer.text[:80]))
    assert wrong == []


async def test_what_is_not_in_the_table_is_not_found(side: Floorside) -> None:
    visitor = await side.signed_in("administer")
    for path in ("/api", "/static/", "/docs", "/../etc/passwd", "/%2e%2e/x", "/floor/"):
        assert (await visitor.get(path)).status_code == 404, path
    assert (await visitor.get("/api/act")).status_code == 405


async def test_a_wall_of_somebody_who_sees_no_floor_is_refused(side: Floorside) -> None:
    visitor = await side.signed_in("maintain")
    answer = await visitor.get("/live?screen=s1&view=wall")
    assert (answer.status_code, answer.json()["error"]) == (403, "not-allowed")


@pytest.mark.parametrize("role", ROLES)
async def test_each_page_a_role_is_told_of_opens_and_its_first_is_among_them(
    side: Floorside, role: Role
) -> None:
    visitor = await side.signed_in(role)
    me = await visitor.know_itself()
    assert me["pages"] == pages_of(role)
    assert FIRST[role] in me["pages"]
    for path in me["pages"]:
        assert (await visitor.get(path)).status_code == (303 if path == "/" else 200), path


def test_every_address_has_an_endpoint_and_every_endpoint_an_address() -> None:
    assert {row.name for row in ROUTES} == set(ENDPOINTS)
    assert len({(row.method, row.path) for row in ROUTES}) == len(ROUTES)


def test_whatever_changes_something_is_no_get() -> None:
    assert [row.name for row in ROUTES if row.takes is not None and row.method == "GET"] == []


def test_the_page_of_addresses_names_every_one_of_them() -> None:
    text = DOC.read_text("utf-8")
    bare = [re.sub(r":path\}", "}", row.path) for row in ROUTES]
    unsaid = [path for path in bare if f"{path}`" not in text and f"{path}?" not in text]
    assert unsaid == []


def test_nothing_is_refused_by_a_word_that_is_not_in_the_list() -> None:
    folder = Path(refusals.__file__).parents[1]
    source = "".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    said = set(re.findall(r'Refus(?:ed|al)\(\s*"([a-z-]+)"', source))
    said |= {weakness(*tried, "mara") or "" for tried in WEAK}
    assert len(said) > 20
    assert said <= set(WORDS)


WEAK = [("a" * 12, "b"), ("short", "short"), ("x" * 300, "x" * 300), ("a" * 12, "a" * 12)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_words_in_each_language(language: str) -> None:
    assert set(WORDS) <= set(words(language)["mistake"])


async def test_the_description_for_programs_is_of_this_very_table(side: Floorside) -> None:
    told = (await side.visitor().get("/openapi.json")).json()
    assert told == openapi.document()
    operations = [one for ways in told["paths"].values() for one in ways.values()]
    assert {one["operationId"] for one in operations} == {row.name for row in ROUTES}
