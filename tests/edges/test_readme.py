"""The page of expectations, complaints and reports: each is there once and answered by what is."""

from __future__ import annotations

import re
from pathlib import Path

from tests.hil import test_readme as ports

ROOT = Path(__file__).parents[2]
PAGE = (Path(__file__).parent / "README.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([FCB]\d+) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
PASSED_OVER = " ".join(re.findall(r"Not of alerts or MQTT: (.+?)\(", PAGE, re.DOTALL))
ELSEWHERE = re.findall(r"\b([FC]\d+)\b", PASSED_OVER)
EVERY = {
    *(f"F{number}" for number in range(1, 41)),
    *(f"C{number}" for number in range(1, 37)),
    *(f"B{number:02d}" for number in range(1, 70, 2)),
}
LINKS = re.compile(r"\]\(([^)#]+)(?:#([\w-]+))?\)")


def test_every_number_is_there_once_here_or_among_the_ports() -> None:
    named = [row[0] for row in ROWS] + ELSEWHERE + list(ports.REPORTS)
    assert sorted(named) == sorted(EVERY)


def test_each_is_answered_by_a_test_a_page_a_limit_or_why_it_cannot_happen() -> None:
    bare = [
        name
        for name, _, answer in ROWS
        if not ports.NAMED.search(answer)
        and not LINKS.search(answer)
        and "limit: " not in answer
        and "cannot happen: " not in answer
    ]
    assert bare == []


def test_every_test_and_file_that_is_named_exists() -> None:
    named = ports.NAMED.findall(PAGE)
    assert len(named) > 100
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).exists() or name not in ports.functions_of(path)
    ]
    missing += [name for name in ports.FILES.findall(PAGE) if not list(ROOT.glob(name))]
    assert missing == []


def test_every_page_that_is_linked_has_that_heading() -> None:
    for path, heading in LINKS.findall(PAGE):
        page = (Path(__file__).parent / path).resolve()
        assert page.exists(), path
        if heading:
            titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
            assert heading in {title.lower().replace(" ", "-") for title in titles}, heading
