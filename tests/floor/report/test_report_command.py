"""`floorcall report`: the shift in the terminal and as files, and every reason why not in words."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli_report import _written
from daemon.floor.history import Database
from tests.floor.postgres import PASSWORD, Cluster

ROOT = Path(__file__).parents[3]
GUARD_S = 120
CONFIG = """\
site = "roma"
[broker]
urls = ["mqtt://127.0.0.1:1883"]
username = "floor"
[history]
url = "{url}"
"""
DEALERS = '[staff]\ndealer_identity = "pseudonym"\nlegal_basis = "works agreement"\n'
SHIFT = ("--from", "2026-11-30T21:00", "--to", "2026-12-01T01:00")  # by the clock of Rome
ENVIRONMENT = {**os.environ, "TZ": "Europe/Rome", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}


@pytest.fixture
def config(tmp_path: Path, shelf: Database) -> Path:
    path = tmp_path / "floor.toml"
    path.write_text(CONFIG.format(url=f"sqlite:///{shelf.url.database}"))
    return path


def report(config: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daemon", "report", "--config", str(config), *map(str, arguments)],
        cwd=ROOT, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=GUARD_S, check=False,
    )  # fmt: skip


def test_the_shift_is_told_in_the_terminal(config: Path) -> None:
    said = report(config, *SHIFT)
    assert (said.returncode, said.stderr) == (0, "")
    assert "Report of the shift: 30 Nov 2026, 21:00 to 1 Dec 2026, 01:00" in said.stdout
    assert "Turn too early" in said.stdout
    assert "Dealer" not in said.stdout


def test_a_narrow_terminal_cuts_no_column_off(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "COLUMNS", "80")
    lines = report(config, *SHIFT, "--role", "surveillance").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split()[-3:] == ["Longest", "Never", "False"] for line in lines)


def test_a_filter_and_a_language_are_said_and_heeded(config: Path) -> None:
    asked = ("--table", "poker-2", "--severity", "high", "--lang", "it", "--json")
    said = json.loads(report(config, *SHIFT, *asked).stdout)
    assert (said["alerts"], said["hands"]) == (1, 30)
    assert said["irregularities"][0]["title"] == "Street senza carta bruciata"
    words = report(config, *SHIFT, *asked[:-1]).stdout
    assert "Mostrati: poker-2, alta" in words


def test_files_are_whole_and_their_owners_alone(config: Path, tmp_path: Path) -> None:
    sheet, paper = tmp_path / "shift.csv", tmp_path / "shift.pdf"
    said = report(config, *SHIFT, "--csv", sheet, "--pdf", paper, "--role", "surveillance")
    assert (said.returncode, said.stdout) == (0, "")
    assert f"{sheet}: written" in said.stderr
    rows = list(csv.reader(sheet.read_text("utf-8-sig").splitlines()))
    assert len(rows) == 11
    assert paper.read_bytes().startswith(b"%PDF")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (sheet, paper)} == {0o600}
    assert {path.name for path in tmp_path.iterdir()} == {"floor.toml", "shift.csv", "shift.pdf"}


def test_a_day_alone_is_that_whole_day_by_the_houses_clock(config: Path) -> None:
    said = json.loads(report(config, "--from", "2026-11-30", "--to", "2026-11-30", "--json").stdout)
    assert (said["from"], said["to"]) == ("2026-11-29T23:00:00.000Z", "2026-11-30T23:00:00.000Z")
    assert said["alerts"] == 9


def test_dealers_are_told_where_the_house_allows_it(config: Path) -> None:
    refused = report(config, *SHIFT, "--dealer", "d1")
    assert refused.returncode == 2
    assert refused.stderr == (
        '--dealer d1: this house tells nothing of dealers: in [staff] dealer_identity is "off"; '
        f'"pseudonym" or "name" there, with a legal_basis, allows it ({config})\n'
    )
    config.write_text(config.read_text() + DEALERS)
    allowed = json.loads(report(config, *SHIFT, "--dealer", "d2", "--json").stdout)
    assert (allowed["alerts"], allowed["dealers"][0]["dealer"]) == (2, "d2")
    refused = report(config, *SHIFT, "--dealer", "d1", "--role", "surveillance")
    assert refused.returncode == 2
    assert refused.stderr == (
        "--dealer d1: surveillance may not ask about dealers: give --role administer, "
        "or leave --dealer out\n"
    )


def test_a_part_of_a_title_or_name_is_taken_and_what_it_is_taken_as_is_said(config: Path) -> None:
    said = report(config, *SHIFT, "--irregularity", "carta bruciata", "--table", "2", "--json")
    assert said.stderr.splitlines() == [
        "--table 2: taken as poker-2",
        "--irregularity carta bruciata: taken as burn-missing",
    ]
    assert json.loads(said.stdout)["alerts"] == 1


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (("--from", "yesterday"), 2, "'yesterday' is no moment"),
        (("--to", "9999-12-31"), 2, "'9999-12-31' is no moment"),
        (("--from", "0001-01-01"), 2, "the history has years from 1970 to 9998"),
        (("--from", "2026-12-02", "--to", "2026-12-01"), 2, "--from must be before --to"),
        (("--table", "nope"), 2, "--table nope: none in the history; known: poker-1, poker-2"),
        (("--site", "rom"), 2, "--site rom: none in the history; known: roma"),
        (("--irregularity", "jacks", "--role", "maintain"), 2, "known: sensor-silent"),
        (("--csv", "x", "--pdf", "./x"), 2, "--csv and --pdf are one file, x: give each its own"),
        (("--csv", "-", "--json"), 2, "--csv and --json both go to standard output"),
        (("--csv", "-", "--pdf", "-"), 2, "--csv and --pdf both go to standard output"),
        (("--csv", "/nowhere/at/all.csv"), 1, "/nowhere/at/all.csv: cannot be written"),
    ],
)
def test_what_cannot_be_is_said(
    config: Path, arguments: tuple[str, ...], status: int, why: str
) -> None:
    said = report(config, *arguments)
    assert said.returncode == status
    assert why in said.stderr
    assert "Traceback" not in said.stderr


def test_without_a_history_nothing_is_made(tmp_path: Path) -> None:
    config = tmp_path / "floor.toml"
    config.write_text(CONFIG.format(url=f"sqlite:///{tmp_path / 'history.db'}"))
    said = report(config)
    assert said.returncode == 78
    assert "there is no such file" in said.stderr
    assert list(tmp_path.iterdir()) == [config]


def test_a_postgresql_is_asked_with_its_password_from_a_file(
    postgres: Cluster, tmp_path: Path
) -> None:
    url = postgres.database()
    database = Database(url, PASSWORD)
    database.bring_up()
    database.close()
    config = tmp_path / "floor.toml"
    config.write_text(CONFIG.format(url=url) + 'password_file = "secret"\n')
    (tmp_path / "secret").write_text(PASSWORD + "\n")
    (tmp_path / "secret").chmod(0o600)
    said = report(config, "--json")
    assert json.loads(said.stdout)["alerts"] == 0
    (tmp_path / "secret").write_text("wrong\n")
    refused = report(config)
    assert refused.returncode == 1
    assert "password authentication failed" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_report_that_is_interrupted_leaves_no_half_a_file(tmp_path: Path) -> None:
    whole = tmp_path / "shift.csv"
    whole.write_text("the last one")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["shift.csv"]
    assert whole.read_text() == "the last one"


def _interrupted(path: Path) -> None:
    with _written(path) as file:
        file.write(b"half")
        file.flush()
        raise KeyboardInterrupt
