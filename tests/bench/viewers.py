"""Screens that watch for alerts: raw streams, and pages in a real Chromium, each with its clock."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Page, async_playwright

from tests.bench.script import SITE
from tests.web.conftest import ARGS, chromium

PROBE = re.compile(rb"probe-(\d+)x")
OVERLAP_BYTES = 32  # a probe's name may come in two pieces
STREAMS_PER_SESSION = 4
START_S = 60
# A wall says no alert's name: what turns a tile later than a probe stands is another alert.
STOOD_MS = 1500.0
# The first time that each probe is in the page: on the floor by its key, on the wall by its table.
WATCH = """(site) => {
  const seen = (window.seen = []);
  const now = () => performance.timeOrigin + performance.now();
  const known = new Set();
  const look = () => {
    for (const row of document.querySelectorAll("#alerts > li[data-key*='probe-']")) {
      if (known.has(row.dataset.key)) continue;
      known.add(row.dataset.key);
      seen.push([row.dataset.key.match(/probe-(\\d+)x/)[1], now()]);
    }
    const calm = new Set();
    for (const tile of document.querySelectorAll("#tiles > li.calm")) calm.add(tile.dataset.key);
    for (const tile of document.querySelectorAll("#tiles > li:not(.calm)")) {
      if (known.has(tile.dataset.key)) continue;
      known.add(tile.dataset.key);
      seen.push([tile.dataset.key, now()]);
    }
    for (const key of calm) known.delete(key);
  };
  look();
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true,
    attributes: true, attributeFilter: ["class", "data-key"]});
}"""


@dataclass(slots=True)
class Streams:
    """Raw streams: when each saw each probe, in monotonic nanoseconds."""

    address: str
    seen: list[dict[int, int]] = field(default_factory=list)
    heard_bytes: int = 0
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self, count: int) -> None:
        """So many, each of them begun."""
        cookie = ""
        for number in range(count):
            if number % STREAMS_PER_SESSION == 0:
                cookie = await self._session()
            reader, writer = await self._asked(f"/live?screen=s{number}", cookie)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), START_S)
            assert head.startswith(b"HTTP/1.1 200"), head
            seen: dict[int, int] = {}
            self.seen.append(seen)
            self._tasks.append(asyncio.create_task(self._watch(reader, writer, seen)))

    async def until_seen(self, probe: int, within_s: float) -> bool:
        """Until every stream has seen it; False where that takes too long."""
        try:
            async with asyncio.timeout(within_s):
                while not all(probe in seen for seen in self.seen):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    def again(self) -> None:
        """Forget what was seen so far."""
        self.heard_bytes = 0
        for seen in self.seen:
            seen.clear()

    async def close(self) -> None:
        """End all."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _session(self) -> str:
        reader, writer = await self._asked("/api/me", "")
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), START_S)
        writer.close()
        found = re.search(rb"set-cookie: ([^;]+)", head, re.IGNORECASE)
        return found[1].decode() if found else ""

    async def _asked(
        self, path: str, cookie: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        place = self.address.removeprefix("http://")
        host, port = place.split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {place}\r\nCookie: {cookie}\r\n\r\n".encode())
        return reader, writer

    async def _watch(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: dict[int, int]
    ) -> None:
        rest = b""
        try:
            while received := await reader.read(1 << 18):
                at_ns = time.monotonic_ns()
                self.heard_bytes += len(received)
                for name in PROBE.findall(rest + received):
                    if seen.setdefault(int(name), at_ns) == at_ns:
                        self._news.set()
                rest = received[-OVERLAP_BYTES:]
        finally:
            writer.close()


@dataclass(slots=True)
class Pages:
    """Pages of a Chromium: the floor's and the wall, by turns."""

    address: str
    shown: list[tuple[str, Page]] = field(default_factory=list)

    async def again(self) -> None:
        """Forget what was seen so far."""
        for _, page in self.shown:
            await page.evaluate("window.seen.length = 0")

    async def seen(self) -> list[tuple[str, list[tuple[str, float]]]]:
        """Of each page its path, and what it saw: a probe or a table, and the time of day in ms."""
        return [(path, await page.evaluate("window.seen")) for path, page in self.shown]


@asynccontextmanager
async def pages(address: str, count: int) -> AsyncIterator[Pages]:
    """So many pages, that watch already."""
    found = Pages(address)
    if not count:
        yield found
        return
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        for number in range(count):
            context = await browser.new_context(viewport={"width": 1920, "height": 1080})
            context.set_default_timeout(START_S * 1000)
            page, path = await context.new_page(), ("/floor", "/wall")[number % 2]
            await page.goto(address + path)
            await page.locator("li[data-key]").first.wait_for(state="attached")
            await page.evaluate(WATCH, SITE)
            found.shown.append((path, page))
        try:
            yield found
        finally:
            await browser.close()


def late_ms(
    path: str, saw: list[tuple[str, float]], sent: dict[int, tuple[str, float]]
) -> list[float]:
    """How long each probe took to a page, from its table's name and the time of day in ms."""
    if path == "/floor":
        return [at_ms - sent[int(name)][1] for name, at_ms in saw if int(name) in sent]
    late = []
    for key, at_ms in saw:
        table = key.partition("/")[2]
        before = [sent_ms for name, sent_ms in sent.values() if name == table and sent_ms <= at_ms]
        if before and at_ms - max(before) < STOOD_MS:
            late.append(at_ms - max(before))
    return late
