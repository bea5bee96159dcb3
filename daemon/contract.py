"""What is said over MQTT, written down for other programs: an AsyncAPI 3 document, JSON Schemas.

Both are made from the types of the payloads. docs/asyncapi.json and docs/schemas hold what they
give; docs/topics.md says it in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import fields

from daemon.alarms.alert import Alert, Record
from daemon.alarms.dealt import Told
from daemon.messages import ROOT
from daemon.orders import NEEDS, Answer, Command
from daemon.payloads import (
    AlarmFigures,
    Coverage,
    HandView,
    NoHand,
    SeatsState,
    SensorState,
    Status,
)
from daemon.rules.vocabulary import AUDIENCES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
KEEPALIVE_S = 10
PACKET_BYTES_MAX = 1 << 18
NOTHING = "nothing"

FORMS: dict[str, tuple[type, ...]] = {
    "status": (Status,),
    "sensor": (SensorState, SeatsState),
    "hand": (HandView, NoHand),
    "coverage": (Coverage,),
    "event": (Told,),
    "alert": (Alert,),
    "record": (Record,),
    "figures": (AlarmFigures,),
    "command": (Command,),
    "answer": (Answer,),
}
"""Every kind of message, and the forms that its payload may have."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One kind of topic, and the kinds of message that go there.

    `levels` stand below the table's own topic; a table hears commands and says the rest. `NOTHING`
    is an empty message.
    """

    name: str
    levels: str
    messages: tuple[str, ...]
    about: str
    retain: bool = False
    qos: int = 1

    @property
    def address(self) -> str:
        """The whole topic, with its parameters in braces."""
        return f"{ROOT}/{{site}}/{{table}}/{self.levels}"

    @property
    def heard(self) -> bool:
        """Whether people speak here, and the table listens."""
        return "command" in self.messages


CHANNELS = (
    Channel("status", "status", ("status",), "That the daemon lives, and its last will.", True),
    Channel("sensors", "sensors/{sensor}", ("sensor", NOTHING), "How a sensor stands.", True),
    Channel("hand", "hand", ("hand",), "The hand in progress.", True),
    Channel("coverage", "coverage", ("coverage",), "What the table spots, and what not.", True),
    Channel(
        "alerts",
        "alerts/{audience}/{alert}",
        ("alert", NOTHING),
        "An alert, for as long as it stands.",
        True,
    ),
    Channel("log", "log/{audience}", ("record",), "Every line of every alert, for recorders."),
    Channel("proof", "log/{audience}/self-test", (NOTHING,), "Whether lines arrive."),
    Channel(
        "events",
        "events",
        ("event",),
        "Dealing events without hidden cards, where the configuration wants them.",
        qos=0,
    ),
    Channel("figures", "figures", ("figures",), "The daemon's measure of its alarms.", True),
    Channel("command", "command", ("command", NOTHING), "A person's order."),
    Channel(
        "userCommand",
        "command/{user}",
        ("command", NOTHING),
        "A person's order, where the broker ties the user's name to it.",
    ),
    Channel("answer", "answer", ("answer",), "What became of each command."),
    Channel("ownAnswer", "answer/{asker}", ("answer",), "The same, where the command wished it."),
)

_BOUND = {"bindingVersion": "0.2.0"}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "site": {"description": "The house, as the configuration names it."},
    "table": {"description": "The table, as the configuration names it."},
    "sensor": {"description": "The sensor, as the configuration names it; `seats` for all there."},
    "audience": {"description": "Whom it is for.", "enum": list(AUDIENCES)},
    "alert": {"description": "The alert's `id`; `self-test` for the proof that alerts arrive."},
    "user": {"description": "The sender's name at the broker."},
    "asker": {"description": "What the sender of a command put into its response topic."},
}
_ABOUT = {
    "status": "How the daemon is",
    "sensor": "A sensor, or all at seats",
    "hand": "The hand in progress, or that there is none",
    "coverage": "What the table spots",
    "event": "What happened at the table, for surveillance",
    "alert": "An alert as it stands",
    "record": "A line of an alert",
    "figures": "Key figures of the alarms",
    "command": "A person's order",
    "answer": "What became of a command",
}
# By what a field of a command is when it is left out: what it must be where it is needed.
_GIVEN: dict[object, dict[str, Any]] = {
    "": {"pattern": r"\S"},
    0: {"minimum": 1},
    None: {"type": "string"},
}


def as_json(written: dict[str, Any]) -> bytes:
    """A document or schema as text, ending with its line."""
    return msgspec.json.format(msgspec.json.encode(written), indent=2) + b"\n"


# --- schemas ------------------------------------------------------------------------------------


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each kind of message, by its name."""
    return {name: _schema(forms) for name, forms in FORMS.items()}


def _schema(forms: tuple[type, ...]) -> dict[str, Any]:
    refs, found = _described(forms, "#/$defs/{name}")
    own = found.pop(forms[0].__name__) if len(forms) == 1 else {"anyOf": refs}
    return {"$schema": DIALECT, **own} | ({"$defs": found} if found else {})


def _described(
    forms: Sequence[type], template: str
) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """A reference to each of these types, and all that is referred to, by name."""
    refs, found = msgspec.json.schema_components(forms, ref_template=template)
    found = {name: _spelt_as_json(each) for name, each in found.items()}
    for form in (Alert, Record, Answer):
        if form in forms:  # a default is what is said too, where it is a value
            always = [each.encode_name for each in fields(form) if each.default is not UNSET]
            found[form.__name__]["required"] = always
    if Command in forms:
        _demand(found["Command"])
    return refs, found


