"""What a table can see is asked for by the page that shows it, and by no other."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.scripted import COVERAGE
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_a_table_can_see_is_shown_and_again_when_it_changes(floor: Upstairs) -> None:
    async with floor.table("c1") as table:
        page = await floor.page("maintain", "/tables/house/c1")
        shown = page.locator(".part.coverage")
        await expect(shown.locator("details").first).to_contain_text("(1)")
        await shown.locator("summary").first.click()
        await expect(shown).to_contain_text("Turn too early")
        more = ["turn-premature", "<b>new</b>"]
        await table.say("coverage", COVERAGE | {"spots": more})
        await expect(shown.locator("details").first).to_contain_text("(2)")
        await expect(shown).to_contain_text("<b>new</b>")
        await table.say("coverage", None)
        await expect(shown).to_contain_text("has not said")
        assert page.errors == []


async def test_no_other_page_asks_for_it(floor: Upstairs) -> None:
    async with floor.table("c2"):
        page = await floor.page("supervise", "/floor")
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        await page.goto("/tables")
        await expect(page.locator("#tables")).to_contain_text("c2")
        assert [url for url in asked if "/api/coverage" in url] == []
