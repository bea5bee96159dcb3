"""The check values of the wire protocols: two CRCs of 16 bits, a sum and an XOR of 8."""

from __future__ import annotations

import binascii
from functools import reduce
from operator import xor


def crc16_ccitt_false(covered: bytes) -> int:
    """CRC-16/CCITT-FALSE (polynomial 1021, preset FFFF): csl1, Eccel; `123456789` gives 29B1."""
    return binascii.crc_hqx(covered, 0xFFFF)


_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc16_mcrf4xx(covered: bytes) -> int:
    """CRC-16/MCRF4XX (reflected polynomial 8408, preset FFFF, no final XOR): Feig OBID frames.

    It is the mirror image of CRC-16/CCITT-FALSE, which the standard library computes quickly. On
    the wire its low byte comes first (ISO/IEC 13239 as used by OBID i-scan; a manual page that
    prints the high byte first is contradicted by every capture). `123456789` gives 6F91.
    """
    mirrored = crc16_ccitt_false(covered.translate(_MIRRORED))
    return _MIRRORED[mirrored & 0xFF] << 8 | _MIRRORED[mirrored >> 8]


def complement8(covered: bytes) -> int:
    """The byte that makes all sum to zero modulo 256: the PN532's LCS and DCS."""
    return -sum(covered) & 0xFF


def sums_to_zero(covered: bytes) -> bool:
    """Whether the bytes, the complement among them, sum to zero modulo 256."""
    return sum(covered) & 0xFF == 0


def xor8(covered: bytes) -> int:
    """All bytes XORed: bridge packets and RDM6300 badges. With its own check value it gives 0."""
    return reduce(xor, covered, 0)
