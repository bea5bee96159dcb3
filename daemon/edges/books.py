"""Rulebooks and texts from the files of config/, with all of their mistakes at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from daemon.rules import rulebook, texts
from daemon.rules.mistakes import BookError, Mistake, Source, masked, shown
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.shipped import config_path
from daemon.table.decks import is_deck

FILE_BYTES_MAX = 1 << 17
EXTENDS_MAX = 8

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


def rulebook_names() -> list[str]:
    """The names of the rulebooks that come with the program."""
    return sorted(path.stem for path in (config_path() / "rulebooks").glob("*.toml"))


def language_keys() -> list[str]:
    """The languages there are texts in, such as `en`."""
    return sorted(path.stem for path in (config_path() / "texts").glob("*.toml"))


def read_books(
    name: str, languages: Sequence[str] | None = None, house: Source | None = None
) -> tuple[Rulebook, Texts]:
    """A rulebook and the texts of these languages (None: all there are), ready for use.

    `name` is one that comes with the program, or the path of a file ending in `.toml`, which may
    extend a file beside it. `house` is the `[house]` table of a table's configuration. Raises
    BookError with all mistakes of all files.
    """
    mistakes: list[Mistake] = []
    book = words = None
    try:
        book = read_rulebook(name, house)
    except BookError as error:
        mistakes += error.mistakes
    try:
        words = read_texts(languages)
    except BookError as error:
        mistakes += error.mistakes
    if book is None or words is None:
        raise BookError(mistakes)
    return book, words


def read_rulebook(name: str, house: Source | None = None) -> Rulebook:
    """The rulebook, with what it extends; as `read_books`."""
    mistakes: list[Mistake] = []
    path = _found(name, None)
    chain: list[Source] = []
    seen: list[Path] = []
    while path is not None:
        source = _parsed(path, mistakes)
        if source is None:
            break
        chain.insert(0, source)
        seen.append(path)
        path = _extended(source, path, seen, mistakes)
    if not seen and not mistakes:
        known = ", ".join(rulebook_names())
        mistakes.append(Mistake(shown(name), "", "", f"there is no such rulebook; known: {known}"))
    if not chain:
        raise BookError(mistakes)
    return rulebook.build(_stem(name), chain, house, mistakes)


def read_texts(languages: Sequence[str] | None = None) -> Texts:
    """The texts of these languages (None: all there are); as `read_books`."""
    mistakes: list[Mistake] = []
    sources: dict[str, Source] = {}
    known = language_keys()
    for key in known if languages is None else languages:
        if key not in known:
            text = f"there are no texts in this language; known: {', '.join(known)}"
            mistakes.append(Mistake(shown(key), "", "", text))
            continue
        source = _parsed(config_path() / "texts" / f"{key}.toml", mistakes)
        if source is not None:
            sources[key] = source
    return texts.build(sources, mistakes)


def _extended(
    source: Source, path: Path, seen: Sequence[Path], mistakes: list[Mistake]
) -> Path | None:
    """The file this one extends, None if none; a mistake where it is not there or in a circle."""
    name = source.tables.get("extends")
    if not isinstance(name, str):
        return None
    found = _found(name, path.parent)
    if found is None:
        known = ", ".join(rulebook_names())
        text = f"{shown(name)} is no rulebook; known: {known}"
    elif found in seen:
        text = f"goes round in a circle: {shown(name)} comes back to itself"
    elif len(seen) >= EXTENDS_MAX:
        text = f"more than {EXTENDS_MAX} rulebooks extend one another"
    else:
        return found
    mistakes.append(Mistake(source.file, "", "extends", text))
    return None


def _found(name: str, beside: Path | None) -> Path | None:
    """The rulebook's file: a path, one beside another, or one that comes with the program."""
    if beside is None and name.endswith(".toml"):
        return Path(name)
    if not _NAME.fullmatch(name):
        return None
    stem = _stem(name)
    directories = [config_path() / "rulebooks"]
    if beside is not None:
        directories.insert(0, beside)
    paths = (directory / f"{stem}.toml" for directory in directories)
    return next((path for path in paths if path.is_file()), None)


def _stem(name: str) -> str:
    return Path(name).name.removesuffix(".toml")


def _parsed(path: Path, mistakes: list[Mistake]) -> Source | None:
    file = _told(path)
    try:
        with path.open("rb") as opened:
            content = opened.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        mistakes.append(Mistake(file, "", "", f"cannot be read: {error.strerror or error}"))
        return None
    if len(content) > FILE_BYTES_MAX:
        mistakes.append(Mistake(file, "", "", f"is larger than {FILE_BYTES_MAX} bytes"))
        return None
    try:
        tables = tomllib.loads(content.decode())
    except RecursionError:
        text = "is nested too deeply"
    except UnicodeDecodeError as error:
        text = f"is not UTF-8: byte {error.start}"
    except ValueError as error:  # TOMLDecodeError is one, and so is a number too long to read
        text = f"is not TOML: {masked(str(error))}"
    else:
        if not is_deck(tables):
            return Source(file, tables)
        text = "is a deck's file, neither a rulebook nor a table's configuration"
    mistakes.append(Mistake(file, "", "", text))
    return None


def _told(path: Path) -> str:
    """The file as people know it: from the program's config/ on, or as it was given."""
    directory = config_path()
    if path.is_relative_to(directory):
        return f"config/{path.relative_to(directory)}"
    return str(path)
