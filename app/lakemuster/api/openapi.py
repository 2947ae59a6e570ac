"""The app's OpenAPI document: remove what FastAPI adds wrongly, split it by API, and render reproducible YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

from lakemuster.api.error_responses import error_schemas

_PLAIN = re.compile(r"[A-Za-z/_][A-Za-z0-9/_.$-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"})
_NOT_OURS = ("HTTPValidationError", "ValidationError")
_COMPONENT = "#/components/"


@dataclass(frozen=True, slots=True)
class Part:
    """One API of the server, with a document of its own.

    Attributes:
        prefixes: the prefixes of its paths.
        description: replaces the description of the whole document; None to leave it.
    """

    title: str
    prefixes: tuple[str, ...]
    description: str | None = None


PARTS: Mapping[str, Part] = {
    "native": Part("Lakemuster", ("/api/", "/session", "/healthz", "/readyz", "/metrics")),
    "iceberg": Part(
        "Lakemuster: Iceberg REST catalog",
        ("/iceberg/",),
        "The read side of the Iceberg REST catalog protocol, with scan planning on the server. Clients are given the "
        "URI that ends in `/iceberg`.",
    ),
    "paimon": Part(
        "Lakemuster: Paimon REST catalog",
        ("/paimon/",),
        "The read side of the Paimon REST catalog protocol. Clients are given the URI that ends in `/paimon`.",
    ),
}
"""The APIs by name. Each path belongs to exactly one of them."""


class DescribedApp(FastAPI):
    """A FastAPI app whose OpenAPI document lists only responses that it sends."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document, computed once."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemas = document.setdefault("components", {}).setdefault("schemas", {}) | error_schemas()
            document["components"]["schemas"] = dict(sorted(schemas.items()))
            self.openapi_schema = tidied(document)
        return self.openapi_schema


def tidied(document: dict[str, Any]) -> dict[str, Any]:
    """Drop responses that are never sent (status 422, JSON without a schema) and titles; share equal error responses.

    Statuses are sorted. Defaults of a request's members become text: generators of typed clients would treat a member
    with a default as one that every client sends.
    """
    components = document.setdefault("components", {})
    for name in _NOT_OURS:
        components.get("schemas", {}).pop(name, None)
    shared: dict[str, Any] = {}
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] = {
                status: _shared(status, _without_nothing(answer), shared)
                for status, answer in sorted(operation["responses"].items())
                if status != "422"
            }
    if shared:
        components["responses"] = dict(sorted(shared.items()))
    schemas = components.get("schemas", {})
    for operations in document["paths"].values():
        for operation in operations.values():
            for _, name in _references(operation.get("requestBody")):
                for member in schemas[name].get("properties", {}).values():
                    _say_default(member)
    _drop_titles(document["paths"])
    for schema in schemas.values():
        _drop_titles(schema)
    return document


def _without_nothing(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the response without the media type that FastAPI adds to those of the route."""
    content = answer.get("content", {})
    if len(content) < 2:
        return answer
    return {**answer, "content": {media: body for media, body in content.items() if body != {"schema": {}}}}


def _shared(status: str, answer: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """Move an error response to the components and return a reference to it; return other responses unchanged."""
    if int(status) < 400:
        return answer
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "Problem").rsplit("/", 1)[-1] + status
    if shared.setdefault(name, answer) != answer:
        return answer
    return {"$ref": f"#/components/responses/{name}"}


def _say_default(member: dict[str, Any]) -> None:
    if member.get("default") is not None:
        said = f"Default: {json.dumps(member.pop('default'))}."
        member["description"] = f"{member.get('description', '')} {said}".strip()


def _drop_titles(node: object) -> None:
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for value in node.values():
            _drop_titles(value)
    elif isinstance(node, list):
        for value in node:
            _drop_titles(value)


def part_of(document: Mapping[str, Any], part: Part) -> dict[str, Any]:
    """Return the document of one API: its paths, and the components that they refer to."""
    info = dict(document["info"], title=part.title)
    if part.description is not None:
        info["description"] = part.description
    paths = {path: item for path, item in document["paths"].items() if path.startswith(part.prefixes)}
    components: dict[str, dict[str, Any]] = document["components"]
    needed: set[tuple[str, str]] = set()
    pending = list(_references(paths))
    while pending:
        kind, name = reference = pending.pop()
        if reference not in needed:
            needed.add(reference)
            pending += _references(components[kind][name])
    chosen = {
        kind: {name: value for name, value in named.items() if (kind, name) in needed}
        for kind, named in components.items()
    }
    filled = {kind: some for kind, some in chosen.items() if some}
    return {**document, "info": info, "paths": paths, "components": filled}


def _references(node: object) -> Iterator[tuple[str, str]]:
    """Yield the components that a part of a document refers to, as (kind, name)."""
    if isinstance(node, Mapping):
        target = node.get("$ref")
        if isinstance(target, str) and target.startswith(_COMPONENT):
            kind, _, name = target.removeprefix(_COMPONENT).partition("/")
            yield kind, name
        for schemes in node.get("security", ()):
            yield from (("securitySchemes", name) for name in schemes)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def render(app: FastAPI, part: str | None = None) -> str:
    """Return the OpenAPI 3.1 document in YAML.

    Args:
        part: the name of one API in ``PARTS``; None for all.
    """
    document = app.openapi()
    return "\n".join(_block(document if part is None else part_of(document, PARTS[part]), 0)) + "\n"


def _block(value: object, depth: int) -> list[str]:
    """Return the lines of a value that is not on the line of its key."""
    indent = "  " * depth
    if isinstance(value, dict) and value:
        lines = []
        for key, item in value.items():
            lines += _member(f"{indent}{_scalar(str(key))}:", item, depth)
        return lines
    if isinstance(value, list) and value:
        lines = []
        for item in value:
            inner = _block(item, depth + 1)
            lines.append(f"{indent}- {inner[0].lstrip(' ')}")
            lines += inner[1:]
        return lines
    return [indent + _scalar(value)]


def _member(key: str, item: object, depth: int) -> list[str]:
    if isinstance(item, dict | list) and item:
        return [key, *_block(item, depth + 1)]
    return [f"{key} {_scalar(item)}"]


def _scalar(value: object) -> str:
    """Return a scalar as a plain word, or else as JSON, which is valid YAML."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
