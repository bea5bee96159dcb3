"""Why a port is not there, in a few words of our own."""

from __future__ import annotations

import errno
import os
import socket
import termios
from pathlib import Path

HUNG_UP = "hung up"
SILENT = "silent"
TAKES_NOTHING = "takes no bytes"
NO_CALL = "has not called yet"
CALLED_ANEW = "has called anew"
NO_PERMISSION = "no permission"
MISSING = "missing"
BUSY = "busy: something else has it open"
REFUSED, NO_WAY, NO_ANSWER = "connection refused", "no way to the host", "no answer"
# What may pass by itself: a device not plugged in, not switched on, or that does not speak yet.
PASSING = frozenset(
    {MISSING, HUNG_UP, SILENT, TAKES_NOTHING, NO_CALL, CALLED_ANEW, REFUSED, NO_WAY, NO_ANSWER}
)
REASONS = {
    errno.ENOENT: MISSING,
    errno.ENODEV: MISSING,
    errno.ENXIO: MISSING,
    errno.EAGAIN: BUSY,
    errno.EBUSY: BUSY,
    errno.EACCES: NO_PERMISSION,
    errno.EPERM: NO_PERMISSION,
    errno.EIO: HUNG_UP,
    errno.EBADF: HUNG_UP,
    errno.EPIPE: HUNG_UP,
    errno.ECONNRESET: HUNG_UP,
    errno.ENOTTY: "not a serial port",
    errno.EISDIR: "not a serial port",
    errno.EADDRINUSE: "address in use: something else listens there",
    errno.EADDRNOTAVAIL: "not an address of this machine",
    errno.ENOKEY: "no keyboard: no digits or no Enter on it",
    errno.EPROTOTYPE: "keyboards can be read on a 64-bit system only",
    errno.ECONNREFUSED: REFUSED,
    errno.EHOSTUNREACH: NO_WAY,
    errno.ENETUNREACH: NO_WAY,
    errno.ETIMEDOUT: NO_ANSWER,
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
}
# ValueError and KeyError: an address, or an option in it, that pyserial does not understand.
BAD_ADDRESS = (ValueError, KeyError)
WORLD = (OSError, *BAD_ADDRESS, termios.error)


def reason(error: BaseException, address: str = "") -> str:
    """Why a port is not there, in a few words; names the group that may open a path."""
    for link in (error, error.__cause__, error.__context__):
        match link:
            case socket.gaierror():
                return "host name not found"
            case TimeoutError():
                return REASONS[errno.ETIMEDOUT]
            case OSError(errno=int(number)) | termios.error(args=(int(number), *_)):
                why = REASONS.get(number, os.strerror(number).lower())
                return f"{why}{_for_whom(address)}" if why == NO_PERMISSION else why
            case _:
                continue
    return "address not understood" if isinstance(error, BAD_ADDRESS) else "cannot be opened"


def end_reason(error: OSError) -> str:
    """Why an open line has ended; what was there and is no longer has hung up."""
    return HUNG_UP if error.errno == errno.ENODEV else reason(error)


def _for_whom(address: str) -> str:
    try:
        return f": only group {Path(address).group()} may open it"
    except (OSError, KeyError):
        return ""
