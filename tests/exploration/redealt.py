"""The oracle's word on cards gathered in the middle of a hand, and on a misdeal that is keyed.

Who gathers the cards deals the hand anew. Where nobody does, what was still to come of the first
deal is all that comes of the second, in which nobody has a card unless pitches were still to come.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.table import events as dealing
from tests.exploration.hands import Row
from tests.exploration.ids import PREMATURE, TDA, Verdict, lawful, named
from tests.exploration.seen import Seen

FIRST, LAST = 3, 5  # board cards of the flop, and of a whole board
HAS_CUTS = {"robert-classic", "robert"}  # whose book minds a cut that was left out


def keyed(seen: Seen) -> Verdict:
    """A misdeal is keyed and the hand is played on: once it was called, nothing is judged (2.0)."""
    in_time = seen.pitched and not seen.over and not _is_late(seen)
    return _unfounded(seen) if in_time else lawful("called")


def gathered(seen: Seen) -> Verdict:
    """The cards are gathered, and the hand is dealt on as if nothing were."""
    if not seen.pitched:
        return lawful("nothing-dealt")
    if seen.over or any(row.kind == "table" for row in seen.before):
        return _ended(seen)
    first = lawful("chopped") if is_chop(seen) else redealt(seen)
    second = _second_deal(seen)
    why = "" if first.must or second.must else first.why
    return Verdict(first.must + second.must, second.told, first.may | second.may, why)


def _unfounded(seen: Seen) -> Verdict:
    return named("misdeal-unfounded") if seen.book == TDA else lawful("no-ground-needed")


def is_chop(seen: Seen) -> bool:
    """Whether only the blinds are left, who have not acted, and nobody has put chips in."""
    acts = [row.event for row in seen.before if isinstance(row.event, dealing.Acted)]
    folds = bool(acts) and all(act.action == "fold" for act in acts)
    preflop = seen.phase == "preflop" and not seen.laid
    return preflop and folds and len(seen.live) == 2 and seen.live <= set(seen.near.owing)


def _is_late(seen: Seen) -> bool:
    """Whether there was substantial action: two acts, by TDA 36 three or two with chips."""
    acts = [row.event for row in seen.before if isinstance(row.event, dealing.Acted)]
    return is_substantial(acts, seen.book, least=2)


def is_substantial(acts: list[dealing.Acted], book: str, *, least: int) -> bool:
    """Whether the acts are enough: three by TDA 36, or two with chips; else `least` of them."""
    if book != TDA:
        return len(acts) >= least
    chips = any(act.action in ("call", "bet", "raise") for act in acts)
    return len(acts) >= 3 or (len(acts) == 2 and chips)


def _ended(seen: Seen) -> Verdict:
    """Once the hand is decided, or hands lie open, gathering the cards is its end."""
    shown = {row.event.seat for row in seen.before if isinstance(row.event, dealing.HandTabled)}
    hidden = seen.book == TDA and seen.run_out and not seen.live <= shown
    if hidden and any(row.kind == "burn-flop" for row in seen.after):
        return named("showdown-allin-not-tabled")
    return lawful("ended")


def redealt(seen: Seen) -> Verdict:
    """The cards are gathered, and the whole hand is dealt anew as it should be."""
    return named("remedy-misdeal-too-late") if _is_late(seen) else _unfounded(seen)


@dataclass(slots=True)
class _Deal:
    """The second deal: who is in, who owes in which order, what lies on the board.

    `behind` are the acts behind the seat that is due, `skipped` that there were enough of them.
    """

    book: str
    seats: tuple[int, ...]
    order: list[int]
    live: set[int]
    owing: set[int]
    broke: set[int] = field(default_factory=set)
    laid: int = 0
    burned: bool = False
    acts: int = 0
    behind: list[dealing.Acted] = field(default_factory=list)
    skipped: bool = False

    @classmethod
    def to(cls, seen: Seen) -> _Deal:
        seats = seen.order
        blinds = 2 if len(seats) > 2 else 1  # heads-up the button is the small blind
        order = [*seats[blinds:], *seats[:blinds]]
        return cls(seen.book, seats, order, set(seats), set(seats))

    @property
    def street(self) -> str:
        """The street that is to come."""
        return "flop" if self.laid < FIRST else "turn" if self.laid == FIRST else "river"

    def act(self, act: dealing.Acted) -> None:
        self.acts += 1
        owed = [seat for seat in self.order if seat in self.owing]
        if act.seat in owed[:1]:  # in turn: whoever sits behind it is due next
            at = self.order.index(act.seat) + 1
            self.order = [*self.order[at:], *self.order[:at]]
            self.behind = []
        else:
            self.behind.append(act)
        self.owing.discard(act.seat)
        if is_substantial(self.behind, self.book, least=3):
            self.skipped = True  # those who were passed over face the blind: their turn is lost
            first = min(self.order.index(act.seat) for act in self.behind)
            self.owing -= set(self.order[:first])
        if act.action == "fold":
            self.live.discard(act.seat)
        if act.all_in:
            self.broke.add(act.seat)
        if act.action in ("bet", "raise"):
            self.owing = self.live - self.broke - {act.seat}

    def lay(self) -> None:
        self.laid += 1
        if self.laid >= FIRST:
            able = self.live - self.broke
            self.owing = set(able) if len(able) > 1 else set()
            self.order, self.behind, self.burned = [*self.seats], [], False


def _second_deal(seen: Seen) -> Verdict:
    """The first fault of the second deal; what follows from it is its aftermath."""
    pitches = [row for row in seen.after if row.kind == "pitch"]
    if pitches and pitches[0].event.to != f"seat:{seen.order[0]}":
        return named("deal-wrong-first-seat")
    deal = _Deal.to(seen)
    found = lawful("unpitched")
    for row in seen.after[1:]:
        fault = _fault(deal, row, one_card=bool(pitches))
        if fault is not None or len(deal.live) < 2:
            found = fault or found
            break
    also = ["cut-skipped"] if pitches and seen.book in HAS_CUTS else []
    also += ["player-skipped"] if deal.skipped else []
    must = tuple(frozenset([name]) for name in also)
    return Verdict(must + found.must, found.told, found.may, found.why)


def _fault(deal: _Deal, row: Row, *, one_card: bool) -> Verdict | None:
    """What this event of the second deal is, if it is a fault; the deal goes on by it otherwise."""
    match row.event:
        case dealing.Acted() as act:
            if 0 < deal.laid < FIRST:
                return named("flop-undercount")
            deal.act(act)
        case dealing.CardMoved(to="burn"):
            if one_card:  # the deal is over, and everybody has half a hand
                late = deal.acts >= 2
                return named("hand-wrong-count-after-window" if late else "deal-too-few-cards")
            if 0 < deal.laid < FIRST:
                return named("flop-undercount")
            deal.burned = True
        case dealing.CardMoved(to="board"):
            return _board(deal)
        case dealing.PotPushed():
            missing = deal.laid < LAST and not deal.owing
            return named("street-skipped") if missing else None
    return None


def _board(deal: _Deal) -> Verdict | None:
    starts = deal.laid in (0, FIRST, FIRST + 1)
    if starts and deal.owing:
        told = frozenset({f"{deal.street}-premature"})
        return Verdict((PREMATURE,), told, frozenset({"burn-premature"}))
    if starts and not deal.burned:
        return named(f"{deal.street}-no-burn")
    if deal.book == TDA and starts and len(deal.live - deal.broke) < 2:  # nobody has a hand to show
        return named("showdown-allin-not-tabled")
    deal.lay()
    return None
