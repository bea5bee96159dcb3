"""What a connection has to show before it is believed, and what it finds of an earlier run."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import aiomqtt
import msgspec
import pytest
from structlog.testing import capture_logs

from daemon.alarms.alert import Alert
from daemon.edges.mqtt import link as mqtt
from daemon.messages import Address, Message
from tests.conftest import Broker, free_port, mosquitto_program
from tests.contract import MADE_UP
from tests.edges.conftest import Recorder, listening
from tests.edges.test_mqtt import Table, hasty, running

Make = Callable[..., Alert]
__all__ = ["hasty"]


async def retained_at(broker: Broker, topic: str) -> dict[str, bytes]:
    """What a newcomer finds: all that is retained comes before what is published after it."""
    found: dict[str, bytes] = {}
    async with aiomqtt.Client(broker.host, broker.port) as client:
        await client.subscribe([(topic, 1), ("fence", 1)])
        await client.publish("fence", b"x", qos=1)
        async for message in client.messages:
            if str(message.topic) == "fence":
                return found
            if message.retain:
                found[str(message.topic)] = bytes(message.payload)
    return found


async def put_retained(broker: Broker, *messages: tuple[str, bytes]) -> None:
    async with aiomqtt.Client(broker.host, broker.port) as client:
        for topic, payload in messages:
            await client.publish(topic, payload, qos=1, retain=True)


async def test_alerts_of_an_earlier_run_that_no_longer_stand_are_cleared_and_the_rest_stays(
    broker: Broker, make_alert: Make
) -> None:
    table = Table("earlier", broker)
    alert, gone = make_alert(1), make_alert(2)
    at = table.topics.at
    await put_retained(
        broker,
        *((at("alerts", audience, gone.id), b"{}") for audience in ("floor", "surveillance")),
        (at("alerts", "floor", alert.id), b'{"old":1}'),
        (at("sensors", "scrapped"), b"{}"),
        (at("hand"), b'{"hand":"7"}'),
        ("floorcall/v1/venezia/other/alerts/floor/x", b"{}"),
    )
    table.raise_(alert)
    table.outbox.put(Message(at("hand"), b'{"hand":null}', retain=True))
    async with running(table), listening(broker.host, broker.port, at("#")) as floor:
        await floor.until(lambda: floor.at(at("sensors", "scrapped"))[-1:] == [b""])
        await floor.until(lambda: floor.at(at("alerts", "surveillance", gone.id))[-1:] == [b""])
        await table.until(lambda: len(table.outbox) == 0)
        left = await retained_at(broker, at("#"))
        other = await retained_at(broker, "floorcall/v1/venezia/other/#")
    assert left.pop(at("status"))
    assert other == {"floorcall/v1/venezia/other/alerts/floor/x": b"{}"}
    assert left.pop(at("hand")) == b'{"hand":null}'
    assert {topic: msgspec.json.decode(words)["id"] for topic, words in left.items()} == {
        at("alerts", audience, alert.id): alert.id for audience in ("floor", "surveillance")
    }


async def test_five_hundred_alerts_of_an_earlier_run_are_cleared(broker: Broker) -> None:
    table = Table("many", broker)
    topics = [table.topics.at("alerts", "floor", f"x{number}") for number in range(500)]
    await put_retained(broker, *((topic, b"{}") for topic in topics))
    own = table.topics.at("alerts", "#")
    async with listening(broker.host, broker.port, own) as floor, running(table):
        await floor.until(lambda: set(topics) <= newest(floor).keys())
        await floor.until(lambda: not any(newest(floor).values()))
    assert not await retained_at(broker, table.topics.at("alerts", "#"))


def newest(recorder: Recorder) -> dict[str, bytes]:
    """What was heard last of each topic."""
    return {topic: payload for topic, payload, _ in recorder.heard}


async def test_a_broker_that_forgot_all_is_told_again_what_stands(
    own_broker: Broker, make_alert: Make
) -> None:
    broker = own_broker
    table = Table("forgot", broker)
    alert = make_alert()
    topic = table.topics.at("alerts", "floor", alert.id)
    table.raise_(alert)
    async with running(table):
        await table.until(lambda: len(table.outbox) == 0 and table.link.trouble is None)
        broker.stop(kill=True)
        await table.until(lambda: table.link.trouble is not None)
        broker.start()
        await table.until(lambda: table.link.trouble is None)
        async with listening(broker.host, broker.port, topic) as floor:
            await floor.until(lambda: floor.at(topic))


@contextmanager
def with_rules(folder: Path, rules: str) -> Iterator[Address]:
    """A mosquitto with these access rules for everybody."""
    (folder / "acl").write_text(rules)
    port = free_port()
    conf = folder / "rules.conf"
    conf.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\nacl_file {folder}/acl\n"
    )
    with subprocess.Popen(
        [mosquitto_program(), "-c", str(conf)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield Address("127.0.0.1", port, tls=False)
        finally:
            process.terminate()


BELOW = f"floorcall/v1/{MADE_UP}/ruled"


@pytest.mark.parametrize(
    ("rules", "trouble"),
    [
        (f"topic read #\ntopic write {BELOW}/status\n", "refuses"),
        (f"topic readwrite {BELOW}/#\ntopic deny {BELOW}/alerts/floor/#\n", "refuses alerts"),
        (f"topic readwrite {BELOW}/#\ntopic deny {BELOW}/log/surveillance/#\n", "refuses log"),
    ],
)
async def test_a_broker_that_refuses_one_of_our_topics_is_found_out_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, trouble: str
) -> None:
    monkeypatch.setattr(mqtt, "ECHO_S", 0.5)
    with with_rules(tmp_path, rules) as address:
        table = Table("ruled", address)
        async with running(table):
            await table.until(
                lambda: (
                    table.link.trouble == mqtt.UNPROVEN
                    or str(table.link.trouble).startswith(trouble)
                )
            )
            await table.until(lambda: table.link.trouble == mqtt.UNPROVEN)


async def test_what_a_broker_refused_is_sent_again_once_its_rules_allow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "ECHO_S", 0.3)
    rules = f"topic readwrite {BELOW}/#\ntopic deny {BELOW}/log/#\n"
    with with_rules(tmp_path, rules) as address:
        table = Table("ruled", address)
        table.outbox.put(Message(f"{BELOW}/log/floor", b'{"v":1}', key="k"))
        async with running(table):
            await table.until(lambda: table.link.trouble == mqtt.UNPROVEN)
        assert len(table.outbox) > 0
    rules = f"topic readwrite {BELOW}/#\n"
    table.link = mqtt.Link(
        mqtt.Account(addresses=(address,), client="ruled"), table.outbox, table, "b2"
    )
    (tmp_path / "acl").write_text(rules)
    conf = tmp_path / "rules.conf"
    with subprocess.Popen(  # noqa: ASYNC220 - starting it takes no time
        [mosquitto_program(), "-c", str(conf)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            async with (
                listening(address.host, address.port, f"{BELOW}/log/floor") as floor,
                running(table),
            ):
                await floor.until(lambda: floor.heard)
        finally:
            process.terminate()


async def test_a_broker_that_says_our_name_was_taken_is_understood(broker: Broker) -> None:
    """mosquitto 2.0 only hangs up; others say why (MQTT 5, reason code 142)."""
    taken, over = asyncio.Event(), asyncio.Event()

    async def between(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_connection(broker.host, broker.port)
        ways = asyncio.gather(pumped(reader, to_writer), pumped(to_reader, writer))
        if not taken.is_set():
            await taken.wait()
        else:
            await over.wait()
        # Hung up on at once, what he has just sent would reset the line, and our word be lost.
        with suppress(OSError):
            writer.write(bytes([0xE0, 0x02, 0x8E, 0x00]))
            writer.write_eof()
        await asyncio.gather(ways, return_exceptions=True)
        writer.close()

    async def pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, RuntimeError):  # the other way has ended already
            while chunk := await reader.read(4096):
                writer.write(chunk)
            writer.close()

    server = await asyncio.start_server(between, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        table = Table("taken", Address("127.0.0.1", port, tls=False))
        async with running(table):
            await table.until(lambda: table.link.trouble is None)
            with capture_logs() as said:
                taken.set()
                await table.until(lambda: mqtt.OTHER_CLIENT in str(said))
            over.set()


async def test_another_floorcall_of_our_table_under_another_name_is_noticed(
    broker: Broker,
) -> None:
    table = Table("double", broker)
    async with running(table):
        await table.until(lambda: table.link.trouble is None)
        async with aiomqtt.Client(broker.host, broker.port) as other:
            words = b'{"state":"online","boot":"zz"}'
            await other.publish(table.topics.at("status"), words, qos=1, retain=True)
            await table.until(lambda: table.link.trouble == mqtt.OTHER_TABLE)
