"""The floor's configuration: every mistake at once with its path, no secret in it; and its unit."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from daemon.floor.settings import read_floor_settings
from daemon.shaped import SettingsError
from daemon.shipped import config_path
from tests.authority import Authority

ROOT = Path(__file__).parents[2]
GOOD = """
site = "house"
[broker]
urls = ["mqtt://127.0.0.1"]
"""


def read(folder: Path, text: str):
    (folder / "floor.toml").write_text(text)
    return read_floor_settings(folder / "floor.toml")


def mistakes(folder: Path, text: str) -> dict[str, str]:
    with pytest.raises(SettingsError) as found:
        read(folder, text)
    return dict(found.value.mistakes)


def test_the_example_that_ships_is_usable(tmp_path: Path) -> None:
    settings = read_floor_settings(config_path("floor.example.toml"))
    assert settings.sites == ("cardroom",)
    assert settings.document.tables.order == ("poker-1", "poker-2", "poker-3")
    # all that stands there as a comment is read, too
    text = config_path("floor.example.toml").read_text()
    opened = re.sub(r"^# (?=\[|\w+ = )", "", text, flags=re.MULTILINE)
    found = mistakes(tmp_path, opened)
    assert not any("is not a key" in what for what in found.values()), found


def test_the_least_configuration_is_enough(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    settings = read(tmp_path, GOOD)
    assert settings.state == tmp_path / "state"
    assert settings.history_url == f"sqlite:///{tmp_path}/state/history.db"
    assert settings.account.client == "floorcall-house-floor"
    assert settings.document.web.listen == "127.0.0.1"
    assert settings.document.staff.dealer_identity == "off"
    assert settings.document.acts.undo_s == 4.0
    assert settings.document.tables.stale_s == 20.0


def test_systemds_state_folder_comes_before_the_one_beside_the_file(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "kept"))
    assert read(tmp_path, GOOD).state == tmp_path / "kept"


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """
site = "a/b"
[broker]
urls = ["mqtt://u:secret@x", "ftp://x"]
[web]
listen = "somewhere"
port = 0
colour = "red"
key = "web.key"
[web.proxy]
addresses = ["10.0.0.0/8", "ten"]
[history]
url = "mysql://x"
keep_days = 0
[tables]
order = ["poker+1"]
[staff]
dealer_identity = "name"
[chain]
every_s = 1
"""
    with pytest.raises(SettingsError) as found:
        read(tmp_path, text)
    paths = [path for path, _ in found.value.mistakes]
    assert paths == [
        "site", "broker.urls[0]", "broker.urls[1]", "web.listen", "web.port", "web.colour",
        "web.key", "web.proxy.addresses[1]", "history.url", "history.keep_days", "tables.order[0]",
        "staff.legal_basis", "staff.names", "chain.every_s",
    ]  # fmt: skip
    assert "secret" not in str(found.value)


def test_a_mistake_in_a_table_that_may_be_left_out_is_told_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as found:
        read(tmp_path, GOOD + "[web.proxy]\nadresses = 3\nheader = 'x y'\nsecure = 'no'\n")
    paths = {path for path, _ in found.value.mistakes}
    assert paths >= {
        "web.proxy.adresses", "web.proxy.header", "web.proxy.secure", "web.proxy.addresses"
    }  # fmt: skip
    with pytest.raises(SettingsError) as found:
        read(tmp_path, GOOD + "[web]\nproxy = 3\n")
    assert ("web.proxy", "must be a table") in found.value.mistakes


def test_how_long_a_list_may_be_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as found:
        read(tmp_path, GOOD + "[web]\nhosts = 'floor'\n")
    assert ("web.hosts", "must be a list of 16 at most, is 'floor'") in found.value.mistakes


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ("[web]\nlisten = '0.0.0.0'", "web.listen"),
        ("[web]\ncertificate = 'none.pem'", "web.certificate"),
        ("[history]\nurl = 'postgresql+pg8000://u:p@h/d'", "history.url"),
        ("[history]\nurl = 'postgresql+pg8000://u@h/d?password=p'", "history.url"),
        ("[history]\npassword_file = 'p'", "history.password_file"),
        ("[staff]\ndealer_identity = 'pseudonym'", "staff.legal_basis"),
        ("[staff]\ndealer_identity = 'name'\nlegal_basis = 'ours'", "staff.names"),
        ("[staff]\nnames = 'names.toml'", "staff.names"),
        ("[tables]\nstale_s = 5", "tables.stale_s"),
        ("[web]\nhosts = ['floor.example', 'floor:8443']", "web.hosts[1]"),
        ("[web.proxy]\naddresses = ['10.0.0.0/8', '0.0.0.0/0']", "web.proxy.addresses[1]"),
        ("[web.proxy]\naddresses = ['::/0']", "web.proxy.addresses[0]"),
        ("[acts]\nundo_s = -1", "acts.undo_s"),
    ],
)
def test_what_would_not_do_is_told_where_it_stands(tmp_path: Path, more: str, path: str) -> None:
    assert path in mistakes(tmp_path, f"{GOOD}{more}\n")


def test_a_site_or_several_but_not_both_and_not_none(tmp_path: Path) -> None:
    assert mistakes(tmp_path, '[broker]\nurls = ["mqtt://x"]\n') == {"site": "is missing"}
    assert "sites" in mistakes(tmp_path, f'sites = ["a"]\n{GOOD}')
    assert read(tmp_path, GOOD.replace("site", "sites").replace('"house"', '["a", "b"]')).sites == (
        "a", "b",
    )  # fmt: skip


def test_names_of_dealers_are_read_where_a_legal_basis_is_stated(tmp_path: Path) -> None:
    (tmp_path / "names.toml").write_text('d7 = "Anna Rossi"\n')
    staff = '[staff]\ndealer_identity = "name"\nlegal_basis = "agreement"\nnames = "names.toml"\n'
    assert read(tmp_path, GOOD + staff).names == {"d7": "Anna Rossi"}
    (tmp_path / "names.toml").write_text("d7 = 7\n")
    assert "staff.names" in mistakes(tmp_path, GOOD + staff)


def test_a_databases_password_comes_from_its_file_or_a_credential(
    tmp_path: Path, monkeypatch
) -> None:
    more = "[history]\nurl = 'postgresql+pg8000://floor@db/floor'\npassword_file = 'db'\n"
    (tmp_path / "db").write_text("of the file\n")
    assert read(tmp_path, GOOD + more).history_password() == "of the file"
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "db").write_text("of systemd\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    assert read(tmp_path, GOOD + more).history_password() == "of systemd"


def test_a_certificate_and_its_key_are_tried_before_use(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    access = authority.client("web")
    web = f"[web]\nlisten = '0.0.0.0'\ncertificate = '{access.certificate}'\nkey = '{{key}}'\n"
    settings = read(tmp_path, GOOD + web.format(key=access.key))
    assert settings.certificate == (access.certificate, access.key)
    other = authority.client("other").key
    assert "web.certificate" in mistakes(tmp_path, GOOD + web.format(key=other))


@pytest.mark.parametrize("text", ["site = ", "\xff", "[" * 5000])
def test_a_file_that_is_no_toml_is_told_without_what_is_in_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "floor.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError) as found:
        read_floor_settings(tmp_path / "floor.toml")
    assert found.value.mistakes[0][0] == "(file)"
    with pytest.raises(SettingsError, match="cannot be read"):
        read_floor_settings(tmp_path / "none.toml")


def test_systemd_finds_nothing_to_say_about_the_floors_unit(tmp_path: Path) -> None:
    text = (ROOT / "systemd" / "floorcall-floor.service").read_text()
    assert "RestartPreventExitStatus=78" in text
    if shutil.which("systemd-analyze") is None:
        return  # read above; judged by systemd itself where it is there
    unit = tmp_path / "floorcall-floor.service"
    unit.write_text(text.replace("/opt/floorcall/bin/floorcall", "/bin/true"))
    for command in (["verify", "--man=no"], ["security", "--offline=true", "--threshold=20"]):
        found = subprocess.run(
            ["systemd-analyze", *command, str(unit)],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr + found.stdout
