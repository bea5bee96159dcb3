"""The link to a real broker: what it says of itself, and what it does when the broker does not."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest

from daemon.alarms.alert import Alert, line
from daemon.edges.mqtt import Account, Link, calling
from daemon.edges.mqtt import link as mqtt
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Announcer, Heard, Message, Topics
from tests.conftest import Broker, free_port, mosquitto_program, open_descriptors
from tests.contract import MADE_UP
from tests.edges.conftest import PATIENCE_S, listening

Make = Callable[..., Alert]
ROOT = Path(__file__).parents[2]


class Table:
    """What a table gives a link: an outbox, topics, a status that counts."""

    def __init__(self, name: str, *brokers: Broker | Address) -> None:
        self.outbox = Outbox(NoShelf())
        self.topics = Topics(MADE_UP, name)
        self.announcer = Announcer(self.topics)
        self.seq = 0
        addresses = tuple(
            Address(b.host, b.port, tls=False) if isinstance(b, Broker) else b for b in brokers
        )
        self.words: list[Heard] = []
        self.link = Link(Account(addresses=addresses, client=name), self.outbox, self, "b1")

    def status(self, state: str) -> Message:
        self.seq += 1
        payload = msgspec.json.encode({"state": state, "boot": "b1", "seq": self.seq})
        return Message(self.topics.at("status"), payload, retain=True)

    def heard(self, words: Heard) -> None:
        self.words.append(words)

    def raise_(self, alert: Alert) -> None:
        for message in self.announcer.messages(alert, line(alert)):
            self.outbox.put(message)

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # noqa: ASYNC110 - nothing tells when a link has changed its mind
                await asyncio.sleep(0.005)


@asynccontextmanager
async def running(table: Table) -> AsyncIterator[None]:
    task = asyncio.create_task(table.link.run())
    try:
        yield
    finally:
        table.link.stop()
        async with asyncio.timeout(PATIENCE_S):
            await task


def states(payloads: list[bytes]) -> list[str]:
    return [msgspec.json.decode(payload)["state"] for payload in payloads]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter limits, so that a test of them is short."""
    monkeypatch.setattr(calling, "CONNECT_S", 2)
    monkeypatch.setattr(mqtt, "PUBLISH_S", 2)
    monkeypatch.setattr(mqtt, "PAUSE_FIRST_S", 0.05)
    monkeypatch.setattr(mqtt, "PAUSE_MOST_S", 0.2)


async def test_a_table_is_online_while_it_runs_and_offline_when_it_stops_on_purpose(
    broker: Broker,
) -> None:
    table = Table("clean", broker)
    async with listening(broker.host, broker.port, table.topics.at("#")) as floor:
        async with running(table):
            await floor.until(lambda: floor.at(table.topics.at("status")))
            await table.until(lambda: table.link.trouble is None)
        await floor.until(lambda: states(floor.at(table.topics.at("status")))[-1] == "offline")
    assert states(floor.at(table.topics.at("status"))) == ["online", "offline"]
    async with listening(broker.host, broker.port, table.topics.at("status")) as late:
        await late.until(lambda: late.heard)
    assert late.heard[0][2]


async def test_what_is_left_is_sent_before_the_table_goes(broker: Broker, make_alert: Make) -> None:
    table = Table("left", broker)
    async with listening(broker.host, broker.port, table.topics.at("#")) as floor:
        async with running(table):
            await floor.until(lambda: floor.heard)
            for number in range(40):
                table.outbox.put(Message(table.topics.at("log", "floor"), b"%d" % number))
        await floor.until(lambda: states(floor.at(table.topics.at("status")))[-1:] == ["offline"])
    assert [topic.rpartition("/")[2] for topic, *_ in floor.heard][-1] == "status"
    assert floor.at(table.topics.at("log", "floor")) == [b"%d" % number for number in range(40)]


async def test_a_beat_tells_that_the_table_lives(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "BEAT_S", 0.05)
    table = Table("beat", broker)
    async with listening(broker.host, broker.port, table.topics.at("#")) as floor, running(table):
        await floor.until(lambda: len(floor.at(table.topics.at("status"))) >= 3)


DYING = """
import asyncio, sys
from daemon.edges.mqtt import Account, Link
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Message, Topics

class Voice:
    topics = Topics("made-up", "dying")

    def status(self, state):
        return Message(self.topics.at("status"), b'{"state":"%s"}' % state.encode(), True)

    def heard(self, words):
        pass

async def main():
    account = Account(addresses=(Address("127.0.0.1", int(sys.argv[1]), False),), client="dying")
    await Link(account, Outbox(NoShelf()), Voice(), "b1").run()

asyncio.run(main())
"""


