"""The seal: what is closed opens with surveillance's key alone, and is a plain journal then."""

from __future__ import annotations

import os
import re
import stat
from base64 import b64encode
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon import sealkeys
from daemon.cli import main
from daemon.edges.journal import (
    Care,
    Journal,
    JournalError,
    Seal,
    new_pair,
    part_path,
    read_journal,
    verify,
)
from daemon.edges.journal.sealing import Opener, kept_keys, with_kept
from daemon.edges.settings import read_settings
from daemon.kept import header_of, seal_of
from daemon.shaped import SettingsError
from daemon.signals import Chunk, PortBack
from daemon.transcript import Header

HEADER = Header(
    table="poker-12", site="venezia", opened="2026-11-29T20:13:31Z", version="0.1.0",
    rulebook="robert-classic", config="table.toml", digest="ab12",
)  # fmt: skip
NAME = "20261129T201331Z"
PRIVATE, PUBLIC = new_pair()
UID = bytes.fromhex("04a1b2c3d4e5f6")

# A step is a hand that begins, one that is over, a new run, an alert, or bytes of a port.
steps = st.lists(
    st.one_of(
        st.sampled_from(["hand 1", "hand 2", "over", "alert"]), st.binary(min_size=1, max_size=700)
    ),
    max_size=40,
)


def play(folder: Path, done: list[str | bytes], seal: Seal | None, size_max: int) -> Path:
    one = Journal(folder, HEADER, seal=seal, care=Care(size_max=size_max))
    at_ms = 0
    for step in done:
        at_ms += 7
        match step:
            case "over":
                one.hand(at_ms, None)
            case "alert":
                one.published(at_ms, b'{"v":1,"text":"\xc3\xa8"}')
            case str():
                one.hand(at_ms, step.removeprefix("hand "))
            case bytes():
                one.sent(at_ms, "felt", b"\0\xff")
                one.signal(Chunk(at_ms, "felt", step))
                one.write(at_ms)
    one.close(at_ms + 1)
    return part_path(folder, HEADER.name, 1)


def asked(*words: object) -> Result:
    return CliRunner().invoke(main, ["journal", *map(str, words)])


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "surveillance"
    path.write_text(sealkeys.written("private", PRIVATE))
    return path


def parts(folder: Path) -> list[bytes]:
    found = sorted(folder.glob("*.journal"), key=lambda path: (len(path.name), path.name))
    return [line for path in found for line in path.read_bytes().splitlines()]


quick = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


