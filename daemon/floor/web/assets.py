"""Scripts and styles of the screens, read once and served from memory: no path is ever followed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import Response

STATIC = Path(__file__).with_name("static")
# fmt: off
MEDIA = {
    ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png",
    ".ico": "image/x-icon", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json",
}
# fmt: on
FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Assets:
    """Every file by its path below `static/`; `version` is what all of them hash to."""

    version: str
    files: dict[str, tuple[bytes, str]]

    @property
    def root(self) -> str:
        """What their addresses begin with; another version has others."""
        return f"/static/{self.version}"

    def answer(self, version: str, path: str) -> Response | None:
        """A file, kept by browsers for ever; None where there is none, or of another version."""
        found = self.files.get(path) if version == self.version else None
        if found is None:
            return None
        return Response(found[0], media_type=found[1], headers={"cache-control": FOR_EVER})


def read_assets(root: Path = STATIC) -> Assets:
    """All files of a kind that screens need."""
    files = {}
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")) if root.is_dir() else []:
        if path.suffix in MEDIA and path.is_file():
            content = path.read_bytes()
            name = path.relative_to(root).as_posix()
            files[name] = (content, MEDIA[path.suffix])
            digest.update(name.encode() + b"\0" + content + b"\0")
    return Assets(digest.hexdigest()[:12], files)
