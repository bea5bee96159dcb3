"""Cells of a sheet: whatever a table says, no spreadsheet takes it for a formula."""

from __future__ import annotations

import pytest

from daemon.floor.report.sheet import harmless


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\u00a0=1", "\uff1d1", "\n=1"]
)
def test_no_cell_is_taken_for_a_formula(cell: str) -> None:
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("x;=1+1", "x;'=1+1"), ("x,@SUM(A1)", "x,'@SUM(A1)"), ("x\t+1", "x\t'+1"),
        ('x;"=1+1', "x;\"'=1+1"), ("x\n -1", "x\n '-1"), ("a;=b;=c", "a;'=b;'=c"),
        ("\u200b=1", "'\u200b=1"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula_in_a_spreadsheet_that_divides_otherwise(cell: str, kept: str) -> None:
    assert harmless(cell) == kept


def test_what_is_no_formula_stays_as_it_is() -> None:
    for cell in ("poker-1", "Td As", "12,5", "2026-11-30 21:00:00+01:00", "è così", ""):
        assert harmless(cell) == cell
