"""The configuration for a broker that ships: it starts, and each user may do what it says."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest

from daemon.edges.mqtt import Account, Link
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Heard, Message, Topics
from daemon.shipped import config_path
from tests.conftest import free_port, mosquitto_program
from tests.contract import MADE_UP
from tests.edges.conftest import PATIENCE_S, Recorder

TOPICS = Topics(MADE_UP, "poker-12")


def password_line(user: str) -> str:
    """A line of mosquitto's password file; the password is the user's name."""
    digest = hashlib.pbkdf2_hmac("sha512", user.encode(), b"saltsaltsalt", 101)
    salt, words = base64.b64encode(b"saltsaltsalt").decode(), base64.b64encode(digest).decode()
    return f"{user}:$7$101${salt}${words}\n"


@pytest.fixture
def shipped(tmp_path: Path) -> Iterator[int]:
    port = free_port()
    users = ("poker-12", "poker-13", "floor", "surveillance", "maintenance")
    (tmp_path / "floorcall.passwd").write_text("".join(map(password_line, users)))
    acl = config_path("mosquitto", "floorcall.acl").read_text()
    (tmp_path / "floorcall.acl").write_text(acl)
    conf = config_path("mosquitto", "floorcall.conf").read_text()
    conf = conf.replace("listener 1883", f"listener {port}").replace(
        "/etc/mosquitto", str(tmp_path)
    )
    path = tmp_path / "floorcall.conf"
    path.write_text(f"{conf}\nuser root\npersistence_location {tmp_path}/\n")
    with subprocess.Popen(
        [mosquitto_program(), "-c", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield port
        finally:
            process.terminate()


@asynccontextmanager
async def heard_by(user: str, port: int) -> AsyncIterator[Recorder]:
    recorder, ready = Recorder(), asyncio.Event()

    async def listen() -> None:
        while not ready.is_set():
            with suppress(aiomqtt.MqttError):
                client = aiomqtt.Client("127.0.0.1", port, username=user, password=user)
                async with client:
                    await client.subscribe("floorcall/v1/#", qos=1)
                    ready.set()
                    async for m in client.messages:
                        recorder.take(str(m.topic), bytes(m.payload), m.retain)
            await asyncio.sleep(0.02)

    task = asyncio.create_task(listen())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await ready.wait()
        yield recorder
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_table_proves_itself_and_everybody_hears_what_is_for_him_alone(
    shipped: int, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text("poker-12\n")
    outbox, stop = Outbox(NoShelf()), TOPICS.at("status")

    class Voice:
        topics = TOPICS

        def status(self, state: str) -> Message:
            return Message(stop, state.encode(), retain=True)

        def heard(self, words: Heard) -> None:
            pass

    account = Account(
        addresses=(Address("127.0.0.1", shipped, tls=False),), client="poker-12",
        username="poker-12", password_file=tmp_path / "password",
    )  # fmt: skip
    link = Link(account, outbox, Voice(), "b1")
    foreign = Topics(MADE_UP, "poker-13").at("alerts", "floor", "x")
    for audience in ("floor", "surveillance", "maintenance"):
        outbox.put(Message(TOPICS.at("alerts", audience, "x"), b"x", retain=True))
    outbox.put(Message(foreign, b"x"))
    async with (
        heard_by("floor", shipped) as floor,
        heard_by("surveillance", shipped) as surveillance,
        heard_by("maintenance", shipped) as maintenance,
    ):
        task = asyncio.create_task(link.run())
        for who in (floor, surveillance, maintenance):
            await who.until(lambda who=who: any(said == b"x" for _, said, _ in who.heard))
        link.stop()
        await task
        await floor.until(lambda: floor.at(stop)[-1:] == [b"offline"])
    for name, who in (
        ("floor", floor),
        ("surveillance", surveillance),
        ("maintenance", maintenance),
    ):
        alerts = {topic for topic, payload, _ in who.heard if "/alerts/" in topic and payload}
        assert alerts == {TOPICS.at("alerts", name, "x")}
    assert foreign not in {topic for topic, *_ in floor.heard}
