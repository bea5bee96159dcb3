"""Judge a departure: which irregularity it is under this rulebook, and with which ruling."""

from __future__ import annotations

from msgspec import Struct

from daemon.course import betting
from daemon.course.course import Course, Departure, substantial
from daemon.rules.remedies import as_dealt
from daemon.rules.rulebook import Rulebook, Ruling

# What happened, and how it departs from what was due: the name. {street} is the street it is about.
NAMES = {
    ("pitch", "first-seat"): "deal-wrong-first-seat",
    ("pitch", "other-seat"): "deal-out-of-sequence",
    ("pitch", "unentitled"): "deal-unentitled-seat",
    ("pitch", "extra-first"): "deal-extra-card-first-player",
    ("pitch", "extra-other"): "deal-extra-card-other",
    ("pitch", "extra-more"): "deal-multiple-extra-cards",
    ("pitch", "replacement"): "deal-replacement-wrong",
    ("pitch", "cut"): "cut-skipped",
    ("pitch", "packet"): "deal-packet",
    ("pitch", "undue"): "deal-replacement-undue",
    ("pitch", "leftover"): "leftover-card",
    ("deal", "short"): "deal-too-few-cards",
    ("deal", "short-button"): "deal-too-few-button",
    ("deal", "none"): "deal-entitled-seat-skipped",
    ("deal", "late-count"): "hand-wrong-count-after-window",
    ("begun", "untimely"): "hand-dealt-untimely",
    ("begun", "button"): "deal-button-misplaced",
    ("deck", "untimely"): "deck-change-untimely",
    ("odd", "back"): "deck-foreign-back",
    ("odd", "other-deck"): "deck-mixed",
    ("odd", "joker"): "deck-joker",
    ("odd", "marked"): "deck-marked-card",
    ("boxed", "cut"): "boxed-card-at-cut",
    ("boxed", "one"): "deal-boxed-card",
    ("boxed", "more"): "deal-boxed-cards-multiple",
    ("boxed", "board"): "board-card-boxed",
    ("counted", "missing"): "deck-missing-card",
    ("counted", "other"): "count-mismatch-at-end",
    ("cut", "short"): "cut-short",
    ("cut", "bottom"): "deck-cut-card-exposed",
    ("shuffle", "whole"): "shuffle-incomplete",
    ("drawn", "order"): "card-order-broken",
    ("stub", "dropped"): "stub-dropped",
    ("stub", "disordered"): "stub-disordered",
    ("stub", "down"): "stub-set-down-early",
    ("stub", "rebuilt"): "stub-disordered",
    ("exposed", "first"): "deal-first-card-exposed",
    ("exposed", "one"): "deal-single-card-exposed",
    ("exposed", "more"): "deal-multiple-cards-exposed",
    ("exposed", "replacement"): "deal-replacement-exposed",
    ("exposed", "second"): "deal-second-card-exposed",
    ("exposed", "flashed"): "deal-card-flashed",
    ("exposed", "own"): "player-exposed-own-card",
    ("exposed", "burned"): "burn-exposed",
    ("exposed", "shuffle"): "shuffle-card-exposed",
    ("exposed", "bottom"): "deck-cut-card-exposed",
    ("exposed", "top"): "board-card-flashed",
    ("acted", "deal"): "action-before-deal-complete",
    ("acted", "turn"): "player-skipped",
    ("burn", "close"): "burn-premature",
    ("burn", "more"): "{street}-multiple-burns",
    ("burn", "replace"): "deal-replacement-wrong",
    ("board", "close"): "{street}-premature",
    ("board", "burn"): "{street}-no-burn",
    ("board", "none"): "{street}-overcount",
    ("board", "many"): "flop-overcount-5plus",
    ("board", "less"): "flop-undercount",
    ("board", "partial"): "flop-premature-partial",
    ("board", "run-out"): "streets-premature-multiple",
    ("board", "acted-on"): "premature-acted-on",
    ("board", "over"): "street-after-hand-over",
    ("board", "replace"): "deal-replacement-wrong",
    ("board", "exposed-to-burn"): "deal-exposed-card-kept",
    ("moved", "withdrawn"): "board-card-withdrawn",
    ("moved", "twin"): "deck-duplicate-card",
    ("moved", "off-table"): "deal-card-off-table",
    ("moved", "passed"): "card-passed",
    ("moved", "contact"): "hand-fouled-by-contact",
    ("moved", "retrieved"): "hand-retrieved-from-muck",
    ("moved", "burn-in-hand"): "burn-in-hand",
    ("moved", "dropped"): "hand-card-dropped",
    ("moved", "killed"): "hand-killed-by-dealer",
    ("moved", "onto-board"): "board-from-muck",
    ("moved", "burn-lost"): "burn-lost-in-muck",
    ("moved", "board-lost"): "board-destroyed",
    ("moved", "mixed"): "stub-mixed-with-muck",
    ("showdown", "declare"): "showdown-board-undeclared",
    ("showdown", "whole"): "showdown-partial-muck",
    ("showdown", "all-in"): "showdown-allin-not-tabled",
    ("showdown", "share"): "showdown-winner-killed",
    ("pot", "live"): "pot-pushed-early",
    ("pot", "street"): "street-skipped",
    ("collected", "unfounded"): "misdeal-unfounded",
    ("collected", "late"): "remedy-misdeal-too-late",
}

