"""The web served for real: TLS, its first password, its end, and what cannot be served."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from structlog.testing import capture_logs

from daemon.floor.history import Database, Scribe
from daemon.floor.history.database import MEND
from daemon.floor.settings import FloorSettings, read_floor_settings
from daemon.floor.web import screens as screening
from daemon.floor.web.screens import Screens, house_of
from daemon.shaped import SettingsError
from tests.conftest import free_port
from tests.floor.web.side import HANG_S, Sent, Visitor, make_room, until

PLAIN = """\
site = "house"
[broker]
urls = ["mqtt://127.0.0.1:1"]
[web]
port = {port}
"""


def settings_of(folder: Path, text: str = PLAIN, **values: object) -> FloorSettings:
    path = folder / "floor.toml"
    path.write_text(text.format(port=free_port(), **values))
    return read_floor_settings(path)


@asynccontextmanager
async def up(settings: FloorSettings, *, demo: bool = False) -> AsyncIterator[Screens]:
    settings.state.mkdir(exist_ok=True)
    database = Database(settings.history_url)
    database.bring_up()
    scribe = Scribe(database)
    try:
        room = make_room(scribe, Sent())
        served = Screens(settings, floor=room, history=scribe, database=database, demo=demo)
        running = asyncio.create_task(served.run())
        await until(lambda: running.done() or (served.is_up and served.people.is_open))
        try:
            yield served
        finally:
            served.stop()
            async with asyncio.timeout(HANG_S):
                await running
    finally:
        scribe.close()
        database.close()


async def first_password(file: Path) -> tuple[str, str]:
    """The login and the password in this file, once they are there."""

    def lines() -> list[str]:
        return file.read_text().splitlines() if file.exists() else []

    await until(lambda: len(lines()) == 2)
    login, password = lines()
    return login, password


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "floor")])
    own = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=40))
        .add_extension(own, critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "floor.crt", folder / "floor.key"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    return files


async def test_it_speaks_tls_by_itself(tmp_path: Path) -> None:
    certificate(tmp_path)
    text = PLAIN + 'certificate = "floor.crt"\nkey = "floor.key"\n'
    async with up(settings_of(tmp_path, text)) as served:
        assert served.address.startswith("https://")
        trusted = ssl.create_default_context(cafile=str(tmp_path / "floor.crt"))
        async with httpx.AsyncClient(base_url=served.address, verify=trusted) as http:
            visitor = Visitor(http)
            _, password = await first_password(tmp_path / "state" / screening.FILE)
            answer = await visitor.sign_in("admin", password)
            assert answer.headers["location"] == "/password"
            assert http.cookies.get("__Host-floorcall")
            assert answer.headers["strict-transport-security"]


async def test_a_renewed_certificate_is_taken_without_a_restart(tmp_path: Path) -> None:
    certificate(tmp_path)
    text = PLAIN + 'certificate = "floor.crt"\nkey = "floor.key"\n'
    async with up(settings_of(tmp_path, text)) as served:
        first = await asyncio.to_thread(shown, served)
        served._serving.renew()
        assert await asyncio.to_thread(shown, served) == first
        certificate(tmp_path)
        served._serving.renew()
        second = await asyncio.to_thread(shown, served)
        assert second != first
        key = (tmp_path / "floor.key").read_bytes()
        certificate(tmp_path)
        newer = (tmp_path / "floor.key").read_bytes()
        (tmp_path / "floor.key").write_bytes(key)  # of another certificate
        served._serving.renew()
        assert await asyncio.to_thread(shown, served) == second
        (tmp_path / "floor.key").write_bytes(newer)
        served._serving.renew()
        assert await asyncio.to_thread(shown, served) not in {first, second}


def shown(served: Screens) -> str:
    """The certificate that a browser is shown."""
    return ssl.get_server_certificate(("127.0.0.1", int(served.address.rpartition(":")[2])))


async def test_any_address_is_one_of_both_kinds(tmp_path: Path) -> None:
    certificate(tmp_path)
    text = PLAIN + 'listen = "::"\ncertificate = "floor.crt"\nkey = "floor.key"\n'
    async with up(settings_of(tmp_path, text)) as served:
        assert "BEGIN" in await asyncio.to_thread(shown, served)


async def test_the_first_password_lies_in_a_file_for_its_owner_until_it_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_of(tmp_path)
    file = settings.state / screening.FILE
    async with up(settings) as served:
        login, password = await first_password(file)
        assert (file.stat().st_mode & 0o777, login) == (0o600, "admin")
        async with httpx.AsyncClient(base_url=served.address) as http:
            assert (await Visitor(http).sign_in("admin", password)).status_code == 303
        await until(lambda: not file.exists())
    said = capsys.readouterr()
    assert password not in said.out + said.err


async def test_a_first_password_that_cannot_be_written_is_told_once_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screening, "AGAIN_S", 0.05)
    settings = settings_of(tmp_path)
    file = settings.state / screening.FILE
    file.mkdir(parents=True)  # as good as a disk that takes nothing
    with capture_logs() as told:
        async with up(settings) as served:
            await until(lambda: bool([one for one in told if "not told yet" in one["event"]]))
            file.rmdir()
            _, password = await first_password(file)
            async with httpx.AsyncClient(base_url=served.address) as http:
                assert (await Visitor(http).sign_in("admin", password)).status_code == 303
    assert password not in str(told)


def test_the_first_password_is_shown_to_whoever_sits_at_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    screening.tell_first("a-b-c", tmp_path / "f")
    assert "a-b-c" in capsys.readouterr().err
    assert not (tmp_path / "f").exists()


def test_a_file_that_lies_there_already_is_not_written_through(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "f").symlink_to(other)
    screening.tell_first("a-b-c", tmp_path / "f")
    assert other.read_text() == "mine"
    assert not (tmp_path / "f").is_symlink()


async def test_an_address_that_is_taken_is_told_at_once(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", settings.document.web.port))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            async with up(settings):
                pass


async def test_people_are_known_as_soon_as_the_database_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screening, "AGAIN_S", 0.05)
    settings = settings_of(tmp_path)
    settings.state.mkdir()
    (settings.state / "history.db").mkdir()  # not to be had
    database = Database(settings.history_url)
    scribe = Scribe(database)
    room = make_room(scribe, Sent())
    served = Screens(settings, floor=room, history=scribe, database=database)
    running = asyncio.create_task(served.run())
    await until(lambda: served.is_up)
    async with httpx.AsyncClient(base_url=served.address) as http:
        assert (await http.get("/healthz")).json() == {"ok": False}
        assert (await http.get("/api/me")).status_code == 503
        assert (await http.get("/login")).status_code == 200
        assert (await Visitor(http).sign_in("admin", "x")).status_code == 503
        (settings.state / "history.db").rmdir()
        await asyncio.to_thread(database.bring_up)
        await until(lambda: served.people.is_open)
        assert (await http.get("/healthz")).json() == {"ok": True}
        assert (await http.get("/api/me")).status_code == 401
    served.stop()
    await running
    scribe.close()
    database.close()


async def test_that_people_are_not_known_yet_is_told_once_and_when_the_reason_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screening, "AGAIN_S", 0.0)
    settings = settings_of(tmp_path)
    settings.state.mkdir()
    file, rubbish = settings.state / "history.db", tmp_path / "rubbish"
    file.symlink_to(tmp_path)  # a folder: not to be had
    rubbish.write_bytes(b"no database " * 100)
    database = Database(settings.history_url)
    scribe = Scribe(database)
    served = Screens(settings, floor=make_room(scribe, Sent()), history=scribe, database=database)
    tries, opened_by = [], served.people.open

    async def counted() -> str | None:
        tries.append(0)
        return await opened_by()

    monkeypatch.setattr(served.people, "open", counted)
    with capture_logs() as told:
        running = asyncio.create_task(served.run())
        await until(lambda: len(tries) > 5)
        rubbish.replace(file)  # at one stroke: in between the scribe would make one of its own
        tries.clear()
        await until(lambda: len(tries) > 5)
        served.stop()
        await running
    reasons = [one["reason"] for one in told if one["event"] == "people not known yet"]
    assert [reason.partition("history.db: ")[2] for reason in reasons] == [
        "unable to open database file", f"its file is no database, or damaged: {MEND}",
    ]  # fmt: skip
    scribe.close()
    database.close()


async def test_the_demo_is_for_this_machine_whatever_the_file_says(tmp_path: Path) -> None:
    certificate(tmp_path)
    async with up(settings_of(tmp_path), demo=True) as served:
        assert served.address.startswith("http://127.0.0.1:")
        async with httpx.AsyncClient(base_url=served.address) as http:
            assert (await http.get("/api/me")).json()["role"] == "supervise"


def test_what_the_file_says_of_the_web_is_the_house(tmp_path: Path) -> None:
    text = PLAIN + (
        'hosts = ["Floor.House"]\n[web.proxy]\naddresses = ["10.0.0.0/8", "::1"]\n'
        'header = "X-Remote-User"\nadministrators = ["mara"]\n'
    )
    house = house_of(settings_of(tmp_path, text))
    assert (house.hosts, house.identity, house.secure) == (("floor.house",), "x-remote-user", True)
    assert len(house.proxies) == 2


@pytest.mark.parametrize("named", ["", 'administrators = ["Mara Rossi"]\n'])
def test_a_proxy_that_names_people_needs_somebody_who_lets_them_in(
    tmp_path: Path, named: str
) -> None:
    text = PLAIN + f'[web.proxy]\naddresses = ["10.0.0.1"]\nheader = "X-User"\n{named}'
    with pytest.raises(SettingsError, match=r"web\.proxy\.administrators"):
        settings_of(tmp_path, text)
