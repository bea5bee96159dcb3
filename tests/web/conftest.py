"""One Chromium for all of these tests, and one floor for those that leave it as it was."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.conftest import free_port, running_broker
from tests.web.upstairs import Upstairs

ARGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --mute-audio"
).split()

LONG_S = 6.0  # to undo in: a slow machine must not be too late


def chromium() -> str:
    """Where Debian's Chromium is; its absence fails the test, it is never skipped."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("chromium is not installed: apt-get install chromium (make test does it)")
    return program


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        try:
            yield browser
        finally:
            await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Upstairs]:
    """A floor with a broker of its own: on another one tables of other tests would show."""
    folder = tmp_path_factory.mktemp("floor")
    with running_broker(folder) as broker:
        upstairs = Upstairs(folder, broker, browser, free_port())
        await upstairs.start()
        try:
            yield upstairs
        finally:
            await upstairs.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def floor(shared: Upstairs) -> AsyncIterator[Upstairs]:
    """A floor that is up; tests on it keep to tables of their own."""
    yield shared
    await shared.leave()


@pytest_asyncio.fixture(loop_scope="session")
async def own_floor(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path
) -> AsyncIterator[Upstairs]:
    """A floor and a broker for this test alone, which may stop them, and may take its time.

    A parameter is how long an act can be undone, in seconds.
    """
    undo_s = getattr(request, "param", LONG_S)
    with running_broker(tmp_path) as broker:
        upstairs = Upstairs(tmp_path, broker, browser, free_port(), undo_s=undo_s)
        await upstairs.start()
        try:
            yield upstairs
        finally:
            await upstairs.leave()
            await upstairs.stop()
