"""Trials of what waits to be sent after reports from the field, by their numbers in README.md."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.alarms.alert import Alert
from daemon.edges.mqtt import link as mqtt
from tests.bench.mqtt import PUBACK, PUBLISH, Packets, packet
from tests.conftest import LOOPBACK, Broker, free_port
from tests.edges.conftest import PATIENCE_S, listening
from tests.edges.test_mqtt import Table, hasty, running
from tests.edges.trials import at, bare, mosquitto, number_of
from tests.edges.way import Way

Make = Callable[..., Alert]
__all__ = ["hasty"]


# --- B27: before the loss is noticed --------------------------------------------------------------


async def test_what_is_said_into_a_dead_line_before_it_is_known_dead_comes_all_the_same(
    broker: Broker,
) -> None:
    async with Way(broker.port).open() as way:
        table = Table("blind", way.address)
        log = table.topics.at("log", "floor")
        async with listening(broker.host, broker.port, log) as recorder, running(table):
            await table.until(lambda: table.link.trouble is None)
            for number in range(10):
                table.outbox.put(number_of(table, number))
            await recorder.until(lambda: len(recorder.at(log)) >= 10)
            way.swallows = True
            for number in range(10, 20):
                table.outbox.put(number_of(table, number))
            await table.until(lambda: table.link.trouble is not None)
            for number in range(20, 30):
                table.outbox.put(number_of(table, number))
            way.swallows = False
            way.cut()
            await table.until(lambda: table.link.trouble is None and not len(table.outbox))
            await recorder.until(lambda: b"29" in recorder.at(log)[-1])
        assert b'{"n":15}' in way.passed  # it had been handed over
    said = [bare(one) for one in recorder.at(log)]
    assert said == [b'{"n":%d}' % number for number in range(30)]


# --- B29: the backlog -----------------------------------------------------------------------------


async def test_a_backlog_is_sent_once_and_an_alert_meanwhile_goes_before_it(
    broker: Broker, make_alert: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "PUBLISH_S", PATIENCE_S)  # or a slow machine would make a break
    async with Way(broker.port).open() as way:
        way.delay_s = 0.02
        table = Table("backlog", way.address)
        log, alert = table.topics.at("log", "floor"), make_alert()
        for number in range(2000):
            table.outbox.put(number_of(table, number))
        everything = listening(broker.host, broker.port, table.topics.at("#"))
        async with everything as floor, running(table):
            await floor.until(lambda: floor.at(log))
            table.raise_(alert)
            standing = table.topics.at("alerts", "floor", alert.id)
            await floor.until(lambda: floor.at(standing))
            assert len(floor.at(log)) < 1000
            assert table.link.trouble is None
            await floor.until(lambda: len(floor.at(log)) > 2000)
    said = [bare(one) for one in floor.at(log)]
    assert said[:2000] == [b'{"n":%d}' % number for number in range(2000)]
    assert len(said) == 2001  # each once: nothing is repeated without a break


@pytest.mark.parametrize("most", [1, 5])
async def test_no_more_is_on_its_way_than_the_broker_takes(tmp_path: Path, most: int) -> None:
    """MQTT 5's receive maximum: beyond it a broker may hang up, and this one would."""
    under_way, worst, over = 0, 0, asyncio.Event()
    numbers: list[bytes] = []

    async def strict(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, worst
        packets = Packets()

        async def confirmed() -> None:
            nonlocal under_way
            while not over.is_set():
                await asyncio.sleep(0)
                if numbers:
                    under_way -= 1
                    writer.write(packet(PUBACK, numbers.pop(0)))

        task = asyncio.create_task(confirmed())
        while chunk := await reader.read(1 << 14):
            for one in packets.feed(chunk):
                if one.kind == 0x10:
                    properties = b"\x21" + most.to_bytes(2, "big")
                    writer.write(packet(0x20, b"\x00\x00\x03", properties))
                elif one.kind == PUBLISH:
                    under_way += 1
                    worst = max(worst, under_way)
                    numbers.append(one.number)
        task.cancel()
        writer.close()

    server = await asyncio.start_server(strict, LOOPBACK, 0)
    async with server:
        table = Table("strict", at(server.sockets[0].getsockname()[1]))
        for number in range(200):
            table.outbox.put(number_of(table, number))
        async with running(table):
            await table.until(lambda: not len(table.outbox))
        over.set()
    assert worst == most


# --- B37: rights that are taken away and given back -----------------------------------------------


async def test_rights_given_back_to_a_connection_bring_what_was_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "PROVE_AGAIN_S", 0.2)
    port, acl = free_port(), tmp_path / "acl"
    acl.write_text("topic readwrite #\n")
    with mosquitto(tmp_path, LOOPBACK, port, f"acl_file {acl}\n") as process:
        table = Table("ruled", at(port))
        log = table.topics.at("log", "floor")
        async with listening(LOOPBACK, port, log) as recorder, running(table):
            await table.until(lambda: table.link.trouble is None)
            acl.write_text(f"topic readwrite #\ntopic deny {table.topics.at('log')}/#\n")
            process.send_signal(signal.SIGHUP)
            number = 0
            while table.link.trouble is None:  # until the broker has read its rules
                table.outbox.put(number_of(table, number))
                number += 1
                await asyncio.sleep(0.01)
            assert len(table.outbox)
            acl.write_text("topic readwrite #\n")
            process.send_signal(signal.SIGHUP)
            await table.until(lambda: table.link.trouble is None and not len(table.outbox))
            await recorder.until(lambda: {bare(p) for p in recorder.at(log)} >= numbers(number))


def numbers(most: int) -> set[bytes]:
    return {b'{"n":%d}' % number for number in range(most)}
