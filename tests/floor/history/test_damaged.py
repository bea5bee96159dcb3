"""A history's file that is removed, replaced or damaged: said in words, and nothing lost unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.floor.history import Database, HistoryGone, Scribe
from daemon.floor.history.database import MEND, MOVED
from tests.floor.history.lines import line


def of(folder: Path) -> Database:
    return Database(f"sqlite:///{folder / 'history.db'}")


@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_written_into_a_file_that_is_there_no_more(
    tmp_path: Path, *, is_replaced: bool
) -> None:
    database = of(tmp_path)
    scribe = Scribe(database, retry_s=0.02)
    scribe.put(line("a1"))
    assert scribe.written(60)
    moved = (tmp_path / "history.db").rename(tmp_path / "elsewhere.db")
    if is_replaced:
        other = of(tmp_path)
        other.bring_up()
        other.close()
    scribe.put(line("a2"))
    assert not scribe.written(0.3)
    assert MOVED in str(scribe.trouble)
    with pytest.raises(HistoryGone, match="removed or replaced"), database.reading():
        pass
    assert (tmp_path / "history.db").exists() == is_replaced
    if not is_replaced:
        moved.rename(tmp_path / "history.db")
        assert scribe.written(60)
        assert scribe.trouble is None
    scribe.close(0.1)
    database.close()


def test_a_damaged_file_is_said_to_be_one_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_bytes(b"nonsense" * 2000)
    database = of(tmp_path)
    with pytest.raises(HistoryGone) as found:
        database.bring_up()
    assert MEND in found.value.why
    database.close()
    (tmp_path / "history.db").unlink()
    again = of(tmp_path)
    again.bring_up()
    again.close()
