"""What changed from one line of an alert to the next, in terms that a screen has words for.

Pure: two payloads in, the changes out. Anybody at the broker may have written them, so that the
payloads are those of `daemon.floor.forms`, and what is told of them is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from daemon.floor import forms
from daemon.floor.views import Change, Payload

CHANGES_MAX = 40  # of one line: a remedy has some ten steps
TEXT_MAX = 500

_NEW = (
    "state", "level", "acknowledged", "shelved", "closed", "verdict", "note", "superseded_by",
    "remedy_of",
)  # fmt: skip
"""What is told of a first line where it has it; the rest is the alert itself."""

Look = Callable[[Payload, Payload], Iterator[Change]]


def changes(before: Payload | None, after: Payload) -> list[Change]:
    """What `after` says otherwise than `before`; of a first line what was done by then."""
    if before is None:
        before = {key: value for key, value in after.items() if key not in _NEW}
    found = (change for look in _LOOKS for change in look(before, after))
    return [change for change, _ in zip(found, range(CHANGES_MAX), strict=False)]


def _term(key: str) -> Look:
    """A term that stands at this key."""

    def look(before: Payload, after: Payload) -> Iterator[Change]:
        said = forms.words(after, key)
        if said and said != forms.words(before, key):
            yield {"what": key, key: said}

    return look


def _signed(key: str, what: str, *more: str, undone: str = "") -> Look:
    """What somebody did, with his name; `undone` where it stands no more."""

    def look(before: Payload, after: Payload) -> Iterator[Change]:
        said = after.get(key)
        if isinstance(said, dict) and said != before.get(key):
            texts = {name: forms.words(said, name, TEXT_MAX) for name in ("by", *more)}
            yield {"what": what, **texts}
        elif undone and not said and before.get(key):
            yield {"what": undone}

    return look


def _other(key: str, what: str) -> Look:
    """Another alert, of the same table, that this one is named at this key."""

    def look(before: Payload, after: Payload) -> Iterator[Change]:
        said = forms.words(after, key)
        if said and said != forms.words(before, key):
            yield {"what": what, "alert": said}

    return look


def _level(before: Payload, after: Payload) -> Iterator[Change]:
    was, now = forms.number(before, "level") or 1, forms.number(after, "level") or 1
    if now > was:
        yield {"what": "again", "level": now}


def _window(before: Payload, after: Payload) -> Iterator[Change]:
    was, now = _inner(before, "window"), _inner(after, "window")
    if now and (now.get("kind"), now.get("open")) != (was.get("kind"), was.get("open")):
        is_open = now.get("open")
        known = is_open if isinstance(is_open, bool) else None
        yield {"what": "window", "kind": forms.words(now, "kind"), "open": known}


def _steps(before: Payload, after: Payload) -> Iterator[Change]:
    was, now = _remedy(before), _remedy(after)
    if [step for step, _ in was] != [step for step, _ in now]:
        yield {"what": "remedy"}
        was = []
    for number, (step, state) in enumerate(now):
        had = was[number][1] if number < len(was) else "later"
        if state != had:
            yield {"what": "step", "number": number, "step": step, "state": state}


def _doubt(before: Payload, after: Payload) -> Iterator[Change]:
    was, now = (forms.words(_inner(one, "doubt"), "instead") for one in (before, after))
    if now and now != was:
        yield {"what": "doubt", "instead": now}


def _unseen(before: Payload, after: Payload) -> Iterator[Change]:
    if after.get("seen") is False and before.get("seen") is not False:
        yield {"what": "unseen"}


def _inner(said: Payload, key: str) -> Payload:
    found = said.get(key)
    return found if isinstance(found, dict) else {}


def _remedy(said: Payload) -> list[tuple[str, str]]:
    """The steps by their names, each with how it stands."""
    steps = said.get("remedy")
    found = [one for one in steps if isinstance(one, dict)] if isinstance(steps, list) else []
    return [(forms.words(one, "step"), forms.words(one, "state")) for one in found]


_LOOKS: tuple[Look, ...] = (
    _term("state"),
    _other("superseded_by", "superseded"),
    _other("remedy_of", "in_remedy"),
    _level,
    _term("severity"),
    _term("audience"),
    _signed("acknowledged", "acknowledged"),
    _signed("shelved", "shelved", "until", "reason", undone="unshelved"),
    _signed("closed", "closed"),
    _term("verdict"),
    _signed("note", "noted", "text"),
    _window,
    _steps,
    _doubt,
    _unseen,
)
"""In the order in which a screen tells them."""
