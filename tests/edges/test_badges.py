"""Dealers' badges in the configuration: keys and no names, and who knows of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.edges.settings import layout
from tests.edges.test_settings import GOOD, mistakes, read

BADGES = """
[staff]
dealer_identity = "{}"
legal_basis = "agreed with the staff"
badges = {{ "0415AB33CD" = "d7", "0415ab33ce" = "d8" }}
"""


def test_with_dealers_identity_off_all_badges_have_one_key(tmp_path: Path) -> None:
    keys = {"0415ab33cd": "d7", "0415ab33ce": "d8"}
    for identity, told in (("off", dict.fromkeys(keys, "dealer")), ("pseudonym", keys)):
        settings = read(tmp_path, GOOD + BADGES.format(identity))
        assert settings.badges == keys
        assert layout(settings, "2026-11-29T20:13:31Z").badges == told


def test_badges_can_stand_in_a_file_that_is_part_of_the_digest(tmp_path: Path) -> None:
    text = GOOD + '[staff]\nbadges = "badges.toml"\n'
    assert mistakes(tmp_path, text) == [
        ("staff.badges", "cannot be read: No such file or directory")
    ]
    digests = []
    for key in ("d7", "d8"):
        (tmp_path / "badges.toml").write_text(f'0415ab33cd = "{key}"\n')
        settings = read(tmp_path, text)
        assert settings.badges == {"0415ab33cd": key}
        digests.append(settings.digest)
    assert digests[0] != digests[1]


NO_UID = "not a badge's UID: 4 to 12 bytes, in hex digits only"
NO_KEY = "a key is 1 to 16 letters, digits, - or _, as in d7"


@pytest.mark.parametrize(
    ("badges", "what"),
    [
        ('{ "0415ab" = "d7" }', f"badge 1: {NO_UID}"),
        ('{ "0415ab33cd" = "d7", "zz" = "d8" }', f"badge 2: {NO_UID}"),
        ('{ "0415ab33cd" = "d7", "0415AB33CD" = "d8" }', "badge 2: the same badge as one before"),
        ('{ "0415ab33cd" = "Anna B" }', f"badge 1: {NO_KEY}"),
        ('{ "0415ab33cd" = 7 }', f"badge 1: {NO_KEY}"),
        ('{ a0000000 = "d7" }', "has a tag of a deck"),
    ],
)
def test_a_badge_that_is_none_is_told_by_its_number_and_never_repeated(
    tmp_path: Path, badges: str, what: str
) -> None:
    found = mistakes(tmp_path, f"{GOOD}[staff]\nbadges = {badges}\n")
    assert found == [("staff.badges", what)]
