"""Real hands with mischief through the whole daemon; all that leaves is searched as it leaves."""

from __future__ import annotations

import random

import pytest

from daemon.table.cards import DECK
from tests.laws.line import SOAK
from tests.secrecy.pairs import fit_of
from tests.secrecy.played import ANY, Script, real_hand
from tests.secrecy.rig import Parts, VirtualDaemon
from tests.secrecy.search import Search
from tests.secrecy.spellings import Tags, cards_in
from tests.secrecy.tables import Table

HANDS = 100_000 if SOAK else 250
TABLE_HANDS = 25  # of one table
PARTS = 10
TABLES = HANDS // TABLE_HANDS // PARTS  # of a part


def searched(folder, seed, count, parts=Parts()):  # noqa: B008
    """A daemon that watched so many hands, with what its search has found."""
    rng = random.Random(f"search/{seed}")
    fit = fit_of(rng)
    misread = rng.choice(DECK) if fit.camera else None
    daemon = VirtualDaemon(folder, Table(seed, fit, misread), parts, search=Search)
    try:
        for _ in range(count):
            hand = real_hand(rng, fit.seat_count, ANY)
            script = Script(hand)
            daemon.deal(hand.events, script)
            script.over(daemon)
            if daemon.search.found:
                break
    finally:
        daemon.close()
    return daemon


@pytest.mark.parametrize("part", range(PARTS))
def test_no_card_that_does_not_lie_face_up_leaves_and_no_tag_ever(part, tmp_path, capfd):
    texts = 0
    for number in range(TABLES):
        seed = f"{part}/{number}"
        daemon = searched(tmp_path / f"{number}", seed, TABLE_HANDS)
        assert not daemon.search.found, f"table {seed}: {daemon.search.found[0]}"
        texts += daemon.search.read
    assert capfd.readouterr() == ("", "")
    print(f"hands: {TABLES * TABLE_HANDS}, texts searched: {texts}")
    assert texts > 100 * TABLES * TABLE_HANDS / 10


# --- the search itself --------------------------------------------------------------------------

UID = "04a1b2c3d4e5f6"
CARDS = (
    "Td", "TD", "td", "tD", "10d", "T♦", "♦10", "10 ♦", "dT", "T-d", "card_Td", "AhTd", "Td,Kc",
    "ten of diamonds", "Ten-of-Diamonds", "ten_of_diamonds", "10 of diamonds", "10 di quadri",
    "dieci di quadri", "T%E2%99%A6", "%54%64", "T&diams;", "VGQ=", "\U0001f0ca", "card 33",
    "card_index=33", "cards: [33", '"rank":"33"',
)  # fmt: skip
TAGS = (
    UID, UID.upper(), "04a1B2c3D4e5F6", "04:a1:b2:c3:d4:e5:f6", "04 A1 B2 C3 D4 E5 F6",
    "04-a1-b2-c3-d4-e5-f6", "f6e5d4c3b2a104", "F6:E5:D4:C3:B2:A1:04", "a1b2c3d4e5", "xx04a1b2c3d4",
    str(int(UID, 16)), str(int("f6e5d4c3b2a104", 16)), str(0x04A1B2C3), str(0xF6E5D4C3),
    "0x04, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5", "[4, 161, 178, 195, 212, 229, 246]", "4.161.178.195.212",
    r"b'\x04\xa1\xb2\xc3\xd4\xe5\xf6'", r"\u0004\u00a1\u00b2\u00c3\u00d4\u00e5\u00f6",
    "\x04\xa1\xb2\xc3\xd4", "%04%A1%B2%C3%D4%E5%F6", "BKGyw9Tl9g==", "AAAEobLD1OX2", "BKGyw9Tl9g",
    "ASQ3FQ6U4X3A====",
)  # fmt: skip


@pytest.mark.parametrize("spelt", CARDS)
def test_a_card_is_found_however_it_is_spelt(spelt):
    assert "Td" in cards_in(f"seat 4 {spelt}, so")


@pytest.mark.parametrize("spelt", TAGS)
def test_a_tag_is_found_however_it_is_spelt(spelt):
    assert Tags([UID]).found_in(f"tag {spelt} there")


@pytest.mark.parametrize(
    "plain",
    [
        "20261129T201331Z:bovada-3756192443:2:pot-pushed-early:pot", "deck lost at 201331", "board",
        '{"polls":1070,"missed":2,"came":20,"back":0}', "2026-11-29T20:13:31.414Z", "52 cards",
    ],
)  # fmt: skip
def test_other_words_and_numbers_are_no_card_and_no_tag(plain):
    assert not cards_in(plain)
    assert not Tags([UID]).found_in(plain)
