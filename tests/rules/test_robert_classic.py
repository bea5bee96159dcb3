"""The founding text as shipped, held against the remedies the text itself asks for."""

import pytest

from daemon.edges.books import read_rulebook
from daemon.rules.parameters import Parameters
from daemon.rules.vocabulary import IDS
from daemon.table.events import DEFAULT_SENSES

MISDEAL = "collect shuffle cut deal"
EXPOSED = "deal replace exposed-to-burn close flop-without-burn"
EXTRA = "extra-to-burn close flop-without-burn"
FLOP = "return-board close shuffle cut flop-without-burn"
TURN = "set-aside close burn turn close return-aside shuffle cut river-without-burn"
RIVER = "set-aside close return-aside shuffle cut river-without-burn"
DEAD = "floor kill-hand"

REMEDIES = {
    ("deck-duplicate-card", None): "floor refund deck-change shuffle cut deal",
    ("cut-skipped", None): MISDEAL,
    ("deal-first-card-exposed", None): MISDEAL,
    ("deal-single-card-exposed", None): EXPOSED,
    ("deal-multiple-cards-exposed", None): MISDEAL,
    ("deal-replacement-wrong", None): MISDEAL,
    ("deal-replacement-exposed", None): MISDEAL,
    ("deal-exposed-card-kept", None): "floor",
    ("deal-wrong-first-seat", None): MISDEAL,
    ("deal-out-of-sequence", None): MISDEAL,
    ("deal-unentitled-seat", None): MISDEAL,
    ("deal-extra-card-first-player", None): EXTRA,
    ("deal-extra-card-other", None): MISDEAL,
    ("deal-extra-card-other", "last-off-deck"): EXTRA,
    ("deal-multiple-extra-cards", None): MISDEAL,
    ("flop-premature", None): FLOP,
    ("flop-premature", "no-burn"): "return-board close shuffle cut burn flop",
    ("flop-overcount", None): "return-board shuffle cut flop-without-burn",
    ("flop-overcount", "unexposed"): "board-to-top",
    ("flop-no-burn", None): "return-board shuffle cut burn flop",
    ("flop-no-burn", "unexposed"): "board-to-top burn flop",
    ("flop-multiple-burns", None): "board-to-top burn-to-top flop-without-burn",
    ("turn-premature", None): TURN,
    ("turn-premature", "no-burn"): (
        "set-aside close burn turn close return-aside shuffle cut burn river"
    ),
    ("turn-no-burn", None): "board-to-top burn turn",
    ("turn-multiple-burns", None): "board-to-top burn-to-top turn-without-burn",
    ("river-premature", None): RIVER,
    ("river-premature", "no-burn"): "set-aside close return-aside shuffle cut burn river",
    ("river-no-burn", None): "board-to-top burn river",
    ("river-multiple-burns", None): "board-to-top burn-to-top river-without-burn",
    ("board-card-withdrawn", None): "floor",
    ("board-card-withdrawn", "flop"): FLOP,
    ("board-card-withdrawn", "turn"): TURN,
    ("board-card-withdrawn", "river"): RIVER,
    ("burn-premature", None): "",
    ("showdown-board-undeclared", None): "",
}

AFTER = {
    ("cut-skipped", None): "",
    ("deal-first-card-exposed", None): "",
    ("deal-multiple-cards-exposed", None): "",
    ("deal-replacement-wrong", None): "floor",
    ("deal-replacement-exposed", None): "floor",
    ("deal-wrong-first-seat", None): "",
    ("deal-out-of-sequence", None): "",
    ("deal-unentitled-seat", None): DEAD,
    ("deal-extra-card-other", None): DEAD,
    ("deal-multiple-extra-cards", None): DEAD,
    ("flop-no-burn", None): "close double-burn turn",
    ("flop-no-burn", "unexposed"): "close double-burn turn",
    ("flop-multiple-burns", None): "burn-to-top close burn turn",
    ("turn-no-burn", None): "close double-burn river",
    ("turn-multiple-burns", None): "burn-to-top close burn river",
    ("river-no-burn", None): "",
    ("river-multiple-burns", None): "",
}

MISDEALS = {id_ for (id_, fact), remedy in REMEDIES.items() if remedy == MISDEAL and fact is None}


@pytest.fixture(scope="module")
def book():
    return read_rulebook("robert-classic")


def every_ruling(book):
    for ruling in book.rulings.values():
        yield (ruling.id, None), ruling
        for variant in ruling.when:
            yield (ruling.id, variant.fact), variant.ruling


