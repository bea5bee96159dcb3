"""The page of pitfalls: every one is there once and answered, and every test it names exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (Path(__file__).parent / "README.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([HB]\d+) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
REPORTS = ("B01", "B03", "B05", "B07", "B09", "B11", "B13", "B15", "B63", "B65")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
FILES = re.compile(r"`((?:tests|drivers|docs|systemd)/[\w./*-]+)(?:::\w+)?`")


@cache
def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_every_pitfall_is_there_once() -> None:
    hardware = [f"H{number:02d}" for number in range(1, 170, 2)]
    assert [row[0] for row in ROWS] == [*hardware, *REPORTS]


def test_every_pitfall_is_answered_by_a_test_a_limit_or_why_it_cannot_happen() -> None:
    bare = [
        name
        for name, _, answer in ROWS
        if not NAMED.search(answer) and "limit: " not in answer and "cannot happen: " not in answer
    ]
    assert bare == []


def test_every_test_that_is_named_exists() -> None:
    missing = [
        f"{path}::{name}"
        for path, name in NAMED.findall(PAGE)
        if not (ROOT / path).exists() or name not in functions_of(path)
    ]
    assert missing == []


def test_every_file_that_is_named_exists() -> None:
    assert [name for name in FILES.findall(PAGE) if not list(ROOT.glob(name))] == []
