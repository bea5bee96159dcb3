"""A living table says something on every channel of the contract, and nothing elsewhere."""

from __future__ import annotations

from pathlib import Path

from aiomqtt import ProtocolVersion

from daemon.contract import CHANNELS
from daemon.demo.outcome import RIGHT
from tests.conftest import Broker
from tests.contract import channel_of
from tests.hil.line import SITE_ROOT, SPEED, subscribed, watched_table
from tests.hil.test_line import SEATS, incident_of
from tests.hil.test_orders import person_at


async def test_every_channel_is_heard_of_a_living_table(broker: Broker, tmp_path: Path) -> None:
    name = "channels"
    happened = incident_of("turn-premature", RIGHT)
    async with (
        subscribed(broker.port, name) as floor,
        watched_table(name, tmp_path, broker.url, SEATS, events=True) as table,
        person_at(broker, name, ProtocolVersion.V5) as anna,
    ):
        await table.perform(table.stage(SPEED).play(happened.events))
        await floor.until_over(name)
        for via in ("", "anna"):
            state = b'{"command":"table-state","state":"open","by":"anna"}'
            assert (await anna.order(state, via=via))["ok"]
    below = f"{SITE_ROOT}/{name}/"
    heard = {channel_of(topic.removeprefix(below)) for topic, _ in floor.said}
    assert {each.name for each in heard if each} == {each.name for each in CHANNELS}