async def test_the_broker_says_offline_for_a_process_that_was_killed(broker: Broker) -> None:
    async with listening(broker.host, broker.port, f"floorcall/v1/{MADE_UP}/dying/status") as floor:
        with subprocess.Popen(  # noqa: ASYNC220 - starting it takes no time
            [sys.executable, "-c", DYING, str(broker.port)], cwd=ROOT, stdin=subprocess.DEVNULL
        ) as process:
            try:
                await floor.until(lambda: len(floor.heard) == 1)
            finally:
                process.kill()
        await floor.until(lambda: len(floor.heard) == 2)
    assert [payload for _, payload, _ in floor.heard] == [
        b'{"state":"online"}',
        b'{"state":"offline"}',
    ]


async def test_an_alert_is_retained_while_it_stands_and_then_cleared(
    broker: Broker, make_alert: Make
) -> None:
    table = Table("retained", broker)
    below = table.topics.at("alerts", "floor", "#")
    async with running(table):
        table.raise_(make_alert())
        await table.until(lambda: not len(table.outbox))
        async with listening(broker.host, broker.port, below) as late:
            await late.until(lambda: late.heard)
            assert late.heard[0][2]
            table.raise_(make_alert(revision=2, state="closed"))
            await late.until(lambda: late.heard[-1][1] == b"")
    async with listening(broker.host, broker.port, below) as later:
        await asyncio.sleep(0.05)
    assert later.heard == []


async def test_a_broker_that_went_and_came_back_has_all_again_and_in_order(
    own_broker: Broker, make_alert: Make
) -> None:
    table = Table("back", own_broker)
    log = table.topics.at("log", "floor")
    alerts = table.topics.at("alerts", "floor")
    everything = listening(own_broker.host, own_broker.port, table.topics.at("#"))
    async with everything as floor, running(table):
        table.raise_(make_alert(1))
        await floor.until(lambda: floor.at(log))
        await table.until(lambda: not len(table.outbox))
        own_broker.stop(kill=True)
        await table.until(lambda: table.link.trouble is not None)
        for revision in range(1, 60):
            table.raise_(make_alert(2, revision=revision))
        own_broker.start()
        await table.until(lambda: not len(table.outbox))
    async with listening(own_broker.host, own_broker.port, f"{alerts}/#") as late:
        await late.until(lambda: len(late.heard) == 2)
    revisions = {
        msgspec.json.decode(p)["id"]: msgspec.json.decode(p)["revision"] for _, p, _ in late.heard
    }
    assert revisions == {make_alert(1).id: 1, make_alert(2).id: 59}


async def test_transitions_are_neither_lost_nor_reordered_over_three_deaths_of_the_broker(
    own_broker: Broker,
) -> None:
    table = Table("numbered", own_broker)
    log = table.topics.at("log", "floor")
    number = 0
    persistent = own_broker.folder / "mosquitto.conf"
    assert persistent.exists()
    got: list[int] = []
    async with running(table):
        for _ in range(3):
            async with listening(own_broker.host, own_broker.port, log) as recorder:
                for _ in range(50):
                    table.outbox.put(Message(log, b"%d" % number))
                    number += 1
                    await asyncio.sleep(0)
                await recorder.until(lambda: recorder.heard)
                own_broker.stop(kill=True)
                for _ in range(50):
                    table.outbox.put(Message(log, b"%d" % number))
                    number += 1
                await table.until(lambda: table.link.trouble is not None)
                got += [int(payload) for payload in recorder.at(log)]
            own_broker.start()
            async with listening(own_broker.host, own_broker.port, log) as recorder:
                await table.until(lambda: not len(table.outbox))
                got += [int(payload) for payload in recorder.at(log)]
    first_seen = list(dict.fromkeys(got))
    assert first_seen == sorted(first_seen)


async def test_a_broker_that_hangs_holds_nothing_up_and_gets_all_when_it_goes_on(
    own_broker: Broker,
) -> None:
    table = Table("hung", own_broker)
    log = table.topics.at("log", "floor")
    async with listening(own_broker.host, own_broker.port, log) as floor, running(table):
        await table.until(lambda: table.link.trouble is None)
        assert own_broker.process is not None
        own_broker.process.send_signal(signal.SIGSTOP)
        try:
            loop = asyncio.get_running_loop()
            slowest_s = 0.0
            for number in range(200):
                table.outbox.put(Message(log, b"%d" % number))
                before_s = loop.time()
                await asyncio.sleep(0)
                slowest_s = max(slowest_s, loop.time() - before_s)
            await table.until(lambda: table.link.trouble is not None)
            assert slowest_s < 5  # nothing waits for it, however slow the machine
        finally:
            own_broker.process.send_signal(signal.SIGCONT)
        await floor.until(lambda: b"199" in floor.at(log))
        await table.until(lambda: not len(table.outbox))
    first_seen = list(dict.fromkeys(int(payload) for payload in floor.at(log)))
    assert first_seen == list(range(200))