def test_every_remedy_is_the_one_of_the_text(book):
    of_the_book = {
        key: " ".join(ruling.remedy)
        for key, ruling in every_ruling(book)
        if not ruling.id.startswith("remedy-")
    }
    assert of_the_book == REMEDIES


def test_what_is_left_to_do_once_it_is_too_late_is_that_of_the_text(book):
    of_the_book = {
        key: " ".join(ruling.after_remedy)
        for key, ruling in every_ruling(book)
        if ruling.after_remedy is not None
    }
    assert of_the_book == AFTER


def test_a_fault_in_a_remedy_is_high_for_the_floor_at_any_time_and_has_no_steps(book):
    faults = [book.rulings[id_] for id_ in IDS if id_.startswith("remedy-")]
    assert len(faults) == 15
    for ruling in faults:
        assert (ruling.severity, ruling.audience, ruling.window, ruling.remedy) == (
            "high", "floor", "unlimited", (),
        )  # fmt: skip


def test_severities_are_those_of_the_catalogue(book):
    by_severity = {}
    for ruling in book.rulings.values():
        if not ruling.id.startswith("remedy-"):
            by_severity.setdefault((ruling.first_severity, ruling.severity), set()).add(ruling.id)
    assert by_severity == {
        ("medium", "critical"): {
            "deal-first-card-exposed", "deal-multiple-cards-exposed", "deal-out-of-sequence",
        },
        (None, "critical"): {
            "deck-duplicate-card", "deal-replacement-exposed", "deal-extra-card-other",
            "deal-multiple-extra-cards", "flop-premature", "flop-overcount", "turn-premature",
            "river-premature",
        },
        (None, "high"): {
            "deal-replacement-wrong", "deal-exposed-card-kept", "deal-wrong-first-seat",
            "deal-unentitled-seat", "flop-no-burn", "flop-multiple-burns", "turn-no-burn",
            "river-no-burn",
        },
        (None, "medium"): {
            "cut-skipped", "deal-single-card-exposed", "deal-extra-card-first-player",
            "turn-multiple-burns", "river-multiple-burns", "board-card-withdrawn",
            "showdown-board-undeclared",
        },
        (None, "low"): {"burn-premature"},
    }  # fmt: skip


def test_only_an_early_burn_is_for_the_log_and_all_else_is_for_the_floor(book):
    audiences = {id_: ruling.audience for id_, ruling in book.rulings.items()}
    assert audiences.pop("burn-premature") == "log"
    assert set(audiences.values()) == {"floor"}


def test_a_misdeal_is_never_held_back_but_for_a_fault_of_order(book):
    held = {id_ for id_ in MISDEALS if book.rulings[id_].grace_ms != 0}
    assert held == {"deal-out-of-sequence", "deal-replacement-wrong"}
    last = book.ruling("deal-extra-card-other", frozenset({"last-off-deck"}))
    assert last.grace_ms is None


def test_windows_are_substantial_action_for_the_deal_and_any_action_for_burns(book):
    for ruling in book.rulings.values():
        if ruling.id.startswith("deal-"):
            assert ruling.window == "substantial-action", ruling.id
        if ruling.id.endswith(("-no-burn", "-multiple-burns")):
            assert ruling.window == "any-action", ruling.id
        if ruling.id.endswith("-premature"):
            assert ruling.window == "unlimited", ruling.id


def test_what_no_text_confirms_is_marked(book):
    marked = {key for key, ruling in every_ruling(book) if ruling.unconfirmed}
    burns = {
        (f"{street}-{fault}", None)
        for street in ("flop", "turn", "river")
        for fault in ("no-burn", "multiple-burns")
    }
    assert marked == burns | {
        ("flop-no-burn", "unexposed"),
        ("cut-skipped", None),
        ("deal-extra-card-other", "last-off-deck"),
        ("remedy-shuffle-exposed", None),
    }


def test_a_table_with_the_usual_senses_can_see_every_irregularity(book):
    usual = DEFAULT_SENSES
    blind = {
        ruling.id
        for ruling in book.rulings.values()
        if not any(usual.issuperset(senses) for senses in ruling.needs)
    }
    assert blind == set()


def test_everything_is_enabled_and_the_parameters_are_the_programs_defaults(book):
    assert all(ruling.enabled and not ruling.shadow for ruling in book.rulings.values())
    assert book.parameters == Parameters()
    assert tuple(book.rulings) == IDS
