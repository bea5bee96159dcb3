"""The oracle's word on a card that goes where it does not belong, or is carried off."""

from __future__ import annotations

from daemon.table.places import seat_of
from tests.exploration.hands import Row
from tests.exploration.ids import (
    EXTRA,
    GONE_MS,
    ORDER,
    OVER,
    SECOND_CARD_COUNTS,
    SHORT,
    SWEEP_MS,
    Verdict,
    lawful,
    named,
)
from tests.exploration.seen import Seen, folded

# A hand of one card that is folded soon, if its seat acts or is dealt to before that.
_LATE = frozenset({"deal-too-few-button", "hand-wrong-count-after-window"})


def missing(seen: Seen, name: str) -> Verdict:
    """The step of that name was not done."""
    kind = name.partition("@")[0]
    if kind.startswith("pitch"):
        first, last = f"pitch1@{seen.order[0]}", f"pitch2@{seen.order[-1]}"
        if name == first:
            return named("deal-wrong-first-seat")
        return named("deal-too-few-button" if name == last else "deal-out-of-sequence")
    if kind.startswith("burn-"):
        return named(f"{kind.removeprefix('burn-')}-no-burn")
    if kind.startswith(
        "flop"
    ):  # in a run-out the next card is the flop's, and one lacks at the end
        return named("flop-undercount", *["street-skipped"] * seen.run_out)
    if kind == "turn4":
        return named("turn-multiple-burns", "street-skipped")
    return named("street-skipped")


# -- a card to the wrong place -------------------------------------------------------------------


def _exposed(seen: Seen, card: str) -> str:
    """What a hole card shown by the dealer is called, by its place in the order of the deal."""
    drawn = [r.event.card for r in seen.departure.hand.rows if r.kind == "pitch"]
    place = drawn.index(card)
    if place == 0:
        return "deal-first-card-exposed"
    second = place == 1 and seen.book in SECOND_CARD_COUNTS
    return "deal-second-card-exposed" if second else "deal-single-card-exposed"


def _off_table(seen: Seen, card: str) -> str:
    name = _exposed(seen, card)
    return "deal-card-off-table" if name == "deal-single-card-exposed" else name


def astray(seen: Seen) -> Verdict:
    row, to = seen.row, seen.departure.to
    assert row is not None
    seat = seat_of(to)
    if row.kind == "pitch":
        return _pitch_astray(seen, row, to, seat)
    street = row.kind.removeprefix("burn-")
    first_burn = row.name == "burn-flop"
    many: list[frozenset[str]] = []
    if seat is not None and seat in seen.live:
        many = [EXTRA | {"hand-wrong-count-after-window", "deal-replacement-undue"}]
    elif seat is not None and seat not in seen.order and first_burn:
        many = [frozenset({"deal-unentitled-seat"})]
    if row.name.startswith("burn-"):
        if to == "board":
            return named({f"{street}-no-burn", f"{street}-overcount"}, may=OVER)
        sm3 = {"deal-extra-card-first-player"} if first_burn and seat else set()
        return named({f"{street}-no-burn", *sm3}, *many)
    if to == "burn":
        rest = missing(seen, row.name).must
        if street != "flop":
            return named({f"{street}-multiple-burns"}, *rest)
        # The short flop says it, the burn beside it may; and one too many has the turn dealt again,
        # which hides the last one.
        return named(*rest[:1], may={"flop-multiple-burns", "turn-multiple-burns"}.union(*rest[1:]))
    return named(*missing(seen, row.name).must, *many)


def _pitch_astray(seen: Seen, row: Row, to: str, seat: int | None) -> Verdict:
    first = row.name == f"pitch1@{seen.order[0]}"
    if to == "off":
        return named(_off_table(seen, seen.departure.card))
    if seat is not None and seat not in seen.order:
        return named("deal-unentitled-seat")
    if seat is not None:
        full = list(seen.where.values()).count(to) == 2
        return named("deal-wrong-first-seat" if first else EXTRA if full else ORDER)
    if to in ("board", "burn"):
        return named(ORDER | SHORT, *_after_last_pitch(seen, row, to))
    return missing(seen, row.name)


def _after_last_pitch(seen: Seen, row: Row, to: str) -> list[frozenset[str]]:
    """The last pitch went to burns or board: it ended the deal, and comes before any act."""
    if row.name != f"pitch2@{seen.order[-1]}":
        return []
    if to == "board":
        return [frozenset({"flop-premature-partial"})]
    flop = {row.name for row in seen.after} & {"flop1"}
    return [frozenset({"burn-premature"}), *[frozenset({"flop-multiple-burns"})] * len(flop)]


def instead(seen: Seen) -> Verdict:
    row, source = seen.row, seen.departure.source
    assert row is not None
    if row.kind == "pitch":
        donor = seat_of(source)
        folds = set(folded(seen.after))
        if donor in folds or len(seen.live - folds) < 2:
            return lawful("folded-first", *ORDER, *_LATE)
        return named(ORDER | SHORT)
    donor = seat_of(source)
    folds = donor is not None and donor in folded(seen.after)
    if row.name.startswith("burn-"):
        street = row.kind.removeprefix("burn-")
        may = {"board-card-withdrawn", "street-skipped"} if source == "board" else set()
        if street == "flop" and donor is not None:  # SM-1: as an exposed card would go
            # It goes to the muck with the rest of its hand, if that is folded.
            return named("deal-replacement-undue", may={"burn-lost-in-muck"} if folds else ())
        return named(f"{street}-no-burn", may=may)
    if source == "burn":
        return missing(seen, row.name)
    if donor is not None and seen.run_out:  # a hand is laid beside the board
        return missing(seen, row.name)
    return named("board-from-muck", may={"board-destroyed"} if folds else ())


