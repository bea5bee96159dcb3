from __future__ import annotations

from daemon.enrol.ceremony import (
    Ceremony,
    Failed,
    NameAsked,
    NameRefused,
    Phase,
    SampleAsked,
    SampleWrong,
)
from daemon.enrol.enrolment import ORDER, Asked, Enrolment, Several, Whole
from tests.enrol.decks import SPARE, TAGS, TERMS, steady

ENTRIES = [(card, TAGS[card]) for card in ORDER]
SAMPLE = ["7h", "2c", "Ks"]


def at_the_sample(laid_by: tuple[str, ...] = ()) -> Ceremony:
    ceremony = Ceremony(Enrolment(TERMS, ENTRIES[:-1]), SAMPLE, laid_by)
    ceremony.begin()
    ceremony.take("Anna")
    assert ceremony.look(steady(TAGS[ORDER[-1]]))[-2:] == [Whole(), NameAsked(second=True)]
    return ceremony


def laid(ceremony: Ceremony, *uids: str) -> list:
    words = ceremony.look(steady(*uids))
    ceremony.look({})
    return words


def test_one_person_is_done_with_the_last_card() -> None:
    ceremony = Ceremony(Enrolment(TERMS, ENTRIES[:-1]))
    assert ceremony.begin() == [Asked("As")]
    ceremony.look(steady(TAGS["As"]))
    assert ceremony.phase is Phase.DONE
    assert ceremony.take("undo") == []


def test_what_was_whole_before_an_interruption_is_done_at_once() -> None:
    ceremony = Ceremony(Enrolment(TERMS, ENTRIES))
    assert ceremony.begin() == [Whole()]
    assert ceremony.is_over


def test_two_persons_give_names_and_the_second_lays_what_chance_drew() -> None:
    ceremony = Ceremony(Enrolment(TERMS, ENTRIES), SAMPLE)
    assert ceremony.begin() == [NameAsked(second=False)]
    assert ceremony.take("  ") == [NameRefused(), NameAsked(second=False)]
    assert ceremony.take("Anna  Rossi") == [Whole(), NameAsked(second=True)]
    assert ceremony.take("anna rossi") == [NameRefused(), NameAsked(second=True)]
    assert ceremony.take("Bruno") == [SampleAsked("7h", 1, 3)]
    assert laid(ceremony, TAGS["7h"]) == [SampleAsked("2c", 2, 3)]
    assert laid(ceremony, TAGS["2c"]) == [SampleAsked("Ks", 3, 3)]
    assert laid(ceremony, TAGS["Ks"]) == []
    assert ceremony.phase is Phase.DONE
    assert (ceremony.laid_by, ceremony.checked_by) == (["Anna Rossi"], "Bruno")


def test_who_laid_a_part_before_an_interruption_cannot_check() -> None:
    ceremony = at_the_sample(("Carla",))
    assert ceremony.laid_by == ["Carla", "Anna"]
    assert ceremony.take("CARLA")[0] == NameRefused()


def test_one_slip_is_forgiven_and_the_second_running_fails_the_check() -> None:
    ceremony = at_the_sample()
    ceremony.take("Bruno")
    ceremony.look({})
    assert laid(ceremony, TAGS["6h"]) == [SampleWrong("7h")]
    assert laid(ceremony, TAGS["7h"]) == [SampleAsked("2c", 2, 3)]
    assert laid(ceremony, SPARE) == [SampleWrong("2c")]
    assert laid(ceremony, TAGS["7h"]) == [SampleWrong("2c"), Failed()]
    assert ceremony.phase is Phase.FAILED


def test_two_cards_of_a_sample_laid_together_are_no_answer() -> None:
    ceremony = at_the_sample()
    ceremony.take("Bruno")
    ceremony.look({})
    assert laid(ceremony, TAGS["7h"], TAGS["2c"]) == [Several()]
    assert ceremony.take("") == [SampleAsked("7h", 1, 3)]


def test_the_last_card_laid_is_not_taken_for_the_first_one_checked() -> None:
    ceremony = at_the_sample()
    ceremony.take("Bruno")
    assert ceremony.look(steady(TAGS[ORDER[-1]])) == []
    assert ceremony.look(steady(TAGS[ORDER[-1]], TAGS["7h"])) == [SampleAsked("2c", 2, 3)]


def test_swapped_cards_are_found_by_a_sample_that_has_one_of_them() -> None:
    swapped = dict(ENTRIES) | {"7h": TAGS["7d"], "7d": TAGS["7h"]}
    ceremony = Ceremony(Enrolment(TERMS, swapped.items()), SAMPLE)
    ceremony.begin()
    ceremony.take("Anna")
    ceremony.take("Bruno")
    laid(ceremony, TAGS["7h"])
    laid(ceremony, TAGS["7h"])
    assert ceremony.phase is Phase.FAILED
