"""The wall at every size: nothing on a tile covers or cuts anything else, in either language."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES = ((360, 740), (1280, 800), (3840, 2160))

CUT = """() => [...document.querySelectorAll(".tile :is(.state, .severity) > span")]
  .filter((one) => one.parentElement.scrollWidth > one.parentElement.clientWidth + 1)
  .map((one) => one.textContent)"""
COVERED = """() => [...document.querySelectorAll(".tile:has(.others)")].filter((tile) => {
    const range = document.createRange();
    range.selectNodeContents(tile.querySelector(".state"));
    const ends = range.getBoundingClientRect().right;
    return ends > tile.querySelector(".others").getBoundingClientRect().left;
  }).map((tile) => tile.innerText)"""
QUEUED = """() => [...document.querySelectorAll(".queued")].map((one) =>
    [one.querySelector("strong").getBoundingClientRect().right <= one.getBoundingClientRect().right,
     one.querySelector(".span").textContent !== ""])"""


@pytest.mark.parametrize("language", ["en", "it"])
async def test_what_stands_on_a_tile_neither_covers_nor_cuts_the_rest(
    floor: Upstairs, language: str
) -> None:
    async with floor.table("w1") as one, floor.table("w2") as two, floor.table("w3") as three:
        for table in (one, two, three):
            name = await table.alarm()
            await table.alarm("2", severity="medium")
        await two.change(next(iter(two.alerts)), level=3)
        await three.change(name, acknowledged={"by": "Nina", "at": None})
        page = await floor.page("wall", "/settings")
        await page.check(f"input[value={language}]")
        await expect(page.locator("html")).to_have_attribute("lang", language)
        await page.goto("/wall")
        await expect(page.locator(".tile .others.both")).to_have_count(1)
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await expect(page.locator(".queued").first).to_be_visible()
            assert await page.evaluate(CUT) == []
            assert await page.evaluate(COVERED) == []
            assert {tuple(one) for one in await page.evaluate(QUEUED)} == {(True, True)}
        await page.goto("/settings")
        await page.check("input[value=en]")
        await expect(page.locator("html")).to_have_attribute("lang", "en")
