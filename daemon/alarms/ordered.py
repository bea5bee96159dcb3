"""What people's commands make of an alert, and why one is refused."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET, Struct
from msgspec.structs import replace

from daemon.alarms.identity import wall_clock
from daemon.alarms.standing import Standing, unshelved
from daemon.orders import Command
from daemon.payloads import Shelving, Signed
from daemon.rules.parameters import Parameters

MINUTE_MS = 60_000


class Word(Struct, frozen=True):
    """A command as it was given: at that time, in a journal opened then."""

    command: Command
    at_ms: int
    opened: str | None

    @property
    def signed(self) -> Signed:
        """Who gave it, and when by the clock on the wall."""
        return {"by": self.command.by, "at": wall_clock(self.opened, self.at_ms)}


def refusal(one: Standing | None, command: Command, house: Parameters) -> str | None:
    """The word by which the command is refused, or None: it can be carried out."""
    if one is None or one.said is None:
        return "unknown-alert"
    if not one.stands:
        return "closed"
    if command.revision != one.said.revision:
        return "stale"
    if command.command == "acknowledge" and one.acknowledged:
        return "acknowledged"
    if command.command == "shelve" and command.minutes > house.shelve_max_min:
        return "too-long"
    if command.command == "unshelve" and not one.shelved:
        return "not-shelved"
    return None if command.command in _CARRIED_OUT else "unknown-command"


def carried_out(one: Standing, word: Word) -> Standing:
    """The alert as the command has it."""
    return _CARRIED_OUT[word.command.command](one, word)


def _acknowledged(one: Standing, word: Word) -> Standing:
    return replace(one, acknowledged=word.signed)


def _shelved(one: Standing, word: Word) -> Standing:
    back_ms = word.at_ms + word.command.minutes * MINUTE_MS
    shelved: Shelving = {
        "by": word.command.by,
        "until": wall_clock(word.opened, back_ms),
        "reason": word.command.text,
    }
    return replace(one, shelved=shelved, back_ms=back_ms)


def _noted(one: Standing, word: Word) -> Standing:
    return replace(one, note={**word.signed, "text": word.command.text})


def _closed(one: Standing, word: Word) -> Standing:
    if word.command.text:
        one = _noted(one, word)
    verdict = word.command.verdict or UNSET
    return replace(one, verdict=verdict, closed=word.signed, shelved=None, back_ms=None)


_CARRIED_OUT: dict[str, Callable[[Standing, Word], Standing]] = {
    "acknowledge": _acknowledged,
    "close": _closed,
    "shelve": _shelved,
    "unshelve": lambda one, _: unshelved(one),
    "note": _noted,
}
