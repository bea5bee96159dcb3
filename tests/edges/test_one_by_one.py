"""A broker that confirms each topic by itself, as the demo's does, is a broker like others."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from daemon.demo.broker import running_broker
from daemon.edges.mqtt import link
from daemon.messages import Address
from tests.edges.test_mqtt import Table, running


async def test_nothing_is_wrong_where_what_is_unsubscribed_is_confirmed_one_by_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING, "mqtt")
    monkeypatch.setattr(link, "BEAT_S", 2)  # by then all is confirmed
    with running_broker(tmp_path) as listeners:
        table = Table("one-by-one", Address("127.0.0.1", listeners.port, tls=False))
        async with running(table):
            await table.until(table.link._proven.is_set)
            before = table.seq
            await table.until(lambda: table.seq > before)
        assert table.link.trouble is None
    assert caplog.records == []
