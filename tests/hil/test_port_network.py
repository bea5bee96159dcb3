from __future__ import annotations

import asyncio
import os
import socket

import pytest

from drivers.port import port as port_module
from drivers.port.reasons import HUNG_UP
from tests.hil.record import ASKING, PLAIN, listening


async def test_a_socket_carries_bytes_both_ways_and_its_hang_up_is_noticed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        loop = asyncio.get_running_loop()
        address = f"socket://127.0.0.1:{server.getsockname()[1]}"
        async with listening(address, ASKING) as record:
            for n in range(3):
                link, _ = await loop.sock_accept(server)
                with link:
                    await loop.sock_sendall(link, b"ping\n")
                    await record.until(lambda n=n: record.said.count(b"pong\n") == n + 1)
                    assert b"hello" in await loop.sock_recv(link, 99)
                await record.until(lambda n=n: record.news.count("back") >= n + 1)
                await record.until(lambda n=n: record.news.count(HUNG_UP) == n + 1)


async def test_a_socket_nobody_listens_on_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
    async with listening(f"socket://127.0.0.1:{number}") as record:
        await record.until(lambda: bool(record.news))
    assert record.news == ["connection refused"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("socket://127.0.0.1", "address not understood"),
        ("socket://:80", "address not understood"),
        ("socket://127.0.0.1:99999", "address not understood"),
        ("socket://[::1", "address not understood"),
        ("nonsense://x", "address not understood"),
        ("loop://?unknown=option", "address not understood"),
        ("rfc2217://127.0.0.1", "cannot be opened"),
        ("hwgrep://no-such-adapter", "cannot be opened"),
        ("/dev/null", "not a serial port"),
        ("", "missing"),
    ],
)
async def test_an_address_that_cannot_be_opened_says_why_in_words_of_ours(
    address: str, why: str
) -> None:
    async with listening(address) as record:
        await record.until(lambda: bool(record.news))
    assert record.news == [why]


async def test_a_dead_network_link_is_found_by_keepalive() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = port_module.open_line(f"socket://127.0.0.1:{server.getsockname()[1]}", PLAIN)
        try:
            with socket.socket(fileno=os.dup(line.fd)) as link:
                assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 5
        finally:
            line.close()


async def test_a_url_without_a_descriptor_works_too() -> None:
    async with listening("loop://", ASKING) as record:
        await record.until(lambda: record.heard.startswith(b"hello 0\n"))
