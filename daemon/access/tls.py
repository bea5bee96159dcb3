"""Our side of TLS: what the broker must show, what we show, and why it did not come about."""

from __future__ import annotations

import ssl
from typing import Any

from daemon.access.files import PEM_BYTES_MAX, Access, AccessError, read, unread
from daemon.access.refusals import refusal


class Context(ssl.SSLContext):
    """TLS 1.2 at least, the broker's name and authority checked; `refused` says why it failed.

    With TLS 1.3 a broker says what it thinks of our certificate only after the handshake: whoever
    reads is told that the connection has ended, and no more. `refused` is a key of `REFUSALS`.
    """

    refused: str | None = None


class _Tidy(ssl.SSLSocket):
    """Notes why TLS failed; and closed here, since paho forgets a socket without a handshake."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except (OSError, ValueError) as error:
            _note(self.context, error)
            self.close()
            raise

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        try:
            return super().recv(buflen, flags)
        except ssl.SSLError as error:
            if _note(self.context, error):
                return b""  # the broker's last word: to the one who reads it is the end
            raise


def _note(context: ssl.SSLContext, error: BaseException) -> bool:
    """Whether this error is a refusal, which is then known."""
    found = refusal(error)
    if isinstance(context, Context) and found is not None:
        context.refused = found
    return found is not None


def tls(access: Access) -> Context:
    """What the files say now, so that a renewed certificate counts; raises AccessError.

    A key with a passphrase is refused: nobody is there to be asked.
    """
    context = Context(ssl.PROTOCOL_TLS_CLIENT)  # this checks the name and the authority
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.sslsocket_class = _Tidy
    if access.chain("ca"):
        context.load_verify_locations(access.ca)
    else:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if access.chain("certificate"):
        _introduce(context, access)
    return context


def _introduce(context: ssl.SSLContext, access: Access) -> None:
    """Show our certificate, which is one; raises AccessError where the key is not its key."""
    asked = False

    def passphrase(*_: Any) -> str:  # noqa: ANN401 - whatever OpenSSL tells
        nonlocal asked
        asked = True
        return ""

    assert access.certificate is not None
    if access.key is not None:
        read("key", access.key, PEM_BYTES_MAX)
    try:
        context.load_cert_chain(access.certificate, access.key, passphrase)
    except ssl.SSLError as error:
        raise AccessError("key", _unfit(error, asked=asked)) from None
    except OSError as error:
        raise AccessError("key", unread(error)) from None


def _unfit(error: ssl.SSLError, *, asked: bool) -> str:
    if asked:
        return "has a passphrase: nobody is there to give it"
    if error.reason == "KEY_VALUES_MISMATCH":
        return "is not the key of the certificate"
    return "has no private key in it"
