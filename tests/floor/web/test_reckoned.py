"""Reports that many ask for at once: a few are reckoned at a time, and nobody else waits."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC
from pathlib import Path
from typing import Any

from daemon.floor.history import Archive
from daemon.floor.history.asking import Question
from daemon.floor.report.made import Reports
from daemon.floor.web.call import RECKONED_AT_ONCE, RECKONED_WAITING_MAX
from tests.floor.web.side import opened, until


class Held(Reports):
    """Figures that are reckoned only once the test lets them be; `most` is how many at a time."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive, UTC)
        self.go = threading.Event()
        self.now = self.most = 0
        self._lock = threading.Lock()

    def figures(self, question: Question, language: str) -> dict[str, Any]:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.go.wait(60)
        with self._lock:
            self.now -= 1
        return super().figures(question, language)


async def test_reports_without_end_keep_nobody_from_signing_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as side:
        held = side.web.reports = Held(side.web.archive)
        visitor, other = await side.signed_in("supervise"), await side.signed_in("administer")
        room = RECKONED_AT_ONCE + RECKONED_WAITING_MAX
        asked = [asyncio.create_task(visitor.get("/api/report")) for _ in range(room)]
        await until(lambda: side.web.reckoned.is_full)
        one_more = await other.get("/api/report")
        assert (one_more.status_code, one_more.json()["error"]) == (429, "too-many")
        assert (await side.visitor().sign_in("maintain")).status_code == 303
        assert (await other.get("/api/people")).status_code == 200
        held.go.set()
        answers = await asyncio.gather(*asked)
        assert {one.status_code for one in answers} == {200}
        assert held.most == RECKONED_AT_ONCE
        assert (await other.get("/api/report")).status_code == 200
