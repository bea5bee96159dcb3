"""The mark of a whole journal: which one, of which run of the kernel, and when it is gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.edges.journal import Journal, open_journal
from daemon.edges.whole import FILE, Whole
from daemon.signals import PortBack
from daemon.transcript import Header

HEADER = Header(table="t", site="s", opened="", version="0", rulebook="r", config="c", digest="d")
NAME = "20261129T201331Z"


@pytest.fixture
def boot(tmp_path: Path) -> Path:
    path = tmp_path / "boot_id"
    path.write_text("first\n")
    return path


def test_a_mark_is_of_one_journal_and_of_one_run_of_the_kernel(tmp_path: Path, boot: Path) -> None:
    assert not Whole(tmp_path, boot).vouches_for(NAME)
    Whole(tmp_path, boot).keep(NAME, whole=True)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert Whole(tmp_path, boot).vouches_for(NAME)
    assert not Whole(tmp_path, boot).vouches_for("20261129T191331Z")
    boot.write_text("second\n")  # the power went, and with it what was not synced
    assert not Whole(tmp_path, boot).vouches_for(NAME)


def test_it_is_gone_while_the_disk_refuses_and_there_again_when_it_takes(
    tmp_path: Path, boot: Path
) -> None:
    mark = Whole(tmp_path, boot)
    mark.keep(NAME, whole=True)
    mark.keep(NAME, whole=False)
    assert not Whole(tmp_path, boot).vouches_for(NAME)
    mark.keep(NAME, whole=True)
    assert Whole(tmp_path, boot).vouches_for(NAME)


def test_a_folder_that_is_not_there_is_no_reason_to_end(tmp_path: Path, boot: Path) -> None:
    mark = Whole(tmp_path / "gone", boot)
    mark.keep(NAME, whole=True)
    assert not mark.vouches_for(NAME)


def test_of_journals_in_the_wrong_order_the_one_last_written_is_gone_on_with(
    tmp_path: Path, boot: Path
) -> None:
    """The clock went an hour back and was set right again: the youngest name is not the last."""
    now = datetime.now(UTC)
    names = []
    for at in (now, now - timedelta(hours=1)):
        mark = Whole(tmp_path, boot)
        opening = open_journal(tmp_path, HEADER, at, may_go_on=lambda _: False)
        journal = Journal(tmp_path, opening.header)
        mark.keep(opening.header.name, whole=True)
        journal.signal(PortBack(5, "felt"))
        journal.write(5)
        journal.close(6, words=None)
        names.append(opening.header.name)
    assert sorted(names) != names
    opening = open_journal(
        tmp_path, HEADER, now + timedelta(seconds=9), may_go_on=Whole(tmp_path, boot).vouches_for
    )
    assert opening.header.name == names[-1]
    assert opening.entries
