"""A house's broker as it ships: both listeners, the access rules, users with both ways in."""

from __future__ import annotations

import base64
import hashlib
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import aiomqtt
import pytest

from daemon.access import tls
from daemon.shipped import config_path
from tests.authority import Authority
from tests.conftest import BROKER_START_S, free_port, mosquitto_program

TABLES = ("poker-12", "poker-13")
OTHERS = ("floor", "screen", "surveillance", "maintenance", "anna", "berto")
USERS = (*TABLES, *OTHERS)
WITNESS = "witness"  # sees and says everything: no part of what ships
PEOPLE = "".join(
    f"user {name}\ntopic write floorcall/v1/+/+/command/{name}\n" for name in ("anna", "berto")
)
V5, V311 = aiomqtt.ProtocolVersion.V5, aiomqtt.ProtocolVersion.V311


def password_line(user: str, password: str | None = None) -> str:
    """A line of mosquitto's password file; the password is the user's name unless given."""
    salt = b"saltsaltsalt"
    digest = hashlib.pbkdf2_hmac("sha512", (password or user).encode(), salt, 101)
    return f"{user}:$7$101${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}\n"


@dataclass
class House:
    """The broker of `config/mosquitto/` on two free ports, below a folder of its own."""

    folder: Path
    authority: Authority
    plain: int = field(default_factory=free_port)
    safe: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def acl(self) -> Path:
        return self.folder / "floorcall.acl"

    def write(self) -> None:
        """The files as they ship, with this folder and these ports; the people and the witness."""
        ships = config_path("mosquitto")
        conf_d = self.folder / "conf.d"
        conf_d.mkdir(exist_ok=True)
        for name in ("floorcall.conf", "floorcall-tls.conf"):
            conf = (ships / name).read_text().replace("/etc/mosquitto", str(self.folder))
            conf = conf.replace("listener 1883", f"listener {self.plain}")
            conf = conf.replace("listener 8883", f"listener {self.safe} 127.0.0.1")
            (conf_d / name).write_text(conf)
        log = self.folder / "log"
        (self.folder / "mosquitto.conf").write_text(
            f"user root\npersistence_location {self.folder}/\nlog_dest file {log}\n"
            f"include_dir {conf_d}\n"
        )
        passwords = "".join(map(password_line, (*USERS, WITNESS)))
        (self.folder / "floorcall.passwd").write_text(passwords)
        rules = (ships / "floorcall.acl").read_text()
        self.acl.write_text(f"{rules}\n{PEOPLE}user {WITNESS}\ntopic readwrite #\n")
        certs = self.folder / "certs"
        if not certs.exists():
            certs.symlink_to(self.authority.folder)

    def start(self) -> None:
        self.process = subprocess.Popen(
            [mosquitto_program(), "-c", str(self.folder / "mosquitto.conf")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline, pause = monotonic() + BROKER_START_S, threading.Event()
        while not all(map(_answers, (self.plain, self.safe))):
            if self.process.poll() is not None or monotonic() > deadline:
                log = self.folder / "log"
                said = log.read_text() if log.exists() else "nothing"
                self.stop()
                pytest.fail(f"mosquitto does not start; it says: {said}")
            pause.wait(0.01)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(BROKER_START_S)
            self.process = None

    def read_anew(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGHUP)

    def client(
        self, user: str, *, safe: bool = False, version: aiomqtt.ProtocolVersion = V5, **more: Any
    ) -> aiomqtt.Client:
        """This user, by certificate or by password."""
        if safe:
            context = tls(self.authority.access(user))
            more |= {"hostname": "localhost", "port": self.safe, "tls_context": context}
        else:
            more |= {"hostname": "127.0.0.1", "port": self.plain}
            more |= {"username": user, "password": user}
        return aiomqtt.Client(protocol=version, timeout=60, **more)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running_house(folder: Path) -> Iterator[House]:
    folder.mkdir(exist_ok=True)
    authority = Authority(folder / "authority")
    authority.broker()
    house = House(folder, authority)
    house.write()
    house.start()
    try:
        yield house
    finally:
        house.stop()
