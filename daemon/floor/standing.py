"""One alert as the floor has heard it: under which audiences, since when, and what was done since.

Surveillance has a copy of everything, so an alert may stand under two audiences: who may hear only
of one sees only what was said there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from daemon.floor import forms
from daemon.floor.views import ActSeen, Payload

ACTS_MAX = 200
TOLD_ACTS_MAX = 60  # of one hand that are looked at: a table tells the last 40


@dataclass(frozen=True, slots=True)
class Copy:
    """What was said of an alert under one audience: the bytes, and what is in them."""

    raw: bytes
    payload: Payload

    @property
    def revision(self) -> int:
        """Of two, the higher counts."""
        return forms.number(self.payload, "revision") or 0


@dataclass(slots=True)
class Standing:
    """An alert that stands, or did lately.

    `received` is when it was heard of first; what was `found` standing then is older. `copies` has
    the last of each audience, `under` those at which it stands, each with the connection on which
    that was heard last; `gone_s` is when it stood no more. `fresh` are those of its `acts` that
    nobody has been told of yet.
    """

    site: str
    table: str
    id: str
    received: datetime
    found: bool = False
    copies: dict[str, Copy] = field(default_factory=dict)
    under: dict[str, int] = field(default_factory=dict)
    acts: list[ActSeen] = field(default_factory=list)
    fresh: list[ActSeen] = field(default_factory=list)
    known: set[tuple[int, int | None, str]] = field(default_factory=set)  # the same, to look up
    hand_on: bool | None = None  # whether its hand goes on; None before it was heard of
    gone_s: float | None = None
    is_shown: bool = False  # whether any screen was ever told of it

    @property
    def key(self) -> str:
        """Its name among all."""
        return f"{self.site}/{self.table}/{self.id}"

    @property
    def weight(self) -> int:
        """Bytes that its copies take; what two of them share counts once."""
        return sum(len(raw) for raw in {copy.raw for copy in self.copies.values()})

    def latest(self, audiences: Collection[str], *, stands: bool = True) -> Copy | None:
        """What was said last under one of these audiences; None where nothing was.

        With `stands` only where it stands there.
        """
        found = [
            copy
            for audience, copy in self.copies.items()
            if audience in audiences and (audience in self.under or not stands)
        ]
        return max(found, key=lambda copy: copy.revision, default=None)

    def told(self, audience: str, copy: Copy) -> bool:
        """Take what was said; whether it is news. An older revision than the one known is not."""
        before = self.copies.get(audience)
        if before is not None and copy.revision < before.revision:
            return False
        same = (one for one in self.copies.values() if one.raw == copy.raw)
        self.copies[audience] = next(same, copy)
        return before is None or before.raw != copy.raw

    def is_copied(self, audience: str) -> bool:
        """Whether this is surveillance's copy of what it sees under another audience already."""
        own = self.copies.get(audience)
        others = (self.copies[each] for each in self.under if each != audience)
        return audience == "surveillance" and any(each is own for each in others)

    def follow(self, hand: Payload | None, acts: Iterable[ActSeen]) -> bool:
        """Keep the acts of its hand since the fault; whether there are more of them.

        `hand` is the hand as it stands, `acts` those of it that are known (`acts_of`).
        """
        newest = self.latest(self.copies, stands=False)
        if self.hand_on is False or newest is None or hand is None:
            return False
        if hand.get("hand") != newest.payload.get("hand"):
            # an alert may come before the hand that it is about
            self.hand_on = None if self.hand_on is None else False
            return False
        self.hand_on = True
        since_ms = forms.number(newest.payload, "at_ms")
        if since_ms is None or len(self.acts) >= ACTS_MAX:
            return False
        for act in acts:
            name = (act["at_ms"], act["seat"], act["act"])
            if act["at_ms"] >= since_ms and name not in self.known and len(self.acts) < ACTS_MAX:
                self.known.add(name)
                self.acts.append(act)
                self.fresh.append(act)
        return bool(self.fresh)

    def told_acts(self) -> list[ActSeen]:
        """The acts that are news, which they are no more then."""
        told, self.fresh = self.fresh, []
        return told


def acts_of(hand: Payload | None) -> list[ActSeen]:
    """The last acts that a hand tells; those without a time are none."""
    found: list[ActSeen] = []
    for act in ((hand or {}).get("acts") or ())[-TOLD_ACTS_MAX:]:
        at_ms, word = forms.number(act, "at_ms"), forms.words(act, "act")
        if at_ms is not None and word:
            found.append(ActSeen(at_ms=at_ms, seat=forms.number(act, "seat"), act=word))
    return found
