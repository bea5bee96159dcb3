"""What need not arrive: dealing events, at QoS 0."""

from __future__ import annotations

import asyncio

import aiomqtt
import pytest
from structlog.testing import capture_logs

from daemon.edges.mqtt import link as mqtt
from daemon.messages import Message
from tests.conftest import Broker
from tests.edges.conftest import PATIENCE_S
from tests.edges.test_mqtt import Table, running


async def test_what_need_not_arrive_is_told_once_and_waits_for_nobody(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No confirmation is waited for, and what was said while nobody carried is gone."""
    monkeypatch.setattr(mqtt, "PUBLISH_S", 2)
    table = Table("unsure", broker)
    topic = table.topics.at("events")

    def tell(number: int) -> None:
        table.outbox.put(Message(topic, b"%d" % number, sure=False))

    tell(0)  # nobody carries yet
    with capture_logs() as said:
        async with (
            aiomqtt.Client(broker.host, broker.port) as floor,
            running(table),
        ):
            await floor.subscribe(topic, qos=1)
            await table.until(lambda: table.link.trouble is None)
            for number in range(1, 101):
                tell(number)
            async with asyncio.timeout(PATIENCE_S):
                heard = [await anext(aiter(floor.messages)) for _ in range(100)]
            await table.until(lambda: len(table.outbox) == 0)
            await asyncio.sleep(mqtt.PUBLISH_S * 1.5)  # longer than a confirmation may take
            assert table.link.trouble is None
    assert [bytes(message.payload) for message in heard] == [b"%d" % n for n in range(1, 101)]
    assert {(message.qos, message.retain) for message in heard} == {(0, False)}
    assert "no broker" not in [line["event"] for line in said]
    tell(101)
    assert len(table.outbox) == 0
