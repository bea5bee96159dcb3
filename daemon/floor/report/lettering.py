"""The letters of a printed report: a font that has names from everywhere, and suits in any case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont

SUITS = "♠♣♥♦"
FOLDERS = (
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu",
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/local/share/fonts",
)
# Debian's fonts-dejavu-core where it is there; the other comes with reportlab, and has no suits.
FILES = (("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"), ("Vera.ttf", "VeraBd.ttf"))


@dataclass(frozen=True, slots=True)
class Lettering:
    """Two fonts that reportlab knows, and the characters that they have."""

    plain: str
    bold: str
    has: frozenset[int]

    def marked(self, text: str) -> str:
        """A text as a paragraph takes it: nothing in it is markup; suits come from elsewhere."""
        return "".join(self._one(char) for char in text)

    def bare(self, text: str) -> str:
        """A text for where there is no markup: what the font has not is a question mark."""
        return "".join(char if ord(char) in self.has else "?" for char in _flat(text))

    def _one(self, char: str) -> str:
        if ord(char) in self.has:
            return escape(char)
        if char in SUITS:
            return f'<font name="Symbol">{char}</font>'
        return " " if not char.isprintable() else "?"


def _flat(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


@cache
def lettering() -> Lettering:
    """The best letters that this machine has."""
    for plain, bold in FILES:
        for folder in (*FOLDERS, ""):
            found = _registered(str(Path(folder, plain)), str(Path(folder, bold)))
            if found is not None:
                return found
    raise FileNotFoundError(FILES[-1][0])


def lettering_of(plain: str, bold: str) -> Lettering:
    """The letters of these two files; raises FileNotFoundError."""
    found = _registered(plain, bold)
    if found is None:
        raise FileNotFoundError(plain)
    return found


def _registered(plain: str, bold: str) -> Lettering | None:
    names = []
    try:
        fonts = [TTFont(Path(file).stem, file) for file in (plain, bold)]
    except (TTFError, OSError):
        return None
    for font in fonts:
        pdfmetrics.registerFont(font)
        names.append(font.fontName)
    return Lettering(names[0], names[1], frozenset(fonts[0].face.charToGlyph))
