"""Dealing events as lines of text: each read, checked, and refused with the field that is wrong."""

from __future__ import annotations

import re

import msgspec

from daemon.table.cards import is_known
from daemon.table.events import CardIdentified, DealingEvent, HandStarted, TableBegan, read
from daemon.table.places import seat_of

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
        raise _told(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise LineError("", "is not a line of JSON in UTF-8") from None
    except RecursionError:
        raise LineError("", "is nested too deeply") from None


def _told(message: str) -> LineError:
    missing = _MISSING.search(message)
    path = _PATH.search(message)
    where = path.group(1) if path else ""
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
        return LineError(where, "is not a known value")
    kind, sign, bound = expected.groups()
    return LineError(where, f"must be {_BOUNDS[sign]} {bound}" if sign else f"must be {kind}")


def _check(event: DealingEvent, seat_count: int) -> None:
    """What one field alone cannot tell."""
    match event:
        case HandStarted():
            _check_hand(event)
        case CardIdentified() if is_known(event.card):
            raise LineError("card", "must be a card without a name, such as ?7")
        case CardIdentified() if not is_known(event.identity):
            raise LineError("is", _WRONG["is"])
        case _:
            pass
    for field, attribute in _SEAT_FIELDS.items():
        seats = _seats(getattr(event, attribute, None))
        if max(seats, default=0) > seat_count:
            raise LineError(field, f"{max(seats)} is beyond the table's {seat_count} seats")


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
