"""The three rulebooks held against the table of remedies by authority, written out by hand.

A cell is the remedy, `> ` what is left to do once the window is closed, `?` that the text could not
be confirmed. `-` is a row that is there and silent, `without` a fact that this text does not have,
`=` what the column before says. Names stand for the machines below, other words for steps.
"""

import pytest

from daemon.edges.books import read_books, read_rulebook
from daemon.rules.vocabulary import IDS

BOOKS = ("robert-classic", "robert", "tda-2024")

# The steps of each machine: of both editions of Robert's Rules, and of the TDA where they differ.
# Written short: ff tt rr = flop, turn, river without a burn; RB return-board; S shuffle; K cut.
# fmt: off
MACHINES = {
    "SM-1":  ("deal replace exposed-to-burn close ff", None),
    "SM-2":  ("collect S K deal", None),
    "SM-3":  ("extra-to-burn close ff", None),
    "SM-4":  ("RB close S K ff", "RB S close ff"),
    "SM-4b": ("RB close S K burn flop", "RB S close burn flop"),
    "redeal":       ("RB S K ff", None),
    "floor-redeal": ("floor RB S K ff", None),
    "SM-6":  (None, "floor turn-down scramble pick-burn turn-up close tt"),
    "SM-7":  ("RB S K burn flop", "turn-down scramble pick-burn top-to-board turn-up"),
    "SM-7u": ("board-to-top burn flop", None),
    "SM-8":  ("set-aside close burn turn close return-aside S K rr", None),
    "SM-8b": ("set-aside close burn turn close return-aside S K burn river", None),
    "SM-9":  (None, "RB S close tt"),
    "SM-9b": (None, "RB S close burn turn"),
    "SM-11":  ("set-aside close return-aside S K rr", "RB S close rr"),
    "SM-11b": ("set-aside close return-aside S K burn river", "RB S close burn river"),
    "SM-12f":  ("board-to-top burn-to-top ff", None),      # two burns
    "SM-12tt": ("board-to-top burn-to-top tt", None),
    "SM-12rr": ("board-to-top burn-to-top rr", None),
    "SM-12t":  ("board-to-top burn turn", None),           # no burn
    "SM-12r":  ("board-to-top burn river", None),
    "double-turn":  ("close double-burn turn", None),      # acted on, no burn
    "double-river": ("close double-burn river", None),
    "back-turn":    ("burn-to-top close burn turn", None), # acted on, two burns
    "back-river":   ("burn-to-top close burn river", None),
    "SM-13":  ("scrap next-card", None),
    "SM-13c": ("scrap deal replace", None),                # covered
    "SM-14":  ("floor refund deck-change S K deal", None),
    "SM-15":  ("scramble S K", None),
    "SM-16":  ("button-card", None),
    "SM-17":  ("floor kill-hand", None),
    "SM-18":  ("floor RB close S K ff close tt close rr", "floor RB close S ff close tt close rr"),
    "SM-18t": ("floor RB close S K tt close rr", "floor RB close S tt close rr"),
    "rest-flop":  ("floor burn flop burn turn burn river", None),
    "rest-turn":  ("floor burn turn burn river", None),
    "rest-river": ("floor burn river", None),
}
# fmt: on
SHORT = {
    "ff": "flop-without-burn",
    "tt": "turn-without-burn",
    "rr": "river-without-burn",
    "RB": "return-board",
    "S": "shuffle",
    "K": "cut",
    "none": "",
}

