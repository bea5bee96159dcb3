"""What is over can be looked at: an alert of the past, and the history that leads to it."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Page, expect

from tests.web.scripted import ScriptedTable
from tests.web.test_pages import RULES, WIDTH, contrast, faults  # noqa: F401 - a fixture
from tests.web.upstairs import SOON_MS, Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIGNED = {"by": "Nina Neri", "at": "2026-01-01T10:00:00.000Z"}
EVIL = '<img src=x onerror="window.bad=1"><script>window.bad=1</script>'


async def over(table: ScriptedTable, number: str = "1", **more: object) -> str:
    """An alert that was raised, raised again, put right in part, and closed; its id."""
    name = await table.alarm(number, **more)
    await table.change(name, level=2, superseded_by="7:graver#1")
    await table.change(name, acknowledged=SIGNED)
    await table.change(
        name, steps=("done", "wrong", "due", "later"), late=True,
        window={"kind": "substantial-action", "open": False},
    )  # fmt: skip
    await table.change(name, late=False, note=SIGNED | {"text": "cameras looked at"})
    await table.change(name, state="closed", verdict="none", closed=SIGNED)
    return name


async def looked_up(floor: Upstairs, table: str, name: str, login: str = "supervise") -> Page:
    """The history of a table, once its alert has come to be there."""
    page = await floor.page(login, f"/history?table={table}")
    link = page.locator(f"#found a[href*='{name.rsplit(':', maxsplit=1)[-1]}']")
    async with asyncio.timeout(SOON_MS / 1000):
        while not await link.count():
            await page.locator("#ask button[type=submit]").click()
            await expect(page.locator("#found")).not_to_have_attribute("aria-busy", "true")
    return page


async def remembered(page: Page, key: str, count: int) -> None:
    """Until so many lines of an alert have come to be in the history."""
    async with asyncio.timeout(SOON_MS / 1000):
        while True:
            answer = await page.request.get("/api/past", params={"key": key})
            if answer.ok:
                past = await answer.json()
                if past["written"] and len(past["lines"]) >= count:
                    return


async def test_the_history_leads_to_an_alert_that_is_over_and_to_all_its_lines(
    floor: Upstairs,
) -> None:
    async with floor.table("h1") as table:
        name = await over(table)
        page = await looked_up(floor, "h1", name)
        link = page.locator("#found a")
        await link.focus()
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile("/alerts/house/h1/"))
        detail = page.locator("#detail")
        await expect(detail).to_have_class("detail critical past")
        await expect(page.locator(".past-mark")).to_contain_text("It stands no more")
        await expect(detail.locator("h2")).to_contain_text("Turn dealt")
        await expect(detail).to_contain_text("closed by Nina Neri")
        lines = page.locator(".timeline ol > li")
        await expect(lines).to_have_count(6)
        for number, words in enumerate((
            "State: open", "raised 2 times", "Nina Neri is on the way",
            "Finish the betting round: done wrong", "Nina Neri noted: cameras looked at",
            "Ruling: No irregularity",
        )):  # fmt: skip
            await expect(lines.nth(number)).to_contain_text(words)
        graver = lines.nth(1).get_by_role("link", name="A graver alert says it all")
        await expect(graver).to_have_attribute("href", "/alerts/house/h1/7:graver%231")
        await expect(lines.nth(3)).to_contain_text("Shut: there was substantial action")
        await expect(page.locator(".timeline .late")).to_have_count(1)
        await expect(lines.nth(0).locator("time")).to_have_text(re.compile(r"\d\d:\d\d:\d\d\.\d"))
        await expect(page.locator("[data-act]")).to_have_count(0)
        for key in "acsn":
            await page.keyboard.press(key)
        await expect(page.locator("dialog")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page).to_have_url(re.compile("/floor$"))
        assert table.orders.empty()
        assert page.errors == []


async def test_the_past_has_no_barrier_and_fits_a_phone_in_every_language(
    floor: Upstairs,
    contrast: dict[str, list[str]],  # noqa: F811 - the fixture
) -> None:
    async with floor.table("h2") as table:
        name = await over(table)
        await looked_up(floor, "h2", name)
        page = await floor.page("second", "/settings", viewport={"width": 360, "height": 740})
        for language, words in (("it", "Dallo storico."), ("en", "From the history.")):
            await page.goto("/settings")
            await page.check(f"input[value={language}]")
            await expect(page.locator("html")).to_have_attribute("lang", language)
            await page.goto(f"/alerts/house/h2/{name}")
            await expect(page.locator(".past-mark")).to_contain_text(words)
            await expect(page.locator(".timeline ol > li")).to_have_count(6)
            assert await page.evaluate(WIDTH) <= 360
            assert await faults(page, RULES) == {}
            await page.emulate_media(color_scheme="dark")
            assert await faults(page, contrast) == {}
            await page.emulate_media(color_scheme="light")


async def test_hostile_text_of_the_past_stays_text(floor: Upstairs) -> None:
    async with floor.table("h3<b>") as table:
        evil = {"by": EVIL, "at": EVIL, "text": EVIL}
        name = await over(
            table, subject=EVIL, cite=EVIL,
            text={"en": {"title": EVIL, "ruling": EVIL, "remedy": [EVIL] * 4}},
        )  # fmt: skip
        await table.change(name, note=evil, closed=evil, verdict=EVIL, severity=EVIL)
        page = await floor.page("surveillance", "/floor")
        await remembered(page, f"house/h3<b>/{name}", 7)
        await page.goto(f"/alerts/house/h3%3Cb%3E/{name}")
        await expect(page.locator(".timeline")).to_contain_text("onerror")
        await expect(page.locator(".timeline ol > li")).to_have_count(7)
        assert await page.evaluate("window.bad") is None
        assert await page.locator("#detail :is(img, script, b)").count() == 0
        assert page.errors == []


async def test_a_role_reads_of_the_past_only_what_was_for_it(floor: Upstairs) -> None:
    async with floor.table("h4") as table:
        name = await table.alarm()
        await table.change(name, audience="surveillance", note=SIGNED | {"text": "watch him"})
        await table.say(f"alerts/floor/{name}", None)
        await table.change(name, state="closed", verdict="upheld", closed=SIGNED)
        for login, count in (("surveillance", 3), ("supervise", 1)):
            page = await looked_up(floor, "h4", name, login)
            await page.locator("#found a").click()
            lines = page.locator(".timeline ol > li")
            await expect(lines).to_have_count(count)
            said = await page.locator("#detail").inner_text()
            assert ("watch him" in said) == (login == "surveillance")


async def test_an_alert_that_nobody_ever_told_of_is_not_there(floor: Upstairs) -> None:
    page = await floor.page("supervise", "/alerts/house/h5/never")
    await expect(page.locator("#detail")).to_contain_text("This alert stands no more.")
    await expect(page.locator(".timeline")).to_have_count(0)


async def test_the_history_is_asked_by_ruling(floor: Upstairs) -> None:
    async with floor.table("h6") as table:
        name = await over(table)
        await over(table, "2")
        page = await looked_up(floor, "h6", name)
        for ruling, count in (("upheld", 0), ("none", 2)):
            await page.select_option("#verdict", ruling)
            await page.click("#ask button[type=submit]")
            await expect(page.locator("#found tr")).to_have_count(count)
            assert f"verdict={ruling}" in page.url
        assert page.errors == []


TITLE = "Turn dealt before the betting was complete"


async def test_tables_and_irregularities_are_offered_and_parts_of_their_names_suffice(
    floor: Upstairs,
) -> None:
    async with floor.table("h7") as table:
        await looked_up(floor, "h7", await over(table))
        page = await floor.page("supervise", "/history")
        offered = page.locator(f"#irregularities option[value='{TITLE}']")
        await expect(offered).to_have_attribute("label", "turn-premature")
        await expect(page.locator("#tables option[value=h7]")).to_have_count(1)
        await page.fill("#irregularity", "before the BETTING")
        await page.fill("#table", "h7")
        await page.keyboard.press("Enter")
        await expect(page.locator("#found tr")).to_have_count(1)
        await page.fill("#table", "of nowhere")
        await page.keyboard.press("Enter")
        table_field = page.locator("#table")
        await expect(table_field).to_have_attribute("aria-invalid", "true")
        await expect(table_field).to_have_accessible_description(
            re.compile("Table: nothing is known of “of nowhere”. Known: ")
        )
        await expect(page.locator(".field:has(#table) .wrong")).to_be_visible()
        await expect(page.locator("#found tr")).to_have_count(0)
        await page.fill("#table", "h7")
        await page.keyboard.press("Enter")
        await expect(page.locator("#found tr")).to_have_count(1)
        await expect(page.locator(".field .wrong")).to_have_count(0)
        await expect(page.locator("[aria-invalid]")).to_have_count(0)


async def test_a_time_in_the_address_that_is_none_is_told_and_not_dropped(floor: Upstairs) -> None:
    for path in ("/history", "/report"):
        page = await floor.page("supervise", f"{path}?from=garbage")
        wrong = page.locator(".field:has(#from) .wrong")
        await expect(wrong).to_contain_text("“garbage” is no moment")
        await expect(page.locator("#from")).to_have_attribute("aria-invalid", "true")
        assert await faults(page, RULES) == {}
        await page.click("#ask button[type=submit]")
        await expect(wrong).to_have_count(0)
        await page.fill("#from", "2026-12-02T10:00")
        await page.fill("#to", "2026-12-01T10:00")
        await page.click("#ask button[type=submit]")
        await expect(wrong).to_contain_text("before the end")
        await expect(page.locator("#refused")).to_be_empty()


async def test_a_figure_of_the_report_leads_to_its_alerts(floor: Upstairs) -> None:
    async with floor.table("h8") as table:
        await looked_up(floor, "h8", await over(table))
        page = await floor.page("supervise", "/report?table=h8", timezone_id="America/New_York")
        await page.locator("#report .rows a", has_text=TITLE).click()
        await expect(page).to_have_url(re.compile("/history.*irregularity=turn-premature"))
        await expect(page.locator("#found tr")).to_have_count(1)
        await expect(page.locator("#from")).to_have_value(re.compile(r"^20\d\d-"))
        await page.click("#ask button[type=submit]")  # the same once more, out of the fields
        await expect(page.locator("#found tr")).to_have_count(1)
        await page.go_back()
        await page.locator(".figures-row a").first.click()
        await expect(page.locator("#found tr")).to_have_count(1)
        assert page.errors == []
