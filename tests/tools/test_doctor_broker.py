"""The doctor at real brokers: what refuses a table is told step by step."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from daemon.access import REFUSALS
from daemon.doctor.words import ENGLISH, ITALIAN
from daemon.shipped import config_path
from tests.authority import Authority
from tests.conftest import Broker, free_port, mosquitto_program
from tests.edges.conftest import listening
from tests.house import House, password_line, running_house
from tests.tools.conftest import ALL_OF_IT_S, SOON_S, Bench, called, running

ROOT = "floorcall/v1/venezia/poker-12"


@contextmanager
def mosquitto(folder: Path, conf: str) -> Iterator[int]:
    """A mosquitto with these lines, and users whose passwords are their names."""
    port = free_port()
    users = ("poker-12", "poker-13")
    (folder / "passwd").write_text("".join(map(password_line, users)))
    path = folder / "mosquitto.conf"
    path.write_text(conf.format(port=port, folder=folder) + "\nuser root\npersistence false\n")
    with subprocess.Popen(
        [mosquitto_program(), "-c", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, "mosquitto does not start"
            yield port
        finally:
            process.terminate()


LOGIN = """
listener {port} 127.0.0.1
allow_anonymous false
password_file {folder}/passwd
"""
SHIPPED_RULES = f"{LOGIN}acl_file {config_path('mosquitto', 'floorcall.acl')}\n"
READS_NOTHING = f"{LOGIN}acl_file {{folder}}/acl\n"


def certified(house: House, name: str = "poker-12", **days: tuple[int, int]) -> str:
    """The lines of `[broker]` with a certificate of the house's authority."""
    access = house.authority.client(name, **days)
    access.key.chmod(0o600)
    return f'ca = "{access.ca}"\ncertificate = "{access.certificate}"\nkey = "{access.key}"'


@pytest.fixture
def house(bench: Bench) -> Iterator[House]:
    with running_house(bench.folder / "house") as one:
        yield one


def as_user(bench: Bench, user: str, password: str) -> str:
    (bench.folder / "password").write_text(password)
    (bench.folder / "password").chmod(0o600)
    return f'username = "{user}"\npassword_file = "password"'


