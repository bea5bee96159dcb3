"""What a person at a screen may order of a table, and how each order is answered.

A command names one alert at one revision, or a state of the table; the fields are the public format
(docs/topics.md, `command`). What cannot be read is answered with an error's word and harms nothing.
"""

from __future__ import annotations

from collections import deque
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

PAYLOAD_MAX = 4096
NAME_MAX = 64
TEXT_MAX = 500
ALERT_MAX = 256
MINUTES_MAX = 1440  # to shelve for, a house allows fewer still (`shelve_max_min`)
REVISION_MAX = 10**9
ORDERS_MAX = 50
ORDERS_MS = 10_000

RESEND = "resend"  # for recorders whose broker lost what it had confirmed

ERRORS: dict[str, str] = {
    "too-large": f"the payload has more than {PAYLOAD_MAX} bytes",
    "malformed": "it is no JSON of this form, or has a text too long or that cannot be printed",
    "unknown-command": "there is no such command",
    "incomplete": "a field that this command needs is missing",
    "unknown-alert": "there is no such alert, or none any more",
    "stale": "the alert has another revision by now, which the answer tells",
    "closed": "the alert is closed, or stands in the log only",
    "acknowledged": "it is acknowledged already",
    "not-shelved": "it is not shelved",
    "too-long": "the house shelves for shorter times only",
    "retained": "commands must not be retained",
    "busy": "there are more commands than can be taken",
}
"""Every word that `error` may be, and what it means."""

Name = Annotated[str, Meta(max_length=NAME_MAX)]
Verdict = Literal["upheld", "none", "other"]
State = Literal["open", "paused", "closed", "maintenance"]

NEEDS: dict[str, tuple[str, ...]] = {
    "acknowledge": ("alert", "revision"),
    "close": ("alert", "revision", "verdict"),
    "shelve": ("alert", "revision", "minutes", "text"),
    "unshelve": ("alert", "revision"),
    "note": ("alert", "revision", "text"),
    "table-state": ("state",),
    RESEND: ("minutes",),
}
"""Every command, and the fields it needs besides `by`."""

_MISSING = "incomplete"
_SAID = ("by", "id", "alert", "text")


class Command(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One order of a person: `by` is who gives it, `id` what its answer is to be told by.

    `text` is a note's text, the reason of a shelving, or what is to be said of a verdict.
    """

    v: Literal[1] = 1
    command: Name
    alert: Annotated[str, Meta(max_length=ALERT_MAX)] = ""
    revision: Annotated[int, Meta(ge=0, le=REVISION_MAX)] = 0
    by: Name = ""
    verdict: Verdict | None = None
    text: Annotated[str, Meta(max_length=TEXT_MAX)] = ""
    minutes: Annotated[int, Meta(ge=0, le=MINUTES_MAX)] = 0
    state: State | None = None
    id: Name = ""


class Answer(Struct, frozen=True, kw_only=True):
    """What became of a command: `error` is one of `ERRORS`, `revision` what the alert has now."""

    v: int = 1
    id: str = ""
    ok: bool
    error: Annotated[str, Meta(extra_json_schema={"enum": list(ERRORS)})] | UnsetType = UNSET
    alert: str | UnsetType = UNSET
    revision: int | UnsetType = UNSET


_decoder = msgspec.json.Decoder(Command)


def read(payload: bytes) -> Command | str:
    """The command in this payload, or the word of what is wrong with it; raises nothing."""
    if len(payload) > PAYLOAD_MAX:
        return "too-large"
    try:
        command = _decoder.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "malformed"
    if not all(getattr(command, name).isprintable() for name in _SAID):
        return "malformed"
    if command.command not in NEEDS:
        return "unknown-command"
    needs = ("by", *NEEDS[command.command])
    return command if all(str(getattr(command, name) or "").strip() for name in needs) else _MISSING


class Gate:
    """Lets in as many commands as people can mean: `ORDERS_MAX` in `ORDERS_MS`."""

    def __init__(self) -> None:
        self._came_ms: deque[int] = deque(maxlen=ORDERS_MAX)

    def admitted(self, payload: bytes, at_ms: int) -> Command | str:
        """The command in this payload, or the word of why it is not taken; raises nothing."""
        full = len(self._came_ms) == ORDERS_MAX
        if full and at_ms - self._came_ms[0] < ORDERS_MS:
            return "busy"
        self._came_ms.append(at_ms)
        return read(payload)