TABLE = """
deck-duplicate-card           | SM-14                  | =                    | SM-14
deck-missing-card             | floor ?                | =                    | floor ?
deck-foreign-back             | SM-14                  | =                    | SM-14 ?
deck-mixed                    | SM-14                  | =                    | SM-14 ?
deck-joker                    | SM-13 > SM-17          | =                    | SM-2 > SM-13
  .covered                    | SM-13c > SM-17         | =                    | SM-2 > SM-13c
deck-marked-card              | floor                  | =                    | floor ?
deck-cut-card-exposed         | -                      | =                    | -
shuffle-incomplete            | none ?                 | =                    | -
shuffle-card-exposed          | -                      | =                    | -
cut-skipped                   | SM-2 > none ?          | =                    | -
cut-short                     | -                      | =                    | -
boxed-card-at-cut             | none ?                 | =                    | none ?
leftover-card                 | none ?                 | =                    | none ?
deck-change-untimely          | -                      | =                    | none
deal-first-card-exposed       | SM-2 > none            | =                    | SM-2 > none
deal-second-card-exposed      | -                      | SM-2 > none          | SM-2 > none
deal-single-card-exposed      | SM-1                   | =                    | SM-1 ?
deal-multiple-cards-exposed   | SM-2 > none            | =                    | SM-2 > none
deal-card-off-table           | SM-1                   | =                    | SM-1 ?
deal-card-flashed             | none                   | =                    | none ?
player-exposed-own-card       | none                   | =                    | none
deal-replacement-undue        | SM-2 > floor           | =                    | SM-2 > floor
deal-replacement-wrong        | SM-2 > floor           | =                    | -
deal-replacement-exposed      | SM-2 > floor           | =                    | SM-2 > floor
deal-exposed-card-kept        | floor                  | =                    | -
deal-wrong-first-seat         | SM-2 > none            | =                    | SM-2 > none
deal-out-of-sequence          | SM-2 > none            | =                    | SM-2 > none ?
deal-entitled-seat-skipped    | SM-2 > none            | =                    | SM-2 > none
deal-unentitled-seat          | SM-2 > SM-17           | =                    | SM-2 > SM-17
deal-extra-card-first-player  | SM-3                   | =                    | SM-2 > SM-17
deal-extra-card-other         | SM-2 > SM-17           | =                    | SM-2 > SM-17
  .last-off-deck              | SM-3 ?                 | =                    | without
deal-multiple-extra-cards     | SM-2 > SM-17           | =                    | SM-2 > SM-17
deal-too-few-cards            | SM-2 > SM-17           | =                    | SM-2 > SM-17
  .in-sequence                | deal > SM-17           | =                    | without
deal-too-few-button           | SM-16                  | =                    | SM-16 > kill-hand
deal-packet                   | SM-2 > none            | =                    | -
card-passed                   | none                   | =                    | none
deal-boxed-card               | SM-13                  | =                    | SM-13
  .covered                    | SM-13c                 | =                    | SM-13c
deal-boxed-cards-multiple     | SM-2 > none            | =                    | SM-2 > none
deal-button-misplaced         | SM-2 > none            | =                    | SM-2 > none
deal-blind-misposted          | -                      | =                    | -
action-before-deal-complete   | none ?                 | =                    | -
misdeal-unfounded             | -                      | =                    | none
hand-dealt-untimely           | none ?                 | =                    | none
flop-premature                | SM-4                   | =                    | SM-4
  .no-burn                    | SM-4b                  | =                    | SM-4b
flop-premature-partial        | SM-4 ?                 | =                    | SM-4 ?
  .no-burn                    | SM-4b ?                | =                    | SM-4b ?
flop-overcount                | redeal                 | =                    | SM-6
  .unexposed                  | board-to-top           | =                    | without
flop-overcount-5plus          | floor-redeal ?         | =                    | floor ?
flop-undercount               | floor ?                | =                    | floor ?
flop-no-burn                  | SM-7 > double-turn ?   | SM-7 > double-turn   | SM-7 > none
  .unexposed                  | SM-7u > double-turn ?  | SM-7u > double-turn  | without
flop-multiple-burns           | SM-12f > back-turn ?   | SM-12f > back-turn   | none > none ?
turn-premature                | SM-8                   | =                    | SM-9
  .no-burn                    | SM-8b                  | =                    | SM-9b
turn-no-burn                  | SM-12t > double-river ? | SM-12t > double-river | none > none ?
turn-multiple-burns           | SM-12tt > back-river ? | SM-12tt > back-river | none > none ?
turn-overcount                | floor ?                | =                    | floor ?
river-premature               | SM-11                  | =                    | SM-11
  .no-burn                    | SM-11b                 | =                    | SM-11b
river-no-burn                 | SM-12r > none ?        | SM-12r > none        | none > none ?
river-multiple-burns          | SM-12rr > none ?       | SM-12rr > none       | none > none ?
river-overcount               | floor ?                | =                    | floor ?
streets-premature-multiple    | SM-18 ?                | =                    | SM-18 ?
  .turn                       | SM-18t ?               | =                    | SM-18t ?
premature-acted-on            | floor ?                | =                    | floor ?
board-card-withdrawn          | floor                  | =                    | floor
  .flop                       | SM-4                   | =                    | SM-4
  .turn                       | SM-8                   | =                    | SM-9
  .river                      | SM-11                  | =                    | SM-11
burn-premature                | none                   | =                    | none
burn-exposed                  | none ?                 | =                    | none ?
burn-lost-in-muck             | floor ?                | =                    | -
burn-in-hand                  | SM-17                  | =                    | SM-17
board-card-boxed              | SM-13                  | =                    | SM-13
board-card-flashed            | close S K              | =                    | S close ?
board-from-muck               | floor > none ?         | =                    | floor ?
board-destroyed               | floor ?                | =                    | floor ?
stub-dropped                  | none ?                 | =                    | none
stub-disordered               | SM-15 ?                | =                    | SM-15
  .mixed                      | SM-15 ?                | =                    | SM-15
  .rebuilt                    | rebuild-stub ?         | =                    | rebuild-stub
stub-mixed-with-muck          | SM-15 ?                | =                    | SM-15
stub-set-down-early           | none ?                 | =                    | none ?
card-order-broken             | none ?                 | =                    | -
street-skipped                | floor ?                | =                    | floor ?
  .flop                       | rest-flop ?            | =                    | rest-flop ?
  .turn                       | rest-turn ?            | =                    | rest-turn ?
  .river                      | rest-river ?           | =                    | rest-river ?
street-after-hand-over        | none ?                 | =                    | none
player-skipped                | close > floor ?        | =                    | close > floor
hand-wrong-count-after-window | SM-17                  | =                    | SM-17
hand-killed-by-dealer         | floor                  | =                    | floor
hand-fouled-by-contact        | floor                  | =                    | floor
hand-card-dropped             | none                   | =                    | floor ?
hand-retrieved-from-muck      | floor                  | =                    | floor
showdown-board-undeclared     | none                   | =                    | none
showdown-partial-muck         | floor                  | =                    | floor
showdown-allin-not-tabled     | -                      | =                    | floor
showdown-winner-killed        | floor                  | =                    | floor
pot-pushed-early              | floor ?                | =                    | floor
count-mismatch-at-end         | none ?                 | =                    | none ?
"""


