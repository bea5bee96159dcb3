"""The HTTP interface, fuzzed by its own description with sessions of each role: no fault, no lie.

A seeded, bounded run; FLOORCALL_SOAK=1 makes it long.
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
from tests.floor.web.side import Floorside, opened

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
EXAMPLES = 200 if SOAK else 4
CHECKS: list[CheckFunction] = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ENDLESS = {"/live"}
FORMS = {"/logout", "/password"}


@contextmanager
def served(folder: Path) -> Iterator[tuple[Floorside, asyncio.AbstractEventLoop]]:
    """The web in a thread of its own, for a client that waits."""
    up, over = threading.Event(), threading.Event()
    found: list[tuple[Floorside, asyncio.AbstractEventLoop]] = []

    async def serve() -> None:
        async with opened(folder) as side:
            side.web.acts = side.web.export_pace = Unhurried()  # type: ignore[assignment]
            side.heard(said.topic("status"), said.status(), retained=True)
            side.heard(said.topic("hand"), said.hand(), retained=True)
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


@pytest.mark.parametrize("role", [*ROLES, None])
def test_whatever_is_sent_is_answered_as_the_description_says(
    tmp_path: Path, role: Role | None
) -> None:
    schema = schemathesis.openapi.from_dict(openapi.document())
    answered: Counter[int] = Counter()
    with served(tmp_path) as (side, loop):
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path in ENDLESS:
                continue

            @given(case=operation.as_strategy())
            @settings(
                max_examples=EXAMPLES, deadline=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck), derandomize=not SOAK,
            )  # fmt: skip
            def holds(case: schemathesis.Case) -> None:
                headers = {"origin": side.serving.address}
                cookies = {}
                if case.operation.path == "/login" and isinstance(case.body, dict):
                    cookies = {"floorcall-door": "d"}
                    case.body["csrf"] = csrf_of("d")
                elif role is not None:
                    begun = asyncio.run_coroutine_threadsafe(side.people.trust(role), loop)
                    token = begun.result(60).token
                    cookies = {"floorcall": token}
                    headers["x-csrf-token"] = csrf_of(token)
                    if isinstance(case.body, dict) and case.operation.path in FORMS:
                        case.body["csrf"] = csrf_of(token)
                answer = case.call_and_validate(
                    base_url=side.serving.address, headers=headers, cookies=cookies,
                    checks=CHECKS, allow_redirects=False, timeout=60,
                )  # fmt: skip

                answered[answer.status_code] += 1

            holds()
    print(f"{role}: {sum(answered.values())} requests, answered {dict(sorted(answered.items()))}")
    assert answered[200]
