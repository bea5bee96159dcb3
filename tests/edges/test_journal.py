"""The journal: what went in comes out, whatever the disk and the last moment did."""

from __future__ import annotations

import hashlib
import os
import re
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from daemon.edges.journal import (
    Care,
    Journal,
    JournalError,
    latest_journal,
    part_path,
    read_header,
    read_journal,
)
from daemon.orders import Command
from daemon.signals import Chunk, Order, PortBack, PortLost, Signal, Tick
from daemon.transcript import BadLine, Carried, Header, Published, Reader, Remark, Scribe, signals

HEADER = Header(
    table="poker-12", site="venezia", opened="2026-11-29T20:13:31Z", version="0.1.0",
    rulebook="robert-classic", config="table.toml", digest="ab12",
)  # fmt: skip
ALERT = b'{"v":1,"id":"poker-12:x","text":"\xc3\xa8"}'


@contextmanager
def journal(folder: Path, header: Header = HEADER, size_max: int = 1 << 20) -> Iterator[Journal]:
    one = Journal(folder, header, care=Care(size_max=size_max))
    try:
        yield one
    finally:
        one.close(10_000_000)


def heard(one: Journal, signal: Signal) -> None:
    """A signal that brings no alert, as the daemon has it written down."""
    one.signal(signal)
    one.write(signal.at_ms)


def head(path: Path) -> str:
    """Where the chain of a journal of one part stands, told apart from the program's own walk."""
    state = bytes(32)
    for line in path.read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            state = hashlib.sha256(state + line[: -len(" ~12345678\n")]).digest()
    return state.hex()


def plain(path: Path) -> list[str]:
    """The lines of a journal without their checks."""
    return [re.sub(r" ~[\w-]{8}$", "", line) for line in path.read_text().splitlines()]


def written(folder: Path, header: Header = HEADER) -> Path:
    return part_path(folder, header.name, 1)


ports = st.sampled_from(["felt", "shoe", "console"])
chunks = st.builds(Chunk, st.just(0), ports, st.sampled_from([bytes([n]) * 2 for n in range(12)]))
others = st.one_of(st.builds(PortLost, st.just(0), ports), st.builds(PortBack, st.just(0), ports))
words = st.text(max_size=20).filter(str.isprintable)
commands = st.builds(
    Command, command=words, alert=words, revision=st.integers(0, 99), by=words, text=words,
    verdict=st.sampled_from([None, "upheld", "none", "other"]), minutes=st.integers(0, 60),
    id=words,
)  # fmt: skip
orders = st.builds(Order, st.just(0), commands, words)
happenings = st.lists(
    st.tuples(
        st.integers(0, 700),
        st.one_of(
            chunks,
            chunks,
            chunks,
            others,
            orders,
            st.just(Tick(0)),
            st.just(ALERT),
            st.just("sent"),
        ),
    ),
    max_size=60,
)


def told(scribe: Scribe, at_ms: int, what: Signal | bytes | str) -> list[str]:
    match what:
        case bytes():
            return scribe.published(at_ms, what)
        case str():
            return scribe.sent(at_ms, "felt", b"\0\0\xff")
        case _:
            return scribe.signal(msgspec.structs.replace(what, at_ms=at_ms))


@given(happenings)
def test_every_signal_comes_back_with_its_time_and_in_its_order(
    happened: list[tuple[int, Signal | bytes | str]],
) -> None:
    scribe, reader, at_ms = Scribe(), Reader(), 0
    lines, expected = scribe.header(HEADER), []
    for after_ms, what in happened:
        at_ms += after_ms
        lines += told(scribe, at_ms, what)
        match what:
            case bytes():
                expected.append(Published(at_ms, what))
            case Chunk():
                expected.append(Chunk(at_ms, what.port, what.data))
            case PortLost() | PortBack() | Order():
                expected.append(msgspec.structs.replace(what, at_ms=at_ms))
            case _:
                pass
    lines += scribe.flush()
    assert [entry for line in lines for entry in reader.take(line)] == expected


@given(happenings, st.integers(0, 200), st.text(max_size=5))
def test_a_line_that_was_tampered_with_is_refused_or_read_and_never_crashes(
    happened: list[tuple[int, Signal | bytes | str]], place: int, put: str
) -> None:
    scribe, reader, at_ms = Scribe(), Reader(), 0
    lines = scribe.header(HEADER)
    for after_ms, what in happened:
        at_ms += after_ms
        lines += told(scribe, at_ms, what)
    with suppress(BadLine):
        for line in [*lines, *scribe.flush()]:
            reader.take(line[:place] + put + line[place + 1 :])


