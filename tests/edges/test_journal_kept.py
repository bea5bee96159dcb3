"""What becomes of old parts: let go as asked, never the one in use, a held one, or another's."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.cli import main
from daemon.edges.journal import (
    Care,
    Journal,
    JournalError,
    hold,
    part_path,
    parts_kept,
    read_noted,
    release,
    verify,
)
from daemon.edges.journal.keeping import prune
from daemon.signals import Chunk
from daemon.transcript import Header

HEADER = Header(
    table="poker-12", site="venezia", opened="2026-11-29T20:13:31Z", version="0.1.0",
    rulebook="robert-classic", config="table.toml", digest="ab12",
)  # fmt: skip
NAME = "20261129T201331Z"
DAY_S = 86_400


def play(folder: Path, hands: int, care: Care, header: Header = HEADER) -> Path:
    """An evening of so many hands; its first part."""
    one = Journal(folder, header, care=care)
    for hand in range(1, hands + 1):
        one.hand(hand * 100, str(hand))
        one.signal(Chunk(hand * 100 + 1, "felt", bytes([hand]) * 50))
        one.write(hand * 100 + 1)
        one.hand(hand * 100 + 50, None)
    one.close(hands * 100 + 99)
    return part_path(folder, header.name, 1)


def parts(folder: Path) -> list[str]:
    return [part.path.name for part in parts_kept(folder)]


def asked(*words: object) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)])


def test_without_a_wish_nothing_is_let_go(tmp_path: Path) -> None:
    play(tmp_path, 9, Care(size_max=1))
    assert len(parts(tmp_path)) == 10


def test_so_many_parts_are_kept_and_those_held(tmp_path: Path) -> None:
    play(tmp_path, 3, Care(size_max=1))
    assert hold(tmp_path, f"{NAME}:2") == [part_path(tmp_path, NAME, 2)]
    later = msgspec.structs.replace(HEADER, opened="2026-11-30T20:00:00Z")
    play(tmp_path, 5, Care(size_max=1, parts=3), later)
    assert parts(tmp_path) == [
        f"{NAME}.2.journal",
        *(f"20261130T200000Z.{part}.journal" for part in (4, 5, 6)),
    ]
    (verdict,) = verify([tmp_path / "20261130T200000Z.4.journal"])
    assert [what for _, what in verdict.remarks] == ["is part 4: those before it are not here"]
    release(tmp_path, f"{NAME}:2")
    prune(Care(parts=3), tmp_path / "20261130T200000Z.6.journal")
    assert f"{NAME}.2.journal" not in parts(tmp_path)


@settings(max_examples=60, deadline=None)
@given(
    ages=st.lists(st.integers(0, 60), min_size=2, max_size=8),
    held=st.sets(st.integers(1, 8)),
    days=st.none() | st.integers(1, 50),
    keep=st.none() | st.integers(2, 8),
    free=st.none() | st.sampled_from([0, 1 << 60]),
)
def test_never_the_part_in_use_nor_a_held_one_and_every_other_as_asked(  # noqa: PLR0913, PLR0917
    tmp_path_factory: pytest.TempPathFactory,
    ages: list[int],
    held: set[int],
    days: int | None,
    keep: int | None,
    free: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    play(folder, len(ages) - 1, Care(size_max=1))
    held &= set(range(1, len(ages)))
    for part in held:
        hold(folder, f"{NAME}:{part}")
    now_s = time.time() - DAY_S / 2
    for part, age in enumerate(ages, 1):
        at_s = now_s - age * DAY_S
        os.utime(part_path(folder, NAME, part), (at_s, at_s))
    prune(Care(days=days, parts=keep, free=free), part_path(folder, NAME, len(ages)))
    left = {part for part in range(1, len(ages) + 1) if part_path(folder, NAME, part).exists()}
    due = {
        part
        for part, age in enumerate(ages, 1)
        if (days is not None and age >= days)
        or (keep is not None and part <= len(ages) - keep)
        or (free is not None and free > 0)
    }
    assert left == set(range(1, len(ages) + 1)) - (due - held - {len(ages)})


def test_nothing_that_is_not_the_daemons_own_goes(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    play(folder, 2, Care(size_max=1))
    own = part_path(folder, NAME, 1).read_bytes()
    strange = {
        "20200101T000000Z.journal": b"no journal\n",
        "20200102T000000Z.journal": own.replace(b"poker-12", b"poker-13"),
        "notes.journal": own,
        "20200103T000000Z.1.2.journal": b"",
        "figures.json": b"{}",
    }  # fmt: skip
    for name, content in strange.items():
        (folder / name).write_bytes(content)
        os.utime(folder / name, (0, 0))
    outside = tmp_path / "outside"
    outside.write_bytes(part_path(folder, NAME, 1).read_bytes())
    os.utime(outside, (0, 0))
    (folder / "20200104T000000Z.journal").symlink_to(outside)
    prune(Care(days=1, parts=2, free=1 << 60), part_path(folder, NAME, 3))
    left = {path.name for path in folder.iterdir()}
    assert left == {*strange, "20200104T000000Z.journal", f"{NAME}.3.journal", "holds"}
    assert outside.exists()


def test_while_the_holds_cannot_be_read_nothing_goes(tmp_path: Path) -> None:
    play(tmp_path, 4, Care(size_max=1))
    hold(tmp_path, f"{NAME}:1")
    in_use = part_path(tmp_path, NAME, 5)
    holds = tmp_path / "holds"
    good = holds.read_bytes()
    holds.write_bytes(good + b"torn half of a li")  # the power went: what is whole counts
    assert prune(Care(parts=4), in_use) == []
    holds.write_bytes(good + b"nonsense\n")
    assert prune(Care(parts=2), in_use) == []
    with pytest.raises(JournalError, match=r"holds:2: is no hold"):
        parts_kept(tmp_path)
    holds.unlink()
    holds.mkdir()
    assert prune(Care(parts=2), in_use) == []
    holds.rmdir()
    assert len(prune(Care(parts=2), in_use)) == 3


def test_a_hand_is_named_by_an_alerts_id_or_by_its_journal(tmp_path: Path) -> None:
    play(tmp_path, 3, Care(size_max=1))
    third = part_path(tmp_path, NAME, 3)
    alert = f"poker-12:{NAME}:3:1:turn-premature:turn:1"
    for hand in (alert, f"{NAME}:3", f"poker-12:{NAME}:3"):
        found = asked("hold", hand, tmp_path)
        assert (found.exit_code, found.output) == (0, f"{third}: held\n")
    assert len(hold(tmp_path, NAME)) == 4
    for hand, what in {
        f"{NAME}:9": "has no mark of hand 9",
        "20200101T000000Z:1": "is not there",
        "12": "is no hand",
        "../x": "is no hand",
        "": "is no hand",
    }.items():
        bad = asked("hold", hand, tmp_path)
        assert (bad.exit_code, what in bad.output) == (1, True), bad.output
    assert asked("hold", alert, tmp_path / "none").exit_code == 1
    listed = asked("list", tmp_path).output.splitlines()
    assert listed[2].endswith(f"hands 3 to 3; held: {NAME}:3, {NAME}")
    assert asked("hold", alert, tmp_path, "--release").exit_code == 0
    assert asked("hold", alert, tmp_path, "--release").exit_code == 1
    assert stat.S_IMODE((tmp_path / "holds").stat().st_mode) == 0o600


def test_a_hand_that_lies_in_two_parts_is_held_with_both(tmp_path: Path) -> None:
    one = Journal(tmp_path, HEADER, care=Care(size_max=900))
    one.hand(1, "1")
    one.hand(2, None)
    one.signal(Chunk(3, "felt", bytes(900)))  # the next one is shuffled for
    one.write(3)
    one.hand(4, None)  # nobody plays: the part is over
    one.hand(5, "2")
    one.hand(6, None)
    one.close(7)
    assert [path.name for path in hold(tmp_path, f"{NAME}:2")] == [
        f"{NAME}.journal",
        f"{NAME}.2.journal",
    ]


# --- heads --------------------------------------------------------------------------------------


def test_noted_heads_tell_a_cut_end_and_a_journal_written_anew(tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    first = play(tmp_path / "journal", 4, Care(heads=heads))
    assert stat.S_IMODE(heads.stat().st_mode) == 0o600
    noted = read_noted(heads)
    assert len(noted[first.name]) == 4
    verify([first], noted)
    whole = first.read_bytes()
    lines = whole.splitlines(keepends=True)
    first.write_bytes(b"".join(lines[:-3]))
    verify([first])  # the chain alone cannot tell
    found = asked("verify", first, "--heads", heads)
    assert found.output == (
        f"{first}:{len(lines) - 2}: is missing, though its head was noted: the end was cut off\n"
    )
    play(tmp_path / "anew", 4, Care())
    again = part_path(tmp_path / "anew", NAME, 1)
    verify([again], noted)  # the same evening is the same chain
    again.unlink()
    one = Journal(tmp_path / "anew", HEADER)
    for at_ms in range(40):
        one.remark(at_ms, "made up")
    one.close(50)
    verify([again])
    with pytest.raises(JournalError, match="does not come to the head that was noted"):
        verify([again], noted)


def test_heads_that_cannot_be_noted_stop_nothing(tmp_path: Path) -> None:
    first = play(tmp_path / "journal", 2, Care(heads=tmp_path / "none" / "heads"))
    assert verify([first])
    (tmp_path / "bad").write_text("x\n")
    with pytest.raises(JournalError, match="bad:1: is not a noted head"):
        read_noted(tmp_path / "bad")
