"""What `floorcall check` says of a table that is usable: its coverage, in a language."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli import main
from daemon.edges.books import read_books
from daemon.rules.coverage import coverage
from daemon.shipped import config_path
from daemon.table.events import Betting

TABLE = config_path("table.example.toml")


def check(*words):
    return CliRunner().invoke(main, ["check", *map(str, words)])


def listed(text):
    """Every irregularity named in the coverage."""
    return [word for line in text.splitlines() if line.startswith("  ") for word in line.split()]


def test_after_a_usable_table_comes_its_coverage():
    answer = check(TABLE)
    assert answer.exit_code == 0
    first, blank, *rest = answer.stdout.splitlines()
    assert first.endswith("usable: 4 sensors, 1 deck, rulebook robert-classic")
    assert blank == ""
    book, _ = read_books("robert-classic")
    names = [word for word in listed("\n".join(rest)) if word in book.rulings]
    assert sorted(names) == sorted(book.rulings)


def test_what_the_table_spots_is_what_its_senses_and_its_betting_allow():
    spotted = check(TABLE).stdout.partition("\n\n")[2].partition("):\n")[2].partition("\nIt ")[0]
    book, _ = read_books("robert-classic")
    covered = {one.id: one for one in coverage(book, frozenset(), Betting())}
    assert "flop-no-burn" in spotted.split()
    assert "turn-premature" not in spotted.split()  # the dealer's own keys
    assert set(spotted.split()) <= set(covered)


@pytest.mark.parametrize(("language", "word"), [("en", "spots"), ("it", "rileva")])
def test_the_coverage_is_told_in_a_language(language, word):
    assert word in check(TABLE, "--lang", language).stdout


def test_what_stands_before_the_coverage_is_told_in_the_same_language():
    first = check(TABLE, "--lang", "it").stdout.splitlines()[0]
    assert first.endswith("utilizzabile: 4 sensori, 1 mazzo, regolamento robert-classic")


def test_a_language_without_texts_is_refused():
    answer = check(TABLE, "--lang", "xx")
    assert answer.exit_code == 78
    assert "known: en, it" in answer.stderr


def test_a_rulebook_has_no_coverage():
    answer = check(config_path("rulebooks", "tda-2024.toml"))
    assert answer.stdout.strip().endswith("a usable rulebook")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("texts/en.toml", "has texts: they are checked with a table's configuration"),
        ("mosquitto/floorcall.acl", "is neither a table's configuration nor a rulebook"),
        ("rulebooks", "is neither a table's configuration nor a rulebook"),
    ],
)
def test_what_is_no_configuration_is_told_in_one_line(name, what):
    answer = check(config_path(*name.split("/")))
    assert answer.exit_code == 78
    assert what in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["rules"], ["rules", "--json"], ["check", str(TABLE)]])
def test_a_full_disk_is_told_and_no_traceback_printed(words):
    with Path("/dev/full").open("wb") as full:
        program = [sys.executable, "-m", "daemon", *words]
        answer = subprocess.run(
            program, check=False, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert answer.returncode == 1
    assert answer.stderr == "standard output: cannot be written: No space left on device\n"
