"""What people do at their screens: held for a moment, sent to the table, answered, told to all.

A table takes back no acknowledgement, so an act waits here for `undo_s`, while everybody sees who
is doing what and its author may take it back. Nothing here waits or sends: `due` says what is to be
sent now.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2s

from daemon.floor.instant import Instant, iso
from daemon.floor.views import Act, Outcome, Pending, Person
from daemon.orders import ALERT_MAX, MINUTES_MAX, NAME_MAX, TEXT_MAX, Command

UNDO_S = 4.0
UNHEARD_S = 10.0
OPEN_MAX = 256  # acts that wait to be sent or answered
KNOWN_MAX = 2048  # acts of which it is known what became of them
UNCERTAIN = ("unheard", "no-broker")
"""Refused for want of an answer, which may come all the same: then that counts."""

REASONS = (*UNCERTAIN, "offline", "doing", "forbidden", "unknown-alert", "too-late")
"""Why an act may be refused here; the table's own reasons are those of `daemon.orders.ERRORS`."""

NEEDS = {
    "acknowledge": (),
    "close": ("verdict",),
    "shelve": ("minutes", "text"),
    "unshelve": (),
    "note": ("text",),
}
"""Every act, and what must be said with it."""

Gravity = tuple[object, ...]
"""What of an alert must be as it was for an act to be about it still."""

VERDICTS = ("upheld", "none", "other")


@dataclass(frozen=True, slots=True)
class Order:
    """A command for a table, as it goes out; `command.id` is what its answer is told by."""

    site: str
    table: str
    command: Command


@dataclass(frozen=True, slots=True)
class Target:
    """The alert that an act is about, and how grave it was to the one who acted."""

    site: str
    table: str
    alert: str
    gravity: Gravity = ()


@dataclass(frozen=True, slots=True)
class Known:
    """An act and how it stands: of whom, about what, until when that lasts."""

    person: Person
    act: Act
    target: Target
    until: Instant
    outcome: Outcome


