"""An open descriptor on the loop: no call blocks, its end is noticed, its bugs are raised."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from drivers.port.reasons import HUNG_UP, end_reason

READ_BYTES_MAX = 4096
OUT_BYTES_MAX = 8192


class Face(Protocol):
    """What stands behind a wire. Every call comes from the loop; what it raises ends the wire."""

    def heard(self, data: bytes, /) -> None:
        """Bytes came."""
        ...

    def sent(self, data: bytes, /) -> None:
        """These bytes were taken by the far end's buffer."""
        ...

    def due(self) -> None:
        """The time asked for with `Wire.wake_at` has come."""
        ...

    def ended(self, reason: str, /) -> None:
        """The far end is gone; nothing more will come."""
        ...


class Wire:
    """An open descriptor on the loop: no call blocks, and its end is noticed at once.

    `over` gives the reason when the far end is gone, and raises what a call to the face raised.
    The descriptor is the caller's, to be closed after `stop`.
    """

    def __init__(self, fd: int, face: Face, out_bytes_max: int = OUT_BYTES_MAX) -> None:
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.stalled_ms: int | None = None  # since when the far end has taken nothing
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._face = face
        self._out = bytearray()
        self._out_bytes_max = out_bytes_max
        self._alarm: asyncio.TimerHandle | None = None
        self._live = True
        self._carried = _Carried(self.fail)
        self._loop.add_reader(fd, self._readable)

    @property
    def now_ms(self) -> int:
        """Monotonic milliseconds of the loop."""
        return int(self._loop.time() * 1000)

    def send(self, data: bytes) -> bool:
        """Send or queue these bytes; False where they do not fit, and then none of them is sent."""
        if not self._live or len(self._out) + len(data) > self._out_bytes_max:
            return not data
        waiting = bool(self._out)
        self._out += data
        if data and not waiting:
            self._flush()
        return True

    def wake_at(self, at_ms: int | None) -> None:
        """Call `due` no later than at this time; a wake already set for earlier stays."""
        if at_ms is None or not self._live:
            return
        at_s = (
            at_ms + 0.5
        ) / 1000  # half a millisecond: `now_ms` rounds down and would come too soon
        if self._alarm is not None:
            if self._alarm.when() <= at_s:
                return
            self._alarm.cancel()
        self._alarm = self._loop.call_at(at_s, self._due)

    def soon(self, after_s: float, call: Callable[[], None]) -> None:
        """Call this a little later, unless the wire is stopped by then; what it raises ends it."""
        self._loop.call_later(after_s, self._called, call)

    def _called(self, call: Callable[[], None]) -> None:
        if self._live:
            with _Carried(self.fail):
                call()

    def end(self, reason: str) -> None:
        """The far end is gone, or counts as gone."""
        if self._live:
            self.stop()
            self._face.ended(reason)
            if not self.over.done():
                self.over.set_result(reason)

    def fail(self, error: Exception) -> None:
        """Raise this in the task that waits for `over`: the loop itself would only log it."""
        self.stop()
        if not self.over.done():
            self.over.set_exception(error)

    def stop(self) -> None:
        """Let go of the descriptor; nothing is called any more. May be called twice."""
        if self._live:
            self._live = False
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _readable(self) -> None:
        with self._carried:
            try:
                data = os.read(self._fd, READ_BYTES_MAX)
            except BlockingIOError:
                return
            except OSError as error:
                self.end(end_reason(error))
                return
            if data:
                self._face.heard(data)
            else:  # a hung-up tty stays readable: without an end here the loop would spin
                self.end(HUNG_UP)

    def _writable(self) -> None:
        with self._carried:
            self._flush()

    def _due(self) -> None:
        self._alarm = None
        with self._carried:
            self._face.due()

    def _flush(self) -> None:
        try:
            taken = os.write(self._fd, self._out)
        except BlockingIOError:
            taken = 0
        except OSError as error:
            self.end(end_reason(error))
            return
        if taken:
            sent = bytes(self._out[:taken])
            del self._out[:taken]
            self.stalled_ms = None
            self._face.sent(sent)
        if not self._live:
            return
        if not self._out:
            self._loop.remove_writer(self._fd)
        elif self.stalled_ms is None:
            self.stalled_ms = self.now_ms
            self._loop.add_writer(self._fd, self._writable)


class _Carried:
    """Hands what is raised inside to `fail` instead of to the loop."""

    def __init__(self, fail: Callable[[Exception], None]) -> None:
        self._fail = fail

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._fail(error)
        return True