def test_the_file_reads_as_the_format_says(tmp_path: Path) -> None:
    with journal(tmp_path) as one:
        one.signal(PortBack(0, "felt"))
        for at_ms in (100, 200, 301):
            one.sent(at_ms, "felt", b"\0\0\xff")
            one.signal(Chunk(at_ms + 5, "felt", b"A\1"))
        one.published(400, ALERT)
        one.signal(Tick(500))
        one.signal(PortLost(600, "felt"))
        command = Command(command="note", alert="a:1", revision=2, by="anna")
        one.signal(Order(700, command, "floor-2"))
    header, *lines = plain(written(tmp_path))
    assert msgspec.json.decode(header.removeprefix("#! ")) == {
        "table": "poker-12", "site": "venezia", "opened": "2026-11-29T20:13:31Z",
        "version": "0.1.0", "rulebook": "robert-classic", "config": "table.toml", "digest": "ab12",
        "chain": "0" * 64,
    }  # fmt: skip
    assert lines == [
        "^ 0 felt",
        "> 100 felt 0000ff",
        "< 105 felt 4101",
        "<* 205 306 2 felt/0 0+0 0+101",
        ">* 200 301 2 felt 0000ff",
        f"= 400 {ALERT.decode()}",
        "! 600 felt",
        '@ 700 {"via":"floor-2","command":"note","alert":"a:1","revision":2,"by":"anna"}',
        "# 10000000 stopped",
    ]


def test_a_poll_that_finds_nothing_new_costs_a_few_characters(tmp_path: Path) -> None:
    with journal(tmp_path) as one:
        for at_ms in range(0, 60_000, 100):
            for port in ("felt", "seat-1", "seat-2"):
                one.sent(at_ms, port, b"\0\0\xff\4\xfc\xd4\x4a\2\0\xe0\0")
                one.signal(Chunk(at_ms, port, b"\0\0\xff\0\xff\0"))
                one.signal(Chunk(at_ms + 9, port, bytes(30)))
            one.signal(Tick(at_ms + 50))
    assert written(tmp_path).stat().st_size < 3600 * 10


def test_what_was_counted_stands_in_the_file_before_the_alert_it_proves(tmp_path: Path) -> None:
    with journal(tmp_path) as one:
        for at_ms in (1, 2, 3):
            one.signal(Chunk(at_ms, "felt", b"A"))
        one.published(3, ALERT)
        entries = list(read_journal(written(tmp_path)))
    chunks = [Chunk(at_ms, "felt", b"A") for at_ms in (1, 2, 3)]
    assert entries == [*chunks, Published(3, ALERT)]


def test_a_replay_gets_a_tick_where_an_alert_or_a_remark_shows_that_time_had_passed() -> None:
    entries = [Chunk(1, "felt", b"A"), Published(5250, ALERT), Remark(9000, "stopped")]
    assert list(signals(entries)) == [Chunk(1, "felt", b"A"), Tick(5250), Tick(9000)]


