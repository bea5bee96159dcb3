"""No secret of the broker's in anything that leaves the program, whatever goes wrong, at debug."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.conftest import free_port
from tests.house import House, password_line, running_house
from tests.tools.conftest import PROGRAM, SOON_S, Bench

SECRET = "Zq9+secret/word"


def spellings(secret: bytes) -> list[bytes]:
    """This secret as it may be written somewhere: as it is, quoted, in base64 at any offset."""
    coded = [base64.b64encode(b"x" * n + secret)[4 if n else 0 : -4] for n in range(3)]
    return [secret, quote(secret, safe="").encode(), secret.hex().encode(), *coded]


def key_lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines() if b"-----" not in line]


@pytest.fixture
def house(bench: Bench) -> House:
    with running_house(bench.folder / "house") as one:
        one.authority.client("poker-12")
        with (one.folder / "floorcall.passwd").open("a") as passwords:
            passwords.write(password_line("poker-12", SECRET))
        one.read_anew()
        yield one


def broker_of(bench: Bench, house: House, case: str) -> tuple[str, str]:
    """The URL and the further lines of `[broker]` of a case."""
    (bench.folder / "password").write_text(f"{SECRET}\n")
    (bench.folder / "wrong").write_text(f"{SECRET}x\n")
    (bench.folder / "bytes").write_bytes(SECRET.encode() + b"\xff")
    login = 'username = "poker-12"\npassword_file = "{}"'
    own = house.authority.access("poker-12")
    tls = f'ca = "{own.ca}"\ncertificate = "{own.certificate}"\nkey = "{own.key}"'
    plain, safe = f"mqtt://127.0.0.1:{house.plain}", f"mqtts://localhost:{house.safe}"
    both = f"{login.format('password')}\n{tls}"
    return {
        "well": (plain, login.format("password")),
        "well with TLS": (safe, both),
        "wrong password": (plain, login.format("wrong")),
        "no broker": (f"mqtt://127.0.0.1:{free_port()}", login.format("password")),
        "TLS at a plain port": (f"mqtts://127.0.0.1:{house.plain}", both),
        "no TLS at a TLS port": (f"mqtt://127.0.0.1:{house.safe}", login.format("password")),
        "wrong authority": (safe, both.replace(str(own.ca), str(own.certificate))),
        "key for a certificate": (safe, f"{tls.replace(str(own.certificate), str(own.key))}"),
        "password that is no text": (plain, login.format("bytes")),
        "password for a file's name": (plain, login.format(SECRET)),
        "password in the configuration": (plain, f'username = "x"\npassword = "{SECRET}"'),
        "password in the URL": (f"mqtt://poker-12:{quote(SECRET, safe='')}@127.0.0.1", ""),
        "password as a number's place": (plain, f'client = ["{SECRET}"]'),
        "password as a username's table": (plain, f'username = {{ "{SECRET}" = 1 }}'),
    }[case]


CASES = [
    "well", "well with TLS", "wrong password", "no broker", "TLS at a plain port",
    "no TLS at a TLS port", "wrong authority", "key for a certificate", "password that is no text",
    "password for a file's name", "password in the configuration", "password in the URL",
    "password as a number's place", "password as a username's table",
]  # fmt: skip


async def output(*args: object, goes_on: bool = False) -> bytes:
    """All that a command says; one that goes on by itself is ended after a word of it."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, *map(str, args),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    said = b""
    try:
        async with asyncio.timeout(SOON_S):
            while line := await process.stdout.readline():
                said += line
                if goes_on and any(
                    word in line for word in (b'"broker connected"', b'"no broker"')
                ):
                    process.terminate()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
    return said


@pytest.mark.parametrize("case", CASES)
async def test_no_secret_leaves_the_program(bench: Bench, house: House, case: str) -> None:
    url, lines = broker_of(bench, house, case)
    config = bench.configure(url, broker=lines)
    before = {path for path in bench.folder.rglob("*") if path.is_file()}
    left: dict[str, bytes] = {}
    async with house.client("witness") as witness:
        await witness.subscribe("#")
        said = await asyncio.gather(
            output("run", "--config", config, "--log-level", "debug", goes_on=True),
            output("check", config),
            output("doctor", config),
        )
        left |= zip(("run", "check", "doctor"), said, strict=True)
        await witness.subscribe("end/of/it")
        while len(witness.messages):
            message = await anext(witness.messages)
            left[str(message.topic)] = bytes(message.payload)
    for path in {path for path in bench.folder.rglob("*") if path.is_file()} - before:
        left[str(path)] = path.read_bytes()
    left["the broker's log"] = (house.folder / "log").read_bytes()
    assert left["run"]
    assert left["check"]
    own = house.authority.access("poker-12")
    for where, said in left.items():
        for spelling in (*spellings(SECRET.encode()), *key_lines(own.key)):
            assert spelling not in said, where
        assert b"Traceback" not in said, said.decode()


def test_a_secret_that_leaks_would_be_found() -> None:
    for leak in (SECRET, quote(SECRET, safe=""), f"user:{SECRET}", f"poker-12:{SECRET}x"):
        coded = base64.b64encode(leak.encode())
        found = [s for s in spellings(SECRET.encode()) if s in leak.encode() or s in coded]
        assert found, leak
