"""The outbox's file for real: killed, full, broken, read-only, and never waited for."""

from __future__ import annotations

import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.edges.outbox import NoShelf, Outbox, Row, Shelf
from daemon.edges.outbox.shelf import FILE, KEPT_MS
from daemon.messages import Message

ROOT = Path(__file__).parents[2]


def message(number: int) -> Message:
    return Message("log/floor", b'{"number":%d}' % number, key=f"a#{number}@floor")


@contextmanager
def shelf_in(folder: Path, **given: object) -> Iterator[Shelf]:
    shelf = Shelf(folder, **given)  # type: ignore[arg-type]
    try:
        yield shelf
    finally:
        shelf.close()


def left_in(folder: Path) -> list[int]:
    with shelf_in(folder) as shelf:
        rows, _, _ = shelf.kept()
    return [row.number for row in rows]


def test_what_was_put_and_not_confirmed_is_there_for_the_next_run_in_its_order(
    tmp_path: Path,
) -> None:
    with shelf_in(tmp_path) as shelf:
        for number in range(1, 6):
            shelf.put(Row(number, message(number)))
        shelf.confirmed(2)
        shelf.confirmed(4)
    with shelf_in(tmp_path) as shelf:
        rows, keys, last = shelf.kept()
    assert [row.number for row in rows] == [1, 3, 5]
    assert [row.message for row in rows] == [message(1), message(3), message(5)]
    assert keys == {f"a#{number}@floor" for number in range(1, 6)}
    assert last == 5


def test_its_files_are_its_owners_alone(tmp_path: Path) -> None:
    with shelf_in(tmp_path) as shelf:
        shelf.put(Row(1, message(1)))
        shelf.sync()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert set(modes) >= {FILE}
    assert set(modes.values()) == {0o600}


def test_every_group_is_written_with_a_sync(tmp_path: Path) -> None:
    with shelf_in(tmp_path):
        pass
    file = sqlite3.connect(tmp_path / FILE)
    assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()
    source = (ROOT / "daemon/edges/outbox/shelf.py").read_text()
    assert "PRAGMA synchronous = FULL" in source  # a connection's own: no file tells it


@pytest.mark.parametrize("content", [b"\0" * 8192, b"not a database, but long enough" * 40, b"x"])
def test_a_broken_file_is_set_aside_and_is_no_reason_not_to_start(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / FILE).write_bytes(content)
    with shelf_in(tmp_path) as shelf:
        assert shelf.kept() == ([], set(), 0)
        assert shelf.trouble is None
        shelf.put(Row(1, message(1)))
    assert left_in(tmp_path) == [1]
    if len(content) > 1:  # a single byte is no file yet to sqlite
        assert (tmp_path / "outbox.broken").read_bytes() == content


def test_a_folder_that_is_not_there_is_waited_for_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    with shelf_in(folder) as shelf:
        assert shelf.trouble == "No such file or directory"
        shelf.put(Row(1, message(1)))
        folder.mkdir()
    assert left_in(folder) == [1]


def test_what_was_confirmed_is_kept_a_day_for_whoever_asks_again(tmp_path: Path) -> None:
    now_ms = 1_000_000_000_000
    with shelf_in(tmp_path, clock_ms=lambda: now_ms) as shelf:
        for number in range(1, 4):
            shelf.put(Row(number, message(number)))
        shelf.confirmed(1)
        shelf.confirmed(3)
        assert asked(shelf, age_ms=60_000) == [1, 3]
    with shelf_in(tmp_path, clock_ms=lambda: now_ms + KEPT_MS + 1) as shelf:
        shelf.put(Row(4, message(4)))
        assert asked(shelf, age_ms=10 * KEPT_MS) == []
    with shelf_in(tmp_path) as shelf:
        rows, keys, _ = shelf.kept()
    assert [row.number for row in rows] == [2, 4]
    assert len(keys) == 2


def asked(shelf: Shelf, age_ms: int) -> list[int]:
    found: list[list[Row]] = []
    there = threading.Event()

    def take(rows: list[Row]) -> None:
        found.append(rows)
        there.set()

    shelf.again(age_ms, 100, take)
    assert there.wait(10)
    return [row.number for row in found[0]]


FULL = """
import resource, signal, sys, threading
from pathlib import Path
from daemon.edges.outbox import Row, Shelf
from daemon.messages import Message

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
shelf = Shelf(Path(sys.argv[1]))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
for number in range(1, 41):
    shelf.put(Row(number, Message("log/floor", b"x" * 4000, key=str(number))))
for number in range(1, 11):
    shelf.confirmed(number)
found = []
shelf.sync()
there = threading.Event()
shelf.again(1000000, 100, lambda rows: (found.append(rows), there.set()))
there.wait(10)
print(shelf.trouble)
print([row.number for row in found[0]])
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
shelf.close()
print(shelf.trouble)
"""


def test_a_disk_that_takes_no_more_is_said_and_all_is_written_when_it_does(tmp_path: Path) -> None:
    """The kernel refuses every write beyond a size: a real refusal, as a full disk's."""
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], cwd=ROOT, capture_output=True, timeout=60,
        check=False,
    )  # fmt: skip
    said = [line for line in ran.stdout.decode().splitlines() if "part=" not in line]
    assert ran.returncode == 0, ran.stderr.decode()
    assert said[0] != "None"
    assert said[1] == str(list(range(1, 11)))  # resent from memory, while it lives
    assert said[2] == "None"
    assert left_in(tmp_path) == list(range(11, 41))


