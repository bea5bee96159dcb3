"""A share of the table of injected against found (`make confusion`): all of it on the diagonal."""

from __future__ import annotations

from daemon.demo.mischief import MISCHIEF
from tests.confusion import confusion, off_the_diagonal, printed

HANDS_EACH = 3


def test_what_is_injected_is_found_by_its_own_name_and_nothing_besides():
    rows = confusion(HANDS_EACH, "share")
    assert off_the_diagonal(rows) == []
    assert set(rows) == {name.split()[0] for name in MISCHIEF}
    assert all(row.injected >= HANDS_EACH for row in rows.values())
    assert printed(rows).splitlines()[-1].endswith(" on the diagonal")
