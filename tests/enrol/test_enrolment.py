from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.enrol.enrolment import (
    ORDER,
    Asked,
    Double,
    Enrolled,
    Enrolment,
    HasTag,
    NothingToUndo,
    NotUnderstood,
    Refused,
    Several,
    StillMissing,
    Terms,
    Undone,
    Which,
    Whole,
    as_map,
    card_named,
)
from daemon.enrol.words import LANGUAGES, Speech
from daemon.table.cards import DECK
from tests.enrol.decks import BLUE, NAMED, RED, SPARE, TAGS, TERMS, steady

FIRST = TAGS[ORDER[0]]


def lay(enrolment: Enrolment, *uids: str) -> list:
    """Cards laid on an empty antenna, and taken off."""
    words = enrolment.look(steady(*uids))
    enrolment.look({})
    return words


def test_the_suits_are_asked_for_from_two_to_ace() -> None:
    enrolment = Enrolment(TERMS)
    asked = enrolment.begin()
    for card in ORDER:
        assert asked[-1] == Asked(card)
        asked = lay(enrolment, TAGS[card])
        assert asked[0] == Enrolled(card, ORDER.index(card) + 1)
    assert asked[-1] == Whole()
    assert as_map(enrolment.entries) == RED
    assert ORDER[:14] == (*(f"{rank}c" for rank in "23456789TJQKA"), "2d")


def test_cards_may_pile_up_on_the_antenna() -> None:
    enrolment = Enrolment(TERMS)
    pile: list[str] = []
    for card in ORDER:
        pile.append(TAGS[card])
        enrolment.look(steady(*pile))
    assert as_map(enrolment.entries) == RED


def test_a_card_that_the_operator_names_goes_before_the_order() -> None:
    enrolment = Enrolment(TERMS)
    assert enrolment.take("10D") == [Asked("Td")]
    assert lay(enrolment, TAGS["Td"]) == [Enrolled("Td", 1), Asked("2c")]
    assert enrolment.take("td") == [HasTag("Td")]


def test_without_an_order_each_card_is_named_before_or_after_it_is_laid() -> None:
    enrolment = Enrolment(NAMED)
    assert enrolment.begin() == [Asked(None)]
    assert enrolment.look(steady(TAGS["Kh"])) == [Which()]
    assert enrolment.look(steady(TAGS["Kh"])) == []
    assert enrolment.take("Kh") == [Enrolled("Kh", 1), Asked(None)]
    enrolment.look({})
    assert enrolment.take("Ks") == [Asked("Ks")]
    assert lay(enrolment, TAGS["Ks"]) == [Enrolled("Ks", 2), Asked(None)]
    lay(enrolment, TAGS["2c"])
    assert enrolment.take("2c") == [Asked("2c")]  # it was taken off again before it was named


def test_two_new_tags_are_refused_until_both_were_lifted() -> None:
    enrolment = Enrolment(TERMS)
    assert enrolment.look(steady(FIRST, SPARE)) == [Several()]
    assert enrolment.look(steady(FIRST, SPARE)) == []
    assert enrolment.look(steady(FIRST)) == []
    assert enrolment.look({}) == []
    assert enrolment.look(steady(FIRST))[0] == Enrolled("2c", 1)


def test_a_second_tag_beside_one_that_waits_for_its_name_is_refused_with_it() -> None:
    enrolment = Enrolment(NAMED)
    enrolment.look(steady(FIRST))
    assert enrolment.look(steady(FIRST, SPARE)) == [Several()]
    assert enrolment.take("2c") == [Asked("2c")]
    assert enrolment.entries == ()


def test_a_tag_is_not_taken_before_it_is_steady() -> None:
    enrolment = Enrolment(TERMS)
    assert enrolment.look({FIRST: False}) == []
    assert enrolment.look({FIRST: True, SPARE: False})[0] == Enrolled("2c", 1)


def test_a_card_laid_again_is_told_by_its_name_but_not_one_of_before_an_interruption() -> None:
    enrolment = Enrolment(TERMS, [("2c", FIRST)])
    lay(enrolment, TAGS["3c"])
    assert lay(enrolment, TAGS["3c"]) == [Double("3c")]
    assert lay(enrolment, FIRST) == [Double(None)]


def test_a_flicker_of_the_card_just_enrolled_is_told_once_at_most() -> None:
    enrolment = Enrolment(TERMS)
    enrolment.look(steady(FIRST))
    assert [enrolment.look(steady(FIRST)) for _ in range(5)] == [[]] * 5


def test_what_cannot_be_a_card_of_this_deck_is_refused_with_its_reason() -> None:
    terms = Terms(
        decks={"blue": BLUE},
        readers={"felt": ("iso14443a", "iso15693"), "seat-1": ("iso14443a",)},
    )
    enrolment = Enrolment(terms, [("2c", FIRST)])
    for uid, refused in {
        next(iter(BLUE)): Refused("other-deck", "blue"),
        "e004010012345678": Refused("unreadable", "seat-1"),
        "0411223344556677889a": Refused("other-length"),
        "a1b2c3d4": Refused("other-length"),
        "08b2c3d4": Refused("random"),
        "8804c3d4": Refused("half"),
        "04": Refused("odd"),
        "04" * 16: Refused("odd"),
    }.items():
        assert lay(enrolment, uid) == [refused]
    assert enrolment.entries == (("2c", FIRST),)


