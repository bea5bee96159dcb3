"""How often somebody may try: pure, the time in seconds comes with each question."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

KNOWN_MAX = 10_000


@dataclass(slots=True)
class _Failures:
    count: int
    last_s: float


class Patience:
    """Failures by key, each doubling how long the next try must wait.

    The first `free` cost nothing; then 1, 2, 4 … seconds up to `most_s`. They are forgotten after
    `forget_s` without one. At most KNOWN_MAX keys are known; the longest quiet goes first.
    """

    def __init__(self, *, free: int, most_s: float, forget_s: float = 3600.0) -> None:
        self._free = free
        self._most_s = most_s
        self._forget_s = forget_s
        self._failures: OrderedDict[str, _Failures] = OrderedDict()

    def wait_s(self, key: str, now_s: float) -> float:
        """How long this key must still wait; 0 where it may try."""
        found = self._failures.get(key)
        if found is None or now_s - found.last_s > self._forget_s:
            return 0.0
        over = found.count - self._free
        if over < 0:
            return 0.0
        delay_s = min(self._most_s, 2.0 ** min(over, 30))
        return max(0.0, found.last_s + delay_s - now_s)

    def failed(self, key: str, now_s: float) -> None:
        """One more failure of this key."""
        found = self._failures.pop(key, None)
        if found is None or now_s - found.last_s > self._forget_s:
            found = _Failures(0, now_s)
        self._failures[key] = _Failures(found.count + 1, now_s)
        while len(self._failures) > KNOWN_MAX:
            self._failures.popitem(last=False)

    def forgive(self, key: str, *, all_of_them: bool) -> None:
        """The last one was none after all, or none of them counts any more."""
        found = self._failures.get(key)
        if found is not None and not all_of_them and found.count > 1:
            found.count -= 1
        else:
            self._failures.pop(key, None)


class Pace:
    """So many in so many seconds by key, at once or spread: a bucket that fills again."""

    def __init__(self, count: int, within_s: float) -> None:
        self._count = float(count)
        self._per_s = count / within_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str, now_s: float) -> bool:
        """Whether one more may be; it is counted if so."""
        left, then_s = self._left.pop(key, (self._count, now_s))
        left = min(self._count, left + max(0.0, now_s - then_s) * self._per_s)
        allowed = left >= 1.0
        self._left[key] = (left - 1.0 if allowed else left, now_s)
        while len(self._left) > KNOWN_MAX:
            self._left.popitem(last=False)
        return allowed
