"""The floor as the demo has it: nobody signs in, and only this machine comes to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from daemon.floor.app import FloorApp
from daemon.floor.settings import read_floor_settings
from tests.conftest import Broker
from tests.floor.test_service import PATIENCE_S, until


async def test_in_the_demo_everybody_on_this_machine_is_a_supervisor(
    own_broker: Broker, tmp_path: Path
) -> None:
    path = tmp_path / "floor.toml"
    path.write_text(f'site = "demo"\n[broker]\nurls = ["{own_broker.url}"]\n')
    settings = read_floor_settings(path)
    app, stop = FloorApp(settings, demo=True, port=0), asyncio.Event()
    running = asyncio.create_task(app.run(stop))
    await until(lambda: app.screens.is_up and app.room.is_up)
    async with httpx.AsyncClient(base_url=app.screens.address, timeout=PATIENCE_S) as browser:
        page = await browser.get("/floor")
        assert page.status_code == 200
        me = (await browser.get("/api/me")).json()
        assert (me["role"], me["demo"]) == ("supervise", True)
    stop.set()
    async with asyncio.timeout(PATIENCE_S):
        await running
