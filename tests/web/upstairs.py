"""A floor's side that is up for real: broker, service, people, and a browser for each of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, StorageState, expect

from daemon.floor.app import FloorApp
from daemon.floor.history import Database
from daemon.floor.people.passwords import Passwords
from daemon.floor.people.people import People
from daemon.floor.settings import read_floor_settings
from daemon.floor.views import ROLES
from tests.conftest import Broker
from tests.floor.web.side import CHEAP, PASSWORD, add
from tests.web.scripted import SITE, ScriptedTable, at_broker

SOON_MS = int(os.environ.get("SOON", "60000"))
DESK = {"width": 1280, "height": 800}

expect.set_options(timeout=SOON_MS)

SETTINGS = """\
sites = ["{site}", "demo"]
state = "{state}"
[broker]
urls = ["{broker}"]
[web]
port = {port}
[acts]
undo_s = {undo_s}
[chain]
every_s = 5
[tables]
order = ["7", "3", "11"]
stale_s = {stale_s}
"""


@dataclass
class Upstairs:
    """The service at its port, which it keeps when it is started anew."""

    folder: Path
    broker: Broker
    browser: Browser
    port: int
    undo_s: float = 0.3
    stale_s: float = 20.0
    more: str = ""  # of the configuration
    app: FloorApp | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _running: asyncio.Task[None] | None = None
    _sessions: dict[str, StorageState] = field(default_factory=dict)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        path = self.folder / "floor.toml"
        path.write_text(
            SETTINGS.format(
                site=SITE, state=self.folder / "state", broker=self.broker.url, port=self.port,
                undo_s=self.undo_s, stale_s=self.stale_s,
            )
            + self.more
        )  # fmt: skip
        settings = read_floor_settings(path)
        settings.state.mkdir(mode=0o700, exist_ok=True)
        await _people(settings.history_url)
        self._stop = asyncio.Event()
        self.app = FloorApp(settings)
        self._running = asyncio.create_task(self.app.run(self._stop))
        await self._until(lambda app: app.screens.is_up and app.room.is_up)

    async def stop(self) -> None:
        assert self._running is not None
        self._stop.set()
        await self._running

    async def context(self, login: str | None, **how: Any) -> BrowserContext:
        """A browser of its own: signed in as this person, whose login is his role."""
        how = {"viewport": DESK, "reduced_motion": "reduce"} | how
        if login and login not in self._sessions:
            context = await self.browser.new_context(base_url=self.address)
            page = await context.new_page()
            await sign_in(page, login)
            self._sessions[login] = await context.storage_state()
            await context.close()
        state = self._sessions.get(login) if login else None
        context = await self.browser.new_context(base_url=self.address, storage_state=state, **how)
        context.set_default_timeout(SOON_MS)
        self._stack.push_async_callback(context.close)
        return context

    async def page(self, login: str | None, path: str, **how: Any) -> Page:
        """A page at this address; what it writes on the console as an error fails the test."""
        page = await (await self.context(login, **how)).new_page()
        page.errors = []  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: page.errors.append(str(error)))  # type: ignore[attr-defined]
        page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))  # type: ignore[attr-defined]
        await page.goto(path)
        return page

    async def leave(self) -> None:
        """Close every browser window opened meanwhile."""
        await self._stack.aclose()
        self._stack = AsyncExitStack()

    @asynccontextmanager
    async def table(self, name: str) -> AsyncIterator[ScriptedTable]:
        """A table that the floor has heard: what it says next is not lost on the way.

        The floor's loop stands still between two tests, and may have lost its broker meanwhile.
        """
        async with at_broker(self.broker.port, name) as table:
            await self.heard(table)
            yield table

    async def heard(self, table: ScriptedTable) -> None:
        """Until all that this table says of itself has come."""
        of = ("surveillance", SITE, table.name)
        await self._until(lambda app: app.room.coverage(*of) is not None)

    async def _until(self, is_so: Callable[[FloorApp], bool]) -> None:
        assert self.app is not None
        assert self._running is not None
        async with asyncio.timeout(SOON_MS / 1000):
            while not is_so(self.app):
                assert not self._running.done(), self._running.exception()
                await asyncio.sleep(0.02)


async def sign_in(page: Page, login: str) -> None:
    await page.goto("/login")
    await page.fill("#login", login)
    await page.fill("#password", PASSWORD)
    await page.click("button[type=submit]")
    await page.wait_for_url(lambda url: "/login" not in url)


async def _people(url: str) -> None:
    """One person of each role, whose login is the role; and a second supervisor."""
    database = Database(url)
    database.bring_up()
    passwords = Passwords(CHEAP)
    people = People(database, passwords)
    people.accounts.load()
    for login, role in [*((role, role) for role in ROLES), ("second", "supervise")]:
        if people.accounts.get(login) is None:
            add(people, login, role)
    passwords.close()
    database.close()