# What was left undone or done wrongly inside a remedy: the name, whatever happened instead.
IN_REMEDY = {
    "set-aside": "remedy-no-option",
    "set-aside-gone": "remedy-wrong-branch",
    "return-board": "remedy-no-option",
    "return-board-gone": "remedy-wrong-branch",
    "board-to-top": "remedy-no-option",
    "burn-to-top": "remedy-no-option",
    "return-aside": "remedy-aside-not-returned",
    "extra-to-burn": "remedy-wrong-branch",
    "exposed-to-burn-gone": "remedy-wrong-branch",
    "pick-burn": "remedy-wrong-branch",
    "top-to-board": "remedy-wrong-branch",
    "scrap": "remedy-wrong-branch",
    "floor": "remedy-unsupervised",
    "close": "remedy-too-early",
    "shuffle": "remedy-no-shuffle",
    "cut": "remedy-no-cut",
    "burn": "remedy-burn-missing",
    "double-burn": "remedy-burn-missing",
    "flop": "remedy-wrong-branch",
    "turn": "remedy-wrong-branch",
    "river": "remedy-wrong-branch",
    "branch": "remedy-wrong-branch",
    "deck-change": "remedy-wrong-branch",
    "shuffled-in": "remedy-wrong-branch",
    "button": "remedy-wrong-branch",
    "astray": "remedy-wrong-branch",
    "as-burn": "remedy-wrong-branch",
    "order": "remedy-wrong-branch",
    "face": "remedy-shuffle-exposed",
    "redealt": "remedy-burned-when-forbidden",
    "played": "remedy-aside-played",
    "lost": "remedy-abandoned",
    "burn-in-stub": "remedy-burns-reshuffled",
    "muck-in-stub": "remedy-muck-reshuffled",
}

_EXPOSED = ("deal-first-card-exposed", "deal-second-card-exposed", "deal-single-card-exposed")
# A graver id takes these over when they stand in the same deal about the same thing.
TAKES_OVER = {
    "deal-first-card-exposed": ("deal-card-flashed", "deal-replacement-undue"),
    "deal-second-card-exposed": ("deal-card-flashed", "deal-replacement-undue"),
    "deal-multiple-cards-exposed": (
        *("deal-single-card-exposed", "deal-card-off-table", "deal-card-flashed"),
        "deal-replacement-undue",
    ),
    "deal-replacement-exposed": ("deal-single-card-exposed", "deal-card-off-table"),
    "deal-single-card-exposed": ("deal-card-flashed", "deal-replacement-undue"),
    "deal-boxed-card": _EXPOSED,
    "deal-multiple-extra-cards": ("deal-extra-card-first-player", "deal-extra-card-other"),
    "flop-premature": (
        *("burn-premature", "player-skipped", "flop-no-burn", "flop-multiple-burns"),
        *("flop-overcount", "board-card-withdrawn", "board-card-flashed"),
    ),
    "turn-premature": (
        *("burn-premature", "player-skipped", "turn-no-burn", "turn-multiple-burns"),
        *("turn-overcount", "board-card-withdrawn", "board-card-flashed"),
    ),
    "river-premature": (
        *("burn-premature", "player-skipped", "river-no-burn", "river-multiple-burns"),
        *("river-overcount", "board-card-withdrawn", "board-card-flashed"),
    ),
    "flop-overcount": ("flop-no-burn", "flop-multiple-burns"),
    "flop-premature-partial": ("flop-premature",),
    "flop-overcount-5plus": ("flop-overcount", "flop-no-burn", "flop-multiple-burns"),
    "streets-premature-multiple": (
        *("flop-premature", "turn-premature", "river-premature", "flop-premature-partial"),
        *("burn-premature", "board-card-withdrawn"),
    ),
    "premature-acted-on": ("flop-premature", "turn-premature", "river-premature"),
    "stub-disordered": ("stub-dropped", "stub-set-down-early"),
    "stub-mixed-with-muck": ("stub-disordered", "stub-dropped", "burn-lost-in-muck"),
    "deal-boxed-cards-multiple": ("deal-boxed-card", *_EXPOSED),
    "deck-duplicate-card": ("deck-mixed",),
}