def test_a_deck_that_a_sensor_cannot_read_is_refused_at_its_first_card() -> None:
    enrolment = Enrolment(Terms(decks={}, readers={"felt": ("iso14443a",)}))
    assert lay(enrolment, "e004010012345678") == [Refused("unreadable", "felt")]
    assert not enrolment.entries


def test_undo_takes_back_the_last_card_again_and_again_or_the_one_named() -> None:
    enrolment = Enrolment(TERMS)
    for card in ORDER[:5]:
        lay(enrolment, TAGS[card])
    assert enrolment.take("undo 3c") == [Undone("3c"), Asked("3c")]
    assert enrolment.take("annulla") == [Undone("6c"), Asked("6c")]
    assert enrolment.take("u") == [Undone("5c"), Asked("5c")]
    assert enrolment.entries == (("2c", TAGS["2c"]), ("4c", TAGS["4c"]))
    assert enrolment.take("undo Kh") == [NothingToUndo()]
    assert Enrolment(TERMS).take("undo") == [NothingToUndo()]


def test_a_card_taken_back_must_be_lifted_before_it_is_a_card_again() -> None:
    enrolment = Enrolment(TERMS)
    enrolment.look(steady(FIRST))
    enrolment.take("undo")
    assert enrolment.look(steady(FIRST)) == []
    assert enrolment.entries == ()
    enrolment.look({})
    assert enrolment.look(steady(FIRST))[0] == Enrolled("2c", 1)


def test_the_missing_cards_are_named_and_nonsense_is_answered() -> None:
    enrolment = Enrolment(TERMS, [(card, TAGS[card]) for card in ORDER[2:]])
    assert enrolment.take("missing") == [StillMissing(("2c", "3c"))]
    assert enrolment.take("") == [Asked("2c")]
    for nonsense in ("1c", "Tx", "what", "undo 3c 4c", "\ufffd"):
        assert enrolment.take(nonsense) in ([NotUnderstood()], [NothingToUndo()])


def test_a_card_is_understood_however_it_is_written() -> None:
    assert [card_named(name) for name in ("Td", "td", "10D", "1d", "TdTd", "", "①d")] == [
        "Td", "Td", "Td", None, None, None, None,
    ]  # fmt: skip
    assert {card_named(card) for card in DECK} == set(DECK)


# --- laws ---------------------------------------------------------------------------------------

UIDS = st.sampled_from([*RED, *list(BLUE)[:3], SPARE, "e004010012345678", "08b2c3d4", "zz", ""])
LINES = st.sampled_from(["undo", "undo 2c", "undo 3d", "", "missing", "Td", "2c", "x", "as"])
STEPS = st.lists(st.one_of(st.dictionaries(UIDS, st.booleans(), max_size=4), LINES), max_size=60)


def done(enrolment: Enrolment, step: dict[str, bool] | str) -> list:
    return enrolment.take(step) if isinstance(step, str) else enrolment.look(step)


@given(STEPS, st.sampled_from([TERMS, NAMED]))
def test_whatever_is_laid_and_said_a_tag_is_one_card_and_no_word_shows_a_tag(
    steps: list, terms: Terms
) -> None:
    enrolment = Enrolment(terms)
    for step in steps:
        for word in done(enrolment, step):
            said = [repr(word), *(Speech(language).said(word) for language in LANGUAGES)]
            assert not any(uid in text for text in said for uid in (*RED, *BLUE, SPARE) if uid)
        cards, uids = [c for c, _ in enrolment.entries], [u for _, u in enrolment.entries]
        assert len(set(cards)) == len(cards)
        assert len(set(uids)) == len(uids)
        assert set(uids) <= {*RED, SPARE}
        assert set(enrolment.missing) == set(DECK) - set(cards)


@given(STEPS, st.permutations(ORDER), st.sets(st.integers(0, 51)), st.randoms())
def test_any_order_with_doubles_undos_and_interruptions_gives_the_same_map(
    noise: list, order: list[str], doubles: set[int], rng
) -> None:
    enrolment = Enrolment(NAMED)
    for nth, card in enumerate(order):
        enrolment.take(card)
        lay(enrolment, TAGS[card])
        if nth in doubles:
            lay(enrolment, TAGS[rng.choice(order[: nth + 1])])
            back = rng.choice(order[: nth + 1])
            enrolment.take(f"undo {back}")
            lay(enrolment, TAGS[back])
        if rng.random() < 0.2:
            enrolment = Enrolment(NAMED, enrolment.entries)
    assert as_map(enrolment.entries) == {TAGS[card]: card for card in DECK}
    for step in noise:
        if not (isinstance(step, str) and step.startswith("undo")):
            assert Whole() not in done(enrolment, step)
    assert as_map(enrolment.entries) == {TAGS[card]: card for card in DECK}


@given(st.integers(0, 52))
def test_an_enrolment_gone_on_with_at_any_point_gives_the_same_map(at: int) -> None:
    enrolment = Enrolment(TERMS)
    for card in ORDER[:at]:
        lay(enrolment, TAGS[card])
    again = Enrolment(TERMS, enrolment.entries)
    for card in ORDER[at:]:
        assert again.begin() == [Asked(card)]
        lay(again, TAGS[card])
    assert again.begin() == [Whole()]
    assert as_map(again.entries) == RED
