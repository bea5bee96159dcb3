"""The journal's chain: whatever is done to a file afterwards is told, with file and line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.cli import main
from daemon.edges.journal import (
    Care,
    Journal,
    JournalError,
    Verdict,
    open_journal,
    part_path,
    read_journal,
    verify,
)
from daemon.signals import Chunk, PortBack, PortLost
from daemon.transcript import Header

HEADER = Header(
    table="poker-12", site="venezia", opened="", version="0.1.0",
    rulebook="robert-classic", config="table.toml", digest="ab12",
)  # fmt: skip
NOW = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)
NAME = "20261129T201331Z"
REASONS = (
    "is not as it was written", "does not go on where", "is not a journal's header",
    "is a header that did not stand here",
)  # fmt: skip


def play(
    folder: Path, now: datetime = NOW, *, parts: int = 1, words: str | None = "stopped"
) -> Path:
    """A run of the daemon's journal; the first part's file."""
    opening = open_journal(folder, HEADER, now)
    care = Care() if parts == 1 else Care(size_max=1)
    one = Journal(folder, opening.header, lines=opening.lines, care=care)
    at_ms = opening.header.at_ms
    for part in range(parts):
        one.signal(PortBack(at_ms, "felt"))
        for step in range(4):
            one.signal(Chunk(at_ms + step, "felt", bytes([65 + step % 2])))
        one.published(at_ms + 5, b'{"v":1,"text":"\xc3\xa8 ~12345678"}')
        one.signal(PortLost(at_ms + 6, "felt"))
        one.write(at_ms + 6)
        if part + 1 < parts:
            one.hand(at_ms + 7, None)
        at_ms += 10
    one.close(at_ms, words)
    path = part_path(folder, opening.header.name, 1)
    for each in folder.glob(f"{opening.header.name}*"):  # the clock of this run is the tests'
        os.utime(each, (now.timestamp(), now.timestamp()))
    return path


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of one file to which three runs have written."""
    folder = tmp_path_factory.mktemp("evening")
    for minute in range(3):
        path = play(
            folder, NOW + timedelta(minutes=minute), words=None if minute == 1 else "stopped"
        )
    assert path.name == f"{NAME}.journal"
    return path.read_bytes().splitlines(keepends=True)


def first_wrong(folder: Path, lines: list[bytes]) -> tuple[int, str] | None:
    """The line that `verify` names and why, None where it finds nothing."""
    path = folder / f"{NAME}.journal"
    path.write_bytes(b"".join(lines))
    try:
        verify([path])
    except JournalError as error:
        return (error.line, error.what) if error.path == path else (0, "another file")
    return None


def test_three_runs_in_one_file_are_as_written(tmp_path: Path, evening: list[bytes]) -> None:
    assert first_wrong(tmp_path, evening) is None
    assert len(evening) > 20


quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(data=st.data())
def test_one_altered_byte_is_told_with_its_line(
    tmp_path: Path, evening: list[bytes], data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(evening)))
    line = evening[number - 1]
    place = data.draw(st.integers(0, len(line) - 1))
    put = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    altered = line[:place] + bytes([put]) + line[place + 1 :]
    found = first_wrong(tmp_path, [*evening[: number - 1], altered, *evening[number:]])
    if number == len(evening) and place == len(line) - 1:
        (verdict,) = verify([tmp_path / f"{NAME}.journal"])  # its end is gone: it is a torn line
        assert "ends in half a line" in told(verdict)
    else:
        assert found is not None
        assert found[0] == number
        assert found[1].startswith(REASONS)


@quick
@given(data=st.data())
def test_a_line_taken_out_moved_or_put_in_is_told(
    tmp_path: Path, evening: list[bytes], data: st.DataObject
) -> None:
    count = len(evening)
    one = data.draw(st.integers(0, count - 2))
    without = evening[:one] + evening[one + 1 :]
    found = first_wrong(tmp_path, without)
    assert found is not None
    assert found[0] == one + 1
    other = data.draw(st.integers(one + 1, count - 1))
    swapped = list(evening)
    swapped[one], swapped[other] = swapped[other], swapped[one]
    found = first_wrong(tmp_path, swapped)
    assert found is not None
    assert found[0] == one + 1
    added = data.draw(st.sampled_from([*evening, b"# 1 x\n", b"\n", b"! 9 felt ~AAAAAAAA\n"]))
    at = data.draw(st.integers(0, count))
    found = first_wrong(tmp_path, [*evening[:at], added, *evening[at:]])
    assert found is not None
    repeats = at < count and added == evening[at]  # a line twice is the second one's fault
    assert found[0] == at + 1 + repeats


