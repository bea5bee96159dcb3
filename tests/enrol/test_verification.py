from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.enrol.enrolment import ORDER
from daemon.enrol.verification import FOREIGN_MAX, LISTEN_MS, NAMED_MAX, Verification
from daemon.enrol.words import LANGUAGES, Speech
from drivers.readings import Garbled, Inventory, TagSeen
from tests.enrol.decks import BLUE, RED, SPARE, TAGS, poll


def checked(*polls: list[str]) -> Verification:
    verification = Verification(RED, {"blue": BLUE})
    for nth, uids in enumerate(polls):
        verification.hear(poll(uids), nth * 100)
    return verification


def test_a_whole_deck_laid_down_is_good_and_ends_by_itself() -> None:
    verification = checked(*[list(RED)] * 10)
    assert not verification.is_over(LISTEN_MS - 1)
    assert verification.is_over(LISTEN_MS)
    result = verification.result()
    assert result.is_good
    assert (result.seen, result.missing, result.badly_read) == (52, (), ())


@given(st.permutations(list(RED)), st.integers(1, 3))
def test_cards_passed_one_by_one_in_any_order_are_all_counted(order: list, polls: int) -> None:
    verification = checked(*[[uid] for uid in order for _ in range(polls)])
    assert verification.result().is_good
    assert verification.result().badly_read == ()


def test_few_missing_cards_are_named_and_many_are_counted() -> None:
    uids = list(RED)
    few = checked(uids[NAMED_MAX:]).result()
    assert few.missing == ORDER[:NAMED_MAX]
    many = checked(uids[NAMED_MAX + 1 :]).result()
    assert (many.missing_count, many.missing) == (NAMED_MAX + 1, None)
    assert not few.is_good
    assert not many.is_good


def test_one_card_alone_is_not_told_by_what_it_leaves_missing() -> None:
    texts = [
        [Speech(language).result("red", checked(*[[uid], []] * 9).result())
         for language in LANGUAGES] for uid in RED
    ]  # fmt: skip
    assert all(text == texts[0] for text in texts)


def test_foreign_tags_are_counted_those_of_another_deck_apart_and_a_ghost_not() -> None:
    uids = [*RED, SPARE, *list(BLUE)[:2]]
    result = checked(uids, uids, [*uids, "04ffffffffffff"], uids).result()
    assert (result.foreign, result.other_decks) == (1, {"blue": 2})
    assert not result.is_good


def test_a_card_that_is_lost_between_sightings_reads_badly() -> None:
    uids = list(RED)
    bad = TAGS["9d"]
    good = [uid for uid in uids if uid != bad]
    polls = [uids if nth % 3 == 0 else good for nth in range(30)]
    result = checked(*polls).result()
    assert result.badly_read == ("9d",)
    assert result.missing == ()


def test_a_card_lifted_for_long_and_laid_again_does_not_read_badly() -> None:
    uids, away = list(RED), list(RED)[1:]
    assert checked(*[uids] * 5, *[away] * 30, *[uids] * 5).result().badly_read == ()


def test_a_device_that_tells_tags_one_by_one_is_enough() -> None:
    verification = Verification(RED, {})
    for nth, uid in enumerate(RED):
        verification.hear(TagSeen(1, uid), nth)
    verification.hear(TagSeen(1, SPARE), 100)
    result = verification.result()
    assert (result.seen, result.foreign, result.badly_read) == (52, 1, ())


def test_an_antenna_that_was_not_asked_for_does_not_count() -> None:
    verification = Verification(RED, {}, (2,))
    verification.hear(Inventory(((1, TAGS["2c"]), (2, TAGS["3c"]))), 0)
    assert verification.count == 1


def test_foreign_tags_do_not_fill_the_memory_and_dirt_is_nothing() -> None:
    verification = Verification(RED, {})
    for _ in range(2):
        verification.hear(poll(f"{n:08x}" for n in range(3 * FOREIGN_MAX)), 0)
    verification.hear(Garbled("dirt"), 0)
    assert verification.result().foreign == FOREIGN_MAX
