"""How a rulebook is built from its files, and what is said of one that cannot be."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.edges.books import read_rulebook
from daemon.rules.mistakes import BookError, Mistake, Source
from daemon.rules.parameters import Parameters
from daemon.rules.rulebook import FACTS, IDS, STEPS, build
from daemon.rules.vocabulary import SEVERITIES, WINDOWS
from daemon.rules.written import ROW_KEYS
from daemon.shipped import config_path

CLASSIC = Source(
    "classic.toml",
    tomllib.loads((config_path() / "rulebooks/robert-classic.toml").read_text()),
)


def extended(text, house=None):
    return build("house", [CLASSIC, Source("house.toml", tomllib.loads(text))], house)


def mistakes(text, house=None):
    with pytest.raises(BookError) as error:
        extended(text, house)
    return [(found.file, found.table, found.key) for found in error.value.mistakes]


def told(text):
    with pytest.raises(BookError) as error:
        extended(text)
    return [found.text for found in error.value.mistakes]


def bare(ruling):
    """The ruling without the names of the books it comes from."""
    when = tuple(replace(variant, ruling=bare(variant.ruling)) for variant in ruling.when)
    return replace(ruling, books=(), when=when)


def test_an_extension_changes_only_what_differs():
    book = extended("""
        name = "The house"
        [turn-premature]
        severity = "high"
        [turn-premature.when.no-burn]
        audience = "surveillance"
    """)
    plain = read_rulebook("robert-classic")
    assert (book.name, book.title) == ("house", "The house")
    assert book.parameters == plain.parameters
    differing = {id_ for id_ in IDS if bare(book.rulings[id_]) != bare(plain.rulings[id_])}
    assert differing == {"turn-premature"}
    turn, was = book.rulings["turn-premature"], plain.rulings["turn-premature"]
    assert (turn.severity, turn.audience) == ("high", "floor")
    assert (turn.remedy, turn.cite, turn.needs) == (was.remedy, was.cite, was.needs)
    (variant,) = turn.when
    assert (variant.ruling.audience, variant.ruling.severity) == ("surveillance", "high")
    assert variant.ruling.remedy == was.when[0].ruling.remedy


def test_an_extension_keeps_the_name_of_what_it_extends_unless_it_has_its_own():
    assert extended("").title == CLASSIC.tables["name"]


def test_the_word_default_takes_back_what_the_extended_text_says():
    book = extended("""
        [deal-first-card-exposed]
        first_severity = "default"
        after_remedy = "default"
        grace_ms = "default"
        [turn-premature.when]
        no-burn = "default"
    """)
    first = book.rulings["deal-first-card-exposed"]
    assert (first.first_severity, first.after_remedy, first.grace_ms) == (None, None, None)
    assert book.rulings["turn-premature"].when == ()


def test_the_first_fact_that_holds_chooses_the_ruling():
    book = extended("""
        [turn-premature.when.acted]
        remedy = ["floor"]
    """)
    both = book.ruling("turn-premature", frozenset({"acted", "no-burn"}))
    assert (both.fact, both.remedy[-2:]) == ("no-burn", ("burn", "river"))
    assert book.ruling("turn-premature", frozenset({"acted"})).remedy == ("floor",)
    assert book.ruling("turn-premature", frozenset({"unexposed"})).fact is None
    assert book.ruling("turn-premature") is book.rulings["turn-premature"]


def test_a_burn_on_redeal_stands_before_every_street_redealt_after_a_shuffle_and_no_other():
    book = extended("[parameters]\nburn_on_redeal = true")
    plain = read_rulebook("robert-classic")
    assert book.rulings["turn-premature"].remedy[-2:] == ("burn", "river")
    assert book.rulings["flop-overcount"].remedy == (
        "return-board", "shuffle", "cut", "burn", "flop",
    )  # fmt: skip
    for unchanged in ("deal-single-card-exposed", "turn-multiple-burns", "flop-no-burn"):
        assert bare(book.rulings[unchanged]) == bare(plain.rulings[unchanged])


def test_without_a_cut_on_premature_only_the_premature_streets_lose_theirs():
    book = extended("[parameters]\ncut_on_premature = false")
    without = {id_ for id_ in IDS if "cut" not in book.rulings[id_].remedy}
    plain = read_rulebook("robert-classic")
    never = {id_ for id_ in IDS if "cut" not in plain.rulings[id_].remedy}
    assert without - never == {
        "flop-premature", "flop-premature-partial", "turn-premature", "river-premature",
        "streets-premature-multiple", "board-card-flashed",
    }  # fmt: skip
    withdrawn = book.ruling("board-card-withdrawn", frozenset({"turn"}))
    assert withdrawn.remedy == book.rulings["turn-premature"].remedy


def test_a_cut_on_premature_is_put_into_a_list_that_has_none():
    book = extended("""
        [turn-premature]
        remedy = ["return-board", "shuffle", "close", "turn-without-burn"]
    """)
    assert book.rulings["turn-premature"].remedy == (
        "return-board", "shuffle", "cut", "close", "turn-without-burn",
    )  # fmt: skip


def test_the_tables_own_configuration_overrides_parameters_by_name():
    house = Source("table.toml", {"first_cards_misdeal": 2, "misdeal_s": 7.5})
    book = extended("[parameters]\nfirst_cards_misdeal = 0\ncount_hands = 3", house)
    read = book.parameters
    assert (read.first_cards_misdeal, read.misdeal_s, read.count_hands) == (2, 7.5, 3)


def test_every_mistake_is_told_at_once_with_its_file_table_and_key():
    house = Source("table.toml", {"frist_cards_misdeal": 2, "misdeal_s": "soon"})
    text = """
        name = ""
        [parameters]
        burn_pile = "bin"
        skipped_times = 3
        [turn-premature]
        severity = "urgent"
        audience = "everybody"
        window = "forever"
        remedy = ["set-asid", "close", "brun"]
        colour = "red"
        grace_ms = -1
        enabled = "yes"
        needs = [["face", "smell"], []]
        [turn-premature.when.noburn]
        remedy = []
        [turn-premature.when.no-burn]
        enabled = true
        remedy = "burn"
        [turn-premture]
    """
    assert mistakes(text, house) == [
        ("house.toml", "", "name"),
        ("house.toml", "parameters", "burn_pile"),
        ("house.toml", "parameters", "skipped_times"),
        ("house.toml", "turn-premature", "severity"),
        ("house.toml", "turn-premature", "audience"),
        ("house.toml", "turn-premature", "window"),
        ("house.toml", "turn-premature", "remedy"),
        ("house.toml", "turn-premature", "remedy"),
        ("house.toml", "turn-premature", "colour"),
        ("house.toml", "turn-premature", "grace_ms"),
        ("house.toml", "turn-premature", "enabled"),
        ("house.toml", "turn-premature", "needs"),
        ("house.toml", "turn-premature", "needs"),
        ("house.toml", "turn-premature.when", "noburn"),
        ("house.toml", "turn-premature.when.no-burn", "enabled"),
        ("house.toml", "turn-premature.when.no-burn", "remedy"),
        ("house.toml", "", "turn-premture"),
        ("table.toml", "house", "frist_cards_misdeal"),
        ("table.toml", "house", "misdeal_s"),
    ]


def test_a_mistake_says_what_was_perhaps_meant():
    assert told('[turn-premature]\nremedy = ["set-asid"]') == [
        "'set-asid' is not a step; perhaps set-aside"
    ]
    assert told("[parameters]\nfirst_cards_misdeal = 3") == ["must be 0 or 1 or 2, is 3"]
    assert told("[parameters]\nmisdeal_s = nan") == ["must be a number from 0 to 86400, is nan"]


def test_what_is_no_table_or_list_is_told_by_its_size():
    assert told("cut-skipped = [1, 2]") == ["must be a table, is a list of 2"]
    assert told("[cut-skipped]\nwhen = 3") == ["must be a table, is 3"]
    assert told("[cut-skipped]\ncite = {}") == [
        "must be one line of 1 to 80 characters, is a table of 0"
    ]
    assert told('[cut-skipped]\ncite = "two\\n"') == [
        "must be one line of 1 to 80 characters, is 'two\\n'"
    ]
    assert told('[parameters]\nscrap_joker = "no"') == [
        "must be true or false or 'after-sa', is 'no'"
    ]
    assert told('[cut-skipped]\nneeds = "face"') == [
        "must be a list of at most 16 lists of senses, is 'face'"
    ]
    assert told(f'[cut-skipped]\nseverity = "{"x" * 99}"')[0].endswith(f"is '{'x' * 46}…")


def test_the_error_reads_as_a_list_of_places():
    error = BookError(
        [
            Mistake("a.toml", "turn-premature", "severity", "is missing"),
            Mistake("a.toml", "", "extends", "goes round"),
            Mistake("b.toml", "", "", "cannot be read"),
        ]
    )
    assert str(error).splitlines() == [
        "a.toml is not usable:",
        "  turn-premature.severity  is missing",
        "  extends                  goes round",
        "b.toml is not usable:",
        "    cannot be read",
    ]


@pytest.mark.parametrize(
    ("remedy", "why"),
    [
        (["return-aside", "shuffle"], "return-aside without set-aside before it"),
        (["replace", "deal"], "replace without deal before it"),
        (["pick-burn"], "pick-burn without scramble before it"),
        (["turn-up"], "turn-up without turn-down before it"),
        (["next-card"], "next-card without scrap before it"),
        (["river-from-saved"], "river-from-saved without save-river before it"),
        (["collect", "shuffle"], "collect without deal after it"),
        (["collect", "deal"], "deal after collect without shuffle between them"),
        (["river", "turn"], "turn after the river"),
        (["flop", "flop-without-burn"], "flop-without-burn after the flop"),
        (["burn", "turn-without-burn"], "burn right before turn-without-burn"),
        (["save-river"], "save-river without river-from-saved after it"),
    ],
)
def test_a_remedy_that_can_never_end_the_hand_is_a_mistake(remedy, why):
    assert told(f"[river-premature]\nremedy = {remedy}") == [f"can never end: {why}"]


def test_board_cards_taken_back_must_be_dealt_again():
    (why,) = told('[flop-premature]\nremedy = ["return-board", "shuffle"]')
    assert why.startswith("can never end: return-board without ")


def test_a_text_that_extends_nothing_needs_a_row_for_every_irregularity():
    with pytest.raises(BookError) as error:
        build("alone", [Source("alone.toml", {"cut-skipped": {"severity": "low"}})])
    places = [found.path for found in error.value.mistakes]
    assert "name" in places
    assert set(IDS) - set(places) == {"cut-skipped"}
    assert [place for place in places if place.startswith("cut-skipped.")] == [
        "cut-skipped.audience", "cut-skipped.window", "cut-skipped.cite", "cut-skipped.remedy",
    ]  # fmt: skip


def test_where_a_file_could_not_be_found_what_is_left_out_is_not_held_against_the_rest():
    lost = Mistake("house.toml", "", "extends", "is no rulebook")
    with pytest.raises(BookError) as error:
        build("house", [Source("house.toml", {})], None, [lost])
    assert error.value.mistakes == (lost,)


def test_a_strange_key_is_printed_quoted_and_cut():
    strange = "\x1b[2J" + "x" * 500
    with pytest.raises(BookError) as error:
        build("house", [CLASSIC, Source("house.toml", {strange: 1})])
    assert str(error.value).isprintable() is False  # only its line ends are not
    assert all(line.isprintable() for line in str(error.value).splitlines())
    assert len(str(error.value)) < 300


words = st.sampled_from(
    sorted({*IDS, *STEPS, *FACTS, *ROW_KEYS, "name", "extends", "parameters", "default"})
)
scalars = (
    words | st.text(max_size=20) | st.integers() | st.booleans() | st.floats() | st.datetimes()
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(words | st.text(max_size=20), inner, max_size=5)
    ),
    max_leaves=20,
)
tables = st.dictionaries(words | st.text(max_size=20), values, max_size=8)


def built(chain, house):
    try:
        return build("g", chain, house), ()
    except BookError as error:
        return None, error.mistakes


@given(tables, tables)
@settings(max_examples=100)
def test_no_tables_whatever_raise_anything_but_the_list_of_mistakes(garbage, house):
    for chain in ([Source("g.toml", garbage)], [CLASSIC, Source("g.toml", garbage)]):
        book, found = built(chain, Source("table.toml", house))
        assert (book is None) == bool(found)
        assert all(mistake.file and mistake.text for mistake in found)
        assert book is None or tuple(book.rulings) == IDS


def test_the_page_on_rulebooks_knows_every_word():
    told = (config_path().parent / "docs/rulebooks.md").read_text()
    words = {*STEPS, *FACTS, *ROW_KEYS, *Parameters.__struct_fields__, *WINDOWS, *SEVERITIES}
    assert {word for word in words if f"`{word}`" not in told} == set()
