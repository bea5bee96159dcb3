"""The empty felt: simulated devices on ptys, laid with cards as somebody types."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from daemon.demo.felt import Hand, OrderError
from daemon.demo.table_fit import Devices
from drivers.simulated.device import Device

TAGS = {"As": "04000000000001", "Kd": "04000000000002"}


class Rigs(dict[str, Device]):
    """Sensors without lines: only their names are asked for."""


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("lay Zz board", "Zz: is no card"),
        ("lay As nowhere", "nowhere: has no antenna"),
        ("lift As", "As: does not lie anywhere"),
        ("unplug seat-9", "seat-9: is no sensor"),
        ("pass board Zz", "Zz: is no card"),
        ("shuffle", "shuffle: is no order"),
        ("lay As", "lay As: is no order"),
        ("key fold", "key fold : is no key, or needs a seat"),
        ("key dance 3", "key dance 3: is no key, or needs a seat"),
    ],
)
async def test_an_order_that_cannot_be_done_says_why(order, why):
    with pytest.raises(OrderError, match=f"^{why}"):
        await Hand(Devices(2), Rigs(), TAGS).obey(order)


def felt(folder, orders):
    return subprocess.run(
        [sys.executable, "-m", "daemon", "demo", "--felt", str(folder), "--seats", "2"],
        input=orders, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_its_folder_has_every_port_and_a_configuration_that_lacks_only_the_deck(tmp_path):
    done = felt(tmp_path / "felt", "lay As board\nlift As\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-2:] == ["done: lay As board", "done: lift As"]
    written = tomllib.loads((tmp_path / "felt" / "table.toml").read_text())
    ports = {sensor["port"] for sensor in written["sensors"]}
    names = ("shoe", "console", "felt", "seat-1", "seat-2")
    assert ports == {str(tmp_path / "felt" / name) for name in names}
    assert written["decks"] == {"red": "red.toml"}


def test_a_folder_that_cannot_be_made_is_told_in_a_line(tmp_path):
    (tmp_path / "file").write_text("")
    done = felt(tmp_path / "file" / "felt", "")
    assert done.returncode == 1
    assert done.stderr == f"floorcall: {tmp_path}/file/felt: cannot be used: Not a directory\n"


def test_a_configuration_that_is_there_is_kept_and_a_second_felt_refused(tmp_path):
    own = '# mine\nbroker = { urls = ["mqtt://127.0.0.1:0"] }\n'
    (tmp_path / "table.toml").write_text(own)
    (tmp_path / "shoe").write_text("")
    done = felt(tmp_path, "quit\n")
    assert (done.returncode, done.stderr) == (
        1,
        f"floorcall: {tmp_path}: another felt is at work there\n",
    )
    (tmp_path / "shoe").unlink()
    assert felt(tmp_path, "quit\n").returncode == 0
    assert (tmp_path / "table.toml").read_text() == own


async def test_a_card_that_is_laid_elsewhere_lies_there_alone():
    hand = Hand(Devices(2), Rigs(), TAGS)
    for order in ("lay As board", "lay As seat:1", "draw Kd seat:1", "key new-hand", "key fold 2"):
        assert await hand.obey(order) == f"done: {order}"
    assert hand.lies == {"As": "seat:1", "Kd": "seat:1"}
    assert not hand.devices.felt._tags
