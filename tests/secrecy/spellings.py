"""Every way in which a card or a tag's id may be written, and where one stands in a text.

A hit is exact: what stands there cannot be anything else. Words that happen to look like a card
(`as`, `ad`, `5s`) are no hits only where they belong to a sentence of the program's own.
"""

from __future__ import annotations

import ast
import base64
import html
import re
import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import daemon
from daemon.shipped import config_path
from daemon.table.cards import DECK

SENTENCE = 6  # a text of the program's own with so many characters tells no card by itself
WINDOW = 5  # bytes of a tag's id that give it away: of 104 tags no two have as many in common

_EDGE, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_RANK_WORDS = {
    "2": "2 two deuce due", "3": "3 three trey tre", "4": "4 four quattro", "5": "5 five cinque",
    "6": "6 six sei", "7": "7 seven sette", "8": "8 eight otto", "9": "9 nine nove",
    "T": "t 10 ten dieci", "J": "j jack fante", "Q": "q queen donna regina", "K": "k king re",
    "A": "a ace asso",
}  # fmt: skip
_SUIT_WORDS = {"c": "c club clubs fiori", "d": "d diamond diamonds quadri",
               "h": "h heart hearts cuori", "s": "s spade spades picche"}  # fmt: skip
_SUIT_SIGNS = {"c": "♣♧", "d": "♦♢", "h": "♥♡", "s": "♠♤"}
_RANK_OF = {word: rank for rank, words in _RANK_WORDS.items() for word in words.split()}
_SUIT_OF = {word: suit for suit, words in _SUIT_WORDS.items() for word in words.split()}
_SUIT_OF |= {sign: suit for suit, signs in _SUIT_SIGNS.items() for sign in signs}
_SIGNS = "".join(_SUIT_SIGNS.values())
_SHORT = "10|[2-9tjqka]"
_LONG = "|".join(word for word in _RANK_OF if len(word) > 1)
_NAMED = "|".join(sorted((word for word in _SUIT_OF if len(word) > 1), key=len, reverse=True))
_SPELT = [  # rank and suit; `8 h` is eight hours
    re.compile(rf"{_EDGE}({_SHORT})[_-]?([cdhs{_SIGNS}]){_END}", re.IGNORECASE),
    re.compile(
        rf"{_EDGE}({_SHORT}|{_LONG})[ _-]?(?:(?:of|di)[ _-])?({_NAMED}|[{_SIGNS}]){_END}",
        re.IGNORECASE,
    ),
]
_TURNED = re.compile(rf"{_EDGE}([cdhs{_SIGNS}])[_-]?({_SHORT}){_END}", re.IGNORECASE)
_ROW = re.compile(rf"{_EDGE}(?:[2-9TJQKA][cdhs]){{2,}}{_END}")
_NUMBERED = re.compile(
    r"(?:card|rank|carta)s?[\W_]{0,3}(?:index|no|number|n)?[\W_]{0,3}([0-9]{1,2})\b", re.IGNORECASE
)
_GLYPHS = {
    chr(block + n): rank + suit
    for suit, block in zip("shdc", (0x1F0A0, 0x1F0B0, 0x1F0C0, 0x1F0D0), strict=True)
    for n, rank in zip((1, *range(2, 12), 13, 14), "A23456789TJQK", strict=True)
}
_ENCODED = {base64.b64encode(card.encode()).decode(): card for card in DECK}


def cards_in(text):
    """The cards that this text names, however it spells them."""
    found = set()
    for spelt in {text, unquote(text), html.unescape(text)}:
        for pattern in _SPELT:
            found.update(_card(*pair) for pair in pattern.findall(spelt))
        found.update(_card(rank, suit) for suit, rank in _TURNED.findall(spelt))
        for row in _ROW.findall(spelt):
            found.update(row[at : at + 2] for at in range(0, len(row), 2))
        found.update(_GLYPHS[glyph] for glyph in spelt if glyph in _GLYPHS)
        found.update(card for word, card in _ENCODED.items() if word in spelt)
        found.update(DECK[int(n)] for n in _NUMBERED.findall(spelt) if int(n) < len(DECK))
    return found


def _card(rank, suit):
    return _RANK_OF[rank.lower()] + _SUIT_OF[suit.lower()]


# --- the program's own sentences ------------------------------------------------------------------

_HOLE = re.compile(r"\{[^}]*\}")
_LOOKS = {"As", "Ad", "Ah", "Ac"}  # as words of English and Italian


