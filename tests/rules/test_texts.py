"""The words people read: complete in every language, one line each, the right ones for a fact."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.edges.books import language_keys, read_rulebook, read_texts, rulebook_names
from daemon.rules.mistakes import BookError, Source
from daemon.rules.rulebook import FACTS, IDS, STEPS
from daemon.rules.texts import Texts, build
from daemon.rules.vocabulary import OF_THE_TABLE
from daemon.shipped import config_path

LANGUAGES = ("en", "it")


def tables(language):
    return tomllib.loads((config_path() / "texts" / f"{language}.toml").read_text())


ENGLISH = tables("en")


def mistakes(sources):
    with pytest.raises(BookError) as error:
        build(sources)
    return [(found.file, found.path, found.text) for found in error.value.mistakes]


@pytest.fixture(scope="module")
def texts():
    return read_texts()


@pytest.fixture(scope="module")
def book():
    return read_rulebook("robert-classic")


def test_english_and_italian_are_there():
    assert set(LANGUAGES) <= set(language_keys())


def test_every_irregularity_and_every_step_has_its_text_in_every_language(texts):
    assert set(texts.languages) == set(language_keys())
    for language in texts.languages.values():
        assert set(language.steps) == STEPS
        assert set(language.entries) == {*IDS, *OF_THE_TABLE}
        assert all(language.steps.values())
        assert all(entry.title and entry.ruling for entry in language.entries.values())


def test_no_two_irregularities_share_a_title_and_no_two_steps_a_text(texts):
    for language in texts.languages.values():
        titles = [entry.title for entry in language.entries.values()]
        assert len(set(titles)) == len(titles)
        assert len(set(language.steps.values())) == len(STEPS)


def test_the_languages_differ_in_every_title_ruling_and_step_of_their_own(texts):
    english, italian = texts.languages["en"], texts.languages["it"]
    assert english.variants.keys() == italian.variants.keys()
    for one, other in (
        *((english.entries[id_], italian.entries[id_]) for id_ in (*IDS, *OF_THE_TABLE)),
        *((english.variants[key], italian.variants[key]) for key in english.variants),
    ):
        assert one.steps.keys() == other.steps.keys()
        assert (one.ruling is None) == (other.ruling is None)
        assert one.title is None or one.title != other.title
        assert one.ruling is None or one.ruling != other.ruling
    assert all(english.steps[step] != italian.steps[step] for step in STEPS)


def test_every_ruling_of_the_book_can_be_told_in_every_language(texts, book):
    for ruling in book.rulings.values():
        for told in (ruling, *(variant.ruling for variant in ruling.when)):
            for language in LANGUAGES:
                title, says, remedy = texts.text(language, told)
                assert title
                assert says
                assert len(remedy) == len(told.remedy)
                late = texts.text(language, told, told.after_remedy or ())
                assert len(late[2]) == len(told.after_remedy or ())


def test_every_text_of_every_rulebook_can_be_told_in_every_language(texts):
    for name in rulebook_names():
        for ruling in read_rulebook(name).rulings.values():
            for told in (ruling, *(variant.ruling for variant in ruling.when)):
                for language in LANGUAGES:
                    title, says, remedy = texts.text(language, told)
                    assert title
                    assert says
                    assert len(remedy) == len(told.remedy)


def test_a_rulebooks_own_words_are_of_what_that_rulebook_has(texts):
    english, italian = texts.languages["en"], texts.languages["it"]
    assert english.own.keys() == italian.own.keys()
    assert {book for book, _, _ in english.own} <= set(rulebook_names())
    for (name, irregularity, fact), entry in english.own.items():
        ruling = read_rulebook(name).rulings[irregularity]
        variants = {variant.fact: variant.ruling for variant in ruling.when}
        assert not fact or fact in variants, (name, irregularity, fact)
        rulings = [variants[fact]] if fact else [ruling, *variants.values()]
        steps = {step for one in rulings for step in (*one.remedy, *(one.after_remedy or ()))}
        assert set(entry.steps) <= steps, (name, irregularity, fact)
        other = italian.own[name, irregularity, fact]
        assert entry.steps.keys() == other.steps.keys()
        assert entry.ruling != other.ruling


def test_a_rulebooks_own_words_go_before_the_plain_ones_for_a_fact_too(texts):
    tda = read_rulebook("tda-2024")
    burnless = frozenset({"no-burn"})
    plain = texts.text("en", tda.ruling("turn-premature"))
    fact = texts.text("en", tda.ruling("turn-premature", burnless))
    assert plain[0] == "Turn dealt before the betting was complete"
    assert plain[2] == (
        "Put the turn card back into the stub; its burn stays",
        "Shuffle the whole stub, face down, without burns and discards",
        "Finish the betting round",
        "Deal a new turn without burning",
    )
    assert fact[2] == (
        "Put the turn card back into the stub",
        "Shuffle the whole stub, face down, without burns and discards",
        "Finish the betting round",
        "Burn one card",
        "Deal a new turn",
    )
    assert "since none had been" in fact[1]


def test_a_house_file_speaks_the_words_of_the_text_it_extends(texts, tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "tda-2024"\n[turn-premature]\nseverity = "high"\n')
    ours, theirs = read_rulebook(str(house)), read_rulebook("tda-2024")
    for irregularity in IDS:
        for language in LANGUAGES:
            told = texts.text(language, ours.rulings[irregularity])
            assert told == texts.text(language, theirs.rulings[irregularity])


def test_own_words_left_wrong_are_told_with_their_place():
    english = tables("en")
    own = english["books"]["tda-2024"]
    own["turn-premture"] = {}
    own["turn-premature"]["steps"]["brun"] = "Burn"
    own["river-premature"]["ruling"] = ""
    own["flop-no-burn"]["when"] = {"noburn": {}}
    english["books"]["robert"] = 3
    assert [where for _, where, _ in mistakes({"en": Source("en.toml", english)})] == [
        "books.tda-2024.turn-premture",
        "books.tda-2024.flop-no-burn.when.noburn",
        "books.tda-2024.turn-premature.steps.brun",
        "books.tda-2024.river-premature.ruling",
        "books.robert",
    ]


def test_own_words_that_one_language_lacks_are_told_or_it_would_misquote_the_text():
    italian = tables("it")
    del italian["books"]["tda-2024"]["turn-premature"]
    both = {"en": Source("en.toml", ENGLISH), "it": Source("it.toml", italian)}
    assert mistakes(both) == [
        ("it.toml", "books.tda-2024.turn-premature", "has no text in this language"),
        ("it.toml", "books.tda-2024.turn-premature.when.no-burn", "has no text in this language"),
    ]


def test_every_own_wording_of_a_step_is_of_a_step_its_remedies_have(texts, book):
    for language in texts.languages.values():
        for irregularity, entry in language.entries.items():
            if irregularity in OF_THE_TABLE:
                assert not entry.steps
                continue
            ruling = book.rulings[irregularity]
            rulings = (ruling, *(variant.ruling for variant in ruling.when))
            steps = {step for one in rulings for step in (*one.remedy, *(one.after_remedy or ()))}
            assert set(entry.steps) <= steps, irregularity
        for (irregularity, fact), entry in language.variants.items():
            assert fact in {variant.fact for variant in book.rulings[irregularity].when}
            ruling = book.ruling(irregularity, frozenset({fact}))
            assert set(entry.steps) <= set(ruling.remedy), (irregularity, fact)


def test_the_texts_of_a_premature_turn_follow_its_burn(texts, book):
    plain = texts.text("en", book.ruling("turn-premature"))
    burnless = texts.text("en", book.ruling("turn-premature", frozenset({"no-burn"})))
    assert plain[0] == burnless[0]
    assert plain[1] != burnless[1]
    assert plain[2][0] == "Set the turn card aside, face up; its burn stays"
    assert burnless[2][0] == "Set the turn card aside, face up"
    assert burnless[2][-2:] == ("Burn one card", "Deal the river")


def test_a_text_left_out_or_misspelt_is_told_with_its_place():
    italian = tables("it")
    del italian["turn-premature"]["title"]
    del italian["steps"]["cut"]
    del italian["words"]["fact"]["no-burn"]
    italian["steps"]["cutt"] = "Tagliare"
    italian["turn-premature"]["steps"]["brun"] = "Bruciare"
    italian["turn-premature"]["when"]["noburn"] = {}
    italian["river-premature"]["headline"] = "River"
    italian["turn-premture"] = {}
    assert [where for _, where, _ in mistakes({"it": Source("it.toml", italian)})] == [
        "turn-premture",
        "turn-premature.title",
        "turn-premature.steps.brun",
        "turn-premature.when.noburn",
        "river-premature.headline",
        "words.fact.no-burn",
        "steps.cutt",
        "steps.cut",
    ]


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("Seat {seat} exposed", "has a placeholder; nothing is filled in"),
        ("Seat %s exposed", "has a placeholder; nothing is filled in"),
        ("two\nlines", "must be one printable line, is 'two\\nlines'"),
        ("   ", "must be one printable line, is '   '"),
        ("x" * 61, "is longer than 60 characters"),
        (7, "must be a text, is 7"),
    ],
)
def test_a_title_is_one_line_with_nothing_to_fill_in(title, why):
    english = tables("en")
    english["cut-skipped"]["title"] = title
    assert mistakes({"en": Source("en.toml", english)}) == [("en.toml", "cut-skipped.title", why)]


def test_mistakes_of_all_languages_are_told_at_once():
    english, italian = tables("en"), tables("it")
    del english["cut-skipped"]
    del italian["steps"]
    found = mistakes({"en": Source("en.toml", english), "it": Source("it.toml", italian)})
    assert [file for file, _, _ in found] == ["en.toml"] * 2 + ["it.toml"] * len(STEPS)


words = st.sampled_from(
    sorted({*IDS, *STEPS, *FACTS, "title", "ruling", "steps", "when", "words", "language"})
)
values = st.recursive(
    words | st.text(max_size=20) | st.integers() | st.booleans() | st.floats() | st.datetimes(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(words | st.text(max_size=20), inner, max_size=5)
    ),
    max_leaves=20,
)


def built(garbage):
    try:
        return build({"en": Source("en.toml", garbage)}), ()
    except BookError as error:
        return None, error.mistakes


@given(st.dictionaries(words | st.text(max_size=20), values, max_size=8))
@settings(max_examples=100)
def test_no_tables_whatever_raise_anything_but_the_list_of_mistakes(garbage):
    for written in (garbage, ENGLISH | garbage):
        texts, found = built(written)
        assert (texts is None) == bool(found)
        assert texts is None or isinstance(texts, Texts)
