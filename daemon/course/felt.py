"""What outlives a hand at the table: where the cards lie, what is sensed, the hand before."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from daemon.table import places
from daemon.table.events import DEFAULT_SENSES, Betting

CARDS_MAX = 200  # two decks and a heap of cards without a name


class Before(Struct, frozen=True):
    """The hand just before: its number, its button, who was dealt in.

    `button_known` is false where its button was misplaced: how that is made good in the next hand
    differs from room to room.
    """

    hand: str
    button: int
    seats: tuple[int, ...]
    button_known: bool = True


class Felt(Struct, frozen=True):
    """What outlives a hand: where cards lie, what the table senses, whether it is open.

    `lies` has every card seen outside the stub, `handled` those moved since the last hand ended,
    `left` those not collected, `absent` those of them that nobody could see when this hand began,
    `ready` what was done to which deck since a card was last drawn ("" where it was not named).
    `before` is the hand just before, `miscounts` how many hands running a count was wrong. `lost`
    are senses gone now, `blind` those gone at some moment of this hand. `decks` are the table's
    own, `change_due` that the deck may be changed: another dealer sat down, or a deck was at fault.
    `dealer` is the key of who deals, as far as it is known.
    """

    lies: dict[str, str] = {}
    handled: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    ready: dict[str, str] = {}
    sees: frozenset[str] = DEFAULT_SENSES
    lost: frozenset[str] = frozenset()
    blind: frozenset[str] = frozenset()
    betting: Betting = Betting()
    state: str = "open"
    before: Before | None = None
    miscounts: int = 0
    decks: tuple[str, ...] = ()
    change_due: bool = False
    dealer: str = ""


def gathered(felt: Felt, left: dict[str, str]) -> Felt:
    """Every card is back in the stub, but those left."""
    lies = {card: places.plain(place) for card, place in left.items()}
    return replace(felt, lies=lies, left=frozenset(lies), handled=felt.handled | frozenset(lies))


def readied(felt: Felt, deck: str | None, how: str) -> Felt:
    """The deck was shuffled or cut."""
    return replace(felt, ready={**felt.ready, deck or "": how})
