from __future__ import annotations

import re

from daemon.enrol.words import WORDS, Speech


def test_every_phrase_is_there_in_every_language_with_the_same_parts() -> None:
    parts = [
        {key: sorted(re.findall(r"{(\w+)", text)) for key, text in words.items()}
        for words in WORDS.values()
    ]
    assert all(part == parts[0] for part in parts)


def test_a_card_is_named_in_both_languages() -> None:
    assert Speech("en").card("Td") == "Td (ten of diamonds)"
    assert Speech("it").card("Qs") == "Qs (donna di picche)"
