"""What the web costs: pages a second with and without a login, memory for each open stream.

    python -m tests.bench.web

The server runs in a process of its own, which tells its memory; the pages' floor is the smallest
answer that the same server gives, in the same run.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import click

from daemon.floor.people.sessions import PER_PERSON_MAX
from tests.floor import said
from tests.floor.web.side import Floorside, opened

AT_ONCE = 8


async def serve(folder: Path) -> None:
    """Be the server: say where, and as whom to come; end with standard input."""
    async with opened(folder) as side:
        for number in range(1, 201):
            table = f"poker-{number}"
            side.heard(said.topic("status", table=table), said.status(), retained=True)
            side.heard(said.topic("hand", table=table), said.hand(), retained=True)
        tokens = [await _token(side) for _ in range(PER_PERSON_MAX)]
        print(side.serving.address, *tokens, flush=True)
        beating = asyncio.create_task(_beat(side))
        await asyncio.to_thread(sys.stdin.read)
        beating.cancel()


async def _token(side: Floorside) -> str:
    return (await side.people.trust("supervise")).token


async def _beat(side: Floorside) -> None:
    while True:
        side.room.pass_time()
        await asyncio.sleep(0.25)


def resident_kb(process: int) -> int:
    """The memory that it holds now."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def pages(address: str, path: str, count: int, token: str = "") -> float:
    """How many of them a second, several at once over connections that stay."""
    host, port = address.removeprefix("http://").split(":")
    asked = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: floorcall={token}\r\n\r\n".encode()

    async def some(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        for _ in range(number):
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 "), head
            length = re.search(rb"content-length: (\d+)", head)
            assert length is not None
            await reader.readexactly(int(length[1]))
        writer.close()

    await some(10)
    begun_s = perf_counter()
    await asyncio.gather(*(some(count // AT_ONCE) for _ in range(AT_ONCE)))
    return count / (perf_counter() - begun_s)


async def streams(address: str, tokens: list[str], count: int, process: int) -> float:
    """Kilobytes of the server's memory for each of so many open streams of 200 tables."""
    before_kb = resident_kb(process)
    writers = []
    host, port = address.removeprefix("http://").split(":")
    for number in range(count):
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"GET /live?screen=s{number} HTTP/1.1\r\nHost: localhost\r\n"
            f"Cookie: floorcall={tokens[number % len(tokens)]}\r\n\r\n"
        )
        writer.write(head.encode())
        await reader.readuntil(b"event: picture")
        writers.append((reader, writer, asyncio.create_task(_drain(reader))))
    await asyncio.sleep(5)
    after_kb = resident_kb(process)
    for _, writer, task in writers:
        task.cancel()
        writer.close()
    return (after_kb - before_kb) / count


async def _drain(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


async def measure(address: str, tokens: list[str], process: int, count: int, open_: int) -> None:
    """Print all of it."""
    for words, path, token in (
        ("a page without a login, /login", "/login", ""),
        ("who is there, /api/me", "/api/me", tokens[0]),
        ("a page with a session, /floor", "/floor", tokens[0]),
    ):
        # The smallest answer before and behind: whatever else this machine does, it does to both.
        before_s = await pages(address, "/healthz", count)
        each_s = await pages(address, path, count, token)
        least_s = (before_s + await pages(address, "/healthz", count)) / 2
        share = each_s / least_s
        click.echo(f"{words:34} {each_s:8.0f} a second, {share:.2f} of the smallest answer's")
    kb = await streams(address, tokens, open_, process)
    click.echo(f"{f'{open_} open streams of 200 tables':34} {kb:8.0f} kB each")
    click.echo(f"{'the server in all':34} {resident_kb(process):8.0f} kB")


@click.command()
@click.option("--pages", "count", default=2000, show_default=True, help="Pages of each kind.")
@click.option(
    "--streams", "open_", default=100, show_default=True, help="Open streams, at most 100."
)
def main(count: int, open_: int) -> None:
    """Measure the web."""
    with tempfile.TemporaryDirectory() as name:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.web", "--serve", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            address, *tokens = server.stdout.readline().split()
            asyncio.run(measure(address, tokens, server.pid, count, open_))
        finally:
            server.stdin.close()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                os.kill(server.pid, signal.SIGKILL)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(Path(sys.argv[2])))
    else:
        main()
