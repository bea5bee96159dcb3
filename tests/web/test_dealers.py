"""Who dealt: a field for those whom the house lets ask, and nothing of it for anybody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.conftest import Broker, free_port
from tests.web.test_past import looked_up
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

STAFF = """
[staff]
dealer_identity = "pseudonym"
legal_basis = "agreed with the works council"
"""


async def test_who_administers_asks_by_dealer_where_the_house_allows_it(
    browser: Browser, broker: Broker, tmp_path: Path
) -> None:
    floor = Upstairs(tmp_path, broker, browser, free_port(), more=STAFF)
    await floor.start()
    try:
        async with floor.table("d1") as table:
            for number, dealer in (("1", "d-7"), ("2", "d-8"), ("3", "d-8")):
                name = await table.alarm(number, dealer=dealer)
            page = await looked_up(floor, "d1", name, "administer")
            found = page.locator("#found tr")
            for dealer, count in (("d-7", 1), ("d-8", 2), ("d-9", 0)):
                await page.fill("#dealer", dealer)
                await page.click("#ask button[type=submit]")
                await expect(found).to_have_count(count)
            assert "dealer=d-9" in page.url
            await page.fill("#dealer", "")
            await page.click("#ask button[type=submit]")
            await expect(found).to_have_count(3)
            await expect(page.locator("#found")).to_contain_text("d-7")
            for login in ("supervise", "surveillance", "maintain"):
                other = await floor.page(login, "/history?table=d1")
                await expect(other.locator("#table")).to_have_value("d1")
                await expect(other.locator("#dealer")).to_have_count(0)
                await expect(other.locator("thead")).not_to_contain_text("Dealer")
                assert "d-7" not in await other.locator("main").inner_text()
    finally:
        await floor.leave()
        await floor.stop()


async def test_nobody_is_offered_it_where_the_house_does_not_allow_it(floor: Upstairs) -> None:
    page = await floor.page("administer", "/history")
    await expect(page.locator("#verdict")).to_be_visible()
    await expect(page.locator("#dealer")).to_have_count(0)
