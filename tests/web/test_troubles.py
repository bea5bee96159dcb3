"""What is wrong with the service is read in words by whoever can do something about it."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from daemon.floor.troubles import trouble
from tests.web.test_pages import RULES, WIDTH
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVIL = "<img src=x onerror=window.bad=1>"
WRONG = (
    trouble("certificate-ends", "ends", whose="broker", on="2026-12-09T10:00:00+00:00"),
    trouble("own-words", "own words do not come back"),
    trouble("", EVIL),
)
UNWRITTEN = trouble(
    "history-unwritten", "not written", "no space left", since="2026-12-01T20:14:05+00:00"
)
OURS = ("(no space left)", f"The service says: {EVIL}.")
ENGLISH = (
    "The broker's certificate ends on ", "its access rules are to be looked at",
    "The history has not been written since ",
)  # fmt: skip
ITALIAN = (
    "Il certificato del broker scade ", "le sue regole d'accesso sono da guardare",
    "Lo storico non si scrive dalle ", "Una questione tecnica: chi cura il servizio",
)  # fmt: skip


async def test_what_troubles_the_service_is_told_while_the_link_is_up_but_to_a_wall(
    own_floor: Upstairs,
) -> None:
    assert own_floor.app is not None
    own_floor.app.room._troubles = lambda: [UNWRITTEN]
    own_floor.app.room.link("up", WRONG)
    for login, path in (
        ("supervise", "/floor"), ("maintain", "/tables"), ("surveillance", "/history"),
        ("administer", "/people"),
    ):  # fmt: skip
        page = await own_floor.page(login, path)
        for words in ENGLISH:
            await expect(page.locator("#notice")).to_contain_text(words)
        looks_after_it = login in ("maintain", "administer")
        said = await page.locator("#notice").inner_text()
        assert [words in said for words in OURS] == [looks_after_it] * len(OURS)
        assert ("whoever looks after the service reads it" in said) is not looks_after_it
        assert await page.locator("#notice img").count() == 0
        assert page.errors == []
    for login in ("wall", "supervise"):
        wall = await own_floor.page(login, "/wall")
        await expect(wall.locator("#notice")).to_have_text(
            "A technical matter for the staff: the floor's screens say what."
        )
        said = await wall.locator("body").inner_text()
        assert "certificate" not in said
        assert "history has not" not in said
    page = await own_floor.page(
        "second", "/settings", viewport={"width": 360, "height": 740}, color_scheme="light"
    )
    await page.check("input[value=it]")
    await expect(page.locator("html")).to_have_attribute("lang", "it")
    for words in ITALIAN:
        await expect(page.locator("#notice")).to_contain_text(words)
    assert await page.locator("#notice img").count() == 0
    assert await page.evaluate(WIDTH) <= 360
    told = await Axe().run(page, options=RULES)
    assert [fault["id"] for fault in told.response["violations"]] == []
    own_floor.app.room._troubles = list
    own_floor.app.room.link("up", ())
    for one in (page, wall):
        await expect(one.locator("#notice")).to_be_hidden()
