"""What a table's sensors let it see of a rulebook."""

import pytest

from daemon.edges.books import read_books, read_rulebook
from daemon.rules.coverage import Lack, coverage, gains, told
from daemon.rules.vocabulary import IDS, UNSEEN
from daemon.table.events import ALL_SENSES, DEFAULT_SENSES, Betting

SHOE = frozenset({"order", "identity", "count"})
DEALER = Betting("closes", "dealer")
NONE = Betting("none")


@pytest.fixture(scope="module")
def book():
    return read_rulebook("robert-classic")


def by_id(book, sees, betting=None):
    return {one.id: one for one in coverage(book, sees, betting or Betting())}


def how(book, sees, betting=None):
    return {id_: one.how for id_, one in by_id(book, sees, betting).items()}


def test_a_table_with_every_sense_spots_all_that_its_rulebook_has(book):
    found = how(book, ALL_SENSES)
    assert tuple(found) == IDS
    enabled = {id_ for id_, ruling in book.rulings.items() if ruling.enabled}
    assert {id_ for id_, way in found.items() if way == "spotted"} == enabled
    assert {id_ for id_, way in found.items() if way == "nowhere"} == set(UNSEEN)
    assert set(found.values()) == {"spotted", "nowhere", "silent"}


def test_each_irregularity_is_told_once_and_what_is_spotted_lacks_nothing(book):
    for sees in (frozenset(), SHOE, DEFAULT_SENSES, ALL_SENSES):
        for betting in (Betting(), DEALER, NONE):
            covered = coverage(book, sees, betting)
            assert [one.id for one in covered] == list(IDS)
            for one in covered:
                assert (one.lack == Lack()) == (one.how in ("spotted", "nowhere", "silent")), one


def test_a_premature_street_is_spotted_only_by_betting_told_independently(book):
    for irregularity in ("flop-premature", "turn-premature", "streets-premature-multiple"):
        assert how(book, DEFAULT_SENSES)[irregularity] == "spotted"
        assert how(book, DEFAULT_SENSES, Betting("closes"))[irregularity] == "spotted"
        for betting in (DEALER, Betting("acts", "dealer"), NONE):
            one = by_id(book, DEFAULT_SENSES, betting)[irregularity]
            assert (one.how, one.lack) == ("called", Lack(betting="closes"))


def test_without_the_floor_key_nothing_can_be_called(book):
    found = how(book, DEFAULT_SENSES - {"floor"}, NONE)
    assert "called" not in found.values()
    assert found["turn-premature"] == "unseen"
    assert found["board-card-withdrawn"] == "spotted"


def test_a_skipped_player_takes_every_act(book):
    one = by_id(book, DEFAULT_SENSES, Betting("closes"))["player-skipped"]
    assert (one.how, one.lack) == ("called", Lack(betting="acts"))


def test_a_misdeal_is_followed_once_called_where_its_ground_cannot_be_seen(book):
    found = by_id(book, DEFAULT_SENSES - {"face"})
    assert found["deal-first-card-exposed"].how == "called"
    assert found["deal-first-card-exposed"].lack == Lack(("face",))
    assert found["deal-single-card-exposed"].how == "unseen"


def test_the_fewest_senses_that_would_do_are_named(book):
    found = by_id(book, frozenset({"order"}))
    assert found["deal-first-card-exposed"].lack == Lack(("face",))
    assert found["flop-no-burn"].lack == Lack(("board", "burn"))
    assert found["card-passed"].lack == Lack(("identity", "place", "face"))
    assert found["hand-killed-by-dealer"].lack == Lack(("place", "muck"))


def test_what_one_more_sense_would_add_comes_before_what_takes_two(book):
    covered = coverage(book, frozenset({"identity", "place"}), Betting())
    sizes = [len(lack.senses) for lack in gains(covered)]
    assert sizes == sorted(sizes)
    assert set(gains(covered)[Lack(("board",))]) >= {"turn-premature", "turn-overcount"}
    more = coverage(book, frozenset({"identity", "place", "board"}), Betting())
    spotted = {one.id for one in more if one.how == "spotted"}
    assert spotted >= set(gains(covered)[Lack(("board",))])


def test_a_sense_more_never_takes_anything_away(book):
    for sense in sorted(ALL_SENSES):
        without = {i for i, way in how(book, ALL_SENSES - {sense}).items() if way == "spotted"}
        assert without <= {i for i, way in how(book, ALL_SENSES).items() if way == "spotted"}


def test_the_coverage_reads_as_a_short_page_in_either_language():
    book, texts = read_books("robert-classic")
    covered = coverage(book, DEFAULT_SENSES - {"cut"}, Betting())
    page = told(covered, texts, "en")
    assert page.startswith("This table spots (91):\n  deck-duplicate-card ")
    assert page.endswith(
        "It follows once they are called by key (1):\n"
        "  with cut:\n"
        "    cut-skipped\n"
        "It cannot see (3):\n"
        "  with cut:\n"
        "    remedy-no-cut\n"
        "  with order:\n"
        "    card-order-broken\n"
        "  with stub:\n"
        "    stub-set-down-early\n"
        "No table can see (1):\n"
        "  deal-blind-misposted\n"
        "Not in this rulebook (7):\n"
        "  deck-cut-card-exposed shuffle-card-exposed cut-short deck-change-untimely\n"
        "  deal-second-card-exposed misdeal-unfounded showdown-allin-not-tabled\n"
    )
    italian = told(covered, texts, "it")
    assert italian.count("\n") == page.count("\n")
    assert "  con cut:\n    cut-skipped\n" in italian


def test_betting_that_would_be_missing_is_named_in_words():
    book, texts = read_books("tda-2024")
    page = told(coverage(book, DEFAULT_SENSES, DEALER), texts, "en")
    assert "  with the end of each round, told independently:\n    flop-premature" in page