def test_only_its_user_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with journal(tmp_path / "new") as one:
            one.signal(PortLost(1, "felt"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE(written(tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.parametrize("torn", [b"< 9000 fe", b"\0\0\0\0", b'= 9000 {"v":1'])
def test_a_torn_last_line_is_set_aside_and_the_next_run_goes_on_behind_the_whole_ones(
    tmp_path: Path, torn: bytes
) -> None:
    with journal(tmp_path) as one:
        one.signal(Chunk(1, "felt", b"A"))
    path = written(tmp_path)
    whole = b"".join(path.read_bytes().splitlines(keepends=True)[:2])
    path.write_bytes(whole + torn)
    assert list(read_journal(path)) == [Chunk(1, "felt", b"A")]
    with journal(tmp_path, msgspec.structs.replace(HEADER, at_ms=500, chain=head(path))) as one:
        one.signal(Chunk(700, "felt", b"A"))
    again = [Remark(500, "begun again"), Chunk(700, "felt", b"A"), Remark(10_000_000, "stopped")]
    assert list(read_journal(path)) == [Chunk(1, "felt", b"A"), *again]
    aside = path.with_suffix(".torn")
    assert aside.read_bytes() == torn
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("? 1 felt", "is no line of a journal"),
        ("< 1 felt 4", "is no line of a journal"),
        ("< 1 felt", "is no line of a journal"),
        ("! 1 felt 41", "is no line of a journal"),
        ("< x felt 41", "is no line of a journal"),
        ("< 1 fe lt 41", "is no line of a journal"),
        ("<* 1 2 1 felt/0 0+0", "counts a chunk that its port has not said"),
        ("<* 1 2 1 felt/0", "is no run of chunks"),
        ("> 1 felt xx", "is no bytes out"),
        ("#! {}", "is not a journal's header"),
        ("", "is no line of a journal"),
    ],
)
def test_a_bad_line_is_told_by_file_and_line_and_not_repeated(
    tmp_path: Path, line: str, what: str
) -> None:
    with journal(tmp_path) as one:
        one.signal(PortLost(1, "shoe"))
    path = written(tmp_path)
    path.write_text(path.read_text() + line + "\n# 10000001 end\n")
    with pytest.raises(JournalError) as found:
        list(read_journal(path))
    assert str(found.value) == f"{path}:4: {what}"


def test_time_running_backwards_is_a_bad_line(tmp_path: Path) -> None:
    with journal(tmp_path) as one:
        one.signal(PortLost(10, "shoe"))
        one.signal(PortBack(9, "shoe"))
    with pytest.raises(JournalError, match=":3: is earlier than the line before it"):
        list(read_journal(written(tmp_path)))


@pytest.mark.parametrize("content", ["", "hello\n", "#! {}\n", "< 1 felt 41\n"])
def test_what_is_no_journal_is_said_to_be_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.journal").write_text(content)
    with pytest.raises(JournalError, match=":1: is not a journal's header"):
        list(read_journal(tmp_path / "x.journal"))
    with pytest.raises(JournalError, match="cannot be read: No such file"):
        list(read_journal(tmp_path / "y.journal"))


def test_two_processes_cannot_write_one_journal(tmp_path: Path) -> None:
    with journal(tmp_path), pytest.raises(JournalError, match="another floorcall writes here"):
        Journal(tmp_path, HEADER)


def test_parts_are_read_as_one_journal(tmp_path: Path) -> None:
    with journal(tmp_path, size_max=150) as one:
        expected = []
        for at_ms in range(20):
            signal = Chunk(at_ms, "felt", bytes([at_ms]) * 40)
            expected.append(signal)
            heard(one, signal)
            one.hand(at_ms, None)
    first = latest_journal(tmp_path)
    assert first == written(tmp_path)
    assert part_path(tmp_path, HEADER.name, 3).exists()
    third = read_header(part_path(tmp_path, HEADER.name, 3))
    assert (third.part, third.line) == (3, 2 * third.line // 2)
    entries = [entry for entry in read_journal(first) if isinstance(entry, Chunk)]
    assert entries == expected


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_said_once_and_nothing_is_lost_when_it_takes_lines_again(
    tmp_path: Path,
) -> None:
    with journal(tmp_path) as one, capture_logs() as log:
        given = [Chunk(at_ms * 100, "felt", bytes([at_ms])) for at_ms in range(100)]
        with no_file_beyond(700):  # in the middle of a line
            for signal in given:
                heard(one, signal)
            assert one.trouble == "File too large"
        heard(one, Tick(20_000))
        assert one.trouble is None
    held, _ = log
    assert (held["event"], held["reason"]) == ("journal held in memory", "File too large")
    assert held["folder"] == str(written(tmp_path).parent)
    entries = list(read_journal(written(tmp_path)))
    assert entries == [*given, Remark(10_000_000, "stopped")]


def test_what_memory_could_not_hold_is_counted_and_the_rest_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.edges.journal.writing.HELD_BYTES_MAX", 600)
    with journal(tmp_path) as one:
        with no_file_beyond(700):
            for at_ms in range(100):
                heard(one, Chunk(at_ms, "felt", bytes([at_ms % 3])))
                heard(one, PortBack(at_ms, "shoe"))
        heard(one, Tick(20_000))
        heard(one, Chunk(20_001, "felt", b"\1"))
    entries = list(read_journal(written(tmp_path)))
    assert Chunk(20_001, "felt", b"\1") in entries
    lost = [e.words for e in entries if isinstance(e, Remark) and "lost" in e.words]
    assert len(lost) == 1


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    one = Journal(tmp_path / "file", HEADER)
    try:
        assert one.trouble == "File exists"
        heard(one, PortLost(1, "felt"))
        (tmp_path / "file").unlink()
        heard(one, PortBack(2_000, "felt"))
        assert one.trouble is None
    finally:
        one.close(3_000)
    entries = list(read_journal(written(tmp_path / "file")))
    assert entries == [PortLost(1, "felt"), PortBack(2_000, "felt"), Remark(3_000, "stopped")]


def test_what_goes_on_stands_for_itself_and_says_again_which_ports_are_lost(tmp_path: Path) -> None:
    with journal(tmp_path) as one:
        one.signal(PortLost(1, "shoe"))
        one.signal(Chunk(2, "felt", b"A"))
        one.hand(3, "1")
        one.hand(4, None, lambda: b'{"a":1}')
        one.signal(Chunk(5, "felt", b"A"))
        one.hand(6, "2", lambda: b"{}")
        one.hand(7, "3", lambda: None)
        one.hand(8, None, lambda: bytes(300 << 10))
    assert plain(written(tmp_path))[1:] == [
        "! 1 shoe", "< 2 felt 41", "# 3 hand 1", "# 4 hand over", '& 4 {"a":1}', "! 4 shoe",
        "< 5 felt 41", "# 6 hand 2", "# 7 hand 3", "# 8 hand over", "# 10000000 stopped",
    ]  # fmt: skip
    entries = list(read_journal(written(tmp_path)))
    assert Carried(4, b'{"a":1}') in entries
    assert list(signals([Carried(4, b"{}")])) == [Tick(4)]
