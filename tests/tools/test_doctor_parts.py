"""The doctor on disk, decks, clock and ports; and that he has words for all he finds."""

from __future__ import annotations

import os
import re
import shutil
import stat
import string
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.doctor import ports
from daemon.doctor.clock import clock
from daemon.doctor.decks import decks
from daemon.doctor.disk import disk
from daemon.doctor.findings import LEVELS, WARNING, Finding, is_well
from daemon.doctor.holders import getty_on, is_console, locked_by, opened_by
from daemon.doctor.words import LANGUAGES, said
from daemon.edges.journal import Journal
from daemon.table.decks import Deck, Record
from daemon.transcript import Header
from tests.tools.conftest import AS_ORDINARY, CONFIG, DECK_FILE, Bench, called

ROOT = Path(__file__).parents[2]
LIMITED = ("sh", "-c", 'ulimit -f 1; exec "$@"', "sh")  # half a kilobyte, or a whole one
NOW = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)


def found(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.what) for finding in findings]


# --- disk ---


async def test_a_folder_that_takes_no_more_is_told(bench: Bench) -> None:
    bench.journals.mkdir(parents=True, mode=0o700)
    told = await called("doctor", bench.configure(), by=LIMITED)
    assert ("WRONG", f"{bench.journals} takes nothing: file too large") in told.rows("journal")
    assert list(bench.journals.iterdir()) == []


async def test_a_folder_that_may_not_be_written_to_is_told(bench: Bench) -> None:
    bench.journals.mkdir(parents=True, mode=0o500)
    told = await called("doctor", bench.configure(), by=AS_ORDINARY)
    assert ("WRONG", f"{bench.journals} takes nothing: permission denied") in told.rows("journal")


async def test_a_folder_that_cannot_be_made_is_told(bench: Bench) -> None:
    above = bench.folder / "journal"
    above.mkdir(mode=0o500)
    told = await called("doctor", bench.configure(), by=AS_ORDINARY)
    ((level, what),) = told.rows("journal")
    assert level == "WRONG"
    assert what == f"{bench.journals} cannot be made: {above} takes nothing from this user"


async def test_a_folder_nobody_may_look_into_is_a_warning(bench: Bench) -> None:
    closed = bench.folder / "journal"
    bench.journals.mkdir(parents=True)
    closed.chmod(0)
    told = await called("doctor", bench.configure(), by=AS_ORDINARY)
    closed.chmod(0o700)
    assert told.rows("journal") == [
        ("warning", f"{bench.journals} cannot be looked at: permission denied")
    ]


