"""Lists on a phone: each row is a card that names every value and stays within the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, expect

from tests.web.scripted import ScriptedTable
from tests.web.test_pages import RULES, WIDTH, faults, settled
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE = {"width": 360, "height": 740}
SIGNED = {"by": "Massimiliano Della Valle", "at": "2026-01-01T10:00:00.000Z"}
LISTS = {
    "/tables": ("supervise", "Alert"),
    "/tables/house/c1": ("supervise", "Errors"),
    "/history?table=c1": ("supervise", "Acknowledged by"),
    "/report": ("surveillance", "Never"),
    "/people": ("administer", "Last here"),
    "/audit": ("administer", "Outcome"),
}
"""Where rows are listed, to whom, and one of their columns."""

SIDEWAYS = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1
    && ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .map((one) => one.outerHTML.slice(0, 80))"""
BEYOND = """() => [...document.querySelectorAll("[data-column]")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.outerHTML.slice(0, 80))"""
NAMED = """() => [...document.querySelectorAll("[data-column]")].map((one) => [
    getComputedStyle(one, "::before").content, JSON.stringify(one.dataset.column)])"""


async def said_of_cells(page: Page) -> set[str]:
    """The words of the page as those who cannot see it are given them."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Accessibility.getFullAXTree")
    return {node.get("name", {}).get("value", "") for node in tree["nodes"]}


async def furnished(table: ScriptedTable) -> None:
    name = await table.alarm(subject="seat-10")
    await table.change(name, acknowledged=SIGNED)
    await table.live(troubles=["reader felt is silent"])


@pytest.mark.parametrize("path", LISTS)
async def test_each_row_is_a_card_that_names_its_values(floor: Upstairs, path: str) -> None:
    login, column = LISTS[path]
    async with floor.table("c1") as table:
        await furnished(table)
        page = await floor.page(login, path, viewport=PHONE)
        await settled(page)
        await expect(page.locator(f"[data-column='{column}']").first).to_be_visible()
        named = await page.evaluate(NAMED)
        assert [one for one in named if one[0] != one[1]] == []
        assert column in await said_of_cells(page)
        assert await page.evaluate(SIDEWAYS) == []
        assert await page.evaluate(BEYOND) == []
        assert await page.evaluate(WIDTH) <= PHONE["width"]
        assert await faults(page, RULES) == {}
        assert page.errors == []


async def test_on_a_desk_the_same_rows_have_their_columns_names_above(floor: Upstairs) -> None:
    async with floor.table("c2") as table:
        await furnished(table)
        page = await floor.page("supervise", "/tables")
        cell = page.locator("#tables [data-column=State]").first
        await expect(cell).to_be_visible()
        await expect(page.locator("thead th").first).to_be_visible()
        before = await cell.evaluate("one => getComputedStyle(one, '::before').content")
        assert before == "none"


@asynccontextmanager
async def reading(page: Page, language: str) -> AsyncIterator[None]:
    """Somebody reads in this language, and in English again afterwards."""
    await reads(page, language)
    try:
        yield
    finally:
        await reads(page, "en")


async def reads(page: Page, language: str) -> None:
    await page.goto("/settings")
    await page.check(f"input[value={language}]")
    await expect(page.locator("html")).to_have_attribute("lang", language)


@pytest.mark.parametrize("width", [360, 820, 1101, 1280, 3840])
async def test_all_pages_of_a_person_can_be_reached_at_every_width(
    floor: Upstairs, width: int
) -> None:
    async with floor.table("c3") as table:
        await furnished(table)
        await table.alarm("2")
        for login in ("supervise", "administer"):
            page = await floor.page(login, "/help", viewport={"width": width, "height": 800})
            async with reading(page, "it"):
                await page.goto("/people" if login == "administer" else "/history")
                await expect(page.locator("#asking")).to_be_visible()
                await expect(page.locator("tbody tr").first).to_be_visible()
                bar = await page.locator("nav").bounding_box()
                assert bar is not None
                for link in await page.locator("nav a").all():
                    box = await link.bounding_box()
                    assert box is not None
                    assert box["x"] >= bar["x"]
                    assert box["x"] + box["width"] <= bar["x"] + bar["width"] + 1
                assert await page.evaluate(SIDEWAYS) == []


async def test_an_address_that_is_none_is_told_in_ones_own_language_with_ones_pages(
    floor: Upstairs,
) -> None:
    page = await floor.page("second", "/help")
    async with reading(page, "it"):
        await page.goto("/nowhere")
        await expect(page.locator("h1")).to_have_text("Qui non c'è nulla.")
        await expect(page.locator("nav a[href='/floor']")).to_be_visible()
