"""The words of Feig OBID readers: control bytes of commands, status bytes of answers."""

from __future__ import annotations

from drivers.readings import DeviceFault

# Control bytes; 33 and 63 by public host code only, the rest by H60301, H20411 and H71011.
READ_BUFFER, BUFFER_SIZE, CLEAR_BUFFER, EMPTY_BUFFER = 0x22, 0x31, 0x32, 0x33
CPU_RESET, SOFTWARE, ABOUT, RF_RESET, DIAGNOSTIC, ISO = 0x63, 0x65, 0x66, 0x69, 0x6E, 0xB0

OK, NO_TAG, WARNING, OTHER_WARNING = 0x00, 0x01, 0x84, 0x85
NOTHING_NEW, OVERFLOW, MORE_DATA = 0x92, 0x93, 0x94
# Annex of status bytes, H60301 p.121, H20411 p.162; 84, 85, 92 and 93 unverified.
STATUSES = {
    0x02: ("warning", "data of a tag were false"),
    0x03: ("warning", "write error"),
    0x04: ("warning", "address error"),
    0x05: ("warning", "wrong transponder type"),
    0x11: ("error", "parameter out of range"),
    0x15: ("error", "reserved configuration block"),
    WARNING: ("warning", "radio field warning"),
    OTHER_WARNING: ("warning", "hardware warning"),
    NOTHING_NEW: ("info", "no valid data"),
    OVERFLOW: ("warning", "buffer overflow: tags were lost"),
    0x95: ("warning", "a tag reports an error"),
}


def fault(status: int) -> DeviceFault:
    """What a status other than 00 says of the reader."""
    severity, text = STATUSES.get(status, ("error", "unknown status"))
    return DeviceFault(status, severity, text)
