"""What makes a stream of dealing events well formed, whoever made it."""

from __future__ import annotations

from daemon.table import events as dealing
from daemon.table.cards import DECK
from daemon.table.places import STUB


def check(stream, *, doubles=False):
    """Asserts that times never fall, lines are public events, and no card is in two places."""
    where = dict.fromkeys(DECK, STUB)
    now_ms = 0
    for event in stream:
        assert event.at_ms >= now_ms
        now_ms = event.at_ms
        assert dealing.read(dealing.write(event)) == event
        match event:
            case dealing.CardMoved(card=card, source=source, to=to):
                assert doubles or where[card] == source
                assert source != to
                where[card] = to
            case dealing.CardTurned(card=card, place=place):
                assert where[card] == place
            case dealing.CardExposed(card=str(card), place=place):
                assert where[card] == place
            case dealing.HandStarted() | dealing.CardsCollected() | dealing.DeckChanged():
                where = dict.fromkeys(DECK, STUB)
    assert isinstance(stream[-1], dealing.HandEnded)
