"""What each departure must be called, as the rules have it and by the way of the cards alone.

The oracle knows nothing of plans and remedies. It looks at what was moved, where the hand stood,
and what the hand still brought, and says which irregularities must be among those that are found,
and why there are none where the departure is lawful. What else may be found beside them follows
from nobody heeding the first (`AFTERMATH`).
"""

from __future__ import annotations

from daemon.table import events as dealing
from tests.exploration.departures import Departure
from tests.exploration.ids import (
    BURNS,
    EXTRA,
    FOLLOWING,
    ORDER,
    PREMATURE,
    STREETS,
    TDA,
    WHY,
    Verdict,
    lawful,
    named,
)
from tests.exploration.misplaced import astray, carried, instead, missing, shown
from tests.exploration.redealt import gathered, keyed, redealt
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
        return Verdict((PREMATURE,), told, frozenset({"pot-pushed-early"}))
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
        if (
            int(second.partition("@")[2]) != seen.order[-1]
        ):  # first to act while the button waits: log
            return named("action-before-deal-complete")
        return named("deal-too-few-button", may={"action-before-deal-complete"})
    if one.startswith("burn-"):
        return named(f"{one.removeprefix('burn-')}-no-burn")
    rounds = ("preflop", *STREETS)
    if one in ("flop1", "flop2"):
        return lawful("together")
    if one == "flop3":
        return named("flop-undercount", may=BURNS)
    if one == "turn4":
        if other == "burn-river":
            return named("turn-multiple-burns")
        return _act_missing(seen, "turn")
    if one == "river5":
        return named("street-skipped") if other == "pot" else _act_missing(seen, "river")
    if one in rounds and other.startswith("burn-"):
        return named("burn-premature")
    if one in rounds:
        raised = any(getattr(r.event, "action", "") in ("raise", "bet") for r in seen.after[:2])
        return lawful("turn-of-act", *(PREMATURE if raised else ()))
    return (
        lawful("unkeyed", "showdown-winner-killed")
        if one == "table"
        else lawful("unkeyed" if one != "muck" else "by-the-cards")
    )


# -- streets, ends, words ------------------------------------------------------------------------


def _early(seen: Seen) -> Verdict:
    street = seen.departure.step
    before = {after: street for street, after in FOLLOWING.items()}[street]
    unburned = "unburned" in seen.departure.detail
    laid_just_now = seen.before[-1].name in ("flop3", "turn4") if seen.before else False
    if unburned and laid_just_now:  # no act between, and within seconds
        return named(f"{before}-overcount", may={"street-skipped"})
    told = frozenset({f"{street}-premature"})
    return Verdict((PREMATURE,), told, frozenset({"street-skipped"}))


def _cut_off(seen: Seen) -> Verdict:
    how = seen.departure.detail
    pitched = sum(r.kind == "pitch" for r in seen.before)
    laid = sum(r.name in ("flop1", "flop2", "flop3", "turn4", "river5") for r in seen.before)
    names = seen.dealt
    closed = pitched == 2 * len(seen.order) and not seen.near.owing
    tabled = any(r.kind == "table" for r in seen.before)
    if len(seen.live) < 2 or "pot" in names or pitched < 2:
        return lawful("over", "misdeal-unfounded", "pot-pushed-early")
    if how == "collect" and not tabled:
        done = laid == 5 and closed
        acts = sum(isinstance(r.event, dealing.Acted) for r in seen.before)
        if seen.book == TDA and acts == 2:  # substantial if chips were among them (36)
            return lawful("stopped", "misdeal-unfounded", "remedy-misdeal-too-late")
        if acts >= 2 and not done:
            return named("remedy-misdeal-too-late", may={"street-skipped"})
        return lawful("stopped", "misdeal-unfounded")
    if laid < 5 and closed:
        mid = laid in (1, 2)
        also = {"remedy-misdeal-too-late", "showdown-allin-not-tabled"}
        return named("flop-undercount" if mid else "street-skipped", may=also)
    if how != "pot":
        return lawful("stopped", "misdeal-unfounded", "remedy-misdeal-too-late")
    if laid == 5 and closed:
        return lawful("unkeyed", "showdown-winner-killed", "showdown-allin-not-tabled")
    return named("pot-pushed-early")


def _words(seen: Seen) -> Verdict:
    word = seen.departure.detail
    if word == "misdeal":
        return keyed(seen)
    if word == "collect":
        return gathered(seen)
    streets = not seen.over and any(r.name == "river5" for r in seen.after)
    ready = "shuffle" in seen.dealt
    if word == "disordered" and streets and ready:
        return named("stub-disordered")
    if word == "dropped" and streets and ready:
        return named("stub-dropped")
    if word == "top" and streets and seen.phase not in ("deck", "deal"):
        return named("board-card-flashed")
    if word == "shuffle" and "cut" in seen.dealt and "pitch" not in {r.kind for r in seen.before}:
        return named("cut-skipped")
    return Verdict(may=frozenset({
        "stub-dropped", "stub-disordered", "board-card-flashed", "action-before-deal-complete",
        "street-after-hand-over", "flop-undercount", "deal-too-few-button", "player-skipped",
        "hand-killed-by-dealer", "shuffle-card-exposed",
    }), why=WHY["said-again"])  # fmt: skip


_KINDS = {
    "left-out": _left_out, "twice": _twice, "exchanged": _exchanged, "astray": astray,
    "instead": instead, "shown": shown, "carried": carried, "early": _early,
    "cut-off": _cut_off, "word": _words, "redealt": redealt,
}  # fmt: skip