def steps(name, authority):
    """A machine's name, or plain steps, as the steps of this authority."""
    robert, tda = MACHINES.get(name, (name, None))
    written = (tda or robert) if authority == "tda-2024" else robert
    return tuple(step for word in written.split() if (step := SHORT.get(word, word)))


def cells():
    """Each row of the table as (id, fact, authority, cell)."""
    irregularity = ""
    for line in TABLE.strip().splitlines():
        name, *columns = (column.strip() for column in line.split("|"))
        fact = name.removeprefix(".") if name.startswith(".") else None
        irregularity = irregularity if fact else name
        columns[1] = columns[0] if columns[1] == "=" else columns[1]
        for authority, cell in zip(BOOKS, columns, strict=True):
            yield irregularity, fact, authority, cell


CELLS = list(cells())
RULEBOOKS = {name: read_rulebook(name) for name in BOOKS}


def every_ruling(book):
    for ruling in book.rulings.values():
        yield ruling
        yield from (variant.ruling for variant in ruling.when)


@pytest.mark.parametrize(("irregularity", "fact", "authority", "cell"), CELLS)
def test_a_rulebook_has_the_remedy_of_its_authority(irregularity, fact, authority, cell):
    ruling = RULEBOOKS[authority].rulings[irregularity]
    if fact:
        variants = {variant.fact: variant.ruling for variant in ruling.when}
        if cell == "without":
            assert fact not in variants
            return
        ruling = variants[fact]
    if cell == "-":
        assert not ruling.enabled
        return
    assert ruling.enabled
    assert ruling.unconfirmed == cell.endswith(" ?")
    at_first, _, late = cell.removesuffix(" ?").partition(" > ")
    assert ruling.remedy == steps(at_first, authority)
    assert ruling.after_remedy == (steps(late, authority) if late else None)