@asynccontextmanager
async def server(answer: bytes) -> AsyncIterator[int]:
    """Something that takes connections, and says this to whatever it is told."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1000):
            writer.write(answer)
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as one:
        yield one.sockets[0].getsockname()[1]


async def broker_row(bench: Bench, url: str, broker: str = "") -> tuple[str, str]:
    told = await called("doctor", bench.configure(url, broker=broker))
    (row,) = told.rows(f"broker {url}")
    assert told.took_s < ALL_OF_IT_S
    assert told.status == (1 if row[0] == "WRONG" else 0), told.said
    return row


async def test_the_shipped_rules_let_a_table_prove_itself(bench: Bench) -> None:
    with mosquitto(bench.folder, SHIPPED_RULES) as port:
        login = as_user(bench, "poker-12", "poker-12\n")
        level, what = await broker_row(bench, f"mqtt://127.0.0.1:{port}", login)
    assert (level, "takes us as poker-12" in what) == ("ok", True), what


async def test_a_wrong_password_is_a_login_refused(bench: Bench) -> None:
    with mosquitto(bench.folder, LOGIN) as port:
        login = as_user(bench, "poker-12", "secret-and-wrong")
        level, what = await broker_row(bench, f"mqtt://127.0.0.1:{port}", login)
    assert level == "WRONG"
    assert what.startswith("127.0.0.1 does not let poker-12 in: "), what
    assert "secret" not in what


async def test_a_user_that_is_not_the_tables_may_not_write_its_topics(bench: Bench) -> None:
    with mosquitto(bench.folder, SHIPPED_RULES) as port:
        login = as_user(bench, "poker-13", "poker-13")
        level, what = await broker_row(bench, f"mqtt://127.0.0.1:{port}", login)
    assert level == "WRONG"
    assert what.startswith("127.0.0.1 does not let poker-13 "), what


async def test_rules_that_refuse_in_silence_show_in_that_nothing_comes_back(bench: Bench) -> None:
    (bench.folder / "acl").write_text("pattern write floorcall/v1/+/%u/#\n")
    with mosquitto(bench.folder, READS_NOTHING) as port:
        login = as_user(bench, "poker-12", "poker-12")
        level, what = await broker_row(bench, f"mqtt://127.0.0.1:{port}", login)
    assert level == "WRONG"
    assert "does not come back" in what or "does not let poker-12 read" in what, what


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mqtt://127.0.0.1:1", "127.0.0.1:1 takes no connection: connection refused"),
        ("mqtt://no-such-host.invalid:1883", "the name no-such-host.invalid is not found"),
    ],
)
async def test_a_broker_that_is_not_there(bench: Bench, url: str, words: str) -> None:
    assert await broker_row(bench, url) == ("WRONG", words)


async def test_tls_at_a_port_without_and_none_at_a_port_with(bench: Bench, house: House) -> None:
    level, what = await broker_row(bench, f"mqtts://127.0.0.1:{house.plain}", certified(house))
    assert (level, "TLS" in what) == ("WRONG", True), what
    level, what = await broker_row(bench, f"mqtt://127.0.0.1:{house.safe}")
    assert (level, "does not answer as a broker" in what) == ("WRONG", True), what


async def test_a_certificate_is_a_login_and_its_name_is_told(bench: Bench, house: House) -> None:
    told = await called("doctor", bench.configure(url := f"mqtts://localhost:{house.safe}",
                                                  broker=certified(house)))  # fmt: skip
    ((level, what),) = told.rows(f"broker {url}")
    assert (level, f"localhost:{house.safe} takes us as poker-12" in what) == ("ok", True), what


async def test_what_is_wrong_with_our_certificate_is_told(bench: Bench, house: House) -> None:
    url = f"mqtts://localhost:{house.safe}"
    stranger = Authority(bench.folder / "stranger")
    for broker, words in (
        (f'ca = "{house.authority.ca}"', "localhost wants a certificate of us"),
        (certified(house, "poker-11", days=(-30, -2)), "our certificate has ended, says localhost"),
        (certified(house).replace(str(house.authority.ca), str(stranger.ca)),
         "the certificate of localhost is not of an authority that is known here"),
        ("", "the certificate of localhost is not of an authority that is known here"),
    ):  # fmt: skip
        assert await broker_row(bench, url, broker) == ("WRONG", words)


async def test_a_certificate_that_ends_soon_is_a_warning(bench: Bench, house: House) -> None:
    house.authority.broker(days=(-30, 12))
    house.stop()
    house.start()
    url = f"mqtts://localhost:{house.safe}"
    told = await called("doctor", bench.configure(url, broker=certified(house, days=(-30, 21))))
    assert told.status == 0, told.said
    (warned, _), (fine, _) = told.rows(f"broker {url}")
    assert (warned, fine) == ("warning", "ok")
    assert "the certificate of localhost ends in 11 days" in told.said
    assert "broker.certificate: the certificate poker-12 ends on " in told.said


async def test_the_daemon_says_itself_that_a_certificate_ends(bench: Bench, house: House) -> None:
    url = f"mqtts://localhost:{house.safe}"
    config = bench.configure(url, broker=certified(house, days=(-30, 21)))
    ends = f"{datetime.now(UTC) + timedelta(days=21):%Y-%m-%d}"
    async with house.client("witness") as witness, running(config):
        await witness.subscribe(f"{ROOT}/status")
        async with asyncio.timeout(SOON_S):
            status = msgspec.json.decode((await anext(witness.messages)).payload)
        assert f"broker: our certificate ends on {ends}" in status["troubles"]


def test_every_reason_of_tls_has_its_words_in_both_languages() -> None:
    for words in (ENGLISH, ITALIAN):
        assert {f"tls-{key}" for key in REFUSALS} | {f"tls-{key}-do" for key in REFUSALS} == {
            key for key in words if key.startswith("tls-")
        }


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
async def test_something_that_is_no_broker_costs_seconds_and_no_more(
    bench: Bench, answer: bytes
) -> None:
    async with server(answer) as port:
        level, what = await broker_row(bench, f"mqtt://127.0.0.1:{port}")
    assert (level, "does not answer as a broker" in what) == ("WRONG", True), what


async def test_of_several_brokers_one_is_enough_and_the_others_are_warnings(
    bench: Bench, broker: Broker
) -> None:
    config = bench.configure("mqtt://127.0.0.1:1", broker.url)
    told = await called("doctor", config)
    assert told.status == 0, told.said
    ((level, _),) = told.rows("broker mqtt://127.0.0.1:1")
    assert level == "warning"
    ((level, _),) = told.rows(f"broker {broker.url}")
    assert level == "ok"


async def test_a_password_that_is_no_text_is_told_and_not_shown(bench: Bench) -> None:
    login = as_user(bench, "poker-12", "x")
    (bench.folder / "password").write_bytes(b"Zq9\xff\xfe")
    told = await called("doctor", bench.configure(broker=login))
    assert told.status == 78
    assert "broker.password_file  has no password in it" in told.errors
    assert "Zq9" not in told.said + told.errors


async def test_nothing_that_anybody_listens_to_is_touched(bench: Bench, own_broker: Broker) -> None:
    config = bench.configure(own_broker.url)
    async with listening(own_broker.host, own_broker.port, f"{ROOT}/#") as everybody:
        assert (await called("doctor", config)).status == 0
        async with asyncio.timeout(SOON_S):
            await everybody.until(lambda: everybody.heard)
    ((topic, payload, retained),) = everybody.heard
    assert (payload, retained) == (b"", False)
    assert topic.startswith(f"{ROOT}/alerts/log/doctor-")