async def test_brokers_are_gone_through_in_turn_past_one_that_is_silent_and_one_that_is_not_there(
    broker: Broker,
) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    try:
        table = Table(
            "turn",
            Address("127.0.0.1", free_port(), tls=False),
            Address("127.0.0.1", silent.getsockname()[1], tls=False),
            Address("no such host", 1883, tls=False),
            Address("127.0.0.1", broker.port, tls=True),
            broker,
        )
        everything = listening(broker.host, broker.port, table.topics.at("#"))
        async with everything as floor, running(table):
            await floor.until(lambda: floor.heard)
    finally:
        silent.close()


async def test_stopping_does_not_wait_for_a_broker_that_is_not_there() -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    try:
        table = Table("alone", Address("127.0.0.1", silent.getsockname()[1], tls=False))
        task = asyncio.create_task(table.link.run())
        await asyncio.sleep(0.02)
        table.link.stop()
        async with asyncio.timeout(30):
            await task
    finally:
        silent.close()


async def test_a_cancelled_link_leaves_nothing_open(broker: Broker) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    try:
        for address in (Address("127.0.0.1", silent.getsockname()[1], tls=False), broker):
            for after_s in (0, 0.01, 0.1):
                task = asyncio.create_task(Table("cancelled", address).link.run())
                await asyncio.sleep(after_s)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
    finally:
        silent.close()


async def test_a_hundred_failed_attempts_leave_no_descriptor_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mqtt, "PAUSE_MOST_S", 0.001)
    monkeypatch.setattr(calling, "CONNECT_S", 0.02)
    attempts = 0

    def refuse(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal attempts
        attempts += 1
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        table = Table(
            "refused", Address("127.0.0.1", server.sockets[0].getsockname()[1], tls=False)
        )
        async with running(table):
            await table.until(lambda: attempts >= 20)
            before = len(open_descriptors())
            await table.until(lambda: attempts >= 120)
            assert len(open_descriptors()) <= before + 4


async def test_a_broker_that_knows_only_3_1_1_is_spoken_to_in_it(broker: Broker) -> None:
    levels = []

    async def old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await reader.read(4096)
        levels.append(hello[hello.index(b"MQTT") + 4])
        if levels[-1] == 5:
            writer.write(bytes([0x20, 0x03, 0x00, 0x84, 0x00]))
            writer.close()
            return
        to_reader, to_writer = await asyncio.open_connection(broker.host, broker.port)
        to_writer.write(hello)
        with suppress(OSError):
            await asyncio.gather(pumped(reader, to_writer), pumped(to_reader, writer))

    async def pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(4096):
            writer.write(chunk)
        writer.close()

    server = await asyncio.start_server(old, "127.0.0.1", 0)
    async with server:
        table = Table("old", Address("127.0.0.1", server.sockets[0].getsockname()[1], tls=False))
        async with listening(broker.host, broker.port, table.topics.at("#")) as floor:
            async with running(table):
                await floor.until(lambda: floor.heard)
            await floor.until(lambda: len(floor.heard) == 2)
    assert levels == [5, 4]


async def test_two_tables_of_one_name_say_so(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "DISTURBED_S", 1)
    first, second = Table("twin", broker), Table("twin", broker)
    async with running(first), running(second):
        await first.until(lambda: mqtt.DISTURBED in (first.link.trouble, second.link.trouble))


async def test_rules_of_the_broker_that_swallow_our_words_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "ECHO_S", 0.3)
    (tmp_path / "acl").write_text("topic read #\n")
    port = free_port()
    conf = tmp_path / "deaf.conf"
    conf.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\nacl_file {tmp_path}/acl\n"
    )
    with subprocess.Popen(  # noqa: ASYNC220 - the same
        [mosquitto_program(), "-c", str(conf)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            table = Table("swallowed", Address("127.0.0.1", port, tls=False))
            async with running(table):
                await table.until(lambda: table.link.trouble == mqtt.UNPROVEN)
        finally:
            process.terminate()
