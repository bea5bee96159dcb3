"""Names of people: no two look alike, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.people.accounts import Account
from daemon.floor.people.names import free, is_name, is_taken, look
from daemon.orders import NAME_MAX


def known(*names: str) -> list[Account]:
    return [Account(login=f"l{place}", name=name, role="wall") for place, name in enumerate(names)]


@pytest.mark.parametrize(
    "name",
    [
        "mara rossi", "MARA ROSSI", " Mara  Rossi ", "MaraRossi", "Mara-Rossi", "Mara\u00a0Rossi",
        "\uff2dara Rossi", "M\u0430r\u0430 R\u043essi", "\u039cara Rossi", "Mara Ros\u017fi",
        "Mara\ufe00 Rossi", "Mara\u034f Rossi", "Mara\u3164Rossi", "Mara \u24c7ossi", "Mara Rossi.",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_anothers_is_taken(name: str) -> None:
    assert is_taken(name, known("Ivo", "Mara Rossi"))


@pytest.mark.parametrize(
    "name", ["Mara Rossi 2", "Màra Rossi", "Maria Rossi", "Mara", "Rossi Mara"]
)
def test_a_name_that_looks_otherwise_is_not(name: str) -> None:
    assert not is_taken(name, known("Ivo", "Mara Rossi"))


@pytest.mark.parametrize("name", ["", " ", "...", "\u3164", "\u2800", "a\u202eb", "a\nb", "x" * 65])
def test_what_shows_nothing_or_hides_something_is_no_name(name: str) -> None:
    assert not is_name(name)


@given(st.text(min_size=1, max_size=80), st.lists(st.text(max_size=70), max_size=5))
def test_a_free_name_is_found_that_fits_and_is_nobodys(name: str, others: list[str]) -> None:
    found = free(name, known(*others, name))
    assert len(found) <= NAME_MAX
    assert not is_taken(found, known(*others, name))


@given(st.text(max_size=40))
def test_how_a_name_looks_does_not_depend_on_how_it_is_written(name: str) -> None:
    assert look(look(name)) == look(name)
    assert look(f" {name} ") == look(name)
