"""Trials of connections after reports from the field, by their numbers in README.md."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from daemon.edges.mqtt import link as mqtt
from tests.bench.mqtt import PUBACK, PUBLISH, Packets, packet
from tests.conftest import LOOPBACK, Broker, free_port
from tests.edges.conftest import PATIENCE_S, listening
from tests.edges.test_mqtt import Table, hasty, running
from tests.edges.trials import NOT_AUTHORISED, Names, at, bare, mosquitto, number_of
from tests.edges.way import Way

__all__ = ["hasty"]


# --- B21: after a failed connect ------------------------------------------------------------------


async def test_after_a_broker_that_is_silent_the_real_one_is_taken(broker: Broker) -> None:
    async with Way(broker.port).open() as way:
        way.swallows = True
        table = Table("silent", way.address)
        with capture_logs() as said:
            async with running(table):
                await table.until(lambda: way.taken >= 5)
                way.swallows = False
                way.cut()
                await table.until(lambda: table.link.trouble is None)
    assert [one["reason"] for one in said if one["event"] == "no broker"] == ["Operation timed out"]


async def test_after_a_name_that_nobody_knew_the_broker_is_taken(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    names.fails = True
    table = Table("unknown", at(broker.port, "broker.house"))
    with capture_logs() as said:
        async with running(table):
            await table.until(lambda: names.asked >= 5)
            names.fails = False
            await table.until(lambda: table.link.trouble is None)
    (reason,) = [one["reason"] for one in said if one["event"] == "no broker"]
    assert "name resolution" in reason


async def test_after_a_login_refused_the_broker_is_taken() -> None:
    refused = 0

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal refused
        await reader.read(4096)
        writer.write(NOT_AUTHORISED)
        refused += 1
        with suppress(OSError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(refuse, LOOPBACK, 0)
    port = server.sockets[0].getsockname()[1]
    with capture_logs() as said:
        async with server:
            table = Table("unwanted", at(port))
            task = asyncio.create_task(table.link.run())
            await table.until(lambda: refused >= 5)
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind((LOOPBACK, port))
        broker = await asyncio.start_server(yes_and_again, LOOPBACK, port)
        async with broker:
            await table.until(lambda: table.link.trouble is None)
            table.link.stop()
            async with asyncio.timeout(PATIENCE_S):
                await task
    reasons = [one["reason"] for one in said if one["event"] == "no broker"]
    assert "Not authorized" in reasons[0]
    assert len(set(reasons)) == len(reasons)


async def yes_and_again(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As little of a broker as takes a client: everything is confirmed."""
    packets = Packets()
    with suppress(OSError):
        while chunk := await reader.read(1 << 14):
            for one in packets.feed(chunk):
                if one.kind == 0x10:
                    writer.write(b"\x20\x03\x00\x00\x00")
                elif one.kind == PUBLISH and one.number:
                    writer.write(packet(PUBACK, one.number))
                elif one.kind == 0xE0:
                    break
    writer.close()


# --- B23: two of one name -------------------------------------------------------------------------


async def test_of_two_of_one_name_no_alert_is_lost_and_both_recover(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "DISTURBED_S", 1)
    first, second = Table("cloned", broker), Table("cloned", broker)
    log = first.topics.at("log", "floor")
    async with listening(broker.host, broker.port, log) as recorder, running(first):
        async with running(second):
            for number in range(10):
                first.outbox.put(number_of(first, number))
                second.outbox.put(number_of(second, 100 + number))
            await first.until(lambda: mqtt.DISTURBED in (first.link.trouble, second.link.trouble))
        await first.until(lambda: first.link.trouble is None and not len(first.outbox))
        await recorder.until(lambda: len({bare(said) for said in recorder.at(log)}) == 20)
    assert first.outbox.lost == second.outbox.lost == 0


# --- B25: the broker moves ------------------------------------------------------------------------


async def test_a_broker_that_moved_is_found_at_its_new_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, port = Names(monkeypatch), free_port()
    with mosquitto(tmp_path, "127.0.0.1", port) as old, mosquitto(tmp_path, "127.0.0.2", port):
        table = Table("moved", at(port, "broker.house"))
        status = table.topics.at("status")
        async with running(table):
            await table.until(lambda: table.link.trouble is None)
            names.says = "127.0.0.2"
            old.kill()
            async with listening("127.0.0.2", port, status) as floor:
                await floor.until(lambda: any(b'"online"' in p for p in floor.at(status)))


async def test_an_old_broker_that_still_runs_is_left_with_the_first_break(
    tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    async with Way(broker.port).open() as way:
        port = way.address.port
        with mosquitto(tmp_path, "127.0.0.2", port):
            table = Table("left", at(port, "broker.house"))
            status = table.topics.at("status")
            async with running(table):
                await table.until(lambda: table.link.trouble is None)
                names.says = "127.0.0.2"
                way.cut()
                async with listening("127.0.0.2", port, status) as floor:
                    await floor.until(lambda: any(b'"online"' in p for p in floor.at(status)))
                assert way.taken == 1


async def test_the_loop_turns_while_a_name_server_hangs(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch)
    names.goes_on.clear()
    table = Table("unnamed", at(broker.port, "broker.house"))
    try:
        async with running(table):
            await table.until(lambda: names.asked)
            for _ in range(1000):  # the name server answers only when these have been
                table.outbox.put(number_of(table, 1))
                await asyncio.sleep(0)
            names.goes_on.set()
            await table.until(lambda: table.link.trouble is None)
    finally:
        names.goes_on.set()
