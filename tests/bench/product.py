"""The product under the bench: `floorcall run` as it is installed, journal and everything on."""

from __future__ import annotations

import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import msgspec

from tests.bench import mqtt, script
from tests.bench.latency import Contender, Ports

TABLE = "poker"
READY_S = 60
MANY = 1000
SENSORS = ("keypad", "shoe")

CONFIG = """\
site = "{site}"
table = "{table}"
seat_count = 3
rulebook = "robert-classic"

[broker]
urls = ["mqtt://127.0.0.1:{broker_port}"]

[journal]
folder = "{folder}/journal"

# The same fault fifty times a second is what a bench wants and nobody else: none collapses.
[house]
chatter_per_min = {many}

[[sensors]]
name = "keypad"
driver = "keypad"
port = "{keypad}"

[[sensors]]
name = "shoe"
driver = "csl1"
port = "{shoe}"
"""


class State(msgspec.Struct):
    """The part of `status` and `sensors/<sensor>` that says how it stands."""

    state: str


def program() -> str:
    """The `floorcall` command of this environment, else of the path."""
    return shutil.which("floorcall", path=str(Path(sys.executable).parent)) or "floorcall"


def config(ports: Ports, broker_port: int, folder: Path) -> Path:
    path = folder / "table.toml"
    path.write_text(
        CONFIG.format(
            site=script.SITE,
            many=MANY,
            table=TABLE,
            broker_port=broker_port,
            folder=folder,
            keypad=ports.keypad_path,
            shoe=ports.shoe_path,
        )
    )
    return path


def answer(ports: Ports) -> None:
    """Introduce the devices where the daemon has asked."""
    keypad, shoe = script.greetings()
    for end, asked in ports.drain():
        if b"$HELO?" in asked:
            ports.write(end, keypad if end == ports.keypad else shoe)


def wait_until_ready(ports: Ports, broker_port: int) -> None:
    """Until the table is online and both sensors are ok, as its topics say."""
    root = f"floorcall/v1/{script.SITE}/{TABLE}"
    wanted = {f"{root}/status": "online", **{f"{root}/sensors/{one}": "ok" for one in SENSORS}}
    packets = mqtt.Packets()
    deadline = monotonic() + READY_S
    with mqtt.connect(broker_port, "bench-ready") as line:
        mqtt.subscribe(line, f"{root}/#")
        while wanted:
            if monotonic() > deadline:
                raise TimeoutError(f"floorcall is not ready: {wanted}")
            readable, _, _ = select.select([line, ports.keypad, ports.shoe], [], [], 1)
            answer(ports)
            for packet in packets.feed(line.recv(mqtt.RECEIVE_BYTES) if line in readable else b""):
                if packet.number:
                    line.sendall(mqtt.puback(packet.number))
                if packet.topic in wanted and packet.payload:
                    state = msgspec.json.decode(packet.payload, type=State).state
                    if state == wanted[packet.topic]:
                        del wanted[packet.topic]


@contextmanager
def start(ports: Ports, broker_port: int, folder: Path) -> Iterator[int]:
    command = [program(), "run", "--config", str(config(ports, broker_port, folder))]
    log = (folder / "floorcall.log").open("w+")
    with log, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as daemon:
        try:
            keypad, shoe = script.greetings()
            ports.write(ports.keypad, keypad)
            ports.write(ports.shoe, shoe)
            wait_until_ready(ports, broker_port)
            yield daemon.pid
        except (OSError, AssertionError):
            log.seek(0)
            sys.stderr.write(log.read()[-4000:])
            raise
        finally:
            daemon.terminate()


PRODUCT = Contender("floorcall run, journal and all", TABLE, start)
