"""A rulebook on paper and as JSON."""

import json

import pytest

from daemon.edges.books import read_books
from daemon.rules.mistakes import Source
from daemon.rules.printed import as_json, page
from daemon.rules.rulebook import IDS


@pytest.fixture(scope="module")
def books():
    return read_books("robert-classic")


def test_the_json_form_has_the_fields_of_the_public_format_and_no_others(books):
    read = json.loads(as_json(*books))
    assert list(read) == ["v", "rulebook", "parameters", "irregularities"]
    assert (read["v"], read["rulebook"]) == (1, "robert-classic")
    assert [row["id"] for row in read["irregularities"]] == list(IDS)
    for row in read["irregularities"]:
        assert list(row) == [
            "id", "enabled", "severity", "audience", "window", "cite", "unconfirmed", "needs",
            "betting", "remedy", "text",
        ]  # fmt: skip
        assert list(row["text"]) == ["en", "it"]
        for text in row["text"].values():
            assert list(text) == ["title", "ruling", "remedy"]
            assert len(text["remedy"]) == len(row["remedy"])


def test_a_row_of_the_json_form_says_what_the_book_says(books):
    (row,) = [
        row
        for row in json.loads(as_json(*books))["irregularities"]
        if row["id"] == "turn-premature"
    ]
    text = row.pop("text")
    assert row == {
        "id": "turn-premature",
        "enabled": True,
        "severity": "critical",
        "audience": "floor",
        "window": "unlimited",
        "cite": "Hold'em irregularities 4",
        "unconfirmed": False,
        "needs": [["board"]],
        "betting": "closes",
        "remedy": [
            "set-aside", "close", "burn", "turn", "close", "return-aside", "shuffle", "cut",
            "river-without-burn",
        ],
    }  # fmt: skip
    assert text["en"]["title"] == "Turn dealt before the betting was complete"


def test_the_json_form_has_the_parameters_and_their_edits_applied():
    house = Source("table.toml", {"burn_on_redeal": True, "cut_on_premature": False})
    read = json.loads(as_json(*read_books("robert-classic", house=house)))
    parameters = read["parameters"]
    assert (parameters["burn_on_redeal"], parameters["cut_on_premature"]) == (True, False)
    assert (parameters["first_cards_misdeal"], parameters["self_correction_s"]) == (1, 5)
    remedies = {row["id"]: row["remedy"] for row in read["irregularities"]}
    assert remedies["river-premature"] == [
        "set-aside", "close", "return-aside", "shuffle", "burn", "river",
    ]  # fmt: skip


def test_the_page_has_every_irregularity_with_its_title_and_its_steps(books):
    rulebook, texts = books
    for language in ("en", "it"):
        printed = page(rulebook, texts, language)
        for ruling in rulebook.rulings.values():
            title, _, remedy = texts.text(language, ruling)
            assert title in printed
            assert f"{ruling.id} · " in printed
            assert all(step in printed for step in remedy)
        assert printed.endswith("\n")


def test_an_article_of_the_page_reads_like_a_rule_book(books):
    printed = page(*books, "en")
    start = printed.index("Flop dealt without a burn")
    assert printed[start : printed.index("More than one burn before the flop")] == (
        "Flop dealt without a burn\n"
        "flop-no-burn · high · floor · until anybody acts"
        " · Hold'em irregularities 4, 5 (later edition) · not confirmed\n"
        "  A flop without a burn goes back and the stub is shuffled and cut; then one card is\n"
        "  burned and a new flop dealt. Once anybody has acted the flop stands, and two cards are\n"
        "  burned before the turn.\n"
        "     1  Put the flop back into the stub\n"
        "     2  Shuffle the stub, without discards\n"
        "     3  Cut the cards\n"
        "     4  Burn one card\n"
        "     5  Deal the flop\n"
        "  once it is too late:\n"
        "     1  Finish the betting round\n"
        "     2  Burn two cards\n"
        "     3  Deal the turn\n"
        "  if no face was seen:\n"
        "    No card was turned yet: the three go back on top of the stub in their order, one is\n"
        "    burned and the flop is dealt. Once anybody has acted the flop stands, and two cards\n"
        "    are burned before the turn.\n"
        "     1  Put the flop back on top of the stub, in its order\n"
        "     2  Burn one card\n"
        "     3  Deal the flop\n"
        "\n"
    )


def test_what_a_text_is_silent_on_and_what_runs_in_the_shadow_is_marked(books, tmp_path):
    file = tmp_path / "house.toml"
    file.write_text(
        'extends = "robert-classic"\n'
        "[cut-skipped]\nenabled = false\n[burn-premature]\nshadow = true\n"
    )
    printed = page(*read_books(str(file)), "en")
    assert "cut-skipped · not in this text · medium" in printed
    assert "Hold'em irregularities 3 · in the shadow" in printed
    assert "deal-first-card-exposed · medium → critical · floor" in printed
    assert "  misdeal_s              15\n" in printed


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("name", ["robert-classic", "robert", "tda-2024"])
def test_every_rulebook_prints_whole_in_every_language(name, language):
    rulebook, texts = read_books(name)
    printed = page(rulebook, texts, language)
    assert printed.startswith(f"{rulebook.title}\n{name}\n")
    for ruling in rulebook.rulings.values():
        assert f"\n{ruling.id} · " in printed
        assert ruling.cite in printed
    assert [row["id"] for row in json.loads(as_json(rulebook, texts))["irregularities"]] == list(
        IDS
    )
