"""What an evening of faults is measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Figures:
    """Of all tables together; times in seconds."""

    faults: Counter[str] = field(default_factory=Counter)
    hands: int = 0
    lives: int = 0
    alerts: int = 0
    transitions: int = 0  # by audience
    again: int = 0
    late: int = 0
    asked: int = 0
    well: int = 0
    well_s: float = 0.0
    over_faults_s: float = 0.0
    settled_s: float = 0.0
    outbox_bytes: int = 0

    def took(self, seconds: float, *, is_well: bool) -> None:
        """A transition took so long from the line to the recorder."""
        if is_well:
            self.well += 1
            self.well_s = max(self.well_s, seconds)
        else:
            self.over_faults_s = max(self.over_faults_s, seconds)

    def printed(self) -> Iterator[str]:
        faults = ", ".join(f"{name} {times}" for name, times in sorted(self.faults.items()))
        yield f"faults     {self.faults.total()}: {faults}"
        yield f"tables     {self.hands} hands, {self.lives} lives of daemons"
        yield f"alerts     {self.alerts}, in {self.transitions} transitions by audience"
        yield (
            f"recorders  {self.again} repeats ignored, {self.late} came late,"
            f" asked {self.asked} times for what they missed"
        )
        yield (
            f"longest    {self.well_s * 1000:.0f} ms where all was well ({self.well} of them),"
            f" {self.over_faults_s:.1f} s over faults"
        )
        yield f"the end    settled in {self.settled_s:.0f} s; outbox {self.outbox_bytes >> 10} KiB"
