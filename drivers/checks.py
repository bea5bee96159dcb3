"""The check values of the wire protocols: two CRCs of 16 bits and a sum of 8."""

from __future__ import annotations

import binascii


def crc16_ccitt_false(covered: bytes) -> int:
    """CRC-16/CCITT-FALSE (polynomial 1021, preset FFFF) of csl1 lines; `123456789` gives 29B1."""
    return binascii.crc_hqx(covered, 0xFFFF)


def _reflected_table(polynomial: int) -> tuple[int, ...]:
    rows = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (polynomial if crc & 1 else 0)
        rows.append(crc)
    return tuple(rows)


_MCRF4XX = _reflected_table(0x8408)


def crc16_mcrf4xx(covered: bytes) -> int:
    """CRC-16/MCRF4XX (reflected polynomial 8408, preset FFFF, no final XOR): Feig OBID frames.

    On the wire its low byte comes first (ISO/IEC 13239 as used by OBID i-scan; a manual page that
    prints the high byte first is contradicted by every capture). `123456789` gives 6F91.
    """
    crc = 0xFFFF
    for byte in covered:
        crc = crc >> 8 ^ _MCRF4XX[(crc ^ byte) & 0xFF]
    return crc


def complement8(covered: bytes) -> int:
    """The byte that makes all sum to zero modulo 256: the PN532's LCS and DCS."""
    return -sum(covered) & 0xFF


def sums_to_zero(covered: bytes) -> bool:
    """Whether the bytes, the complement among them, sum to zero modulo 256."""
    return sum(covered) & 0xFF == 0
