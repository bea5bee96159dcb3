"""A USB keyboard's side of the line as the kernel tells it: what it types, and how badly."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.keyboard import (
    DIGITS,
    DOWN,
    ENTER,
    EV_KEY,
    EV_MSC,
    EV_SYN,
    HELD,
    HEX_LETTERS,
    LEFT_SHIFT,
    MSC_SCAN,
    PAD_DIGITS,
    PAD_DOT,
    PAD_ENTER,
    PAD_MINUS,
    PAD_PLUS,
    PAD_STAR,
    SYN_DROPPED,
    SYN_REPORT,
    UP,
    record,
)

PAD = {
    "*": PAD_STAR, "-": PAD_MINUS, "+": PAD_PLUS, ".": PAD_DOT, "\n": PAD_ENTER,
    **{digit: key for key, digit in PAD_DIGITS.items()},
}  # fmt: skip
ROW = {"\n": ENTER, **{letter: key for key, letter in (DIGITS | HEX_LETTERS).items()}}

SCAN_CODE = 0x7001E  # what MSC_SCAN carries is the device's own; nobody looks at it


@dataclass(slots=True)
class Faults:
    """How it types."""

    enter_first: bool = False
    held: int = 0  # each key is told so many times more while it is down
    drop_next: int = 0  # so many of the next keys run over in the kernel's buffer


class SimulatedWedge:
    """A keyboard; `type` takes digits, hex letters (a capital with shift) and a newline for Enter.

    With `pad` the keys are those of a number pad, which has `*`, `-`, `+` and `.` too.
    """

    def __init__(self, *, pad: bool = False) -> None:
        self.faults = Faults()
        self._pad = pad
        self._keys: list[tuple[int, bool]] = []  # the key, and whether it runs over

    def type(self, text: str) -> None:
        """Type this."""
        for letter in ("\n" if self.faults.enter_first else "") + text:
            if letter.isupper():
                self._keys.append((LEFT_SHIFT, False))
            self.press((PAD if self._pad else ROW)[letter.lower()])

    def press(self, key: int) -> None:
        """Press and let go of a key, by its code."""
        runs_over = self.faults.drop_next > 0
        self.faults.drop_next -= runs_over
        self._keys.append((key, runs_over))

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002 - a keyboard hears nothing
        return b""

    def wake(self, now_ms: int) -> bytes:
        said, overrun = b"", False
        for key, runs_over in self._keys:
            if runs_over:
                said += b"" if overrun else record(EV_SYN, SYN_DROPPED, 0, now_ms)
            elif overrun:
                # The kernel keeps the newest record and its report: worthless, as the end is half.
                said += _report((EV_KEY, key, UP), now_ms)
            else:
                said += self._struck(key, now_ms)
            overrun = runs_over
        self._keys.clear()
        return said

    @property
    def next_ms(self) -> int | None:
        return 0 if self._keys else None

    def _struck(self, key: int, now_ms: int) -> bytes:
        down = _report((EV_KEY, key, DOWN), now_ms)
        up = _report((EV_KEY, key, UP), now_ms)
        held = record(EV_KEY, key, HELD, now_ms) + record(EV_SYN, SYN_REPORT, 1, now_ms)
        return down + held * self.faults.held + up


def _report(key: tuple[int, int, int], now_ms: int) -> bytes:
    scan = record(EV_MSC, MSC_SCAN, SCAN_CODE, now_ms)
    return scan + record(*key, now_ms) + record(EV_SYN, SYN_REPORT, 0, now_ms)