def test_the_table_has_every_irregularity_and_every_fact_but_the_faults_in_remedies():
    told = {(irregularity, fact) for irregularity, fact, _, _ in CELLS}
    of_the_books = {
        (ruling.id, ruling.fact)
        for book in RULEBOOKS.values()
        for ruling in every_ruling(book)
        if not ruling.id.startswith("remedy-")
    }
    assert told == of_the_books


@pytest.mark.parametrize("name", BOOKS)
def test_a_fault_in_a_remedy_is_high_for_the_floor_at_any_time_and_has_no_steps(name):
    faults = [RULEBOOKS[name].rulings[id_] for id_ in IDS if id_.startswith("remedy-")]
    assert len(faults) == 15
    for ruling in faults:
        assert (ruling.severity, ruling.audience, ruling.window, ruling.remedy) == (
            "high", "floor", "unlimited", (),
        )  # fmt: skip
        assert ruling.enabled


# What the authorities differ in; all other parameters are the same under each of them.
PARAMETERS = {
    "first_cards_misdeal": (1, 2, 2),
    "substantial_action": ("two-acts", "two-acts", "tda36"),
    "skipped_window": ("three-behind", "three-behind", "sa-out-of-turn"),
    "cut_on_premature": (True, True, False),
    "scrap_joker": (False, False, "after-sa"),
    "dropped_own_card": ("plays", "plays", "floor"),
    "allin_hands_tabled": (False, False, True),
    "absent_plays_redeal": (False, False, True),
    "button_rule": ("moving", "moving", "dead"),
}


def test_the_parameters_differ_by_authority_exactly_as_the_table_of_parameters_says():
    for key in RULEBOOKS["robert-classic"].parameters.__struct_fields__:
        has = tuple(getattr(RULEBOOKS[name].parameters, key) for name in BOOKS)
        assert has == PARAMETERS.get(key, (has[0],) * 3), key


def test_severity_audience_and_senses_are_facts_of_the_table_under_every_authority():
    classic, *others = RULEBOOKS.values()
    for book in others:
        for id_ in IDS:
            one, other = classic.rulings[id_], book.rulings[id_]
            for key in ("severity", "first_severity", "audience", "needs", "betting"):
                assert getattr(one, key) == getattr(other, key), (book.name, id_, key)


def test_every_row_of_the_tda_cites_its_rule_in_the_copy_or_is_not_confirmed():
    for ruling in every_ruling(RULEBOOKS["tda-2024"]):
        cited = ruling.cite.startswith("TDA 2024 rule")
        assert cited == ruling.cite.endswith(" (third-party copy of the text)"), ruling.id
        assert cited or (ruling.unconfirmed and ruling.cite == "House procedure"), ruling.id


def test_a_house_procedure_is_confirmed_by_no_text():
    for book in RULEBOOKS.values():
        for ruling in every_ruling(book):
            assert ruling.unconfirmed or ruling.cite != "House procedure", (book.name, ruling.id)


def test_where_a_rulebook_has_another_remedy_it_has_words_of_its_own():
    _, texts = read_books("robert-classic")
    classic = {(r.id, r.fact): r for r in every_ruling(RULEBOOKS["robert-classic"])}
    for name in BOOKS[1:]:
        for ruling in every_ruling(RULEBOOKS[name]):
            was = classic[ruling.id, ruling.fact]
            if (ruling.remedy, ruling.after_remedy) == (was.remedy, was.after_remedy):
                continue
            for language in texts.languages:
                own, theirs = (texts.text(language, one)[1] for one in (ruling, was))
                assert own != theirs, (name, ruling.id, ruling.fact, language)


def test_what_is_for_the_log_has_no_steps_so_that_nothing_is_held_or_due():
    for book in RULEBOOKS.values():
        for ruling in every_ruling(book):
            if ruling.audience == "log":
                assert (ruling.severity, ruling.remedy) == ("low", ()), (book.name, ruling.id)
