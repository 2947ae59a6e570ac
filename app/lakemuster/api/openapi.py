"""Write an app's OpenAPI document as YAML, the same bytes every time."""

from __future__ import annotations

import re

import orjson
from fastapi import FastAPI

_PLAIN = re.compile(r"[A-Za-z/_][A-Za-z0-9/_.$-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"})


def render(app: FastAPI) -> str:
    """The OpenAPI 3.1 document in YAML."""
    return "\n".join(_block(app.openapi(), 0)) + "\n"


def _block(value: object, depth: int) -> list[str]:
    """Lines of a value that is not on its key's line."""
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
    """JSON is YAML, so whatever is not plainly a word is written as JSON."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return orjson.dumps(value).decode()
