"""The log, set once: a fixed phrase and its facts a line, for operators only."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TextIO

import msgspec
import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}
WORDS_MAX = 300
_encode = msgspec.json.Encoder(enc_hook=str).encode


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Write to `stream` (standard error): JSON lines, or for eyes where it is a terminal.

    Other libraries' warnings (paho, asyncio) come out in the same form. Bytes are never written,
    nor the texts of exceptions: they may tell a card or a tag.
    """
    stream = sys.stderr if stream is None else stream
    number = LEVELS[level]
    if stream.isatty():
        show: Any = structlog.dev.ConsoleRenderer()
    else:
        show = structlog.processors.JSONRenderer(serializer=_json)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            _without_bytes,
            _without_texts,
            show,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_Passed()]
    root.setLevel(logging.WARNING)


def get(name: str) -> structlog.stdlib.BoundLogger:
    """The log of one part of the service."""
    log: structlog.stdlib.BoundLogger = structlog.get_logger(part=name)
    return log


def outline(error: BaseException) -> str:
    """Where an exception came from, and what came before it: kinds, files and lines.

    Never its text: a `KeyError` has the key in it, which may be a tag.
    """
    return "\n".join(_told(error, "", set()))


def _told(error: BaseException, inset: str, known: set[int]) -> Iterator[str]:
    if id(error) in known:
        return
    known.add(id(error))
    number = error.errno if isinstance(error, OSError) else None
    why = "" if number is None else f": {os.strerror(number)}"
    yield f"{inset}{type(error).__qualname__}{why}"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{inset}  {frame.filename}:{frame.lineno} {frame.name}"
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for each in (*inner, error.__cause__, error.__context__):
        if each is not None:
            yield from _told(each, f"{inset}  ", known)


def _without_texts(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """An exception that a line is about, in outline."""
    match event.pop("exc_info", None):
        case BaseException() as error:
            event["exception"] = outline(error)
        case (_, BaseException() as error, _):
            event["exception"] = outline(error)
        case True if (current := sys.exc_info()[1]) is not None:
            event["exception"] = outline(current)
        case _:
            pass
    return event


def _json(event: Mapping[str, Any], **_: object) -> str:
    return _encode(event).decode()


def _without_bytes(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for key, value in event.items():
        match value:
            case bytes() | bytearray() | memoryview():
                event[key] = f"{len(value)} bytes"
            case str() if len(value) > WORDS_MAX:
                event[key] = value[:WORDS_MAX] + "…"
            case _:
                pass
    return event


class _Passed(logging.Handler):
    """Another library's word, passed on as a line of ours: its text cut, its arguments not kept.

    What asyncio says of a call that failed has the call's arguments in brackets, and lines of more.
    """

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        if record.name == "asyncio":
            said = said.partition("\n")[0].partition("(")[0]
        words = said.replace("\n", " ")[:WORDS_MAX]
        log = get(record.name)
        if record.levelno >= logging.ERROR:
            log.error("library error", words=words, exc_info=record.exc_info or None)
        else:
            log.warning("library warning", words=words)
