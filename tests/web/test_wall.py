"""The wall at every size: nothing on a tile covers or cuts anything else, in either language."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.upstairs import SOON_MS, Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES = ((360, 740), (1280, 800), (3840, 2160), (360, 740))

CUT = """() => [...document.querySelectorAll(".tile :is(.state, .severity, .unheard), .more")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1
    || one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.textContent)"""
COVERED = """() => [...document.querySelectorAll(".tile:has(.others)")].filter((tile) => {
    const range = document.createRange();
    range.selectNodeContents(tile.querySelector(".state"));
    const ends = range.getBoundingClientRect().right;
    return ends > tile.querySelector(".others").getBoundingClientRect().left;
  }).map((tile) => tile.innerText)"""
HIDDEN = """() => [...document.querySelectorAll(".queued")].filter((one) =>
    one.querySelector("strong").getBoundingClientRect().right > one.getBoundingClientRect().right
    || !one.querySelector(".span").textContent).map((one) => one.innerText)"""
ACROSS = {360: re.compile("across: 2"), 1280: re.compile("across"), 3840: re.compile("across")}


async def until_none(page: Page, fault: str) -> None:
    """A wall lays itself out anew a moment after its size has changed."""
    for _ in range(SOON_MS // 100):
        if not await page.evaluate(fault):
            return
        await page.wait_for_timeout(100)
    assert await page.evaluate(fault) == []


@pytest.mark.parametrize("language", ["en", "it"])
async def test_what_stands_on_a_tile_neither_covers_nor_cuts_the_rest(
    floor: Upstairs, language: str
) -> None:
    async with (
        floor.table("w1") as one, floor.table("w2") as two, floor.table("w3") as three,
        floor.table("poker-4") as four,
    ):  # fmt: skip
        for table in (one, two, three, four):
            name = await table.alarm()
            await table.alarm("2", severity="medium")
        await two.change(next(iter(two.alerts)), level=3)
        await four.change(name, acknowledged={"by": "Nina", "at": None})
        await three.live(state="offline")
        page = await floor.page("wall", "/settings")
        await page.check(f"input[value={language}]")
        await expect(page.locator("html")).to_have_attribute("lang", language)
        await page.goto("/wall")
        await expect(page.locator(".tile .others.both")).to_have_count(1)
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await expect(page.locator("#tiles")).to_have_attribute("style", ACROSS[width])
            for fault in (CUT, COVERED, HIDDEN):
                await until_none(page, fault)
        await page.goto("/settings")
        await page.check("input[value=en]")
        await expect(page.locator("html")).to_have_attribute("lang", "en")
