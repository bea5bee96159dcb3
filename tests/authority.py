"""A certificate authority, made by the very commands that docs/operation.md shows; no key stays."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.access import Access
from daemon.shipped import config_path

PAGE = Path(__file__).parents[1] / "docs" / "operation.md"
# Each command by a word that it alone has; the last of the page's commands with it counts.
COMMANDS = {
    "found": "-x509",
    "list": "-gencrl",
    "ask-broker": "-keyout broker.key",
    "grant-broker": "-extensions broker",
    "ask": "-keyout poker-12.key",
    "grant": "-extensions client",
    "revoke": "-revoke",
}
SHOWN = "poker-12"
NAMES = "DNS:broker.example,DNS:localhost,IP:127.0.0.1"


class Authority:
    """An authority in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "issued").mkdir(parents=True)
        (folder / "index.txt").touch()
        shutil.copy(config_path("mosquitto", "ca.cnf"), folder / "ca.cnf")
        section = PAGE.read_text().partition("\n## Certificates\n")[2].partition("\n## ")[0]
        lines = re.findall(r"^    (.*\bopenssl .*)$", section, re.MULTILINE)
        self._shown = {
            name: next(line for line in lines if word in line) for name, word in COMMANDS.items()
        }
        self._run("found")
        self._run("list")

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    def broker(self, *, names: str = "", days: tuple[int, int] | None = None) -> Path:
        """A broker's certificate, its key beside it; `days` from when to when, from now."""
        self._run("ask-broker", **{NAMES: names or NAMES})
        self._run("grant-broker", *_dates(days))
        return self.folder / "broker.pem"

    def client(
        self, name: str, *, subject: str = "", days: tuple[int, int] | None = None
    ) -> Access:
        """As whom this one comes to a broker of this authority; `subject` where not as `name`."""
        escaped = re.sub(r"([+/])", r"\\\\\1", subject or name)
        self._run("ask", **{SHOWN: name, f"/CN={name}": f"/CN={escaped}"})
        self.renew(name, days=days)
        return self.access(name)

    def renew(self, name: str, *, days: tuple[int, int] | None = None) -> None:
        """Another certificate for the key that is there."""
        self._run("grant", *_dates(days), **{SHOWN: name})

    def revoke(self, name: str) -> None:
        self._run("revoke", **{SHOWN: name})
        self._run("list")

    def access(self, name: str, **others: Path | None) -> Access:
        own = {
            "ca": self.ca,
            "certificate": self.folder / f"{name}.pem",
            "key": self.folder / f"{name}.key",
        }
        return Access(**(own | others))

    def _run(self, command: str, *more: str, **instead: str) -> None:
        line = self._shown[command]
        for shown, meant in instead.items():
            line = line.replace(shown, meant)
        done = subprocess.run(
            ["bash", "-ec", " ".join([line, *more])],
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stderr}"


def _dates(days: tuple[int, int] | None) -> list[str]:
    if days is None:
        return []
    now = datetime.now(UTC)
    begins, ends = (f"{now + timedelta(days=n):%Y%m%d%H%M%SZ}" for n in days)
    return ["-startdate", begins, "-enddate", ends]
