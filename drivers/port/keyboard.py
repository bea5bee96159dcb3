"""How a Linux input device is opened: looked at first, then taken for ourselves alone.

Without the grab its digits would also go where the console's or a desktop's keyboard goes: a
card's code into a login prompt (hidapi 310). One plug often brings several devices, a keyboard and
a mouse: one without digits and Enter is refused (RPi-Jukebox-RFID 327). ioctls: Linux
include/uapi/linux/input.h; their numbers as on x86 and ARM.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
import sys
from pathlib import Path
from typing import Protocol

from drivers.keyboard import DIGITS, ENTERS, PAD_DIGITS, RECORD

INPUT_MAJOR = 13
KEY_BITS_BYTES = 96  # KEY_MAX is 2FF
EVIOCGBIT_KEY = 2 << 30 | KEY_BITS_BYTES << 16 | ord("E") << 8 | 0x21
EVIOCGRAB = 1 << 30 | 4 << 16 | ord("E") << 8 | 0x90

NATIVE_BYTES = struct.calcsize("@llHHi")


class Ioctl(Protocol):
    """`fcntl.ioctl` on one descriptor."""

    def __call__(self, request: int, argument: bytearray | int, /) -> object: ...


def is_input(address: str) -> bool:
    """Whether this path, or what it links to, is a device of the kernel's input layer."""
    try:
        found = Path(address).stat()
    except (OSError, ValueError):
        return False
    return is_input_node(found.st_mode, found.st_rdev)


def is_input_node(mode: int, device: int) -> bool:
    """Whether a file of this mode and device number is one."""
    return stat.S_ISCHR(mode) and os.major(device) == INPUT_MAJOR


def open_keyboard(path: str) -> int:
    """A descriptor, not blocking, of a keyboard that is ours alone until it is closed.

    It is opened for reading only: nothing is ever written. Raises OSError: EPROTOTYPE where records
    are not those of `keyboard`, ENOKEY where it is no keyboard, EBUSY where another program has
    grabbed it.
    """
    if RECORD.size != NATIVE_BYTES or sys.byteorder != "little":
        raise OSError(errno.EPROTOTYPE, "records of another layout")
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        claim(lambda request, argument: fcntl.ioctl(fd, request, argument))
    except BaseException:
        os.close(fd)
        raise
    return fd


def claim(ioctl: Ioctl) -> None:
    """Make sure that this is a keyboard and grab it; raises OSError as `open_keyboard` says."""
    bits = bytearray(KEY_BITS_BYTES)
    try:
        ioctl(EVIOCGBIT_KEY, bits)
    except OSError as error:
        if error.errno == errno.ENODEV:
            raise
        raise OSError(errno.ENOKEY, "no event device") from error
    if not is_keyboard(bits):
        raise OSError(errno.ENOKEY, "no keyboard")
    ioctl(EVIOCGRAB, 1)


def is_keyboard(bits: bytes | bytearray) -> bool:
    """Whether these bits, one for each key, have an Enter and all digits of the row or the pad."""
    keys = {at for at in range(8 * len(bits)) if bits[at // 8] >> at % 8 & 1}
    return bool(keys & ENTERS) and (keys >= set(DIGITS) or keys >= set(PAD_DIGITS))
