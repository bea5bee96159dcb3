"""Trials of the way to the broker after reports from the field, by their numbers in README.md."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest
from structlog.testing import capture_logs

from daemon.alarms.alert import Alert
from daemon.edges.mqtt import link as mqtt
from daemon.messages import Address, Message
from tests.bench.mqtt import PUBACK, PUBLISH, Packets, packet
from tests.conftest import LOOPBACK, Broker, free_port, mosquitto_program, open_descriptors
from tests.edges.conftest import PATIENCE_S, listening
from tests.edges.test_mqtt import Table, hasty, running
from tests.edges.way import Way

Make = Callable[..., Alert]
__all__ = ["hasty"]

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
CYCLES = 10_000 if SOAK else 60
NOT_AUTHORISED = b"\x20\x03\x00\x87\x00"


def at(port: int, host: str = LOOPBACK, *, tls: bool = False) -> Address:
    return Address(host, port, tls=tls)


def bare(payload: bytes) -> bytes:
    """A line as it was decided."""
    return payload.replace(b',"late":true', b"")


def number_of(table: Table, number: int) -> Message:
    return Message(table.topics.at("log", "floor"), b'{"n":%d}' % number, key=str(number))


@contextmanager
def mosquitto(folder: Path, host: str, port: int, more: str = "") -> Iterator[subprocess.Popen]:
    conf = folder / f"{host}.conf"
    conf.write_text(f"listener {port} {host}\nallow_anonymous true\nuser root\n{more}")
    with subprocess.Popen(
        [mosquitto_program(), "-c", str(conf)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


class Names:
    """A name server: what it says of `broker.house`; it may fail, or hang until it `goes_on`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.says = LOOPBACK
        self.fails = False
        self.asked = 0
        self.goes_on = threading.Event()
        self.goes_on.set()
        self._resolve = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: str, *args: object, **given: object) -> object:
        if host != "broker.house":
            return self._resolve(host, *args, **given)
        self.asked += 1
        self.goes_on.wait()
        if self.fails:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return self._resolve(self.says, *args, **given)


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
    broker: Broker, make_alert: Make
) -> None:
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
    monkeypatch.setattr(mqtt, "ECHO_S", 0.5)
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


# --- B63, B65: again and again --------------------------------------------------------------------


@asynccontextmanager
async def served(
    take: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    server = await asyncio.start_server(take, LOOPBACK, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


class Bad:
    """Brokers that never keep a client, and how often they were tried."""

    def __init__(self) -> None:
        self.tried = 0

    async def refuses(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        self._leave(writer, NOT_AUTHORISED)

    async def drops(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(b"\x20\x03\x00\x00\x00")
        await reader.read(4096)
        self._leave(writer, b"")

    async def hangs_up(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._leave(writer, b"")

    async def talks_nonsense(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.read(4096)
        self._leave(writer, b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def _leave(self, writer: asyncio.StreamWriter, word: bytes) -> None:
        self.tried += 1
        writer.write(word)
        writer.close()


@pytest.mark.parametrize(
    ("kind", "tls"),
    [("refuses", False), ("drops", False), ("hangs_up", False), ("talks_nonsense", False),
     ("hangs_up", True), ("talks_nonsense", True)],
)  # fmt: skip
async def test_any_number_of_failed_connections_leaves_nothing_and_few_words(
    monkeypatch: pytest.MonkeyPatch, kind: str, tls: bool
) -> None:
    for name in ("PAUSE_FIRST_S", "PAUSE_MOST_S", "DISTURBED_S"):
        monkeypatch.setattr(mqtt, name, 0.001)
    monkeypatch.setattr(mqtt, "CONNECT_S", 0.02)
    bad = Bad()
    gc.collect()
    gc.disable()  # nothing is closed by chance
    try:
        with capture_logs() as said:
            async with served(getattr(bad, kind)) as port:
                table = Table("again", at(port, tls=tls))
                async with running(table):
                    await table.until(lambda: bad.tried >= 20)
                    descriptors, threads = len(open_descriptors()), threading.active_count()
                    tasks = len(asyncio.all_tasks())
                    async with asyncio.timeout(PATIENCE_S * CYCLES / 10):
                        while bad.tried < 20 + CYCLES:  # noqa: ASYNC110 - nothing tells
                            await asyncio.sleep(0.005)
                    assert len(open_descriptors()) <= descriptors + 4
                    assert threading.active_count() <= threads + 1
                    assert len(asyncio.all_tasks()) <= tasks + 4
    finally:
        gc.enable()
    reasons = [one["reason"] for one in said if one["event"] == "no broker"]
    assert reasons
    assert len(reasons) == len(set(reasons)) <= 5


# --- B41, B67: characters -------------------------------------------------------------------------


async def test_a_topic_that_is_no_utf_8_harms_nothing(broker: Broker) -> None:
    """A lax broker passes it on; where it is retained, at every connection."""
    async with Way(broker.port).open() as way:
        table = Table("lax", way.address)
        command = table.topics.at("command")
        async with running(table):
            await table.until(lambda: table.link.trouble is None and not len(table.outbox))
            for first in (0x30, 0x31):
                topic = command.encode() + b"/\xff\xfe"
                way.say(packet(first, len(topic).to_bytes(2, "big"), topic, b"\x00", b"x"))
            async with aiomqtt.Client(broker.host, broker.port) as person:
                while not table.words:  # until the table has subscribed
                    await person.publish(command, b"good", qos=1)
                    await asyncio.sleep(0.01)
            assert {heard.payload for heard in table.words} == {b"good"}
            assert way.taken == 1