def told(verdict: Verdict) -> str:
    return "\n".join(what for _, what in verdict.remarks)


def test_an_end_that_is_cut_off_is_said_to_be_unknown_to_the_chain(
    tmp_path: Path, evening: list[bytes]
) -> None:
    path = tmp_path / f"{NAME}.journal"
    for count in range(1, len(evening)):
        path.write_bytes(b"".join(evening[:count]))
        (verdict,) = verify([path])
        is_end = b" stopped" in evening[count - 1]
        assert ("has no end" in told(verdict)) is not is_end


def test_parts_are_one_chain_and_a_missing_one_is_told(tmp_path: Path) -> None:
    first = play(tmp_path, parts=4)
    (verdict,) = verify([first])
    assert (verdict.parts, verdict.remarks) == (4, [])
    (later,) = verify([part_path(tmp_path, NAME, 3)])
    assert later.head == verdict.head
    assert "those before it are not here" in told(later)
    third = part_path(tmp_path, NAME, 3)
    kept = third.read_bytes()
    third.unlink()
    with pytest.raises(JournalError, match=r"is missing, and .*4.journal is there"):
        verify([first])
    second, fourth = part_path(tmp_path, NAME, 2), part_path(tmp_path, NAME, 4)
    aside = second.rename(tmp_path / "second"), fourth.rename(tmp_path / "fourth")
    with pytest.raises(JournalError, match=r"fourth:1: does not go on where"):
        verify(aside)
    for path, back in zip(aside, (second, fourth), strict=True):
        path.rename(back)
    third.write_bytes(kept[: kept[:-1].rindex(b"\n") + 1])  # the end of a part that has a next one
    with pytest.raises(JournalError, match=r"4.journal:1: does not go on where"):
        verify([first])


def test_a_journal_begun_after_another_shows_that_ones_cut_end(tmp_path: Path) -> None:
    first = play(tmp_path)
    second = play(tmp_path, NOW + timedelta(hours=1))
    assert first != second
    assert [told(verdict) for verdict in verify([first, second])] == ["", ""]
    assert f"goes on from {NAME}" in told(verify([second])[0])
    first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(JournalError, match=rf"{second.name}:1: does not go on where"):
        verify([first, second])


def test_a_journal_that_was_altered_is_not_gone_on_with(tmp_path: Path) -> None:
    first = play(tmp_path)
    first.write_bytes(first.read_bytes().replace(b"< 0 felt 41", b"< 0 felt 42"))
    os.utime(first, (NOW.timestamp(), NOW.timestamp()))
    opening = open_journal(tmp_path, HEADER, NOW + timedelta(seconds=5))
    assert opening.header.name != NAME
    assert not opening.header.after
    assert not opening.entries


def test_a_power_cut_that_left_only_zeros_is_no_reason_not_to_start(tmp_path: Path) -> None:
    first = play(tmp_path, words=None)
    whole = first.read_bytes()
    first.write_bytes(whole + bytes(3 << 20))
    os.utime(first, (NOW.timestamp(), NOW.timestamp()))
    play(tmp_path, NOW + timedelta(seconds=5))
    assert first.with_suffix(".torn").stat().st_size == 3 << 20
    (verdict,) = verify([first])
    assert verdict.remarks == []
    first.write_bytes(bytes(4096))
    with pytest.raises(JournalError, match="is not a journal's header"):
        verify([first])
    play(tmp_path, NOW + timedelta(seconds=10))


