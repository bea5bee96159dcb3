"""Nothing of one hand leaks into the next, however the first one went."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from daemon.table.events import (
    CardMoved,
    DeckCounted,
    DeckCut,
    DeckShuffled,
    HandEnded,
    HandStarted,
    SensorBack,
    SensorLost,
    TableState,
)
from tests.laws.line import SOAK, judged, told
from tests.laws.streams import some_hand

PAIRS = 4000 if SOAK else 120
SENSES = ("burn", "board", "cut", "shuffle", "place")


def _named(events, name):
    return [replace(e, hand=name) if isinstance(e, HandStarted) else e for e in events]


def _pair(rng):
    """Two hands one after the other; the first may break off, its senses come back at its end.

    A sense that is back only after `hand-ended` was gone between the hands, when the second one's
    deck was shuffled and cut.
    """
    first, second = some_hand(rng), some_hand(rng, spoilt=0.2)
    before = _named(first.events, "A")
    if rng.random() < 0.5:
        before = before[: rng.randrange(1, len(before))]
    end_ms = before[-1].at_ms
    for at in _ends(before):
        before.insert(at, SensorBack(at_ms=before[at].at_ms, senses=SENSES))
    before += [SensorBack(at_ms=end_ms, senses=SENSES), TableState(at_ms=end_ms, state="open")]
    start_ms = end_ms + rng.choice((0, 1, 500, 3000, 9000)) - second.events[0].at_ms
    after = [replace(e, at_ms=e.at_ms + start_ms) for e in _named(second.events, "B")]
    return before, after, second.betting


def _begins(events):
    return any(isinstance(event, HandStarted) for event in events)


def _begins_clean(events):
    """Whether the hand begins before its first card moves: else that card is the last hand's."""
    kinds = [type(event) for event in events if isinstance(event, HandStarted | CardMoved)]
    return kinds[:1] == [HandStarted]


def _leaves_a_deck_ready(events):
    """Whether no card was drawn since the last shuffle or cut: it may be the next hand's."""
    for event in reversed(events):
        match event:
            case DeckShuffled() | DeckCut():
                return True
            case CardMoved(source="stub"):
                return False
            case _:
                pass
    return False


def _ends(events):
    """Where the last `hand-ended` is, if there is one."""
    return [at for at, event in enumerate(events) if isinstance(event, HandEnded)][-1:]


def _changes_between(before, after):
    """Whether a card moved or a sense was lost between the hands.

    The card stays where it is, and may be the next hand's; so may what was not seen of the deck.
    """
    between = [event for at in _ends(before) for event in before[at:]]
    start = next(at for at, event in enumerate(after) if isinstance(event, HandStarted))
    moves = any(isinstance(event, CardMoved) for event in [*between, *after[:start]])
    return moves or any(isinstance(event, SensorLost) for event in between)


def _is_done_well(event):
    match event:
        case DeckShuffled():
            return event.complete
        case DeckCut():
            return event.complete and event.cut_cards is None and event.cut_card is not False
        case _:
            return False


def _is_said_of_the_first(before, after):
    """Whether what is said of the deck before the second hand falls into the first, still open.

    A shuffle and a cut make the deck ready, whichever hand they come in; that one was not done
    well is said of the hand.
    """
    ended = any(isinstance(event, HandEnded) for event in before)
    start = next(at for at, event in enumerate(after) if isinstance(event, HandStarted))
    return not ended and not all(_is_done_well(event) for event in after[:start])


def _are_both_counted(before, after):
    """Whether a count may be wrong in both hands: two running are what decides it."""
    return all(any(isinstance(e, DeckCounted) for e in events) for events in (before, after))


def test_a_hand_is_judged_as_if_no_other_had_been_before_it():
    judged_pairs = 0
    for number in range(PAIRS):
        before, after, betting = _pair(Random(f"apart/{number}"))
        if not _begins(before) or _leaves_a_deck_ready(before) or not _begins_clean(after):
            continue
        if _changes_between(before, after) or _is_said_of_the_first(before, after):
            continue
        if _are_both_counted(before, after):
            continue
        judged_pairs += 1
        numbers = list(range(1000, 1000 + len(after)))
        alone = judged(after, betting, numbers)
        both = judged(before + after, betting, [*range(len(before)), *numbers])
        start = next(at for at, event in enumerate(after) if isinstance(event, HandStarted))
        for at in range(len(after)):
            lines = [one for one in both.batches[len(before) + at] if b'"hand":"B"' in one]
            story = told(before + after, betting)
            assert lines == alone.batches[at], story
            assert at < start or both.views[len(before) + at] == alone.views[at], story
    assert judged_pairs > 0.8 * PAIRS
