"""Who may know which card, worked out from the law alone; and the exchange of all the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from daemon.table import events as dealing
from daemon.table.cards import DECK
from daemon.table.places import plain, seat_of

BOARD_PUBLIC_MS = 2000
FLOP_SIZE = 3


@dataclass(slots=True)
class Epoch:
    """From one shuffle to the next: which cards were seen by all, which lay outside at its end."""

    start: int
    public: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)


class Publicity:
    """What the players around the table have seen; a shuffle begins an epoch.

    A card is public from the moment it is face up on the board, tabled or exposed, until it goes
    into a stub that is shuffled. A board card of unknown face is so two seconds after its street is
    complete or at the next act, if it came from the stub and still lies there. Hands tabled by key
    count when the pot is pushed.
    """

    def __init__(self, stream):
        self.epochs = [Epoch(0)]
        self.doubled = False
        self._lies: dict[str, str] = {}
        self._moved: set[str] = set()
        self._left: set[str] = set()
        self._unturned: dict[str, int | None] = {}
        self._keyed: dict[int, set[str]] = {}
        self._told: list[dealing.DealingEvent] = []
        self._count = 0
        for event in stream:
            self.take(event)

    def take(self, event):
        """One more event."""
        self.pass_time(event.at_ms)
        self._take(event, self._count)
        self._count += 1
        if not isinstance(event, dealing.Retracted):
            self._told.append(event)

    @property
    def ever(self):
        return set().union(*(epoch.public for epoch in self.epochs))

    @property
    def now(self):
        """What all have seen since the last shuffle."""
        return self.epochs[-1].public

    def place(self, card):
        """Where the card lies."""
        return self._lies.get(card, "stub")

    def lying(self, seat):
        """The cards of a seat."""
        return {card for card, place in self._lies.items() if seat_of(place) == seat}

    def _see(self, *cards):
        self.epochs[-1].public.update(cards)
        for card in cards:
            self._unturned.pop(card, None)

    def pass_time(self, now_ms):
        """Nothing happens until then."""
        for card, since_ms in list(self._unturned.items()):
            if since_ms is not None and now_ms >= since_ms + BOARD_PUBLIC_MS:
                self._see(card)

    def _take(self, event, at):
        match event:
            case dealing.CardMoved():
                self._move(event)
            case dealing.CardTurned(card=card, face="up") | dealing.CardBoxed(card=card):
                self._see(card)
            case dealing.CardTurned(card=card):
                self._unturned.pop(card, None)
            case dealing.CardExposed(card=str(card), sure=True):
                self._see(card)
            case dealing.HandTabled(seat=seat, cards=cards):
                self._see(*cards)
                self._keyed.setdefault(seat, set()).update(self.lying(seat))
            case dealing.PotPushed():
                self._see(*set().union(*self._keyed.values()))
            case dealing.Acted():
                self._see(*list(self._unturned))
            case _:
                self._change(event, at)

    def _change(self, event, at):
        """What changes the stub as a whole."""
        match event:
            case dealing.CardIdentified(card=old, identity=new):
                self._name(old, new)
            case dealing.CardsCollected(left=left):
                self._left = set(left)
                self._gather({card: plain(place) for card, place in left.items()})
            case dealing.HandStarted():
                outside = self._moved | self._left
                self._gather({c: p for c, p in self._lies.items() if c in outside})
                self._left = set()
            case dealing.HandEnded():
                self._moved = set()
            case dealing.DeckShuffled():
                self._begin(at, set(self._lies))
            case dealing.DeckChanged():
                self._lies, self._keyed = {}, {}
                self._begin(at, set())
            case dealing.Retracted(of=kind):
                # Cards that never came in, or never moved, may be two of a kind after all.
                moved = kind in ("cards-collected", "card-moved", "deck-shuffled")
                self.doubled = self.doubled or moved
                self._undo(kind, event.at_ms)
            case _:
                pass

    def _name(self, old, new):
        """A card without a name gets one: who saw the one has seen the other."""
        if new in self._lies:
            self.doubled = True
            return
        for known in (self._lies, self._unturned):
            if old in known:
                known[new] = known.pop(old)
        for cards in (self.epochs[-1].public, *self._keyed.values()):
            if old in cards:
                cards.add(new)
        self._moved.add(new)

    def _undo(self, kind, now_ms):
        """The last event of that kind in the hand never was; what was seen by then stays seen."""
        for at in range(len(self._told) - 1, -1, -1):
            if isinstance(self._told[at], dealing.HandStarted | dealing.HandEnded):
                return
            if dealing.name_of(self._told[at]) == kind:
                break
        else:
            return
        del self._told[at]
        without = Publicity(self._told)
        without.pass_time(now_ms)
        self.epochs[-1].public |= without.epochs[-1].public
        self._lies, self._moved, self._left = without._lies, without._moved, without._left
        self._unturned, self._keyed = without._unturned, without._keyed

    def _gather(self, left):
        self._lies = left
        self._unturned, self._keyed = {}, {}

    def _begin(self, at, outside):
        before = self.epochs[-1]
        before.outside = outside
        self.epochs.append(Epoch(at + 1, before.public & outside))

    def _move(self, event):
        card, source, to = event.card, plain(event.source), plain(event.to)
        lay_at = self._lies.get(card, "stub")
        # Two of a card, or one that comes from where it cannot be: its name says too little.
        strange = lay_at != "stub" if source == "stub" else lay_at == "stub"
        self.doubled = self.doubled or strange
        self._moved.add(card)
        self._lies.pop(card, None)
        if to != "stub":
            self._lies[card] = to
        if to != "board" and not (strange and source == "stub"):  # the first of two lies on
            self._unturned.pop(card, None)
        if event.face == "up":
            self._see(card)
        elif event.face == "unknown" and (source, to) == ("stub", "board"):
            self._unturned |= {card: None} if card not in self.epochs[-1].public else {}
        if to == "board":
            self._complete(event.at_ms)
        seat = seat_of(source)
        if seat in self._keyed and to in ("board", "aside"):
            self._see(card)

    def _complete(self, at_ms):
        """What lies there, face up or not, is a whole street: its cards will be seen soon."""
        if sum(place == "board" for place in self._lies.values()) >= FLOP_SIZE:
            self._unturned = {c: at_ms if ms is None else ms for c, ms in self._unturned.items()}


def exchanged(stream, rng, publicity=None):
    """The stream with all cards that are never public exchanged; anew after each shuffle."""
    publicity = publicity or Publicity(stream)
    naming = _whole(publicity, rng) if publicity.doubled else _by_epochs(publicity, rng)
    changed, at = [], 0
    for number, event in enumerate(stream):
        while at + 1 < len(naming) and publicity.epochs[at + 1].start <= number:
            at += 1
        changed.append(renamed(event, naming[at]))
    return changed


def _whole(publicity, rng):
    hidden = [card for card in DECK if card not in publicity.ever]
    return [dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))] * len(publicity.epochs)


def _by_epochs(publicity, rng):
    """A permutation for each epoch; a card that stays outside the stub keeps its new name."""
    epochs = publicity.epochs
    fixed = [set(epoch.public) for epoch in epochs]
    for at in range(len(epochs) - 2, -1, -1):
        fixed[at] |= epochs[at].outside & fixed[at + 1]
    never = [card for card in DECK if card not in publicity.ever]
    naming, kept = [], {}
    for at, epoch in enumerate(epochs):
        names = dict(kept)
        stay = [card for card in DECK if card in epoch.outside - fixed[at] and card not in names]
        taken = set(names.values())
        images = [card for card in never if card not in taken]
        names |= zip(stay, rng.sample(images, min(len(stay), len(images))), strict=False)
        rest = [card for card in DECK if card not in names and card not in fixed[at]]
        taken = set(names.values()) | fixed[at]
        free = [card for card in DECK if card not in taken]
        names |= zip(rest, rng.sample(free, len(free)), strict=True)
        naming.append(names)
        kept = {card: names[card] for card in epoch.outside if card in names}
    return naming


def renamed(event, names):
    """The event with its cards under other names."""
    changes = {}
    for name in ("card", "identity"):
        card = getattr(event, name, None)
        if card in names:
            changes[name] = names[card]
    if getattr(event, "cards", None):
        changes["cards"] = tuple(names.get(card, card) for card in event.cards)
    if getattr(event, "left", None):
        changes["left"] = {names.get(card, card): place for card, place in event.left.items()}
    return replace(event, **changes) if changes else event
