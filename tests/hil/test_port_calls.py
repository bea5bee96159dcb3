"""`listen://`: a port that devices call. Real sockets on loopback."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from drivers.driver import Driver
from drivers.port import Pauses, Port
from drivers.port import calls as calls_module
from drivers.port.calls import Calls
from drivers.port.opening import Line, open_line
from drivers.port.reasons import CALLED_ANEW, HUNG_UP, NO_CALL, SILENT
from drivers.simulated.rig import on_dial
from tests.conftest import open_descriptors
from tests.hil.record import ASKING, PLAIN, SOON_S, Lines, Record, listening, turns_of_the_loop

HOST = "127.0.0.1"
BEATING = Driver(name="beating", title="must speak", decoder=Lines, silent_after_ms=60)


def free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        return probe.getsockname()[1]


@pytest.fixture
def number() -> int:
    return free_port()


async def called(number: int) -> socket.socket:
    """A call that got through; the port may not be listening yet."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SOON_S):
        while True:
            link = socket.socket()
            link.setblocking(False)
            try:
                await loop.sock_connect(link, (HOST, number))
            except ConnectionRefusedError:
                link.close()
                await asyncio.sleep(0.005)
            else:
                return link


async def heard_by(link: socket.socket) -> bytes:
    return await asyncio.wait_for(asyncio.get_running_loop().sock_recv(link, 99), SOON_S)


def at(number: int) -> str:
    return f"listen://{HOST}:{number}"


async def test_a_caller_speaks_is_answered_and_its_hang_up_is_noticed(number: int) -> None:
    async with listening(at(number), ASKING) as record:
        await record.until(lambda: record.news == [NO_CALL])
        for n in range(3):
            with closing(await called(number)) as link:
                link.sendall(b"ping\n")
                assert b"hello" in await heard_by(link)
                await record.until(lambda n=n: record.said.count(b"pong\n") == n + 1)
            await record.until(lambda n=n: record.news.count(HUNG_UP) == n + 1)
    assert record.news == [NO_CALL, *["back", HUNG_UP] * 3]


async def test_the_last_caller_counts(number: int) -> None:
    async with listening(at(number)) as record:
        with closing(await called(number)) as first:
            first.sendall(b"first\n")
            await record.until(lambda: record.heard == b"first\n")
            with closing(await called(number)) as second:
                second.sendall(b"second\n")
                await record.until(lambda: record.heard.endswith(b"second\n"))
                assert await heard_by(first) == b""  # hung up on
                assert record.news == [NO_CALL, "back", CALLED_ANEW, "back"]
        assert record.heard == b"first\nsecond\n"


async def test_of_many_callers_at_once_the_last_one_is_heard(number: int) -> None:
    slow = Pauses(first_s=0.3, most_s=0.3)
    async with listening(at(number), pauses=slow) as record:
        links = [await called(number) for _ in range(5)]
        for n, link in enumerate(links[:-1]):
            with closing(link):
                link.setblocking(True)
                link.settimeout(SOON_S)
                assert await asyncio.to_thread(link.recv, 9) == b"", n
        with closing(links[-1]) as last:
            last.sendall(b"last\n")
            await record.until(lambda: record.heard.endswith(b"last\n"))


async def test_a_call_that_says_nothing_any_more_is_given_up_and_the_next_is_taken(
    number: int,
) -> None:
    async with listening(at(number), BEATING) as record:
        with closing(await called(number)) as dead:  # as one whose far end lost its power
            dead.sendall(b"beat\n")
            await record.until(lambda: record.news == [NO_CALL, "back", SILENT])
            with closing(await called(number)) as link:
                link.sendall(b"beat\n")
                await record.until(lambda: record.news[-2:] == [SILENT, "back"])


async def test_a_caller_that_is_gone_without_a_word_is_found_by_keepalive(number: int) -> None:
    line = open_line(at(number), PLAIN)
    calls = Calls(line)
    try:
        with closing(await called(number)):
            caller = await asyncio.wait_for(calls.caller(), SOON_S)
            try:
                with socket.socket(fileno=os.dup(caller.fd)) as link:
                    assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                    assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 5
                    assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 15_000
            finally:
                caller.close()
    finally:
        calls.stop()


async def test_an_address_in_use_is_told_and_taken_once_it_is_free(number: int) -> None:
    with socket.create_server((HOST, number)):
        async with listening(at(number)) as record:
            await record.until(lambda: bool(record.news))
            assert record.news == ["address in use: something else listens there"]
    async with listening(at(number)) as record:
        await record.until(lambda: record.news == [NO_CALL])


async def test_an_address_that_becomes_free_is_listened_at(number: int) -> None:
    server = socket.create_server((HOST, number))
    async with listening(at(number)) as record:
        await record.until(lambda: bool(record.news))
        server.close()
        with closing(await called(number)) as link:
            link.sendall(b"here\n")
            await record.until(lambda: record.heard == b"here\n")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("listen://127.0.0.1", "address not understood"),
        ("listen://:10005", "address not understood"),
        ("listen://127.0.0.1:0", "address not understood"),
        ("listen://127.0.0.1:99999", "address not understood"),
        ("listen://[::1", "address not understood"),
        ("listen://192.0.2.1:10005", "not an address of this machine"),
    ],
)
async def test_an_address_at_which_nobody_can_listen_says_why(address: str, why: str) -> None:
    async with listening(address) as record:
        await record.until(lambda: bool(record.news))
    assert record.news == [why]


