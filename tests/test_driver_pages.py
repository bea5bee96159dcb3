"""The pages of single drivers, held against the catalogue and against `floorcall check`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daemon.edges.settings import read_settings
from daemon.table.cards import DECK
from drivers.catalog import DRIVERS

PAGES = Path(__file__).parents[1] / "docs" / "drivers"
TOLD = {
    "bridge": {"bridge", "bridge-beat", "uid-line", "uid-line-115200", "feig-scan"},
    "eccel": {"eccel", "eccel-icode"},
    "rdm6300": {"rdm6300"},
}
HEAD = """
site = "s"
table = "t"
broker = { urls = ["mqtt://127.0.0.1:1883"] }
"""

_FENCE = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def configured(folder: Path, body: str, uid: str) -> Path:
    deck = [f'{uid % number} = "{card}"' for number, card in enumerate(sorted(DECK))]
    path = folder / "table.toml"
    path.write_text("\n".join([HEAD, body, "[decks.red]", *deck]), "utf-8")
    return path


@pytest.mark.parametrize("page", TOLD)
def test_every_row_of_a_page_is_a_driver_and_is_told_there(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text("utf-8")
    assert TOLD[page] <= {row.name for row in DRIVERS}
    assert all(f"`{name}`" in text or f'"{name}"' in text for name in TOLD[page])
    assert "## Not confirmed" in text


@pytest.mark.parametrize("page", TOLD)
@pytest.mark.parametrize("uid", ["04%012x", "e004%012x"])
def test_the_sensors_shown_are_usable_with_either_kind_of_deck(
    page: str, uid: str, tmp_path: Path
) -> None:
    (body,) = _FENCE.findall((PAGES / f"{page}.md").read_text("utf-8"))
    sensors = read_settings(configured(tmp_path, body, uid)).sensors
    assert {sensor.driver for sensor in sensors} <= TOLD[page]


def test_a_badge_reader_lends_no_sense_and_reads_no_card(tmp_path: Path) -> None:
    (body,) = _FENCE.findall((PAGES / "rdm6300.md").read_text("utf-8"))
    (badge,) = read_settings(configured(tmp_path, body, "04%012x")).sensors
    assert (badge.senses, badge.places, badge.spots) == ((), {}, {1: "badge"})
    assert (badge.polled, badge.held_ms, badge.presence.seen) == (False, 500, 2)


def test_a_deck_of_cards_is_refused_on_a_reader_of_iso15693_only(tmp_path: Path) -> None:
    (body,) = _FENCE.findall((PAGES / "eccel.md").read_text("utf-8"))
    body = body.replace('"eccel"', '"eccel-icode"')
    assert read_settings(configured(tmp_path, body, "e004%012x")).sensors
    with pytest.raises(Exception, match=r"its tags are iso14443a; .*eccel-icode, reads iso15693"):
        read_settings(configured(tmp_path, body, "04%012x"))
