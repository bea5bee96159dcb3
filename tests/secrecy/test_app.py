"""The real process: pairs of tables on ptys, what a broker hears, files, arguments, commands."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import stat
import sys
from itertools import zip_longest
from pathlib import Path

from daemon.edges import logs
from daemon.edges.settings import read_settings
from tests.hil.line import SOON_S, house, watched
from tests.laws.line import SOAK
from tests.secrecy.spellings import Tags, cards_in, without_sentences
from tests.secrecy.wires import Table, alike, hands_of, heard_on_all

ROOT = Path(__file__).parents[2]
PAIRS = 12 if SOAK else 1  # of tables, all at once
HANDS = 12 if SOAK else 6  # of each table
# To it a board card is public long before anybody takes it up, on any machine; else what is named
# of a pair would hang on the machine's pace.
SOON_PUBLIC = house(board_public_s=0.1)
PROGRAM = (sys.executable, "-m", "daemon")
READABLE = stat.S_IRWXG | stat.S_IRWXO


def readable(folder):
    """What of a table's folder somebody other than its owner may read or enter."""
    found = [path for path in folder.rglob("*") if not path.is_symlink()]
    return [path for path in found if path.stat().st_mode & READABLE]


def told(floor, table):
    """The last word on each alert, in the order in which they were raised, for each reader.

    What time alone makes of them (levels, revisions) differs from run to run.
    """
    last = {}
    for topic, payload in floor.said:
        if f"/{table.name}/log/" in topic and b'"irregularity"' in payload:
            last[topic.rpartition("/")[2], json.loads(payload)["id"]] = payload
    return [(reader, alike(payload, table.name)) for (reader, _), payload in last.items()]


async def test_pairs_of_tables_on_lines_say_the_same_and_nothing_that_nobody_may_know(
    own_broker, tmp_path
):
    log = io.StringIO()
    logs.configure("debug", log)
    played = [hands_of(number, HANDS) for number in range(PAIRS)]
    async with heard_on_all(own_broker.port) as floor, asyncio.TaskGroup() as group:
        tables = [
            [
                Table(f"{side}-{n}", tmp_path / f"{side}-{n}", own_broker.url, n, floor)
                for side in "ab"
            ]
            for n in range(PAIRS)
        ]
        for pair, both in zip(tables, played, strict=True):
            for table, hands in zip(pair, both, strict=True):
                group.create_task(_watch(table, hands))
    for one, other in tables:
        assert not one.search.found, one.search.found[0]
        assert not other.search.found, other.search.found[0]
        for mine, others in zip_longest(told(floor, one), told(floor, other)):
            assert mine == others, f"{one.name}\n{mine}\n{others}"
        assert any(b"irregularity" in payload for _, payload in told(floor, one))
        assert {b'"?' in p for t, p in floor.said if t.endswith(f"/{one.name}/events")} == {
            True, False,
        }  # fmt: skip
        for table in (one, other):
            assert readable(table.folder) == [table.folder / "journal"] or not readable(
                table.folder
            )
    tags = {uid for pair in tables for table in pair for uid in table.tags}
    assert not Tags(tags).found_in(log.getvalue())
    assert not cards_in(without_sentences(log.getvalue()))


async def _watch(table, hands):
    async with watched(table.live, make_line=SOON_PUBLIC):
        await table.play(hands)


async def test_a_process_tells_nothing_by_its_arguments_files_words_or_commands(
    own_broker, tmp_path
):
    (hands, _), folder = hands_of("process", 2), tmp_path / "t"
    async with heard_on_all(own_broker.port) as floor:
        table = Table("process", folder, own_broker.url, "process", floor)
        async with table.live.plugged():
            path = str(table.live.configuration)
            daemon = await _started("run", "--config", path, "--log-level", "debug")
            try:
                await asyncio.wait_for(table.live.ready(), SOON_S)
                await table.play(hands)
                about = _about(daemon.pid)
                checked = await _said("check", path)
                examined = await _said("doctor", path)
            finally:
                daemon.send_signal(signal.SIGTERM)
                words = await asyncio.wait_for(daemon.communicate(), SOON_S)
    assert daemon.returncode == 0
    assert not table.search.found, table.search.found[0]
    tags = Tags(table.tags)
    for text in (about, checked, examined, *(word.decode() for word in words)):
        assert not tags.found_in(text)
        assert not cards_in(without_sentences(text)), text
    journals = read_settings(table.live.configuration).journal_folder
    assert stat.S_IMODE(journals.stat().st_mode) == stat.S_IRWXU
    files = [path for path in journals.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {stat.S_IRUSR | stat.S_IWUSR}
    assert len(files) > 1


def _about(pid):
    """What anybody on the machine may read of a process, and its environment; of its children."""
    proc = Path(f"/proc/{pid}")
    found = [
        (proc / name).read_bytes().decode() for name in ("cmdline", "comm", "status", "environ")
    ]
    for task in (proc / "task").iterdir():
        found.append((task / "comm").read_text())
        children = task / "children"
        found += [
            _about(int(n)) for n in (children.read_text().split() if children.exists() else ())
        ]
    return "\n".join(found).replace("\0", "\n")


async def _started(*words):
    return await asyncio.create_subprocess_exec(
        *PROGRAM,
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )


async def _said(*words):
    """All that a command says."""
    process = await _started(*words)
    out, wrong = await asyncio.wait_for(process.communicate(), SOON_S * 2)
    return out.decode() + wrong.decode()
