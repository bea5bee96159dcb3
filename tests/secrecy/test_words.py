"""What the commands say of files that are wrong, and of bugs of our own: no card and no tag."""

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner

from daemon import cli
from daemon.edges.journal import latest_journal
from daemon.table.cards import DECK
from tests.laws.line import SOAK
from tests.secrecy.pairs import evening, played
from tests.secrecy.rig import VirtualDaemon
from tests.secrecy.spellings import Tags, cards_in, without_sentences
from tests.secrecy.tables import Fit, Table

SPOILT = 2000 if SOAK else 60


def _ran(*arguments):
    result = CliRunner().invoke(cli.main, [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def _spoil(text, rng, letters):
    """One line of the file spoilt: letters changed, put in or left out, doubled, or gone."""
    lines = text.splitlines()
    at = rng.choice([n for n, line in enumerate(lines) if line.startswith(letters)])
    line = lines[at]
    where = rng.randrange(len(line))
    match rng.randrange(5):
        case 0:
            lines[at] = line[:where] + rng.choice("zZ\"'=[}0♦ ") + line[where + 1 :]
        case 1:
            lines[at] = line[:where] + rng.choice("zZ\"'=[}0♦ ") + line[where:]
        case 2:
            lines[at] = line[:where]
        case 3:
            lines.insert(at, line)
        case _:
            del lines[at]
    return "\n".join(lines) + "\n"


@pytest.fixture
def table(tmp_path):
    daemon = VirtualDaemon(tmp_path / "t", Table("words", Fit(4)))
    daemon.close()
    return daemon


def test_check_of_a_spoilt_deck_names_no_card_and_no_tag(table):
    path, rng = table.settings.source, random.Random("check")
    whole, tags, refused = path.read_text(), Tags(table.tags), 0
    for _ in range(SPOILT):
        path.write_text(_spoil(whole, rng, "04"))
        result = _ran("check", path)
        refused += result.exit_code != 0
        assert not tags.found_in(result.output), result.output
        # A card that no tag of a deck is left for is named, so that it can be found.
        without_tag = {card for card in DECK if path.read_text().count(f'"{card}"') < 2}
        assert cards_in(without_sentences(result.output)) <= without_tag, result.output
    assert refused > SPOILT / 2


def test_a_spoilt_journal_is_refused_without_a_word_of_what_it_says(tmp_path):
    one = evening("journal", rough=True)
    daemon = played(tmp_path / "t", one, [hand.events for hand in one.hands])
    path = latest_journal(daemon.settings.journal_folder)
    rng, tags = random.Random("journal"), Tags(daemon.tags)
    whole, refused = path.read_text(), 0
    for _ in range(SPOILT // 4):
        path.write_text(_spoil(whole, rng, ("<", "#", "=")))
        result = _ran("replay", path, "--config", daemon.settings.source)
        refused += result.exit_code != 0
        assert not tags.found_in(result.output)
        assert not cards_in(without_sentences(result.stderr)), result.stderr
    assert refused


@pytest.mark.parametrize("command", ["check", "replay"])
def test_a_bug_of_ours_tells_where_it_is_and_not_what_it_was_about(command, table, monkeypatch):
    uid = next(iter(table.tags))

    def broken(*_, **__):
        raise KeyError(uid, "Td", DECK)

    monkeypatch.setattr(cli, "layout", broken)
    path = table.settings.source
    journal = latest_journal(table.settings.journal_folder)
    arguments = [path] if command == "check" else [journal, "--config", path]
    result = _ran(command, *arguments)
    assert result.exit_code == 1
    assert "KeyError" in result.stderr
    assert "test_words.py" in result.stderr
    assert not Tags(table.tags).found_in(result.stderr)
    assert "Td" not in result.stderr
