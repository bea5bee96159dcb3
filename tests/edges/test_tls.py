"""The link over TLS, with an authority of the test's own: each way in which it can go wrong."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from daemon.access import REFUSALS, Access
from daemon.edges.mqtt import Account, Link, calling
from daemon.edges.mqtt import link as mqtt
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Heard, Message, Topics
from tests.authority import Authority
from tests.conftest import free_port
from tests.edges.conftest import PATIENCE_S
from tests.house import House, running_house

TOPICS = Topics("venezia", "poker-12")


class Table:
    """A link over TLS, and what it says of itself."""

    topics = TOPICS

    def __init__(self, port: int, access: Access, host: str = "localhost") -> None:
        account = Account(
            addresses=(Address(host, port, tls=True),), client="poker-12", access=access
        )
        self.outbox = Outbox(NoShelf())
        self.link = Link(account, self.outbox, self, "b1")

    def status(self, state: str) -> Message:
        return Message(TOPICS.at("status"), state.encode(), retain=True)

    def heard(self, words: Heard) -> None:
        pass

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # noqa: ASYNC110 - nothing tells when a link has changed its mind
                await asyncio.sleep(0.005)

    async def fails_by(self, words: str) -> None:
        await self.until(lambda: self.link.trouble == words)

    async def is_proven(self) -> None:
        """Connected, and all that was put into the store has been confirmed."""
        await self.until(lambda: self.link.trouble is None)
        await self.until(lambda: not len(self.outbox))


@asynccontextmanager
async def running(port: int, access: Access, host: str = "localhost") -> AsyncIterator[Table]:
    table = Table(port, access, host)
    task = asyncio.create_task(table.link.run())
    try:
        yield table
    finally:
        table.link.stop()
        async with asyncio.timeout(PATIENCE_S):
            await task


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "CONNECT_S", 3)
    monkeypatch.setattr(mqtt, "PAUSE_FIRST_S", 0.05)
    monkeypatch.setattr(mqtt, "PAUSE_MOST_S", 0.2)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as one:
        one.authority.client("poker-12")
        yield one


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("stranger") / "authority")


# --- what we show --------------------------------------------------------------------------------


async def test_a_tables_certificate_lets_it_in(house: House) -> None:
    async with running(house.safe, house.authority.access("poker-12")) as table:
        await table.is_proven()
        assert table.link.warnings == []


async def test_no_certificate(house: House) -> None:
    async with running(house.safe, Access(ca=house.authority.ca)) as table:
        await table.fails_by(REFUSALS["own-missing"])


async def test_a_certificate_that_has_ended_is_told_with_its_day(house: House) -> None:
    access = house.authority.client("ended", days=(-400, -5))
    async with running(house.safe, access) as table:
        await table.fails_by(REFUSALS["own-ended"])
        day = datetime.now(UTC) - timedelta(days=5)
        assert table.link.warnings == [f"our certificate ended on {day:%Y-%m-%d}"]


async def test_a_certificate_of_another_authority(house: House, stranger: Authority) -> None:
    access = replace(stranger.client("poker-12"), ca=house.authority.ca)
    async with running(house.safe, access) as table:
        await table.fails_by(REFUSALS["own-unknown"])


async def test_a_brokers_certificate_is_none_for_a_client(house: House) -> None:
    access = house.authority.access("broker")
    async with running(house.safe, access) as table:
        await table.until(lambda: table.link.trouble in set(REFUSALS.values()))


async def test_another_tables_certificate_gets_in_and_nothing_of_ours_arrives(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "ECHO_S", 0.3)
    async with running(house.safe, house.authority.client("poker-13")) as table:
        await table.until(lambda: table.link.trouble not in {None, "not connected"})
        assert table.link.trouble == mqtt.UNPROVEN or "refuses" in table.link.trouble


async def test_what_was_revoked_is_out_with_every_certificate_of_its_name(tmp_path: Path) -> None:
    with running_house(tmp_path / "house") as house:
        access = house.authority.client("poker-12")
        first = tmp_path / "first.pem"
        first.write_bytes((house.authority.folder / "poker-12.pem").read_bytes())
        house.authority.renew("poker-12")
        other = house.authority.client("poker-13")
        async with running(house.safe, access) as table:
            await table.is_proven()
            house.authority.revoke("poker-12")
            house.stop()
            house.start()
            await table.fails_by(REFUSALS["own-revoked"])
        async with running(house.safe, replace(access, certificate=first)) as table:
            await table.fails_by(REFUSALS["own-revoked"])
        async with running(house.safe, other) as table:
            await table.until(lambda: table.link.trouble not in {None, "not connected"})
            assert table.link.trouble not in REFUSALS.values()


async def test_a_key_that_is_another_certificates(house: House) -> None:
    other = house.authority.client("other").key
    access = house.authority.access("poker-12", key=other)
    async with running(house.safe, access) as table:
        await table.fails_by("key is not the key of the certificate")


# --- what the broker shows -----------------------------------------------------------------------


async def test_a_broker_of_another_authority(house: House, stranger: Authority) -> None:
    access = house.authority.access("poker-12", ca=stranger.ca)
    async with running(house.safe, access) as table:
        await table.fails_by(REFUSALS["broker-unknown"])


async def test_the_machines_own_authorities_do_not_know_the_houses(house: House) -> None:
    async with running(house.safe, house.authority.access("poker-12", ca=None)) as table:
        await table.fails_by(REFUSALS["broker-unknown"])


@contextmanager
def shown(folder: Path, *, names: str = "", days: tuple[int, int] | None = None) -> Iterator[House]:
    """A house whose broker shows this certificate."""
    folder.mkdir()
    authority = Authority(folder / "authority")
    authority.broker(names=names, days=days)
    authority.client("poker-12")
    house = House(folder, authority)
    house.write()
    house.start()
    try:
        yield house
    finally:
        house.stop()


@pytest.mark.parametrize(
    ("shows", "why"),
    [
        ({"days": (-400, -1)}, "broker-ended"),
        ({"days": (2, 400)}, "broker-early"),
        ({"names": "DNS:broker.example"}, "broker-other"),
        ({"names": "DNS:*.localhost,IP:127.0.0.2"}, "broker-other"),
    ],
    ids=lambda one: one if isinstance(one, str) else "-".join(map(str, one)),
)
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_a_brokers_certificate_that_does_not_hold_here(
    tmp_path: Path, shows: dict[str, object], why: str, host: str
) -> None:
    with shown(tmp_path / "house", **shows) as house:
        async with running(house.safe, house.authority.access("poker-12"), host) as table:
            await table.fails_by(REFUSALS[why])


async def test_no_tls_at_that_port(house: House) -> None:
    async with running(house.plain, house.authority.access("poker-12")) as table:
        await table.until(
            lambda: table.link.trouble not in {None, "not connected", "does not confirm"}
        )


@contextmanager
def spoken(authority: Authority, *how: str) -> Iterator[int]:
    """Something with the broker's certificate that speaks this TLS, and no MQTT; its port."""
    port = free_port()
    with subprocess.Popen(
        ["openssl", "s_server", "-accept", str(port), "-cert", "broker.pem", "-key", "broker.key",
         "-CAfile", "ca.pem", "-quiet", *how],
        cwd=authority.folder,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield port
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], "too-old"),
        (["-tls1_2", "-Verify", "1"], "broken-off"),  # so 1.2 says that it wants a certificate
        (["-tls1_3", "-Verify", "1"], "own-missing"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
async def test_other_versions_of_tls(house: House, how: list[str], why: str) -> None:
    with spoken(house.authority, *how) as port:
        async with running(port, Access(ca=house.authority.ca)) as table:
            await table.fails_by(REFUSALS[why])


async def test_a_peer_that_takes_the_connection_and_never_shakes_hands_holds_nothing_up(
    house: House,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with running(port, house.authority.access("poker-12"), "127.0.0.1") as table:
            await table.until(lambda: table.link.trouble not in {None, "not connected"})


# --- renewing ------------------------------------------------------------------------------------


async def test_the_end_is_warned_of_a_month_ahead_and_a_renewed_certificate_needs_no_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "RENEWED_S", 0.05)
    with capture_logs() as log, shown(tmp_path / "house", days=(-300, 20)) as house:
        access = house.authority.client("poker-12", days=(-300, 10))
        async with running(house.safe, access) as table:
            await table.is_proven()
            await table.until(lambda: len(table.link.warnings) == 2)
            ours, brokers = (datetime.now(UTC) + timedelta(days=n) for n in (10, 20))
            assert table.link.warnings == [
                f"our certificate ends on {ours:%Y-%m-%d}",
                f"the broker's certificate ends on {brokers:%Y-%m-%d}",
            ]
            house.authority.renew("poker-12")
            await table.until(lambda: len(table.link.warnings) == 1)  # noticed while connected
            house.authority.broker()
            house.stop()
            house.start()
            await table.until(lambda: table.link.warnings == [])
            await table.is_proven()
    assert [entry["words"] for entry in log if entry["event"] == "certificate"] == [
        f"our certificate ends on {ours:%Y-%m-%d}",
        f"the broker's certificate ends on {brokers:%Y-%m-%d}",
    ]


async def test_a_certificate_that_ends_while_connected_is_replaced_at_the_next_connection(
    tmp_path: Path,
) -> None:
    with running_house(tmp_path / "house") as house:
        access = house.authority.client("poker-12", days=(-300, -1))
        async with running(house.safe, access) as table:
            await table.fails_by(REFUSALS["own-ended"])
            house.authority.renew("poker-12")
            await table.is_proven()


async def test_files_that_are_gone_or_spoilt_are_told_and_looked_for_again(
    house: House, tmp_path: Path
) -> None:
    certificate = tmp_path / "own.pem"
    access = house.authority.access("poker-12", certificate=certificate)
    async with running(house.safe, access) as table:
        await table.fails_by("certificate cannot be read: No such file or directory")
        certificate.write_text("-----BEGIN CERTIFICATE-----\nZq9\n-----END CERTIFICATE-----\n")
        await table.until(lambda: table.link.trouble == "certificate has no certificate in it")
        certificate.write_bytes((house.authority.folder / "poker-12.pem").read_bytes())
        await table.is_proven()
