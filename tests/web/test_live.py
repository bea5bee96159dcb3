"""What a screen does when something is not heard: it says so, and comes back by itself."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.web.scripted import at_broker
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOST = "html.lost"


async def test_a_broker_that_is_gone_is_named_until_tables_are_heard_again(
    own_floor: Upstairs,
) -> None:
    page = await own_floor.page("supervise", "/floor")
    await expect(page.locator("#quiet")).to_contain_text("No alert stands.")
    keeper = await own_floor.page("maintain", "/floor")
    own_floor.broker.stop()
    words = r"The message broker cannot be reached \(since [\d:]+\); the screens show what was last"
    await expect(page.locator("#notice")).to_have_text(re.compile(words + r" heard\."))
    await expect(keeper.locator("#notice")).to_contain_text("Connection refused")
    own_floor.broker.start()
    await expect(page.locator("#notice")).to_be_hidden()
    async with own_floor.table("b2") as table:
        await table.alarm()
        await expect(page.locator("li.alert", has_text="b2")).to_have_count(1)


async def test_after_a_restart_nothing_is_told_as_younger_than_it_is(own_floor: Upstairs) -> None:
    """The table says nothing any more: what stands at the broker is all that is known of it."""
    async with at_broker(own_floor.broker.port, "b9", beats=False) as table:
        await table.live(at="2026-11-30T13:59:00Z")
        name = await table.alarm(at="2026-11-30T13:58:00.000Z")
        await own_floor.heard(table)
        await own_floor.stop()
        own_floor.stale_s = 11.0
        await own_floor.start()
        page = await own_floor.page("supervise", "/tables/house/b9")
        how = page.locator(".how-it-is")
        await expect(how).to_contain_text("not heard since the screens' start at")
        await expect(how).to_contain_text("13:59:00")
        await expect(page.locator(".figures")).to_contain_text("by its own clock")
        await page.goto(f"/alerts/house/b9/{name}")
        await expect(page.locator(".facts")).to_contain_text("before ")
        await expect(page.locator(".uncertain")).to_contain_text("13:59:00")
        wall = await own_floor.page("wall", "/wall")
        await expect(wall.locator(".tile", has_text="b9")).to_contain_text("not heard since ")
        await table.live(state="offline")
        await own_floor.stop()
        await own_floor.start()
        await expect(wall.locator(".tile", has_text="b9")).to_contain_text("off, since before")


async def test_a_service_that_is_gone_greys_the_page_and_is_back_after_its_start(
    own_floor: Upstairs,
) -> None:
    async with own_floor.table("b3") as table:
        wall = await own_floor.page("wall", "/wall")
        await table.alarm()
        await expect(wall.locator(".tile.critical")).to_have_count(1)
        await wall.click("#sound-bar")
        await expect(wall.locator("html")).to_have_attribute("data-sound", "on")
        await table.alarm("2", severity="high")
        await expect(wall.locator("html")).to_have_attribute("data-played", "1")
        await own_floor.stop()
        await expect(wall.locator(LOST)).to_have_count(1)
        await expect(wall.locator("#notice")).to_contain_text("Nothing heard since")
        await own_floor.start()
        await expect(wall.locator(LOST)).to_have_count(0)
        await expect(wall.locator("#notice")).to_be_hidden()
        await expect(wall.locator(".tile.critical")).to_have_count(1)
        await table.alarm("3")
        # What stood before is not told once more: this is the second sound, not the fourth.
        await expect(wall.locator("html")).to_have_attribute("data-played", "2")


async def test_a_silent_connection_is_given_up_and_made_anew(floor: Upstairs) -> None:
    context = await floor.context("supervise")
    page = await context.new_page()
    streams = []
    page.on("request", lambda request: "/live" in request.url and streams.append(request.url))
    # A socket that stays open and says nothing: what a sleeping network leaves behind.
    await page.add_init_script(
        """window.EventSource = class extends EventSource {
             addEventListener(kind, take) {
               super.addEventListener(kind, (event) => window.deaf || take(event));
             }
           };"""
    )
    await page.goto("/floor")
    await expect(page.locator("#clock")).not_to_have_text("--:--:--")
    before = len(streams)
    await page.evaluate("window.deaf = true")
    await expect(page.locator(LOST)).to_have_count(1)
    await page.evaluate("window.deaf = false")
    await expect(page.locator(LOST)).to_have_count(0)
    assert len(streams) > before


async def test_a_tablet_that_wakes_asks_at_once(floor: Upstairs) -> None:
    page = await (await floor.context("supervise")).new_page()
    await page.clock.install()
    await page.goto("/floor")
    await expect(page.locator("#clock")).not_to_have_text("--:--:--")
    async with page.expect_request("**/live**"):
        await page.evaluate(
            """() => { const real = performance.now.bind(performance);
                 performance.now = () => real() + 3_600_000;
                 document.dispatchEvent(new Event("visibilitychange")); }"""
        )


async def test_a_clock_that_is_off_does_not_make_alerts_older(floor: Upstairs) -> None:
    async with floor.table("b4") as table:
        name = await table.alarm()
        page = await (await floor.context("supervise")).new_page()
        await page.add_init_script("const real = Date.now; Date.now = () => real() + 7_200_000;")
        await page.goto(f"/alerts/house/b4/{name}")
        ago = page.locator("#detail .when .span")
        # Its age is by the clock of the service: of this one it would be two hours.
        await expect(ago).to_have_text(re.compile(r"^\d\d? s$"))


async def test_a_table_that_goes_says_since_when(floor: Upstairs) -> None:
    async with floor.table("b5") as table:
        wall = await floor.page("wall", "/wall")
        tile = wall.locator("li.tile", has=wall.locator("h2:text-is('b5')"))
        await expect(tile).to_have_class("tile calm")
        await table.live(state="offline")
        await expect(tile).to_have_class("tile calm stale")
        await expect(tile).to_contain_text("off since")
        await table.live()
        await expect(tile).to_have_class("tile calm")


async def test_sound_is_asked_for_and_armed_and_heard_once_for_each_alert(
    floor: Upstairs,
) -> None:
    played = "Number(document.documentElement.dataset.played ?? 0)"
    async with floor.table("b6") as table:
        await table.alarm("old")
        page = await floor.page("supervise", "/floor")
        bar = page.locator("#sound-bar")
        await expect(bar).to_contain_text("Sound is off: press to hear alarms")
        await bar.click()
        await expect(bar).to_be_hidden()
        await expect(page.locator("#sound")).to_contain_text("Sound on")
        assert await page.evaluate(played) == 0  # what stood before is old
        name = await table.alarm("new")
        await expect(page.locator("html")).to_have_attribute("data-played", "1")
        await table.change(name, steps=("done", "due", "later", "later"))
        await table.alarm("low", severity="low")
        await expect(page.locator("li.alert", has_text="b6")).to_have_count(3)
        assert await page.evaluate(played) == 1
        await page.wait_for_timeout(1600)  # several of one moment sound once
        await table.change(name, level=2)
        await expect(page.locator("html")).to_have_attribute("data-played", "2")
        await page.click("#sound")
        await expect(page.locator("#sound")).to_contain_text("Sound off")
        await page.reload()
        await expect(page.locator("#sound")).to_contain_text("Sound off")


async def test_the_first_touch_goes_where_it_was_meant_though_the_bar_leaves(
    floor: Upstairs,
) -> None:
    async with floor.table("b8") as table:
        await table.alarm()
        page = await floor.page("supervise", "/floor")
        await expect(page.locator("#sound-bar")).to_be_visible()
        await page.locator("li.alert", has_text="b8").locator("a").click()
        await expect(page.locator("#detail .where .table")).to_have_text("b8")
        await expect(page.locator("#sound-bar")).to_be_hidden()


async def test_alarms_are_heard_and_counted_on_every_page(floor: Upstairs) -> None:
    async with floor.table("b7") as table:
        for path in ("/history", "/tables", "/help"):
            page = await floor.page("supervise", path)
            await expect(page.locator("#clock")).not_to_have_text("--:--:--")
            await page.mouse.click(5, 5)  # a browser wants a touch first
            await expect(page.locator("#sound")).to_contain_text("Sound on")
            name = await table.alarm(path[1:])
            await expect(page.locator("html")).to_have_attribute("data-played", "1")
            await expect(page.locator("#asking")).to_contain_text("ask")
            await table.change(name, state="closed")
            assert page.errors == []


async def test_every_screen_answers_the_test_alert_unseen(floor: Upstairs) -> None:
    page = await floor.page("supervise", "/floor")
    async with page.expect_response("**/api/chain") as asked:
        await page.locator("#pulse").wait_for()
    assert (await asked.value).ok
    await expect(page.locator("#alerts")).not_to_contain_text("chain")


async def test_a_screen_without_a_test_alert_says_so(floor: Upstairs) -> None:
    page = await (await floor.context("supervise")).new_page()
    await page.add_init_script(
        """window.EventSource = class extends EventSource {
             addEventListener(kind, take) {
               if (kind !== "chain") super.addEventListener(kind, take);
             }
           };
           const real = performance.now.bind(performance), start = real();
           performance.now = () => real() + (real() - start) * 60;"""
    )
    await page.goto("/floor")
    await expect(page.locator("#notice")).to_contain_text("No test alert reached this screen")