class Acts:
    """All acts of all people. An act goes by its person and its id: once more it is the same."""

    def __init__(self, undo_s: float = UNDO_S, unheard_s: float = UNHEARD_S) -> None:
        self._undo_s = undo_s
        self._unheard_s = unheard_s
        self._waiting: OrderedDict[str, Known] = OrderedDict()
        self._sent: OrderedDict[str, Known] = OrderedDict()
        self._over: OrderedDict[str, Known] = OrderedDict()

    def known(self, person: Person, act_id: str) -> Outcome | None:
        """What became of this act until now; None where it is none."""
        found = self._find(order_id(person, act_id))
        return None if found is None else found.outcome

    def take(self, person: Person, act: Act, target: Target, now: Instant) -> Outcome:
        """Take an act about an alert; `pending`, or refused.

        The same act once more has the outcome that it has.
        """
        number = order_id(person, act.id)
        if (found := self._find(number)) is not None:
            return found.outcome
        if (reason := mistake(act, target.alert)) is not None:
            return refused(person, act, reason)
        if (other := self._doing(person, act)) is not None:
            return {**refused(person, act, "doing"), "who": other.person.name}
        if len(self._waiting) + len(self._sent) >= OPEN_MAX:
            return refused(person, act, "busy")
        until = _later(now, self._undo_s)
        known = Known(person, act, target, until, _outcome(person, act, "pending"))
        self._waiting[number] = known
        return known.outcome

    def undo(self, person: Person, act_id: str) -> Outcome:
        """Take it back, where it is his and was not sent yet."""
        number = order_id(person, act_id)
        known = self._waiting.pop(number, None)
        if known is not None:
            return self._ended(number, known, "undone")
        found = self._find(number)
        if found is None:
            return Outcome(
                id=act_id, key="", by=person.name, act="", state="refused", reason="unknown-alert"
            )
        return {**found.outcome, "state": "refused", "reason": "too-late"}

    def pending(self, key: str) -> Pending | None:
        """What somebody has just done about this alert, as long as no table has answered it."""
        for known in self._open():
            if known.act.key == key:
                is_sent = known.outcome["state"] == "sent"
                return Pending(
                    id=known.act.id,
                    act=known.act.act,
                    by=known.person.name,
                    until=None if is_sent else iso(known.until.at),
                )
        return None

    def due(self, now: Instant, *, at_once: bool = False) -> Iterator[Known]:
        """The acts that are to be sent now; with `at_once` all of them. Each is told once."""
        for number, known in list(self._waiting.items()):
            if at_once or known.until.s <= now.s:
                del self._waiting[number]
                sent = replace(
                    known,
                    until=_later(now, self._unheard_s),
                    outcome=_outcome(known.person, known.act, "sent"),
                )
                self._sent[number] = sent
                yield sent

    def order(self, known: Known, revision: int) -> Order:
        """The order of an act that is due, for the alert at this revision."""
        target = known.target
        return Order(target.site, target.table, _command(known, revision))

    def answered(self, number: str, site: str, table: str, *, ok: bool, error: str) -> Known | None:
        """A table has answered the order of this id: the act as it ended.

        None where that was known, or where it was another table that was asked.
        """
        known = self._sent.get(number) or self._over.get(number)
        if known is None or (known.target.site, known.target.table) != (site, table):
            return None
        if self._sent.pop(number, None) is None and known.outcome.get("reason") not in UNCERTAIN:
            return None
        self._ended(number, known, "done" if ok else "refused", "" if ok else error or "malformed")
        return self._over[number]

    def unsent(self, number: str, reason: str = "no-broker") -> Known | None:
        """The order could not be sent, or for another reason nobody will answer it."""
        known = self._sent.pop(number, None)
        if known is None:
            return None
        self._ended(number, known, "refused", reason)
        return self._over[number]

    def unheard(self, now: Instant) -> list[Known]:
        """The acts that no table has answered in time."""
        late = [number for number, known in self._sent.items() if known.until.s <= now.s]
        return [known for number in late if (known := self.unsent(number, "unheard")) is not None]

    def _open(self) -> Iterator[Known]:
        """The acts that no table has answered yet, the newest first."""
        yield from reversed(self._waiting.values())
        yield from reversed(self._sent.values())

    def _doing(self, person: Person, act: Act) -> Known | None:
        """The same done already, at another screen: a table is not to be ordered it twice.

        Notes say different things; the same one twice is a touch too many.
        """
        for other in self._open():
            if (other.act.key, other.act.act) != (act.key, act.act):
                continue
            is_same_note = (other.person.login, other.act.text) == (person.login, act.text)
            if act.act != "note" or is_same_note:
                return other
        return None

    def _find(self, number: str) -> Known | None:
        return self._waiting.get(number) or self._sent.get(number) or self._over.get(number)

    def _ended(self, number: str, known: Known, state: str, reason: str = "") -> Outcome:
        outcome = _outcome(known.person, known.act, state, reason)
        self._over[number] = replace(known, outcome=outcome)
        if len(self._over) > KNOWN_MAX:
            self._over.popitem(last=False)
        return outcome


def order_id(person: Person, act_id: str) -> str:
    """What an act's order goes by: of this person alone, and the same after a restart."""
    return blake2s(
        f"{person.login}\0{act_id}".encode("utf-8", "replace"), digest_size=16
    ).hexdigest()


def refused(person: Person, act: Act, reason: str) -> Outcome:
    """An act that is not taken."""
    return _outcome(person, act, "refused", reason)


def mistake(act: Act, alert: str) -> str | None:
    """The word of what is wrong with an act, before any table has seen it; None for nothing."""
    if act.act not in NEEDS:
        return "unknown-command"
    if len(act.text) > TEXT_MAX or not act.text.isprintable() or len(alert) > ALERT_MAX:
        return "malformed"
    if act.verdict not in ("", *VERDICTS) or not 0 <= act.minutes <= MINUTES_MAX:
        return "malformed"
    if any(not str(getattr(act, name) or "").strip() for name in NEEDS[act.act]):
        return "incomplete"
    return None


def _command(known: Known, revision: int) -> Command:
    act = known.act
    by = "".join(one for one in known.person.name if one.isprintable()).strip()[:NAME_MAX]
    return Command(
        command=act.act,
        alert=known.target.alert,
        revision=revision,
        by=by or known.person.login[:NAME_MAX],
        verdict=act.verdict or None,  # type: ignore[arg-type]  # one of VERDICTS, see mistake
        minutes=act.minutes,
        text=act.text,
        id=order_id(known.person, act.id),
    )


def _outcome(person: Person, act: Act, state: str, reason: str = "") -> Outcome:
    found = Outcome(id=act.id, key=act.key, by=person.name, act=act.act, state=state)
    if reason:
        found["reason"] = reason
    return found


def _later(now: Instant, after_s: float) -> Instant:
    return Instant(now.at + timedelta(seconds=after_s), now.s + after_s)
