"""What is wrong with `[broker]`, and what can be used and should not stay so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from daemon.access.certificates import worry
from daemon.access.files import (
    PEM_BYTES_MAX,
    SECRET,
    Access,
    AccessError,
    access_of,
    is_open_to_all,
    read,
)
from daemon.access.tls import tls
from daemon.messages import Address, address
from daemon.shaped import Mistakes

NEEDS = {"password_file": "username", "key": "certificate"}
TLS_ONLY = {"ca", "certificate", "key"}
Remark = tuple[str, str, dict[str, str]]  # where it stands, which it is, its facts


def misfits(broker: Mapping[str, object], source: Path) -> Mistakes:
    """Mistakes in `[broker]` as it is written in the configuration `source`.

    What has the wrong type was told already. What is in a file is never told, nor a URL that is
    wrong: it may hold a password.
    """
    for number, url in enumerate(_urls(broker)):
        if isinstance(url, str) and isinstance(what := address(url), str):
            yield f"broker.urls[{number}]", what
    for field, needed in NEEDS.items():
        if broker.get(field) and not broker.get(needed):
            yield f"broker.{field}", f"needs a {needed}"
    for field, what in _unusable(access_of(broker, source)):
        yield f"broker.{field}", what


def remarks(
    broker: Mapping[str, object], source: Path, table: str, now: datetime
) -> Iterator[Remark]:
    """What should not stay as it is in a `[broker]` without mistakes."""
    access = access_of(broker, source)
    places = [place for url in _urls(broker) if isinstance(place := address(str(url)), Address)]
    for number, place in enumerate(places):
        if not place.tls and not _is_here(place.host):
            yield f"broker.urls[{number}]", "overheard", {"host": place.host}
    if not any(place.tls for place in places):
        unused = [field for field, _ in access.files() if field in TLS_ONLY]
        yield from ((f"broker.{field}", "unused", {}) for field in unused)
    try:
        certificates = list(access.certificates())
    except AccessError as error:  # changed since it was checked
        yield f"broker.{error.field}", "unfit", {"reason": error.why}
        return
    for field, one in certificates:
        if found := worry(one, now):
            yield f"broker.{field}", found[0], {"name": one.name, "day": f"{found[1]:%Y-%m-%d}"}
    own = next((one.name for field, one in certificates if field == "certificate"), table)
    if own != table:
        yield "broker.certificate", "misnamed", {"name": own, "table": table}


def exposed(access: Access) -> Iterator[tuple[str, Path]]:
    """The secrets that everybody on this machine may read, each with its key in `[broker]`."""
    for field, path in access.files():
        if field in SECRET and is_open_to_all(path):
            yield field, path


def _urls(broker: Mapping[str, object]) -> list[object]:
    urls = broker.get("urls")
    return list(urls) if isinstance(urls, list | tuple) else []


def _unusable(access: Access) -> Iterator[tuple[str, str]]:
    """Every file that cannot be used, and why; whether they fit together where each can."""
    found: dict[str, str] = {}
    for use in (
        access.password,
        lambda: access.chain("ca"),
        lambda: access.chain("certificate"),
        lambda: access.key and read("key", access.key, PEM_BYTES_MAX),
        lambda: found.keys() & TLS_ONLY or tls(access),
    ):
        try:
            use()
        except AccessError as error:
            found[error.field] = error.why
    yield from found.items()


def _is_here(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")
