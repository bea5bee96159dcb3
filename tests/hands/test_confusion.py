"""A share of the table of injected against found (`make confusion`): all of it on the diagonal."""

from __future__ import annotations

from daemon.rules.vocabulary import IDS
from tests.confusion import NOT_INJECTED, confusion, off_the_diagonal, printed

HANDS_EACH = 3


def test_what_is_injected_is_found_by_its_own_name_and_nothing_besides():
    rows = confusion(HANDS_EACH, "share")
    assert off_the_diagonal(rows) == []
    assert all(row.injected >= HANDS_EACH for row in rows.values())
    *_, last, reason = printed(rows).splitlines()
    assert last.endswith(" on the diagonal")
    assert reason.startswith("not injected: ")


def test_every_irregularity_is_injected_or_it_is_said_why_not():
    rows = confusion(0)
    assert not set(rows) & set(NOT_INJECTED)
    assert set(rows) | set(NOT_INJECTED) == set(IDS)
    assert all(NOT_INJECTED.values())
