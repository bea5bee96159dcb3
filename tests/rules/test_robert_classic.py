"""The founding text as shipped: its severities, audiences, windows and silences."""

import pytest

from daemon.edges.books import read_rulebook
from daemon.rules.parameters import Parameters
from daemon.rules.vocabulary import IDS, UNSEEN
from daemon.table.events import DEFAULT_SENSES

MISDEAL = ("collect", "shuffle", "cut", "deal")

# first_severity, severity: the ids of the catalogue's columns
SEVERITIES = {
    ("medium", "critical"): """
        deal-first-card-exposed deal-second-card-exposed deal-multiple-cards-exposed
        deal-out-of-sequence
    """,
    (None, "critical"): """
        deck-duplicate-card deck-foreign-back deck-mixed deal-replacement-exposed
        deal-entitled-seat-skipped deal-extra-card-other deal-multiple-extra-cards
        deal-too-few-cards deal-boxed-cards-multiple flop-premature flop-premature-partial
        flop-overcount flop-overcount-5plus turn-premature river-premature
        streets-premature-multiple premature-acted-on turn-overcount river-overcount burn-in-hand
        board-from-muck board-destroyed stub-disordered stub-mixed-with-muck
        hand-wrong-count-after-window hand-killed-by-dealer showdown-winner-killed
    """,
    (None, "high"): """
        deck-missing-card deck-joker leftover-card deal-replacement-undue deal-replacement-wrong
        deal-exposed-card-kept deal-wrong-first-seat deal-unentitled-seat card-passed
        deal-button-misplaced flop-undercount flop-no-burn flop-multiple-burns turn-no-burn
        river-no-burn burn-lost-in-muck board-card-flashed card-order-broken street-skipped
        player-skipped hand-fouled-by-contact hand-retrieved-from-muck showdown-allin-not-tabled
        pot-pushed-early
    """,
    (None, "medium"): """
        deck-marked-card deck-cut-card-exposed cut-skipped deal-single-card-exposed
        deal-card-off-table deal-extra-card-first-player deal-too-few-button deal-packet
        deal-boxed-card deal-blind-misposted misdeal-unfounded board-card-withdrawn
        turn-multiple-burns river-multiple-burns board-card-boxed hand-card-dropped
        showdown-board-undeclared showdown-partial-muck count-mismatch-at-end
    """,
    (None, "low"): """
        shuffle-incomplete shuffle-card-exposed cut-short boxed-card-at-cut deck-change-untimely
        deal-card-flashed player-exposed-own-card action-before-deal-complete hand-dealt-untimely
        burn-premature burn-exposed stub-dropped stub-set-down-early street-after-hand-over
    """,
}
# all others: the floor
AUDIENCES = {
    "surveillance": "leftover-card deck-change-untimely card-passed card-order-broken",
    "maintenance": "count-mismatch-at-end",
    "log": """
        shuffle-incomplete shuffle-card-exposed cut-short boxed-card-at-cut deal-card-flashed
        player-exposed-own-card action-before-deal-complete hand-dealt-untimely burn-premature
        burn-exposed stub-dropped stub-set-down-early street-after-hand-over
    """,
}


@pytest.fixture(scope="module")
def book():
    return read_rulebook("robert-classic")


def test_severities_are_those_of_the_catalogue(book):
    by_severity = {}
    for ruling in book.rulings.values():
        if not ruling.id.startswith("remedy-"):
            by_severity.setdefault((ruling.first_severity, ruling.severity), set()).add(ruling.id)
    assert by_severity == {severity: set(ids.split()) for severity, ids in SEVERITIES.items()}


def test_audiences_are_those_of_the_catalogue(book):
    audiences = {}
    for ruling in book.rulings.values():
        audiences.setdefault(ruling.audience, set()).add(ruling.id)
    audiences.pop("floor")
    assert audiences == {audience: set(ids.split()) for audience, ids in AUDIENCES.items()}


def test_a_misdeal_is_never_held_back_but_for_a_fault_of_order_or_of_replacement(book):
    held = {r.id for r in book.rulings.values() if r.remedy == MISDEAL and r.grace_ms != 0}
    assert held == {
        "deal-out-of-sequence", "deal-packet", "deal-replacement-wrong", "deal-replacement-undue",
    }  # fmt: skip
    last = book.ruling("deal-extra-card-other", frozenset({"last-off-deck"}))
    due = book.ruling("deal-too-few-cards", frozenset({"in-sequence"}))
    assert (last.grace_ms, due.grace_ms) == (None, None)


def test_windows_are_substantial_action_for_the_deal_and_any_action_for_burns(book):
    for ruling in book.rulings.values():
        if ruling.remedy == MISDEAL:
            assert ruling.window == "substantial-action", ruling.id
        if ruling.id.endswith(("-no-burn", "-multiple-burns")):
            assert ruling.window == "any-action", ruling.id
        if "premature" in ruling.id or ruling.id.startswith("remedy-"):
            assert ruling.window == "unlimited", ruling.id
    assert book.rulings["deal-too-few-button"].window == "subject-acts"
    assert book.rulings["player-skipped"].window == "skipped"


def test_a_table_with_the_usual_senses_can_see_all_but_what_takes_a_shoe_or_a_pad(book):
    blind = {
        ruling.id
        for ruling in book.rulings.values()
        if ruling.needs and not any(DEFAULT_SENSES.issuperset(senses) for senses in ruling.needs)
    }
    assert blind == {"card-order-broken", "deal-blind-misposted", "stub-set-down-early"}


def test_what_no_dealing_event_shows_has_a_silent_row_and_a_reason_in_one_sentence(book):
    assert set(UNSEEN) == {"deal-blind-misposted"}
    for irregularity, reason in UNSEEN.items():
        assert not book.rulings[irregularity].enabled
        assert reason
        assert "." not in reason


def test_the_text_is_silent_where_the_catalogue_has_a_dash(book):
    assert {id_ for id_, ruling in book.rulings.items() if not ruling.enabled} == {
        *UNSEEN,
        "deck-cut-card-exposed", "shuffle-card-exposed", "cut-short", "deck-change-untimely",
        "misdeal-unfounded",
        "deal-second-card-exposed",   # by first_cards_misdeal
        "showdown-allin-not-tabled",  # by allin_hands_tabled
    }  # fmt: skip


def test_the_parameters_are_the_programs_defaults_and_nothing_runs_in_the_shadow(book):
    assert not any(ruling.shadow for ruling in book.rulings.values())
    assert book.parameters == Parameters()
    assert tuple(book.rulings) == IDS
    assert len(IDS) == len(set(IDS)) == 103


def test_every_irregularity_has_a_citation_and_says_what_it_needs(book):
    needing_no_sense = {r.id for r in book.rulings.values() if not r.needs}
    assert needing_no_sense == {"hand-dealt-untimely"}
    assert all(r.cite for r in book.rulings.values())
    assert book.rulings["player-skipped"].betting == "acts"
