"""A broker asked step by step: its name, its port, TLS, the login, and whether words come back.

What is published for it is one message, empty and not retained, at `alerts/log/...`, which nobody
subscribes to and the table may read back: no status and no alert is touched.
"""

from __future__ import annotations

import secrets
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import msgspec
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from daemon.access import WARNED_DAYS, Access, AccessError, Context, read_der, tls
from daemon.doctor.findings import OK, WARNING, WRONG, Finding
from daemon.messages import Address, Topics

STEP_S = 3.0
KEEPALIVE_S = 10
TURN_S = 0.05
WORD_S = 0.5
HUNG_UP = "hung up"
OLDER = {"Unsupported protocol version", "Protocol error"}


@dataclass(frozen=True, slots=True)
class Login:
    """As whom to come; `client` is the daemon's own name, and a name made from it is used."""

    client: str
    access: Access = field(default_factory=Access)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found of one broker, and the daemon's last status that it keeps, None for none."""

    findings: tuple[Finding, ...]
    status: dict[str, Any] | None = None


class _Refused(Exception):  # noqa: N818 - it says how a step ended
    """A step that failed: the key of its words, and their facts."""

    def __init__(self, what: str, **facts: object) -> None:
        super().__init__(what)
        self.what = what
        self.facts = facts


def broker(
    url: str,
    address: Address,
    login: Login,
    topics: Topics,
    days_least: int = WARNED_DAYS,
) -> Answer:
    """Go through all steps with this broker; blocks for some seconds at most.

    A certificate that ends within `days_least` is worth a warning.
    """
    facts: dict[str, object] = {"host": address.host, "port": address.port, "user": "-"}
    found: list[Finding] = []
    try:
        facts["user"] = login.access.name or "-"
        found += [Finding(WARNING, "broker", what, url, facts | more)
                  for what, more in _reached(address, login, days_least)]  # fmt: skip
        talk = _talk(address, login, topics)
    except AccessError as error:
        facts |= {"field": error.field, "reason": error.why}
        return Answer((*found, Finding(WRONG, "broker", "broker-file", url, facts)))
    except _Refused as refused:
        return Answer((*found, Finding(WRONG, "broker", refused.what, url, facts | refused.facts)))
    found.append(Finding(OK, "broker", "broker-ok", url, facts | {"version": talk.version}))
    return Answer(tuple(found), talk.status)


# --- name, port, TLS ---


def _reached(
    address: Address, login: Login, days_least: int
) -> list[tuple[str, dict[str, object]]]:
    """Warnings about a broker whose port and TLS are well; raises _Refused."""
    try:
        socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _Refused("broker-name") from None
    try:
        line = socket.create_connection((address.host, address.port), timeout=STEP_S)
    except OSError as error:
        reason = "timed out" if isinstance(error, TimeoutError) else error.strerror or str(error)
        raise _Refused("broker-tcp", reason=reason.lower()) from None
    with line:
        return _shaken(line, address, login, days_least) if address.tls else []


def _shaken(
    line: socket.socket, address: Address, login: Login, days_least: int
) -> list[tuple[str, dict[str, object]]]:
    context = tls(login.access)
    try:
        with context.wrap_socket(line, server_hostname=address.host) as safe:
            ends = read_der(safe.getpeercert(binary_form=True) or b"").ends
            _heard_out(safe)
    except ssl.SSLCertVerificationError as error:
        raise _refused_by(context, "broker-certificate", error.verify_message) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or "no answer"
        said = str(reason).lower().replace("_", " ")
        raise _refused_by(context, "broker-tls", said) from None
    days = (ends - datetime.now(UTC)).days
    return [("broker-certificate-ends", {"days": days})] if days < days_least else []


def _heard_out(safe: ssl.SSLSocket) -> None:
    """Let the broker say what it thinks of our certificate; raises OSError where it hangs up.

    With TLS 1.3 it does so after the handshake. To one who speaks on meanwhile its word may be
    lost: the network throws it away with the connection.
    """
    safe.settimeout(WORD_S)
    with suppress(TimeoutError):
        if not safe.recv(1):
            raise ConnectionError


def _refused_by(context: Context | None, otherwise: str, reason: object) -> _Refused:
    """Why TLS came to nothing, in words where there are some."""
    known = context.refused if context is not None else None
    return _Refused(f"tls-{known}" if known else otherwise, reason=reason)


# --- MQTT ---


