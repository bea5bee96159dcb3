"""The floor's service whole: a real table, a real broker, a real history, a stream over HTTP."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from time import monotonic

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from daemon.app import App
from daemon.demo.dealers import hands
from daemon.demo.live import LiveTable
from daemon.edges.books import read_books
from daemon.edges.journal import latest_journal, read_journal
from daemon.edges.settings import read_settings
from daemon.floor.app import FloorApp
from daemon.floor.history.tables import transition
from daemon.floor.settings import read_floor_settings
from daemon.floor.views import Act, Person
from daemon.pipeline import Pipeline
from daemon.table.layout import Layout
from daemon.transcript import Published
from tests.conftest import Broker, free_port

PATIENCE_S = 120
ANNA = Person("anna", "Anna", "supervise")
FLOOR = """
site = "{site}"
[broker]
urls = ["{url}"]
[web]
port = {port}
[web.proxy]
addresses = ["127.0.0.1"]
header = "x-remote-user"
administrators = ["boss"]
secure = false
[acts]
undo_s = 0
[chain]
every_s = 5
"""


def configured(folder: Path, broker: Broker, port: int, site: str = "demo") -> Path:
    path = folder / "floor.toml"
    path.write_text(FLOOR.format(site=site, url=broker.url, port=port))
    return path


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110 - another task's state
            await asyncio.sleep(0.02)


@asynccontextmanager
async def floor(path: Path) -> AsyncIterator[FloorApp]:
    app, stop = FloorApp(read_floor_settings(path)), asyncio.Event()
    running = asyncio.create_task(app.run(stop))
    try:
        await until(lambda: running.done() or (app.room.is_up and app.screens.is_up))
        yield app
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await running


@asynccontextmanager
async def table(folder: Path, broker: Broker) -> AsyncIterator[LiveTable]:
    """A real daemon at a table of simulated sensors."""
    book, texts = read_books("robert-classic")

    def make_line(layout: Layout) -> Pipeline:
        return Pipeline(layout, book, texts)

    live = LiveTable("poker-1", folder, broker.url, random.Random("a table"))
    stop = asyncio.Event()
    async with live.plugged():
        app = App(read_settings(live.configuration), make_line)
        running = asyncio.create_task(app.run(stop))
        try:
            await live.ready()
            yield live
        finally:
            stop.set()
            await running


def published(live: LiveTable) -> Counter[tuple[str, int]]:
    """What the table has told by its own journal."""
    folder = read_settings(live.configuration).journal_folder
    path = latest_journal(folder)
    assert path is not None
    lines = [entry.line for entry in read_journal(path) if isinstance(entry, Published)]
    said = [msgspec.json.decode(one) for one in lines]
    return Counter((one["id"], one["revision"]) for one in said)


def remembered(path: Path) -> Counter[tuple[str, int]]:
    """What the history has."""
    engine = sa.create_engine(read_floor_settings(path).history_url)
    with engine.connect() as connection:
        rows = connection.execute(sa.select(transition.c.alert, transition.c.revision)).all()
    engine.dispose()
    return Counter((row[0], row[1]) for row in rows)


async def test_restarts_and_a_lost_broker_neither_lose_nor_double_a_transition(
    own_broker: Broker, tmp_path: Path
) -> None:
    path = configured(tmp_path, own_broker, free_port())
    (tmp_path / "table").mkdir()
    async with table(tmp_path / "table", own_broker) as live:
        stage = live.stage(100)
        dealt = hands("restarts", 0)

        async def deal(count: int) -> None:
            for hand in islice(dealt, count):
                await live.perform(stage.play(hand))

        async with floor(path):
            dealing = asyncio.create_task(deal(1))
            own_broker.stop(kill=True)
            await asyncio.sleep(0.5)
            own_broker.start()
            await dealing
        (tmp_path / "state" / "heard").touch()
        await deal(1)  # while nobody of the floor is there
        async with floor(path):
            told = published(live)
            assert len(told) > 5
            await until(lambda: remembered(path) == told)
        assert remembered(path) == told


async def test_an_order_reaches_a_real_table_and_its_answer_comes_back(
    own_broker: Broker, tmp_path: Path
) -> None:
    path = configured(tmp_path, own_broker, free_port())
    (tmp_path / "table").mkdir()
    async with table(tmp_path / "table", own_broker) as live, floor(path) as app:
        stage = live.stage(100)
        dealing = asyncio.create_task(live.perform(stage.play(next(hands("orders", 0)))))
        await until(lambda: app.room.snapshot("supervise")["alerts"])
        (shown,) = app.room.snapshot("supervise")["tables"]
        assert shown["state"] in {"live", "unknown"}  # until its next word
        covers = app.room.coverage("supervise", shown["site"], shown["table"])
        assert shown["coverage"] == 1
        assert set(covers or ()) >= {"spots", "called", "unseen", "never", "text"}
        assert set(shown["hand"]) >= {"seats_in", "public", "due", "acts", "places"}
        assert set(shown["figures"]) >= {"hands", "alerts", "acknowledged", "standing"}
        assert {"felt", "seats"} <= set(shown["sensors"])
        (alert,) = app.room.snapshot("supervise")["alerts"][:1]
        assert set(alert["alert"]) >= {"window", "remedy", "text", "seats", "cards", "evidence"}
        dealing.cancel()
        await asyncio.wait({dealing})
        with app.room.listen(ANNA, "s1") as ear:
            await anext(ear)
            shown = app.room.snapshot("supervise")["alerts"][0]
            revision = shown["alert"]["revision"]
            act = Act(id="a1", key=shown["key"], revision=revision, act="note", text="seen")
            await app.room.act(ANNA, act)
            states = []
            async with asyncio.timeout(PATIENCE_S):
                while "done" not in states:
                    states += [one.view["state"] for one in await anext(ear) if one.kind == "act"]
        assert states == ["pending", "sent", "done"]
        await until(lambda: _note_of(app, shown["key"]) == "seen")


def _note_of(app: FloorApp, key: str) -> str:
    alert = app.room.alert("supervise", key)
    return ((alert or {}).get("alert", {}).get("note") or {}).get("text", "")


async def test_the_chain_is_tested_over_the_broker(own_broker: Broker, tmp_path: Path) -> None:
    path = configured(tmp_path, own_broker, free_port())
    async with floor(path) as app:
        with app.room.listen(ANNA, "s1") as ear:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    numbers = [
                        one.view["number"] for one in await anext(ear) if one.kind == "chain"
                    ]
                    if numbers:
                        break
            app.room.chain_seen("s1", numbers[0])
            chain = app.room.snapshot("wall")["chain"]
    assert chain["whole"]
    assert chain["at"] is not None


def test_sigterm_ends_it_within_seconds_with_streams_open(
    own_broker: Broker, tmp_path: Path
) -> None:
    port = free_port()
    path = configured(tmp_path, own_broker, port)
    service = subprocess.Popen(
        [sys.executable, "-m", "daemon", "floor", "--config", str(path)],
        stderr=subprocess.PIPE,
        env=os.environ | {"STATE_DIRECTORY": str(tmp_path / "kept")},
    )
    try:
        base = f"http://127.0.0.1:{port}"
        headers = {"x-remote-user": "boss"}
        with httpx.Client(base_url=base, headers=headers, timeout=PATIENCE_S) as browser:
            _until_it_answers(browser)
            with browser.stream("GET", "/live?screen=s1") as first:
                lines = first.iter_lines()
                while not next(lines).startswith("event: picture"):
                    pass
                began_s = monotonic()
                service.send_signal(signal.SIGTERM)
                rest = list(lines)
        assert any("restart" in line for line in rest)
        assert service.wait(PATIENCE_S) == 0
        assert monotonic() - began_s < PATIENCE_S / 3
    finally:
        service.kill()
        service.communicate()
    assert (tmp_path / "kept" / "history.db").exists()


def _until_it_answers(browser: httpx.Client) -> None:
    began_s = monotonic()
    while monotonic() - began_s < PATIENCE_S:
        try:
            if browser.get("/api/me").status_code == 200:
                return
        except httpx.TransportError:
            pass
        signal.sigtimedwait([], 0.1)
    pytest.fail("the service does not answer")


def test_a_configuration_of_no_use_ends_it_with_78_and_every_mistake(tmp_path: Path) -> None:
    path = tmp_path / "floor.toml"
    path.write_text('site = "a/b"\n[broker]\nurls = ["http://x"]\n[web]\nlisten = "0.0.0.0"\n')
    for command in (["floor", "--config"], ["check"]):
        ended = subprocess.run(
            [sys.executable, "-m", "daemon", *command, str(path)],
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert ended.returncode == 78
        for where in ("site", "broker.urls[0]", "web.listen"):
            assert f"\n  {where} " in ended.stderr


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("file/state", "{folder}/file/state: Not a directory"),
        ("state", "127.0.0.1 port {port}: Address already in use"),
    ],
)
def test_a_folder_that_cannot_be_and_a_taken_address_are_named(
    tmp_path: Path, state: str, why: str
) -> None:
    path = tmp_path / "floor.toml"
    (tmp_path / "file").touch()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        floor = FLOOR.format(site="a", url="mqtt://127.0.0.1:1", port=port)
        path.write_text(f'state = "{state}"\n{floor}')
        ended = subprocess.run(
            [sys.executable, "-m", "daemon", "floor", "--config", str(path)],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    assert (ended.returncode, ended.stderr.strip()) == (1, why.format(folder=tmp_path, port=port))


def test_check_tells_a_floors_configuration_from_a_tables_and_what_should_not_stay_so(
    tmp_path: Path,
) -> None:
    path = tmp_path / "floor.toml"
    secret = tmp_path / "secret"
    secret.write_text("word\n")
    path.write_text(
        'site = "house"\n[broker]\nurls = ["mqtt://broker.example"]\nusername = "floor"\n'
        'password_file = "secret"\n[web]\nport = 8090\n'
    )
    for lang, words in (("en", "the floor of house"), ("it", "la sala di house")):
        ended = subprocess.run(
            [sys.executable, "-m", "daemon", "check", str(path), "--lang", lang],
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, "")
        assert words in ended.stdout
        assert "broker.urls[0]" in ended.stdout
        assert "127.0.0.1 8090" in ended.stdout


WITHOUT = """
import sys
for name in "alembic argon2 jinja2 multipart pg8000 reportlab sqlalchemy starlette uvicorn".split():
    sys.modules[name] = None
from daemon.cli import main
main()
"""


def test_a_table_controller_without_the_floors_libraries_has_every_other_command(
    tmp_path: Path,
) -> None:
    path = tmp_path / "floor.toml"
    path.write_text('site = "house"\n[broker]\nurls = ["mqtt://127.0.0.1"]\n[web]\nport = 8090\n')
    for command, status, words in (
        (["--help"], 0, "watches a Texas Hold'em deal"),
        (["check", str(path)], 0, "the floor of house"),
        (["floor", "--config", str(path)], 78, "pip install 'floorcall[floor]'"),
    ):
        ended = subprocess.run(
            [sys.executable, "-c", WITHOUT, *command],
            capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert ended.returncode == status, ended.stderr
        assert words in ended.stdout + ended.stderr
