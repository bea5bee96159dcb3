"""From a table's alert to a person's screen, and back with what he orders."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page, expect

from tests.web.scripted import ScriptedTable
from tests.web.test_pages import RULES, faults
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")


def row(page: Page, table: str):
    return page.locator("li.alert", has=page.locator(f"strong.table:text-is('{table}')"))


async def opened(
    floor: Upstairs, table: ScriptedTable, name: str, login: str = "supervise"
) -> Page:
    return await floor.page(login, f"/alerts/house/{table.name}/{name}")


async def ordered(table: ScriptedTable) -> dict:
    async with asyncio.timeout(30):
        return await table.orders.get()


async def test_an_alert_comes_to_the_wall_and_to_the_floor_by_itself(floor: Upstairs) -> None:
    async with floor.table("a1") as table:
        wall, page = await floor.page("wall", "/wall"), await floor.page("supervise", "/floor")
        tile = wall.locator("li.tile", has=wall.locator("h2:text-is('a1')"))
        await expect(tile).to_have_class("tile calm")
        await table.alarm()
        await expect(tile).to_contain_text("critical")
        await expect(tile).to_contain_text("nobody yet")
        await expect(wall.locator("#queue")).to_contain_text("a1")
        await row(page, "a1").locator("a").click()
        detail = page.locator("#detail")
        await expect(detail.locator("h2")).to_have_text(
            "Turn dealt before the betting was complete"
        )
        for words in (
            "Hold'em irregularities 4", "The floor decides. Play stops.",
            "Open: after the next call it is no misdeal any more", "Burn one card",
        ):  # fmt: skip
            await expect(detail).to_contain_text(words)
        assert page.url.endswith("/alerts/house/a1/a1:j:12:1:turn-premature:turn-1")
        assert page.errors == wall.errors == []


async def test_a_wall_is_told_nothing_but_table_and_severity(floor: Upstairs) -> None:
    async with floor.table("a2") as table:
        for login in ("wall", "supervise"):  # whoever is signed in: players read along
            wall = await floor.page(login, "/wall")
            await table.alarm(login)
            await expect(wall.locator("#tiles")).to_contain_text("critical")
            said = await wall.locator("body").inner_html()
            assert "Turn dealt" not in said
            assert "turn-premature" not in said
            assert "seat" not in (await wall.locator("main").inner_text())


async def test_the_remedy_ticks_itself_and_says_what_went_wrong(floor: Upstairs) -> None:
    async with floor.table("a3") as table:
        name = await table.alarm()
        page = await opened(floor, table, name)
        steps = page.locator(".steps li")
        await expect(steps.nth(0)).to_have_attribute("data-step", "due")
        await table.change(name, steps=("done", "due", "later", "later"))
        await expect(steps.nth(0)).to_have_attribute("data-step", "done")
        await expect(steps.nth(1)).to_contain_text("now")
        await table.change(name, steps=("done", "done", "wrong", "due"))
        await expect(steps.nth(2)).to_contain_text("done wrong")
        await table.alarm(
            "w", remedy_of=name, text={"en": {"title": "Burned", "ruling": "", "remedy": []}}
        )
        await expect(page.locator(".wrongs")).to_contain_text("Burned")
        await table.change(name, steps=("done", "done", "unseen", "void"))
        await expect(steps.nth(2)).to_contain_text("not seen here")
        await expect(page.locator(".uncertain")).to_contain_text("somebody must look")


async def test_one_touch_acknowledges_and_every_other_screen_says_who(floor: Upstairs) -> None:
    async with floor.table("a4") as table:
        name = await table.alarm()
        first, second = await opened(floor, table, name), await floor.page("second", "/floor")
        wall = await floor.page("wall", "/wall")
        await first.click("button[data-act=acknowledge]")
        order = await ordered(table)
        assert (order["command"], order["by"], order["revision"]) == ("acknowledge", "Supervise", 1)
        await expect(row(second, "a4")).to_contain_text("Supervise on the way")
        await expect(wall.locator("li.tile.known")).to_contain_text("on the way")
        await expect(first.locator("#told")).to_contain_text("the table has it")


async def test_an_act_is_told_to_all_at_once_and_can_be_undone_for_a_moment(
    own_floor: Upstairs,
) -> None:
    async with own_floor.table("a5") as table:
        name = await table.alarm()
        page = await opened(own_floor, table, name)
        other = await own_floor.page("second", "/floor")
        await page.click("button[data-act=acknowledge]")
        await expect(row(other, "a5")).to_contain_text("Supervise is taking it…")
        await page.click("#told [data-undo]")
        await expect(page.locator("#told")).to_contain_text("taken back")
        await expect(row(other, "a5")).not_to_contain_text("is taking it")
        await page.keyboard.press("a")
        await page.keyboard.press("u")  # sooner than the service can answer
        await expect(page.locator("#told")).to_contain_text("taken back")
        await asyncio.sleep(own_floor.undo_s + 0.5)  # that nothing is sent can only be waited for
        assert table.orders.empty()


async def test_a_touch_too_many_is_one_act_and_one_undo_takes_it_back(own_floor: Upstairs) -> None:
    async with own_floor.table("a11") as table:
        await table.alarm()
        page = await own_floor.page("supervise", "/floor")
        await row(page, "a11").locator("[data-quick]").dblclick()
        undo = row(page, "a11").locator("[data-undo]")
        await expect(undo).to_have_accessible_name("Undo, table a11")
        await expect(page.locator("#told [data-undo]")).to_have_count(1)
        await undo.click()
        await expect(page.locator("#told")).to_contain_text("taken back")
        await asyncio.sleep(own_floor.undo_s + 0.5)  # that nothing is sent can only be waited for
        assert table.orders.empty()


@pytest.mark.parametrize("own_floor", [30.0], indirect=True)
async def test_what_is_begun_is_neither_nobodys_nor_somebodys_yet(own_floor: Upstairs) -> None:
    async with own_floor.table("a13") as table:
        name = await table.alarm()
        page, other = [await opened(own_floor, table, name, who) for who in ("supervise", "second")]
        wall = await own_floor.page("wall", "/wall")
        tile = wall.locator("li.tile", has_text="a13")
        await page.click("button[data-act=acknowledge]")
        for screen in (page, other):
            await expect(screen.locator("#alerts .group h2")).to_have_text(["Being taken"])
            await expect(screen.locator(".detail-head")).to_contain_text("Supervise is taking it…")
            await expect(screen.locator(".detail-head")).not_to_contain_text("nobody yet")
        await expect(other.locator(".acts-bar .first")).to_be_disabled()
        await expect(other.locator("#detail [data-undo]")).to_have_count(0)
        await expect(tile).to_contain_text("being taken")
        await expect(tile).to_have_class("tile critical taking")
        for screen in (page, other, wall):
            assert await faults(screen, RULES) == {}
        await page.click("#detail [data-undo]")
        await expect(tile).to_contain_text("nobody yet")
        await expect(other.locator("#alerts .group h2")).to_have_text(["Nobody yet"])
        # Another screen of the same person takes it back as well, by hand or by key.
        own = await opened(own_floor, table, name)
        await page.click("button[data-act=acknowledge]")
        await expect(own.locator("#detail [data-undo]")).to_be_visible()
        await own.keyboard.press("u")
        await expect(tile).to_contain_text("nobody yet")
        await expect(page.locator("#told")).to_contain_text("taken back")


async def test_the_same_act_at_two_screens_is_one_order_and_the_second_is_told_who_does_it(
    own_floor: Upstairs,
) -> None:
    async with own_floor.table("a14") as table:
        name = await table.alarm()
        screens = [
            await opened(own_floor, table, name, login)
            for login in ("supervise", "supervise", "second")
        ]
        for screen in screens:
            await screen.click("button[data-act=close]")
            await expect(screen.locator("dialog button[value=upheld]")).to_be_visible()
        for screen in screens:
            await screen.click("dialog button[value=upheld]")
        for screen in screens[1:]:
            told = screen.locator(".told.refused")
            await expect(told).to_contain_text("Supervise is closing it… Nothing was sent twice.")
        assert (await ordered(table))["command"] == "close"
        await expect(screens[2].locator(".detail-head")).to_contain_text("closed by Supervise")
        assert table.orders.empty()


async def test_the_drawing_marks_no_card_that_took_the_place_of_the_wrong_one(
    floor: Upstairs,
) -> None:
    from tests.web.scripted import HAND  # noqa: PLC0415

    async with floor.table("a12") as table:
        board = [[card, "board"] for card in ("2s", "Ah", "Kd", "Td")]
        await table.say("hand", HAND | {"public": board})
        page = await opened(floor, table, await table.alarm())
        marked = page.locator("svg.drawing .card.marked")
        await expect(marked).to_contain_text("10")
        await table.say("hand", HAND | {"public": board[:3]})
        await expect(marked.locator(".slot")).to_have_count(1)
        await table.say("hand", HAND | {"public": [*board[:3], ["7c", "board"]]})
        await expect(page.locator("svg.drawing .card.black")).to_have_count(2)
        await expect(marked).to_have_count(0)


async def test_two_touches_rule_shelve_and_note(floor: Upstairs) -> None:
    async with floor.table("a6") as table:
        name = await table.alarm()
        page = await opened(floor, table, name)
        await page.click("button[data-act=note]")
        await page.click("dialog .chip >> nth=0")
        assert (await ordered(table))["text"] == "Have the cameras looked at"
        await expect(page.locator(".note")).to_contain_text("Have the cameras looked at")
        await page.click("button[data-act=shelve]")
        await page.click("dialog button[value='15']")
        order = await ordered(table)
        assert (order["minutes"], order["text"]) == (15, "Waiting for the end of the hand")
        await expect(page.locator(".detail-head")).to_contain_text("shelved by Supervise")
        await page.click("button[data-act=unshelve]")
        assert (await ordered(table))["command"] == "unshelve"
        await expect(page.locator("button[data-act=shelve]")).to_be_visible()
        await page.click("button[data-act=close]")
        await page.click("dialog button[value=none]")
        order = await ordered(table)
        assert (order["command"], order["verdict"]) == ("close", "none")
        await expect(page.locator(".detail-head")).to_contain_text("closed by Supervise")
        await expect(row(page, "a6")).to_have_count(0)


async def test_steps_that_tick_under_an_open_sheet_are_no_reason_to_refuse(
    floor: Upstairs,
) -> None:
    async with floor.table("a10") as table:
        name = await table.alarm()
        page = await opened(floor, table, name)
        await page.click("button[data-act=close]")
        await table.change(name, steps=("done", "due", "later", "later"))
        await expect(page.locator(".step.done")).to_have_count(1)
        await page.click("dialog button[value=other]")
        assert (await ordered(table))["revision"] == 2


async def test_what_the_table_refuses_is_said_in_words(floor: Upstairs) -> None:
    async with floor.table("a7") as table:
        name = await table.alarm()
        page = await opened(floor, table, name)
        table.refuses = "busy"
        await page.click("button[data-act=acknowledge]")
        told = page.locator(".told.refused")
        await expect(told).to_contain_text("a7: not acknowledged: too much at once")
        await told.locator("button").click()
        await expect(told).to_have_count(0)


async def test_an_act_without_a_broker_is_refused_for_that_and_not_for_the_tables_silence(
    own_floor: Upstairs,
) -> None:
    assert own_floor.app is not None
    async with own_floor.table("a15") as table:
        name = await table.alarm()
        page = await opened(own_floor, table, name)
        await expect(page.locator("[data-act=acknowledge]")).to_be_enabled()
        own_floor.app.room.link("down", ())
        await page.click("button[data-act=acknowledge]")
        await expect(page.locator(".told.refused")).to_contain_text(
            "the message broker cannot be reached, so that nothing goes to the tables"
        )


async def test_doubts_and_what_was_not_seen_are_named(floor: Upstairs) -> None:
    async with floor.table("a8") as table:
        name = await table.alarm(
            doubt={"instead": "acts-disagree"}, unconfirmed=True, seen=False, severity="medium",
            window={"kind": "any-action", "open": False},
        )  # fmt: skip
        page = await opened(floor, table, name)
        detail = page.locator("#detail")
        for words in (
            "somebody's word says that the betting was closed", "could not be confirmed",
            "A sensor was gone", "The dealer may put it right", "Shut: somebody has acted",
        ):  # fmt: skip
            await expect(detail).to_contain_text(words)


async def test_the_acts_since_the_fault_come_as_they_are_made(floor: Upstairs) -> None:
    from tests.web.scripted import HAND  # noqa: PLC0415

    async with floor.table("a9") as table:
        name = await table.alarm()
        page = await opened(floor, table, name)
        await expect(page.locator(".part.acts")).to_contain_text("None seen.")
        acts = [
            {"at_ms": 30_000, "seat": 1, "act": "bet"},
            {"at_ms": 34_600, "seat": 3, "act": "call"},
        ]
        await table.say("hand", HAND | {"acts": acts})
        await expect(page.locator("ol.acts li")).to_have_count(1)
        await expect(page.locator("ol.acts")).to_contain_text("seat 3")
        drawing = page.locator("svg.drawing")
        await expect(drawing.locator(".seat.marked")).to_have_count(2)
        assert "Board: 2s, Ah, and Kd." in (await drawing.get_attribute("aria-label"))
