"""The program as it is installed: `run` on ptys, then `replay` of the journal that it wrote."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from pathlib import Path

import msgspec

from daemon.demo.live import LiveTable
from daemon.demo.outcome import RIGHT
from daemon.edges.settings import read_settings
from tests.conftest import Broker
from tests.hil.line import SITE_ROOT, SOON_S, SPEED, subscribed
from tests.hil.test_line import incident_of

SEATS = 6
PROGRAM = (sys.executable, "-m", "daemon")


async def test_a_replay_gives_byte_for_byte_what_run_published(
    broker: Broker, tmp_path: Path
) -> None:
    table = LiveTable("replayed", tmp_path, broker.url, random.Random(5), SEATS)
    happened = incident_of("turn-premature", RIGHT)
    async with table.plugged(), subscribed(broker.port, "replayed") as subscriber:
        daemon = await asyncio.create_subprocess_exec(
            *PROGRAM, "run", "--config", str(table.configuration), stderr=asyncio.subprocess.PIPE
        )
        try:
            await asyncio.wait_for(table.ready(), SOON_S)
            await table.perform(table.stage(SPEED).play(happened.events))
            await subscriber.until_over("replayed")
        finally:
            daemon.send_signal(signal.SIGTERM)
            _, told = await asyncio.wait_for(daemon.communicate(), SOON_S)
        assert daemon.returncode == 0, told.decode()
    root = f"{SITE_ROOT}/replayed/log/"
    published = [
        payload
        for topic, payload in subscriber.said
        if topic.startswith(root) and payload and not topic.endswith("/surveillance")
    ]
    folder = read_settings(table.configuration).journal_folder
    (journal,) = folder.glob("*.journal")
    again = await asyncio.create_subprocess_exec(
        *PROGRAM, "replay", str(journal), stdout=asyncio.subprocess.PIPE
    )
    replayed, _ = await asyncio.wait_for(again.communicate(), SOON_S)
    assert again.returncode == 0
    assert len(published) > 1
    assert replayed.splitlines() == published
    assert journal.stat().st_mode & 0o777 == 0o600
    figures = folder / "figures.json"
    assert figures.stat().st_mode & 0o777 == 0o600
    assert msgspec.json.decode(figures.read_bytes())["antennas"]["felt/1"]["polls"] > 0
