"""The floor's configuration: TOML in, settings out, or all mistakes at once, each with its path."""

from __future__ import annotations

import os
import re
import ssl
import tomllib
from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daemon import access
from daemon.edges.mqtt import Account
from daemon.floor.document import Document
from daemon.messages import Address, address, level_mistake
from daemon.shaped import Mistake, Mistakes, SettingsError, in_file_order, shaped

HOST = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
LOGIN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
HISTORY_FILE = "history.db"
BACKENDS = ("sqlite", "postgresql+pg8000")
NAMES_MAX = 10_000


class FloorSettings(Struct, frozen=True, kw_only=True):
    """The floor's configuration, checked whole. `names` are the dealers' by their pseudonyms."""

    source: Path
    document: Document
    names: dict[str, str] = {}

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites whose tables are watched."""
        document = self.document
        return document.sites or (document.site or "",)

    @property
    def account(self) -> Account:
        """Which brokers, and as whom to come."""
        broker = self.document.broker
        found = [address(url) for url in broker.urls]
        addresses = tuple(one for one in found if isinstance(one, Address))
        client = broker.client or f"floorcall-{self.sites[0]}-floor"
        return Account(addresses=addresses, client=client, access=self.access)

    @property
    def access(self) -> access.Access:
        """As whom to come to the broker, and what it must show."""
        return access.access_of(msgspec.structs.asdict(self.document.broker), self.source)

    @property
    def state(self) -> Path:
        """The folder for what is to outlive this run: systemd's, or one beside the file."""
        given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
        return self.source.parent / (self.document.state or given or "state")

    @property
    def history_url(self) -> str:
        """Where the history is, without a password."""
        return self.document.history.url or f"sqlite:///{(self.state / HISTORY_FILE).absolute()}"

    def history_password(self) -> str | None:
        """The database's password as it stands in its file; raises AccessError."""
        return _password(self.document.history.password_file, self.source)

    @property
    def history_ca(self) -> Path | None:
        """The authority whose certificate the database must show; None where any will do."""
        ca = self.document.history.ca
        return access.secret_path(self.source, ca) if ca else None

    @property
    def certificate(self) -> tuple[Path, Path | None] | None:
        """The files of the web's certificate and key; None where it speaks no TLS itself."""
        web = self.document.web
        if web.certificate is None:
            return None
        key = access.secret_path(self.source, web.key) if web.key else None
        return access.secret_path(self.source, web.certificate), key


def read_floor_settings(path: Path) -> FloorSettings:
    """The settings of this file; raises SettingsError with all mistakes in it."""
    written = _written(path)
    found: list[Mistake] = []
    document = shaped(written, Document, "", found)
    names: dict[str, str] = {}
    found += _checked(written, path, names)
    if found or not isinstance(document, Document):
        raise SettingsError(path, in_file_order(found, written))
    return FloorSettings(source=path, document=document, names=names)