@cache
def sentences():
    """What the program says whatever happens, longest first: its texts, its constants' pieces.

    A piece that by itself could be the name of a card is none of them.
    """
    found = set()
    for path in config_path("").rglob("*.toml"):
        if path.parent.name in ("texts", "rulebooks"):
            found |= set(_leaves(tomllib.loads(path.read_text())))
    for path in Path(daemon.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text())
        said = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        found |= {
            node.value
            for node in said
            if isinstance(node.value, str) and id(node) not in documented
        }
    pieces = {piece for text in found for piece in (text, *_HOLE.split(text))}
    own = (piece for piece in pieces if len(piece) >= SENTENCE and not _could_be_a_card(piece))
    return sorted(own, key=lambda piece: (-len(piece), piece))


def _could_be_a_card(text):
    named = cards_in(text)
    if not named or (named <= _LOOKS and text == text.lower()):
        return False
    return len(text.split()) < 4 or bool(_SPELT[1].search(text))


def without_sentences(text):
    """The text without the program's own sentences: what is left was put in."""
    for sentence in sentences():
        if sentence in text:
            text = text.replace(sentence, " ~ ")
    return text


def _leaves(value):
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _leaves(one)
        case list():
            for one in value:
                yield from _leaves(one)
        case _:
            pass


# --- tags -----------------------------------------------------------------------------------------

_HEX = re.compile(rf"[0-9a-f]{{{2 * WINDOW},}}")
_BETWEEN = re.compile(r"\\u00|\\x|0x|[%\s:.,;_\-\[\]'\"]")
_BYTES = re.compile(r"\d{1,3}(?:[\s,;:.\-]+\d{1,3}){4,}")
_NUMBER = re.compile(r"\d{8,}")
_WORD = re.compile(r"[A-Za-z0-9+/_=-]{8,}")
_PYTHON = re.compile(r"\\{1,2}x([0-9a-f]{2})")
_BASE64, _BASE32 = 8, 9  # characters


class Tags:
    """The ids of these tags (hex), to be found in texts in any of their spellings."""

    def __init__(self, uids):
        self._windows, self._numbers, self._words = set(), set(), set()
        for uid in uids:
            for raw in (bytes.fromhex(uid), bytes.fromhex(uid)[::-1]):
                self._windows |= {raw[at : at + WINDOW] for at in range(len(raw) - WINDOW + 1)}
                self._numbers |= {int.from_bytes(part) for part in (raw, raw[:4], raw[-4:])}
                self._words |= _coded(raw)
        self._clean = set()

    def found_in(self, text):
        """What in this text gives a tag away, as it stands there; empty where nothing does."""
        if text in self._clean:
            return []
        found = [word for spelt in {text, unquote(text)} for word in self._found(spelt)]
        if not found:
            self._clean.add(text)
        return found

    def _found(self, text):
        close = _BETWEEN.sub("", text).lower()
        for run in _HEX.findall(close):
            if any(self._is_window(run[at : at + 2 * WINDOW]) for at in range(len(run))):
                yield run
        for row in _BYTES.findall(text):
            numbers = [int(n) for n in re.findall(r"\d+", row)]
            if self._has(bytes(n for n in numbers if n < 256)):
                yield row
        yield from (n for n in _NUMBER.findall(text) if int(n) in self._numbers)
        for word in _WORD.findall(text):
            parts = {word[at : at + size] for size in (_BASE64, _BASE32) for at in range(len(word))}
            if parts & self._words:
                yield word
        plain = _PYTHON.sub(lambda byte: chr(int(byte[1], 16)), text)
        if plain != text and self._has(plain.encode("latin-1", "replace")):
            yield text
        if self._has(text.encode("latin-1", "replace")):
            yield text

    def _is_window(self, digits):
        return len(digits) == 2 * WINDOW and bytes.fromhex(digits) in self._windows

    def _has(self, raw):
        return any(raw[at : at + WINDOW] in self._windows for at in range(len(raw) - WINDOW + 1))


def _coded(raw):
    """Base64 and base32 of the id, wherever in a longer message it stands."""
    words = set()
    for before in range(5):
        padded = bytes(before) + raw
        for code, bits, size in ((base64.b64encode, 6, _BASE64), (base64.b32encode, 5, _BASE32)):
            whole = code(padded).decode()
            first, end = -(-8 * before // bits), 8 * len(padded) // bits
            core = whole[first:end]
            windows = {core[at : at + size] for at in range(len(core) - size + 1)}
            words |= windows | {word.translate({43: 45, 47: 95}) for word in windows}
    return words
