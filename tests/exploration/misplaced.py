"""The oracle's word on a card that goes where it does not belong, or is carried off."""

from __future__ import annotations

from daemon.table.places import seat_of
from tests.exploration.hands import Row
from tests.exploration.ids import (
    BURNS,
    EXTRA,
    GONE_MS,
    ORDER,
    OVER,
    PREMATURE,
    SECOND_CARD_COUNTS,
    SHORT,
    SWEEP_MS,
    WHY,
    Verdict,
    lawful,
    named,
)
from tests.exploration.seen import Seen, folded


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
    many: list[frozenset[str]] = []
    if seat is not None and seat in seen.live and not seen.run_out:
        many = [EXTRA | {"hand-wrong-count-after-window", "deal-replacement-undue"}]
    elif (
        seat is not None and seat not in seen.order and street == "flop" and row.name[:4] == "burn"
    ):
        many = [frozenset({"deal-unentitled-seat"})]
    may = EXTRA | {"hand-wrong-count-after-window", "deal-unentitled-seat"}
    if row.name.startswith("burn-"):
        if to == "board":
            return named({f"{street}-no-burn", f"{street}-overcount"}, may=may | OVER)
        sm3 = {"deal-extra-card-first-player"} if street == "flop" and seat else set()
        return named({f"{street}-no-burn", *sm3}, *many, may=may)
    if to == "burn":
        rest = missing(seen, row.name).must
        if street == "flop":  # the burn too many has the turn dealt again, which hides the last one
            rest, may = rest[:1], may | {"street-skipped"}
        own = [] if street == "flop" else [{f"{street}-multiple-burns"}]
        return named(
            *own, *rest, may=may | BURNS
        )  # the short flop says it, the burns beside it may
    return named(*missing(seen, row.name).must, *many, may=may)


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
        return named(ORDER | SHORT, may=PREMATURE | BURNS | EXTRA | {"burn-premature"})
    return missing(seen, row.name)


def instead(seen: Seen) -> Verdict:
    row, source = seen.row, seen.departure.source
    assert row is not None
    if row.kind == "pitch":
        donor = seat_of(source)
        folds = set(folded(seen.after))
        if donor in folds or len(seen.live - folds) < 2:
            return Verdict(may=ORDER | SHORT, why=WHY["folded-first"])
        return named(ORDER | SHORT)
    if row.name.startswith("burn-"):
        street = row.kind.removeprefix("burn-")
        may = {"board-card-withdrawn", "street-skipped"}
        if street == "flop" and seat_of(source) is not None:  # SM-1: as an exposed card would go
            told = {"flop-no-burn", "deal-replacement-undue"}
            return named(told, may=may | {"burn-lost-in-muck"})
        return named(f"{street}-no-burn", may=may)
    must = {"board-from-muck"} | set().union(*missing(seen, row.name).must)
    return named(must, may={"board-destroyed", "street-skipped", *BURNS})


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
        return (
            named("hand-card-dropped")
            if len(seen.live) > 1
            else lawful("over", "hand-card-dropped")
        )
    if seen.over or seat not in seen.live:
        return lawful("over", "card-passed", "showdown-partial-muck", "stub-mixed-with-muck",
                      "hand-fouled-by-contact")  # fmt: skip
    if to == "seat":
        return _passed(seen)
    if to == "stub" and before_burn:
        return _counted(seen, seat)
    if to == "stub" and owed:
        return named("stub-mixed-with-muck", may={"board-card-withdrawn"})
    if to == "board":
        return lawful("passage", "board-from-muck", *OVER)
    return lawful(
        "counted-by-draws", "deal-replacement-undue", "burn-lost-in-muck", "showdown-partial-muck",
        "street-after-hand-over", "showdown-winner-killed",
    )  # fmt: skip


def _counted(seen: Seen, seat: int | None) -> Verdict:
    """A hand of one card is found at the next pitch, when its seat acts, or at the first burn."""
    folds = set(folded(seen.after))
    known = ORDER | SHORT
    if seat in folds or len(seen.live - folds) < 2:
        return Verdict(may=known, why=WHY["folded-first"])
    return named(known)


def _passed(seen: Seen) -> Verdict:
    target = seat_of(seen.departure.to)
    if target not in seen.live:
        return Verdict(may=SHORT | ORDER, why=WHY["not-live"])
    names = {"card-passed", *EXTRA, *ORDER, *SHORT}
    if not seen.acts_to_come():
        return Verdict(may=frozenset(names), why=WHY["over"])
    return named(names)


def _streets_to_come(seen: Seen) -> bool:
    laid = sum(place == "board" for place in seen.where.values())
    return laid < 5 and not seen.over


def _from_burn(seen: Seen, to: str) -> Verdict:
    target = seat_of(seen.departure.to)
    if seen.over:
        return lawful("over", "burn-in-hand")
    if to == "seat":
        if target not in seen.live or not seen.acts_to_come():
            return lawful("not-live", "burn-in-hand")
        return named("burn-in-hand")
    if to == "muck":
        if seen.rest_ms() <= SWEEP_MS:
            return lawful("swept", "burn-lost-in-muck")
        return named("burn-lost-in-muck")
    if to == "stub":
        last = [c for c, p in seen.where.items() if p == "burn"][-1]
        just = seen.before[-1].name.startswith("burn-") and seen.departure.card == last
        if just:
            return named(f"{seen.before[-1].name.removeprefix('burn-')}-no-burn")
        if _streets_to_come(seen):
            return named("stub-mixed-with-muck")
        return lawful("over")
    return lawful("burns-anywhere", *OVER)


def _from_board(seen: Seen, to: str) -> Verdict:
    if seen.over:
        return lawful("over", "board-card-withdrawn")
    if to == "muck":
        swept = seen.rest_ms() <= SWEEP_MS
        return lawful("swept", "board-destroyed") if swept else named("board-destroyed")
    at_once = to in ("aside", "stub")
    if not at_once and seen.rest_ms() <= GONE_MS:
        return lawful("swept", "board-card-withdrawn", "street-skipped")
    return named("board-card-withdrawn", may={"street-skipped", "flop-undercount"})


def _from_muck(seen: Seen, to: str) -> Verdict:
    target = seat_of(seen.departure.to)
    if to == "seat":
        rows = seen.departure.hand.rows
        own = next(r.event.to for r in rows if getattr(r.event, "card", "") == seen.departure.card)
        if own == seen.departure.to:
            done = "pot" in seen.dealt or len(seen.live) < 2
            return (
                lawful("over", "hand-retrieved-from-muck")
                if done
                else named("hand-retrieved-from-muck")
            )
        if target not in seen.live or not seen.acts_to_come() or seen.over:
            return lawful("not-live", "hand-fouled-by-contact")
        return named("hand-fouled-by-contact")
    if to == "stub" and "burn-flop" not in seen.dealt:
        return lawful("gathered")
    if to == "stub" and _streets_to_come(seen):
        return named("stub-mixed-with-muck")
    if to == "board":
        return lawful("passage", "board-from-muck", *OVER)
    return lawful("over" if seen.over else "by-the-cards")


_CARRIED = {
    "seat": _from_seat, "burn": _from_burn, "board": _from_board, "muck": _from_muck,
}  # fmt: skip
