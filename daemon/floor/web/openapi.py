"""The table of routes for programs: OpenAPI 3.1, its schemas made from the types that decode."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import msgspec

from daemon import __version__
from daemon.floor.web import forms
from daemon.floor.web.refusals import WORDS
from daemon.floor.web.routes import HTML, JSON, ROUTES, SSE, Route

REF = "#/components/schemas/{name}"
FORM = "application/x-www-form-urlencoded"
STATUSES = {
    200: "as asked", 303: "elsewhere", 400: "not of its form", 401: "nobody is signed in",
    403: "not allowed", 404: "not there", 405: "not in this way", 408: "too slow",
    409: "not as things stand", 413: "too large", 415: "not of this kind", 429: "too often",
    503: "not now",
}  # fmt: skip
ALWAYS = (400, 404, 405)
OF_PEOPLE = (401, 403, 503)
OF_CHANGES = (403, 408, 413, 415, 429, 503)


@cache
def document() -> dict[str, Any]:
    """The whole description."""
    kinds = [one for row in ROUTES for one in (row.takes, row.gives) if one is not None]
    schemas, components = msgspec.json.schema_components(
        [*kinds, forms.Refusal], ref_template=REF
    )  # fmt: skip
    named = dict(zip([*map(str, kinds), "refusal"], schemas, strict=True))
    paths: dict[str, Any] = {}
    for row in ROUTES:
        paths.setdefault(_path(row), {})[row.method.lower()] = _operation(row, named)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "floorcall: the floor's screens",
            "version": __version__,
            "description": "See docs/screens-api.md. Words of refusals: " + ", ".join(WORDS) + ".",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def _path(row: Route) -> str:
    return re.sub(r":path\}", "}", row.path)


def _operation(row: Route, named: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": row.name,
        "summary": row.says,
        "x-roles": sorted(row.who) if row.who is not None else "anybody",
        "responses": _responses(row, named),
    }
    parameters = [*_in_path(row), *_in_query(row), *_in_header(row)]
    if parameters:
        told["parameters"] = parameters
    if row.takes is not None:
        media = FORM if row.kind == "form" else JSON
        schema = named[str(row.takes)]
        told["requestBody"] = {"required": True, "content": {media: {"schema": schema}}}
    return told


def _in_path(row: Route) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)", row.path)
    ]


def _in_query(row: Route) -> list[dict[str, Any]]:
    found = []
    _, components = msgspec.json.schema_components([row.asks], ref_template=REF)
    (schema,) = components.values()
    for name, one in schema.get("properties", {}).items():
        required = name in schema.get("required", [])
        kind = {key: value for key, value in one.items() if key != "default"}
        if "anyOf" in kind:  # null is what is left out
            some = [each for each in kind["anyOf"] if each.get("type") != "null"]
            kind = some[0] if len(some) == 1 else {"anyOf": some}
        found.append({"name": name, "in": "query", "required": required, "schema": kind})
    return found


def _in_header(row: Route) -> list[dict[str, Any]]:
    if row.method == "GET" or row.kind == "form":
        return []
    schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return [{"name": "X-CSRF-Token", "in": "header", "required": True, "schema": schema}]


def _responses(row: Route, named: dict[str, Any]) -> dict[str, Any]:
    said = HTML if row.kind in {"page", "form"} else JSON
    no: dict[str, Any] = {"schema": named["refusal"]} if said == JSON else {}
    statuses = [*ALWAYS, *(OF_PEOPLE if row.who is not None else ())]
    statuses += [*OF_CHANGES, 409] if row.method != "GET" else []
    statuses += [409] if row.kind == "file" else []
    found: dict[str, Any] = {
        str(status): {"description": STATUSES[status], "content": {said: no}}
        for status in sorted(set(statuses))
    }
    for status in ("404", "405"):  # where no address is, nobody knows whether it was to be a page
        found[status]["content"] = {said: no, JSON: {"schema": named["refusal"]}}
    if row.kind in {"page", "form"}:
        found["303"] = {"description": STATUSES[303]}
    found["200"] = {"description": STATUSES[200], "content": {row.media: _good(row, named)}}
    return found


def _good(row: Route, named: dict[str, Any]) -> dict[str, Any]:
    if row.media == SSE:
        return {"schema": {"type": "string"}}
    return {"schema": named[str(row.gives)]} if row.gives is not None else {}
