"""Lines of `log/…` as transitions for the history: each id and revision once, the copy not again.

Surveillance has a copy of every line. One whose own audience is heard too is held back for a few
seconds: where the line itself comes, the copy is nothing; where it does not, it is kept for
surveillance alone, since nobody else was told.
"""

from __future__ import annotations

from collections import OrderedDict

from daemon.floor import forms
from daemon.floor.instant import Instant, moment
from daemon.floor.standing import Copy
from daemon.floor.views import Payload, Transition

HELD_S = 10.0
KNOWN_MAX = 256  # lines of one table that are remembered; the history itself knows them all
HELD_MAX = 1024
COPIED = frozenset({"floor", "maintenance"})
"""Audiences whose lines come under their own name too."""

Name = tuple[str, int]


class Lines:
    """The lines of one table.

    A line that comes long after its copy is told once more, for its own audience.
    """

    def __init__(self, site: str, table: str) -> None:
        self._site = site
        self._table = table
        self._known: OrderedDict[Name, str] = OrderedDict()  # as told to whom
        self._held: OrderedDict[Name, tuple[float, Copy, Instant]] = OrderedDict()

    def take(self, audience: str, copy: Copy, now: Instant) -> list[Transition]:
        """What is to be remembered because this line came under this audience."""
        name = (forms.words(copy.payload, "id"), copy.revision)
        is_copy = audience == "surveillance" and copy.payload.get("audience") in COPIED
        known = self._known.get(name)
        if known is not None and (is_copy or known != "surveillance" or audience == known):
            return []
        if is_copy:
            self._held.setdefault(name, (now.s + HELD_S, copy, now))
            return [self._released()] if len(self._held) > HELD_MAX else []
        self._held.pop(name, None)
        return [self._kept(name, forms.words(copy.payload, "audience"), copy, now)]

    def due(self, now: Instant) -> list[Transition]:
        """The copies whose own line did not come."""
        found = []
        while self._held and next(iter(self._held.values()))[0] <= now.s:
            found.append(self._released())
        return found

    def _released(self) -> Transition:
        name, (_, copy, heard) = self._held.popitem(last=False)
        return self._kept(name, "surveillance", copy, heard)

    def _kept(self, name: Name, audience: str, copy: Copy, heard: Instant) -> Transition:
        self._known[name] = audience
        if len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)
        return _transition(self._site, self._table, audience, copy, heard)


def _transition(site: str, table: str, audience: str, copy: Copy, heard: Instant) -> Transition:
    said: Payload = copy.payload
    acknowledged = forms.who(said, "acknowledged")
    return Transition(
        site=site,
        table=table,
        alert=forms.words(said, "id"),
        revision=copy.revision,
        audience=audience,
        irregularity=forms.words(said, "irregularity"),
        severity=forms.words(said, "severity"),
        state=forms.words(said, "state"),
        hand=forms.words(said, "hand"),
        street=forms.words(said, "street"),
        at=moment(forms.words(said, "at")),
        told=heard.at,
        late=said.get("late") is True,
        acknowledged_by=acknowledged[0] if acknowledged else None,
        acknowledged_at=moment(acknowledged[1]) if acknowledged else None,
        verdict=forms.words(said, "verdict") or None,
        level=forms.number(said, "level") or 1,
        dealer=forms.words(said, "dealer") or None,
        payload=copy.raw,
    )