# After these the hand goes its own way: the rest of it is not judged.
LEAVES = frozenset({"remedy-no-option", "remedy-wrong-branch", "remedy-aside-played"})

# Once a premature street was acted upon, board and burns and rounds are what the floor makes them,
# and it may well call a misdeal.
_THE_FLOORS = frozenset(
    {
        *("board-card-withdrawn", "board-card-flashed", "board-from-muck", "burn-premature"),
        *("streets-premature-multiple", "premature-acted-on", "player-skipped", "street-skipped"),
        *("misdeal-unfounded", "remedy-misdeal-too-late"),
    }
)
_STREETS = ("flop-", "turn-", "river-")

# But for these, after which the deal goes on as it was.
STAYS = frozenset({"extra-to-burn", "button", "as-burn", "scrap", "order"})

_DECK = ("deck-", "shuffle-", "cut-", "count-", "leftover-card", "boxed-card-at-cut")
_SEAT = ("hand-", "player-", "showdown-", "card-passed", "burn-in-hand")
# What the rest is about by the beginning of its name; all others are about a street.
_ABOUT = (
    *(("burn-", "burn"), ("board-destroyed", "board"), ("pot-", "pot")),
    *(("stub-", "stub"), ("card-order-broken", "stub")),
)
_OF_THE_DEAL = frozenset(
    {
        *("deal-multiple-cards-exposed", "deal-multiple-extra-cards", "deal-out-of-sequence"),
        *("deal-wrong-first-seat", "misdeal-unfounded", "hand-dealt-untimely"),
        *("deal-button-misplaced", "deal-boxed-cards-multiple", "action-before-deal-complete"),
    }
)


class Irregularity(Struct, frozen=True, kw_only=True):
    """A departure with its name in the rulebook.

    `ticket` numbers the irregularities of a hand in order of raising; `parent` is the ticket of the
    remedy in which it happened (0: none). `cards` are all physical cards it is about, public or
    not, `burns` those of them that were burned; `window_open` is how its window stood.
    """

    ticket: int
    id: str
    subject: str
    street: str
    seats: tuple[int, ...]
    cards: tuple[str, ...]
    burns: tuple[str, ...] = ()
    at_ms: int
    numbers: tuple[int, ...]
    deal: int
    ruling: Ruling
    remedy: tuple[str, ...]
    parent: int = 0
    doubt: str = ""
    home: tuple[str, ...] = ()
    face_seen: bool = False
    wrong: tuple[tuple[int, int], ...] = ()
    seat: int = 0
    facts: frozenset[str] = frozenset()
    waits: str = ""
    severity: str = ""
    audience: str = ""
    window_open: bool | None = True

    @property
    def is_misdeal(self) -> bool:
        """Whether the remedy deals the hand anew."""
        return is_misdeal(self.remedy)


def is_misdeal(remedy: tuple[str, ...]) -> bool:
    """Whether the remedy deals the hand anew."""
    return "deal" in remedy and ("collect" in remedy or "deck-change" in remedy)


def name_of(departure: Departure) -> str | None:
    """The irregularity's id, or None where the book has no name for the departure."""
    name = NAMES.get((departure.what, departure.due))
    if departure.ticket and (name is None or departure.due in ("close", "burn", "cut", "floor")):
        name = IN_REMEDY.get(departure.due)
    return name.format(street=departure.street) if name else None


