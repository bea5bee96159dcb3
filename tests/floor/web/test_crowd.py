"""Connections without end, from one who says nothing: whoever has most of them gives way."""

from __future__ import annotations

import asyncio
import resource
import socket
import ssl
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from daemon.floor.web import crowd
from tests.floor import said as said_of
from tests.floor.web.side import HANG_S, Floorside, Visitor, opened, until
from tests.floor.web.test_live import listening
from tests.floor.web.test_serving import PLAIN, certificate, settings_of, up

MOST = 12
ELSEWHERE = "127.0.0.2"  # another machine, as far as a server can see


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.floor.web.serving.room", lambda: MOST)


def from_elsewhere(side: Floorside) -> Visitor:
    way = httpx.AsyncHTTPTransport(local_address=ELSEWHERE)
    http = httpx.AsyncClient(base_url=side.serving.address, timeout=HANG_S, transport=way)
    side.visitors.append(http)
    return Visitor(http)


async def connect(side: Floorside, stack: ExitStack, said: bytes = b"") -> socket.socket:
    place = ("127.0.0.1", side.serving.port)
    one = await asyncio.to_thread(socket.create_connection, place, HANG_S)
    stack.enter_context(one)
    one.sendall(said)
    return one


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: a"])
async def test_whoever_opens_connections_without_end_takes_room_from_himself_alone(
    tmp_path: Path, few: None, said: bytes
) -> None:
    async with opened(tmp_path) as side:
        begun = await side.people.trust("supervise")
        visitor = from_elsewhere(side)
        visitor.http.cookies.set("floorcall", begun.token)
        async with listening(visitor) as ear:
            await ear.next()
            with ExitStack() as stack:
                for _ in range(MOST * 3):
                    await connect(side, stack, said)
                assert (await visitor.get("/api/me")).status_code == 200
                assert (await from_elsewhere(side).get("/healthz")).json() == {"ok": True}
                await until(lambda: len(side.serving._server.server_state.connections) <= MOST + 1)
                side.heard(said_of.topic("status"), said_of.status())
                side.room.pass_time()
                await ear.until("table")


async def test_whoever_never_begins_to_speak_tls_gives_way_too(tmp_path: Path, few: None) -> None:
    certificate(tmp_path)
    text = PLAIN + 'certificate = "floor.crt"\nkey = "floor.key"\n'
    trusted = ssl.create_default_context(cafile=str(tmp_path / "floor.crt"))
    async with up(settings_of(tmp_path, text)) as served:
        place = ("127.0.0.1", int(served.address.rpartition(":")[2]))
        with ExitStack() as stack:
            for _ in range(MOST * 3):
                one = await asyncio.to_thread(socket.create_connection, place, HANG_S)
                stack.enter_context(one)
            way = httpx.AsyncHTTPTransport(local_address=ELSEWHERE, verify=trusted)
            async with httpx.AsyncClient(transport=way, timeout=HANG_S) as http:
                answer = await http.get(f"{served.address}/healthz")
        assert answer.json() == {"ok": True}


async def test_where_nobody_can_give_way_one_more_is_turned_away(tmp_path: Path, few: None) -> None:
    async with opened(tmp_path) as side:
        with ExitStack() as stack:
            begun = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{side.serving.port}\r\n"
            begun += f"Origin: {side.serving.address}\r\nContent-Length: 9\r\n"
            begun += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            for _ in range(MOST):
                await connect(side, stack, begun.encode())
            busy = side.serving._crowd._busy
            await until(lambda: len(busy) == MOST)
            one = await connect(side, stack)
            assert await asyncio.to_thread(one.recv, 1) == b""
            assert len(busy) == MOST
            assert (await from_elsewhere(side).get("/healthz")).json() == {"ok": True}


async def test_a_connection_that_is_over_is_counted_no_more(tmp_path: Path, few: None) -> None:
    async with opened(tmp_path) as side:
        for _ in range(MOST * 2):
            async with httpx.AsyncClient(base_url=side.serving.address, timeout=HANG_S) as http:
                assert (await http.get("/healthz")).status_code == 200
        await until(lambda: len(side.serving._crowd) == 0)
        assert side.serving._crowd._busy == set()


def test_there_is_room_for_no_more_than_the_process_has_descriptors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for soft, most in [(1024, 858), (100, 1), (65536, 1000), (resource.RLIM_INFINITY, 1000)]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert crowd.room() == most
