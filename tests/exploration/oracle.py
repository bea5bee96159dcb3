"""What each departure must be called, as the rules have it and by the way of the cards alone.

The oracle knows nothing of plans and remedies. It looks at what was moved, where the hand stood,
and what the hand still brought, and says which irregularities must be among those that are found,
and why there are none where the departure is lawful. What else may be found beside them follows
from nobody heeding the first (`AFTERMATH`).
"""

from __future__ import annotations

from daemon.table import events as dealing
from daemon.table.places import seat_of
from tests.exploration.departures import BOARD_SIZE, Departure
from tests.exploration.ids import (
    EXTRA,
    FOLLOWING,
    ORDER,
    PREMATURE,
    STREETS,
    TDA,
    Verdict,
    lawful,
    named,
)
from tests.exploration.misplaced import astray, carried, instead, missing, shown
from tests.exploration.redealt import HAS_CUTS, gathered, is_chop, keyed, redealt
from tests.exploration.seen import Seen, folded


def verdict(departure: Departure, book: str) -> Verdict:
    """What this departure is under that book."""
    return _KINDS[departure.kind](Seen(departure, book))


# -- the steps of a hand -------------------------------------------------------------------------


def _left_out(seen: Seen) -> Verdict:
    row = seen.row
    assert row is not None
    match row.kind:
        case "shuffle":
            return lawful("unnamed")
        case "cut":
            return named("cut-skipped")
        case "table":
            hidden = seen.book == TDA and seen.run_out and seen.phase != "showdown"
            hidden = hidden and bool(seen.all_in)
            return named("showdown-allin-not-tabled") if hidden else lawful("unkeyed")
        case "pot" | "collect" | "end":
            return lawful("unkeyed")
        case "muck":
            return lawful("by-the-cards")
    if not isinstance(row.event, dealing.Acted):
        return missing(seen, row.name)
    if row.event.action == "fold":
        return lawful("by-the-cards")
    return _act_missing(seen, row.phase)


def _act_missing(seen: Seen, phase: str) -> Verdict:
    """Somebody owes an action when the next street comes, or the pot."""
    following = FOLLOWING.get(phase)
    to_come = {row.name for row in seen.after}
    if any(row.kind == "burn-" + str(following) for row in seen.after) and following:
        skipped = {"player-skipped"} if _is_passed_over(seen, phase) else set()
        told = frozenset({f"{following}-premature", *skipped})
        acts = [row for row in seen.after if isinstance(row.event, dealing.Acted)]
        run_out = not any(row.phase == following for row in acts)  # and somebody owes at the pot
        return Verdict((PREMATURE,), told, frozenset({"pot-pushed-early"} if run_out else ()))
    if "pot" in to_come and len(seen.live - set(folded(seen.after))) > 1:
        return named({"pot-pushed-early", "player-skipped"})
    return lawful("over")


def _is_passed_over(seen: Seen, phase: str) -> bool:
    """Whether enough acts of that round come behind the seat that owes.

    Three of any kind, by TDA 2024 rule 36 two as well where one of them puts chips in.
    """
    acts = [r.event for r in seen.after if isinstance(r.event, dealing.Acted) and r.phase == phase]
    chips = any(act.action not in {"check", "fold"} for act in acts)
    return len(acts) > 2 or (seen.book == TDA and len(acts) == 2 and chips)


def _too_many(seen: Seen, name: str, *, late: bool) -> Verdict:
    """One more card to the place where that step's card went."""
    kind = name.partition("@")[0]
    if kind == "pitch1":
        return named(ORDER)
    if kind == "pitch2":
        return named(EXTRA)
    if kind.startswith("burn-"):
        return named(f"{kind.removeprefix('burn-')}-multiple-burns")
    street = kind.rstrip("0123456789")
    if street == "river":
        return lawful("run-out-shown") if seen.run_out and late else named("river-overcount")
    following = FOLLOWING[street]
    if seen.run_out:
        return named(f"{following}-no-burn")
    apart = late and kind in ("flop3", "turn4")
    return named(f"{following}-premature" if apart else f"{street}-overcount")


def _twice(seen: Seen) -> Verdict:
    row = seen.departure.rows[seen.departure.at]
    if not isinstance(row.event, dealing.CardMoved):
        return lawful("said-again")
    return _too_many(seen, row.name, late=seen.departure.detail == "late")


def _exchanged(seen: Seen) -> Verdict:
    first, second = seen.departure.step, seen.departure.detail
    one, other = first.partition("@")[0], second.partition("@")[0]
    if one in ("shuffle", "cut"):
        return named("cut-skipped")
    if one.startswith("pitch"):
        if other.startswith("pitch"):
            first_of_all = first == f"pitch1@{seen.order[0]}"
            return named("deal-wrong-first-seat" if first_of_all else "deal-out-of-sequence")
        act = seen.departure.rows[seen.departure.at].event
        ends = act.action == "fold" and len(seen.live) == 2
        early = [] if ends else ["action-before-deal-complete"]
        if act.seat != seen.order[-1]:  # first to act while the button waits: log
            return named(*early)
        return named("deal-too-few-button", *early)
    if one.startswith("burn-"):
        return named(f"{one.removeprefix('burn-')}-no-burn")
    rounds = ("preflop", *STREETS)
    if one in ("flop1", "flop2"):
        return lawful("together")
    if one == "flop3":
        return named("flop-undercount")
    if one == "turn4":
        if other == "burn-river":
            return named("turn-multiple-burns")
        return _act_missing(seen, "turn")
    if one == "river5":
        return named("street-skipped") if other == "pot" else _act_missing(seen, "river")
    if one in rounds and other.startswith("burn-"):
        return named("burn-premature")
    if one in rounds:
        return lawful("turn-of-act")
    if one == "table":
        return _by_the_hands_shown(seen)
    return lawful("unkeyed" if one != "muck" else "by-the-cards")


