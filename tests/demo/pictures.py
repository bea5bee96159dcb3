"""The documentation's pictures of the screens, taken from a demo while it runs.

python -m tests.demo.pictures docs/screens
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.async_api import Browser, Page, ViewportSize, async_playwright

from tests.web.conftest import ARGS, chromium

TABLES, SPEED, SEED = 8, 3, 7
LONG_MS = 30 * 60 * 1000
DESK, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)
WAITING_MAX, LOOK_MS = 1, 3000  # so many alerts wait for somebody to be on his way

# What the page's own stream tells it, kept for the claims below.
LISTEN = """
const views = new Map(), tables = new Map();
const name = (view) => `${view.site}/${view.table}`;
const TAKE = {
  picture({ alerts, tables: all }) {
    for (const view of alerts) TAKE.alert(view);
    for (const view of all) TAKE.table(view);
  },
  alert: (view) => views.set(view.key, view),
  table: (view) => tables.set(name(view), view),
  gone: ({ key }) => views.delete(key),
};
window.EventSource = class extends EventSource {
  constructor(...how) {
    super(...how);
    for (const [kind, take] of Object.entries(TAKE)) {
      this.addEventListener(kind, ({ data }) => take(JSON.parse(data)));
    }
  }
};
const isOfNow = (view) => tables.get(name(view))?.hand?.hand === view.alert.hand;
const has = (view, state) => view.alert.remedy.some((step) => step.state === state);
const find = (claim) => [...views.values()].find((view) => isOfNow(view) && claim(view));
const lies = (view, where) =>
  (tables.get(name(view)).hand.public ?? []).filter(([, place]) => place === where).length;
Object.assign(window, { has, seek: find, lies });
"""
GOES_WRONG = """() => seek((view) => view.alert.state === "raised" &&
  ["done", "wrong", "due"].every((state) => has(view, state)) &&
  view.alert.subject !== "deck")?.key"""
IS_PUT_RIGHT = """() => seek((view) => view.alert.state === "raised" &&
  ["done", "due", "later"].every((state) => has(view, state)) && lies(view, "board") > 2 &&
  lies(view, "aside"))?.key"""
IS_BUSY = """() => [".critical.now", ".known", ".over", ".calm"].every(
  (what) => document.querySelector(`.tile${what}`))"""


@asynccontextmanager
async def demo() -> AsyncIterator[str]:
    """The demo as it is typed; the address of its screens."""
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "daemon", "demo", "--web-port", "0"),
        *("--tables", str(TABLES), "--speed", str(SPEED), "--seed", str(SEED)),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert running.stdout is not None
    heard = None
    try:
        first = (await running.stdout.readline()).decode()
        heard = asyncio.create_task(running.stdout.read())  # so that it is never held up
        found = re.search(r"http://127\.0\.0\.1:\d+", first)
        assert found, first
        yield found[0]
    finally:
        os.killpg(running.pid, signal.SIGINT)
        await running.wait()
        if heard is not None:
            await heard


class Camera:
    """A browser on the demo's screens, and the folder for what it sees."""

    def __init__(self, browser: Browser, address: str, folder: Path) -> None:
        self._browser = browser
        self._address = address
        self._folder = folder

    async def page(self, path: str, size: ViewportSize, *, dark: bool = False) -> Page:
        """A window of this size at this page."""
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        page = await self._browser.new_page(
            base_url=self._address, viewport=size, color_scheme=scheme
        )
        page.set_default_timeout(LONG_MS)
        await page.add_init_script(LISTEN)
        await page.goto(path)
        await self.hear(page)
        return page

    async def hear(self, page: Page) -> None:
        """What a browser asks for once in each window, so that it may sound."""
        await page.click("#sound-bar")
        await page.mouse.move(0, 0)

    async def take(self, page: Page, name: str) -> None:
        """The picture, in a palette: screens have few colours."""
        seen = Image.open(io.BytesIO(await page.screenshot(animations="disabled")))
        seen.convert("RGB").quantize(256).save(self._folder / f"{name}.png", optimize=True)
        sys.stdout.write(f"{name}.png\n")
        sys.stdout.flush()

    async def alert(self, name: str, claim: str, size: ViewportSize) -> None:
        """An alert of which this is so, by itself."""
        page = await self.page("/floor", size)
        key = await (await page.wait_for_function(claim)).json_value()
        await page.goto(f"/alerts/{key}")
        await self.hear(page)
        await page.wait_for_selector("#detail .step")
        await self.take(page, name)

    async def wall(self) -> None:
        """The wall once it has something of everything."""
        page = await self.page("/wall", DESK)
        await page.wait_for_function(IS_BUSY)
        await self.take(page, "wall")

    async def table(self) -> None:
        """A table in mid-hand with an alert that stands, in the dark."""
        page = await self.page("/tables", DESK, dark=True)
        key = await (await page.wait_for_function(IS_PUT_RIGHT)).json_value()
        await page.goto("/tables/" + "/".join(str(key).split("/")[:2]))
        await self.hear(page)
        await page.wait_for_selector("#table section.alerts")
        await self.take(page, "table")

    async def report(self) -> None:
        """A shift's figures."""
        page = await self.page("/report", DESK)
        await page.wait_for_selector("#report svg")
        await self.take(page, "report")


async def acknowledge(page: Page) -> None:
    """Somebody goes to what stands longest, again and again, as far as he can."""
    while True:
        waiting = page.locator("li.alert.now [data-quick]")
        if await waiting.count() > WAITING_MAX:
            await waiting.last.click()
        await page.wait_for_timeout(LOOK_MS)


async def pictures(folder: Path) -> None:
    """All of them, into this folder."""
    async with demo() as address, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        camera = Camera(browser, address, folder)
        going = asyncio.create_task(acknowledge(await camera.page("/floor", DESK)))
        async with asyncio.TaskGroup() as group:
            group.create_task(camera.alert("alert", GOES_WRONG, DESK))
            group.create_task(camera.alert("phone", IS_PUT_RIGHT, PHONE))
            group.create_task(camera.wall())
            group.create_task(camera.table())
        await camera.report()
        going.cancel()
        await browser.close()


if __name__ == "__main__":
    asyncio.run(pictures(Path(sys.argv[1])))
