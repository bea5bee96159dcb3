"""Every single departure from a short hand, and how the hand goes on when nobody heeds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from daemon.table import events as dealing
from daemon.table.ranking import strength
from tests.exploration.hands import Hand, Row

PLACES = ("board", "burn", "aside", "muck", "off")
BOARD_SIZE = 5
_MOVE_PAUSE_MS = 900


@dataclass(frozen=True, slots=True)
class Departure:
    """What went otherwise than the hand: its kind, the row it is about, the events from there on.

    `rows` are the whole hand with it, `at` the index of the first row that departs. `card`,
    `source` and `to` say what was moved where it does not belong; `detail` is a word more.
    """

    kind: str
    step: str
    at: int
    rows: tuple[Row, ...]
    hand: Hand
    source: str = ""
    to: str = ""
    card: str = ""
    detail: str = ""

    @property
    def name(self) -> str:
        parts = (self.kind, self.step, self.source, self.to, self.detail)
        return " ".join(part for part in parts if part)


def lying(rows: tuple[Row, ...] | list[Row]) -> dict[str, str]:
    """Where each card lies that is out of the stub, in order of arrival."""
    where: dict[str, str] = {}
    for row in rows:
        match row.event:
            case dealing.CardMoved(card=card, to=to):
                where.pop(card, None)
                if to != "stub":
                    where[card] = to
            case dealing.CardsCollected():
                where.clear()
    return where


def gone_on(before: list[Row], rest: tuple[Row, ...]) -> list[Row]:
    """The rest of the hand as it can still be dealt: cards are taken from where they lie."""
    rows = list(before)
    where = lying(rows)
    for row in rest:
        event = row.event
        if isinstance(event, dealing.CardMoved):
            source = where.get(event.card, "stub")
            if event.source == "stub" and source != "stub":  # it is out of the stub already
                continue
            if event.source != "stub" and source in ("stub", event.to):  # not there to be moved
                continue
            event = replace(event, source=source)
            where[event.card] = event.to
        elif isinstance(event, dealing.HandTabled):
            held = [c for c, place in where.items() if place == f"seat:{event.seat}"]
            event = replace(event, cards=tuple(c for c in event.cards if c in held))
            if not held:
                continue
        elif isinstance(event, dealing.PotPushed):
            event = _pushed(event, where, rows)
        elif isinstance(event, dealing.CardsCollected):
            where.clear()
        rows.append(Row(row.name, row.pause_ms, event, row.phase, row.owing))
    return rows


def _pushed(event: dealing.PotPushed, where: dict[str, str], rows: list[Row]) -> dealing.PotPushed:
    """The pot goes to the best hand that was tabled, if a whole board lies there to tell."""
    board = [card for card, place in where.items() if place == "board"]
    tabled = [row.event for row in rows if isinstance(row.event, dealing.HandTabled)]
    value = {one.seat: strength([*one.cards, *board]) for one in tabled if len(one.cards) == 2}
    if len(board) != BOARD_SIZE or not value:
        return event
    return replace(event, seats=tuple(s for s in value if value[s] == max(value.values())))


def every(hand: Hand) -> Iterator[Departure]:
    """All single departures from this hand."""
    yield from of_steps(hand)
    for kind in (_instead, _shown, _carried, _early, _cut_off, _words, _redealt):
        yield from kind(hand)


def of_steps(hand: Hand) -> Iterator[Departure]:
    """A step left out, done twice, exchanged with the next or done at another place."""
    for kind in (_left_out, _twice, _exchanged, _astray):
        yield from kind(hand)


def _left_out(hand: Hand) -> Iterator[Departure]:
    rows = hand.rows
    for at in range(1, len(rows)):
        after = gone_on(list(rows[:at]), rows[at + 1 :])
        yield Departure("left-out", rows[at].name, at, tuple(after), hand)


def _twice(hand: Hand) -> Iterator[Departure]:
    """A word said again; one more card to the same place."""
    rows = hand.rows
    for at in range(1, len(rows)):
        row = rows[at]
        event = row.event
        if isinstance(event, dealing.CardMoved):
            if event.source != "stub":
                continue
            event = replace(event, card=hand.spare[0])
        for pause_ms in (400, 8000):
            again = Row(row.name, pause_ms, event, row.phase, row.owing)
            after = gone_on([*rows[: at + 1], again], rows[at + 1 :])
            late = "late" if pause_ms > 6000 else ""
            yield Departure(
                "twice", row.name, at + 1, tuple(after), hand, card=hand.spare[0], detail=late
            )


def _exchanged(hand: Hand) -> Iterator[Departure]:
    rows = hand.rows
    for at in range(1, len(rows) - 1):
        first, second = rows[at], rows[at + 1]
        after = gone_on([*rows[:at]], (second, first, *rows[at + 2 :]))
        yield Departure("exchanged", first.name, at, tuple(after), hand, detail=second.name)


def _astray(hand: Hand) -> Iterator[Departure]:
    """A draw goes to another place than it should."""
    rows = hand.rows
    seats = [f"seat:{seat}" for seat in (1, 2, 3)]
    for at, row in enumerate(rows):
        event = row.event
        if not isinstance(event, dealing.CardMoved) or event.source != "stub":
            continue
        for to in (*seats, *PLACES):
            if to == event.to:
                continue
            face = "up" if to == "board" else "down"
            by = "dealer" if to == "off" else "unknown"
            moved = replace(event, to=to, face=face, by=by)
            wrong = Row(row.name, row.pause_ms, moved, row.phase, row.owing)
            after = gone_on([*rows[:at], wrong], rows[at + 1 :])
            yield Departure("astray", row.name, at, tuple(after), hand, event.to, to, event.card)


def _instead(hand: Hand) -> Iterator[Departure]:
    """In place of a card of the stub one is dealt that lies elsewhere."""
    rows = hand.rows
    for at, row in enumerate(rows):
        event = row.event
        if not isinstance(event, dealing.CardMoved) or event.source != "stub":
            continue
        by_place = {place: card for card, place in lying(rows[:at]).items()}
        for source, card in by_place.items():
            if source == event.to:
                continue
            moved = replace(event, card=card, source=source)
            wrong = Row(row.name, row.pause_ms, moved, row.phase, row.owing)
            after = gone_on([*rows[:at], wrong], rows[at + 1 :])
            yield Departure("instead", row.name, at, tuple(after), hand, source, event.to, card)


def _shown(hand: Hand) -> Iterator[Departure]:
    """A card dealt face up, or shown by the dealer as it is dealt, that should lie face down."""
    rows = hand.rows
    for at, row in enumerate(rows):
        event = row.event
        drawn = isinstance(event, dealing.CardMoved) and event.source == "stub"
        if not drawn or event.to == "board":
            continue
        up = Row(row.name, row.pause_ms, replace(event, face="up"), row.phase, row.owing)
        after = gone_on([*rows[:at], up], rows[at + 1 :])
        yield Departure(
            "shown",
            row.name,
            at,
            tuple(after),
            hand,
            to=event.to,
            card=event.card,
            detail="face-up",
        )
        key = dealing.CardExposed(at_ms=0, place=event.to, card=event.card, by="dealer")
        shown = Row(row.name, 200, key, row.phase, row.owing)
        after = gone_on([*rows[: at + 1], shown], rows[at + 1 :])
        yield Departure(
            "shown",
            row.name,
            at + 1,
            tuple(after),
            hand,
            to=event.to,
            card=event.card,
            detail="key",
        )


def _carried(hand: Hand) -> Iterator[Departure]:
    """A card lying anywhere is moved to each other place, and nobody minds."""
    rows = hand.rows
    seats = tuple(f"seat:{seat}" for seat in (1, 2, 3))
    for at in range(4, len(rows) - 1):
        where = lying(rows[:at])
        if not where:
            continue
        by_place: dict[str, list[str]] = {}
        for card, place in where.items():
            by_place.setdefault(place, []).append(card)
        for source, cards in by_place.items():
            for card in dict.fromkeys((cards[0], cards[-1])):
                for to in (*seats, *PLACES, "stub"):
                    if to == source:
                        continue
                    move = dealing.CardMoved(
                        at_ms=0, card=card, source=source, to=to,
                        face="up" if source == "board" or to == "board" else "down",
                        by="dealer" if to == "off" else "unknown",
                    )  # fmt: skip
                    near = rows[at]
                    wrong = Row("carried", _MOVE_PAUSE_MS, move, near.phase, near.owing)
                    after = gone_on([*rows[:at], wrong], rows[at:])
                    which = f"{cards.index(card) + 1}/{len(cards)}"
                    yield Departure(
                        "carried", near.name, at, tuple(after), hand, source, to, card, which
                    )


def _early(hand: Hand) -> Iterator[Departure]:
    """A street dealt one or more acts before its round is over, burned or not."""
    rows = hand.rows
    for at, row in enumerate(rows):
        if not row.name.startswith("burn-"):
            continue
        street = row.name.removeprefix("burn-")
        size = 3 if street == "flop" else 1
        dealt = rows[at : at + 1 + size]
        first = at
        while isinstance(rows[first - 1].event, dealing.Acted) or rows[first - 1].name.startswith(
            "muck"
        ):
            first -= 1
            if not isinstance(rows[first].event, dealing.Acted):
                continue
            for burn in (True, False):
                cards = dealt if burn else dealt[1:]
                after = gone_on([*rows[:first], *cards], rows[first:])
                if not burn:
                    after = [r for r in after if r.name != row.name]
                yield Departure(
                    "early", street, first, tuple(after), hand,
                    detail=f"acts {at - first}{'' if burn else ' unburned'}",
                )  # fmt: skip


def _cut_off(hand: Hand) -> Iterator[Departure]:
    """The hand ends early: by its end alone, collected, or with the pot pushed to somebody."""
    rows = hand.rows
    by_name = {row.name: row for row in rows}
    end, collect = by_name["end"], by_name["collect"]
    pushed = by_name["pot"].event
    pot = Row("pot", 3000, pushed, "showdown")
    for at in range(2, len(rows) - 1):
        near = rows[at].name
        for detail, last in (
            ("end", (end,)), ("collect", (collect, end)), ("pot", (pot, collect, end)),
        ):  # fmt: skip
            after = (*rows[:at], *last)
            if after != rows:
                yield Departure("cut-off", near, at, after, hand, detail=detail)


def _words(hand: Hand) -> Iterator[Departure]:
    """What is said out of place: a shuffle, a cut, a key."""
    rows = hand.rows
    said = {
        "shuffle": dealing.DeckShuffled(at_ms=0),
        "cut": dealing.DeckCut(at_ms=0),
        "closed": dealing.BettingClosed(at_ms=0),
        "misdeal": dealing.MisdealDeclared(at_ms=0),
        "collect": dealing.CardsCollected(at_ms=0),
        "floor": dealing.FloorCalled(at_ms=0),
        "premature": dealing.PrematureCalled(at_ms=0),
        "top": dealing.CardExposed(at_ms=0, place="stub", by="dealer", spot="top"),
        "dropped": dealing.StubState(at_ms=0, state="dropped"),
        "disordered": dealing.StubState(at_ms=0, state="disordered"),
    }
    said |= {f"fold {s}": dealing.Acted(at_ms=0, seat=s, action="fold") for s in (1, 2, 3)}
    said |= {f"check {s}": dealing.Acted(at_ms=0, seat=s, action="check") for s in (1, 2, 3)}
    for at in range(1, len(rows)):
        near = rows[at]
        for word, event in said.items():
            extra = Row(word, 700, event, near.phase, near.owing)
            after = gone_on([*rows[:at], extra], rows[at:])
            yield Departure("word", near.name, at, tuple(after), hand, detail=word)


def _redealt(hand: Hand) -> Iterator[Departure]:
    """The cards are gathered while the hand is on, a misdeal called or not, and all is redealt."""
    rows = hand.rows
    words = {
        "collect": (dealing.CardsCollected(at_ms=0),),
        "misdeal": (dealing.MisdealDeclared(at_ms=0), dealing.CardsCollected(at_ms=0)),
    }
    pitched = next(at for at, row in enumerate(rows) if row.kind == "pitch")
    for at in range(pitched + 1, len(rows)):
        near = rows[at]
        if near.kind in ("table", "pot") or _is_won(rows[:at], hand):
            break
        for word, events in words.items():
            said = [Row(word, 900, event, near.phase, near.owing) for event in events]
            after = gone_on([*rows[:at], *said], rows[1:])
            yield Departure("redealt", near.name, at, tuple(after), hand, detail=word)


def _is_won(rows: tuple[Row, ...], hand: Hand) -> bool:
    """Whether all but one have folded."""
    folds = [row for row in rows if getattr(row.event, "action", "") == "fold"]
    return len(folds) >= len(hand.order) - 1
