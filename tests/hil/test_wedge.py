"""Keyboards on a pty, cut into pieces; what is grabbed, what is refused, and with which words."""

from __future__ import annotations

import errno
import os
import stat
import struct
from pathlib import Path

import pytest

from drivers.driver import Driver
from drivers.port.keyboard import (
    EVIOCGBIT_KEY,
    EVIOCGRAB,
    KEY_BITS_BYTES,
    claim,
    is_input,
    is_input_node,
    is_keyboard,
    open_keyboard,
)
from drivers.port.reasons import HUNG_UP, end_reason, reason
from drivers.readings import CardDrawn, KeyPressed, Reading, TagSeen
from drivers.simulated.rig import Faults, on_pty
from drivers.simulated.wedge import SimulatedWedge
from drivers.wedge import CARD_DRIVER, KEYS_DRIVER, TAG_DRIVER
from tests.hil.record import Record, listening


def read(record: Record, driver: Driver) -> list[Reading]:
    return driver.decoder().feed(bytes(record.heard))


@pytest.mark.parametrize(
    ("driver", "text", "wanted"),
    [
        (CARD_DRIVER, "1010\n4130\n", [CardDrawn(1, "As"), CardDrawn(2, "Kd")]),
        (KEYS_DRIVER, "+\n*", [KeyPressed("shuffle")]),
        (TAG_DRIVER, "0007654321\n", [TagSeen(1, "0007654321")]),
    ],
)
async def test_what_is_typed_comes_over_a_pty_in_pieces(
    driver: Driver, text: str, wanted: list[Reading], tmp_path: Path
) -> None:
    wedge = SimulatedWedge(pad=driver is KEYS_DRIVER)
    async with on_pty(tmp_path / "wedge", Faults(piece_bytes=7)) as rig:
        await rig.plug(wedge)
        async with listening(rig.address, driver) as record:
            await record.until(lambda: record.news == ["back"])
            wedge.type(text)
            rig.poke()
            await record.until(lambda: read(record, driver) == wanted)
            await rig.replug()
            await record.until(lambda: record.news == ["back", HUNG_UP, "back"])
            record.heard.clear()
            wedge.type(text)
            rig.poke()
            await record.until(lambda: read(record, driver) == wanted)


def bits(*keys: int) -> bytes:
    """The kernel's bit field of these keys."""
    return sum(1 << key for key in keys).to_bytes(KEY_BITS_BYTES, "little")


ROW, PAD = range(2, 12), (71, 72, 73, 75, 76, 77, 79, 80, 81, 82)
MOUSE = (0x110, 0x111, 0x112)


class Device:
    """An input device's ioctls as the kernel answers them."""

    def __init__(self, keys: bytes, *, error: int = 0, holder: str = "") -> None:
        self.keys = keys
        self.error = error
        self.holder = holder

    def ioctl(self, request: int, argument: bytearray | int) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        if request == EVIOCGRAB:
            assert argument == 1
            if self.holder:
                raise OSError(errno.EBUSY, "Device or resource busy")
            self.holder = "us"
        else:
            assert request == EVIOCGBIT_KEY
            assert isinstance(argument, bytearray)
            argument[:] = self.keys


@pytest.mark.parametrize("keys", [bits(28, *ROW), bits(96, *PAD), bits(28, *PAD, *ROW, 30, *MOUSE)])
def test_a_keyboard_is_grabbed(keys: bytes) -> None:
    device = Device(keys)
    claim(device.ioctl)
    assert device.holder == "us"


@pytest.mark.parametrize(
    "keys",
    [
        bits(),
        bits(*MOUSE),
        bits(28),
        bits(*ROW),
        bits(28, *ROW[1:]),
        bits(28, *PAD[:-1]),
        bits(113, 28),
    ],
)
def test_the_wrong_half_of_a_device_is_refused_and_not_grabbed(keys: bytes) -> None:
    device = Device(keys)
    assert not is_keyboard(keys)
    with pytest.raises(OSError, match="no keyboard") as refused:
        claim(device.ioctl)
    assert device.holder == ""
    assert reason(refused.value) == "no keyboard: no digits or no Enter on it"


@pytest.mark.parametrize("error", [errno.ENOTTY, errno.EINVAL])
def test_what_is_no_event_device_is_no_keyboard(error: int) -> None:
    with pytest.raises(OSError, match="no event device") as refused:
        claim(Device(b"", error=error).ioctl)
    assert reason(refused.value) == "no keyboard: no digits or no Enter on it"


def test_a_keyboard_that_another_program_has_grabbed_is_busy() -> None:
    with pytest.raises(OSError, match="busy") as refused:
        claim(Device(bits(28, *ROW), holder="a desktop").ioctl)
    assert reason(refused.value) == "busy: something else has it open"


def test_a_keyboard_that_is_pulled_meanwhile_is_missing() -> None:
    with pytest.raises(OSError, match="No such device") as gone:
        claim(Device(b"", error=errno.ENODEV).ioctl)
    assert reason(gone.value) == "missing"


def test_the_ioctls_have_the_kernels_numbers() -> None:
    """_IOC of include/uapi/asm-generic/ioctl.h: direction, size, letter, number."""
    assert EVIOCGRAB == 1 << 30 | struct.calcsize("i") << 16 | 0x4590 == 0x40044590
    assert EVIOCGBIT_KEY == 2 << 30 | (0x2FF + 1) // 8 << 16 | 0x4521 == 0x80604521


def test_only_a_character_device_of_the_input_layer_is_one(tmp_path: Path) -> None:
    assert is_input_node(stat.S_IFCHR | 0o660, os.makedev(13, 64))
    assert not is_input_node(stat.S_IFBLK | 0o660, os.makedev(13, 64))
    assert not is_input_node(stat.S_IFCHR | 0o660, os.makedev(1, 3))
    for path in (
        "/dev/null",
        "/dev/ptmx",
        str(tmp_path),
        str(tmp_path / "none"),
        "rfc2217://x",
        "\0",
    ):
        assert not is_input(path)


def test_a_descriptor_that_is_refused_is_closed() -> None:
    with pytest.raises(OSError, match="no event device"):
        open_keyboard("/dev/null")  # the leak check looks at what is left open


def test_a_keyboard_that_is_pulled_while_it_is_read_has_hung_up() -> None:
    assert end_reason(OSError(errno.ENODEV, "No such device")) == HUNG_UP
    assert end_reason(OSError(errno.EIO, "Input/output error")) == HUNG_UP
    assert end_reason(OSError(errno.ETIMEDOUT, "timed out")) == "no answer"