@quick
@given(steps)
def test_what_is_opened_is_the_plain_journal(
    tmp_path_factory: pytest.TempPathFactory, key: Path, done: list[str | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("journals")
    play(folder / "plain", done, None, size_max=1 << 20)
    sealed = play(folder / "sealed", done, Seal(PUBLIC), size_max=1 << 20)
    verify([sealed])
    found = asked("open", sealed, "--key", key)
    assert found.exit_code == 0
    _, *lines = [re.sub(rb" ~[\w-]{8}$", b"", line) for line in parts(folder / "plain")]
    assert found.stdout.encode().splitlines()[1:] == lines
    (folder / "opened.journal").write_text(found.stdout)
    assert list(read_journal(folder / "opened.journal")) == list(
        read_journal(folder / "plain" / f"{NAME}.journal")
    )


def test_parts_open_as_one(tmp_path: Path, key: Path) -> None:
    done = [step for hand in range(20) for step in (f"hand {hand}", UID * 40, "over")]
    play(tmp_path / "plain", done, None, size_max=1 << 20)
    sealed = play(tmp_path / "sealed", done, Seal(PUBLIC), size_max=3000)
    assert len(list(sealed.parent.glob("*.journal"))) > 4
    found = asked("open", sealed, "--key", key)
    (tmp_path / "opened.journal").write_text(found.stdout)
    chunks = [e for e in read_journal(tmp_path / "opened.journal") if isinstance(e, Chunk)]
    assert chunks == [
        e for e in read_journal(tmp_path / "plain" / f"{NAME}.journal") if isinstance(e, Chunk)
    ]


def test_nothing_of_what_the_sensors_said_stands_in_a_sealed_file(
    tmp_path: Path,
) -> None:
    done: list[str | bytes] = ["hand 7", UID, "alert", UID + UID, "over", UID]
    plain = play(tmp_path / "plain", done, None, 1 << 20).read_bytes()
    sealed = play(tmp_path / "sealed", done, Seal(PUBLIC), 1 << 20)
    for spelling in (UID.hex().encode(), UID.hex().upper().encode(), UID, b64encode(UID)[:8]):
        assert spelling not in sealed.read_bytes()
    assert UID.hex().encode() in plain
    assert b'= 21 {"v":1,' in sealed.read_bytes()  # what all may know
    with pytest.raises(JournalError, match=":2: is sealed: floorcall journal open opens it"):
        list(read_journal(sealed))


def test_closed_lines_have_few_lengths_whatever_they_say(tmp_path: Path) -> None:
    done: list[str | bytes] = [bytes([n]) * (1 + n % 90) for n in range(200)]
    sealed = play(tmp_path, done, Seal(PUBLIC), 1 << 20)
    lengths = {len(line) for line in parts(tmp_path) if line.startswith(b"% ")}
    assert len(lengths) == 1
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600


def test_each_hand_has_a_key_that_is_forgotten_when_the_hand_is_over(
    tmp_path: Path,
) -> None:
    memory = tmp_path / "memory"
    seal = Seal(PUBLIC, memory)
    one = Journal(tmp_path / "journal", HEADER, seal=seal)
    opening = dict(kept_keys(memory))
    one.hand(1, "1")
    one.signal(Chunk(2, "felt", UID))
    one.write(2)
    assert kept_keys(memory) == opening  # the hand's beginning is closed with it
    assert stat.S_IMODE(memory.stat().st_mode) == 0o600
    one.hand(3, None)
    after = kept_keys(memory)
    assert len(after) == 1
    assert not after.keys() & opening.keys()
    one.hand(4, "2")
    one.hand(5, "3")  # begun without the end of the one before, which saw its beginning
    assert len(kept_keys(memory)) == 2
    one.close(6)
    lines = (tmp_path / "journal" / f"{NAME}.journal").read_bytes().splitlines()
    carried = [line for line in lines if line.startswith(b"%! ")]
    assert len(carried) == len(set(carried)) == 3
    opener = Opener(with_kept(kept_keys(memory)))
    opened = 0
    for line in lines:
        if line.startswith(b"%! "):
            try:
                opener.key(line[:-10])
            except Exception:  # noqa: BLE001 - a forgotten key
                continue
            opened += 1
    assert opened == 2


def test_a_restart_in_mid_hand_keeps_what_opens_the_hand(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    one = Journal(tmp_path / "journal", HEADER, seal=Seal(PUBLIC, memory))
    one.hand(1, "1")
    one.close(2)
    before = kept_keys(memory)
    again = Journal(tmp_path / "journal", HEADER, seal=Seal(PUBLIC, memory), lines=5)
    assert kept_keys(memory).keys() > before.keys()
    again.hand(3, "1")
    again.hand(4, None)
    again.close(5)
    assert not kept_keys(memory).keys() & before.keys()


@pytest.mark.parametrize("content", [b"", b"{}", b"\0\0", b'{"a":"!"}', b'{"a":"YQ=="}', b"[1]"])
def test_kept_keys_that_are_none_are_no_reason_not_to_start(tmp_path: Path, content: bytes) -> None:
    memory = tmp_path / "memory"
    memory.write_bytes(content)
    play(tmp_path / "journal", [UID], Seal(PUBLIC, memory), 1 << 20)
    assert kept_keys(memory)


def test_a_memory_that_cannot_be_written_is_no_reason_not_to_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    sealed = play(tmp_path / "journal", [UID], Seal(PUBLIC, tmp_path / "file" / "keys"), 1 << 20)
    assert verify([sealed])


@quick
@given(data=st.data())
def test_an_altered_sealed_line_is_told_without_the_key_and_does_not_open_with_it(
    tmp_path_factory: pytest.TempPathFactory, key: Path, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    sealed = play(folder, [b"a", b"b", "hand 1", b"c"], Seal(PUBLIC), 1 << 20)
    lines = sealed.read_bytes().splitlines(keepends=True)
    closed = [n for n, line in enumerate(lines) if line.startswith(b"% ")]
    number = data.draw(st.sampled_from(closed))
    line = lines[number]
    place = data.draw(st.integers(2, len(line) - 16))  # before bits that base64 does not use
    put = data.draw(st.sampled_from(b"ABab01+/").filter(lambda byte: byte != line[place]))
    lines[number] = line[:place] + bytes([put]) + line[place + 1 :]
    sealed.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=f":{number + 1}: is not as it was written"):
        verify([sealed])
    found = asked("open", sealed, "--key", key)
    assert (found.exit_code, len(found.stderr.splitlines())) == (1, 1)
    assert f"{sealed}:{number + 1}: does not open: it was altered, or is sealed" in found.stderr


# --- keys ---------------------------------------------------------------------------------------


def test_a_pair_is_made_once_and_its_private_half_is_its_owners(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = asked("key", tmp_path / "seal")
    finally:
        os.umask(before)
    assert made.exit_code == 0
    assert stat.S_IMODE((tmp_path / "seal").stat().st_mode) == 0o600
    public = sealkeys.public_in(tmp_path / "seal.pub")
    assert isinstance(public, bytes)
    assert sealkeys.told(public) in made.output
    private = sealkeys.read("private", (tmp_path / "seal").read_bytes())
    for half in (private, public):
        assert b64encode(half).decode() not in made.output
    again = asked("key", tmp_path / "seal")
    assert (again.exit_code, "cannot be made: File exists" in again.output) == (1, True)


def test_a_wrong_key_opens_nothing_and_no_key_is_ever_repeated(tmp_path: Path, key: Path) -> None:
    sealed = play(tmp_path / "journal", [UID], Seal(PUBLIC), 1 << 20)
    other, public = new_pair()
    key.write_text(sealkeys.written("private", other))
    found = asked("open", sealed, "--key", key)
    assert found.exit_code == 1
    assert "is sealed to another key" in found.stderr
    assert UID.hex() not in found.stdout
    for text, what in {
        sealkeys.written("public", public): "is the public half of the pair: the private one",
        "floorcall-seal-private AAAA": "is no private key of a seal",
        "secret": "is no private key of a seal",
        "": "is no private key of a seal",
    }.items():
        key.write_text(text)
        found = asked("open", sealed, "--key", key)
        assert found.exit_code == 1
        assert f"{key}: {what}" in found.stderr
        assert not text or text.split()[-1] not in found.output
    assert asked("open", sealed, "--key", tmp_path / "none").exit_code == 1
    assert asked("open", sealed).exit_code == 2


def test_a_plain_journal_is_not_opened(tmp_path: Path, key: Path) -> None:
    plain = play(tmp_path / "journal", [UID], None, 1 << 20)
    found = asked("open", plain, "--key", key)
    assert (found.exit_code, "is not sealed: it reads as it is" in found.stderr) == (1, True)


def test_ports_and_times_stand_in_no_sealed_line(tmp_path: Path) -> None:
    one = Journal(tmp_path, HEADER, seal=Seal(PUBLIC))
    one.signal(PortBack(12345, "felt"))
    one.write(12345)
    one.close(12346)
    signs = [line.split(b" ")[0] for line in parts(tmp_path)]
    assert signs == [b"#!", b"%!", b"%", b"#"]
    assert b"felt" not in b"\n".join(parts(tmp_path))


# --- the configuration --------------------------------------------------------------------------

CONFIG = """
site = "venezia"
table = "poker-12"
[broker]
urls = ["mqtt://127.0.0.1"]
[journal]
seal = "surveillance.pub"
[[sensors]]
name = "console"
driver = "keypad"
port = "/dev/ttyUSB0"
"""


def test_a_key_that_cannot_close_is_a_mistake_of_the_configuration(tmp_path: Path) -> None:
    table, pub = tmp_path / "table.toml", tmp_path / "surveillance.pub"
    table.write_text(CONFIG)
    for text, what in {
        None: "cannot be read: No such file or directory",
        sealkeys.written("private", PRIVATE): "is the private half of the pair: the public one",
        "AAAA": "is no public key of a seal: floorcall journal key makes a pair",
    }.items():
        if text is not None:
            pub.write_text(text)
        with pytest.raises(SettingsError) as found:
            read_settings(table)
        ((path, why),) = found.value.mistakes
        assert (path, why.startswith(what)) == ("journal.seal", True)
        assert b64encode(PRIVATE).decode() not in str(found.value)


def test_a_table_to_be_sealed_is_never_written_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, pub = tmp_path / "table.toml", tmp_path / "surveillance.pub"
    table.write_text(CONFIG)
    pub.write_text(sealkeys.written("public", PUBLIC))
    configured = read_settings(table)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "memory"))
    seal = seal_of(configured)
    assert seal is not None
    assert seal.told == header_of(configured, seal).sealed == sealkeys.told(PUBLIC)
    pub.unlink()
    with pytest.raises(JournalError, match=r"surveillance.pub: cannot be read"):
        seal_of(configured)
