"""The floor as the demo has it, where nobody signs in; and without its database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiomqtt
import httpx

from daemon.floor.app import FloorApp
from daemon.floor.settings import read_floor_settings
from daemon.floor.troubles import in_words
from tests.conftest import Broker, free_port
from tests.floor.said import alert, line
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


async def test_without_its_database_the_screens_of_the_floor_go_on_and_say_so(
    own_broker: Broker, tmp_path: Path
) -> None:
    path = tmp_path / "floor.toml"
    database = f"postgresql+pg8000://floor@127.0.0.1:{free_port()}/floor"
    path.write_text(
        f'site = "demo"\n[broker]\nurls = ["{own_broker.url}"]\n[history]\nurl = "{database}"\n'
    )
    app, stop = FloorApp(read_floor_settings(path), demo=True, port=0), asyncio.Event()
    running = asyncio.create_task(app.run(stop))
    await until(lambda: app.screens.is_up and app.room.is_up)
    async with aiomqtt.Client(own_broker.host, own_broker.port) as table:
        said = alert()
        for level in (f"alerts/floor/{said['id']}", "log/floor"):
            await table.publish(f"floorcall/v1/demo/poker-1/{level}", line(**said), qos=1)
    await until(lambda: app.room.snapshot("supervise")["alerts"])
    await until(
        lambda: "not written" in in_words(app.room.snapshot("maintain")["link"]["troubles"])
    )
    stop.set()
    async with asyncio.timeout(PATIENCE_S):
        await running
