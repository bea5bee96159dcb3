"""The HTTP interface, fuzzed by its own description with sessions of each role.

No fault, no lie, nothing of what another role alone may see, no stream left open. A seeded, bounded
run on SQLite; FLOORCALL_SOAK=1 makes it long, and has it on PostgreSQL too; FLOORCALL_FUZZ is then
how many examples each address gets.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from daemon.floor.people.sessions import csrf_of
from daemon.floor.views import ROLES, Role
from daemon.floor.web import openapi
from tests.floor import said
from tests.floor.postgres import PASSWORD
from tests.floor.web.side import SITE, Floorside, opened, until

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
EXAMPLES = int(os.environ.get("FLOORCALL_FUZZ", "60")) if SOAK else 4
LIVE_EXAMPLES = max(1, EXAMPLES // 4)
CHECKS: list[CheckFunction] = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ENDLESS = "/live"
FORMS = {"/logout", "/password"}

KEY = f"{SITE}/poker-1/{said.alert()['id'][:-1]}"
MARKS: dict[str, frozenset[Role]] = {
    "mark-of-the-floor": frozenset({"supervise", "surveillance", "administer"}),
    "mark-of-maintenance": frozenset({"maintain", "surveillance", "administer"}),
    "mark-of-surveillance": frozenset({"surveillance"}),
    "mark-of-a-hand": frozenset({"supervise", "surveillance", "administer"}),
    "mark-of-a-status": frozenset(ROLES) - {"wall"},
    "mark-of-a-dealer": frozenset({"surveillance", "administer"}),
}
"""Words that tables have said, and who may read them."""


def tell(side: Floorside) -> None:
    """Tables say what each role alone may see."""
    side.heard(said.topic("status"), said.status(x="mark-of-a-status"), retained=True)
    side.heard(said.topic("hand"), said.line(v=1, hand="12", x="mark-of-a-hand"), retained=True)
    for number, audience in enumerate(("floor", "maintenance", "surveillance"), 1):
        mark = f"mark-of-{'the-' if audience == 'floor' else ''}{audience}"
        alert = said.alert(number, audience=audience, irregularity=mark, dealer="mark-of-a-dealer")
        for each in dict.fromkeys((audience, "surveillance")):
            side.heard(said.topic("alerts", each, alert["id"]), said.line(**alert), retained=True)
            side.heard(said.topic("log", each), said.line(**alert))


@contextmanager
def served(
    folder: Path, place: tuple[str, str | None] | None
) -> Iterator[tuple[Floorside, asyncio.AbstractEventLoop]]:
    """The web in a thread of its own, for a client that waits."""
    up, over = threading.Event(), threading.Event()
    found: list[tuple[Floorside, asyncio.AbstractEventLoop]] = []

    async def serve() -> None:
        async with opened(folder, place=place) as side:
            side.web.acts = side.web.export_pace = Unhurried()  # type: ignore[assignment]
            tell(side)
            found.append((side, asyncio.get_running_loop()))
            up.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert up.wait(60)
        yield found[0]
    finally:
        over.set()
        thread.join(60)


class Unhurried:
    """Lets everything pass."""

    def allows(self, _key: str, _now_s: float) -> bool:
        return True


class Fuzzed:
    """Requests of one role; `answered` counts what became of them."""

    def __init__(self, side: Floorside, loop: asyncio.AbstractEventLoop, role: Role | None) -> None:
        self.side = side
        self.answered: Counter[int] = Counter()
        self._loop = loop
        self._role = role

    def ask(self, case: schemathesis.Case) -> None:
        """Ask it with a session of its own, and look at the answer."""
        headers, cookies = self._dressed(case)
        base_url = self.side.serving.address
        if case.operation.path == ENDLESS:
            self._hear(case, headers, cookies)
            return
        answer = case.call_and_validate(
            base_url=base_url, headers=headers, cookies=cookies, checks=CHECKS,
            allow_redirects=False, timeout=60,
        )  # fmt: skip
        self._look(answer.status_code, answer.content)

    def _dressed(self, case: schemathesis.Case) -> tuple[dict[str, str], dict[str, str]]:
        headers = {"origin": self.side.serving.address}
        if case.operation.path == "/login" and isinstance(case.body, dict):
            case.body["csrf"] = csrf_of("d")
            return headers, {"floorcall-door": "d"}
        if self._role is None:
            return headers, {}
        begun = asyncio.run_coroutine_threadsafe(self.side.people.trust(self._role), self._loop)
        token = begun.result(60).token
        headers["x-csrf-token"] = csrf_of(token)
        if isinstance(case.body, dict) and case.operation.path in FORMS:
            case.body["csrf"] = csrf_of(token)
        return headers, {"floorcall": token}

    def _hear(
        self, case: schemathesis.Case, headers: dict[str, str], cookies: dict[str, str]
    ) -> None:
        """Hear the beginning of a stream, and go."""
        asked = case.as_transport_kwargs(base_url=self.side.serving.address, headers=headers)
        asked |= {"cookies": cookies, "stream": True, "timeout": 60}
        with requests.request(**asked) as answer:
            heard = b""
            for piece in answer.iter_content(chunk_size=None):
                heard += piece
                if b"event: picture" in heard and heard.endswith(b"\n\n"):
                    break
        self._look(answer.status_code, heard)

    def _look(self, status: int, content: bytes) -> None:
        self.answered[status] += 1
        assert status < 500
        seen = [mark for mark, who in MARKS.items() if mark.encode() in content]
        assert [mark for mark in seen if self._role not in MARKS[mark]] == []


ON = ["sqlite", "postgresql"] if SOAK else ["sqlite"]


@pytest.mark.parametrize("kind", ON)
@pytest.mark.parametrize("role", [*ROLES, None])
def test_whatever_is_sent_is_answered_as_the_description_says(
    tmp_path: Path, role: Role | None, kind: str, request: pytest.FixtureRequest
) -> None:
    place = None
    if kind == "postgresql":
        place = request.getfixturevalue("postgres").database(), PASSWORD
    schema = schemathesis.openapi.from_dict(openapi.document())
    with served(tmp_path, place) as (side, loop):
        fuzzed = Fuzzed(side, loop, role)
        for result in schema.get_all_operations():
            operation = result.ok()

            @given(case=operation.as_strategy())
            @settings(
                max_examples=LIVE_EXAMPLES if operation.path == ENDLESS else EXAMPLES,
                deadline=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck), derandomize=not SOAK,
            )  # fmt: skip
            def holds(case: schemathesis.Case) -> None:
                fuzzed.ask(case)

            holds()
        told = f"{role} on {kind}: {fuzzed.answered.total()} requests, answered"
        print(told, dict(sorted(fuzzed.answered.items())))
        assert fuzzed.answered[200]
        gone = asyncio.run_coroutine_threadsafe(until(lambda: len(side.web.streams) == 0), loop)
        gone.result(120)


def test_what_only_some_may_see_is_seen_by_them_or_the_fuzz_would_find_nothing(
    tmp_path: Path,
) -> None:
    asked = ("/live?screen=s1", f"/api/alert?key={KEY}1", f"/api/alert?key={KEY}2")
    asked = (*asked, f"/api/alert?key={KEY}3", "/api/history")
    with served(tmp_path, None) as (side, loop):
        assert side.scribe.written(60)
        for role in ROLES:
            begun = asyncio.run_coroutine_threadsafe(side.people.trust(role), loop).result(60)
            heard = b""
            for path in asked:
                cookies = {"floorcall": begun.token}
                at = side.serving.address + path
                with requests.get(at, cookies=cookies, stream=True, timeout=60) as answer:
                    for piece in answer.iter_content(chunk_size=None):
                        heard += piece
                        if b"event: picture" in piece:
                            break
            seen = {mark for mark in MARKS if mark.encode() in heard}
            assert seen == {mark for mark, who in MARKS.items() if role in who}, role
