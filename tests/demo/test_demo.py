"""The demo as it is typed: on a pipe, on a terminal with Ctrl-C, and on a port that is taken."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from time import monotonic

import pytest

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


def test_on_a_pipe_it_writes_lines_ends_by_itself_and_leaves_nothing(tmp_path):
    demo = subprocess.Popen(
        [*PROGRAM, "--tables", "2", "--hands", "1", "--speed", "60", "--lang", "it"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        start_new_session=True,
    )
    said, complained = demo.communicate(timeout=LONG_S)
    assert (demo.returncode, complained) == (0, "")
    assert "poker-1  mano " in said
    assert "[aperto]" in said
    assert re.search(r"^mani: 2, allarmi: \d+, rimediati: \d+$", said, re.MULTILINE)
    assert gone(demo.pid)
    assert list(tmp_path.iterdir()) == []


@contextmanager
def on_a_terminal(tmp_path):
    """The demo on a pty; what it draws is read with `read_until`."""
    master, slave = pty.openpty()
    demo = subprocess.Popen(
        [*PROGRAM, "--speed", "20"],
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
        read_until(master, lambda drawn: b"Hole card exposed" in drawn)
        assert monotonic() - began < LONG_S / 2
        os.killpg(demo.pid, signal.SIGINT)  # as a terminal does: to the broker and all
        last = read_until(master, lambda _: False)
        assert demo.wait(LONG_S) == 0
    assert b"Traceback" not in last
    assert b"alerts" in last
    assert gone(demo.pid)
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_named_with_status_1(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = subprocess.run(
            [*PROGRAM, "--port", str(port)],
            capture_output=True,
            text=True,
            timeout=LONG_S,
            env=environment(tmp_path),
            check=False,
        )
    assert demo.returncode == 1
    assert str(port) in demo.stderr
    assert "Traceback" not in demo.stderr
    assert list(tmp_path.iterdir()) == []
