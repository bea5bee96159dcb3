"""Dealing events as lines of text: each read, checked, and refused with the field that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import get_args

import msgspec
from msgspec import inspect

from daemon.table.cards import is_known
from daemon.table.events import CardIdentified, DealingEvent, HandStarted, TableBegan, read
from daemon.table.places import SEATS_MAX, seat_of

LINE_BYTES_MAX = 1 << 16

# What is wrong, in our words: the library's may repeat what was written, which may be a card.
_WRONG = {
    "event": "is not a known event",
    "at_ms": "must be a whole number of milliseconds from 0 to 10000000000000",
    "card": "must be a card such as Td, or ?7 for one without a name",
    "is": "must be a card such as Td",
    "from": "must be a place such as stub, seat:4, board, burn, aside, muck or off",
    "to": "must be a place such as stub, seat:4, board, burn, aside, muck or off",
    "place": "must be a place such as stub, seat:4, board, burn, aside, muck or off",
    "seat": "must be a seat from 1 to 10",
    "button": "must be a seat from 1 to 10",
    "seats": "must be seats from 1 to 10",
    "hand": "must be 1 to 32 letters, digits, dots, underscores or hyphens",
}
_MISSING = re.compile(r"missing required field `(\w+)`")
_PATH = re.compile(r"(?:at|in) `\$\.?([^`]*)`")
_EXPECTED = re.compile(r"Expected `([^`]*)`(?: (>=|<=) (-?\d+))?")
_BOUNDS = {">=": "at least", "<=": "at most"}


class LineError(ValueError):
    """A line that is no dealing event here: the field (or "") and what is wrong with it."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(f"{field}: {what}" if field else what)


class LineReader:
    """Reads one stream of lines; knows the table's seats and that time never runs backwards."""

    def __init__(self) -> None:
        self._at_ms = 0
        self._seat_count = 10

    def take(self, line: bytes) -> DealingEvent | None:
        """The event of this line, None for an empty one; raises LineError."""
        if len(line) > LINE_BYTES_MAX:
            raise LineError("", f"is longer than {LINE_BYTES_MAX} bytes")
        if not line.strip():
            return None
        event = _decoded(line)
        if isinstance(event, TableBegan):
            self._seat_count = event.seat_count
        elif event.at_ms < self._at_ms:
            raise LineError("at_ms", f"{event.at_ms} after {self._at_ms}: time runs backwards")
        self._at_ms = 0 if isinstance(event, TableBegan) else event.at_ms
        _check(event, self._seat_count)
        return event


def _decoded(line: bytes) -> DealingEvent:
    try:
        return read(line)
    except msgspec.ValidationError as error:
        raise _told(str(error), line) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise LineError("", "is not a line of JSON in UTF-8") from None
    except RecursionError:
        raise LineError("", "is nested too deeply") from None


def _told(message: str, line: bytes) -> LineError:
    missing = _MISSING.search(message)
    found = _PATH.search(message)
    where = found.group(1) if found else ""
    if missing:
        field = missing.group(1)
        return LineError(f"{where}.{field}" if where else field, "is missing")
    name = re.split(r"[.\[]", where)[0]
    if name in _WRONG:
        return LineError(where, _WRONG[name])
    expected = _EXPECTED.search(message)
    if expected and not where:
        return LineError("", "is not an object")
    if expected is None:
        path = re.sub(r"\[[^]]*\]", "", where)
        known = ", ".join(_CHOICES.get((_event_of(line), path), ()))
        return LineError(where, f"must be one of {known}" if known else "is not a known value")
    kind, sign, bound = expected.groups()
    return LineError(where, f"must be {_BOUNDS[sign]} {bound}" if sign else f"must be {kind}")


def _event_of(line: bytes) -> str:
    """The name of a line's event, where it is JSON but no event of ours."""
    found = msgspec.json.decode(line)
    return str(found.get("event", "")) if isinstance(found, dict) else ""


def _choices() -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """The words a field may have, by the event's name and the field's, where they are few."""
    for kind in inspect.multi_type_info(get_args(DealingEvent)):
        if isinstance(kind, inspect.StructType):
            for path, words in _fields(kind):
                yield (str(kind.tag), path), words


def _fields(kind: inspect.StructType) -> Iterator[tuple[str, tuple[str, ...]]]:
    for field in kind.fields:
        name = field.encode_name
        if isinstance(field.type, inspect.StructType):
            yield from ((f"{name}.{path}", words) for path, words in _fields(field.type))
        elif words := _words(field.type):
            yield name, words


def _words(kind: inspect.Type) -> tuple[str, ...]:
    match kind:
        case inspect.LiteralType(values):
            return tuple(str(value) for value in values)
        case inspect.UnionType(types):
            return tuple(word for one in types for word in _words(one))
        case inspect.VarTupleType(item_type):
            return _words(item_type)
        case _:
            return ()


_CHOICES = dict(_choices())


def _check(event: DealingEvent, seat_count: int) -> None:
    """What one field alone cannot tell."""
    match event:
        case TableBegan(opened=str(opened)) if not _is_time(opened):
            raise LineError("opened", "must be a time such as 2026-11-29T20:13:31Z")
        case HandStarted():
            _check_hand(event)
        case CardIdentified() if is_known(event.card):
            raise LineError("card", "must be a card without a name, such as ?7")
        case CardIdentified() if not is_known(event.identity):
            raise LineError("is", _WRONG["is"])
        case _:
            pass
    if seat_count < SEATS_MAX:  # beyond that no seat can be named at all
        _check_seats(event, seat_count)


def _check_seats(event: DealingEvent, seat_count: int) -> None:
    for field, attribute in _SEAT_FIELDS.items():
        seats = _seats(getattr(event, attribute, None))
        if max(seats, default=0) > seat_count:
            raise LineError(field, f"{max(seats)} is beyond the table's {seat_count} seats")


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


# Where an event names seats: the field, and the attribute that holds it.
_SEAT_FIELDS = {
    **{name: name for name in ("seat", "button", "small_blind", "big_blind", "seats", "to")},
    **{name: name for name in ("blinds", "antes", "straddles", "left", "place")},
    "from": "source",
}


def _seats(value: object) -> list[int]:
    """The seats that a field's value names."""
    match value:
        case int():
            return [value]
        case str():
            return [seat_of(value) or 0]
        case tuple():
            return [seat for seat in value if isinstance(seat, int)]
        case dict():
            keys = [int(key) for key in value if key.isdigit()]
            return keys + [seat for item in value.values() for seat in _seats_of_place(item)]
        case _:
            return []


def _seats_of_place(value: object) -> list[int]:
    return [seat_of(value) or 0] if isinstance(value, str) else []


def _check_hand(event: HandStarted) -> None:
    if len(set(event.seats)) < len(event.seats):
        raise LineError("seats", "names a seat twice")
    if event.deal_order and sorted(event.deal_order) != sorted(event.seats):
        raise LineError("deal_order", "must have the same seats as `seats`, each once")
    for field in ("dead_seats", "all_in"):
        strange = set(getattr(event, field)) - set(event.seats)
        if strange:
            raise LineError(field, f"{min(strange)} is not one of `seats`")
