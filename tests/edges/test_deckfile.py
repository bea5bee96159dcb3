"""A deck's file on the disk: whole whenever the writing is cut short, 0600, kept by one only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.edges import deckfile
from daemon.edges.deckfile import DeckFileError, Part, add_log, part_count, write_map
from tests.enrol.decks import TAGS

OLD, NEW = b"old" * 5000, b"new" * 5000
ENTRIES = tuple(TAGS.items())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


# --- the map ------------------------------------------------------------------------------------


def test_a_map_is_its_owners_alone_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    write_map(path, NEW)
    assert path.read_bytes() == NEW
    assert mode(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("was", "becomes"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o600)])
def test_the_groups_right_to_read_is_kept_unless_everybody_had_it(
    tmp_path: Path, was: int, becomes: int
) -> None:
    path = tmp_path / "red.toml"
    path.write_bytes(OLD)
    path.chmod(was)
    write_map(path, NEW)
    assert mode(path) == becomes


@pytest.mark.parametrize("is_there", [True, False])
def test_the_owner_is_the_old_files_or_the_folders(
    tmp_path: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda _fd, user, group: given.append((user, group)))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "getegid", lambda: 0)
    path = tmp_path / "red.toml"
    if is_there:
        path.write_bytes(OLD)
    like = path if is_there else tmp_path
    there = like.stat()
    owned = os.stat_result((0o100640, *there[1:4], 1234, 987, *there[6:10]))
    monkeypatch.setattr(deckfile, "_stat", lambda one: owned if one == like else one.stat())
    write_map(path, NEW)
    assert given == [(1234, 987)]
    assert mode(path) == 0o640


def test_what_a_link_points_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    link = tmp_path / "red.toml"
    link.symlink_to(tmp_path / "store" / "red.toml")
    write_map(link, NEW)
    assert link.is_symlink()
    assert (tmp_path / "store" / "red.toml").read_bytes() == NEW


WRITER = """
import sys
from pathlib import Path
from daemon.edges.deckfile import write_map
texts = (b"old" * 5000, b"new" * 5000)
for nth in range(1_000_000):
    write_map(Path(sys.argv[1]), texts[nth % 2])
    print(nth, flush=True)
"""


def test_a_writer_killed_at_any_moment_leaves_one_of_the_two_whole(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    path.write_bytes(OLD)
    for writes in range(1, 9):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
        ) as writer:
            for _ in range(writes):
                writer.stdout.readline()
            writer.kill()
        assert path.read_bytes() in (OLD, NEW)
        assert {one.name for one in tmp_path.iterdir()} <= {"red.toml", "red.toml.new"}
    write_map(path, NEW)
    assert [one.name for one in tmp_path.iterdir()] == ["red.toml"]


@pytest.mark.parametrize("call", ["write", "fsync", "fchmod", "replace"])
def test_a_disk_that_refuses_at_any_step_leaves_the_old_map(
    tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "red.toml"
    path.write_bytes(OLD)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path if call == "replace" else os, call, refuse)
    with pytest.raises(DeckFileError) as found:
        write_map(path, NEW)
    assert path.read_bytes() == OLD
    assert str(found.value) == f"{path}: cannot be written: No space left on device"


# --- the kept state -----------------------------------------------------------------------------


def test_what_was_kept_is_there_again_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "red.toml"
    part = Part(path)
    assert (part.entries, part.laid_by) == ((), ())
    for count in range(1, 6):
        part.keep(ENTRIES[:count], ["Anna"])
    part.keep((*ENTRIES[:2], *ENTRIES[3:5]), ["Anna", "Carla"])
    part.keep((*ENTRIES[:2], *ENTRIES[3:5], ENTRIES[2]), ["Anna", "Carla"])
    part.close()
    assert mode(tmp_path / "red.toml.part") == 0o600
    assert part_count(path) == 5
    again = Part(path)
    assert again.entries == (*ENTRIES[:2], *ENTRIES[3:5], ENTRIES[2])
    assert again.laid_by == ("Anna", "Carla")
    again.discard()
    assert list(tmp_path.iterdir()) == []
    assert part_count(path) == 0


@settings(max_examples=20)
@given(st.lists(st.permutations(ENTRIES[:6]).map(tuple) | st.sampled_from([(), ENTRIES[:3]])))
def test_every_state_that_is_kept_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, states: list
) -> None:
    path = tmp_path_factory.mktemp("deck") / "red.toml"
    for state in states:
        part = Part(path)
        part.keep(state, [])
        part.close()
        again = Part(path)
        assert set(again.entries) == set(state)
        again.close()


def test_a_torn_line_costs_that_card_only(tmp_path: Path) -> None:
    path, kept = tmp_path / "red.toml", tmp_path / "red.toml.part"
    part = Part(path)
    part.keep(ENTRIES[:3], [])
    part.close()
    whole = kept.read_bytes()
    for cut in range(len(whole)):
        kept.write_bytes(whole[:cut])
        part = Part(path)
        assert part.entries == ENTRIES[: len(part.entries)]
        part.keep(ENTRIES[:3], [])
        part.close()
        assert kept.read_bytes() == whole


@pytest.mark.parametrize("text", [b"rubbish\n", deckfile.HEAD + b"+ Td zz\n", b"\xff\xfe\n"])
def test_what_is_no_kept_state_is_told_without_its_words_and_can_be_begun_anew(
    tmp_path: Path, text: bytes
) -> None:
    path = tmp_path / "red.toml"
    (tmp_path / "red.toml.part").write_bytes(text)
    with pytest.raises(DeckFileError) as found:
        Part(path)
    assert str(found.value) == f"{path}.part: cannot be gone on with; --anew begins anew"
    part = Part(path, anew=True)
    assert part.entries == ()
    part.close()


def test_one_deck_is_enrolled_by_one_process_at_a_time(tmp_path: Path) -> None:
    first = Part(tmp_path / "red.toml")
    with pytest.raises(DeckFileError, match="this deck is being enrolled already"):
        Part(tmp_path / "red.toml")
    first.close()
    Part(tmp_path / "red.toml").close()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeckFileError, match="cannot be written: No such file or directory"):
        Part(tmp_path / "decks" / "red.toml")


def test_the_record_grows_by_lines_and_is_its_owners_alone(tmp_path: Path) -> None:
    for line in (b"one", b"two"):
        add_log(tmp_path / "red.toml", line)
    log = tmp_path / "red.toml.log"
    assert log.read_bytes() == b"one\ntwo\n"
    assert mode(log) == 0o600
