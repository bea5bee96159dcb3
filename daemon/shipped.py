"""Where the files of config/ are: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def config_path(*parts: str) -> Path:
    """A file or a folder that ships with the program; raises FileNotFoundError without any."""
    for root in (_PACKAGE / "config", _PACKAGE.parent / "config"):
        if root.is_dir():
            return root.joinpath(*parts)
    raise FileNotFoundError("config")
