"""The HTML page at ``/docs``: the app's OpenAPI document, without scripts or external resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

Json = Mapping[str, Any]

router = APIRouter()

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:62rem;padding:0 1rem;color:#1c2733;background:#fff}
h1,h2{line-height:1.2}h2{margin-top:2.5rem}code,.path{font-family:ui-monospace,monospace;font-size:.9em}
details{border:1px solid #d5dde5;border-radius:6px;margin:.5rem 0;padding:.5rem .8rem}summary{cursor:pointer}
.verb{display:inline-block;min-width:4.5rem;font-weight:700;color:#0b5cad}.what{color:#53606c}
table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid #e6ebf0}
@media(prefers-color-scheme:dark){body{color:#dbe3ea;background:#14191e}details,th,td{border-color:#33404c}
.verb,a{color:#6cb2f7}.what{color:#9fadba}}
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """The documentation of this server's API."""
    app: FastAPI = request.app
    page = "".join(_page(app.openapi()))
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": _POLICY})


def _page(document: Json) -> Iterator[str]:
    info = document["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}"
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body><h1>{title}</h1>"
    yield "".join(f"<p>{_text(paragraph)}</p>" for paragraph in info["description"].split("\n\n"))
    yield '<p>For programs: <a href="openapi.json">openapi.json</a>.</p>'
    by_tag: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            by_tag.setdefault(operation["tags"][0], []).append("".join(_operation(document, path, verb, operation)))
    for tag, shown in by_tag.items():
        yield f"<h2>{escape(tag.capitalize())}</h2>{''.join(shown)}"
    yield "<h2>Objects</h2>"
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield "".join(_object(name, schema))
    yield "</body></html>"


def _operation(document: Json, path: str, verb: str, operation: Json) -> Iterator[str]:
    words = operation.get("description", "")
    yield f'<details><summary><span class="verb">{escape(verb.upper())}</span> <span class="path">{escape(path)}</span>'
    yield f' <span class="what">{_text(words)}</span></summary>'
    parameters = operation.get("parameters", [])
    yield _table(
        ("parameter", "in", "type", ""),
        (
            (f"<code>{escape(p['name'])}</code>", p["in"], _type(p["schema"]), _text(p.get("description", "")))
            for p in parameters
        ),
    )
    if "requestBody" in operation:
        yield f"<p>Body: {_content(operation['requestBody'])}</p>"
    shared = document["components"]["responses"]
    answers = [
        (status, shared[answer["$ref"].rsplit("/", 1)[-1]] if "$ref" in answer else answer)
        for status, answer in operation["responses"].items()
    ]
    yield _table(
        ("status", "body", ""), ((status, _content(answer), _text(answer["description"])) for status, answer in answers)
    )
    yield "</details>"


def _object(name: str, schema: Json) -> Iterator[str]:
    anchor, words = escape(name), _text(schema.get("description", ""))
    yield f'<details id="{anchor}" open><summary><code>{anchor}</code> <span class="what">{words}</span></summary>'
    required = schema.get("required", [])
    yield _table(
        ("key", "type", ""),
        (
            (
                f"<code>{escape(key)}</code>{'' if key in required else '?'}",
                _type(value),
                _text(value.get("description", "")),
            )
            for key, value in schema.get("properties", {}).items()
        ),
    )
    yield "</details>"


def _content(holder: Json) -> str:
    forms = holder.get("content", {}).items()
    return "<br>".join(f"{_type(body.get('schema', {}))} <code>{escape(media)}</code>" for media, body in forms)


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#{name}">{name}</a>'
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(_type(variant) for variant in schema[key])
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in values)
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"object of {_type(schema['additionalProperties'])}"
    return escape(str(kind))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{body}</table>"


def _text(words: str) -> str:
    """Return a text as HTML, with code elements for its backticks."""
    parts = escape(words.replace("``", "`")).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))
