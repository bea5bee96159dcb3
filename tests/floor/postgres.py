"""A PostgreSQL of our own on loopback, from Debian's programs: one for a whole run of tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic

import pg8000.native
import pytest

from tests.conftest import LOOPBACK, free_port

PASSWORD = "a password, with = and @"
START_S = 60
CONF = """\
fsync = off
full_page_writes = off
max_connections = 40
shared_buffers = 16MB
logging_collector = off
"""


@dataclass(slots=True)
class Cluster:
    """A PostgreSQL; its port stays when it is stopped and started again."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    numbers: Iterator[int] = field(default_factory=count)

    def start(self) -> None:
        said = ["-D", str(self.folder / "data"), "-k", str(self.folder), "-p", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [program("postgres"), *said, "-c", f"listen_addresses={LOOPBACK}"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **as_nobody_special(),
            )
        until_it_answers(self)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it, its clients' connections with it; with `kill` it has no time for a word."""
        process, self.process = self.process, None
        if process is not None:
            process.kill() if kill else process.terminate()
            process.wait(START_S)

    def database(self) -> str:
        """The URL of a new, empty database, without the password."""
        name = f"floor_{os.getpid()}_{next(self.numbers)}"
        self.order(f"CREATE DATABASE {name}")
        return f"postgresql+pg8000://floor@{LOOPBACK}:{self.port}/{name}"

    def order(self, statement: str) -> None:
        """Have the administrator say this."""
        with pg8000.native.Connection(
            "floor", host=LOOPBACK, port=self.port, database="postgres", password=PASSWORD
        ) as connection:
            connection.run(statement)


def until_it_answers(cluster: Cluster) -> None:
    pause = threading.Event()
    deadline = monotonic() + START_S
    while True:
        try:
            cluster.order("SELECT 1")
        except (pg8000.exceptions.InterfaceError, pg8000.exceptions.DatabaseError):
            if monotonic() > deadline or (cluster.process and cluster.process.poll() is not None):
                pytest.fail(f"PostgreSQL does not start: {(cluster.folder / 'log').read_text()}")
            pause.wait(0.05)
        else:
            return


def program(name: str) -> str:
    """Where a program of PostgreSQL is; its absence fails the test, it is never skipped."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])
    found = shutil.which(name, path=path)
    if found is None:
        pytest.fail("PostgreSQL is not installed: apt-get install postgresql (make test does it)")
    return found


def as_nobody_special() -> dict[str, object]:
    """PostgreSQL does not run as root: then it runs as the user that its package makes."""
    if os.geteuid() != 0:
        return {}
    one = pwd.getpwnam("postgres")
    return {"user": one.pw_uid, "group": one.pw_gid, "extra_groups": []}


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A new cluster in a folder of its own below /tmp: a socket's path must be short."""
    folder = Path(tempfile.mkdtemp(prefix="floor-pg-", dir="/tmp"))
    cluster = Cluster(folder, free_port())
    try:
        (folder / "password").write_text(PASSWORD)
        if os.geteuid() == 0:
            one = pwd.getpwnam("postgres")
            for path in (folder, folder / "password"):
                os.chown(path, one.pw_uid, one.pw_gid)
        said = ["-D", str(folder / "data"), "-U", "floor", "-A", "scram-sha-256", "--no-sync"]
        said += ["--pwfile", str(folder / "password"), "-E", "UTF8", "--locale=C.UTF-8"]
        subprocess.run(
            [program("initdb"), *said],
            cwd=folder, check=True, capture_output=True, **as_nobody_special(),
        )  # fmt: skip
        with (folder / "data" / "postgresql.conf").open("a") as conf:
            conf.write(CONF)
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
