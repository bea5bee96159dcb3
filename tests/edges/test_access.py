"""What `[broker]` names: every mistake told with its path, what should not stay so remarked on."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.access import Access, access_of, exposed, misfits, remarks
from tests.authority import Authority

SECRET = "Zq9-secret"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    one = Authority(tmp_path_factory.mktemp("access") / "authority")
    one.client("poker-12")
    one.client("poker-13")
    return one


@pytest.fixture
def source(tmp_path: Path, authority: Authority) -> Path:
    """A configuration beside which the files lie."""
    for path in authority.folder.glob("*.*"):
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
            (tmp_path / path.name).chmod(0o640)
    (tmp_path / "password").write_text(f"{SECRET}\n")
    (tmp_path / "password").chmod(0o640)
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "bytes").write_bytes(b"Zq9-\xffsecret")
    (tmp_path / "zero").write_bytes(b"Zq9-\0secret")
    (tmp_path / "long").write_bytes(b"Zq9-secret" * 7000)
    (tmp_path / "both.pem").write_bytes(
        (tmp_path / "poker-12.pem").read_bytes() + (tmp_path / "poker-12.key").read_bytes()
    )
    lines = (tmp_path / "poker-12.pem").read_text().splitlines()
    (tmp_path / "torn.pem").write_text("\n".join([*lines[:3], lines[-1]]))
    subprocess.run(
        ["openssl", "pkcs8", "-topk8", "-in", "poker-12.key", "-out", "locked.key",
         "-passout", f"pass:{SECRET}"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    return tmp_path / "table.toml"


OWN = {"certificate": "poker-12.pem", "key": "poker-12.key"}
GONE = "cannot be read: No such file or directory"
NO_PASSWORD = "has no password in it: a line of UTF-8"


@pytest.mark.parametrize(
    ("broker", "found"),
    [
        ({}, []),
        ({"username": "anna", "password_file": "password", "ca": "ca.pem", **OWN}, []),
        ({"certificate": "both.pem"}, []),
        ({"username": "anna"}, []),
        ({"password_file": "password"}, [("password_file", "needs a username")]),
        ({"key": "poker-12.key"}, [("key", "needs a certificate")]),
        ({"username": "a", "password_file": "none"}, [("password_file", GONE)]),
        ({"username": "a", "password_file": SECRET}, [("password_file", GONE)]),
        ({"username": "a", "password_file": "empty"}, [("password_file", NO_PASSWORD)]),
        ({"username": "a", "password_file": "bytes"}, [("password_file", NO_PASSWORD)]),
        ({"username": "a", "password_file": "zero"}, [("password_file", NO_PASSWORD)]),
        ({"username": "a", "password_file": "long"},
         [("password_file", "has more than 65535 bytes")]),
        ({"username": "a", "password_file": "."},
         [("password_file", "cannot be read: Is a directory")]),
        ({"ca": "none.pem"}, [("ca", GONE)]),
        ({"ca": "poker-12.key"}, [("ca", "has no certificate in it")]),
        ({"ca": "torn.pem"}, [("ca", "has no certificate in it")]),
        ({"certificate": "poker-12.pem"}, [("key", "has no private key in it")]),
        ({**OWN, "certificate": "poker-12.key"}, [("certificate", "has no certificate in it")]),
        ({**OWN, "certificate": "torn.pem"}, [("certificate", "has no certificate in it")]),
        ({**OWN, "key": "poker-13.key"}, [("key", "is not the key of the certificate")]),
        ({**OWN, "key": "poker-12.pem"}, [("key", "has no private key in it")]),
        ({**OWN, "key": "none.key"}, [("key", GONE)]),
        ({**OWN, "key": "locked.key"}, [("key", "has a passphrase: nobody is there to give it")]),
        ({"ca": "none.pem", "certificate": "none.pem", "key": "none", "password_file": "bytes"},
         [("password_file", "needs a username"), ("password_file", NO_PASSWORD),
          ("ca", GONE), ("certificate", GONE), ("key", GONE)]),
        ({"ca": 7, "certificate": [], "key": {}, "username": 3, "urls": "x"}, None),
    ],
)  # fmt: skip
def test_every_mistake_is_told_at_once_and_no_secret_with_it(
    source: Path, broker: dict[str, object], found: list[tuple[str, str]] | None
) -> None:
    told = list(misfits(broker, source))
    if found is not None:
        assert told == [(f"broker.{field}", what) for field, what in found]
    assert "Zq9" not in str(told)


def of(
    source: Path, table: str = "poker-12", now: datetime | None = None, **broker: object
) -> list[str]:
    """The remarks, as `where what fact fact`."""
    broker = {"urls": ["mqtts://broker.example"], **broker}
    assert list(misfits(broker, source)) == []
    found = remarks(broker, source, table, now or datetime.now(UTC) + timedelta(seconds=5))
    return [" ".join([where, what, *facts.values()]) for where, what, facts in found]


def test_what_is_well_is_not_remarked_on(source: Path) -> None:
    assert of(source, ca="ca.pem", **OWN) == []
    for here in ("mqtt://localhost", "mqtt://127.0.0.1", "mqtt://[::1]:1883"):
        assert of(source, urls=[here]) == []


def test_words_that_can_be_overheard_are_remarked_on_broker_by_broker(source: Path) -> None:
    urls = ["mqtts://a.example", "mqtt://b.example", "mqtt://10.0.0.7"]
    assert of(source, urls=urls) == [
        "broker.urls[1] overheard b.example", "broker.urls[2] overheard 10.0.0.7",
    ]  # fmt: skip


def test_files_for_tls_where_no_url_wants_it(source: Path) -> None:
    told = of(source, urls=["mqtt://localhost"], ca="ca.pem", **OWN)
    assert told == [f"broker.{field} unused" for field in ("ca", "certificate", "key")]


def test_the_certificate_of_another_table(source: Path) -> None:
    told = of(source, table="poker-13", **OWN)
    assert told == ["broker.certificate misnamed poker-12 poker-13"]


@pytest.mark.parametrize(
    ("days", "what"),
    [((-10, 31), None), ((-10, 29), "ends"), ((-10, -1), "ended"), ((2, 90), "begins")],
)
def test_the_end_of_a_certificate_is_told_a_month_ahead(
    source: Path, authority: Authority, days: tuple[int, int], what: str | None
) -> None:
    made = datetime.now(UTC)
    authority.client("poker-14", days=days)
    for name in ("poker-14.pem", "poker-14.key"):
        (source.parent / name).write_bytes((authority.folder / name).read_bytes())
    day = made + timedelta(days=days[0] if what == "begins" else days[1])
    told = of(source, "poker-14", certificate="poker-14.pem", key="poker-14.key")
    assert told == ([f"broker.certificate {what} poker-14 {day:%Y-%m-%d}"] if what else [])


def test_of_several_authorities_the_one_that_ends_last_counts(
    source: Path, authority: Authority
) -> None:
    late = datetime.now(UTC) + timedelta(days=7290)  # ten days before the authority's own ends
    (alone,) = of(source, now=late, ca="ca.pem")
    assert alone.startswith("broker.ca ends house authority ")
    authority.renew("poker-13", days=(0, 9000))
    younger = authority.folder.joinpath("poker-13.pem").read_bytes()
    (source.parent / "both.pem").write_bytes(younger + authority.ca.read_bytes())
    assert of(source, now=late, ca="both.pem") == []


def test_secrets_that_everybody_may_read_are_found_by_their_own_mode_and_their_folders(
    source: Path,
) -> None:
    named = {"username": "a", "password_file": "password", "ca": "ca.pem", **OWN}
    access, folder = access_of(named, source), source.parent
    above = [one for one in source.parents if Path(tempfile.gettempdir()) in one.parents]
    assert list(exposed(access)) == []
    for name in ("password", "ca.pem", "poker-12.pem", "poker-12.key"):
        (folder / name).chmod(0o644)
    modes = {one: one.stat().st_mode for one in above}
    try:
        for one in above:
            one.chmod(0o755)
        assert [field for field, _ in exposed(access)] == ["password_file", "key"]
        folder.chmod(0o750)
        assert list(exposed(access)) == []
    finally:
        for one, mode in modes.items():
            one.chmod(mode)


def test_a_credential_of_systemd_comes_before_a_file_beside_the_configuration(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    broker = {"username": "a", "password_file": "password", **OWN}
    (credentials / "password").write_text("of systemd\n")
    (credentials / "poker-12.key").write_bytes((tmp_path / "poker-12.key").read_bytes())
    (tmp_path / "poker-12.key").unlink()
    assert list(misfits(broker, source)) == [("broker.key", GONE)]
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    assert list(misfits(broker, source)) == []
    access = access_of(broker, source)
    assert access.password() == "of systemd"
    assert (access.key, access.certificate) == (
        credentials / "poker-12.key", tmp_path / "poker-12.pem"
    )  # fmt: skip


def test_the_name_is_the_users_or_the_certificates(source: Path) -> None:
    assert access_of(OWN, source).name == "poker-12"
    assert access_of({**OWN, "username": "anna"}, source).name == "anna"
    assert Access().name is None