def test_a_folder_is_written_to_and_left_as_it_was(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert found(disk(tmp_path))[0] == ("ok", "folder-ok")
    assert list(tmp_path.iterdir()) == []
    tmp_path.chmod(0o755)
    assert ("warning", "folder-open") in found(disk(tmp_path))
    (tmp_path / "file").touch()
    assert found(disk(tmp_path / "file")) == [("wrong", "folder-no-folder")]
    assert found(disk(tmp_path / "a" / "b"))[0] == ("note", "folder-to-come")


def test_room_is_counted(tmp_path: Path) -> None:
    assert found(disk(tmp_path, free_low=0, free_least=0))[-1] == ("ok", "disk-ok")
    assert found(disk(tmp_path, free_low=1 << 60, free_least=0))[-1] == ("warning", "disk-low")
    assert found(disk(tmp_path, free_low=1 << 60, free_least=1 << 60))[-1] == ("wrong", "disk-full")
    assert found(disk(tmp_path / "to" / "come", 1 << 60, 1 << 60))[-1] == ("wrong", "disk-full")


# --- decks ---


@pytest.fixture
def in_public() -> Iterator[Path]:
    """A folder that everybody may look into, as pytest's own are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("mode", "folder", "what"),
    [
        (0o640, 0o755, ("ok", "deck-ok")),
        (0o644, 0o755, ("wrong", "deck-open")),
        (0o644, 0o750, ("ok", "deck-ok")),  # nobody comes as far as the file
    ],
)
def test_a_deck_that_everybody_may_read(
    mode: int, folder: int, what: tuple[str, str], in_public: Path
) -> None:
    deck = in_public / "deck.toml"
    deck.write_text(DECK_FILE)
    deck.chmod(mode)
    in_public.chmod(folder)
    told = decks(in_public / "t.toml", {"red": "deck.toml"}, {})
    assert found(told) == [what]


async def test_the_command_tells_of_an_open_deck_and_an_open_password(
    bench: Bench, in_public: Path
) -> None:
    config = in_public / "table.toml"
    for name in ("deck.toml", "password"):
        (in_public / name).write_text(DECK_FILE)
        (in_public / name).chmod(0o644)
    config.write_text(CONFIG.format(
        urls='"mqtt://127.0.0.1:1"', folder=in_public, shoe="/dev/a", felt="/dev/b", seat="/dev/c",
        broker='username = "x"\npassword_file = "password"',
    ))  # fmt: skip
    told = await called("doctor", config)
    ((level, what),) = told.rows("deck red")
    assert (level, what.startswith(f"everybody on this machine may read {in_public}")) == (
        "WRONG", True,
    )  # fmt: skip
    assert f"chmod 640 {in_public}/deck.toml" in told.said
    ((level, _),) = told.rows("secret password_file")
    assert level == "WRONG"


def test_a_deck_written_into_the_configuration_is_as_open_as_that(in_public: Path) -> None:
    config = in_public / "t.toml"
    config.touch()
    config.chmod(0o644)
    assert found(decks(config, {"red": {}}, {})) == [("wrong", "deck-open")]


def test_an_old_deck_and_the_shipped_example_are_warnings(tmp_path: Path) -> None:
    deck = tmp_path / "deck.toml"
    deck.touch(mode=0o600)
    later, named = datetime.now(UTC) + timedelta(days=400), {"red": str(deck)}
    (old,) = decks(tmp_path / "t.toml", named, {}, now=later)
    assert (old.level, old.what, old.facts["days"]) == (WARNING, "deck-old", 400)
    own = Deck({}, Record(enrolled=NOW, life_days=90))
    for days, house, what in ((80, 0, "ok"), (80, 60, "old"), (100, 0, "old"), (100, 120, "old")):
        then = NOW + timedelta(days=days)
        (told,) = decks(tmp_path / "t.toml", named, {"red": own}, house, then)
        assert (told.what, told.facts["days"]) == (f"deck-{what}", days)
    example = decks(ROOT / "config" / "t.toml", {"red": "decks/example.toml"}, {})
    assert found(example) == [("warning", "deck-example")]


ISO15693 = "".join(f'e00401{n:010x} = "{line.split()[2][1:-1]}"\n'
                   for n, line in enumerate(DECK_FILE.splitlines()))  # fmt: skip


@pytest.mark.parametrize(
    ("deck", "words"),
    [
        (ISO15693, "(seat-1), a pn532, reads iso14443a"),
        (
            "".join(DECK_FILE.splitlines(keepends=True)[1:]),
            "has 51: none for 2c",
        ),
        (None, "is not there: floorcall deck enrol makes it"),
    ],
)
async def test_decks_that_no_reader_reads_make_the_configuration_unusable(
    deck: str | None, words: str, bench: Bench
) -> None:
    config = bench.configure()
    if deck is None:
        (bench.folder / "deck.toml").unlink()
    else:
        (bench.folder / "deck.toml").write_text(deck)
    told = await called("doctor", config)
    assert (told.status, told.said) == (78, "")
    assert words in told.errors, told.errors


async def test_a_configuration_that_is_none_is_78(tmp_path: Path) -> None:
    assert (await called("doctor", tmp_path / "none.toml")).status == 78
    (tmp_path / "bad.toml").write_text("site = 3")
    told = await called("doctor", tmp_path / "bad.toml")
    assert (told.status, "is not usable" in told.errors) == (78, True)
    assert (await called("doctor", tmp_path)).status == 78
    assert (await called("doctor")).status == 2
    assert (await called("doctor", tmp_path / "bad.toml", "--lang", "de")).status == 2


# --- clock ---


def test_a_year_that_cannot_be_is_wrong(tmp_path: Path) -> None:
    for year in (1970, 2024, 2106):
        assert found(clock(tmp_path, NOW.replace(year=year))) == [("wrong", "clock-year")]
    assert is_well(clock(tmp_path, NOW))


def test_a_journal_of_a_time_to_come_shows_that_the_clock_was_ahead(tmp_path: Path) -> None:
    for name in ("20261129T201331Z.journal", "20261130T201330Z.journal"):
        (tmp_path / name).touch()
    assert len(clock(tmp_path, NOW)) == 1
    (tmp_path / "20380101T000000Z.journal").touch()
    ahead = clock(tmp_path, NOW)[-1]
    assert (ahead.level, ahead.what) == (WARNING, "clock-journal-ahead")
    assert ahead.facts["journal"] == "20380101T000000Z.journal"


# --- who has what ---


def test_the_folder_of_a_journal_being_written_is_held_by_its_writer(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    assert locked_by(folder) is None
    header = Header(table="t", site="s", opened="2026-11-29T20:13:31Z", version="0",
                    rulebook="r", config="c", digest="d")  # fmt: skip
    journal = Journal(folder, header)
    try:
        holder = locked_by(folder)
        assert holder is not None
        assert holder.pid == os.getpid()
    finally:
        journal.close(0)
    assert locked_by(folder) is None


def test_where_the_kernel_tells_nothing_nobody_has_anything(tmp_path: Path) -> None:
    none = tmp_path / "proc"
    for who in (locked_by, opened_by, getty_on):
        assert who(Path("/dev/null"), none) is None
        assert who(tmp_path / "none") is None
    assert not is_console(Path("/dev/ttyS0"), none)


def test_the_kernels_console_is_known_by_its_name(tmp_path: Path) -> None:
    active = tmp_path / "active"
    active.write_text("tty0 ttyS0\n")
    assert is_console(Path("/dev/ttyS0"), active)
    assert not is_console(Path("/dev/ttyS1"), active)


@pytest.mark.parametrize(
    ("mode", "owner", "grouped", "may"),
    [
        (0o660, False, True, True), (0o660, False, False, False), (0o660, True, False, True),
        (0o640, False, True, False), (0o666, False, False, True), (0o060, True, True, False),
    ],
)  # fmt: skip
def test_who_may_open_a_port_is_told_by_its_mode(
    mode: int, owner: bool, grouped: bool, may: bool, tmp_path: Path
) -> None:
    port = tmp_path / "port"
    port.touch()
    port.chmod(mode)
    there = port.stat()
    uid = there.st_uid if owner else there.st_uid + 1
    groups = {there.st_gid} if grouped else {there.st_gid + 1}
    assert stat.S_IMODE(there.st_mode) == mode
    assert ports._may_open(there, uid, groups) is may


def test_an_adapter_that_holds_bytes_back_is_a_warning(tmp_path: Path) -> None:
    timer = tmp_path / "ttyUSB0" / "latency_timer"
    timer.parent.mkdir()
    for ms, told in ((1, 0), (16, 1)):
        timer.write_text(f"{ms}\n")
        assert len(ports._latency("felt", Path("/dev/ttyUSB0"), tmp_path)) == told
    assert ports._latency("felt", Path("/dev/ttyUSB1"), tmp_path) == ()


# --- words ---


def fields(text: str) -> set[str]:
    return {name for _, name, *_ in string.Formatter().parse(text) if name}


def test_both_languages_say_the_same_things_with_the_same_facts() -> None:
    english, italian = LANGUAGES["en"], LANGUAGES["it"]
    assert english.keys() == italian.keys()
    for key, text in english.items():
        assert fields(text) == fields(italian[key]), key


def test_there_are_words_for_every_finding_and_advice_where_something_is_wrong() -> None:
    sources = "\n".join(p.read_text("utf-8") for p in (ROOT / "daemon" / "doctor").glob("*.py"))
    keys = set(re.findall(r'"((?:[a-z]+-)+[a-z]+)"', sources.replace("-do", "")))
    english = LANGUAGES["en"]
    for key in english:
        if not key.endswith("-do") and "-" in key and not key.endswith("-well"):
            named = key in keys or key.removesuffix("-alone") in keys
            assert named, f"{key} is never found"
    calm = re.compile(
        r"(-ok|-runs|-reads?|-to-come|-unknown|-answers|-root|-remark)$|^(all|not)-well$"
    )
    for key in english:
        if "-" in key and not key.endswith("-do") and not calm.search(key):
            assert f"{key}-do" in english, key
    assert set(LEVELS) <= set(english)


def test_a_finding_is_said_with_its_facts() -> None:
    finding = Finding("wrong", "sensor", "port-no-tty", "felt", {"port": "/dev/x"})
    what, advice = said(finding, "en")
    assert what == "/dev/x is not a serial port"
    assert advice is not None
