"""A simulated table, its real daemon, a broker, the floor's service and a browser: all at once."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from playwright.async_api import expect

from daemon.demo.evening import evening
from daemon.demo.live import LiveTable
from daemon.demo.mischief import incident
from daemon.demo.outcome import RIGHT
from daemon.table.events import DealingEvent
from tests.hil.line import watched
from tests.web.upstairs import Upstairs

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEATS = 4
SPEED = 60


def premature_turn(rng: random.Random) -> list[DealingEvent]:
    """A hand with a premature turn, put right as the book says."""
    for deal in evening(rng, SEATS):
        happened = incident("turn-premature", RIGHT, deal, rng)
        if happened is not None:
            return happened.events
    raise AssertionError("an evening ends")


async def test_what_a_dealer_does_wrong_and_puts_right_is_followed_on_the_screen(
    floor: Upstairs, tmp_path: Path
) -> None:
    rng = random.Random(7)
    table = LiveTable("live-1", tmp_path, floor.broker.url, rng, SEATS)
    page = await floor.page("supervise", "/floor")
    async with watched(table):
        dealing = asyncio.create_task(table.perform(table.stage(SPEED).play(premature_turn(rng))))
        row = page.locator("li.alert", has_text="live-1").first
        await row.locator("a").click()
        detail = page.locator("#detail")
        await expect(detail.locator("h2")).to_have_text(
            "Turn dealt before the betting was complete"
        )
        await expect(detail.locator(".detail-head")).to_contain_text("put right")
        dealing.cancel()  # what is left of the hand is of no interest
        await asyncio.wait({dealing})
        assert await detail.locator(".step:not(.done, .void)").count() == 0
        assert await detail.locator(".step.done").count() > 3
        await page.goto("/tables/demo/live-1")
        await expect(page.locator("#table")).to_contain_text("felt")
        assert page.errors == []
