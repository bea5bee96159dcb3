"""Every page as people use it: without barriers, in any width, in their language, by their role."""

from __future__ import annotations

import asyncio
import re

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from tests.floor.web.side import PASSWORD
from tests.web.upstairs import Upstairs, sign_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGES = {
    "/wall": "wall", "/floor": "supervise", "/alerts/house/p1/p1:j:12:1:turn-premature:turn-1":
    "supervise", "/tables": "supervise", "/tables/house/p1": "supervise", "/history": "supervise",
    "/report": "surveillance", "/settings": "supervise", "/people": "administer",
    "/audit": "administer", "/help": "supervise", "/password": "supervise", "/login": None,
    "/nowhere": "supervise",
}  # fmt: skip
SIZES = {"phone": (360, 740), "desk": (1280, 800), "wall": (3840, 2160)}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
WIDTH = "document.documentElement.scrollWidth"

SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shifts.push(entry.sources.map((s) => s.node?.outerHTML?.slice(0, 80)).join(" | "));
    }
  }).observe({ type: "layout-shift" });
}"""


async def settled(page: Page) -> None:
    """What a page asks for by itself has come, and what is live has been drawn."""
    await page.wait_for_load_state("load")
    if await page.locator("#clock").count():
        await expect(page.locator("#clock")).not_to_have_text("--:--:--")
    for place in ("#report", "#found"):
        if await page.locator(place).count():
            await expect(page.locator(place)).not_to_have_attribute("aria-busy", "true")


@pytest.fixture
def contrast() -> dict[str, list[str]]:
    """What a theme changes: colours, and nothing else."""
    return {"runOnly": ["color-contrast"]}


async def faults(page: Page, options: dict[str, list[str]]) -> dict[str, list[str]]:
    told = await Axe().run(page, options=options)
    return {
        fault["id"]: [node["html"][:160] for node in fault["nodes"]][:3]
        for fault in told.response["violations"]
    }


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_has_no_barrier_in_either_theme_and_fits_every_screen(
    floor: Upstairs, path: str, contrast: dict[str, list[str]]
) -> None:
    async with floor.table("p1") as table:
        await table.alarm(unconfirmed=True, steps=("done", "due", "wrong", "unseen"))
        await table.alarm("2", severity="medium", acknowledged={"by": "Nina", "at": None})
        page = await floor.page(PAGES[path], path, color_scheme="light")
        await settled(page)
        assert await faults(page, RULES) == {}
        await page.emulate_media(color_scheme="dark")
        assert await faults(page, contrast) == {}
        for width, height in SIZES.values():
            await page.set_viewport_size({"width": width, "height": height})
            assert await page.evaluate(WIDTH) <= width


async def test_a_table_that_is_silent_can_still_be_read(
    floor: Upstairs, contrast: dict[str, list[str]]
) -> None:
    async with floor.table("p11") as table:
        page = await floor.page("supervise", "/tables/house/p11", color_scheme="light")
        await table.live(state="offline")
        await expect(page.locator(".one-table.stale .hand dt").first).to_be_visible()
        assert await faults(page, contrast) == {}
        await page.emulate_media(color_scheme="dark")
        assert await faults(page, contrast) == {}


async def test_what_can_be_touched_is_large_enough(floor: Upstairs) -> None:
    async with floor.table("p2") as table:
        name = await table.alarm()
        path = f"/alerts/house/p2/{name}"
        page = await floor.page("supervise", path, viewport={"width": 360, "height": 740})
        await expect(page.locator("[data-act=acknowledge]")).to_be_visible()
        small = await page.eval_on_selector_all(
            "button, a.button, nav a, select, input",
            """(all) => all.map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
               .filter(([, box]) => box.width && (box.width < 44 || box.height < 34))
               .map(([text]) => text)""",
        )
        assert small == []


async def test_nothing_jumps_when_alerts_come_and_go(own_floor: Upstairs) -> None:
    async with own_floor.table("poker-p3") as table:
        for login, path in (("wall", "/wall"), ("supervise", "/floor")):
            page = await own_floor.page(login, path, reduced_motion="no-preference")
            await page.locator("text=poker-p3").first.wait_for()
            await settled(page)
            await page.evaluate(SHIFTS)
            names = [await table.alarm(f"{login}{n}", severity=s) for n, s in
                     enumerate(("medium", "high", "critical"))]  # fmt: skip
            await page.locator("li.critical:has-text('poker-p3'):not(.badge)").first.wait_for()
            await table.change(names[0], acknowledged={"by": "Nina", "at": None})
            for name in names:
                await table.change(name, state="closed")
            await expect(
                page.locator("li.critical:has-text('poker-p3'):not(.badge)")
            ).to_have_count(0)
            assert await page.evaluate("window.shifts") == []


async def test_each_person_reads_his_own_language_with_its_dates_and_numbers(
    floor: Upstairs,
) -> None:
    async with floor.table("p4") as table:
        name = await table.alarm()
        page = await floor.page("second", "/settings")
        await page.check("input[value=it]")
        await expect(page.locator("h1")).to_have_text("Impostazioni")
        await page.goto(f"/alerts/house/p4/{name}")
        detail = page.locator("#detail")
        await expect(detail.locator("h2")).to_have_text(
            "Turn dato prima che le puntate fossero complete"
        )
        await expect(detail).to_contain_text("Decide il floor. Il gioco si ferma.")
        await expect(detail.locator(".camera")).to_have_text(re.compile(r"\d\d:\d\d:\d\d,\d"))
        assert await page.get_attribute("html", "lang") == "it"
        other = await floor.page("supervise", f"/alerts/house/p4/{name}")
        await expect(other.locator("#detail h2")).to_contain_text("Turn dealt")
        await page.goto("/settings")
        await page.check("input[value=en]")
        await expect(page.locator("h1")).to_have_text("Settings")


async def test_the_theme_is_ones_own_and_stays(floor: Upstairs) -> None:
    page = await floor.page("second", "/settings", color_scheme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = await page.evaluate(ground)
    await page.check("input[value=dark]")
    await expect(page.locator("#saved")).to_be_visible()
    dark = await page.evaluate(ground)
    assert light != dark
    await page.goto("/history")
    assert await page.evaluate(ground) == dark
    await page.emulate_media(media="print")
    ink = "getComputedStyle(document.querySelector('h1')).color"
    assert (await page.evaluate(ground), await page.evaluate(ink)) == (
        "rgb(255, 255, 255)", "rgb(0, 0, 0)",
    )  # fmt: skip
    await page.emulate_media(media="screen", color_scheme="dark")
    await page.goto("/settings")
    await page.check("input[value=light]")
    await expect(page.locator("#saved")).to_be_visible()
    assert await page.evaluate(ground) == light
    await page.check("input[value=auto]")
    await expect(page.locator("html")).to_have_css("background-color", dark)


async def test_each_role_sees_its_own_pages_and_alerts(floor: Upstairs) -> None:
    async with floor.table("p5") as table:
        await table.alarm("floor")
        await table.alarm("sensor", audience="maintenance", severity="high", subject="table")
        await table.alarm("watch", audience="surveillance", severity="high")
        rows = "li.alert:has(strong.table:text-is('p5'))"
        for login, alerts, acts in (
            ("supervise", 1, True), ("maintain", 1, True), ("administer", 2, True),
            ("surveillance", 3, False),
        ):  # fmt: skip
            page = await floor.page(login, "/floor")
            await expect(page.locator(rows)).to_have_count(alerts)
            await page.locator(f"{rows} a").first.click()
            await expect(page.locator("[data-act=acknowledge]")).to_have_count(int(acts))
        await page.goto("/people")
        await expect(page.locator("h1")).to_have_text("That is not for your role.")
        wall = await floor.page("wall", "/")
        assert wall.url.endswith("/wall")
        await expect(wall.locator("nav a")).to_have_text(["Wall", "Help"])


async def test_hostile_text_stays_text(floor: Upstairs) -> None:
    evil = '<img src=x onerror="window.bad=1"><script>window.bad=1</script>'
    name = "p6<b>"
    text = {"en": {"title": evil, "ruling": evil * 40, "remedy": [evil] * 4}}
    async with floor.table(name) as table:
        await table.alarm(
            text=text, cite=evil, rulebook=evil, subject=evil, hand="12", doubt={"instead": evil},
            note={"by": evil, "at": evil, "text": evil}, seats=[3, 99, "x"], cards=["<b>", "Td"],
            acknowledged={"by": evil, "at": evil},
        )  # fmt: skip
        await table.live(troubles=[evil], rulebook=evil)
        wall = await floor.page("wall", "/wall")
        await expect(wall.locator("li.tile h2", has_text=name)).to_be_visible()
        page = await floor.page("supervise", "/floor")
        await page.locator("li.alert a", has_text="p6").click()
        await expect(page.locator("#detail h2")).to_have_text(evil)
        tables = await floor.page("supervise", "/tables")
        await tables.locator("a", has_text="p6").click()
        await expect(tables.locator(".troubles")).to_contain_text("<script>")
        past = await floor.page("supervise", "/history?table=p6<b>")
        await expect(past.locator("#found")).to_contain_text("onerror")
        for one in (wall, page, tables, past):
            assert await one.evaluate("window.bad") is None
            assert await one.locator("main :is(img, script, b)").count() == 0
            assert one.errors == []


async def test_the_keyboard_alone_suffices(floor: Upstairs) -> None:
    async with floor.table("p7") as table:
        name = await table.alarm()
        page = await floor.page("supervise", "/floor")
        await page.locator(f"[data-key='house/p7/{name}']").wait_for()
        await page.keyboard.press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#main")).to_be_focused()
        while not page.url.endswith(name):
            await page.keyboard.press("j")
        await expect(page.locator("#detail-title")).to_be_focused()
        await page.keyboard.press("n")
        await expect(page.locator("dialog")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog")).to_have_count(0)
        await page.keyboard.press("a")
        async with asyncio.timeout(30):
            assert (await table.orders.get())["command"] == "acknowledge"
        # A ruling on what he saw before somebody was on the way would be refused.
        await expect(page.locator(".detail-head")).to_contain_text("Supervise on the way")
        await page.keyboard.press("c")
        await expect(page.locator("dialog h2")).to_contain_text("ruling")
        for _ in range(10):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.value") == "upheld":
                break
        await page.keyboard.press("Enter")
        async with asyncio.timeout(30):
            assert (await table.orders.get())["verdict"] == "upheld"
        await page.keyboard.press("Escape")
        await expect(page).to_have_url(re.compile("/floor$"))
        await page.keyboard.press("?")
        await expect(page.locator("h1")).to_have_text("Help")


async def test_single_keys_can_be_switched_off(floor: Upstairs) -> None:
    page = await floor.page("supervise", "/settings")
    await page.uncheck("#shortcuts")
    await page.goto("/floor")
    await page.keyboard.press("?")
    await page.keyboard.press("2")
    assert page.url.endswith("/floor")


async def test_an_administrator_lets_somebody_in_who_must_choose_a_password(
    floor: Upstairs,
) -> None:
    page = await floor.page("administer", "/people")
    await page.fill("#name", "Nina Neri")
    await page.fill("#login", "nina")
    await page.select_option("#role", "supervise")
    await page.click("#add button[type=submit]")
    password = await page.locator("#made code").inner_text()
    guest = await floor.page(None, "/login")
    await guest.fill("#login", "nina")
    await guest.fill("#password", "wrong")
    await guest.click("button[type=submit]")
    await expect(guest.locator(".mistake")).to_contain_text("wrong")
    await guest.fill("#login", "nina")
    await guest.fill("#password", password)
    await guest.click("button[type=submit]")
    await expect(guest.locator("h1")).to_have_text("Password")
    await guest.fill("#old", password)
    await guest.fill("#new", f"{PASSWORD} of Nina")
    await guest.fill("#again", f"{PASSWORD} of Nina")
    await guest.click("button[type=submit]")
    await guest.goto("/floor")
    await expect(guest.locator(".me")).to_contain_text("Nina Neri")
    row = page.locator("tr[data-key=nina]")
    await row.locator("[data-disable]").click()
    await expect(row).to_contain_text("may not")
    await expect(guest).to_have_url(re.compile("/login"))  # her session has ended with it
    audit = await floor.page("administer", "/audit")
    await expect(audit.locator("#found")).to_contain_text("added a person")


async def test_the_history_is_asked_and_the_report_made_into_files(floor: Upstairs) -> None:
    async with floor.table("p8") as table:
        signed = {"by": "Supervise", "at": "2026-01-01T10:00:00.000Z"}
        name = await table.alarm()
        await table.change(name, acknowledged=signed)
        await table.change(name, state="closed", verdict="none", closed=signed)
        page = await floor.page("supervise", "/history")
        await page.fill("#table", "p8")
        await page.select_option("#severity", "critical")
        await page.click("#ask button[type=submit]")
        await expect(page.locator("#found tr")).to_have_count(1)
        await expect(page.locator("#found")).to_contain_text("No irregularity")
        assert "table=p8" in page.url
        report = await floor.page("surveillance", "/report")
        await expect(report.locator(".figures-row")).to_contain_text("Alerts")
        await expect(report.locator("svg.chart")).to_have_count(5)
        await expect(report.locator("#report")).to_contain_text("Supervisors")
        for form in ("csv", "pdf"):
            async with report.expect_download() as fetched:
                await report.click(f"[data-format={form}]")
            assert (await fetched.value).suggested_filename.endswith(form)
        assert report.errors == page.errors == []


async def test_whoever_looks_after_sensors_sees_no_hand(floor: Upstairs) -> None:
    async with floor.table("p9") as table:
        name = await table.alarm(
            "s", audience="maintenance", severity="high", subject="table", hand="-", seats=[]
        )
        page = await floor.page("maintain", f"/alerts/house/p9/{name}")
        await expect(page.locator("#detail h2")).to_be_visible()
        await expect(page.locator("svg.drawing")).to_have_count(0)
        await page.goto("/tables/house/p9")
        await expect(page.locator(".part.sensors")).to_contain_text("ghosts 1")
        await expect(page.locator(".part.hand")).to_have_count(0)
        assert page.errors == []


async def test_signing_in_needs_no_javascript(floor: Upstairs) -> None:
    context = await floor.context(None, java_script_enabled=False)
    page = await context.new_page()
    await page.goto("/login?lang=it")
    await expect(page.locator("button")).to_have_text("Accedi")
    await sign_in(page, "maintain")
    await expect(page.locator(".mistake")).to_contain_text("JavaScript")


async def test_one_who_leaves_is_out(floor: Upstairs) -> None:
    context = await floor.browser.new_context(base_url=floor.address)
    page = await context.new_page()
    await sign_in(page, "maintain")
    await page.goto("/settings")
    await page.click("form[action='/logout'] button")
    await page.wait_for_url("**/login*")
    await page.goto("/floor")
    await expect(page).to_have_url(re.compile("/login"))
    await context.close()
