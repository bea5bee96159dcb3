"""The web served: sockets of our own, uvicorn over them, an end that waits for nobody who is slow.

A browser that is gone without a word is found out by TCP itself (`TCP_USER_TIMEOUT`), one that
begins a request and does not end it by us. Signals are the service's, not uvicorn's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from daemon.edges import logs
from daemon.floor.web.app import make_app
from daemon.floor.web.call import Web
from daemon.floor.web.crowd import BATCH, Crowd, Listening, room
from daemon.floor.web.live import ABORT

HEAD_S = 15.0
KEEP_ALIVE_S = 30
UNHEARD_MS = 20_000
GRACE_S = 3
UNREAD_BYTES_MAX = 256 * 1024  # that the kernel keeps for each browser: it would take megabytes
HEAD_BYTES_MAX = 16 * 1024
LOOK_S = 60.0

log = logs.get("web")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where to listen; port 0 is any that is free. `certificate` and `key` are PEM files."""

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None


class Patient(H11Protocol):
    """A connection that has so long to say what it wants, and no longer; `crowd` has them all."""

    def __init__(self, *args: Any, crowd: Crowd, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **named)
        self._crowd = crowd
        self._late: asyncio.TimerHandle | None = None
        self.app_state = {**self.app_state, ABORT: self.abort}

    def abort(self) -> None:
        """End it at once, and what waits to be sent with it."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for its first request."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """More of a request: while its head is not whole, the time goes on."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._await_head()
        else:
            self._have_head()
            self._asked(is_so=self.conn.our_state is not h11.IDLE)

    def on_response_complete(self) -> None:
        """Answered: until something else is asked nobody waits here."""
        self._asked(is_so=False)
        super().on_response_complete()

    def _asked(self, *, is_so: bool) -> None:
        self._crowd.busy(self.client, is_so=is_so)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more is awaited."""
        self._have_head()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_S, self.transport.abort)

    def _have_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Server(uvicorn.Server):
    """Uvicorn without its hands on the signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """They are the service's."""
        yield


class Serving:
    """The web at a place. Raises OSError at once where that is not to be had."""

    def __init__(self, web: Web, place: Place) -> None:
        self._web = web
        self._place = place
        self._crowd = Crowd(room())
        self._sockets = _sockets(place, self._crowd)
        config = uvicorn.Config(
            make_app(web),
            http=partial(Patient, crowd=self._crowd),  # type: ignore[arg-type]  # it makes one
            ws="none",
            lifespan="off",
            loop="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # ours are looked at by the gate
            server_header=False,
            ssl_certfile=place.certificate,
            ssl_keyfile=place.key,
            backlog=BATCH,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=GRACE_S,
            h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # nobody's nonsense fills a log
        try:
            config.load()  # a certificate that cannot be read is said now
        except BaseException:
            self._close_sockets()
            raise
        self._server = _Server(config)
        self._written_ns: list[int] = []
        self._refused_ns: list[int] = []
        self._written_ns = self._written()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        """What to open in a browser on this machine."""
        scheme = "https" if self._place.certificate else "http"
        host = self._place.host
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - read, not bound
        if ":" in host and not host.startswith("["):
            host = f"[{host}]"
        return f"{scheme}://{host}:{self.port}"

    @property
    def is_up(self) -> bool:
        """Whether requests are taken."""
        return self._server.started

    async def run(self) -> None:
        """Serve until `stop`, or until cancelled; nothing is open behind it."""
        looking = asyncio.create_task(self._look(), name="certificate")
        try:
            await self._server.serve(sockets=self._sockets)
        finally:
            looking.cancel()
            for each in list(self._server.server_state.connections):
                each.transport.abort()  # whoever did not go by himself
            self._web.streams.shut()
            self._web.exports.stop()
            self._close_sockets()
            await asyncio.to_thread(self._web.exports.close)

    def stop(self) -> None:
        """End: every stream is told so and ends at once, requests have `GRACE_S`."""
        self._web.streams.shut()
        self._server.should_exit = True

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.renew()

    def renew(self) -> None:
        """Take a certificate that was renewed; who is connected stays so.

        One that does not fit its key is told, once, and looked at again: the other file may follow.
        """
        context, place = self._server.config.ssl, self._place
        written_ns = self._written()
        if context is None or place.certificate is None or written_ns == self._written_ns:
            return
        try:  # first beside it: half of a pair would be left in the one that serves
            for each in (ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), context):
                each.load_cert_chain(place.certificate, place.key, _no_password)
        except (ssl.SSLError, OSError, ValueError) as error:
            if written_ns != self._refused_ns:
                log.warning("certificate not taken", reason=type(error).__name__)
            self._refused_ns = written_ns
        else:
            self._written_ns = written_ns
            log.info("certificate renewed")

    def _written(self) -> list[int]:
        """When the files of the certificate were written."""
        files = [file for file in (self._place.certificate, self._place.key) if file is not None]
        try:
            return [file.stat().st_mtime_ns for file in files]
        except OSError:
            return self._written_ns if files else []

    def _close_sockets(self) -> None:
        for each in self._sockets:
            each.close()


def _no_password() -> str:
    """OpenSSL would ask at the terminal."""
    raise ValueError


def _sockets(place: Place, crowd: Crowd) -> list[socket.socket]:
    """A socket that listens at each address of the place."""
    found = socket.getaddrinfo(
        place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    made: list[socket.socket] = []
    try:
        for family, kind, proto, _, address in dict.fromkeys(found):
            one = Listening(family, kind, proto)
            one.crowd = crowd
            made.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                both = place.host == "::"  # any address means IPv4's too
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if both else 1)
            # Handed on to each connection: bytes that nobody acknowledges end it.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD_MS)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES_MAX // 2)
            port = made[0].getsockname()[1] if len(made) > 1 else address[1]
            one.bind((address[0], port, *address[2:]))
            one.setblocking(False)
    except OSError:
        for each in made:
            each.close()
        raise
    return made
