"""The demo as it is typed: on a pipe, on a terminal with Ctrl-C, with screens, ports taken."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from time import monotonic

import httpx
import pytest

from daemon.demo.floor_side import PORT

PROGRAM = (sys.executable, "-m", "daemon", "demo")
LONG_S = 150


def environment(tmp_path):
    return {**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "100", "LINES": "40"}


def gone(group):
    """Whether nothing of a process group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@contextmanager
def started(tmp_path, *options):
    """The demo on pipes; killed at the end where it has not ended."""
    demo = subprocess.Popen(
        [*PROGRAM, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        start_new_session=True,
    )
    try:
        yield demo
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGKILL)
            demo.communicate()


def ended(tmp_path, *options):
    """Its exit status once it has ended by itself, what it said and complained of; nothing left."""
    with started(tmp_path, *options) as demo:
        said, complained = demo.communicate(timeout=LONG_S)
    assert gone(demo.pid)
    assert list(tmp_path.iterdir()) == []
    return demo.returncode, said, complained


def test_on_a_pipe_it_writes_lines_ends_by_itself_and_leaves_nothing(tmp_path):
    options = ("--tables", "2", "--hands", "1", "--speed", "60", "--lang", "it")
    status, said, complained = ended(tmp_path, *options)
    assert (status, complained) == (0, "")
    assert "poker-1  mano " in said
    assert said.startswith("Gli schermi: aprire http://127.0.0.1:")
    assert "[aperto]" in said
    assert re.search(r"^mani: 2, allarmi: \d+, rimediati: \d+$", said, re.MULTILINE)


@contextmanager
def on_a_terminal(tmp_path):
    """The demo on a pty; what it draws is read with `read_until`."""
    master, slave = pty.openpty()
    demo = subprocess.Popen(
        [*PROGRAM, "--tables", "1", "--speed", "20"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment(tmp_path), "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield demo, master
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGKILL)
            demo.wait()
        os.close(master)


def read_until(master, claim):
    """What is drawn until the claim holds of it, or until the terminal's other side is closed."""
    drawn = b""
    deadline = monotonic() + LONG_S
    while not claim(drawn):
        readable, _, _ = select.select([master], [], [], max(0, deadline - monotonic()))
        if not readable:
            pytest.fail(f"nothing more for {LONG_S} s, after {drawn[-2000:]!r}")
        try:
            drawn += os.read(master, 65536)
        except OSError:  # EIO: the last process on the terminal is gone
            break
    return drawn


def test_on_a_terminal_it_draws_the_first_alert_soon_and_ctrl_c_ends_it_cleanly(tmp_path):
    with on_a_terminal(tmp_path) as (demo, master):
        began = monotonic()
        drawn = read_until(master, lambda drawn: b"Hole card exposed" in drawn)
        assert drawn.index(b"open http://127.0.0.1:") < drawn.index(b"Hole card exposed")
        assert monotonic() - began < LONG_S / 2
        os.killpg(demo.pid, signal.SIGINT)  # as a terminal does: to the broker and all
        last = read_until(master, lambda _: False)
        assert demo.wait(LONG_S) == 0
    assert b"Traceback" not in last
    assert b"alerts" in last
    assert gone(demo.pid)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("option", "needed"), [("--port", 2), ("--web-port", 1)])
def test_a_port_that_is_taken_is_named_with_status_1(option, needed, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, said, complained = ended(tmp_path, option, str(port))
    assert (status, said) == (1, "")
    assert complained.startswith("floorcall: ")
    # Somebody else may have the broker's second one just now.
    assert any(str(one) in complained for one in range(port, port + needed))
    assert f"{option} 0 takes any that is free" in complained
    assert complained.count("\n") == 1


@contextmanager
def piped(tmp_path, *options):
    """The demo on pipes, and the address of its screens."""
    with started(tmp_path, *options) as demo:
        told = re.search(r"open (http://127\.0\.0\.1:\d+)/$", demo.stdout.readline())
        assert told, demo.communicate(timeout=LONG_S)
        yield demo, told[1]


def events(stream):
    """Server-sent events: the kind, and what it tells."""
    kind = ""
    for line in stream.iter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def test_the_screens_show_all_tables_an_alert_soon_and_end_with_ctrl_c_while_watched(tmp_path):
    with (
        piped(tmp_path, "--tables", "2", "--speed", "60", "--web-port", "0") as (demo, address),
        httpx.Client(base_url=address, timeout=LONG_S, follow_redirects=True) as browser,
    ):
        first = browser.get("/")
        assert (first.status_code, first.url.path) == (200, "/wall")
        with browser.stream("GET", "/live?screen=test") as stream:
            told = events(stream)
            kind, picture = next(told)
            assert kind == "picture"
            tables = {view["table"] for view in picture["tables"]}
            alerts = [view["table"] for view in picture["alerts"]]
            while tables != {"poker-1", "poker-2"} or not alerts:
                kind, view = next(told)
                tables |= {view["table"]} if kind == "table" else set()
                alerts += [view["table"]] if kind == "alert" else []
            assert set(alerts) <= tables
            os.killpg(demo.pid, signal.SIGINT)
            assert [view for kind, view in told if kind == "ended"] == [{"reason": "restart"}]
        said, complained = demo.communicate(timeout=LONG_S)
    assert (demo.returncode, complained) == (0, "")
    assert "alerts: " in said
    assert list(tmp_path.iterdir()) == []


def test_where_the_screens_usual_port_is_taken_another_is_told(tmp_path):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # somebody else has it: as well
            taken.bind(("127.0.0.1", PORT))
            taken.listen()
        with piped(tmp_path, "--tables", "1") as (demo, address):
            assert not address.endswith(f":{PORT}")
            assert httpx.get(f"{address}/healthz", timeout=LONG_S).status_code == 200
            os.killpg(demo.pid, signal.SIGINT)
            demo.communicate(timeout=LONG_S)
            assert demo.returncode == 0


def test_the_tour_says_what_it_shows_and_ends_with_what_was_found(tmp_path):
    options = ("--tour", "--speed", "100", "--hands", "2", "--web-port", "0")
    status, said, complained = ended(tmp_path, *options)
    assert (status, complained) == (0, "")
    scene = "1/28  Shuffle and deck: Deck not cut - put right as the book says\n"
    assert said.count(scene) == 2  # as it is shown, and in the summary
    assert f"{scene}     Deck not cut [remedied]\n" in said
    assert "\n2 of 2 scenes found as they should be\n" in said