async def test_a_second_listener_is_told_and_takes_no_call_of_the_first(number: int) -> None:
    async with listening(at(number)) as first:
        await first.until(lambda: first.news == [NO_CALL])
        async with listening(at(number)) as second:
            await second.until(lambda: bool(second.news))
            assert second.news == ["address in use: something else listens there"]
            with closing(await called(number)) as link:
                link.sendall(b"mine\n")
                await first.until(lambda: first.heard == b"mine\n")


async def test_waiting_for_a_call_costs_nothing(number: int) -> None:
    async with listening(at(number)) as record:
        await record.until(lambda: record.news == [NO_CALL])
        assert await turns_of_the_loop(0.2) < 10


async def test_a_stop_closes_the_door_and_the_call(number: int) -> None:
    async with listening(at(number)) as record:
        link = await called(number)
        await record.until(lambda: "back" in record.news)
    with closing(link):
        assert await heard_by(link) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, number))


async def test_a_stop_while_a_call_waits_to_be_taken_leaves_nothing(number: int) -> None:
    slow = Pauses(first_s=30, most_s=30)
    async with listening(at(number), pauses=slow) as record:
        (await called(number)).close()
        await record.until(lambda: HUNG_UP in record.news)
        waiting = await called(number)
    with closing(waiting):
        assert await heard_by(waiting) == b""


async def test_fifty_calls_leave_no_descriptor_behind(number: int) -> None:
    async with listening(at(number)) as record:
        await record.until(lambda: record.news == [NO_CALL])
        before = len(open_descriptors())
        for n in range(50):
            with closing(await called(number)) as link:
                link.sendall(b"%02d\n" % n)
                await record.until(lambda n=n: record.heard.endswith(b"%02d\n" % n))
            await record.until(lambda n=n: record.news.count(HUNG_UP) == n + 1)
        assert len(open_descriptors()) <= before + 1  # the last one is being closed
    assert record.heard == b"".join(b"%02d\n" % n for n in range(50))


@contextmanager
def no_free_descriptor() -> Iterator[None]:
    """Every descriptor that this process may have is taken."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    top = max(int(fd.name) for fd in Path("/proc/self/fd").iterdir()) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (top, limits[1]))
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        pass
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for fd in taken:
            os.close(fd)


async def test_without_a_free_descriptor_a_call_waits_and_the_loop_does_not_spin(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls_module, "AGAIN_S", 0.2)
    async with listening(at(number)) as record:
        await record.until(lambda: record.news == [NO_CALL])
        with closing(socket.socket()) as link:
            link.setblocking(False)
            with no_free_descriptor():
                await asyncio.get_running_loop().sock_connect(link, (HOST, number))
                assert await turns_of_the_loop(0.1) < 10
            link.sendall(b"late\n")
            await record.until(lambda: record.heard == b"late\n")


async def test_a_bug_of_the_ear_at_a_second_call_is_raised(number: int) -> None:
    class Broken(Record):
        def tell(self, word: str) -> None:
            super().tell(word)
            if word == CALLED_ANEW:
                raise KeyError("a bug")

    record = Broken()
    task = asyncio.create_task(Port(at(number), PLAIN, record.ear()).run())
    with closing(await called(number)):
        await record.until(lambda: "back" in record.news)
        with closing(await called(number)), pytest.raises(KeyError, match="a bug"):
            await asyncio.wait_for(task, SOON_S)


def test_a_line_that_only_takes_calls_is_not_blocking(number: int) -> None:
    line: Line = open_line(at(number), PLAIN)
    try:
        assert not os.get_blocking(line.fd)
    finally:
        line.close()


class Beats:
    """A device that says `beat` when it is woken first, and then what it is told to say."""

    next_ms = 0

    def __init__(self) -> None:
        self.heard = b""

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        self.heard += data
        return b""

    def wake(self, now_ms: int) -> bytes:
        self.next_ms = now_ms + 10
        return b"beat\n"


async def test_a_rig_calls_until_somebody_listens_and_again_after_each_hang_up(
    number: int,
) -> None:
    device = Beats()
    async with on_dial(HOST, number) as rig:
        await rig.plug(device)
        assert rig.address == at(number)
        for _ in range(2):
            async with listening(rig.address, ASKING) as record:
                await record.until(lambda: b"beat\n" in record.heard)
                await record.until(lambda: b"hello" in record.said)
        async with listening(rig.address) as record:
            await record.until(lambda: b"beat\n" in record.heard)
            await rig.unplug()
            await record.until(lambda: record.news == [NO_CALL, "back", HUNG_UP])
            assert not rig.is_connected
            await rig.replug()
            await record.until(lambda: record.news == [NO_CALL, "back", HUNG_UP, "back"])
