from __future__ import annotations

import random

import pytest

from daemon.alarms.alert import line
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.floor_view import FloorView
from daemon.demo.words import WORDS
from tests.demo.heard import TABLE, Heard, premature_turn
from tests.demo.staged import StagedTable


def test_both_languages_have_the_same_words():
    assert WORDS["en"].keys() == WORDS["it"].keys()
    assert all(word for words in WORDS.values() for word in words.values())


def test_a_table_without_a_fault_says_so_and_shows_board_and_seats(tmp_path):
    heard = Heard(tmp_path)
    rng = random.Random("a full hand")
    deal = next(deal for deal in evening(rng, 9) if deal.board == 5 and len(deal.deal_order) > 5)
    events = lawful(deal, rng)
    showdown = next(n for n, event in enumerate(events) if "pot" in type(event).__name__.lower())
    heard.deal(events[: showdown + 1])
    shown = heard.drawn()
    assert "nothing wrong" in shown
    assert "online · sensors ok" in shown
    board = [f"{card[0].replace('T', '10')}" for card in deal.board_cards()]
    assert all(f"{rank}{sign}" in shown for rank, sign in zip(board, signs(deal), strict=True))
    assert heard.written() == ""


def signs(deal):
    return [{"s": "♠", "c": "♣", "h": "♥", "d": "♦"}[card[1]] for card in deal.board_cards()]


def test_a_remedy_is_seen_ticking_off_until_it_is_done(tmp_path):
    heard = Heard(tmp_path)
    events = premature_turn(random.Random("ticking"))
    heard.deal(events, lambda alert: alert.irregularity == "turn-premature")
    shown = heard.drawn()
    assert "CRITICAL" in shown
    assert "open 0:00" in shown
    assert "open 1:05" in heard.drawn(after_s=65)
    assert "Turn dealt before the betting was complete" in shown
    assert "▸ Set the turn card aside" in shown
    assert "· Deal the river without burning" in shown


def test_the_whole_remedy_is_told_in_lines_too(tmp_path):
    heard = Heard(tmp_path)
    heard.deal(premature_turn(random.Random("ticking")))
    told = heard.written()
    assert told.count("critical: Turn dealt before the betting was complete  [open]") == 1
    assert told.count("✓ Set the turn card aside") == 1
    assert told.count("[remedied]") == 1
    assert "remedied" in heard.drawn()


def test_the_screen_speaks_italian(tmp_path):
    heard = Heard(tmp_path, "it")
    heard.deal(premature_turn(random.Random("ticking")))
    assert "rimediato" in heard.drawn()
    assert "tra due mani" in heard.drawn()


@pytest.mark.parametrize("width", [20, 64, 200])
def test_any_width_will_do(width, tmp_path):
    heard = Heard(tmp_path)
    heard.deal(premature_turn(random.Random("ticking")))
    assert all(len(row) <= width for row in heard.drawn(width).splitlines())


def test_what_is_none_of_the_screen_s_concern_is_let_be():
    view = FloorView()
    for topic in ("floorcall/v1", "elsewhere/v1/a/b/hand", "floorcall/v1/demo/p/figures"):
        assert view.take(topic, b"{}") is None
    assert view.take("floorcall/v1/demo/p/alerts/floor/x", b"") is None
    assert view.take("floorcall/v1/demo/p/hand", b"") is None


def test_surveillance_s_copy_and_the_log_are_not_the_floor_s(tmp_path):
    table = StagedTable(tmp_path, "copies")
    found = table.deal(premature_turn(random.Random("ticking")))
    alert = next(one for one in found.values() if one.irregularity == "turn-premature")
    view = FloorView()
    assert view.take(f"floorcall/v1/demo/{TABLE}/log/surveillance", line(alert)) is None
    assert view.take(f"floorcall/v1/demo/{TABLE}/log/log", line(alert)) is None
    assert view.take(f"floorcall/v1/demo/{TABLE}/log/floor", line(alert)) is not None


@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_screen_that_is_too_low_says_how_much_it_leaves_out(tmp_path, lang):
    heard = Heard(tmp_path, lang)
    heard.deal(premature_turn(random.Random("low")))
    whole = heard.drawn().splitlines()
    low = heard.drawn(height=8).splitlines()
    assert len(low) == 8
    assert low[:7] == whole[:7]
    assert heard.say("more").format(lines=len(whole) - 7) == low[7]
    assert heard.drawn(height=len(whole)).splitlines() == whole