FULL_BETWEEN = """
import os, resource, signal, sys, threading
from pathlib import Path
from daemon.edges.outbox import Row, Shelf
from daemon.messages import Message

def asked():
    found, there = [], threading.Event()
    shelf.again(1000000, 100, lambda rows: (found.extend(rows), there.set()))
    there.wait(10)
    return [row.number for row in found]

def put(number):
    shelf.put(Row(number, Message("log/floor", b"{}", key=str(number))))

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
shelf = Shelf(Path(sys.argv[1]))
rows, _, last = shelf.kept()
print([row.number for row in rows], last)
for number in range(last + 1, last + 4):
    put(number)
shelf.confirmed(last + 1)
shelf.sync()
asked()  # the file has them, where it takes any
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
put(last + 4)
shelf.confirmed(last + 2)
shelf.confirmed(last + 4)
shelf.sync()
print(asked())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_full_disk_is_read_by_whoever_asks_again_and_by_whoever_starts(tmp_path: Path) -> None:
    """What is on it is confirmed and sent again as ever, and its numbers are not used twice."""
    said = [
        line
        for state in ("well", "full")
        for line in subprocess.run(
            [sys.executable, "-c", FULL_BETWEEN, str(tmp_path), state], cwd=ROOT,
            capture_output=True, timeout=60, check=False,
        ).stdout.decode().splitlines()
        if "part=" not in line
    ]  # fmt: skip
    assert said == ["[] 0", "[1, 2, 4]", "[2, 3] 3", "[1, 4, 5, 7]"]


KILLED = """
import sys
from pathlib import Path
from daemon.edges.outbox import Row, Shelf
from daemon.messages import Message

shelf = Shelf(Path(sys.argv[1]))
_, _, number = shelf.kept()
while True:
    number += 1
    shelf.put(Row(number, Message("log/floor", b"%d" % number, key=str(number))))
    if number % 3 == 0:
        shelf.confirmed(number - 1)
    shelf.sync()
    there = []
    if number % 20 == 0:
        print(number, flush=True)
"""


def test_a_process_killed_at_any_moment_leaves_a_file_that_can_be_gone_on_with(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    chance = random.Random(request.config.getoption("randomly_seed", 1))
    last = 0
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for _ in range(chance.randint(1, 30)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        with shelf_in(tmp_path) as shelf:
            rows, _, number = shelf.kept()
            assert shelf.trouble is None
        assert number >= last
        numbers = [row.number for row in rows]
        assert numbers == sorted(numbers)
        assert all(row.message.payload == b"%d" % row.number for row in rows)
        # A whole prefix: nothing in between is missing but what was confirmed.
        confirmed = {n - 1 for n in range(1, number + 3) if n % 3 == 0}
        assert set(range(1, number + 1)) - set(numbers) <= confirmed
        last = number
    assert not (tmp_path / "outbox.broken").exists()


def test_putting_waits_for_no_disk(tmp_path: Path) -> None:
    """The thread hangs in the file's lock; whoever puts does not."""
    with shelf_in(tmp_path):
        pass
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with shelf_in(tmp_path) as shelf:
        for number in range(1, 101):
            shelf.put(Row(number, message(number)))
            shelf.sync()
        other.execute("COMMIT")
        other.close()
    assert left_in(tmp_path) == list(range(1, 101))


@settings(max_examples=30)
@given(
    lives=st.lists(
        st.tuples(st.integers(0, 6), st.sets(st.integers(0, 12)), st.booleans()), max_size=5
    )
)
def test_over_any_lives_what_is_unconfirmed_is_sent_in_order_and_the_rest_never_again(
    tmp_path_factory: pytest.TempPathFactory, lives: list[tuple[int, set[int], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("shelf")
    meant: list[bytes] = []
    confirmed: set[bytes] = set()
    serial = 0
    for puts, done, _ in lives:
        outbox = Outbox(Shelf(folder))
        for _ in range(puts):
            serial += 1
            meant.append(b'{"n":%d}' % serial)
            outbox.put(Message("log", meant[-1], key=str(serial)))
        taken = []
        while (found := outbox.take()) is not None:
            taken.append(found)
        payloads = [m.payload.replace(b',"late":true', b"") for _, m in taken]
        assert payloads == [words for words in meant if words not in confirmed]
        for place in sorted(done):
            if place < len(taken):
                outbox.done(taken[place][0])
                confirmed.add(payloads[place])
        outbox.close()
    outbox = Outbox(Shelf(folder))
    assert all(outbox.knows(str(n)) for n in range(1, serial + 1))
    outbox.close()


def test_what_an_earlier_run_left_says_that_it_is_late(tmp_path: Path) -> None:
    first = Outbox(Shelf(tmp_path))
    first.put(Message("log", b'{"v":1}', key="k"))
    assert first.take() == (1, Message("log", b'{"v":1}', key="k"))
    first.close()
    second = Outbox(Shelf(tmp_path))
    assert second.take() == (1, Message("log", b'{"v":1,"late":true}', key="k"))
    second.close()


def test_what_waited_long_for_a_broker_says_that_it_is_late() -> None:
    now_s = 0.0
    outbox = Outbox(NoShelf(), now_s=lambda: now_s)
    outbox.put(Message("log", b'{"v":1}', key="k"))
    outbox.put(Message("hand", b'{"v":1}', retain=True))
    now_s = 6.0
    outbox.put(Message("log", b'{"v":2}', key="l"))
    found = [outbox.take() for _ in range(3)]
    assert [each[1].payload for each in found if each] == [
        b'{"v":1}', b'{"v":1,"late":true}', b'{"v":2}',
    ]  # fmt: skip
