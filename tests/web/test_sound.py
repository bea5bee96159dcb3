"""Alarms that are heard: by whose role, by whose own choice, how loud, and after which touch."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

LISTENS = """
window.tones = [];
const ramp = AudioParam.prototype.linearRampToValueAtTime;
AudioParam.prototype.linearRampToValueAtTime = function (value, at) {
  if (value) window.tones.push(value);
  return ramp.call(this, value, at);
};"""
PLAYED = "Number(document.documentElement.dataset.played ?? 0)"


async def opened(floor: Upstairs, login: str, path: str) -> Page:
    """A page on which somebody has already touched something."""
    page = await (await floor.context(login)).new_page()
    await page.add_init_script(LISTENS)
    await page.goto(path)
    await expect(page.locator("#clock")).not_to_have_text("--:--:--")
    await page.mouse.click(640, 700)
    await expect(page.locator("html")).to_have_attribute("data-sound", re.compile("on|none"))
    return page


async def test_each_role_sounds_as_the_house_has_it(own_floor: Upstairs) -> None:
    own_floor.more = '[sounds]\nsupervise = ["critical"]\nmaintain = []\n'
    await own_floor.stop()
    await own_floor.start()
    async with own_floor.table("s1") as table:
        supervise = await opened(own_floor, "supervise", "/floor")
        wall = await opened(own_floor, "wall", "/wall")
        silent = [
            await opened(own_floor, login, "/floor") for login in ("maintain", "surveillance")
        ]
        await expect(wall.locator("html")).to_have_attribute("data-sound", "on")
        for page in silent:
            await expect(page.locator("html")).to_have_attribute("data-sound", "none")
            await expect(page.locator("#sound-bar")).to_be_hidden()
            await expect(page.locator("#sound")).to_contain_text("No sounds chosen")
        await table.alarm("1", severity="high")
        await expect(wall.locator("html")).to_have_attribute("data-played", "1")
        await expect(supervise.locator("li.alert", has_text="s1")).to_have_count(1)
        assert await supervise.evaluate(PLAYED) == 0
        await table.alarm("2", severity="critical")
        await expect(supervise.locator("html")).to_have_attribute("data-played", "1")
        await expect(silent[1].locator("li.alert", has_text="s1")).to_have_count(2)
        assert [await page.evaluate(PLAYED) for page in silent] == [0, 0]
        await silent[1].click("#sound")
        await expect(silent[1].locator("h1")).to_have_text("Settings")


async def test_what_a_person_chooses_holds_at_once_and_for_himself_alone(floor: Upstairs) -> None:
    async with floor.table("s2") as table:
        page = await opened(floor, "second", "/settings")
        other = await opened(floor, "supervise", "/floor")
        await page.locator("#volume").fill("20")
        await expect(page.locator("#saved")).to_be_visible()
        await page.click("#sound-test")
        await expect(page.locator("html")).to_have_attribute("data-played", re.compile("[1-9]"))
        assert await page.evaluate("Math.max(...window.tones)") == pytest.approx(0.6 * 0.2)
        played = await page.evaluate(PLAYED)
        async with page.expect_response("**/api/me"):
            await page.uncheck("input[name=high]")
        await table.alarm("1", severity="high")
        await expect(other.locator("html")).to_have_attribute("data-played", "1")
        await expect(page.locator("#asking")).to_be_visible()
        assert await page.evaluate(PLAYED) == played
        await page.check("input[name=high]")
        async with page.expect_response("**/api/me"):
            await page.locator("#volume").fill("80")


async def test_a_graver_alert_is_heard_though_another_has_just_sounded(floor: Upstairs) -> None:
    async with floor.table("s3") as table:
        page = await opened(floor, "supervise", "/floor")
        await table.alarm("1", severity="high")
        await table.alarm("2", severity="critical")
        await expect(page.locator("html")).to_have_attribute("data-played", "2")