def _by_the_hands_shown(seen: Seen) -> Verdict:
    """Whether the best hand that was shown, before the pot or after it, has no share of it."""
    return named("showdown-winner-killed") if seen.winner_is_killed() else lawful("unkeyed")


# -- streets, ends, words ------------------------------------------------------------------------


def _early(seen: Seen) -> Verdict:
    street = seen.departure.step
    before = {after: street for street, after in FOLLOWING.items()}[street]
    unburned = "unburned" in seen.departure.detail
    laid_just_now = seen.before[-1].name in ("flop3", "turn4") if seen.before else False
    if unburned and laid_just_now:  # no act between, and within seconds
        return named(f"{before}-overcount")
    return Verdict((PREMATURE,), frozenset({f"{street}-premature"}))


def _cut_off(seen: Seen) -> Verdict:
    how = seen.departure.detail
    shown = {row.event.seat for row in seen.before if isinstance(row.event, dealing.HandTabled)}
    closed = seen.pitched == 2 * len(seen.order) and not seen.near.owing
    if len(seen.live) < 2 or "pot" in seen.dealt:
        return lawful("over")
    if not seen.pitched:
        return lawful("nothing-dealt")
    if how == "collect" and not shown:
        if is_chop(seen):
            return lawful("chopped")
        return lawful("ended") if seen.laid == BOARD_SIZE and closed else redealt(seen)
    if seen.laid < BOARD_SIZE and closed:
        name = "flop-undercount" if seen.laid in (1, 2) else "street-skipped"
        asked = how == "pot" and seen.book == TDA and seen.run_out and seen.all_in
        hidden = bool(asked) and not seen.live <= shown
        return named(name, *["showdown-allin-not-tabled"] * hidden)
    if how != "pot":
        return lawful("stopped")
    if seen.laid == BOARD_SIZE and closed:
        return _by_the_hands_shown(seen)
    pot = next(row.event for row in seen.after if row.name == "pot")
    held = {place for place in seen.where.values() if seat_of(place) is not None}
    passed = held - {f"seat:{seat}" for seat in pot.seats}
    return named("pot-pushed-early") if passed else lawful("nothing-dealt")


def _words(seen: Seen) -> Verdict:
    word, _, seat = seen.departure.detail.partition(" ")
    if seat:
        return _act_said(seen, word, int(seat))
    return _WORDS.get(word, _said_again)(seen)


def _said_again(seen: Seen) -> Verdict:
    return lawful("said-again")


def _shuffled(seen: Seen) -> Verdict:
    """A shuffle behind the cut, before the deal: it must be cut again."""
    uncut = "cut" in seen.dealt and not seen.pitched
    return named("cut-skipped") if uncut and seen.book in HAS_CUTS else lawful("said-again")


def _stub_was(seen: Seen) -> Verdict:
    """The stub fell, or its order is lost, while cards are owed from it."""
    owed = "shuffle" in seen.dealt and seen.streets_owed
    return named(f"stub-{seen.departure.detail}") if owed else lawful("nothing-owed")


def _top_seen(seen: Seen) -> Verdict:
    """The card on top is a board card's turn only once the deal is over."""
    owed = seen.phase not in ("deck", "deal") and seen.streets_owed
    return named("board-card-flashed") if owed else lawful("nothing-owed")


def _act_said(seen: Seen, word: str, seat: int) -> Verdict:
    """An act that is none of the hand's: it counts all the same, and is found by what follows."""
    if seat not in seen.live or seen.over:
        return lawful("not-in")
    after = seen.departure.rows[seen.departure.at + 1 :]
    found: list[str] = []
    if seen.laid in (1, 2):
        found.append("flop-undercount")
    ends = word == "fold" and len(seen.live) == 2
    to_come = [row.name for row in after if row.kind == "pitch"]
    if to_come and seen.pitched and seat == seen.opening() and not ends:
        found.append("action-before-deal-complete")
    if to_come == [f"pitch2@{seen.order[-1]}"] and seat == seen.order[-1]:
        found.append("deal-too-few-button")
    if word == "fold" and seen.is_hunted(seat):
        found.append("street-after-hand-over")
    return named(*found) if found else lawful("turn-of-act")


_WORDS = {
    "misdeal": keyed, "collect": gathered, "disordered": _stub_was, "dropped": _stub_was,
    "top": _top_seen, "shuffle": _shuffled,
}  # fmt: skip
_KINDS = {
    "left-out": _left_out, "twice": _twice, "exchanged": _exchanged, "astray": astray,
    "instead": instead, "shown": shown, "carried": carried, "early": _early,
    "cut-off": _cut_off, "word": _words, "redealt": redealt,
}  # fmt: skip