def shown(seen: Seen) -> Verdict:
    row = seen.row
    assert row is not None
    if row.kind == "pitch":
        return named(_exposed(seen, seen.departure.card))
    return named("burn-exposed")


# -- a card carried off --------------------------------------------------------------------------


def carried(seen: Seen) -> Verdict:
    source, to = seen.departure.source, seen.departure.to
    kind = "seat" if seat_of(source) is not None else source
    return _CARRIED[kind](seen, "seat" if seat_of(to) is not None else to)


def _from_seat(seen: Seen, to: str) -> Verdict:
    seat = seat_of(seen.departure.source)
    owed = _streets_to_come(seen)
    before_burn = "burn-flop" not in seen.dealt
    if to == "off" and "pot" not in seen.dealt and seat in seen.live:
        if not seen.over and before_burn:
            return named(_off_table(seen, seen.departure.card))
        return named("hand-card-dropped") if len(seen.live) > 1 else lawful("over")
    if seen.over:
        return lawful("over")
    if seat not in seen.live:
        mixed = to == "stub" and owed and not before_burn
        return named("stub-mixed-with-muck") if mixed else lawful("not-live")
    if to == "seat":
        return _passed(seen)
    if to == "stub" and before_burn:
        return _counted(seen, seat)
    if to == "stub" and owed:
        return named("stub-mixed-with-muck")
    if to == "board":
        return lawful("passage")
    if to in ("aside", "burn") and before_burn:  # SM-1: as an exposed card would go
        folds = to == "burn" and seat in folded(seen.after)
        return named("deal-replacement-undue", may={"burn-lost-in-muck"} if folds else ())
    return lawful("counted-by-draws")


def _counted(seen: Seen, seat: int | None) -> Verdict:
    """A hand of one card is found at the next pitch, when its seat acts, or at the first burn."""
    folds = set(folded(seen.after))
    if seat in folds or len(seen.live - folds) < 2:
        return lawful("folded-first", *ORDER, *_LATE)
    return named(ORDER | SHORT)


def _passed(seen: Seen) -> Verdict:
    target, seat = seat_of(seen.departure.to), seat_of(seen.departure.source)
    if target not in seen.live:
        before_burn = "burn-flop" not in seen.dealt
        return _counted(seen, seat) if before_burn else lawful("not-live")
    names = {"card-passed", *EXTRA, *ORDER, *SHORT}
    return named(names) if seen.acts_to_come() else lawful("over")


def _streets_to_come(seen: Seen) -> bool:
    return seen.laid < 5 and not seen.over


def _from_burn(seen: Seen, to: str) -> Verdict:
    target = seat_of(seen.departure.to)
    if seen.over:
        return lawful("over")
    if to == "seat":
        if target not in seen.live or not seen.acts_to_come():
            return lawful("not-live")
        return named("burn-in-hand")
    if to == "muck":
        if seen.rest_ms() <= SWEEP_MS:
            return lawful("swept")
        return named("burn-lost-in-muck")
    if to == "stub":
        last = [c for c, p in seen.where.items() if p == "burn"][-1]
        just = seen.before[-1].name.startswith("burn-") and seen.departure.card == last
        if just:
            return named(f"{seen.before[-1].name.removeprefix('burn-')}-no-burn")
        if _streets_to_come(seen):
            return named("stub-mixed-with-muck")
        return lawful("over")
    return lawful("burns-anywhere")


def _from_board(seen: Seen, to: str) -> Verdict:
    if seen.over:
        return lawful("over")
    if to == "muck":
        swept = seen.rest_ms() <= SWEEP_MS
        return lawful("swept") if swept else named("board-destroyed")
    at_once = to in ("aside", "stub")
    if not at_once and seen.rest_ms() <= GONE_MS:
        return lawful("swept")
    short = {"flop-undercount"} if to == "stub" and seen.laid == 1 else set()
    return named("board-card-withdrawn", *[short] * len(short), may={"street-skipped"})


def _from_muck(seen: Seen, to: str) -> Verdict:
    target = seat_of(seen.departure.to)
    if to == "seat":
        rows = seen.departure.hand.rows
        own = next(r.event.to for r in rows if getattr(r.event, "card", "") == seen.departure.card)
        if own == seen.departure.to:
            done = "pot" in seen.dealt or len(seen.live) < 2
            return lawful("over") if done else named("hand-retrieved-from-muck")
        if target not in seen.live or not seen.acts_to_come() or seen.over:
            return lawful("not-live")
        return named("hand-fouled-by-contact")
    if to == "stub" and "burn-flop" not in seen.dealt:
        return lawful("gathered")
    if to == "stub" and _streets_to_come(seen):
        return named("stub-mixed-with-muck")
    if to == "board":
        return lawful("passage")
    return lawful("over" if seen.over else "by-the-cards")


_CARRIED = {
    "seat": _from_seat, "burn": _from_burn, "board": _from_board, "muck": _from_muck,
}  # fmt: skip