@pytest.mark.parametrize("begun", [b"", b'#! {"tab', bytes(4096)])
def test_a_part_that_was_only_just_begun_is_gone_on_with(tmp_path: Path, begun: bytes) -> None:
    first = play(tmp_path, words=None)
    part_path(tmp_path, NAME, 2).write_bytes(begun)
    opening = open_journal(tmp_path, HEADER, NOW + timedelta(seconds=5))
    assert (opening.header.name, opening.header.part) == (NAME, 1)
    one = Journal(tmp_path, opening.header, lines=opening.lines, care=Care(size_max=1))
    one.hand(opening.header.at_ms + 1, "1")
    one.hand(opening.header.at_ms + 2, None)
    one.close(opening.header.at_ms + 3)
    (verdict,) = verify([first])
    assert (verdict.parts, verdict.remarks) == (2, [])


@quick
@given(st.integers(0, 10_000))
def test_wherever_the_power_cut_a_file_the_next_run_goes_on_with_what_is_whole(
    tmp_path_factory: pytest.TempPathFactory, place: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    first = play(folder, words=None)
    whole = first.read_bytes()
    place %= len(whole)
    first.write_bytes(whole[:place])
    os.utime(first, (NOW.timestamp(), NOW.timestamp()))
    play(folder, NOW + timedelta(seconds=5))
    if b"\n" in whole[:place]:
        (verdict,) = verify([first])
        assert verdict.remarks == []
        assert list(read_journal(first))


WRITER = """
import itertools, sys
from pathlib import Path
from daemon.edges.journal import Care, Journal
from daemon.signals import Chunk
from daemon.transcript import Header
import msgspec
folder, header = Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Header)
one = Journal(folder, header, lines=int(sys.argv[3]), care=Care(size_max=20_000))
print("on", flush=True)
for at_ms in itertools.count(header.at_ms):
    one.signal(Chunk(at_ms, "felt", at_ms.to_bytes(4) * (1 + at_ms % 50)))
    one.write(at_ms)
    one.hand(at_ms, None)
"""


def test_a_process_killed_at_any_moment_leaves_a_journal_that_verifies(tmp_path: Path) -> None:
    for kill in range(8):
        opening = open_journal(tmp_path, HEADER, datetime.now(UTC))
        header = msgspec.json.encode(opening.header).decode()
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path, header, str(opening.lines)],
            stdout=subprocess.PIPE,
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"on\n"
            first = part_path(tmp_path, opening.header.name, 1)
            size = sum(path.stat().st_size for path in tmp_path.iterdir())
            while sum(path.stat().st_size for path in tmp_path.iterdir()) < size + 9_000 * (
                kill + 1
            ):
                pass
            writer.send_signal(signal.SIGKILL)
        (verdict,) = verify([first])
        assert verdict.head is not None
    assert len(list(tmp_path.glob("*.journal"))) > 8
    assert list(read_journal(first))


# --- the command --------------------------------------------------------------------------------


def asked(*words: object) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)])


def test_the_command_says_what_is_known_and_ends_with_1_at_the_first_wrong_line(
    tmp_path: Path,
) -> None:
    first = play(tmp_path, parts=2)
    good = asked("verify", first)
    assert (good.exit_code, good.output) == (0, f"{NAME}: as written; 2 parts, 15 lines\n")
    shown = asked("verify", "--head", first).output
    assert verify([first])[0].head in shown
    second = part_path(tmp_path, NAME, 2)
    second.write_bytes(second.read_bytes().replace(b"! 16 felt", b"^ 16 felt"))
    bad = asked("verify", first)
    assert bad.exit_code == 1
    assert bad.output == (
        f"{second}:7: is not as it was written, or a line before it is missing, added or moved\n"
    )


def test_a_journal_from_before_there_was_a_chain_is_said_to_have_none(tmp_path: Path) -> None:
    old = tmp_path / "old.journal"
    old.write_text(
        '#! {"table":"t","site":"s","opened":"2026-11-29T20:13:31Z","version":"0.1.0",'
        '"rulebook":"r","config":"c","digest":"d"}\n! 1 felt\n# 5 stopped\n'
    )
    found = asked("verify", old)
    assert found.exit_code == 0
    assert "has no chain: whether it was altered cannot be told" in found.output
    assert f"{NAME}: has no chain; 1 parts, 3 lines" in found.output
    assert asked("verify", tmp_path / "none").exit_code == 1
    assert asked("verify").exit_code == 2
