"""The page of irregularities is in step with the rulebooks and the scenarios."""

from daemon.rules.vocabulary import IDS
from tests.catalogue import PAGE, SECTIONS, page


def test_the_page_of_irregularities_is_what_the_rulebooks_and_the_scenarios_say():
    assert PAGE.read_text("utf-8") == page(), "python -m tests.catalogue writes it anew"


def test_every_irregularity_has_one_row_in_the_order_of_a_hand():
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    assert [line.split("`")[1] for line in rows] == list(IDS)
    assert set(SECTIONS) <= set(IDS)
    assert all(line.count(" | ") == rows[0].count(" | ") for line in rows)