def _spelt_as_json(schema: dict[str, Any]) -> dict[str, Any]:
    """The same without what only Python or OpenAPI knows: ends of patterns, discriminators."""
    plain = msgspec.json.encode(schema).replace(b'\\\\Z"', b'$"')
    return dict(_undiscriminated(msgspec.json.decode(plain)))


def _undiscriminated(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
    match part:
        case dict():
            return {k: _undiscriminated(v) for k, v in part.items() if k != "discriminator"}
        case list():
            return [_undiscriminated(each) for each in part]
        case _:
            return part


def _demand(command: dict[str, Any]) -> None:
    """What each command needs besides its name."""
    empty = {each.name: _GIVEN[each.default] for each in fields(Command) if each.name in _needed()}
    command["required"] = ["command", "by"]
    command["properties"]["command"]["enum"] = list(NEEDS)
    command["properties"]["by"] |= empty["by"]
    command["allOf"] = [
        {
            "if": {"properties": {"command": {"const": name}}},
            "then": {
                "required": list(needs),
                "properties": {need: empty[need] for need in needs},
            },
        }
        for name, needs in NEEDS.items()
    ]


def _needed() -> set[str]:
    return {"by", *(need for needs in NEEDS.values() for need in needs)}


# --- the document -------------------------------------------------------------------------------


def document(version: str) -> dict[str, Any]:
    """The AsyncAPI document of a table that runs this version of the program."""
    every = [form for forms in FORMS.values() for form in forms]
    _, found = _described(every, "#/components/schemas/{name}")
    return {
        "asyncapi": "3.0.0",
        "id": "urn:floorcall:v1",
        "info": {
            "title": "A table watched by floorcall",
            "version": version,
            "description": "Dealing irregularities of one poker table as alerts over MQTT, and "
            "what people order of it. Seen from the table: it sends, and it receives commands.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "plain": _server("mqtt", 1883, "The house's broker, within a network of its own."),
            "safe": _server("secure-mqtt", 8883, "The house's broker over TLS."),
        },
        "channels": {each.name: _channel(each) for each in CHANNELS},
        "operations": {name: each for one in CHANNELS for name, each in _operations(one)},
        "components": {
            "schemas": found,
            "messages": {name: _message(name) for name in FORMS} | {NOTHING: _NOTHING},
            "parameters": _PARAMETERS,
        },
    }


def _server(protocol: str, port: int, about: str) -> dict[str, Any]:
    will = {
        "topic": f"{ROOT}/{{site}}/{{table}}/status",
        "qos": 1,
        "retain": True,
        "message": "The status that says offline.",
    }
    return {
        "host": f"{{broker}}:{port}",
        "protocol": protocol,
        "protocolVersion": "5",
        "description": f"{about} 3.1.1 is spoken where it knows no 5.",
        "variables": {"broker": {"description": "A name or address out of `[broker] urls`."}},
        "bindings": {
            "mqtt": {
                "clientId": "floorcall-{site}-{table}",
                "cleanSession": True,
                "lastWill": will,
                "keepAlive": KEEPALIVE_S,
                "maximumPacketSize": PACKET_BYTES_MAX,
                **_BOUND,
            }
        },
    }


def _channel(channel: Channel) -> dict[str, Any]:
    names = [name for name in _PARAMETERS if f"{{{name}}}" in channel.address]
    return {
        "address": channel.address,
        "description": channel.about,
        "messages": {name: _ref(f"components/messages/{name}") for name in channel.messages},
        "parameters": {name: _ref(f"components/parameters/{name}") for name in names},
    }


def _operations(channel: Channel) -> list[tuple[str, dict[str, Any]]]:
    """What the table does on a channel: says, or hears, answers, and clears what was retained."""
    if not channel.heard:
        return [(channel.name, _operation(channel, "send", channel.messages, channel.retain))]
    heard = _operation(channel, "receive", ("command",), retain=False)
    heard["reply"] = {
        "channel": _ref("channels/answer"),
        "messages": [_ref("channels/answer/messages/answer")],
    }
    cleared = _operation(channel, "send", (NOTHING,), retain=True)
    cleared["summary"] = "A retained command is refused and cleared."
    return [(channel.name, heard), (f"{channel.name}Cleared", cleared)]


def _operation(
    channel: Channel, action: str, messages: tuple[str, ...], retain: bool
) -> dict[str, Any]:
    return {
        "action": action,
        "channel": _ref(f"channels/{channel.name}"),
        "summary": channel.about,
        "messages": [_ref(f"channels/{channel.name}/messages/{name}") for name in messages],
        "bindings": {"mqtt": {"qos": channel.qos, "retain": retain, **_BOUND}},
    }


def _message(name: str) -> dict[str, Any]:
    forms = [_ref(f"components/schemas/{form.__name__}") for form in FORMS[name]]
    message: dict[str, Any] = {
        "name": name,
        "title": _ABOUT[name],
        "contentType": "application/json",
        "payload": forms[0] if len(forms) == 1 else {"anyOf": forms},
    }
    if name in ("command", "answer"):
        message["correlationId"] = {
            "description": "In MQTT 3.1.1; in 5 the correlation data goes back as it came.",
            "location": "$message.payload#/id",
        }
        bound: dict[str, Any] = {"correlationData": {"type": "string", "format": "binary"}}
        if name == "command":
            bound["responseTopic"] = {"type": "string", "maxLength": 256}
        message["bindings"] = {"mqtt": {**bound, **_BOUND}}
    return message


_NOTHING: dict[str, Any] = {
    "name": NOTHING,
    "title": "An empty message",
    "summary": "It clears what was retained; not retained, it proves that words arrive.",
    "contentType": "application/octet-stream",
    "payload": {"type": "string", "maxLength": 0},
}


def _ref(path: str) -> dict[str, str]:
    return {"$ref": f"#/{path}"}
