"""Tags' UIDs as every driver tells them: lower-case hex, as printed, and of no odd length."""

from __future__ import annotations

UID_BYTES = (4, 7, 8, 10)  # ISO14443A single, double, triple; ISO15693 has eight
ISO15693_BYTES = 8
ISO15693_MARK = 0xE0  # the first byte of each ISO15693 UID (ISO/IEC 15693-3)


def uid_of(number: bytes) -> str | None:
    """The UID of these bytes in hex, None where no tag's UID is so long.

    Some readers say an ISO15693 UID with its last byte first: one that ends with E0 and does not
    begin with it is turned round.
    """
    if len(number) not in UID_BYTES:
        return None
    if len(number) == ISO15693_BYTES and number[0] != ISO15693_MARK == number[-1]:
        number = number[::-1]
    return number.hex()