@dataclass(slots=True)
class _Talk:
    """What came back in one connection."""

    version: str
    connected: ReasonCode | None = None
    subscribed: list[ReasonCode] | None = None
    published: ReasonCode | None = None
    echoed: bool = False
    status: dict[str, Any] | None = None
    ended: bool = field(default=False)


def _talk(address: Address, login: Login, topics: Topics) -> _Talk:
    """MQTT 5, or where the broker knows only that, 3.1.1; raises _Refused."""
    try:
        return _spoken(address, login, topics, mqtt.MQTTv5)
    except _Refused as refused:
        if refused.what != "broker-silent" and refused.facts.get("reason") not in OLDER:
            raise
    return _spoken(address, login, topics, mqtt.MQTTv311)


def _spoken(address: Address, login: Login, topics: Topics, version: Any) -> _Talk:  # noqa: ANN401 - paho's own kind
    token = secrets.token_hex(6)
    talk = _Talk("5" if version == mqtt.MQTTv5 else "3.1.1")
    client = mqtt.Client(
        CallbackAPIVersion.VERSION2,
        client_id=f"{login.client}-doctor-{token}"[:128],
        protocol=version,
        clean_session=True if version == mqtt.MQTTv311 else None,
    )
    client.connect_timeout = STEP_S
    access, context = login.access, tls(login.access) if address.tls else None
    if context is not None:
        client.tls_set_context(context)
    if access.username is not None:
        client.username_pw_set(access.username, access.password())
    try:
        client.connect(address.host, address.port, keepalive=KEEPALIVE_S)
        _asked(client, talk, topics.at("alerts", "log", f"doctor-{token}"), topics.at("status"))
    except _Refused as refused:
        if (reason := refused.facts.get("reason")) != HUNG_UP:
            raise
        raise _refused_by(context, refused.what, reason) from None
    except (OSError, ValueError) as error:
        raise _Refused("broker-tcp", reason=str(error).lower()[:100]) from None
    finally:
        with suppress(OSError, ValueError):
            client.disconnect()
            client.loop(TURN_S)
        sock = client.socket()
        if sock is not None:
            sock.close()
    return talk


def _asked(client: mqtt.Client, talk: _Talk, echo: str, status: str) -> None:
    """Log in, subscribe, publish, and hear it come back; raises _Refused."""
    _listen(client, talk, echo, status)
    _until(client, talk, lambda: talk.connected is not None, "broker-silent")
    if talk.connected is not None and talk.connected.is_failure:
        raise _Refused("broker-login", reason=str(talk.connected))
    client.subscribe([(echo, 1), (status, 1)])
    _until(client, talk, lambda: talk.subscribed is not None, "broker-silent")
    if any(code.is_failure for code in talk.subscribed or ()):
        raise _Refused("broker-read", topic=echo.rpartition("/")[0], status=status)
    client.publish(echo, b"", qos=1)
    _until(client, talk, lambda: talk.published is not None, "broker-silent")
    if talk.published is not None and talk.published.is_failure:
        raise _Refused("broker-write", reason=str(talk.published))
    _until(client, talk, lambda: talk.echoed, "broker-echo")


def _listen(client: mqtt.Client, talk: _Talk, echo: str, status: str) -> None:
    def connected(_c: object, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        talk.connected = code

    def subscribed(_c: object, _u: object, _m: int, codes: list[ReasonCode], _p: object) -> None:
        talk.subscribed = codes

    def published(_c: object, _u: object, _m: int, code: ReasonCode, _p: object) -> None:
        talk.published = code

    def came(_c: object, _u: object, message: mqtt.MQTTMessage) -> None:
        if message.topic == echo:
            talk.echoed = True
        elif message.topic == status:
            with suppress(msgspec.MsgspecError):
                talk.status = msgspec.json.decode(message.payload, type=dict[str, Any])

    def ended(_c: object, _u: object, _f: object, _code: ReasonCode, _p: object) -> None:
        talk.ended = True

    client.on_connect = connected
    client.on_subscribe = subscribed
    client.on_publish = published
    client.on_message = came
    client.on_disconnect = ended


def _until(client: mqtt.Client, talk: _Talk, true: Callable[[], bool], otherwise: str) -> None:
    """Let the connection live until this is so; raises _Refused."""
    ends_s = monotonic() + STEP_S
    while not true():
        is_lost = client.loop(TURN_S) != mqtt.MQTT_ERR_SUCCESS
        if true():
            return
        talk.ended = talk.ended or is_lost
        if talk.ended or monotonic() > ends_s:
            raise _Refused(otherwise, reason=HUNG_UP if talk.ended else "no answer")
