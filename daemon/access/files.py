"""The files that `[broker]` names: where they are, what is in them, and who else can read them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from daemon.access.certificates import Certificate, read_pem

FILES = ("password_file", "ca", "certificate", "key")
SECRET = ("password_file", "key")
PASSWORD_BYTES_MAX = 65_535  # MQTT's own limit
PEM_BYTES_MAX = 1 << 20


class AccessError(Exception):
    """A file that `[broker]` names is of no use: `field` there, and why; never what is in it."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(field, why)
        self.field = field
        self.why = why

    def __str__(self) -> str:
        return f"{self.field} {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """As whom to come to a broker, and what it must show: the user's name, and paths.

    Without `ca` the machine's own authorities count; without `key` it is in the certificate's file.
    """

    username: str | None = None
    password_file: Path | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def files(self) -> Iterator[tuple[str, Path]]:
        """Those that are named, each with its key in `[broker]`."""
        for field in FILES:
            if path := getattr(self, field):
                yield field, path

    def password(self) -> str | None:
        """As it stands in its file now, without blanks around it; raises AccessError."""
        if self.password_file is None:
            return None
        secret = read("password_file", self.password_file, PASSWORD_BYTES_MAX).strip()
        try:
            found = secret.decode()
        except UnicodeDecodeError:
            found = ""
        if not found or "\0" in found:
            raise AccessError("password_file", "has no password in it: a line of UTF-8")
        return found

    def chain(self, field: str) -> list[Certificate]:
        """The certificates in the file of `ca` or `certificate`, none where it is not named.

        Of `certificate` the first is ours, and others lead to the authority; raises AccessError.
        """
        if (path := getattr(self, field)) is None:
            return []
        try:
            return read_pem(read(field, path, PEM_BYTES_MAX))
        except ValueError:
            raise AccessError(field, "has no certificate in it") from None

    def certificates(self) -> Iterator[tuple[str, Certificate]]:
        """Those whose end matters, each with its key in `[broker]`; raises AccessError.

        Of several authorities it is the one that ends last: a new one stands beside the old one
        while certificates are renewed.
        """
        if authorities := self.chain("ca"):
            yield "ca", max(authorities, key=lambda one: one.ends)
        yield from (("certificate", one) for one in self.chain("certificate"))

    @property
    def name(self) -> str | None:
        """As whom we come: the user's name, or our certificate's; raises AccessError."""
        return self.username or next((one.name for one in self.chain("certificate")), None)


def access_of(named: Mapping[str, object], source: Path) -> Access:
    """What `[broker]` of the configuration `source` names; what has another type is left out."""
    username = named.get("username")
    paths = {
        field: secret_path(source, name)
        for field in FILES
        if isinstance(name := named.get(field), str)
    }
    return Access(username=username if isinstance(username, str) else None, **paths)


def secret_path(source: Path, name: str) -> Path:
    """A secret's file: a credential of systemd's by its name, else beside the configuration."""
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    if credentials and (Path(credentials) / name).is_file():
        return Path(credentials) / name
    return source.parent / name


def is_open_to_all(path: Path) -> bool:
    """Whether everybody on this machine may read it: its own mode, and those of all above it."""
    try:
        whole = path.resolve()
        above = all(folder.stat().st_mode & stat.S_IXOTH for folder in whole.parents)
        return bool(above and whole.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def unread(error: OSError) -> str:
    """Why a file cannot be read; without its name, which may be a secret put in the wrong place."""
    return f"cannot be read: {error.strerror}"


def read(field: str, path: Path, most: int) -> bytes:
    """What is in the file of `field`, `most` bytes at most; raises AccessError."""
    try:
        with path.open("rb") as file:
            found = file.read(most + 1)
    except OSError as error:
        raise AccessError(field, unread(error)) from None
    if len(found) > most:
        raise AccessError(field, f"has more than {most} bytes")
    return found
