"""The program killed in mid-hand, its journal sealed: it goes on, and can be replayed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

import msgspec

from daemon.demo.live import LiveTable
from daemon.demo.outcome import RIGHT
from daemon.edges.settings import read_settings
from tests.conftest import Broker
from tests.hil.line import SITE_ROOT, SOON_S, SPEED, Subscriber, subscribed
from tests.hil.test_line import incident_of

SEATS = 6
TABLE = "sealed"
PROGRAM = (sys.executable, "-m", "daemon")


async def run(*words: str | Path) -> bytes:
    """What a command says that ends well."""
    asked = await asyncio.create_subprocess_exec(*PROGRAM, *map(str, words), stdout=PIPE)
    said, _ = await asyncio.wait_for(asked.communicate(), SOON_S)
    assert asked.returncode == 0, said.decode()
    return said


async def begun(configuration: Path, memory: Path, subscriber: Subscriber) -> Process:
    """The daemon, once its sensors are read."""
    topic = f"{SITE_ROOT}/{TABLE}/sensors/seats"
    before = len(subscriber.said)
    daemon = await asyncio.create_subprocess_exec(
        *PROGRAM, "run", "--config", str(configuration), stderr=PIPE,
        env=os.environ | {"RUNTIME_DIRECTORY": str(memory)},
    )  # fmt: skip

    def are_read() -> bool:
        told = [payload for at, payload in subscriber.said[before:] if at == topic]
        return bool(told) and msgspec.json.decode(told[-1])["state"] == "ok"

    await subscriber.until(are_read)
    return daemon


def published(subscriber: Subscriber) -> list[bytes]:
    """Every transition once, as a recorder keeps it that passes over repeats."""
    root = f"{SITE_ROOT}/{TABLE}/log/"
    said = [
        payload.replace(b',"late":true}', b"}")
        for topic, payload in subscriber.said
        if topic.startswith(root) and not topic.endswith("/surveillance") and payload
    ]
    return list(dict.fromkeys(said))


def headers(lines: list[bytes]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line[3:]) for line in lines if line.startswith(b"#! ")]


async def test_a_sealed_table_killed_in_mid_hand_goes_on_and_its_journal_can_be_replayed(
    broker: Broker, tmp_path: Path
) -> None:
    memory = tmp_path / "memory"
    memory.mkdir(mode=0o700)
    table = LiveTable(TABLE, tmp_path, broker.url, random.Random(5), SEATS)
    happened = incident_of("turn-premature", RIGHT)
    await run("journal", "key", tmp_path / "surveillance")
    async with table.plugged(), subscribed(broker.port, TABLE) as subscriber:
        written = table.configuration.read_text()
        folder = 'folder = "journal"'
        assert folder in written
        sealed = f'{folder}, seal = "surveillance.pub"'
        table.configuration.write_text(written.replace(folder, sealed))
        stage = table.stage(SPEED)
        daemon = await begun(table.configuration, memory, subscriber)
        try:
            await table.perform(stage.play(happened.events))
            await subscriber.until_over(TABLE)
            first = len(published(subscriber))
            waits = iter(stage.play(happened.events))
            for wait in waits:
                await table.perform((wait,))
                if len(published(subscriber)) > first:
                    break
            daemon.kill()
            await daemon.communicate()
            daemon = await begun(table.configuration, memory, subscriber)
            assert subscriber.hand(TABLE)["hand"] is not None
            await table.perform(waits)
            await subscriber.until_over(TABLE)
        finally:
            daemon.send_signal(signal.SIGTERM)
            _, told = await asyncio.wait_for(daemon.communicate(), SOON_S)
        assert daemon.returncode == 0, told.decode()
    assert b"journal gone on with" in told
    (journal,) = read_settings(table.configuration).journal_folder.glob("*.journal")
    said = await run("journal", "verify", journal)
    assert b"as written" in said
    plain = tmp_path / "plain.journal"
    plain.write_bytes(await run("journal", "open", journal, "--key", tmp_path / "surveillance"))
    lines = plain.read_bytes().splitlines()
    assert "since" in headers(lines)[1]
    assert published(subscriber) == [
        line.split(b" ", 2)[2] for line in lines if line.startswith(b"= ")
    ]
    assert (await run("replay", plain)).splitlines() == published(subscriber)
    uids = {line.split()[3] for line in lines if line.startswith(b"< ")}
    assert not any(uid in journal.read_bytes() for uid in uids if len(uid) > 16)
