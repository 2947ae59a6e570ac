"""The operations of ``openapi.yaml``, and the operation of a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import yaml

UNLISTED = ("/", "/docs", "/openapi.json")
"""Paths that the document omits."""

OTHER = "(none)"


@dataclass(frozen=True, slots=True)
class Operation:
    """A method and a path template, with parameters in braces."""

    method: str
    template: str

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


@dataclass(frozen=True, slots=True)
class Routes:
    """All operations, and patterns that match paths to templates."""

    operations: tuple[Operation, ...]
    _patterns: tuple[tuple[re.Pattern[str], str], ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse the operations of a document, and add the paths that it omits."""
        paths = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["paths"]
        found = [Operation(method.upper(), path) for path, item in paths.items() for method in item]
        found += [Operation("GET", path) for path in UNLISTED]
        # Literal segments take precedence over parameters, as in the server.
        templates = sorted({operation.template for operation in found}, key=lambda path: (path.count("{"), path))
        return cls(tuple(found), tuple((_pattern(template), template) for template in templates))

    def template_of(self, path: str) -> str:
        """Return the template that a path matches, or ``(none)``."""
        return next((template for pattern, template in self._patterns if pattern.fullmatch(path)), OTHER)

    def operation_of(self, method: str, path: str) -> Operation:
        """Return the operation of a request, in the document or not."""
        return Operation(method, self.template_of(path))


def api_of(template: str) -> str:
    """Return the API that a path belongs to."""
    for prefix, name in (("/api/v1/", "native"), ("/iceberg/", "iceberg"), ("/paimon/", "paimon")):
        if template.startswith(prefix):
            return name
    return "none" if template == OTHER else "process"


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))