def judge(departure: Departure, before: Course, book: Rulebook, ticket: int) -> Irregularity | None:
    """The irregularity this departure is, or None where the book or the table's senses say none.

    `before` is the course just before the event.
    """
    name = name_of(departure)
    if name is None or name not in book.rulings:
        return None
    if before.adrift and (name in _THE_FLOORS or name.startswith(_STREETS)):
        return None
    ruling = book.ruling(name, departure.facts)
    level = _LEVELS.index(before.betting.level)
    unknown = level < _LEVELS.index(ruling.betting) and not departure.keyed
    if not ruling.enabled or unknown:
        return None
    if not _can_be_judged(ruling, before):
        return None
    window = window_open(ruling.window, before, book, (departure.street, departure.seat))
    remedy = ruling.remedy
    if window is False:
        if ruling.after_remedy is not None:
            remedy = ruling.after_remedy
        elif is_misdeal(remedy):
            remedy = ()
    remedy = as_dealt(remedy, departure.facts)
    return Irregularity(
        ticket=ticket,
        id=name,
        subject=_subject(name, departure),
        street=_phase(name, departure, before),
        seats=departure.seats,
        cards=departure.cards,
        burns=departure.cards if departure.what == "burn" else (),
        at_ms=departure.at_ms,
        numbers=departure.numbers,
        deal=before.deal,
        ruling=ruling,
        remedy=remedy,
        parent=departure.ticket,
        doubt=departure.doubt,
        home=departure.home,
        face_seen=departure.face_seen,
        wrong=departure.wrong,
        seat=departure.seat,
        facts=departure.facts,
        waits=departure.waits,
        severity=departure.severity or ruling.severity,
        audience=departure.audience or ruling.audience,
        window_open=window,
    )


def _can_be_judged(ruling: Ruling, course: Course) -> bool:
    """A sense lost in this hand takes its irregularities out of judgement (design.md 5)."""
    blind = course.felt.blind
    if not blind or not ruling.needs:
        return True
    return any(not blind.intersection(needs) for needs in ruling.needs)


_LEVELS = ("none", "closes", "acts")
_PHASES = ("deal", "preflop", "flop", "turn", "river")


def window_open(window: str, course: Course, book: Rulebook, about: tuple[str, int]) -> bool | None:
    """Whether the ruling may still change; None where substantial action cannot be told.

    `about` is the street and the seat (0: none) that the irregularity is about: any act on the
    street's cards shuts `any-action`, an act in turn of the seat `subject-acts`.
    """
    street, seat = about
    match window:
        case "substantial-action":
            done = substantial(course, book.parameters.substantial_action)
            return None if done is None else not done
        case "any-action":
            if course.street == street and course.acted_on_street:
                return False
            if not betting.is_possible(course.bets):  # until the pot is awarded
                return not course.pushed
            if course.street == street:
                return True
            return _PHASES.index(course.street) < _PHASES.index(street)
        case "subject-acts":
            return not (seat in course.spoke if seat else course.acted_on_street)
        case "skipped":
            return _may_still_speak(course, seat)
        case "until-pot":
            return not course.pushed
        case _:  # until-hand-over shuts with the hand itself
            return True


def _may_still_speak(course: Course, seat: int) -> bool:
    now = course.behind
    return now is None or now.seat != seat or not now.lost


def _subject(name: str, departure: Departure) -> str:
    if name.startswith("remedy-"):
        return ""  # its parent's
    if name.startswith(_DECK):
        return "deck"
    if name in _OF_THE_DEAL:
        return "deal"
    if name.startswith(_SEAT):
        return f"seat-{departure.seat}"
    if name.startswith("deal-"):
        return f"seat-{departure.seat}"
    return next((word for start, word in _ABOUT if name.startswith(start)), departure.street)


def _phase(name: str, departure: Departure, before: Course) -> str:
    """The phase in which it happened."""
    if name.startswith(_DECK):
        return "deck"
    if name.startswith("deal-"):
        return "deal"
    if name.startswith("showdown-"):
        return "showdown"
    if name.endswith(("-no-burn", "-multiple-burns", "-overcount")):
        return departure.street
    return departure.phase or before.street