def _written(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 (byte {error.start + 1})"
    except (ValueError, RecursionError) as error:
        # the rest of the words may have a secret in them
        where = re.search(r"at line \d+, column \d+", str(error))
        what = f"is not TOML{', ' + where[0] if where else ''}"
    raise SettingsError(path, [("(file)", what)])


# --- sense: what each value means ---------------------------------------------------------------


def _checked(written: Mapping[str, Any], source: Path, names: dict[str, str]) -> Mistakes:
    """Mistakes in values whose type is right; what has the wrong type was told already."""
    yield from _sites(written)
    for place, name in enumerate(_listed(_below(written, "tables").get("order"))):
        if isinstance(name, str) and (what := level_mistake(name)):
            yield f"tables.order[{place}]", what
    if broker := _below(written, "broker"):
        yield from access.misfits(broker, source)
    yield from _web(_below(written, "web"), source)
    yield from _history(_below(written, "history"), source)
    yield from _staff(_below(written, "staff"), source, names)


def _sites(written: Mapping[str, Any]) -> Mistakes:
    one, several = written.get("site"), _listed(written.get("sites"))
    if one is None and not several:
        yield "site", "is missing"
    if one is not None and several:
        yield "sites", "site or sites, not both"
    for key, name in [("site", one), *(("sites", name) for name in several)]:
        if isinstance(name, str) and (what := level_mistake(name)):
            yield key, what


def _web(web: Mapping[str, Any], source: Path) -> Mistakes:
    listen, certificate, key = (
        web.get("listen", "127.0.0.1"),
        web.get("certificate"),
        web.get("key"),
    )
    place = _address(listen)
    if isinstance(listen, str) and place is None:
        yield "web.listen", "must be an address of this machine, such as 127.0.0.1, 0.0.0.0 or ::"
    if key and not certificate:
        yield "web.key", "needs a certificate"
    if isinstance(certificate, str) and isinstance(key, str | None):
        yield from _pair(certificate, key, source)
    proxy = web.get("proxy")
    yield from _proxy_names(_below(web, "proxy"))
    for number, network in enumerate(_listed(_below(web, "proxy").get("addresses"))):
        if isinstance(network, str) and (what := _network_mistake(network)):
            yield f"web.proxy.addresses[{number}]", what
    for number, host in enumerate(_listed(web.get("hosts"))):
        if isinstance(host, str) and not HOST.fullmatch(host):
            what = "must be a bare name, such as floor.example: no scheme, no port"
            yield f"web.hosts[{number}]", what
    is_here = place is None or place.is_loopback
    if not (is_here or certificate or proxy):
        what = "would carry passwords in clear: certificate and key, or [web.proxy], are needed"
        yield "web.listen", what


def _proxy_names(proxy: Mapping[str, Any]) -> Mistakes:
    """Where the proxy says who is there, somebody must be the one who lets others in."""
    header, named = proxy.get("header"), _listed(proxy.get("administrators"))
    if isinstance(header, str) and not named:
        yield "web.proxy.administrators", "is missing: who lets others in, by the proxy's names"
    for number, login in enumerate(named):
        if isinstance(login, str) and not LOGIN.fullmatch(login):
            what = "must be of a-z, 0-9 and . _ @ -, as the header has it in lower case"
            yield f"web.proxy.administrators[{number}]", what


def _pair(certificate: str, key: str | None, source: Path) -> Mistakes:
    """Whether a certificate and its key can be read, and belong together."""
    for name, file in (("certificate", certificate), ("key", key)):
        try:
            file is None or access.secret_path(source, file).read_bytes()
        except OSError as error:
            yield f"web.{name}", f"cannot be read: {error.strerror}"
            return
    own, secret = access.secret_path(source, certificate), key and access.secret_path(source, key)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(own, secret or None, _no_password)
    except (ssl.SSLError, OSError, ValueError):
        yield (
            "web.certificate",
            "is no certificate with its key: both in PEM, the key not encrypted",
        )


def _no_password() -> str:
    """OpenSSL would ask at the terminal."""
    raise ValueError


def _history(history: Mapping[str, Any], source: Path) -> Mistakes:
    url, password_file = history.get("url"), history.get("password_file")
    if isinstance(url, str):
        yield from (("history.url", what) for what in _url_mistakes(url))
    is_there = str(url or "").startswith("postgresql")
    if isinstance(ca := history.get("ca"), str):
        if not is_there:
            yield "history.ca", "needs the url of a PostgreSQL"
        try:
            ssl.create_default_context(cafile=access.secret_path(source, ca))
        except (OSError, ssl.SSLError) as error:
            yield "history.ca", f"cannot be read: {error.strerror or error}"
    if isinstance(password_file, str):
        if not is_there:
            yield "history.password_file", "needs the url of a PostgreSQL"
        try:
            _password(password_file, source)
        except access.AccessError as error:
            yield "history.password_file", error.why


def _url_mistakes(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
        has_password = parts.password is not None or "password" in parts.query.casefold()
    except ValueError:
        yield "is no URL"
        return
    if has_password:
        yield "must carry no password: password_file is for that"
    elif parts.scheme not in BACKENDS:
        yield "must begin with sqlite:/// or postgresql+pg8000://"


def _staff(staff: Mapping[str, Any], source: Path, names: dict[str, str]) -> Mistakes:
    identity, basis = staff.get("dealer_identity", "off"), staff.get("legal_basis", "")
    if identity in ("pseudonym", "name") and not (isinstance(basis, str) and basis.strip()):
        yield "staff.legal_basis", f'is missing: dealer_identity = "{identity}" needs one, in words'
    file = staff.get("names")
    if identity == "name" and file is None:
        yield "staff.names", 'is missing: dealer_identity = "name" needs a file of names'
    if isinstance(file, str):
        if identity != "name":
            yield "staff.names", 'is for dealer_identity = "name" only'
        yield from (("staff.names", what) for what in _read_names(file, source, names))


def _read_names(file: str, source: Path, names: dict[str, str]) -> Iterator[str]:
    try:
        found = tomllib.loads(access.secret_path(source, file).read_bytes().decode())
    except OSError as error:
        yield f"cannot be read: {error.strerror}"
        return
    except (ValueError, RecursionError):
        yield "is no TOML in UTF-8"
        return
    if len(found) > NAMES_MAX or not all(isinstance(name, str) for name in found.values()):
        yield 'must have lines like 7f3a = "Anna Rossi" only'
        return
    names.update(found)


def _password(file: str | None, source: Path) -> str | None:
    if file is None:
        return None
    return access.Access(password_file=access.secret_path(source, file)).password()


def _address(listen: object) -> Any:  # noqa: ANN401 - of either family
    try:
        return ip_address(listen) if isinstance(listen, str) else None
    except ValueError:
        return None


def _network_mistake(text: str) -> str | None:
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return "must be an address or a network: 10.0.0.0/8"
    return None if network.prefixlen else "would take everybody's word for who somebody is"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _below(written: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = written.get(key)
    return value if isinstance(value, dict) else {}
